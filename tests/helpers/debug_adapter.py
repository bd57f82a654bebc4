"""A small client of the Debug Adapter Protocol, to drive debugpy as an editor does."""

import json
import os
import socket
import subprocess
import sys
import time


class Debugger:
    """Runs a script under debugpy; used as a context manager."""

    def __init__(self, script, environment=None, timeout=15, just_my_code=False):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        where = ["--listen", f"127.0.0.1:{port}", "--wait-for-client"]
        self.process = subprocess.Popen(
            [sys.executable, "-Xfrozen_modules=off", "-m", "debugpy", *where, str(script)],
            env={**os.environ, **(environment or {}), "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.timeout, self.just_my_code = timeout, just_my_code
        self.socket = self._connected(port)
        self.stream = self.socket.makefile("rb")
        self.count = 0
        self.events = []

    def _connected(self, port):
        end = time.monotonic() + self.timeout
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=self.timeout)
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def __enter__(self):
        self.request("initialize", adapterID="tests", linesStartAt1=True, columnsStartAt1=True)
        self.send("attach", justMyCode=self.just_my_code, redirectOutput=True)
        self.event("initialized")
        return self

    def __exit__(self, *error):
        self.socket.close()
        self.process.kill()
        self.process.wait(self.timeout)

    # ---- messages ------------------------------------------------------------------------

    def send(self, command, **arguments):
        self.count += 1
        message = {"seq": self.count, "type": "request", "command": command}
        body = json.dumps({**message, "arguments": arguments}).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.count

    def receive(self):
        size = 0
        while True:
            line = self.stream.readline()
            if not line:
                raise ConnectionError("the program that is debugged has ended")
            if not line.strip() and size:
                break
            if line.lower().startswith(b"content-length"):
                size = int(line.split(b":")[1])
        return json.loads(self.stream.read(size))

    def request(self, command, **arguments):
        """The body of the answer."""
        sent = self.send(command, **arguments)
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            elif message.get("request_seq") == sent:
                assert message["success"], message
                return message.get("body", {})

    def event(self, name):
        while True:
            for message in self.events:
                if message["event"] == name:
                    self.events.remove(message)
                    return message.get("body", {})
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)

    # ---- what a person does --------------------------------------------------------------

    def break_at(self, file, *lines):
        rows = [{"line": line} for line in lines]
        self.request("setBreakpoints", source={"path": str(file)}, breakpoints=rows)

    def run(self):
        self.request("configurationDone")

    def stopped(self):
        """The frames where it stops, innermost first: (function, file, line)."""
        self.thread = self.event("stopped")["threadId"]
        self.frames = self.request("stackTrace", threadId=self.thread)["stackFrames"]
        return [(one["name"], one["source"].get("path", ""), one["line"]) for one in self.frames]

    def variables(self):
        """The local variables of the innermost frame, as texts."""
        scope = self.request("scopes", frameId=self.frames[0]["id"])["scopes"][0]
        found = self.request("variables", variablesReference=scope["variablesReference"])
        return {one["name"]: one["value"] for one in found["variables"]}

    def go(self, command="continue"):
        self.request(command, threadId=self.thread)

    def output(self):
        """What the program prints until it ends."""
        self.event("terminated")
        rows = [one["body"] for one in self.events if one["event"] == "output"]
        return "".join(one["output"] for one in rows if one["category"] == "stdout")
