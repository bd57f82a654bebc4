"""Functions of Python that run the code of `jit/entry/bound_call.py`, which shortens calls.

Its library is compiled once, in a thread of its own. The first result of a process does not wait
for it: until then, these functions call what they call where arguments do not fit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ..jit.backends import OWN
from ..jit.cache.compilation import Library, entry_library, when_compiled
from ..jit.loader.symbols import BOUND_CALL, END, OTHERWISE_CALL, PARTS, RESULTS, TESTS

IS_COMPILED = threading.Event()  # whether the library is there


class CallTable:
    """A table for calls with so many arguments, and the objects that it refers to."""

    def __init__(self, given: int):
        self.given = given
        self.values = given
        self.kept: list = []
        self._tests: list[int] = []

    def keep(self, *objects) -> list[int]:
        """The addresses of objects, which the table keeps alive."""
        self.kept += objects
        return list(map(id, objects))

    def test(self, name: str, *words: int) -> None:
        self._tests += [TESTS[name], *words]

    def unpack(self, name: str, count: int, *words: int) -> range:
        """The values that a test appends, which has their number as its last word."""
        self.test(name, *words, count)
        return self.append(count)

    def append(self, count: int) -> range:
        self.values += count
        return range(self.values - count, self.values)

    def that_tests(self) -> np.ndarray:
        """The table of a function that tells whether its arguments pass the tests."""
        return self._table(0, [0])

    def that_runs(
        self, address: int, inputs: Sequence[int], constants: Sequence, new_arrays: Iterable,
        result: Sequence[int] = (RESULTS["whole"],), may_fail: bool = False,
    ) -> np.ndarray:  # fmt: skip
        """The table of a function that runs a kernel on these values, constants and new arrays."""
        words = [address, int(may_fail), len(inputs), *inputs]
        words += [len(constants), *self.keep(*constants)]
        made = list(new_arrays)
        words.append(len(made))
        for rank, maker, sizes in made:
            words += [rank, *self.keep(maker), *sizes]
        return self._table(len(inputs) + len(constants) + len(made), [*words, *result])

    def _table(self, parameters: int, words: list[int]) -> np.ndarray:
        head = [0, self.given, self.values, parameters]
        return np.array([*head, *self._tests, END, *words], np.int64)

    def result(self, name: str, parts: Sequence[list[int]], *words: int) -> list[int]:
        return [RESULTS[name], len(parts), *(word for part in parts for word in part), *words]

    def part(self, name: str, about: int, function: int = 0) -> list[int]:
        return [PARTS[name], about, function]


def bound(words: np.ndarray, otherwise: Callable, table: CallTable) -> Callable:
    """The function that calls by a table, whose words these are, and `otherwise` where that does
    not take the arguments, or there is no LLVM.
    """
    from ..jit.loader import load

    if OWN.missing():
        return otherwise
    if not IS_COMPILED.is_set():
        address = entry_library().address(OTHERWISE_CALL)
        load.define_calls((BOUND_CALL,), lambda _: address)
        when_compiled("calls", _written, _use)
    return load.bound(BOUND_CALL, (words, otherwise, *table.kept))


def _written() -> str:
    from ..jit.entry.bound_call import written  # loads LLVM, which a stored library does without

    return written()


def _use(library: Library) -> None:
    from ..jit.loader import load

    load.define_calls((BOUND_CALL,), library.address)
    IS_COMPILED.set()
