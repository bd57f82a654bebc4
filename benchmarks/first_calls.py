"""Where the time of a first call goes, with an empty cache: CPU milliseconds of each stage.

    python benchmarks/first_calls.py [PROGRAM ...] [--rounds 5] [--document docs/performance.md]

A program is one of `numpy_programs`, `loop` or `function_loop`. Each round is a process of its own.
A stage is timed where its function is entered and left; what is called inside and is a stage itself
is left out of it. The threads that compile are added up, each by the time that it ran.
"""

from __future__ import annotations

import argparse
import collections
import gc
import importlib._bootstrap
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).parent
START, END = "<!-- stages of first calls -->", "<!-- end -->"
DEFAULT = (
    "loop", "function_loop", "seidel_2d", "edit_distance", "kernel_density", "lu", "breadth_first",
)  # fmt: skip

IMPORTS, REST, LIBRARIES = "imports", "all else", "libraries of kernels"
GARBAGE = "garbage collector of Python"

# The functions that a stage begins with, by the module that they are in.
STAGES = {
    "autograph.conversion.converted_functions": {"convert_function": "conversion"},
    "tracing.numpy_mode.trace": {"trace": "trace"},
    "tracing.functions.tracer": {"trace": "trace"},
    "runtime.passes.pipeline": {"optimize": "passes of graphs", "after": "passes of graphs"},
    "runtime.lowering.fuse_loop_nests": {"lower": "lowering"},
    "runtime.lowering.kernel_plan": {"kernel_plan": "lowering"},
    "runtime.executors.native_program": {"compile_kernel": "kernel: all else"},
    "runtime.executors.shared_kernels": {"shared_code": "kernel: numbers"},
    "runtime.codegen.native.emit_native": {"emit_native": "kernel: emission"},
    "runtime.kernel_ir.reader": {"form": "kernel: forms read", "function_of": "routines read"},
    "runtime.jit.translate": {"translate": "translation", "tree_of": "routines read"},
    "runtime.jit.cache.compilation": {
        "_new": "cache", "_stored": "cache", "_entry_functions": LIBRARIES,
    },
    "runtime.jit.loader.load": {"load": "loading", "addresses": "loading"},
    "runtime.jit.loader.llvm_backend": {"target_machine": "LLVM: its loading"},
    "llvmlite.binding.module": {"parse_assembly": "LLVM: parsing"},
    "llvmlite.binding.newpassmanagers": {"ModulePassManager.run": "LLVM: passes"},
    "llvmlite.binding.targets": {"TargetMachine.emit_object": "LLVM: machine code"},
    "llvmlite.ir.module": {"Module.__repr__": "translation: printed"},
}  # fmt: skip


class Clock:
    """CPU seconds by stage, of all threads. Of nested stages, the innermost counts."""

    def __init__(self) -> None:
        self.seconds: collections.Counter[str] = collections.Counter()
        self.of_thread = threading.local()

    def enter(self, stage: str) -> None:
        of = self.of_thread
        if not hasattr(of, "stages"):
            of.stages, of.since = [REST], time.thread_time()
        self.note()
        of.stages.append(stage)

    def note(self) -> None:
        of, now = self.of_thread, time.thread_time()
        stage = LIBRARIES if LIBRARIES in of.stages else of.stages[-1]
        self.seconds[stage] += now - of.since
        of.since = now

    def leave(self) -> None:
        self.note()
        self.of_thread.stages.pop()

    def timed(self, function, stage: str):
        def run(*args, **kwargs):
            own = stage
            if stage == "cache" and str(args[0]).startswith("shared."):
                own = LIBRARIES
            self.enter(own)
            try:
                return function(*args, **kwargs)
            finally:
                self.leave()

        return run

    def collecting(self, phase: str, _) -> None:
        """What the garbage collector calls: it may run in any stage."""
        if phase == "start":
            self.enter(GARBAGE)
        else:
            self.leave()

    def watch_imports(self) -> None:
        """Time imports, and the stages of the modules that are imported."""
        find = importlib._bootstrap._find_and_load
        waiting = dict(STAGES)

        def find_and_load(name, import_):
            self.enter(IMPORTS)
            try:
                module = find(name, import_)
            finally:
                self.leave()
            for path, stage in waiting.pop(name.removeprefix("allograph."), {}).items():
                owner, _, attribute = path.rpartition(".")
                holder = getattr(module, owner) if owner else module
                setattr(holder, attribute, self.timed(getattr(holder, attribute), stage))
            return module

        importlib._bootstrap._find_and_load = find_and_load


def program_of(name: str):
    """A function that makes the first call."""
    import allograph as ag

    if name in ("loop", "function_loop"):
        from first_call_loops import collatz, newton

        return (
            (lambda: ag.jit(collatz)(1000))
            if name == "loop"
            else (lambda: ag.function(newton, jit_compile=True)(ag.constant(2.0)))
        )
    from numpy_programs import PROGRAMS, copied

    program = PROGRAMS[name]
    arguments = copied(program.arguments(program.small))
    return lambda: ag.jit(program.function)(*arguments)


def measure(name: str) -> dict[str, float]:
    """Seconds of the stages of the first call of this process."""
    import numpy as np  # noqa: F401 - no part of the call

    clock = Clock()
    clock.watch_imports()
    gc.callbacks.append(clock.collecting)
    call = program_of(name)
    clock.enter(REST)
    clock.seconds.clear()
    start = time.perf_counter()
    call()
    clock.leave()
    clock.seconds["elapsed"] = time.perf_counter() - start
    return clock.seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", default=DEFAULT)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--document", type=Path, help="a page to fill in")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.programs[0])))
        return
    rows = {
        name: median([in_a_process(name) for _ in range(options.rounds)])
        for name in options.programs
    }
    text = table(rows)
    print(text)
    if options.document:
        content = options.document.read_text(encoding="utf-8")
        head, rest = content.split(START, 1)
        new = f"{head}{START}\n\n{text}\n\n{END}{rest.split(END, 1)[1]}"
        options.document.write_text(new, encoding="utf-8")


def in_a_process(name: str) -> dict[str, float]:
    command = [sys.executable, "-P", __file__, name, "--measure"]
    with tempfile.TemporaryDirectory() as cache:
        variables = {**os.environ, "ALLOGRAPH_CACHE_DIR": cache, "PYTHONPATH": str(HERE)}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def median(runs: list[dict[str, float]]) -> dict[str, float]:
    stages = dict.fromkeys(stage for run in runs for stage in run)
    return {stage: statistics.median(run.get(stage, 0.0) for run in runs) for stage in stages}


def table(rows: dict[str, dict[str, float]]) -> str:
    """The stages as rows, those that take most first."""
    stages = {stage for row in rows.values() for stage in row} - {"elapsed"}
    mean = {stage: sum(row.get(stage, 0.0) for row in rows.values()) for stage in stages}
    lines = [["stage", *rows], ["---"] * (len(rows) + 1)]
    for stage in sorted(stages, key=mean.__getitem__, reverse=True):
        lines.append([stage, *(f"{row.get(stage, 0.0) * 1e3:.1f}" for row in rows.values())])
    of_cpu = [sum(row.values()) - row["elapsed"] for row in rows.values()]
    lines.append(["CPU time", *(f"{seconds * 1e3:.0f}" for seconds in of_cpu)])
    lines.append(["elapsed", *(f"{row['elapsed'] * 1e3:.0f}" for row in rows.values())])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
