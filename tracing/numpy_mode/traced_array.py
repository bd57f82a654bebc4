"""Arrays while a function is traced: a storage, and the steps from it to a view."""

from __future__ import annotations

import functools
import itertools
import math
import operator

import numpy as np

from ...python_library.numpy_functions import raised
from ...runtime.core.dtypes import int64
from ...runtime.core.numpy_dtypes import is_complex
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.registry import METHODS, SharedArray
from ...runtime.ops.array.masking import where
from ...runtime.ops.array.slicing import getitem, set_item
from .refusal import RefusedError, numpy_trace
from .storage import SelectedStorage, Storage, stored
from .traced_scalar import (
    DISPATCH,
    NATIVE,
    PYTHON_DTYPES,
    NumPyOperand,
    TracedScalar,
    cast,
    is_mixed,
    require,
)
from .views import (
    Axes,
    FlatIterator,
    Item,
    Part,
    Shape,
    backward,
    forward,
    has_ellipsis,
    indices,
    is_basic,
    layout,
    reshaped,
    same_path,
    tensor_key,
    viewed,
)

MOST_ELEMENTS = 2**48  # of any array
MOST_ROWS = 16  # of an array that Python iterates over


class _Flags:
    def __getitem__(self, name: str):
        raise RefusedError(f"the flag {name} of an array")

    __getattr__ = __getitem__


class TracedArray(np.lib.mixins.NDArrayOperatorsMixin, SharedArray, NumPyOperand):
    """An array of the graph. It behaves as NumPy's: basic indices are views that share elements.

    template   an array of the same dtype, shape and strides, with size 1 along the axes `computed`
    computed   the axes whose size the graph computes
    """

    __slots__ = ("__weakref__", "computed", "path", "storage", "template")
    _noun = "array"
    is_graph_value = True  # for debuggers and watchers of objects

    def __init__(self, storage: Storage, path: tuple = (), template: np.ndarray | None = None,
                 computed: frozenset[int] = frozenset()):  # fmt: skip
        self.storage = storage
        self.path = path
        if template is None:
            computed = frozenset(at for at, size in enumerate(storage.shape) if size is None)
            template = layout(storage.dtype, tuple(1 if size is None else size
                                                   for size in storage.shape))  # fmt: skip
        self.template = template
        self.computed = computed

    # ---- elements ----------------------------------------------------------------------------

    def read(self):
        """The elements as a tensor."""
        numpy_trace().indexed.use(self.path)
        if type(self.storage) is SelectedStorage:
            return self.storage.chosen([view.read() for view in self._alternatives()])
        tensor = self.storage.read()
        for step in self.path:
            tensor = forward(tensor, step)
        return tensor

    def write(self, tensor) -> None:
        """Replace all elements by those of a tensor of the same shape and dtype."""
        numpy_trace().indexed.use(self.path)
        self._require_writeable()
        if type(self.storage) is SelectedStorage:
            for position, view in enumerate(self._alternatives()):
                view.write(where(self.storage.is_at(position), tensor, view.read()))
            return
        parents = [self.storage.read()]
        for step in self.path[:-1]:
            parents.append(forward(parents[-1], step))
        for parent, step in zip(reversed(parents), reversed(self.path), strict=False):
            tensor = backward(parent, step, tensor)
        self.storage.write(tensor)

    def _require_writeable(self) -> None:
        if not self.template.flags.writeable:
            raise RefusedError("a read-only array changes")

    @property
    def may_be_one_of(self) -> bool:
        """Whether a name may stand for this array or others: it is whole, and no other name's."""
        parts = self.storage.parts
        is_plain = not any(part.choice or part.exchanged or part.copy_of for part in parts)
        return is_plain and not self.path and self.template.flags.c_contiguous

    def _alternatives(self) -> list[TracedArray]:
        """The views that this one, of a reference, may be."""
        return [TracedArray(storage, self.path, self.template, self.computed)
                for storage in self.storage.storages]  # fmt: skip

    def __getitem__(self, key):
        key = _without_lists(key if type(key) is tuple else (key,))
        if not is_basic(key):
            return wrap(getitem(self.read(), tensor_key(key)))
        template, computed = viewed(self.template, self.computed, key)
        if template.ndim == 0 and not has_ellipsis(key):
            return wrap(getitem(self.read(), tensor_key(key)))
        view = TracedArray(self.storage, (*self.path, Item(key)), template, computed)
        numpy_trace().indexed.note(view, self)
        return view

    def __setitem__(self, key, value):
        key = _without_lists(key if type(key) is tuple else (key,))
        if isinstance(value, TracedArray) and value.is_view_of(
            self.storage, (*self.path, Item(key))
        ):
            return  # the end of `x[key] += y`, which has changed the view
        if self._has(value) and not is_basic(key) and any(map(_is_mask, key)):
            raise RefusedError("elements under a mask are replaced by others of the same array")
        self._require_writeable()
        tensor = elements_of(value, self.dtype)
        for storage in self.storage.parts:
            storage.foresee_write()
        part = viewed(self.template, self.computed, key)[0] if is_basic(key) else None
        if part is not None and part.shape == () != tensor.dims and not has_ellipsis(key):
            raise RefusedError("an element is set to an array")  # an error since NumPy 2.4
        if type(self.storage) is SelectedStorage and is_basic(key):
            for position, view in enumerate(self._alternatives()):
                is_here = self.storage.is_at(position)
                view[key] = wrap(where(is_here, tensor, view[key].__tf_tensor__()))
            return
        if len(key) == 1 and key[0] is Ellipsis and self.path and tensor.dims == self.dims:
            self.write(tensor)
            return
        self.write(set_item(self.read(), tensor_key(key), tensor))

    def _has(self, value) -> bool:
        """Whether a value is another view of these elements, which NumPy reads while it writes."""
        return isinstance(value, TracedArray) and value.storage is self.storage

    @property
    def dims(self) -> tuple[int | None, ...]:
        """The sizes as tensors have them: None where the graph computes one."""
        sizes = enumerate(self.template.shape)
        return tuple(None if axis in self.computed else size for axis, size in sizes)

    def __iter__(self):
        if not self.template.shape:
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
        if not shape:
            raise TypeError("reshape() takes exactly 1 argument (0 given)")
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if order != "C" or copy:
            raise RefusedError("reshape with order or copy")
        if self.computed:
            return self._reshaped(shape)
        if numpy_trace().has_orders and self.storage.argument is None and self.ndim > 1:
            known = np.reshape(layout(self.dtype, self.shape), indices(shape))
            return self._flattened(*known.shape)  # a view or a copy, by its order
        return self.view_in_shape(shape)

    def view_in_shape(self, shape):
        """`reshape` of an array in the order of C, or of one whose order does not matter."""
        wanted = indices(shape)
        template = reshaped(self.template, wanted)
        if template is None:
            copied = np.reshape(layout(self.dtype, self.shape), wanted)  # NumPy's own error
            return fresh(OPS["reshape"](self.read(), list(copied.shape)))
        return TracedArray(self.storage, (*self.path, Shape(template.shape)), template)

    def _reshaped(self, shape: tuple):
        """The same as `reshape`, of an array whose size the graph computes."""
        if shape == (-1,) and self.ndim == 1:
            return self
        if self.ndim == 1 and shape in ((-1, 1), (1, -1)):
            return self[:, None] if shape[1] == 1 else self[None, :]
        if shape.count(-1) == 1 and all(type(size) is int for size in shape):
            return self._flattened(*shape)
        if any(type(size) is not int or size < 0 for size in shape):
            raise RefusedError("another shape of an array whose size is computed")
        return self._of_known_shape(shape)

    def _of_known_shape(self, shape: tuple[int, ...]):
        """The elements in a shape that has as many as there turn out to be."""
        count, row = math.prod(shape), self._flattened()
        length = row.shape[0]
        require((length == count).tensor)
        room = OPS["fill"]([count], stored(0, self.dtype))
        tensor = set_item(room, (slice(None, length.tensor),), row.read())
        return TracedArray(Storage(OPS["reshape"](tensor, list(shape)),
                                   copy_of=self.storage.roots()))  # fmt: skip

    def _flattened(self, *shape: int):
        """The elements in one row, or in a shape. They may be those of this array: neither may
        change.
        """
        tensor = OPS["reshape"](self.read(), list(shape or (-1,)))
        return TracedArray(Storage(tensor, copy_of=self.storage.roots()))

    def ravel(self, order="C"):
        if self.computed and order == "C":
            return self if self._is_row else self._flattened()
        if not self.template.flags.c_contiguous:  # also where a view were possible, NumPy copies
            return self.copy().reshape(-1, order=order)
        return self.reshape(-1, order=order)

    @property
    def _is_row(self) -> bool:
        """Whether this has one axis, along which elements follow each other in memory."""
        keys = [step.key if type(step) is Item else () for step in self.path]
        slices = all(len(key) == 1 and type(key[0]) is slice for key in keys)
        return self.ndim == 1 and slices and all(key[0].step in (None, 1) for key in keys)

    def flatten(self, order="C"):
        return self.copy().reshape(-1, order=order)

    def transpose(self, *axes):
        template = self.template.transpose(*axes)  # raises NumPy's own errors
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        axes = tuple(axes) if axes else tuple(reversed(range(self.ndim)))
        order = np.lib.array_utils.normalize_axis_tuple(axes, self.ndim)
        computed = frozenset(at for at, axis in enumerate(order) if axis in self.computed)
        return TracedArray(self.storage, (*self.path, Axes(order)), template, computed)

    def swapaxes(self, first: int, second: int):
        order = list(range(self.ndim))
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    @property
    def T(self):  # noqa: N802 - NumPy's name
        return self.transpose()

    @T.setter
    def T(self, value):  # noqa: N802 - NumPy's name
        if not (isinstance(value, TracedArray)
                and value.is_view_of(self.storage, self.T.path)):  # fmt: skip
            raise AttributeError("attribute 'T' of 'numpy.ndarray' objects is not writable")
        # the end of `x.T[key] = y`, which has changed the view

    @property
    def real(self):
        return self._part("real") if is_complex(self.dtype) else self

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        return self._part("imag") if is_complex(self.dtype) else self._zeros()

    @imag.setter
    def imag(self, value):
        self.imag[...] = value

    def _zeros(self):
        """Zeros, which cannot change."""
        if self.computed:
            raise RefusedError("imaginary components of real numbers of a computed count")
        array = fresh(OPS["fill"](list(self.shape), stored(0, self.dtype)))
        array.template.flags.writeable = False
        return array

    def _part(self, name: str):
        template = getattr(self.template, name)
        return TracedArray(self.storage, (*self.path, Part(name)), template, self.computed)

    @property
    def flat(self):
        if self.computed or not self.template.flags.c_contiguous:
            raise RefusedError("ndarray.flat of elements that are not in one row")
        return FlatIterator(self.reshape(-1))

    @flat.setter
    def flat(self, value):
        if type(value) is not FlatIterator or value.row.storage is not self.storage:
            raise RefusedError("ndarray.flat is assigned")
        # the end of `x.flat[index] = y`, which has changed the element

    # ---- what is known -----------------------------------------------------------------------

    @property
    def shape(self) -> tuple:
        if not self.computed:
            return self.template.shape
        sizes: list = list(self.template.shape)
        vector = OPS["shape"](self.read(), dtype=int64)
        for axis in self.computed:
            sizes[axis] = TracedScalar(getitem(vector, axis), int, MOST_ELEMENTS)
        return tuple(sizes)

    @property
    def dtype(self) -> np.dtype:
        return self.template.dtype

    ndim = property(lambda self: self.template.ndim)
    size = property(lambda self: functools.reduce(operator.mul, self.shape, 1))
    itemsize = property(lambda self: self.template.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)

    def __len__(self) -> int:
        if 0 in self.computed:
            return self.shape[0].__index__()
        return len(self.template)

    @property
    def flags(self) -> _Flags:
        return _Flags()

    # ---- changes -----------------------------------------------------------------------------

    def fill(self, value, /) -> None:
        if hasattr(value, "__len__") and getattr(value, "ndim", 1):
            raise RefusedError("fill with several elements")
        self[...] = value

    def sort(self, axis=-1, kind=None, order=None) -> None:
        self[...] = np.sort(self, operator.index(axis), kind, order)

    # ---- NumPy -------------------------------------------------------------------------------

    def __tf_tensor__(self, dtype=None, name=None):
        tensor = self.read()
        return tensor if dtype is None else OPS["cast"](tensor, dtype=dtype)

    def copy(self, order="C"):
        if order not in ("C", "A", "K"):
            raise RefusedError("copy in an order")
        return fresh(self.read())

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        if order != "K" or casting != "unsafe" or subok is not True or copy is not True:
            raise RefusedError("astype with options")
        if np.dtype(dtype) not in NATIVE:
            raise RefusedError(f"an array of {np.dtype(dtype)}")
        if np.dtype(dtype) is self.dtype:
            return self.copy()
        return fresh(cast(self.read(), np.dtype(dtype)))

    def conj(self):
        return np.conjugate(self) if is_complex(self.dtype) else self

    conjugate = conj

    def __pow__(self, other):
        is_known = type(other) is not TracedScalar
        return raised(self, other, type(other) if is_known else other.python or other.dtype.type)

    def __ipow__(self, other):
        return np.positive(self**other, out=self)

    def __imatmul__(self, other):
        if min(self.ndim, np.ndim(other)) < 2:  # NumPy 2 refuses rank 1
            raise RefusedError("`@=` of an array of rank 1")
        return super().__imatmul__(other)

    def item(self, *index):
        key = tuple(index[0]) if index and isinstance(index[0], tuple) else index
        if len(key) != self.ndim:
            raise RefusedError("item() with a flat index")
        return self[key].item()

    def __bool__(self):
        if self.size != 1:
            return bool(np.empty(self.shape))  # NumPy's own error
        raise RefusedError("the truth of an array")

    __hash__ = None

    def _missing(self, name: str):
        function = METHODS.get(name)
        if function is None:
            raise RefusedError(f"ndarray.{name}")
        if name in ("all", "any"):  # methods, which take a data type by position after the axis
            return lambda axis=None, **options: function(self, axis, **options)
        return functools.partial(function, self)


def _is_mask(entry) -> bool:
    return isinstance(entry, TracedArray) and entry.dtype.kind == "b"


def fresh(tensor) -> TracedArray:
    """A new array with these elements."""
    if tensor.dims is None:
        raise RefusedError("an array whose shape depends on computed values")
    return TracedArray(Storage(tensor))


def wrap(tensor):
    """A result as NumPy gives it: a scalar, or a new array."""
    return TracedScalar(tensor) if tensor.dims == () else fresh(tensor)


def elements_of(value, dtype: np.dtype):
    """A value that is stored in an array, as a tensor of the array's dtype."""
    if hasattr(type(value), "to_array"):
        value = value.to_array()
    if isinstance(value, TracedArray):
        tensor = value.read()
    elif isinstance(value, np.ndarray):
        raise RefusedError("an array from outside the function")
    elif isinstance(value, (list, tuple)):
        tensor = stacked(value, dtype)
    else:
        return stored(value, dtype)
    return cast(tensor, dtype)


def stacked(source, dtype=None):
    """A nested list of numbers and arrays as a tensor; NumPy finds the dtype if none is given."""
    source = [row.to_array() if hasattr(type(row), "to_array") else row for row in source]
    dtypes = {np.dtype(dtype)} if dtype else _dtypes_of(source)
    if len(dtypes) > 1:
        source = _of_usual_types(source)
        dtypes = _dtypes_of(source)
    dtype = dtypes.pop()
    parts = [
        stacked(row, dtype) if isinstance(row, (list, tuple)) else elements_of(row, dtype)
        for row in source
    ]
    if not parts or dtype not in NATIVE or any(part.dims != parts[0].dims for part in parts):
        raise RefusedError("np.array of computed values of different shapes, or of no numbers")
    return OPS["stack"](*parts, axis=0)


def _without_lists(key: tuple) -> tuple:
    """The key with arrays in place of lists of indices."""
    return tuple(fresh(stacked(part)) if isinstance(part, list) and part else part for part in key)


def _of_usual_types(source):
    """A nested list with numbers that are real, or of their own types; Python computes others."""
    if isinstance(source, (list, tuple)):
        return list(map(_of_usual_types, source))
    while is_mixed(source):
        holds, is_other = source.others[0].holds, is_complex(source.numpy_dtype)
        require(holds if is_other else OPS["logical_not"](holds))
        source = DISPATCH.of_type(source, is_other)
    return source


def _dtypes_of(source) -> set[np.dtype]:
    """The data types that `np.array(source)` has, by the types that its numbers have."""
    if type(source) is TracedScalar:
        return {PYTHON_DTYPES.get(type_) or np.dtype(type_) for type_ in source.types}
    if not isinstance(source, (list, tuple)):
        return {source.dtype if isinstance(source, TracedArray) else np.array(source).dtype}
    dtypes: set[np.dtype] = set()
    for own in map(_dtypes_of, source):
        dtypes = {np.promote_types(*pair) for pair in itertools.product(dtypes or own, own)}
    return dtypes or {np.dtype(float)}
