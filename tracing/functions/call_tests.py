"""The tests that a call has to pass before it runs a trace, as Python and as a table.

Native code tests what most calls have: a call that fails there is tested by the Python source,
which has the last word. So native tests may be stricter.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...autograph.current_trace import TRACE, UNTRACED
from ...runtime.core.floating_point_state import LATEST_WARNS, STATE, USUAL, only_warns
from ...runtime.executors.bound_calls import CallTable, bound
from ..structures.argument_structures import Structure
from .guards import Guards

COMPARED = (int, bool, str)  # equal values of these types are the same
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400  # flags of arrays
CARRAY = C_CONTIGUOUS | ALIGNED | WRITEABLE
NUMBERS = "?bBhHiIlLqQefdgFDG"  # data types that their number and their byte order tell
NOTHING = np.zeros(1, np.int64)  # the address of no object


class CallTests:
    """Tests of a call. The arguments of the trace are x0, x1, ...: those of the call, or what
    `structures` among these hold, and behind them the arrays that are `held`.
    """

    def __init__(self, count: int, structures: tuple = (), held: tuple = ()):
        self.table = CallTable(len(structures) or count)
        self.scope: dict[str, Any] = {"ndarray": np.ndarray, "overlap": np.may_share_memory}
        self.lines: list[str] = []
        self.unpacking: list[str] = []  # the lines that take structures apart
        self.are_native = True  # whether the table has all of them
        self.places: list[int] = []  # of the arguments of the trace among the values of the table
        given = range(self.table.given)
        self.parameters = [*map(self._take, structures or (None,) * count, given)]
        for array in held:
            self.scope[f"x{len(self.places)}"] = array
            self.table.test("given", *self.table.keep(array))
            self.places += self.table.append(1)

    def name(self, value) -> str:
        """A name for a value in the source."""
        name = f"c{len(self.scope)}"
        self.scope[name] = value
        return name

    def require(self, test: str) -> None:
        self.lines.append(f"if not ({test}): return False")

    def require_native(self, test: str, at: int, *words: int) -> None:
        """A test in the table, of an argument of the trace."""
        self.table.test(test, self.places[at], *words)

    def function(self) -> Callable:
        """A function of the arguments of the call that tells whether they pass."""
        if not self.are_native:
            return self._python()
        return bound(self.table.that_tests(), LazyCall(self._python), self.table)

    def _python(self) -> Callable:
        head = f"def fits({', '.join(self.parameters)}):"
        exec("\n    ".join([head, *self.lines, "return True"]), self.scope)
        return self.scope.pop("fits")

    def _take(self, structure: Structure | None, value: int) -> str:
        """The name of a value, which is an argument of the trace or a structure of such."""
        if structure is None:
            self.places.append(value)
            return f"x{len(self.places) - 1}"
        cls, keys, parts = structure
        own, count = f"p{len(self.scope)}", len(parts)
        test, items = f"len({own}) != {count}", own
        values: Sequence[int] = [value] * count
        self.scope[f"{own}_cls"], self.scope[f"{own}_keys"] = cls, keys
        if cls is np.ndarray:
            test, items = f"{own}.dtype != {own}_keys", f"map({own}.__getitem__, {own}_keys.names)"
        elif keys is not None:
            test, items = f"tuple({own}) != {own}_keys", f"{own}.values()"
        elif cls is list:
            values = self.table.unpack("list", count, value, *self.table.keep(cls))
        else:
            values = self.table.unpack("tuple", count, value, *self.table.keep(cls))
        self.are_native &= keys is None
        self.lines.append(f"if type({own}) is not {own}_cls or {test}: return False")
        at = len(self.lines), len(self.unpacking)
        inner = "".join(f"{self._take(*pair)}, " for pair in zip(parts, values, strict=True))
        if inner:
            self.lines.insert(at[0], f"{inner}= {items}")
            self.unpacking.insert(at[1], f"{inner}= {items}")
        return own

    # ---- the state around the call -----------------------------------------------------------

    def untraced(self) -> None:
        """No trace is being recorded."""
        self.require(f"{self.name(TRACE.get)}() is {self.name(UNTRACED)}")
        self.table.test("context", *self.table.keep(TRACE, UNTRACED), NOTHING.ctypes.data)

    def without_floating_point_errors(self) -> None:
        """NumPy raises no exceptions for infinities and NaN."""
        self.require(f"{self.name(only_warns)}()")
        if STATE is None:
            self.table.test("holds", *self.table.keep(only_warns))
        else:
            self.table.test("context", *self.table.keep(STATE, USUAL), LATEST_WARNS.ctypes.data)

    def unchanged(self, guards: Guards) -> None:
        """The state of Python that the trace depends on is the same."""
        self.require(f"{self.name(guards.unchanged)}()")
        for test, *objects in guards.native_tests():
            self.table.test(test, *self.table.keep(*objects))

    # ---- arguments ---------------------------------------------------------------------------

    def of_class(self, at: int, cls: type) -> None:
        self.require(f"type(x{at}) is {self.name(cls)}")
        self.require_native("class", at, *self.table.keep(cls))

    def bounded(self, at: int, bound: int) -> None:
        """An int of at most this size."""
        self.require(f"type(x{at}) is int and -{bound} <= x{at} <= {bound}")
        self.require_native("int", at, bound)

    def array(self, at: int, example: np.ndarray, is_written: bool) -> None:
        """An array of this data type, shape and layout."""
        dtype, strides = self.name(example.dtype), self.name(example.strides)
        self.require(f"type(x{at}) is ndarray and x{at}.dtype == {dtype}")
        self.require(f"x{at}.shape == {example.shape} and x{at}.dtype.type is {dtype}.type")
        if example.flags.c_contiguous:
            self.require(f"x{at}.flags.{'carray' if is_written else 'c_contiguous'}")
            flags = CARRAY if is_written else C_CONTIGUOUS
        else:
            self.require(f"x{at}.strides == {strides}{f' and x{at}.flags.writeable' * is_written}")
            flags = WRITEABLE * is_written
        self.are_native &= example.dtype.char in NUMBERS
        steps = () if example.flags.c_contiguous else example.strides
        shape = example.ndim, *example.shape, len(steps), *steps
        self.require_native("array", at, *self.table.keep(example.dtype), flags, *shape)

    def apart(self, at: int, array: np.ndarray, other: int, other_array: np.ndarray) -> None:
        """Two arrays share no memory."""
        self.require(
            f"x{at} is not x{other} and x{at}.base is None is x{other}.base or not "
            f"overlap(x{at}, x{other})"
        )
        words = *_extent(array), self.places[other], *_extent(other_array)
        self.require_native("apart", at, *words)

    def constant(self, at: int, value) -> None:
        """A value that equals this one, or a function that computes the same."""
        if type(value) is types.FunctionType:
            self._function(at, value)
        elif callable(value):
            self.require(f"x{at} is {self.name(value)}")
            self.require_native("object", at, *self.table.keep(value))
        else:
            form = "{}" if type(value) in COMPARED else "repr({})"
            known = self.name(value if type(value) in COMPARED else repr(value))
            cls = self.name(type(value))
            self.require(f"type(x{at}) is {cls} and {form.format(f'x{at}')} == {known}")
            self._same_content(self.places[at], value)

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

    def _function(self, at: int, value: types.FunctionType) -> None:
        """Natively, it is the same object, which is as it was."""
        names = ("code", "defaults") if holds_values(value) else ("code", "globals")
        tests = [f"x{at}.__{one}__ is {self.name(getattr(value, f'__{one}__'))}" for one in names]
        if holds_values(value):
            self.require(" and ".join([f"x{at} is {self.name(value)}", *tests]))
        else:
            held = " or ".join(f"x{at}.__{one}__" for one in ("closure", "defaults", "kwdefaults"))
            tests.append(f"not ({held})")
            self.require(" and ".join([f"type(x{at}) is {self.name(type(value))}", *tests]))
        self.require_native("object", at, *self.table.keep(value))
        for one in ("__code__", "__defaults__", "__kwdefaults__"):
            self.table.test("attribute", *self.table.keep(value, one, getattr(value, one)))


def holds_values(value) -> bool:
    """Whether a function has values of its own, so that its code does not tell what it computes."""
    return type(value) is types.FunctionType and bool(value.__closure__ or value.__defaults__)


def _extent(array: np.ndarray) -> tuple[int, int]:
    """The offsets of the first byte of an array like this, and of the byte behind the last one."""
    if not array.size:
        return 0, 0
    steps = [step * (size - 1) for step, size in zip(array.strides, array.shape, strict=True)]
    return sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps) + array.itemsize


class LazyCall:
    """A function that `make` makes in its first call, which is often never."""

    def __init__(self, make: Callable[[], Callable]):
        self.make = make
        self.function: Callable | None = None

    def __call__(self, *args):
        if self.function is None:
            self.function = self.make()
        return self.function(*args)
