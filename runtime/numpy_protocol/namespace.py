"""`experimental.numpy`: NumPy's functions with tensors as arguments and results."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from typing import Any

import numpy as np

from ..core.errors import UnimplementedError
from ..core.public_names import expose, lookup
from ..tensors.tensor import EagerTensor, Operators, Tensor
from .array_methods import enable_numpy_behavior
from .promotion import tensor
from .registry import (
    ag,
    apply_implementation,
    as_arrays,
    in_preferred_dtype,
    is_symbolic,
    is_traced,
    rank_of,
    record,
)
from .ufuncs import apply_ufunc, implementation_of


class NumpyNamespace(types.ModuleType):
    """NumPy's functions on tensors; the results are tensors.

    In a traced function they become operations of the graph, otherwise they run at once. Dtypes and
    promotion are NumPy's: a Python float is float64.

    >>> tnp = ag.experimental.numpy
    >>> tnp.sum(tnp.ones((2, 3)) * 2.0, axis=0).numpy()
    array([4., 4., 4.])
    >>> float(ag.function(lambda x: tnp.linalg.norm(x))(ag.constant([3.0, 4.0])))
    5.0

    Raises AttributeError for names that NumPy does not have. A function that cannot be traced
    raises SymbolicValueError when it is called with a symbolic tensor.
    """

    def __init__(self, module):
        super().__init__(f"allograph.experimental.{module.__name__}")
        self._module = module

    def __getattr__(self, name: str):
        if name.startswith("__") and name != "__version__":  # what Python asks of modules
            raise AttributeError(name)
        registered = lookup(f"experimental.numpy.{name}")
        if registered is not None:
            return registered
        member = getattr(self._module, name)
        value: Any
        if member is np.ndarray:
            value = Tensor
        elif inspect.ismodule(member):
            value = NumpyNamespace(member)
        elif isinstance(member, type) or not callable(member):
            value = member
        else:
            value = _on_tensors(member)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted({*dir(self._module), "experimental_enable_numpy_behavior"})

    def __repr__(self):
        return f"<{self._module.__name__} on tensors>"


def _on_tensors(function):
    """A function of NumPy that returns tensors."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        return in_preferred_dtype(compute(args, kwargs), (args, kwargs))

    def compute(args, kwargs):
        symbolic = is_symbolic(args) or is_symbolic(kwargs)
        if function in CREATED and (symbolic or function in ALWAYS_CREATED):
            return CREATED[function](*args, **kwargs)
        is_ufunc = isinstance(function, np.ufunc)
        if is_ufunc and (symbolic or (not kwargs and implementation_of(function))):
            return apply_ufunc(function, "__call__", _with_tensors(args), kwargs)
        if symbolic:
            return record(function, args, kwargs)
        if is_traced(function):
            with contextlib.suppress(UnimplementedError):
                return apply_implementation(function, args, kwargs)
        return _as_tensors(function(*as_arrays(args), **as_arrays(kwargs)))

    return call


def _with_tensors(values) -> tuple:
    """Arrays and lists as tensors. Scalars stay, because they adapt, unless there are no others."""
    operands = [
        value if isinstance(value, (int, float, complex, Operators)) else tensor(value)
        for value in values
    ]
    if not any(isinstance(value, Operators) for value in operands):
        operands = [tensor(value) for value in operands]
    return tuple(operands)


def _as_tensors(result):
    if isinstance(result, (np.ndarray, np.generic)):
        return EagerTensor(np.asarray(result))
    if isinstance(result, (list, tuple)) and not hasattr(result, "_fields"):
        return type(result)(map(_as_tensors, result))
    return result


def _array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None):
    """A tensor from scalars, arrays, tensors, or lists of them, of `ndmin` axes or more."""
    result = tensor(object, dtype)
    missing = ndmin - rank_of(result) if ndmin else 0
    return result[(None,) * missing] if missing > 0 else result


def _asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    return tensor(a, dtype)


def _contiguous(a, dtype=None, *, like=None):
    return _array(a, dtype, ndmin=1)


def _full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    return ag.fill(ag.reshape(tensor(shape), [-1]), tensor(fill_value, dtype))


def _range(start, stop=None, step=1, dtype=None):
    bounds = (0, start) if stop is None else (start, stop)
    result = ag.range(*bounds, step)
    return result if dtype is None else tensor(result, dtype)


def _filled_with(value):
    return lambda shape, dtype=np.float64, *options, **more: _full(
        shape, value, dtype, *options, **more
    )


ALWAYS_CREATED = {np.array, np.asarray, np.asanyarray}
CREATED: dict[Any, Any] = {  # with tensors among the sizes and bounds
    np.array: _array,
    np.asarray: _asarray,
    np.asanyarray: _asarray,
    np.ascontiguousarray: _contiguous,
    np.asfortranarray: _contiguous,
    np.full: _full,
    np.zeros: _filled_with(0),
    np.empty: _filled_with(0),
    np.ones: _filled_with(1),
    np.arange: _range,
}
expose(NumpyNamespace(np), "experimental.numpy")
expose(enable_numpy_behavior, "experimental.numpy.experimental_enable_numpy_behavior")
