"""NumPy's ufuncs and functions on numbers and arrays of the graph."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from functools import partial

import numpy as np

from ...python_library.numpy_functions import between, hypotenuse
from ...runtime.core.errors import SymbolicValueError, UnimplementedError
from ...runtime.core.numpy_dtypes import is_exact, is_floating, is_integer
from ...runtime.numpy_protocol.registry import apply_implementation, on_arrays, row_of
from ...runtime.numpy_protocol.ufuncs import implementation_of
from ...runtime.ops.array.masking import where
from ...runtime.tensors.apply import BUILDER, constant_of
from ...runtime.tensors.tensor import Tensor
from . import composed_functions, new_arrays
from .calls.called_functions import call_on_host, is_callable_on_host
from .calls.samples import as_numpy
from .new_arrays import CREATED, array_of_list, array_of_number, as_constant, is_traced
from .refusal import RefusedError
from .storage import stored
from .traced_array import MOST_ELEMENTS, TracedArray, elements_of, fresh, wrap
from .traced_scalar import (
    DISPATCH,
    NATIVE,
    PYTHON_DTYPES,
    TracedScalar,
    cast,
    is_mixed,
    is_python_number,
    member_as_number,
    number_in,
    require,
)

# ---- ufuncs ----------------------------------------------------------------------------------


def apply_ufunc(ufunc, method: str, inputs, options):
    """`ufunc(*inputs, **options)`; reductions by methods are those of the functions."""
    inputs = tuple(_number_of(array_of_list(value)) for value in inputs)
    called = ufunc if method == "__call__" else getattr(ufunc, method)
    return _with_host(_ufunc, (ufunc, method, inputs, options), called, inputs, options)


def _number_of(value):
    """A number of NumPy's, of which it makes an array where it is the first operand."""
    value = member_as_number(value, (np.int64(0),))
    return value[()] if type(value) is np.ndarray and not value.ndim else value


def _ufunc(ufunc, method: str, inputs, options):
    if method == "__call__" and _is_twofold(ufunc, inputs):
        if options or any(isinstance(value, TracedArray) for value in inputs):
            raise RefusedError("a data type depends on a number that is sometimes Python's")
        return DISPATCH.either(ufunc, inputs, np.ufunc.__call__)
    options = dict(options)
    out = options.pop("out", None)
    if options.keys() == {"where"} and method == "__call__" and out is not None:
        mask = options.pop("where")
        if mask is not True:
            return _stored(out, _computed(ufunc, inputs), mask)
    if method == "reduce" and ufunc in _REDUCTIONS and out is None:
        return apply_function(_REDUCTIONS[ufunc], inputs, {"axis": 0, **options})
    if method in ("accumulate", "reduceat") and out is None:
        return composed_functions.by_steps(ufunc, method, *inputs, **options)
    if method == "at" and out is None:
        return composed_functions.changed_at(ufunc, *inputs, **options)
    if method == "outer" and out is None and not options:
        left, right = inputs
        if any(map(is_python_number, inputs)) or not all(map(is_traced, inputs)):
            raise RefusedError(f"np.{ufunc.__name__}.outer of other things than arrays")
        if isinstance(left, TracedArray) and isinstance(right, TracedArray):
            left = left[(..., *(None,) * right.ndim)]
        return _ufunc(ufunc, "__call__", (left, right), {})
    if ufunc is np.hypot and method == "__call__" and out is None and not options:
        resolved = _resolved(ufunc, inputs)  # it raises for complex numbers
        if not NATIVE.issuperset(resolved):
            raise RefusedError(f"np.hypot of {', '.join(map(str, resolved))}")
        pairs = zip(inputs, resolved[:2], strict=True)
        return hypotenuse(*(wrap(_operand(*pair)) for pair in pairs))
    if method != "__call__" or options:
        raise RefusedError(f"np.{ufunc.__name__} with {method}, {', '.join(options)}")
    result = _computed(ufunc, inputs)
    return result if out is None else _stored(out, result)


def _computed(ufunc, inputs):
    implementation = implementation_of(ufunc)
    if implementation is None or ufunc.nout != 1:
        raise RefusedError(f"np.{ufunc.__name__}")
    resolved = _resolved(ufunc, inputs)
    if ufunc in _COMPARISONS and any(
        type(value) is int and not _holds(dtype, value)
        for value, dtype in zip(inputs, resolved, strict=False)
    ):  # NumPy compares such integers by value
        if np.dtype(np.uint64) in resolved:
            raise RefusedError("a comparison of uint64 with an integer beyond its limits")
        resolved = (np.dtype(np.int64), np.dtype(np.int64), resolved[-1])
    if not NATIVE.issuperset(resolved):
        raise RefusedError(f"np.{ufunc.__name__} of {', '.join(map(str, resolved))}")
    if ufunc in _OF_TRUTHS and set(resolved) == {np.dtype(bool)}:
        implementation = implementation_of(_OF_TRUTHS[ufunc])
    if ufunc in _OF_FLOATS and is_exact(resolved[0]):
        resolved = (np.dtype(np.float64), resolved[-1])
    operands = [
        _operand(value, dtype) for value, dtype in zip(inputs, resolved[: ufunc.nin], strict=True)
    ]
    result = wrap(cast(implementation(*operands), resolved[-1]))
    if any(isinstance(value, TracedArray) for value in inputs):
        return result
    return result.computed_from(*inputs)


_COMPARISONS = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}
# What ufuncs of numbers are for truths; and those whose forms take no integers.
_OF_TRUTHS = {np.add: np.logical_or, np.maximum: np.logical_or,
              np.multiply: np.logical_and, np.minimum: np.logical_and}  # fmt: skip
_OF_FLOATS = {np.isfinite, np.isnan, np.isinf}


def _holds(dtype: np.dtype, number: int) -> bool:
    """Whether an integer is one of a data type."""
    if not is_integer(dtype):
        return True
    return bool(np.iinfo(dtype).min <= number <= np.iinfo(dtype).max)


def _is_twofold(ufunc, inputs) -> bool:
    """Whether NumPy computes in other data types where a number is of its other type."""
    rows = itertools.product(*map(new_arrays.types_of, inputs))
    return any(map(is_mixed, inputs)) and len({_resolved(ufunc, inputs, row) for row in rows}) > 1


def _resolved(ufunc, inputs, types=()) -> tuple:
    """The data types in which NumPy computes."""
    types = types or [new_arrays.types_of(value)[0] for value in inputs]
    if all(type_ in PYTHON_DTYPES for type_ in types):  # as arguments of a call, of rank 0
        types = [PYTHON_DTYPES[type_] for type_ in types]
    return ufunc.resolve_dtypes((*types, *(None,) * ufunc.nout))


def _operand(value, dtype: np.dtype):
    if isinstance(value, TracedArray):
        return cast(value.read(), dtype)
    return stored(value, dtype)


def _stored(out, result, mask=True):
    """The result written to the one array of `out`, under a mask, and that array."""
    (target,) = out
    if not isinstance(target, TracedArray):
        raise RefusedError("the result is written to an array from outside the function")
    dtype = result.dtype
    if not np.can_cast(dtype, target.dtype, "same_kind"):
        raise RefusedError(f"{dtype} is written to {target.dtype}")
    computed = target.computed or (type(result) is TracedArray and result.computed)
    if not computed and np.broadcast_shapes(result.shape, target.shape) != target.shape:
        raise RefusedError("the result is written to an array of another shape")
    target[...] = result if mask is True else _masked(mask, result, target)
    return target


# ---- functions -------------------------------------------------------------------------------


def apply_function(function, args, kwargs):
    """`function(*args, **kwargs)` for a function of NumPy's."""
    args = tuple(map(array_of_list, args))
    kwargs = {name: array_of_list(value) for name, value in kwargs.items()}
    if not is_supported(function):
        return _with_host(_refused, (function,), function, args, kwargs)
    row = row_of(function)
    count = 0 if row.is_weak else arrays_of(function)
    operands = (*map(array_of_number, args[:count]), *args[count:])
    recorded = partial(_recorded, function, operands, kwargs)
    return _with_host(as_numpy, (function, recorded, args, kwargs, row.changes),
                      function, args, kwargs)  # fmt: skip


def _recorded(function, args, kwargs):
    """The result of the form for arrays, or of the implementation."""
    form = row_of(function).on_arrays
    try:
        result = NotImplemented if form is None else form(*args, **kwargs)
    except AssertionError as error:
        raise RefusedError(f"np.{function.__name__} of {error}") from None
    if result is not NotImplemented:
        return result
    is_view = row_of(function).result == "view"
    return (_viewed if is_view else _copied)(function, *args, **kwargs)


def _implemented(function, args, kwargs):
    try:
        return apply_implementation(function, args, kwargs)
    except (SymbolicValueError, UnimplementedError) as error:
        raise RefusedError(error.message) from None


def _viewed(function, *args, **kwargs):
    """Views that the implementation gives of arrays; the other arguments are constants."""
    row = row_of(function)
    arrays = list(row.signature.parameters)[: row.operands]
    constants = map(as_constant, args[row.operands :])
    constant = {name: as_constant(value) for name, value in kwargs.items() if name not in arrays}
    options = {**kwargs, **constant}
    operands = [*args[: row.operands], *(options[name] for name in arrays if name in options)]
    if not all(type(value) is TracedArray for value in operands):
        raise RefusedError(f"views by np.{function.__name__} of numbers")
    return _implemented(function, (*args[: row.operands], *constants), options)


def _refused(function):
    raise RefusedError(f"np.{function.__name__}")


def _with_host(form: Callable, arguments, function, args, kwargs):
    """`form(*arguments)`; where that is refused, a call of the function by the graph."""
    builder = BUILDER.get()
    checkpoint = builder.checkpoint()
    try:
        return form(*arguments)
    except RefusedError:
        if not is_callable_on_host(function) or kwargs.get("out") is not None:
            raise
        builder.rollback(checkpoint)
        return call_on_host(function, args, kwargs)


def _copied(function, *args, **kwargs):
    """The result of the implementation, which shares no elements with the arguments."""
    row = row_of(function)
    kwargs = {name: value for name, value in kwargs.items() if value is not np._NoValue}
    out = kwargs.pop("out", None)
    if row.needs_elements:
        _require_elements(args)
    if row.joins and type(args[0]) in (list, tuple):
        args = ([array_of_number(array) for array in args[0]], *args[1:])
    result = _wrapped(_implemented(function, _tensors(args), _tensors(kwargs)), row.result)
    if type(out) is TracedArray and (
        not out.template.flags.c_contiguous  # which np.dot refuses
        or any(getattr(result, name, None) != getattr(out, name) for name in ("shape", "dtype"))
    ):  # sums are computed in the type of `out`
        raise RefusedError(f"np.{function.__name__} with out= of another shape or data type")
    return result if out is None else _stored((out,), result)


def _require_elements(args) -> None:
    """Leave arrays of no elements to NumPy, which raises."""
    for array in args:
        if type(array) is TracedArray:
            for axis in array.computed:
                require((array.shape[axis] > 0).tensor)


def is_supported(function) -> bool:
    """Whether a function of NumPy's has a form in graphs."""
    return row_of(function).is_native


def arrays_of(function) -> int:
    """The number of first arguments of a function of NumPy's of which it makes arrays."""
    is_known = is_supported(function) and not row_of(function).joins
    return row_of(function).operands if is_known else 0


def _tensors(value):
    """Arguments with tensors in place of arrays; numbers that the graph computes are refused."""
    if type(value) is TracedArray:
        return value.read()
    if type(value) is TracedScalar:
        if value.python is None and not is_mixed(value):
            return value.tensor
        if value.python in (int, bool):
            return value.__index__()  # a width, a count or an axis
        raise RefusedError("a number of Python's as an argument of a function of NumPy's")
    if isinstance(value, np.ndarray):
        raise RefusedError("an array from outside the function")
    if type(value) in (list, tuple):
        return type(value)(map(_tensors, value))
    if type(value) is dict:
        return {name: _tensors(item) for name, item in value.items()}
    return value


def _wrapped(result, class_):
    """A result of an implementation as the row of its function says (see `Row.result`)."""
    if isinstance(result, Tensor):
        value = fresh(result) if class_ == "array" else wrap(result)
        is_number = isinstance(class_, type) and type(value) is TracedScalar
        return TracedScalar(value.tensor, class_, BOUNDS[class_]) if is_number else value
    if isinstance(result, (list, tuple)):
        parts = [_wrapped(part, class_) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


BOUNDS = {bool: 1, int: MOST_ELEMENTS}
_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}


def _up_to(function, most: int, /, a, q, *args, **kwargs):
    """Leave to NumPy the computed quantiles that it refuses."""
    q = np.array(q) if isinstance(q, (list, tuple)) else q
    within = (q >= 0) & (q <= most)
    if is_traced(within):
        require(np.all(within).tensor)
    is_float = type(q) is TracedScalar and q.python is float and not is_mixed(q)
    if is_float and type(a) is TracedArray and (is_exact(a.dtype) or a.dtype == np.float64):
        return function(a, TracedScalar(q.certain().tensor), *args, **kwargs)
    return NotImplemented


on_arrays(np.quantile)(partial(_up_to, np.quantile, 1))
on_arrays(np.percentile)(partial(_up_to, np.percentile, 100))


@on_arrays(np.where)
def _where(condition, *values):
    if not values:
        return NotImplemented
    dtype = new_arrays.common_type(values)
    if dtype not in NATIVE:
        raise RefusedError(f"np.where of {dtype}")
    test = _operand(condition, np.dtype(bool))
    return fresh(where(test, *(_operand(value, dtype) for value in values)))


@on_arrays(np.select, operands=0)
def _select(condlist, choicelist, default=0):
    if not all(isinstance(argument, (list, tuple)) for argument in (condlist, choicelist)):
        raise RefusedError("np.select of other conditions than a list")
    choices = [*choicelist, default]
    dtype = new_arrays.common_type(choices)
    if dtype not in NATIVE or {*map(new_arrays.type_of, condlist)} - {np.dtype(bool)}:
        raise RefusedError("np.select of other conditions than truths")
    *tensors, result = [_operand(value, dtype) for value in choices]
    for condition, tensor in reversed(list(zip(condlist, tensors, strict=True))):
        result = where(_operand(condition, np.dtype(bool)), tensor, result)
    return fresh(result)


@on_arrays(np.clip)
def _clip(a, a_min=None, a_max=None, out=None, **options):
    if options:
        raise RefusedError("np.clip with options")
    limits = [limit for limit in (a_min, a_max) if limit is not None]
    dtype = new_arrays.common_type((a, *limits))
    result, *limits = [wrap(_operand(value, dtype)) for value in (a, *limits)]
    if len(limits) == 2 and is_floating(dtype):
        result = number_in(between(result, *limits, limits=(a_min, a_max)))  # of a ufunc
    else:
        result = result if a_min is None else np.maximum(result, limits.pop(0))
        result = result if a_max is None else np.minimum(result, limits.pop(0))
    return result if out is None else _stored((out,), result)


@on_arrays(np.copyto, changes=(0, "dst"))
def _copyto(dst, src, casting="same_kind", where=True):
    if casting != "same_kind" or not isinstance(dst, TracedArray):
        raise RefusedError("np.copyto with options")
    dst[...] = src if where is True else _masked(where, src, dst)


def _masked(mask, elements, out):
    """The elements of `out` once those under a mask are replaced. Raises NumPy's TypeError where
    the mask is one of numbers.
    """
    of_one = np.zeros(1, new_arrays.type_of(mask)) if is_traced(mask) else np.asarray(mask).flat[:1]
    np.copyto(np.empty_like(of_one), of_one, where=of_one)
    return np.where(mask, wrap(elements_of(elements, out.dtype)), out)


@on_arrays(np.average)
def _average(a, axis=None, weights=None, **options):
    """Python computes it, or raises, where weights nearly cancel out."""
    if weights is None:
        return NotImplemented
    weights = weights if is_traced(weights) else CREATED[np.array](weights)
    along = axis if weights.ndim == a.ndim else None
    size = np.sum(np.abs(weights), axis=along)
    require(np.all(np.abs(np.sum(weights, axis=along)) > size * 1e-3).tensor)
    return _copied(np.average, a, axis, weights, **options)


@on_arrays(np.roll)
def _roll(a, shift, axis=None):
    if type(shift) is not TracedScalar:
        return NotImplemented
    if axis is None:
        return _roll(a.reshape(-1), shift, 0).reshape(a.shape)
    size = a.shape[operator.index(axis)]
    indices = (fresh(constant_of(np.arange(size))) - shift) % max(size, 1)
    return np.take(a, indices, axis)


DISPATCH.ufunc = apply_ufunc
DISPATCH.function = apply_function
