"""A server of one page for the browser of the same user on the same machine.

It listens on 127.0.0.1 alone. Its address holds a random token, which other users and other pages
in the browser do not know. A request is refused unless its host is this server, so that no foreign
name can be made to point here.
"""

from __future__ import annotations

import hmac
import html
import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAUSE = 0.4  # seconds between two looks at the files
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# The page of an error runs nothing but the loading of the next page.
FAILURE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<link rel="icon" href="data:,"><title>allograph explore</title></head>
<body><h1>The page cannot be made</h1><pre>{}</pre></body></html>
"""


class ExploreServer:
    """Serves what `render` returns, a page or a problem, again after each change in a folder."""

    def __init__(self, render: Callable[[], tuple[str, str]], watched: Path):
        self.render = render
        self.watched = watched
        self.token = secrets.token_urlsafe(18)
        self.changed = threading.Condition()
        self.version = 0
        self.page = ""
        self.is_closed = False
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self.http.daemon_threads = True
        self.hosts = {f"{name}:{self.http.server_port}" for name in ("127.0.0.1", "localhost")}
        self.address = f"http://127.0.0.1:{self.http.server_port}/{self.token}/"

    def serve(self) -> None:
        """Serve until Ctrl-C."""
        threading.Thread(target=self.watch, daemon=True).start()
        try:
            self.http.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        self.http.server_close()

    def watch(self) -> None:
        """Make the page, and again whenever a file of the folder changes."""
        seen = None
        while not self.is_closed:
            now = self._files()
            if now != seen:
                seen = now
                page, problem = self.render()
                with self.changed:
                    self.page = page or FAILURE.format(html.escape(problem))
                    self.version += 1
                    self.changed.notify_all()
            with self.changed:
                self.changed.wait_for(lambda: self.is_closed, PAUSE)

    def _files(self) -> dict[str, tuple[int, int]]:
        """The Python files of the folder with their times and sizes."""
        results = {}
        for path in sorted(self.watched.glob("*.py")):
            try:
                status = path.stat()
            except OSError:  # removed meanwhile, as editors do when they save
                continue
            results[path.name] = status.st_mtime_ns, status.st_size
        return results

    def later_version(self, version: int, seconds: float) -> int | None:
        """The version of the page once it is not `version`; None if that takes too long."""
        with self.changed:
            self.changed.wait_for(lambda: self.is_closed or self.version != version, seconds)
            return None if self.version == version else self.version

    def allows(self, host: str | None, path: str) -> bool:
        """Whether a request may see anything: it knows the token, and means this server."""
        parts = path.split("/")
        token = parts[1] if len(parts) == 3 else ""
        return host in self.hosts and hmac.compare_digest(token.encode(), self.token.encode())


def _handler_of(server: ExploreServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            names = {"": self.send_page, "events": self.send_events}
            if not server.allows(self.headers.get("Host"), self.path):
                self.send_error(403)
            elif (name := self.path.rpartition("/")[2]) in names:
                names[name]()
            else:
                self.send_error(404)

        def send_page(self) -> None:
            server.later_version(0, 120)  # the first page may take a while
            content = server.page.encode("utf-8")
            self.start("text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def send_events(self) -> None:
            """An event for each later page; a comment from time to time finds closed windows."""
            self.start("text/event-stream")
            self.end_headers()
            version = server.version
            try:
                while not server.is_closed:
                    later = server.later_version(version, 15)
                    version = later or version
                    self.wfile.write(b": waiting\n\n" if later is None else b"data: changed\n\n")
                    self.wfile.flush()
            except OSError:
                pass  # the window was closed

        def start(self, content_type: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            for name, value in HEADERS.items():
                self.send_header(name, value)

        def log_message(self, format: str, *arguments: object) -> None:
            """Print no line for each request: it would show the token."""

    return Handler
