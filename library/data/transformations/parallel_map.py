"""`map` on several threads, if that is faster."""

from __future__ import annotations

import collections
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor

from ..elements.nodes import positive_int
from .elementwise import Map

MEASURED_CALLS = 4  # sequential calls whose time is measured first
MIN_PARALLEL_SECONDS = 0.0002  # seconds of a call, below which a thread does not pay off


class ParallelMap(Map):
    """`function(*element)` for each element, `calls` at a time, in the order of the elements.

    NumPy, native code and blocking calls release the GIL. A function that is too fast to gain from
    threads is called sequentially.
    """

    def __init__(self, source, calls, *captured, function):
        super().__init__(source, *captured, function=function)
        count = int(calls)
        self.calls = (
            os.cpu_count() or 1 if count == -1 else positive_int(count, "num_parallel_calls")
        )

    def elements(self):
        source = self.source.elements()
        spent = 0.0
        for flat in itertools.islice(source, MEASURED_CALLS):
            start = time.perf_counter()
            result = self.call(flat)
            spent += time.perf_counter() - start
            yield result
        if self.calls == 1 or spent < MEASURED_CALLS * MIN_PARALLEL_SECONDS:
            yield from map(self.call, source)
        else:
            yield from self.threaded(source)

    def threaded(self, source):
        pool = ThreadPoolExecutor(self.calls, "allograph-map")
        pending: collections.deque = collections.deque()
        try:
            for flat in source:
                pending.append(pool.submit(self.call, flat))
                if len(pending) >= 2 * self.calls:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
