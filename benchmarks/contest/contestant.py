"""The other side of a worker: starts the process of one engine and talks to it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
ROOT = Path(__file__).parents[2]
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "NPROC",
    "ALLOGRAPH_THREADS",
)
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"}


def environment(threads: int, caches: Path) -> dict[str, str]:
    """Environment variables of an engine: its thread count and the folder of its caches.

    Bytecode is cached, as it is for a user.
    """
    variables = {**os.environ, **QUIET, **dict.fromkeys(THREADS, str(threads))}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    variables["ALLOGRAPH_CACHE_DIR"] = str(caches / "allograph")
    variables["TORCHINDUCTOR_CACHE_DIR"] = str(caches / "torch")
    return variables


class Contestant:
    """A process that executes commands; each answer has a time limit."""

    def __init__(self, python, engine: str, workload: str, size: str, threads: int, caches):
        self.engine = engine
        command = [
            *([python] if isinstance(python, str) else python),
            str(WORKER),
            engine,
            workload,
            size,
            str(threads),
        ]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment(threads, Path(caches)),
            text=True,
            encoding="utf-8",
        )
        self.answers: queue.SimpleQueue = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout:
            self.answers.put(json.loads(line))
        self.answers.put({"failed": "the process ended"})

    def answer(self, seconds: float):
        """The next answer, or a record of the failure."""
        try:
            return self.answers.get(timeout=seconds)
        except queue.Empty:
            return {"failed": f"no answer within {seconds:g} s"}

    def ask(self, command: str, seconds: float):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except OSError:
            return {"failed": "the process ended"}
        return self.answer(seconds)

    def close(self, seconds: float = 5.0) -> None:
        """End the process; kill it after `seconds`."""
        try:
            self.process.stdin.close()
            self.process.wait(timeout=seconds)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.errors.close()


def installed(module: str, python: str) -> bool:
    """Whether this interpreter has the module; nothing is imported."""
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    done = subprocess.run([python, "-c", code], cwd=ROOT.anchor, check=False)
    return done.returncode == 0


def compile_checkout(python: str) -> None:
    """Compile allograph's bytecode, as an installation does, so that no first call has to."""
    tree = ["-x", r"[\\/](tests|\.venv)", str(ROOT)]
    subprocess.run([python, "-m", "compileall", "-q", *tree], check=False)


def interpreters(chosen: list[str]) -> dict[str, str]:
    """Options like `tensorflow=/path/python` and variables like PEERS_PYTHON_JAX, by module."""
    begin = "PEERS_PYTHON_"
    by_module = {
        name.removeprefix(begin).lower(): value
        for name, value in os.environ.items()
        if name.startswith(begin)
    }
    return by_module | dict(option.split("=", 1) for option in chosen)


def python_for(module: str, table: dict[str, str]) -> str:
    return table.get(module, table.get("all", sys.executable))
