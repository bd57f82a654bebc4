"""`Array`: a tensor that conforms to the array API standard, eager and while tracing."""

from __future__ import annotations

import operator

import numpy as np

from .. import Tensor
from ..extend.graphs import BUILDER, TAPES
from ..extend.operations import ag, as_arrays
from ..extend.registration import public
from ..extend.tensors import EagerTensor, StagedSequence, SymbolicTensor, as_test

SCALARS = (bool, int, float, complex)


@public("array_api.Array")
class Array(StagedSequence):
    """An array of `ag.array_api`: a tensor with the methods and operators of the standard.

    Its shape is a tuple, its dtype one of NumPy's. `to_tensor` gives the tensor. Assignments to
    items replace the tensor: other arrays never change with it.

    >>> import allograph as ag
    >>> xp = ag.array_api
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> x.shape, x.dtype, x.device, float(xp.sum(x @ x.T))
    ((2, 2), dtype('float64'), 'cpu', 52.0)
    >>> ag.function(lambda x: xp.mean(x, axis=0) - 1.0)(x)
    Array([1., 2.])
    """

    __tf_composite__ = True  # a leaf for users of `nest`
    __array_ufunc__ = None  # NumPy leaves operators to this class

    def __init__(self, tensor: Tensor):
        self.tensor = tensor

    def __tf_flatten__(self):
        return (), (self.tensor,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(components[0])

    def to_tensor(self) -> Tensor:
        """The tensor."""
        return self.tensor

    def __tf_tensor__(self, dtype=None, name=None) -> Tensor:
        return self.tensor

    # ---- staged statements ---------------------------------------------------------------

    def __tf_truth__(self):
        return as_test(self.tensor)

    def staged_length(self):
        return len(self.tensor) if self.shape[0] is not None else ag.shape(self.tensor)[0]

    def read(self, index) -> Array:
        """The item at an index, for loops over the array."""
        return Array(self.tensor[index])

    # ---- attributes ----------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype:
        return self.tensor.dtype.numpy_dtype

    @property
    def shape(self) -> tuple:
        """The size of each axis; None where it is known only when the graph runs."""
        if self.tensor.dims is None:
            raise ValueError("the rank of the array is known only when the graph runs")
        return tuple(self.tensor.dims)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int | None:
        """The number of elements; None if it is known only when the graph runs."""
        return None if None in self.shape else int(np.prod(self.shape, dtype=np.int64))

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def T(self) -> Array:  # noqa: N802 - the name in the standard
        """The matrix transposed."""
        if self.ndim != 2:
            raise ValueError(f"T is for matrices: the array has {self.ndim} axes; use mT")
        return self.mT

    @property
    def mT(self) -> Array:  # noqa: N802
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError(f"mT needs two axes, the array has {self.ndim}")
        return Array(ag.linalg.matrix_transpose(self.tensor))

    def to_device(self, device, /, *, stream=None) -> Array:
        """The same array: there is one device, "cpu"."""
        if device != "cpu":
            raise ValueError(f"there is no device {device!r}, only 'cpu'")
        return self

    def __array_namespace__(self, *, api_version=None):
        return ag.array_api

    # ---- values --------------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        # A copy unless none is allowed: compiled functions of libraries ask for writable memory.
        return self.tensor.__array__(dtype, copy is not False)

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __bool__(self):
        return bool(self.tensor)

    def __int__(self):
        return int(self.tensor)

    def __float__(self):
        return float(self.tensor)

    def __complex__(self):
        return complex(self.tensor)

    def __index__(self):
        return operator.index(self.tensor)

    def __len__(self):
        return len(self.tensor)

    def __iter__(self):
        return (self[index] for index in range(len(self)))

    def __repr__(self):
        if isinstance(self.tensor, SymbolicTensor):
            return f"Array({self.tensor!r})"
        return repr(np.asarray(self.tensor)).replace("array", "Array", 1)

    # ---- items ---------------------------------------------------------------------------

    def __getitem__(self, key) -> Array:
        key = _key(key)
        if records(self.tensor):
            return Array(self.tensor[key])
        return Array(EagerTensor(np.asarray(self.tensor.array[as_arrays(key)])))  # type: ignore[attr-defined]

    def __setitem__(self, key, value) -> None:
        key, value = _key(key), value.tensor if isinstance(value, Array) else value
        if records(self.tensor):
            value = value if isinstance(value, Tensor) else ag.cast(value, self.tensor.dtype)
            self.tensor = ag.tensor_set_item(self.tensor, key, ag.cast(value, self.tensor.dtype))
            return
        array = np.array(self.tensor.array)  # type: ignore[attr-defined]
        array[as_arrays(key)] = as_arrays(value)
        self.tensor = EagerTensor(array)

    __hash__ = None  # type: ignore[assignment]


def _key(key):
    if isinstance(key, tuple):
        return tuple(map(_key, key))
    return key.tensor if isinstance(key, Array) else key


def records(tensor) -> bool:
    """Whether operations on a tensor are recorded: into a graph, or on a tape."""
    return isinstance(tensor, SymbolicTensor) or bool(TAPES) or BUILDER.get() is not None


def _operator(name: str, function: str, swap: bool):
    def binary(self, other):
        if isinstance(other, np.generic):
            other = other.item()
        if not isinstance(other, (Array, *SCALARS)):
            return NotImplemented
        operands = (other, self) if swap else (self, other)
        return getattr(ag.array_api, function)(*operands)

    binary.__name__ = name
    return binary


BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "pow",
    "floordiv": "floor_divide", "mod": "remainder", "matmul": "matmul", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}  # fmt: skip
COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
    "ne": "not_equal",
}  # fmt: skip
for _name, _function in (BINARY | COMPARISONS).items():
    setattr(Array, f"__{_name}__", _operator(f"__{_name}__", _function, False))
for _name, _function in BINARY.items():
    setattr(Array, f"__r{_name}__", _operator(f"__r{_name}__", _function, True))


def _unary(function: str):
    def unary(self):
        return getattr(ag.array_api, function)(self)

    return unary


for _name, _function in (
    ("neg", "negative"), ("pos", "positive"), ("abs", "abs"), ("invert", "bitwise_invert"),
):  # fmt: skip
    setattr(Array, f"__{_name}__", _unary(_function))
