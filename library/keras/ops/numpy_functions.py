"""Functions of `keras.ops` that NumPy has too, with the arguments and the data types of Keras.

Each table holds signatures. Arrays are promoted to one data type before NumPy's function is
called; the rule of the table decides to which, and what the type of the result is. An argument
with a default is passed by its name, if it is given.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable

import numpy as np

from .... import DType, as_dtype, cast, float64, int32
from .... import bool as bool_
from ....extend.operations import NumpyNamespace
from ....extend.tracing import parsed
from .operations import operation
from .promotion import as_operand, common_dtype, floating, summing

ARRAYS = {"x", "x1", "x2", "xs", "y", "a", "array"}  # parameters that are promoted together
NUMPY = NumpyNamespace(np)
LIST = "xs"  # the parameter that is a list of arrays

FLOATS = """
angle(x) arccos(x) arccosh(x) arcsin(x) arcsinh(x) arctan(x) arctan2(x1, x2) arctanh(x) ceil(x)
cos(x) cosh(x) divide(x1, x2) exp(x) exp2(x) expm1(x) fabs(x) floor(x) log(x) log10(x) log1p(x)
log2(x) logaddexp(x1, x2) logaddexp2(x1, x2) mean(x, axis=None, keepdims=False)
median(x, axis=None, keepdims=False) nanmean(x, axis=None, keepdims=False)
nanstd(x, axis=None, keepdims=False)
nanvar(x, axis=None, keepdims=False) nextafter(x1, x2) sin(x) sinc(x) sinh(x) sqrt(x)
std(x, axis=None, keepdims=False) tan(x) tanh(x) true_divide(x1, x2)
var(x, axis=None, keepdims=False) percentile(x, q, axis=None, method='linear', keepdims=False)
quantile(x, q, axis=None, method='linear', keepdims=False)
"""
WIDER_FLOATS = """
cbrt(x) deg2rad(x) heaviside(x1, x2) hypot(x1, x2) rad2deg(x)
"""
SAME = """
add(x1, x2) amax(x, axis=None, keepdims=False) amin(x, axis=None, keepdims=False)
append(x1, x2, axis=None) bitwise_and(x, y) bitwise_invert(x) bitwise_left_shift(x, y)
bitwise_not(x) bitwise_or(x, y) bitwise_right_shift(x, y) bitwise_xor(x, y) broadcast_to(x, shape)
concatenate(xs, axis=0) conj(x) conjugate(x) copy(x)
cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None) diag(x, k=0) diagflat(x, k=0)
diagonal(x, offset=0, axis1=0, axis2=1) diff(a, n=1, axis=-1) dot(x1, x2) dstack(xs)
expand_dims(x, axis) flip(x, axis=None) fliplr(x) flipud(x) floor_divide(x1, x2) fmax(x1, x2)
fmin(x1, x2) gcd(x1, x2) hstack(xs) imag(x) inner(x1, x2) kron(x1, x2) lcm(x1, x2)
left_shift(x, y) matmul(x1, x2) max(x, axis=None, keepdims=False, initial=None) maximum(x1, x2)
min(x, axis=None, keepdims=False, initial=None) minimum(x1, x2) moveaxis(x, source, destination)
multiply(x1, x2) nan_to_num(x, nan=0.0, posinf=None, neginf=None)
nanmax(x, axis=None, keepdims=False) nanmin(x, axis=None, keepdims=False) negative(x) outer(x1, x2)
power(x1, x2) ptp(x, axis=None, keepdims=False) ravel(x) real(x) reciprocal(x)
repeat(x, repeats, axis=None) right_shift(x, y) roll(x, shift, axis=None)
rot90(array, k=1, axes=(0, 1)) round(x, decimals=0) sign(x) sort(x, axis=-1)
subtract(x1, x2) swapaxes(x, axis1, axis2) take_along_axis(x, indices, axis=None)
tensordot(x1, x2, axes=2) tile(x, repeats) transpose(x, axes=None) tril(x, k=0) triu(x, k=0)
vdot(x1, x2) vstack(xs)
correlate(x1, x2, mode='valid')
"""
SUMS = """
nanprod(x, axis=None, keepdims=False) nansum(x, axis=None, keepdims=False)
prod(x, axis=None, keepdims=False, dtype=None) sum(x, axis=None, keepdims=False)
trace(x, offset=0, axis1=0, axis2=1)
"""
RUNNING = """
cumprod(x, axis=None, dtype=None) cumsum(x, axis=None, dtype=None) fmod(x1, x2) mod(x1, x2)
square(x)
"""
COUNTS = """
argpartition(x, kth, axis=-1) argsort(x, axis=-1) count_nonzero(x, axis=None)
nanargmax(x, axis=None, keepdims=False) nanargmin(x, axis=None, keepdims=False)
"""
TRUTHS = """
all(x, axis=None, keepdims=False) allclose(x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False)
any(x, axis=None, keepdims=False) equal(x1, x2) greater(x1, x2) greater_equal(x1, x2)
isclose(x1, x2, rtol=1e-05, atol=1e-08, equal_nan=False)
isin(x1, x2, assume_unique=False, invert=False) less(x1, x2) less_equal(x1, x2)
logical_and(x1, x2) logical_not(x) logical_or(x1, x2) logical_xor(x1, x2)
not_equal(x1, x2) signbit(x)
"""
TESTS = "isfinite(x) isinf(x) isnan(x) isneginf(x) isposinf(x) isreal(x)"
LIFTED = "abs(x) absolute(x) trunc(x)"  # of bool: as of integers


def _wider(dtype: DType) -> DType:
    return floating(dtype, int64_as=float64)


def _no_bool(dtype: DType) -> DType:
    return int32 if dtype.is_bool else dtype


def _same(dtype: DType) -> DType:
    return dtype


# Tables, with the rules for the types of the operands and of the result.
RULES: list[tuple[str, Callable, Callable]] = [
    (FLOATS, floating, floating),
    (WIDER_FLOATS, _wider, _wider),
    (SAME, _same, _same),
    (SUMS, _same, summing),
    (RUNNING, _no_bool, _no_bool),
    (COUNTS, _same, lambda dtype: int32),
    (TRUTHS, _same, lambda dtype: bool_),
    (TESTS, floating, lambda dtype: bool_),
    (LIFTED, _no_bool, _same),
]


POSITIONAL_OR_KEYWORD = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _signature(parameters: str) -> inspect.Signature:
    """The signature that an entry of a table writes down.

    >>> _signature("x, axis=None")
    <Signature (x, axis=None)>
    """
    declared = parsed(f"lambda {parameters}: 0", "eval").body.args
    required = len(declared.args) - len(declared.defaults)
    defaults = [inspect.Parameter.empty] * required + [
        ast.literal_eval(one) for one in declared.defaults
    ]
    return inspect.Signature(
        [
            inspect.Parameter(one.arg, POSITIONAL_OR_KEYWORD, default=default)
            for one, default in zip(declared.args, defaults, strict=True)
        ]
    )


def _function(name: str, signature: inspect.Signature, before, after) -> Callable:
    """A function of `keras.ops` that calls NumPy's on tensors."""

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        arrays = [value for key in values.keys() & ARRAYS for value in _arrays(key, values[key])]
        dtype = common_dtype(*arrays)
        wanted = before(dtype)
        positional, named = [], {}
        for key, parameter in signature.parameters.items():
            value = values[key]
            if key in ARRAYS:
                value = [as_operand(array, wanted) for array in _arrays(key, value)]
                positional.append(value if key == LIST else value[0])
            elif parameter.default is parameter.empty:
                positional.append(value)
            elif value is not parameter.default:
                named[key] = value
        result = getattr(NUMPY, name)(*positional, **named)
        return _in_dtype(result, as_dtype(named.get("dtype") or after(dtype)))

    call.__name__ = call.__qualname__ = name
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = f"NumPy's `{name}` with the data types of Keras."
    return call


def _arrays(key: str, value) -> list:
    return list(value) if key == LIST else [value]


def _in_dtype(result, dtype: DType):
    tensor = as_operand(result)
    if dtype.is_complex or tensor.dtype.is_complex:  # the size of a complex number is real
        return tensor
    return tensor if tensor.dtype == dtype else cast(tensor, dtype)


for _table, _before, _after in RULES:
    for _name, _parameters in re.findall(r"(\w+)\(((?:[^()]|\([^()]*\))*)\)", _table):
        operation(_function(_name, _signature(_parameters), _before, _after), group="numpy")
