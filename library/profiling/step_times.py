"""Times each step of a program on given arrays, and estimates how fast the machine could run it.

The steps run one after another, each on the results of those before it. A step is timed alone, as a
kernel or as NumPy calls. A run on NumPy counts how often the steps inside a loop or a branch are
executed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...extend.graphs import (
    CONTROL,
    COUNT,
    Node,
    Program,
    Step,
    call_in_errstate,
    compile_program,
    emit_numpy,
    inner_programs,
    nodes_of,
    program_of,
)
from ...extend.kernels import NotNativeError
from ...extend.operations import PURE
from .roofline import Rates, best_seconds, machine_rates

MOST_SECONDS = 5.0  # that a loop may take on NumPy while its iterations are counted
ENOUGH_SECONDS = 0.05  # of timing one step
SMALL_SECONDS = 1e-7  # steps with less work are not timed: calling a kernel takes longer


@dataclass(frozen=True)
class StepTime:
    """`seconds` of one run, and a lower bound, `limit`, due to memory or arithmetic.

    `why` is the reason why there is no time.
    """

    seconds: float | None = None
    limit: float | None = None
    bound: str = ""
    why: str | None = None


@dataclass(frozen=True)
class Work:
    """The scalar operations of one run of a step, their data type, and the bytes it moves."""

    flops: int
    moved: int
    dtype: str

    def limit(self, rates: Rates) -> tuple[float, str]:
        """The lower bound in seconds at the rates of the machine, and the resource that binds."""
        arithmetic = self.flops / rates.products[self.dtype]
        memory = self.moved / rates.copying(self.moved)
        return max((memory, "memory"), (arithmetic, "arithmetic"))


class TooLongError(Exception):
    """A loop took too long."""


def rates_in_words() -> str:
    """The rates behind the limits, to be read."""
    rates = machine_rates(int(CONTROL[COUNT]))
    copies = ", ".join(
        f"{rate / 1e9:.3g} GB/s for {size / 1e6:.1f} MB" for size, rate in rates.copies.items()
    )
    products = ", ".join(
        f"{rate / 1e9:.3g} Gflop/s {dtype}" for dtype, rate in rates.products.items()
    )
    return (
        "At best: the bytes at the speed of a copy, or the flops at that of products of matrices,\n"
        "whichever takes longer. What a cache still holds can be faster; sorting is counted as\n"
        "memory alone.\n"
        f"This machine copies {copies},\nand multiplies matrices at {products}."
    )


def step_times(
    program: Program, arrays: list, work: Callable[[Step], Work | None], kernels: set[Step]
) -> dict[Step, StepTime]:
    """The times of the steps of a program for these inputs. `kernels` are the native steps.

    `work(step)` is the work of one run of a step, None where it is unknown.
    """
    known = dict(zip(program.inputs, arrays, strict=True))
    return {step: _time_of(step, known, work, step in kernels) for step in program.steps}


def program_seconds(program: Program, arrays: list) -> float:
    """The time of one run of the whole program."""
    return _seconds(_function(program, True), arrays)


def _time_of(step: Step, known: dict, work: Callable, is_native: bool) -> StepTime:
    if _has_effects(step):
        return StepTime(why="has effects, and is not run again")
    alone = program_of(step)
    if not all(value in known for value in alone.inputs):
        return StepTime(why="needs what was not run")
    inputs = [known[value] for value in alone.inputs]
    counted = _Counted()
    try:
        results = call_in_errstate(emit_numpy(alone, look=counted.look).function, *inputs)
    except TooLongError:
        return StepTime(why=f"takes more than {MOST_SECONDS:g} s on NumPy; try smaller numbers")
    except Exception as error:
        return StepTime(why=f"{type(error).__name__}: {error}")
    known.update(zip(alone.outputs, results, strict=True))
    limit, bound = _limit_of(step, counted.runs, work)
    if limit is not None and limit < SMALL_SECONDS:
        return StepTime(None, limit, bound)
    return StepTime(_seconds(_function(alone, is_native), inputs), limit, bound)


class _Counted:
    """Counts the runs of each node, and ends a loop that takes too long."""

    def __init__(self):
        self.runs: Counter[Node] = Counter()
        self.end = time.perf_counter() + MOST_SECONDS

    def look(self, node: Node) -> Callable:
        def look(start, inputs, outputs):
            self.runs[node] += 1
            if start > self.end:
                raise TooLongError

        return look


def _limit_of(step: Step, runs: Counter, work: Callable) -> tuple[float | None, str]:
    """The sum over the steps inside, and the resource that takes most of it."""
    rates = machine_rates(int(CONTROL[COUNT]))
    total = {"memory": 0.0, "arithmetic": 0.0}
    for leaf in _leaves(step):
        needed = work(leaf)
        if needed is None:
            return None, ""
        seconds, bound = needed.limit(rates)
        total[bound] += seconds * max(runs[node] for node in nodes_of(leaf))
    return sum(total.values()), max(total, key=lambda name: total[name])


def _leaves(step: Step) -> Iterator[Step]:
    """The innermost steps of a step; itself, if it contains none."""
    inner = inner_programs(step)
    if not inner:
        yield step
    for program in inner:
        for one in program.steps:
            yield from _leaves(one)


def _has_effects(step: Step) -> bool:
    nodes = (node for leaf in _leaves(step) for node in nodes_of(leaf))
    return any(node.op.effect_of(node.attrs) != PURE and not node.op.is_check for node in nodes)


def _function(program: Program, is_native: bool) -> Callable:
    """Kernels where there are any, else the NumPy program."""
    if is_native:
        try:
            return compile_program(program).function
        except (ImportError, NotNativeError):
            pass
    return emit_numpy(program).function


def _seconds(function: Callable, arrays: list) -> float:
    def run():
        return call_in_errstate(function, *arrays)

    run()
    once = best_seconds(run, 1)
    return best_seconds(run, max(3, min(1000, int(ENOUGH_SECONDS / once)))) if once < 1 else once
