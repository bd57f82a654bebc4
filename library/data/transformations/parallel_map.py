"""`map` on several threads, where that pays."""

from __future__ import annotations

import collections
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor

from ..elements.nodes import positive
from .elementwise import Map

TRIED = 4  # elements made one by one, to see how long one takes
WORTH_A_THREAD = 0.0002  # seconds for one element


class ParallelMap(Map):
    """`function(*element)` for each element, `calls` of them at a time, in the order of elements.

    NumPy, native code and waiting leave the interpreter to other threads. A function so quick that
    handing it to a thread would cost more than it gains is called in this one.
    """

    def __init__(self, source, calls, *captured, function):
        super().__init__(source, *captured, function=function)
        count = int(calls)
        self.calls = os.cpu_count() or 1 if count == -1 else positive(count, "num_parallel_calls")

    def elements(self):
        source = self.source.elements()
        spent = 0.0
        for flat in itertools.islice(source, TRIED):
            start = time.perf_counter()
            made = self.call(flat)
            spent += time.perf_counter() - start
            yield made
        if self.calls == 1 or spent < TRIED * WORTH_A_THREAD:
            yield from map(self.call, source)
        else:
            yield from self.threaded(source)

    def threaded(self, source):
        pool = ThreadPoolExecutor(self.calls, "allograph-map")
        waiting: collections.deque = collections.deque()
        try:
            for flat in source:
                waiting.append(pool.submit(self.call, flat))
                if len(waiting) >= 2 * self.calls:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
