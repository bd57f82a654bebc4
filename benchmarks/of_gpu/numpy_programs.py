"""Which of the NumPy programs of the suite run on a device, and why others do not.

    ALLOGRAPH_DEVICE=emulated python benchmarks/of_gpu/numpy_programs.py [PROGRAM ...]
    ALLOGRAPH_DEVICE=emulated python benchmarks/of_gpu/numpy_programs.py --document docs/gpu.md

Each is called with the small arguments of the tests, and its results are those of NumPy. Where the
CPU emulates the device, a program that takes too long is ended in its kernel.
"""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy_programs

import allograph as ag
from allograph.runtime.gpu.device_program import DeviceProgram

SECONDS = 6.0  # of the processor, for one program
START, END = "<!-- numpy programs on a device -->", "<!-- end -->"
SAME, SLOW = "same results", "runs there; too long to emulate"


class TooSlowError(BaseException):
    """A program takes too long."""


class Runs:
    """Counts the runs of programs on a device while it is entered."""

    def __enter__(self) -> Runs:
        self.started = 0
        self.run = run = DeviceProgram.run

        def counted(program, inputs):
            self.started += 1
            return run(program, inputs)

        DeviceProgram.run = counted  # type: ignore[method-assign]
        return self

    def __exit__(self, *_) -> None:
        DeviceProgram.run = self.run  # type: ignore[method-assign]


def result_of(name: str) -> str:
    """What becomes of a program on the device."""
    program = numpy_programs.PROGRAMS[name]
    arguments, same = (program.arguments(program.small) for _ in "ab")
    expected = program.function(*same)
    function = ag.jit(program.function, device="gpu")
    REASONS.clear()
    with Runs() as runs:
        try:
            with_time(lambda: assert_same(function, arguments, expected, same))
        except TooSlowError:
            return SLOW if runs.started else "takes too long to trace"
        except AssertionError as error:
            return "OTHER RESULTS: " + " ".join(str(error).split())[:200]
        except Exception as error:
            return reason_of(str(error))
    return SAME if runs.started else reason_of(REASONS[-1] if REASONS else "NumPy runs it")


def assert_same(function, arguments, expected, same) -> None:
    """Call a function, and compare its results and the arguments that it changes."""
    results = [function(*arguments), *arguments]
    for own, other in zip(map(flat, results), map(flat, [expected, *same]), strict=True):
        for left, right in zip(own, other, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-6)


def flat(value) -> list:
    """The numbers and arrays of a result."""
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in flat(item)]
    if isinstance(value, dict):
        return [part for item in value.values() for part in flat(item)]
    return [] if value is None or isinstance(value, str) else [np.asarray(value)]


def with_time(call) -> None:
    """Call it; TooSlowError after some seconds."""

    def stop(*_):
        raise TooSlowError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


REASONS: list[str] = []


class Reasons(logging.Handler):
    """Keeps what the log says of a program that the CPU runs."""

    def emit(self, record: logging.LogRecord) -> None:
        REASONS.append(record.getMessage())


def reason_of(message: str) -> str:
    """Why a program does not run there, in the words of an error, or of the log."""
    reason = message.splitlines()[0].rpartition("has no form for GPU:0: ")[2]
    return reason.partition(" (")[0]


def table(rows: dict[str, str]) -> str:
    """Which programs run there, and why others do not, in Markdown."""
    there = {name: result for name, result in rows.items() if result in (SAME, SLOW)}
    others = {name: result for name, result in rows.items() if name not in there}
    slow = sum(result == SLOW for result in there.values())
    lines = [
        f"{len(there)} of {len(rows)} programs run on the device, {len(there) - slow} of them to "
        "the end with the results of NumPy:",
        textwrap.fill(", ".join(f"`{name}`" for name in there), 120) + ".",
    ]
    if others:
        lines += ["", "| what the CPU runs | why |", "|---|---|"]
        lines += (f"| `{name}` | {result} |" for name, result in others.items())
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--document", type=Path, help="a page that gets the table")
    parser.add_argument("--json", type=Path, help="written after each program")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ag.config.set_soft_device_placement(False)
    fallback = logging.getLogger("allograph.fallback")
    fallback.setLevel(logging.INFO)
    fallback.addHandler(Reasons())
    rows: dict[str, str] = {}
    with np.errstate(all="ignore"):
        for name in options.programs or numpy_programs.PROGRAMS:
            rows[name] = result_of(name)
            print(f"{name:24s} {rows[name]}", flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1))
    print(table(rows))
    if options.document:
        page = options.document.read_text(encoding="utf-8")
        before, _, rest = page.partition(START)
        options.document.write_text(
            f"{before}{START}\n{table(rows)}\n{END}{rest.partition(END)[2]}", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
