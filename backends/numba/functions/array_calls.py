"""Calls of functions that Numba compiled, in NumPy mode: operations on values, as in graphs."""

from __future__ import annotations

import numpy as np

from ....runtime.core.dtypes import FROM_NUMPY
from ....runtime.ir.op import TABLE as OPS
from ....runtime.tensors.apply import constant_of
from ....tracing.numpy_mode.refusal import RefusedError
from ....tracing.numpy_mode.traced_array import TracedArray, fresh
from ....tracing.numpy_mode.traced_scalar import (
    LARGE,
    TracedScalar,
    is_python_number,
    python_of,
    require,
    scalar_of,
)
from .call_arguments import with_constants
from .known_functions import numba_function
from .numba_calls import numba_call
from .numba_functions import ArgumentType, NumbaFunction, is_named_tuple


def call_foreign(function, *args, **kwargs):
    """The results of a function of Numba, which must not write to its arguments."""
    made = numba_function(function)
    if made.stateful or (kwargs and made.is_ufunc):
        raise RefusedError(f"a call of {made.own_name}")
    made, args = with_constants(made, made.positional(args, kwargs))
    tensors = [_tensor(one) for one in args]
    if made.is_ufunc:
        _check_numbers(made, args, tensors)
    given = tuple(ArgumentType(one.dtype.numpy_dtype, len(one.dims)) for one in tensors)
    return _results(made, given, numba_call(made, tensors))


def _results(made: NumbaFunction, given: tuple, found):
    if isinstance(found, tuple):
        items = [_results(made, given, one) for one in found]
        return type(found)(*items) if is_named_tuple(type(found)) else tuple(items)
    return None if found is None else _result(made, given, found)


def _tensor(value):
    if isinstance(value, TracedArray):
        return value.read()
    if isinstance(value, np.ndarray):
        raise RefusedError("an array from outside the function")
    return scalar_of(value).tensor


def _check_numbers(made: NumbaFunction, args, tensors) -> None:
    """Which code `@vectorize` chooses for a number of Python's depends on earlier calls."""
    dtypes = {one.dtype for one in tensors}
    if len(dtypes) > 1 and any(map(is_python_number, args)):
        raise RefusedError(f"{made.own_name} of Python's numbers and other data types")


def _result(made: NumbaFunction, given: tuple, tensor):
    if tensor.dims != ():
        if made.signature(given).shares_memory:
            raise RefusedError(f"{made.own_name} may return its argument")
        if tensor.dims is None or None in tensor.dims:
            raise RefusedError(f"the shape that {made.own_name} returns is not known")
        return fresh(tensor)
    dtype = tensor.dtype.numpy_dtype
    if made.is_ufunc:
        return TracedScalar(tensor)
    python = python_of(dtype)
    if python is bool:
        return TracedScalar(tensor, bool, 1)
    wide = np.dtype(np.float64 if python is float else np.int64)
    if dtype == np.uint64:
        raise RefusedError(f"{made.own_name} returns a number of 64 bits without a sign")
    if python is int and dtype == wide:
        for low, high in ((np.int64(-LARGE), tensor), (tensor, np.int64(LARGE))):
            low, high = (one if one is tensor else constant_of(one) for one in (low, high))
            require(OPS["less_equal"](low, high))
    if dtype != wide:
        tensor = OPS["cast"](tensor, dtype=FROM_NUMPY[wide])
    return TracedScalar(tensor, python, LARGE)
