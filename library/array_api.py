"""`array_api`: the functions of the array API standard, on `Array`, eager and while tracing."""

from __future__ import annotations

import functools
import types

import numpy as np

from .. import convert_to_tensor
from ..extend.operations import NumpyNamespace, ag
from ..extend.registration import expose, lookup
from ..extend.tensors import EagerTensor, Operators
from .array_api_array import Array, records

VERSION = "2024.12"
DTYPES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64
complex128"""
CONSTANTS = {"e": np.e, "pi": np.pi, "inf": np.inf, "nan": np.nan, "newaxis": None}
# The functions whose names and meanings are NumPy's.
FUNCTIONS = """asarray arange empty empty_like eye from_dlpack full full_like linspace meshgrid ones
ones_like tril triu zeros zeros_like broadcast_arrays broadcast_to abs acos acosh add asin asinh
atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift
bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp
logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal
positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh
trunc take take_along_axis matmul tensordot matrix_transpose vecdot concat expand_dims flip moveaxis
permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin nonzero count_nonzero
searchsorted where unique_all unique_counts unique_inverse unique_values isin cumulative_sum
cumulative_prod max mean min prod std sum var all any diff"""
LINALG = """cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power
matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot
vector_norm"""
FFT = """fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift
ifftshift"""


class ArrayNamespace(types.ModuleType):
    """A namespace of the array API standard, of the version in `__array_api_version__`.

    Code that is written against the standard runs on its arrays, and is traced by `ag.function`
    where it does not look at values. The arrays are tensors in a class of their own, `Array`.

    >>> import allograph as ag
    >>> xp = ag.array_api
    >>> xp.linalg.vector_norm(xp.asarray([3.0, 4.0]))
    Array(5.)
    """

    def __init__(self, name: str, members: dict):
        super().__init__(name)
        self._members = members

    def __getattr__(self, name: str):
        if name in self._members:
            return self._members[name]
        result = None if name.startswith("_") else lookup(f"array_api.{name}")
        if result is None:
            raise AttributeError(f"the array API standard has no {name!r} in {self.__name__}")
        return result

    def __dir__(self):
        return sorted(self._members)

    def __repr__(self):
        return f"<array API {self.__name__}>"


def _tensors(value):
    """The same structure with tensors in place of arrays."""
    if isinstance(value, Array):
        return value.tensor
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(map(_tensors, value))
    return value


def _arrays(value):
    """A result with arrays in place of tensors and of NumPy's arrays."""
    if isinstance(value, Operators):
        return Array(convert_to_tensor(value))
    if isinstance(value, (np.ndarray, np.generic)):
        return Array(EagerTensor(np.asarray(value)))
    if isinstance(value, (list, tuple)):
        parts = map(_arrays, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _values(value):
    """The same structure with NumPy's arrays in place of tensors."""
    if isinstance(value, Operators):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_values, value))
    return value


def _recorded(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_recorded, value))
    return isinstance(value, Operators) and records(value)


def _lifted(numpy_module, name: str):
    """A function of NumPy on arrays of the standard."""
    function = getattr(numpy_module, name)
    on_tensors = getattr(NumpyNamespace(numpy_module), name)

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        args, kwargs = _tensors(args), {key: _tensors(arg) for key, arg in kwargs.items()}
        if _recorded(args) or _recorded(tuple(kwargs.values())):
            options = {key: arg for key, arg in kwargs.items() if (key, arg) not in DEFAULTS}
            return _arrays(on_tensors(*args, **options))
        values = {key: _values(arg) for key, arg in kwargs.items()}
        return _arrays(function(*_values(args), **values))

    return call


DEFAULTS = [("device", None), ("device", "cpu"), ("copy", None), ("copy", True), ("stable", True)]


def _astype(x, dtype, /, *, copy=True, device=None):
    """The elements converted to another dtype."""
    if x.dtype == dtype and not copy:
        return x
    if np.issubdtype(x.dtype, np.complexfloating) and not np.issubdtype(dtype, np.complexfloating):
        raise TypeError(f"complex numbers are not converted to {np.dtype(dtype)}: take real(x)")
    if records(x.tensor):
        return Array(ag.cast(x.tensor, dtype))
    return Array(EagerTensor(np.asarray(x.tensor).astype(dtype)))


def _descending(order):
    def sort(x, /, *, axis=-1, descending=False, stable=True):
        return order(x, axis % max(x.ndim, 1), descending)

    sort.__name__ = order.__name__
    sort.__doc__ = order.__doc__
    return sort


def _sort(x, axis: int, descending: bool):
    """The elements along an axis in order."""
    ordered = SORT(x, axis=axis, kind="stable") if not records(x.tensor) else SORT(x, axis=axis)
    return NAMESPACE.flip(ordered, axis=axis) if descending else ordered


def _argsort(x, axis: int, descending: bool):
    """The indices that put the elements along an axis in order; equal ones keep theirs."""
    options = {} if records(x.tensor) else {"kind": "stable"}
    if not descending:
        return ARGSORT(x, axis=axis, **options)
    flip = NAMESPACE.flip  # equal elements keep their order: sort the reverse, and count from it
    reverse = ARGSORT(flip(x, axis=axis), axis=axis, **options)
    return flip(x.shape[axis] - 1 - reverse, axis=axis)


def _plain(function):
    """A question about dtypes, with dtypes in place of arrays."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*(arg.dtype if isinstance(arg, Array) else arg for arg in args), **kwargs)

    return call


def _result_type(*arrays_and_dtypes):
    """The dtype in which arrays, dtypes and Python numbers meet."""
    return np.result_type(*(dtype.dtype if isinstance(dtype, Array) else dtype
                            for dtype in arrays_and_dtypes))  # fmt: skip


def _floor_divide(x1, x2, /):
    """The quotients rounded down; infinite ones stay infinite, where NumPy gives NaN."""
    result = FLOOR_DIVIDE(x1, x2)
    if not np.issubdtype(result.dtype, np.floating):
        return result
    is_infinite = NAMESPACE.logical_and(NAMESPACE.isinf(x1), NAMESPACE.isfinite(x2))
    return NAMESPACE.where(is_infinite, NAMESPACE.divide(x1, x2), result)


def _expm1(x, /):
    """`exp(x) - 1`; of complex numbers that are infinite or real too, where NumPy gives NaN."""
    result = EXPM1(x)
    if not np.issubdtype(result.dtype, np.complexfloating):
        return result
    imaginary = NAMESPACE.imag(x)
    result = NAMESPACE.where(NAMESPACE.isinf(NAMESPACE.real(x)), NAMESPACE.exp(x) - 1.0, result)
    on_axis = _astype(EXPM1(NAMESPACE.real(x)), x.dtype)
    return NAMESPACE.where(imaginary == 0, on_axis, result)


def _frequencies(function):
    """The frequencies of a transform of `n` samples, `d` apart."""

    @functools.wraps(function, updated=())
    def call(n, /, *, d=1.0, dtype=None, device=None):
        return _arrays(function(n, d).astype(dtype or np.float64))

    return call


FLOOR_DIVIDE, EXPM1 = _lifted(np, "floor_divide"), _lifted(np, "expm1")
SORT, ARGSORT = _lifted(np, "sort"), _lifted(np, "argsort")
_MEMBERS = {
    **{name: np.dtype(name) for name in DTYPES.split()},
    **CONSTANTS,
    **{name: _lifted(np, name) for name in FUNCTIONS.split() if hasattr(np, name)},
    "__array_api_version__": VERSION,
    "__array_namespace_info__": np.__array_namespace_info__,
    "Array": Array,
    "astype": _astype,
    "sort": _descending(_sort),
    "argsort": _descending(_argsort),
    "floor_divide": _floor_divide,
    "expm1": _expm1,
    "vecdot": _lifted(np.linalg, "vecdot"),  # that of the root is a ufunc, which has no axis here
    "broadcast_shapes": np.broadcast_shapes,
    "can_cast": _plain(np.can_cast),
    "isdtype": _plain(np.isdtype),
    "finfo": _plain(np.finfo),
    "iinfo": _plain(np.iinfo),
    "result_type": _result_type,
    "linalg": ArrayNamespace("allograph.array_api.linalg", {
        name: _lifted(np.linalg, name) for name in LINALG.split()
    }),
    "fft": ArrayNamespace("allograph.array_api.fft", {
        **{name: _lifted(np.fft, name) for name in FFT.split()},
        **{name: _frequencies(getattr(np.fft, name)) for name in ("fftfreq", "rfftfreq")},
    }),
}  # fmt: skip
NAMESPACE = ArrayNamespace("allograph.array_api", _MEMBERS)
expose(NAMESPACE, "array_api")
