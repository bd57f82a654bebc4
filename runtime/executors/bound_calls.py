"""Functions of Python that run the code of `jit/entry/bound_call.py`, which shortens calls.

Its library is compiled once, in a thread of its own. The first result of a process does not wait
for it: until then, these functions call what they call where arguments do not fit.
"""

from __future__ import annotations

import inspect
import itertools
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..jit.backends import OWN
from ..jit.cache.compilation import Library, entry_library, when_compiled
from ..jit.loader.symbols import BOUND_CALL, END, OTHERWISE_CALL, PARTS, RESULTS, TESTS

IS_COMPILED = threading.Event()  # whether the library is there

# Behind those of a test: no dictionary has the version -1, and those of later Pythons have none.
MORE_WORDS = {"item": (-1, 0 if sys.version_info < (3, 13) else -1)}


class CallTable:
    """A table for calls with so many arguments, and the objects that it refers to. With
    `parameters`, arguments may have names, or be left out.
    """

    def __init__(self, received: int, parameters: Sequence[inspect.Parameter] = ()):
        self.given = received
        self.values = received
        self.kept: list = []
        named = [p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY]
        self._positional = received - sum(p.kind is p.KEYWORD_ONLY for p in parameters)
        self._names = [0] * (received - len(named)) + self.keep(*map(sys.intern, named))
        self._defaults = [
            0 if p.default is p.empty else self.keep(p.default)[0] for p in parameters
        ] or [0] * received
        self._tests: list[int] = []

    def keep(self, *objects) -> list[int]:
        """The addresses of objects, which the table keeps alive."""
        self.kept += objects
        return list(map(id, objects))

    def test(self, name: str, *words: int) -> None:
        self._tests += [TESTS[name], *words, *MORE_WORDS.get(name, ())]

    def unpack(self, name: str, count: int, *words: int) -> range:
        """The values that a test appends, which has their number as its last word."""
        self.test(name, *words, count)
        return self.append(count)

    def value_of(self, name: str, about, *place: int) -> int:
        """The place of a value that a test appends: `about` is the value that all calls have, a
        function that is called with the value at a place, or the key in a dictionary at a place.
        """
        self.test(name, *place, *self.keep(about))
        return self.append(1)[0]

    def append(self, count: int) -> range:
        self.values += count
        return range(self.values - count, self.values)

    def that_calls(self, function: Callable, missed: object) -> np.ndarray:
        """The table of a function that calls another one with arguments that pass the tests. This
        returns `missed` where it does not take them.
        """
        return self._table(0, [0, *self.keep(function, missed)])

    def that_runs(
        self, address: int, inputs: Sequence[int], constants: Sequence, new_arrays: Iterable,
        result: Sequence[int] = (RESULTS["whole"],), may_fail: bool = False,
        restored: Mapping[int, int] = MappingProxyType({}),
    ) -> np.ndarray:  # fmt: skip
        """The table of a function that runs a kernel on these values, constants and new arrays.
        Arrays that are `restored`, by their values, have so many bytes.
        """
        words = [address, int(may_fail), len(inputs), *inputs]
        words += [len(constants), *self.keep(*constants)]
        arrays = list(new_arrays)
        words.append(len(arrays))
        for rank, maker, sizes in arrays:
            words += [rank, *self.keep(maker), *sizes]
        sizes = itertools.chain(*restored.items())
        words += [len(restored), sum(restored.values()), *sizes]
        return self._table(len(inputs) + len(constants) + len(arrays), [*words, *result])

    def _table(self, parameters: int, words: list[int]) -> np.ndarray:
        head = [0, self.given, self.values, parameters, self._positional]
        head += [*self._names, *self._defaults]
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


def number_of_results(function: Callable) -> int:
    """How many calls of the kernel of a table had results; none of `otherwise` alone."""
    words, *_ = getattr(function, "__self__", ((0,),))
    return int(words[0])


def with_otherwise(function: Callable, otherwise: Callable) -> Callable:
    """The function of a table, with another one that is called where it does not take arguments."""
    from ..jit.loader import load

    words, _, *kept = function.__self__  # type: ignore[attr-defined]
    return load.bound(BOUND_CALL, (words, otherwise, *kept))


def _written() -> str:
    from ..jit.entry.bound_call import written  # loads LLVM, which a stored library does without

    return written()


def _use(library: Library) -> None:
    from ..jit.loader import load

    load.define_calls((BOUND_CALL,), library.address)
    IS_COMPILED.set()
