"""Tiering: when code that runs on NumPy has cost enough to be worth compiling."""

from __future__ import annotations

import time
from collections.abc import Callable

HOT_SECONDS = 0.02  # time spent in a function after which its native code is worth compiling
HOT_CALLS = 50


class HotCounter:
    """What a function has cost so far; it is hot once, and then counts no more.

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
        """Count a call; whether the function has become hot by it."""
        self.calls += 1
        self.seconds += seconds
        if not self.counting or (self.seconds <= HOT_SECONDS and self.calls <= HOT_CALLS):
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
