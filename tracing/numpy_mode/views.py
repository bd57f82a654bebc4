"""The steps from a storage to a view: keys, orders of axes, shapes.

What NumPy would say of a view is found on a template: an array of the same shape and strides, whose
elements are never touched.
"""

from __future__ import annotations

import operator
from types import EllipsisType, NoneType

import numpy as np

from ...autograph.operators.raising import Retrace
from ...runtime.core.classes import NamedTuple
from ...runtime.core.numpy_dtypes import is_integer
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.array.slicing import getitem, set_item
from ...runtime.tensors.apply import BUILDER, constant_of
from ..staged_values.iterables import Walk
from .refusal import KnownArguments, RefusedError, WithoutText, numpy_trace
from .traced_scalar import TracedScalar, as_index, require


class Item(NamedTuple):
    """The step `x[key]` with a basic key."""

    key: tuple


class Axes(NamedTuple):
    """The step `x.transpose(order)`."""

    order: tuple[int, ...]


class Shape(NamedTuple):
    """The step `x.reshape(shape)`, where it needs no copy."""

    shape: tuple[int, ...]


class Part(NamedTuple):
    """The step `x.real` or `x.imag` of complex numbers."""

    name: str


def layout(dtype: np.dtype, shape: tuple[int, ...], strides=None) -> np.ndarray:
    """An array of this shape, whose elements are never touched. It is contiguous by default."""
    if strides is None:
        strides, step = [], dtype.itemsize
        for size in reversed(shape):
            strides.insert(0, step)
            step *= max(size, 1)
    empty = np.empty(0 if 0 in shape else 1, dtype)
    return np.lib.stride_tricks.as_strided(empty, shape, strides)


def same_path(left: tuple, right: tuple) -> bool:
    return len(left) == len(right) and all(map(_same_step, left, right))


def _same_step(left, right) -> bool:
    if type(left) is not type(right) or len(left[0]) != len(right[0]):
        return False
    return all(map(_same_entry, left[0], right[0]))


def _same_entry(a, b) -> bool:
    if a is b or isinstance(a, TracedScalar) or type(a) is not type(b):
        return a is b
    if isinstance(a, slice):
        return all(map(_same_entry, *((s.start, s.stop, s.step) for s in (a, b))))
    return a == b


def is_basic(key: tuple) -> bool:
    return all(map(_is_basic, key))


def _is_basic(item) -> bool:
    if type(item) is TracedScalar:
        return is_integer(item.numpy_dtype)
    is_whole = isinstance(item, (int, np.integer, slice)) and not isinstance(item, bool)
    return item is None or item is Ellipsis or is_whole


def tensor_key(key: tuple) -> tuple:
    """The key with tensors in place of scalars and arrays of the graph."""
    items: list = []
    for item in key:
        if type(item) is TracedScalar:
            items.append(_index(item))
        elif hasattr(item, "__tf_tensor__"):
            items.append(item.__tf_tensor__())
        elif isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            items.append(slice(*(_index(bound) if type(bound) is TracedScalar else bound
                                 for bound in bounds)))  # fmt: skip
        elif isinstance(item, np.ndarray):
            raise RefusedError("an index array from outside the function")
        else:
            items.append(item)
    return tuple(items)


def _index(number: TracedScalar):
    """An index as a tensor, of a data type that graphs have indices of."""
    is_other = is_integer(number.numpy_dtype) and number.numpy_dtype not in (np.int32, np.int64)
    return as_index(number) if is_other or number.others else number.tensor


def viewed(template: np.ndarray, computed: frozenset[int], key: tuple) -> tuple:
    """The view of a template, and the axes whose size the graph computes.

    With an Ellipsis, NumPy makes an array also where it has rank 0.
    """
    if not has_ellipsis(key):
        key = (*key, Ellipsis)
    known: list = []
    axes: list[int | None] = []  # of the template, by axis of the view; None for a new one
    sized: set[int] = set()  # axes of the view
    axis, used = 0, sum(item is not None and item is not Ellipsis for item in key)
    for item in key:
        if item is None:
            axes.append(None)
        elif item is Ellipsis:
            sized.update(len(axes) + at for at in range(template.ndim - used)
                         if axis + at in computed)  # fmt: skip
            axes += range(axis, axis + template.ndim - used)
            axis += template.ndim - used
        else:
            if isinstance(item, slice):
                if _is_computed(item) or (axis in computed and item != slice(None)):
                    sized.add(len(axes))
                    item = slice(0, 1) if axis in computed else _one_of(template, axis, item)
                elif axis in computed:
                    sized.add(len(axes))
                axes.append(axis)
            elif axis in computed or type(item) is TracedScalar:
                if not template.shape[axis : axis + 1]:
                    raise RefusedError("too many indices, or a computed index into nothing")
                if template.shape[axis] == 0:
                    raise RefusedError("a computed index into an empty array")
                item = 0
            axis += 1
        known.append(item)
    return template[tuple(known)], frozenset(sized)


def _is_computed(item: slice) -> bool:
    return any(type(bound) is TracedScalar for bound in (item.start, item.stop, item.step))


def _one_of(template: np.ndarray, axis: int, item: slice) -> slice:
    """A slice of length 1 in the place of one that the graph computes."""
    for bound in (item.start, item.stop, item.step):
        if type(bound) is TracedScalar:
            as_index(bound)  # or it is refused
        if type(bound) is TracedScalar and bound.arguments:
            numpy_trace().deciding.update(bound.arguments)
    if type(item.step) is TracedScalar:
        require(OPS["not_equal"](item.step.tensor, constant_of(item.step.numpy_dtype.type(0))))
    if axis >= template.ndim:
        raise RefusedError("too many indices")
    return slice(0, 1)


def has_ellipsis(key: tuple) -> bool:
    return any(item is Ellipsis for item in key)


def reshaped(template: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """The template with another shape; None where NumPy would copy the elements."""
    try:
        return np.reshape(template, shape, copy=False)
    except ValueError:
        return None
    except TypeError:  # before NumPy 2.1
        view = template.view()
        try:
            view.shape = shape
        except AttributeError:
            return None
        return view


def forward(tensor, step):
    if type(step) is Item:
        return getitem(tensor, tensor_key(step.key))
    if type(step) is Axes:
        return OPS["transpose"](tensor, perm=step.order)
    if type(step) is Part:
        return OPS[step.name](tensor)
    return OPS["reshape"](tensor, list(step.shape))


def backward(parent, step, tensor):
    """The parent after the elements of its view were replaced."""
    if type(step) is Item:
        return set_item(parent, tensor_key(step.key), tensor)
    if type(step) is Part:
        if step.name == "real":
            return OPS["complex"](tensor, OPS["imag"](parent))
        return OPS["complex"](OPS["real"](parent), tensor)
    if type(step) is Axes:
        return OPS["transpose"](tensor, perm=tuple(np.argsort(step.order).tolist()))
    return OPS["reshape"](tensor, list(parent.dims))


class FlatIterator(WithoutText):
    """`ndarray.flat`: the elements of an array, of which `row` is a view of rank 1."""

    _noun = "flat iterator"

    def __init__(self, row):
        self.row = row
        self.walk = Walk(row.__len__, row.__getitem__, np.empty(0).flat)

    def __len__(self) -> int:
        return len(self.row)

    def __iter__(self):
        return iter(elements_of(self))

    def __getitem__(self, key):
        self._check(key)
        return self.row[key].copy() if isinstance(key, slice) else self.row[key]

    def __setitem__(self, key, value):
        self._check(key)
        if hasattr(value, "__len__"):
            raise RefusedError("an array is assigned to items of ndarray.flat")
        self.row[key] = value

    def _check(self, key) -> None:
        if hasattr(key, "__len__"):
            raise RefusedError("ndarray.flat with an array as an index")


def elements_of(flat: FlatIterator):
    """The elements of a flat iterator, which no other statement has taken."""
    flat.walk.taken()
    return flat.row


UNCHECKED = slice, EllipsisType, NoneType  # they fit axes of any size


class IndexedViews:
    """The views at indices that may leave their axis. NumPy checks the index where it makes the
    view, also of one that nothing reads afterwards.
    """

    def __init__(self):
        self.made: dict = {}  # by builder
        self.used: dict[int, object] = {}  # the steps to views that are read or written

    def note(self, view, of) -> None:
        """A new view of a view."""
        numbers = [entry for entry in view.path[-1].key if not isinstance(entry, UNCHECKED)]
        if any(type(number) is TracedScalar for number in numbers) or (numbers and of.computed):
            self.made.setdefault(BUILDER.get(), []).append(view)

    def use(self, path: tuple) -> None:
        self.used.update((id(step), step) for step in path)

    def check(self, builder) -> None:
        """Read those of a block that nothing has read, which checks their indices."""
        for view in self.made.pop(builder, ()):
            if id(view.path[-1]) not in self.used:
                view.read()


def indices(numbers) -> tuple[int, ...]:
    """Integers of Python's: where numbers are arguments, all of them become known at once."""
    if bool in map(type, numbers):
        raise RefusedError("a size or an axis that is True or False")
    asked = [number.arguments or frozenset() for number in numbers if type(number) is TracedScalar]
    if asked and all(asked):
        raise Retrace(KnownArguments(frozenset().union(*asked)))
    return tuple(map(operator.index, numbers))
