"""Arrays while a function is traced: a storage, and the steps from it to a view."""

from __future__ import annotations

import functools
import operator
from typing import NamedTuple

import numpy as np

from ...runtime.core.numpy_dtypes import is_integer
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.array.slicing import getitem, set_item
from .dispatch import DISPATCH
from .refusal import FormattedError, RefusedError
from .storage import Storage
from .traced_scalar import TracedScalar, cast, scalar_of

MOST_ROWS = 16  # of an array that Python iterates over


class Item(NamedTuple):
    """The step `x[key]` with a basic key."""

    key: tuple


class Axes(NamedTuple):
    """The step `x.transpose(order)`."""

    order: tuple[int, ...]


class Shape(NamedTuple):
    """The step `x.reshape(shape)`, where it needs no copy."""

    shape: tuple[int, ...]


def layout(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """An array of this shape and contiguous strides, whose elements are never touched."""
    strides, step = [], dtype.itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    empty = np.empty(0 if 0 in shape else 1, dtype)
    return np.lib.stride_tricks.as_strided(empty, shape, strides[::-1])


class TracedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of the graph. It behaves as NumPy's: basic indices are views that share elements."""

    __slots__ = ("__weakref__", "path", "storage", "template")
    __array_priority__ = 100

    def __init__(self, storage: Storage, path: tuple = (), template: np.ndarray | None = None):
        self.storage = storage
        self.path = path
        if template is None:
            template = layout(storage.dtype, storage.shape)
        self.template = template

    # ---- elements ----------------------------------------------------------------------------

    def read(self):
        """The elements as a tensor."""
        tensor = self.storage.read()
        for step in self.path:
            tensor = _forward(tensor, step)
        return tensor

    def write(self, tensor) -> None:
        """Replace all elements by those of a tensor of the same shape and dtype."""
        parents = [self.storage.read()]
        for step in self.path[:-1]:
            parents.append(_forward(parents[-1], step))
        for parent, step in zip(reversed(parents), reversed(self.path), strict=False):
            tensor = _backward(parent, step, tensor)
        self.storage.write(tensor)

    def __getitem__(self, key):
        key = key if type(key) is tuple else (key,)
        if not _is_basic(key):
            return wrap(getitem(self.read(), _tensor_key(key)))
        template = _viewed(self.template, key)
        if template.ndim == 0:
            if _has_ellipsis(key):
                raise RefusedError("a view of rank 0")
            return wrap(getitem(self.read(), _tensor_key(key)))
        return TracedArray(self.storage, (*self.path, Item(key)), template)

    def __setitem__(self, key, value):
        key = key if type(key) is tuple else (key,)
        if isinstance(value, TracedArray) and value.is_view_of(
            self.storage, (*self.path, Item(key))
        ):
            return  # the end of `x[key] += y`, which has changed the view
        old = self.read()
        tensor = elements_of(value, self.dtype)
        if _is_basic(key):
            _viewed(self.template, key)  # raises NumPy's own errors
        self.write(set_item(old, _tensor_key(key), tensor))

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        if len(self) > MOST_ROWS:
            raise RefusedError(f"Python iterates over an array of more than {MOST_ROWS} rows")
        return (self[index] for index in range(len(self)))

    def __contains__(self, item):
        raise RefusedError("`in` with an array")

    def is_view_of(self, storage: Storage, path: tuple) -> bool:
        """Whether this is the view at the end of a path."""
        return self.storage is storage and same_path(self.path, path)

    # ---- views -------------------------------------------------------------------------------

    def reshape(self, *shape, order="C", copy=None):
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if order != "C" or copy:
            raise RefusedError("reshape with order or copy")
        wanted = tuple(map(operator.index, shape))
        template = _reshaped(self.template, wanted)
        if template is None:
            copied = layout(self.dtype, self.shape)
            return fresh(OPS["reshape"](self.read(), list(_reshaped(copied, wanted).shape)))
        return TracedArray(self.storage, (*self.path, Shape(template.shape)), template)

    def ravel(self, order="C"):
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        return self.copy().reshape(-1, order=order)

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        axes = tuple(axes) if axes else tuple(reversed(range(self.ndim)))
        order = np.lib.array_utils.normalize_axis_tuple(axes, self.ndim)
        template = self.template.transpose(order)
        return TracedArray(self.storage, (*self.path, Axes(order)), template)

    def swapaxes(self, first: int, second: int):
        order = list(range(self.ndim))
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    @property
    def T(self):  # noqa: N802 - NumPy's name
        return self.transpose()

    @property
    def flat(self):
        raise RefusedError("ndarray.flat")

    # ---- what is known -----------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.template.shape

    @property
    def dtype(self) -> np.dtype:
        return self.template.dtype

    ndim = property(lambda self: self.template.ndim)
    size = property(lambda self: self.template.size)
    itemsize = property(lambda self: self.template.itemsize)
    nbytes = property(lambda self: self.template.nbytes)

    def __len__(self) -> int:
        return len(self.template)

    # ---- changes -----------------------------------------------------------------------------

    def fill(self, value) -> None:
        self[...] = value

    def sort(self, axis=-1, kind=None, order=None) -> None:
        self[...] = np.sort(self, axis, kind, order)

    # ---- NumPy -------------------------------------------------------------------------------

    def __tf_tensor__(self, dtype=None, name=None):
        tensor = self.read()
        return tensor if dtype is None else OPS["cast"](tensor, dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return DISPATCH.ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function, types, args, kwargs):
        return DISPATCH.function(function, args, kwargs)

    def copy(self, order="C"):
        return fresh(self.read())

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        if order != "K" or casting != "unsafe" or not copy:
            raise RefusedError("astype with options")
        if np.dtype(dtype) == self.dtype:
            return self.copy()
        return fresh(cast(self.read(), np.dtype(dtype)))

    def item(self, *index):
        key = tuple(index[0]) if index and isinstance(index[0], tuple) else index
        if len(key) != self.ndim:
            raise RefusedError("item() with a flat index")
        return self[key].item()

    def __bool__(self):
        if self.size != 1:
            return bool(np.empty(self.shape))  # NumPy's own error
        raise RefusedError("the truth of an array")

    def __array__(self, dtype=None, copy=None):
        raise RefusedError("an array is converted to NumPy's while tracing")

    __hash__ = None

    def __getattr__(self, name: str):
        if name.startswith("__"):  # Python, and the package, ask what an object can do
            raise AttributeError(name)
        function = METHODS.get(name)
        if function is None:
            raise RefusedError(f"ndarray.{name}")
        return functools.partial(function, self)

    def __format__(self, spec):
        raise FormattedError

    __repr__ = __str__ = lambda self: self.__format__("")


METHODS = {
    name: getattr(np, name)
    for name in (
        "all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "dot", "max",
        "mean", "min", "prod", "ptp", "repeat", "round", "searchsorted", "squeeze", "std", "sum",
        "take", "trace", "var",
    )
}  # fmt: skip


def same_path(one: tuple, other: tuple) -> bool:
    return len(one) == len(other) and all(map(_same_step, one, other))


def _same_step(one, other) -> bool:
    if type(one) is not type(other) or len(one[0]) != len(other[0]):
        return False
    return all(
        a is b or (not isinstance(a, TracedScalar) and type(a) is type(b) and a == b)
        for a, b in zip(one[0], other[0], strict=True)
    )


def fresh(tensor) -> TracedArray:
    """A new array with these elements."""
    if tensor.dims is None or None in tensor.dims:
        raise RefusedError("an array whose shape depends on computed values")
    return TracedArray(Storage(tensor))


def wrap(tensor):
    """A result as NumPy gives it: a scalar, or a new array."""
    return TracedScalar(tensor) if tensor.dims == () else fresh(tensor)


def elements_of(value, dtype: np.dtype):
    """A value that is stored in an array, as a tensor of the array's dtype."""
    if isinstance(value, TracedArray):
        tensor = value.read()
    elif isinstance(value, np.ndarray):
        raise RefusedError("an array from outside the function")
    elif isinstance(value, (list, tuple)):
        raise RefusedError("a list is stored in an array")
    else:
        scalar = scalar_of(value)
        if scalar.python is int and is_integer(dtype) and scalar.bound > np.iinfo(dtype).max:
            raise RefusedError("an integer is stored in an array of fewer bits")
        if scalar.python is int and dtype.kind == "u":
            raise RefusedError("an integer is stored in an array of unsigned ones")
        tensor = scalar.tensor
    if tensor.dtype.numpy_dtype.kind == "f" and dtype.kind in "iub":
        raise RefusedError("floats are stored in an array of integers")
    return cast(tensor, dtype)


def _is_basic(key: tuple) -> bool:
    return all(
        item is None or item is Ellipsis or (isinstance(item, (int, np.integer, slice))
        and not isinstance(item, bool)) or (type(item) is TracedScalar and is_integer(item.dtype))
        for item in key
    )  # fmt: skip


def _known(key: tuple, shape: tuple[int, ...]) -> tuple:
    """The key for a template: 0 in place of a computed integer."""
    items: list = []
    for item in key:
        if isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            items.append(slice(*(one if one is None else _static(one) for one in bounds)))
        else:
            items.append(0 if type(item) is TracedScalar else item)
    if any(type(item) is TracedScalar for item in key) and 0 in shape:
        raise RefusedError("a computed index into an empty array")
    return tuple(items)


def _static(bound) -> int:
    return bound.__index__()


def _tensor_key(key: tuple) -> tuple:
    """The key with tensors in place of scalars and arrays of the graph."""
    items: list = []
    for item in key:
        if isinstance(item, (TracedScalar, TracedArray)):
            items.append(item.__tf_tensor__())
        elif isinstance(item, (np.ndarray, list)):
            raise RefusedError("an index array from outside the function")
        else:
            items.append(item)
    return tuple(items)


def _viewed(template: np.ndarray, key: tuple) -> np.ndarray:
    """The view of a template. With an Ellipsis, NumPy makes an array also where it has rank 0."""
    known = _known(key, template.shape)
    return template[known if _has_ellipsis(known) else (*known, Ellipsis)]


def _has_ellipsis(key: tuple) -> bool:
    return any(item is Ellipsis for item in key)


def _reshaped(template: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
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


def _forward(tensor, step):
    if type(step) is Item:
        return getitem(tensor, _tensor_key(step.key))
    if type(step) is Axes:
        return OPS["transpose"](tensor, perm=step.order)
    return OPS["reshape"](tensor, list(step.shape))


def _backward(parent, step, tensor):
    """The parent after the elements of its view were replaced."""
    if type(step) is Item:
        return set_item(parent, _tensor_key(step.key), tensor)
    if type(step) is Axes:
        return OPS["transpose"](tensor, perm=tuple(np.argsort(step.order).tolist()))
    return OPS["reshape"](tensor, list(parent.dims))
