"""Instructions a call, counted by valgrind, for when times are too noisy.

    python benchmarks/instructions.py NAME [--engines allograph_jit,numba] [--calls 50] [--full]

Only the calls are counted: counting starts after the warm-up, and the difference between `calls`
and twice as many calls removes the constant overhead. Valgrind does not support AVX-512, so kernels
use AVX2. Everything runs on one thread.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import workloads
from contest.contestant import Contestant
from contest.engines import ENGINES

SECONDS = 900.0


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workload", choices=workloads.NAMES)
    parser.add_argument("--engines", default="allograph_jit,numba")
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--full", action="store_true", help="the reported size; else the small one")
    options = parser.parse_args(arguments)
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed")
    size = "full" if options.full else "small"
    for engine in options.engines.split(","):
        once, twice = (
            counted(engine, options.workload, size, calls)
            for calls in (options.calls, 2 * options.calls)
        )
        print(f"{ENGINES[engine].title:18}{(twice - once) / options.calls:15,.0f}", flush=True)


def counted(engine: str, workload: str, size: str, calls: int) -> int:
    """Instructions of a process from before the first of `calls` calls until its end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        output = Path(folder) / "counts"
        valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
        python = [*valgrind, f"--callgrind-out-file={output}", sys.executable]
        process = Contestant(python, engine, workload, size, 1, folder)
        try:
            for answer in (process.answer(SECONDS), process.ask("count 5", SECONDS)):
                if isinstance(answer, dict) and not answer.get("first_call_ms"):
                    sys.exit(f"{engine}: {answer}")
            begin_to_count(process.process.pid)
            process.ask(f"count {calls}", SECONDS)
        finally:
            process.close(SECONDS)
        match = re.search(r"^(?:totals|summary): (\d+)", output.read_text("utf-8"), re.MULTILINE)
        return int(match[1])


def begin_to_count(process: int) -> None:
    command = ["vgdb", f"--pid={process}", "instrumentation", "on"]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
