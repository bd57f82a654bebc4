"""The tests and the benchmark of a card, in eight minutes, with what is known so far in files.

    python tests/gpu/on_a_card.py --out FOLDER [--packages FOLDER] [--more TESTS]

It needs the checkout, and packages that are installed or in the folder `packages`. Nothing is
installed, and nothing is written elsewhere. `--more` names tests of which all functions run on the
card. Where there is none, it says in a line what is missing. With ALLOGRAPH_DEVICE=emulated it is a
dry run, of few elements.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OF_TESTS = 0.4  # of the time; the benchmark has the rest
MISSING = """
from allograph.runtime.gpu.devices.cuda_driver import missing
print(missing() or "", end="")
"""
USED = ("numpy", "gast", "astunparse", "llvmlite", "cuda", "pytest", "hypothesis", "jax", "torch")


def main() -> int:
    options = parsed()
    out = Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + options.seconds
    is_dry = bool(os.environ.get("ALLOGRAPH_DEVICE"))
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "allograph").symlink_to(ROOT)
        paths = [folder, *options.packages, os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        sys.path[:0] = options.packages
        print(f"Python {sys.version.split()[0]}; {', '.join(map(installed, USED))}", flush=True)
        if not is_dry and (reason := missing(environment)):
            print(f"There is no card to test: {reason}")
            return 1
        tests = [
            sys.executable,
            "-P",
            "-m",
            "pytest",
            "-v",
            "-p",
            "no:cacheprovider",
            "-rs",
            "-m",
            "not slow",
        ]
        tests += ["-n", "0"] if importlib.util.find_spec("xdist") else []
        tests += [] if is_dry else ["-k", "card"]
        failed = logged([*tests, "tests/gpu", "tests/runtime/gpu"], out / "tests.txt", environment,
                        OF_TESTS * options.seconds)  # fmt: skip
        left = until - time.monotonic()
        if options.more:
            every = {**environment, "ALLOGRAPH_DEVICE": "emulated" if is_dry else "GPU:0"}
            failed += logged([*tests, *options.more], out / "more.txt", every, left / 3)
            left = until - time.monotonic()
        benchmark = [sys.executable, "-P", "benchmarks/gpu.py", "--json", str(out / "times.json")]
        benchmark += ["--total", f"{left - 10:.0f}", *(["--small"] if is_dry else [])]
        return failed + logged(benchmark, out / "times.txt", environment, left)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="the folder of what is known")
    parser.add_argument("--packages", action="append", default=[], help="packages to be imported")
    parser.add_argument("--more", action="append", default=[], help="tests, all on the card")
    parser.add_argument("--seconds", type=float, default=480)
    options = parser.parse_args()
    options.packages = [str(Path(folder).resolve()) for folder in options.packages]
    return options


def missing(environment: dict) -> str:
    """The reason why there is no card; "" where there is one."""
    command = [sys.executable, "-P", "-c", MISSING]
    told = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return told.stdout if told.returncode == 0 else told.stderr.rstrip().rpartition("\n")[2]


def installed(name: str) -> str:
    return name if importlib.util.find_spec(name) else f"no {name}"


def logged(command: list[str], path: Path, environment: dict, seconds: float) -> int:
    """1 where a command fails, or takes longer. What it says goes to a file, and here."""
    print(f"$ {' '.join(command)}    (at most {seconds:.0f} s)", flush=True)
    start = time.monotonic()
    with path.open("wb") as file:
        child = subprocess.Popen(command, stdout=file, stderr=file, env=environment, cwd=ROOT)
        try:
            status: int | str = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            status = "ended: it took too long"
    lines = path.read_text(errors="replace").splitlines()
    shown = [line for line in lines if not line.endswith("%]") or " PASSED " not in line]
    print("\n".join(shown[-60:]))
    print(f"status {status}, {time.monotonic() - start:.0f} s", flush=True)
    return int(status != 0)


if __name__ == "__main__":
    sys.exit(main())
