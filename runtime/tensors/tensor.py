"""Tensors: eager ones hold a NumPy array, symbolic ones stand for a value of an open graph."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.deferred_strings import DEFERRED, NUMBER, STRING, Show, deferred
from ..core.dtypes import FROM_NUMPY, DType
from ..core.errors import NoArrayError, OutOfScopeError, SymbolicValueError
from ..core.public_names import expose
from ..core.shapes import Shape, TensorShape, show
from ..core.tracebacks import boundary, hide_internal_frames
from ..core.user_source import package_name
from ..ir.graph import Entry, Value
from ..ir.rich_display import RichDisplay
from .late_binding import late
from .missing_members import NAMES, MissingMember

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .graph_builder import Builder


CPU = "/job:localhost/replica:0/task:0/device:CPU:0"  # where every value is


class Operators:
    """Python's operators; each operation attaches its own (see `attach_operator`)."""

    __slots__ = ()
    # `==` compares elements, so a tensor is no dictionary key.
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 100

    if TYPE_CHECKING:  # methods that operations attach, and tests that every tensor has

        def _unary(self) -> Tensor: ...
        def _binary(self, other: Any, /) -> Tensor: ...
        def __eq__(self, other: Any, /) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: Any, /) -> Tensor: ...  # type: ignore[override]

        __neg__ = __pos__ = __invert__ = __abs__ = _unary
        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = _binary
        __rpow__ = __matmul__ = __rmatmul__ = __and__ = __or__ = __xor__ = _binary
        __rand__ = __ror__ = __rxor__ = __lshift__ = __rshift__ = _binary
        __rlshift__ = __rrshift__ = _binary
        __lt__ = __le__ = __gt__ = __ge__ = _binary
        __getitem__ = _binary

        def __iter__(self) -> Iterator[Tensor]: ...
        def __len__(self) -> int: ...
        def __bool__(self) -> bool: ...
        def __int__(self) -> int: ...
        def __index__(self) -> int: ...
        def __float__(self) -> float: ...
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray: ...
        def numpy(self) -> Any: ...

        dtype: DType
        dims: Shape

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __round__(self, digits: int | None = None):
        return late.round_(self, digits or 0)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """NumPy's ufuncs on tensors are operations: `np.sin(x)` is `ag.sin(x)`."""
        try:
            return late.apply_ufunc(ufunc, method, inputs, options)
        except Exception as error:
            hide_internal_frames(error)
            raise

    def __array_function__(self, function, types, args, kwargs):
        """NumPy's functions trace; on tensors with values they are NumPy's own."""
        try:
            return late.apply_function(function, types, args, kwargs)
        except Exception as error:
            hide_internal_frames(error)
            raise


for _name in NAMES:
    setattr(Operators, _name, MissingMember(_name))


class Tensor(Operators, RichDisplay):
    """A multi-dimensional array of one data type, which does not change.

    Made by `ag.constant`, by operations, and, while a function is traced, standing for values that
    the graph will compute.

    >>> x = ag.constant([[1, 2], [3, 4]])
    >>> x
    <ag.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 2],
           [3, 4]], dtype=int32)>
    >>> (x + 1).numpy().tolist(), x.shape, x.dtype
    ([[2, 3], [4, 5]], TensorShape([2, 2]), ag.int32)
    """

    __slots__ = ("__weakref__", "_part")  # which part of which variable it was read from

    if TYPE_CHECKING:  # eager tensors have these
        device: str

        def item(self) -> Any: ...

    @property
    def shape(self) -> TensorShape:
        return TensorShape(self.dims)

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def ndim(self) -> int | None:
        return None if self.dims is None else len(self.dims)

    def ref(self) -> TensorReference:
        """A hashable stand-in for this very tensor; `.deref()` gives it back."""
        return TensorReference(self)

    @boundary
    def __delitem__(self, key):
        raise TypeError(
            "a tensor does not change, so it does not support item deletion. "
            f"{package_name()}.concat([x[:i], x[i + 1 :]], 0) is a tensor without the item i"
        )

    def __with_item__(self, key, value) -> Tensor:
        """What replaces the tensor in converted code where an item is assigned."""
        return late.set_item(self, key, value)

    @property
    @boundary
    def assign(self) -> Any:
        """`v[key].assign(value)` changes a variable at `key`; other tensors have no such method."""
        part = getattr(self, "_part", None)
        if part is None:
            return vars(Operators)["assign"].__get__(self, type(self))
        return part.assign

    def set_shape(self, shape) -> None:
        raise NotImplementedError

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class TensorReference:
    """A dictionary key for a tensor or variable, by identity."""

    __slots__ = ("_thing",)

    def __init__(self, thing):
        self._thing = thing

    def deref(self):
        return self._thing

    def __eq__(self, other):
        return isinstance(other, TensorReference) and self._thing is other._thing

    def __hash__(self):
        return id(self._thing)

    def __repr__(self):
        return f"<Reference wrapping {self._thing!r}>"


class EagerTensor(Tensor):
    """A tensor with a value: `numpy()` gives it."""

    __slots__ = ("array", "weak")  # weak: set where the type adopts others, see BEHAVIOR.note

    def __init__(self, array):
        self.array = array

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return FROM_NUMPY[self.array.dtype]

    @property
    def dims(self) -> Shape:  # type: ignore[override]
        return self.array.shape

    @property
    def device(self) -> str:  # type: ignore[override]
        return CPU

    def numpy(self):
        """A copy of the value: a NumPy array, a NumPy scalar for rank 0, `bytes` for a string."""
        array = self.array
        return np.array(array) if array.ndim else array[()]

    def __array__(self, dtype=None, copy=None):
        array = np.asarray(self.array)
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"{array.dtype} does not become {np.dtype(dtype)} without a copy")
            return array.astype(dtype)
        if copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def item(self):
        return self.array.item()

    def __dlpack__(self, **options):
        return _capsule_of(np.asarray(self.array), **options)

    def __dlpack_device__(self):
        return np.asarray(self.array).__dlpack_device__()

    @boundary
    def __hash__(self):
        raise TypeError(
            "unhashable type: a tensor is no dictionary key, since `==` compares elements. "
            "Use t.ref(), or int(t) for a number"
        )

    @boundary
    def __setitem__(self, key, value):
        raise TypeError(
            "a tensor does not change, so it does not support item assignment. Decorate the "
            f"function with {package_name()}.function, where x[i] = v makes a new tensor, or use "
            f"{package_name()}.tensor_scatter_nd_update or a Variable"
        )

    def __bool__(self):
        return bool(self.array)

    def __int__(self):
        return int(self.array)

    def __float__(self):
        return float(self.array)

    def __complex__(self):
        return complex(self.array)

    def __index__(self):
        return np.asarray(self.array).__index__()

    def __len__(self):
        if not self.array.shape:
            raise TypeError("a scalar tensor has no length")
        return self.array.shape[0]

    def __format__(self, spec):
        return format(self.numpy(), spec)

    def set_shape(self, shape) -> None:
        if not TensorShape(shape).is_compatible_with(self.dims):
            raise ValueError(
                f"the shape is {show(self.dims)}, not {show(TensorShape(shape)._dims)}"
            )

    def __reduce__(self):
        return type(self), (np.asarray(self.array),)

    def __str__(self):
        shown = _show(self.array, str)
        gap = "\n" if "\n" in shown else ""
        description = f"{gap}{shown}, shape={self.array.shape}, dtype={self.dtype.name}"
        return f"{package_name()}.Tensor({description})"

    def __repr__(self):
        shown = _show(self.array, repr)
        gap = "\n" if "\n" in shown else ""
        description = f"shape={self.array.shape}, dtype={self.dtype.name}, numpy={gap}{shown}"
        description += ", weak=True" if getattr(self, "weak", False) else ""
        return f"<{package_name()}.Tensor: {description}>"


def _show(array, form) -> str:
    return form(array) if array.ndim else str(array[()])


class SymbolicTensor(Tensor):
    """A value of a graph under construction; it has no `numpy()`."""

    __slots__ = ("builder", "graph_value")

    def __init__(self, value: Value, builder: Builder):
        self.graph_value = value
        self.builder = builder

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return self.graph_value.dtype

    @property
    def dims(self) -> Shape:  # type: ignore[override]
        return self.graph_value.shape

    @property
    def name(self) -> str:
        name = self.graph_value.name
        return name if ":" in name else name + ":0"

    @property
    def graph(self):
        return self.builder

    @property
    def device(self) -> str:  # type: ignore[override]
        """Where the user wants it computed; empty where nothing is said."""
        node = self.op
        return "" if node is None else node.device

    @property
    def op(self):
        """The operation that makes it: a node, or the `Entry` of an input."""
        return self.builder.node_of(self.graph_value) or Entry(self.graph_value)

    def __hash__(self):
        """The tensors of a graph filled by hand are keys, of the values that a session feeds."""
        if late.python_type(self) is not type(self):
            raise SymbolicValueError(
                "the hash of a number is known only when the graph runs",
                "Compare it with the keys, or use a tensor or a list by index.",
            )
        if not getattr(self.builder, "by_hand", False):
            raise TypeError(
                "a tensor of a traced function is no dictionary key: its value is known only when "
                "the graph runs. Look values up in a tensor, as in ag.constant([1.0, 2.0])[i]; "
                "t.ref() is a key that stands for the tensor itself"
            )
        return id(self.graph_value)

    def set_shape(self, shape) -> None:
        """Tell what is known of the shape; raises ValueError when it contradicts."""
        self.graph_value = self.builder.refine(self.graph_value, shape)

    def __len__(self):
        if self.dims and self.dims[0] is not None:
            return self.dims[0]
        raise SymbolicValueError(
            f"the length of {self} is not known while tracing", "Use ag.shape(x)[0]."
        )

    def refusal(self, message: str, cure: str, error_class=SymbolicValueError) -> Exception:
        """The error for a use that needs the value. When tracing has ended, the tensor is lost."""
        if self.builder.closed:
            lost = out_of_scope(self)
            message, cure = lost.message, lost.cure
        return error_class(message, cure)

    @boundary
    def __bool__(self):
        raise self.refusal(
            f"using the symbolic tensor {self} as a Python bool is not allowed: its value is known "
            "only when the graph runs",
            "Let autograph convert this code (it is off, or could not read the source), "
            "or use ag.cond and ag.while_loop.",
        )

    @boundary
    def __iter__(self):
        if self.dims == ():
            raise self.refusal(
                f"{self} is a scalar, so it has no items to unpack or to go through",
                "Count to it with ag.range(x), or give it a first axis: x[None].",
            )
        raise self.refusal(
            f"iterating over the symbolic tensor {self} is not allowed in plain Python",
            "Write a `for` loop in code that autograph converts, use ag.unstack where the length "
            "is known, or ag.while_loop.",
        )

    @boundary
    def __index__(self):
        raise self.refusal(
            f"{self} has no value while tracing, so it is no Python integer",
            "To pick an item of a list, make it a tensor first: ag.stack(items)[i]. To call a "
            "Python function that needs its value, use ag.py_function.",
        )

    @boundary
    def __int__(self):
        raise self.refusal(f"{self} has no value while tracing", "Use ag.cast(x, ag.int32).")

    @boundary
    def __float__(self):
        raise self.refusal(f"{self} has no value while tracing", "Use ag.cast(x, ag.float32).")

    @boundary
    def __array__(self, dtype=None, copy=None):
        raise self.refusal(
            f"NumPy was given the symbolic tensor {self}, which has no value while tracing",
            "Use the function of the same name in allograph, or ag.py_function.",
            NoArrayError,
        )

    def __str__(self):
        named = f'Tensor("{self.name}", shape={show(self.dims)}, dtype={self.dtype.name})'
        return self.formatted("str") or self._noted(named)

    def __repr__(self):
        description = f"'{self.name}' shape={show(self.dims)} dtype={self.dtype.name}"
        return self.formatted("repr") or self._noted(f"<{package_name()}.Tensor {description}>")

    def formatted(self, how: str, spec: str = "") -> str | None:
        """A reference to the value as it will be formatted; None where strings are not deferred."""
        if DEFERRED.get() is None:
            return None
        cls = late.python_type(self)
        if cls in (bytes, range):
            name = f"the text of a value of {cls.__name__} that a tensor decides"
            raise self.refusal(name, "Decide on strings, or show the tensor with ag.print.")
        show = Show((STRING if cls is str else NUMBER if cls is not type(self) else "") + how, spec)
        if self.dims == () and self.dtype.numpy_dtype.kind != "O":  # Python's error, if it has one
            show(EagerTensor(np.zeros((), self.dtype.numpy_dtype)))
        return deferred(self, show)

    def _noted(self, named: str) -> str:
        """A text in the place of a value. That there is one is noted, for `check_string`."""
        if not self.builder.strings:
            self.builder.strings.append((self, Show("str")))
        return named

    def __format__(self, spec):
        shown = self.formatted("format", spec)
        if shown is not None:
            return shown
        try:
            return format(str(self), spec)
        except ValueError:
            raise self.refusal(
                f"the format {spec!r} is for a number, but {self} has no value while tracing",
                "Use ag.print(x), or ag.strings.as_string(x, precision=2) for a string tensor.",
            ) from None


expose(Tensor, "Tensor")


def out_of_scope(tensor: SymbolicTensor) -> OutOfScopeError:
    """The error for a symbolic tensor that outlived, or left, the function that made it."""
    builder, value = tensor.builder, tensor.graph_value
    node = builder.node_of(value)
    origin = f"\nIt was made here:\n{node.where.excerpt()}" if node and node.where else ""
    reason = f"is out of scope and cannot be used here: it belongs to the graph of '{builder.name}'"
    cure = "Use return values, or keep it in a variable, to use it elsewhere."
    if value in builder.dropped:
        reason = "is of a test or statement that was traced again, and an object has kept it"
        cure = "Compute it before the statement; a cached property keeps what it gives."
    elif builder.thread != get_ident():
        reason = f"belongs to the graph of '{builder.name}', which another thread traces"
        cure = "A function is traced by one thread: call it there, or use ag.map_fn or a loop."
    return OutOfScopeError(f"{tensor!r} {reason}.{origin}", cure)


def _capsule_of(array: np.ndarray, stream=None, max_version=None, dl_device=None, copy=None):
    """What `__dlpack__` gives: the array where the reader honours "read only", else a copy."""
    view = array.view()
    view.flags.writeable = False
    if max_version is None or max_version[0] < 1:  # such a reader might write into the tensor
        if copy is False:
            raise BufferError("a reader of this version of DLPack takes a copy of a tensor")
        return array.copy().__dlpack__()
    return view.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
