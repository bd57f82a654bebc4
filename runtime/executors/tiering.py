"""Tiering policy: when code that runs on NumPy is compiled, and how much of it.

Every threshold of the executors is here. They were chosen with the benchmark problems on a 2-core
AMD EPYC (Zen 3), where LLVM takes tens of milliseconds for a small kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ..core.classes import NamedTuple


class FunctionPolicy(NamedTuple):
    """When a function, or one specialization of it, is compiled.

    It is hot after more than `hot_seconds` on NumPy, or more than `hot_calls` calls: by then NumPy
    has cost about as much as compiling will. A function whose first call is estimated to take more
    than `slow_seconds` is compiled before that call.
    """

    hot_seconds: float
    hot_calls: int
    slow_seconds: float


class LoopPolicy(NamedTuple):
    """When a loop is compiled while it runs.

    The loop has run for `hot_seconds`, and the remaining iterations are estimated to take longer
    on NumPy than compiling them: `compile_seconds`, and `compile_seconds_each` for each operation
    of the body. Where nothing tells the number of iterations, it has run for `unknown_seconds`.

    The clock is read about every `check_seconds`, and after `most_iterations` at the latest.

    Then the NumPy program waits for native code: most of compiling is Python code, which runs twice
    as long beside a thread that wants the GIL too. It waits no longer than the remaining iterations
    would take, or until the process has used `longest_wait` times the estimate for compiling: the
    first compilation of a process, which loads LLVM, takes several times the estimate. If that was
    too short, it goes on, and leaves the compiler `largest_share` times the time that it takes
    itself. Times of compiling are CPU time, or that share of what has passed.
    """

    hot_seconds: float
    unknown_seconds: float
    compile_seconds: float
    compile_seconds_each: float
    check_seconds: float
    most_iterations: int
    longest_wait: float
    largest_share: float
    most_shapes: int  # that are compiled of one loop: others stay on NumPy


class ShapePolicy(NamedTuple):
    """How many specializations a function with unknown dimensions has.

    `kept` at a time, `compiled` in all: a function called with ever new sizes stays on NumPy. An
    integer input of more than `largest_value` elements is data, and not a size.
    """

    kept: int
    compiled: int
    largest_value: int


FUNCTIONS = FunctionPolicy(hot_seconds=0.02, hot_calls=50, slow_seconds=0.15)
LOOPS = LoopPolicy(
    hot_seconds=0.01,
    unknown_seconds=0.02,
    compile_seconds=0.05,
    compile_seconds_each=0.005,
    check_seconds=0.001,
    most_iterations=1024,
    longest_wait=4.0,
    largest_share=8.0,
    most_shapes=16,
)
SHAPES = ShapePolicy(kept=16, compiled=64, largest_value=8)


class HotCounter:
    """The cost of a function so far. It becomes hot once, and then counts no more.

    >>> counter = HotCounter()
    >>> counter.add(0.5), counter.add(0.5)
    (True, False)
    """

    __slots__ = ("calls", "counting", "seconds")

    def __init__(self, counting: bool = True):
        self.counting = counting
        self.calls = 0
        self.seconds = 0.0

    def add(self, seconds: float) -> bool:
        """Count a call. True when this call has made the function hot."""
        self.calls += 1
        self.seconds += seconds
        is_cold = self.seconds <= FUNCTIONS.hot_seconds and self.calls <= FUNCTIONS.hot_calls
        if not self.counting or is_cold:
            return False
        self.counting = False
        return True

    def run(self, function: Callable, arrays, when_hot: Callable[[], None]):
        """Call `function` and count the call; `when_hot` is called when that makes it hot."""
        start = time.perf_counter()
        result = function(*arrays)
        if self.add(time.perf_counter() - start):
            when_hot()
        return result
