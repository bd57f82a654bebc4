"""The tests that a call has to pass before it runs a trace, as a table of a function of C."""

from __future__ import annotations

import operator
import types
from collections.abc import Sequence

import numpy as np

from ...autograph.current_trace import TRACE, UNTRACED
from ...runtime.core.floating_point_state import LATEST_WARNS, STATE, USUAL, only_warns
from ...runtime.executors.bound_calls import CallTable
from ...runtime.jit.backends import PLACED
from ..structures.argument_structures import Structure
from .guards import MISSING, Guards, state_of

COMPARED = (int, bool, str)  # equal values of these types are the same
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # flags of arrays
CARRAY = C_CONTIGUOUS | ALIGNED | WRITEABLE
NUMBERS = "?bBhHiIlLqQefdgFDG"  # data types that their number and their byte order tell


class CallTests:
    """Tests of a call. The arguments of the trace have numbers: those of the call, or what
    `structures` among these hold, and behind them the arrays that are `held`.
    """

    def __init__(
        self, count: int, structures: tuple = (), held: tuple = (), parameters: Sequence = ()
    ):
        self.table = CallTable(len(structures) or count, parameters)
        self.places: list[int] = []  # of the arguments of the trace among the values of the table
        self.unpacking: list[str] = []  # the source that takes structures apart into x0, x1, ...
        received = range(self.table.given)
        self.parameters = [*map(self._take, structures or (None,) * count, received)]
        for array in held:
            self.places.append(self.table.value_of("given", array))

    def require(self, test: str, at: int, *words: int) -> None:
        self.table.test(test, self.places[at], *words)

    def _take(self, structure: Structure | None, value: int) -> str:
        """The name of a value, which is an argument of the trace or a structure of such."""
        if structure is None:
            self.places.append(value)
            return f"x{len(self.places) - 1}"
        own, at = f"p{value}", len(self.unpacking)
        source, values = self._parts(structure, value, own)
        names = map(self._take, structure.parts, values)
        inner = "".join(f"{name}, " for name in names)
        if inner:
            self.unpacking.insert(at, f"{inner}= {source}")
        return own

    def _parts(self, structure: Structure, value: int, own: str) -> tuple[str, Sequence[int]]:
        """The source of the parts of a structure of this name, and their places."""
        cls, keys, parts = structure
        table, count = self.table, len(parts)
        (of_class,) = table.keep(cls)
        if issubclass(cls, np.ndarray):
            table.test("class", value, of_class)
            self._equals(value, operator.attrgetter("dtype"), keys)
            fields = [table.value_of("called", operator.itemgetter(n), value) for n in keys.names]
            return f"map({own}.__getitem__, {own}.dtype.names)", fields
        if keys is not None:
            table.test("sized", value, of_class, count)
            self._same_content(table.value_of("called", tuple, value), keys)
            return f"{own}.values()", [table.value_of("entry", key, value) for key in keys]
        if cls is slice:
            table.test("class", value, of_class)
            names = "start", "stop", "step"
            ends = [table.value_of("called", operator.attrgetter(n), value) for n in names]
            return f"({own}.start, {own}.stop, {own}.step)", ends
        return own, table.unpack("list" if cls is list else "tuple", count, value, of_class)

    def _equals(self, value: int, function, expected) -> None:
        """The result of a function of a value equals this."""
        result = self.table.value_of("called", function, value)
        self.table.test("equal", result, *self.table.keep(type(expected), expected))

    # ---- the state around the call -----------------------------------------------------------

    def untraced(self) -> None:
        """No trace is being recorded, and no device asked for."""
        self.table.test("context", *self.table.keep(TRACE, UNTRACED), 0, 0)
        self.table.test("field", *self.table.keep(PLACED), 0)

    def without_floating_point_errors(self) -> None:
        """NumPy raises no exceptions for infinities and NaN."""
        if STATE is None:
            self.table.test("holds", *self.table.keep(only_warns))
        else:
            known = self.table.keep(STATE, USUAL, only_warns)
            self.table.test("context", *known, LATEST_WARNS.ctypes.data)

    def unchanged(self, guards: Guards) -> None:
        """The state of Python that the trace depends on is the same."""
        for test, *objects in guards.native_tests():
            words = zip(objects, self.table.keep(*objects), strict=True)
            self.table.test(test, *(0 if thing is MISSING else word for thing, word in words))

    # ---- arguments ---------------------------------------------------------------------------

    def of_class(self, at: int, cls: type) -> None:
        self.require("class", at, *self.table.keep(cls))

    def array(self, at: int, example: np.ndarray, is_written: bool) -> None:
        """An array of this data type, shape and layout."""
        if example.flags.c_contiguous:
            flags, steps = CARRAY if is_written else C_CONTIGUOUS, []
        else:
            flags, steps = WRITEABLE * is_written, [*example.strides]
        shape = example.ndim, *example.shape, len(steps), *steps
        self.require("array", at, *self.table.keep(example.dtype), flags, *shape)
        if example.dtype.char not in NUMBERS:
            self._equals(self.places[at], operator.attrgetter("dtype"), example.dtype)

    def apart(self, at: int, array: np.ndarray, other: int, other_array: np.ndarray) -> None:
        """Two arrays share no memory."""
        self.require("apart", at, *_extent(array), self.places[other], *_extent(other_array))

    def constant(self, at: int, value) -> None:
        """A value that equals this one; a function that is as it was."""
        if callable(value):
            self.require("object", at, *self.table.keep(value))
        else:
            self._same_content(self.places[at], value)
        if type(value) is types.FunctionType:
            self.unchanged(Guards(state_of(value)))

    def _same_content(self, place: int, value) -> None:
        """Natively, equal floats are those of the same bits."""
        cls, own = self.table.keep(type(value), value)
        if type(value) in COMPARED:
            self.table.test("equal", place, cls, own)
        elif type(value) in (float, complex):
            words = np.array([value]).view(np.int64).tolist()
            self.table.test("content", place, cls, len(words), *words)
        elif type(value) is tuple:
            items = self.table.unpack("tuple", len(value), place, cls)
            for pair in zip(items, value, strict=True):
                self._same_content(*pair)
        else:
            self.table.test("object", place, own)


def holds_values(value) -> bool:
    """Whether a function has values of its own, so that its code does not tell what it computes."""
    return type(value) is types.FunctionType and bool(
        value.__closure__ or value.__defaults__ or value.__kwdefaults__
    )


def _extent(array: np.ndarray) -> tuple[int, int]:
    """The offsets of the first byte of an array like this, and of the byte behind the last one."""
    if not array.size:
        return 0, 0
    steps = [step * (size - 1) for step, size in zip(array.strides, array.shape, strict=True)]
    return sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps) + array.itemsize
