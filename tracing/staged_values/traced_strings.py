"""Strings that show tensors of a graph being built: `f"{x}"` while `x` has no value yet.

    label = f"x is {x}"
    print(label)                # while tracing: x is Tensor("x:0", shape=(), dtype=float32)
    ag.print(label)             # when the graph runs: x is 3.5
    raise ValueError(label)     # the same

As a string of Python it names the tensors, and as a tensor it shows their values. What depends on
the characters while tracing, such as `len(label)`, is refused.
"""

from __future__ import annotations

from ...autograph.operators.checked_values import Checked, held
from ...runtime.core.deferred_strings import DEFERRED, STRING, Forms, Show, deferred, segments
from ...runtime.core.errors import SymbolicValueError
from ...runtime.ir.op import TABLE
from ...runtime.ops.strings.strings import FormatText
from ...runtime.tensors.apply import BUILDER, apply, convert_to_tensor, is_symbolic_tensor
from ...runtime.tensors.name_scopes import within
from ...runtime.tensors.tensor import Tensor
from ..structures import nest
from .iterables import python_number

PLAIN = (str, int, float, bool, type(None), bytes, complex)
ASK_ITS_CHARACTERS = (
    "__len__", "__getitem__", "__iter__", "__contains__", "__lt__", "__le__", "__gt__", "__ge__",
    "__hash__", "__mod__", *(name for name in dir(str) if not name.startswith("_")),
)  # fmt: skip


class TracedString(str):
    """A string of `parts`: strings, and tensors with the way in which each is formatted."""

    parts: tuple  # of strings and pairs (tensor, Show)

    def __new__(cls, parts):
        result = str.__new__(cls, "".join(map(_named, parts)))
        result.parts = tuple(parts)
        return result

    def __tf_tensor__(self, dtype=None, name=None) -> Tensor:
        forms = Forms([], is_symbolic_tensor)
        form = forms.of(self)
        return python_number(apply(FormatText, tuple(forms.tensors), {"form": form}))  # type: ignore[arg-type]

    def __str__(self) -> str:
        if DEFERRED.get() is None:
            return str.__str__(self)
        strings = (part if isinstance(part, str) else deferred(*part) for part in self.parts)
        return "".join(strings)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return str.__repr__(self) if DEFERRED.get() is None else self.formatted("repr")

    def __format__(self, spec: str) -> str:
        if DEFERRED.get() is None:
            return str.__format__(self, spec)
        return self.formatted("format", spec) if spec else str(self)

    def formatted(self, how: str, spec: str = "") -> str:
        """A reference to the string as it will be formatted."""
        result = deferred(self.__tf_tensor__(), Show(STRING + how, spec))
        assert result is not None  # the caller defers
        return result

    def __add__(self, other):
        if isinstance(other, str):
            return TracedString([*self.parts, *_parts_of(other)])
        return self.__tf_tensor__() + other

    def __radd__(self, other):
        if isinstance(other, str):
            return TracedString([other, *self.parts])
        return other + self.__tf_tensor__()

    def __mul__(self, count):
        return TracedString(self.parts * count)

    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other):
        if not isinstance(other, (str, Tensor)):
            return NotImplemented
        return TABLE["equal"](self.__tf_tensor__(), convert_to_tensor(other))

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented else TABLE["logical_not"](same)

    __hash__ = None  # type: ignore[assignment]  # below

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _refuse(self, *args, **kwargs):
    raise SymbolicValueError(
        f"the characters of {str.__str__(self)!r} are known only when the graph runs",
        "Use the functions of strings, such as ag.strings.upper(label) and "
        "ag.strings.regex_full_match(label, 'x.*'), or `label == 'other'`.",
    )


TracedString.__name__ = "str"  # in Python's errors
for _name in ASK_ITS_CHARACTERS:
    setattr(TracedString, _name, _refuse)


class Shown:
    """An item of an f-string: what is formatted may hold tensors, which are referred to."""

    __slots__ = ("rows", "value")

    def __init__(self, value, rows: list):
        self.value = value
        self.rows = rows

    def _deferred(self, show, *args) -> str:
        with within(DEFERRED, self.rows):
            return show(self.value, *args)

    def __format__(self, spec: str) -> str:
        return self._deferred(format, spec)

    def __str__(self) -> str:
        return self._deferred(str)

    def __repr__(self) -> str:
        return self._deferred(repr)


def shown(value):
    """The stand-in that an f-string shows for a value, for `string_of`."""
    builder = BUILDER.get()
    if builder is None or type(value) in PLAIN or DEFERRED.get() is not None:
        return value
    return Shown(_with_checks(value), builder.strings)


def _with_checks(values):
    """A formatted value with checks that it exists, which `repr()` of its parts lacks."""
    if any(isinstance(leaf, Checked) for leaf in nest.flatten(values)):
        return nest.map_structure(held, values)
    return values


def string_of(string: str) -> str:
    """A string that may have references to tensors of the graph being built."""
    builder = BUILDER.get()
    if builder is None or DEFERRED.get() is not None:
        return string
    parts = segments(string, builder.strings)
    return string if len(parts) == 1 else TracedString(parts)


def formatted(function, *args, **kwargs) -> str:
    """The string `function(*args, **kwargs)`, of tensors."""
    builder = BUILDER.get()
    if builder is None or DEFERRED.get() is not None:
        return function(*args, **kwargs)
    args = _with_checks(args)
    with within(DEFERRED, builder.strings):
        result = function(*args, **kwargs)
    return string_of(result)


def _parts_of(string: str) -> tuple:
    return string.parts if isinstance(string, TracedString) else (string,)


def _named(part) -> str:
    """A part while tracing: a tensor is named."""
    if isinstance(part, str):
        return part
    tensor, show = part
    return repr(tensor) if show == Show("repr") else str(tensor)
