"""`experimental.numpy`: the names of NumPy, with tensors as arguments and results."""

from __future__ import annotations

import contextlib
import functools
import inspect

import numpy as np

from ..core.errors import UnimplementedError
from ..core.public_names import expose, lookup
from ..tensors.tensor import EagerTensor, Operators, Tensor
from .promotion import tensor
from .registry import TRACED, ag, apply_form, as_arrays, is_symbolic
from .ufuncs import apply_ufunc, traces_ufunc


class NumpyNamespace:
    """NumPy's functions on tensors: in graphs as operations, outside at once; results are tensors.

    Data types and promotion are NumPy's: a Python float alone is float64.

    >>> import allograph as ag
    >>> tnp = ag.experimental.numpy
    >>> tnp.sum(tnp.ones((2, 3)) * 2.0, axis=0).numpy()
    array([4., 4., 4.])
    >>> float(ag.function(lambda x: tnp.linalg.norm(x))(ag.constant([3.0, 4.0])))
    5.0

    Raises AttributeError for names that NumPy does not have; a function that has no form in a graph
    says so when it meets a symbolic tensor.
    """

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name: str):
        own = lookup(f"experimental.numpy.{name}")
        if own is not None:
            return own
        thing = getattr(self._module, name)
        if thing is np.ndarray:
            made = Tensor
        elif inspect.ismodule(thing):
            made = NumpyNamespace(thing)
        elif isinstance(thing, type) or not callable(thing):
            made = thing
        else:
            made = _on_tensors(thing)
        setattr(self, name, made)
        return made

    def __dir__(self):
        return sorted({*dir(self._module), "experimental_enable_numpy_behavior"})

    def __repr__(self):
        return f"<{self._module.__name__} on tensors>"


def _on_tensors(function):
    """A function of NumPy that gives tensors."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        from . import traced_forms  # noqa: F401 - 1,300 lines that most programs never use

        symbolic = is_symbolic(args) or is_symbolic(kwargs)
        if function in CREATED and (symbolic or function in AS_THEY_ARE):
            return CREATED[function](*args, **kwargs)
        if isinstance(function, np.ufunc) and (symbolic or (traces_ufunc(function) and not kwargs)):
            return apply_ufunc(function, "__call__", _with_tensors(args), kwargs)
        if function in TRACED or symbolic:
            with contextlib.suppress(*() if symbolic else (UnimplementedError,)):
                return apply_form(function, args, kwargs)
        return _as_tensors(function(*as_arrays(args), **as_arrays(kwargs)))

    return call


def _with_tensors(values) -> tuple:
    """Arrays and lists as tensors; numbers stay, as they adapt, unless there is nothing else."""
    made = [
        value if isinstance(value, (int, float, complex, Operators)) else tensor(value)
        for value in values
    ]
    if not any(isinstance(value, Operators) for value in made):
        made = [tensor(value) for value in made]
    return tuple(made)


def _as_tensors(result):
    if isinstance(result, (np.ndarray, np.generic)):
        return EagerTensor(np.asarray(result))
    if isinstance(result, (list, tuple)) and not hasattr(result, "_fields"):
        return type(result)(map(_as_tensors, result))
    return result


def _array(object, dtype=None, **options):
    """A tensor of numbers, arrays, tensors, or lists of them."""
    return tensor(object, dtype)


def _full(shape, fill_value, dtype=None):
    return ag.fill(ag.reshape(tensor(shape), [-1]), tensor(fill_value, dtype))


def _range(start, stop=None, step=1, dtype=None):
    bounds = (0, start) if stop is None else (start, stop)
    made = ag.range(*bounds, step)
    return made if dtype is None else tensor(made, dtype)


AS_THEY_ARE = {np.array, np.asarray, np.asanyarray}
CREATED = {  # with tensors among the sizes and bounds
    np.array: _array,
    np.asarray: _array,
    np.asanyarray: _array,
    np.full: _full,
    np.zeros: lambda shape, dtype=np.float64: _full(shape, 0, dtype),
    np.empty: lambda shape, dtype=np.float64: _full(shape, 0, dtype),
    np.ones: lambda shape, dtype=np.float64: _full(shape, 1, dtype),
    np.arange: _range,
}
expose(NumpyNamespace(np), "experimental.numpy")
