"""Conversion between dtypes, and the components of complex numbers."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import (
    BOOLS,
    COMPLEX,
    NUMBERS,
    as_dtype,
    complex64,
    complex128,
    conversion,
    float32,
    float64,
)
from ...core.errors import DTypeError
from ...core.numpy_dtypes import is_complex
from ...core.public_names import public
from ...ir.node_properties import has_unknown_shape
from ...ir.op import Spec, broadcast_shapes
from ...tensors.apply import BEHAVIOR, apply, convert_to_tensor
from ...tensors.operation import hidden_op, op, ops
from ..shape_rules import real_like_input


@hidden_op
class Cast:
    """The values as another dtype: floats are truncated to integers, nonzero becomes True."""

    accepts = NUMBERS | BOOLS
    scalar = "{x}"

    def kernel(x, *, dtype):
        if is_complex(x.dtype) and not (dtype.is_complex or dtype.is_bool):
            x = x.real
        return x.astype(dtype.numpy_dtype)

    def result(x, *, dtype):
        return Spec(dtype, x.shape)

    def gradient(dy, y, x, *, dtype):
        return (cast(dy, x.dtype) if x.dtype.is_floating or x.dtype.is_complex else None,)


@public("cast", "dtypes.cast")
def cast(x, dtype, name=None):
    """`x` converted to another dtype, in the same shape.

    Floats are truncated towards zero when they become integers. Nonzero values become True.

    >>> ag.cast([1.9, -1.9], "int32").numpy()
    array([ 1, -1], dtype=int32)
    >>> ag.cast([0, 7], ag.bool).numpy()
    array([False,  True])

    Raises DTypeError for strings. Use `as_string` and `strings.to_number` for those.
    """
    dtype = as_dtype(dtype)
    x = convert_to_tensor(x)
    if x.dtype is dtype and BEHAVIOR.note is None:  # a cast makes a weak type strong
        return x
    if dtype.name == "string" or x.dtype.name == "string":
        cure = f"Write {conversion('x', x.dtype, dtype)}"
        raise DTypeError(f"cast: {x.dtype.name} cannot become {dtype.name}", cure)
    return apply(Cast, (x,), {"dtype": dtype}, name)


# ---- complex numbers -------------------------------------------------------------------------


@op
class Complex:
    """Complex numbers from real and imaginary components, which broadcast.

    Two float32 tensors give complex64, two float64 tensors complex128.

    >>> complex(ag.complex(1.0, 2.0))
    (1+2j)
    """

    may_raise = has_unknown_shape
    accepts = {float32, float64}
    public = ("complex", "dtypes.complex")
    scalar = "complex({real}, {imag})"
    of_components = True

    def kernel(real, imag):
        shape = np.broadcast_shapes(real.shape, imag.shape)
        result = np.empty(shape, _complex_dtype(real).numpy_dtype)
        result.real, result.imag = real, imag
        return result

    def result(real, imag):
        return Spec(_complex_dtype(real), broadcast_shapes(real, imag))

    def gradient(dy, y, re, im):
        return ops.real(dy), ops.imag(dy)


def _complex_dtype(real):
    return complex64 if real.dtype == float32 else complex128


@op
class Real:
    """The real part of each element: float32 for complex64, float64 for complex128.

    Real tensors are returned unchanged.

    >>> float(ag.math.real(1 + 2j))
    1.0
    """

    may_raise = has_unknown_shape
    accepts = NUMBERS
    may_return_operand = True
    of_components = True
    result = real_like_input
    inputs = ("x",)
    public = ("math.real",)

    def scalar(dtype):
        return "{x}.real" if dtype.is_complex else "{x}"

    def gradient(dy, y, x):
        return (ops.complex(dy, dy * 0) if x.dtype.is_complex else dy,)


@op
class Imag:
    """The imaginary part of each complex element, as a float of half the size.

    >>> float(ag.math.imag(1 + 2j))
    2.0
    """

    may_raise = has_unknown_shape
    accepts = COMPLEX
    may_return_operand = True
    scalar = "{x}.imag"
    of_components = True
    result = real_like_input
    inputs = ("x",)
    public = ("math.imag",)

    def gradient(dy, y, x):
        return (ops.complex(dy * 0, dy) if x.dtype.is_complex else dy * 0,)


@op
class Conj:
    """The complex conjugate of each element; real tensors are returned unchanged.

    >>> complex(ag.math.conj(1 + 2j))
    (1-2j)
    """

    accepts = NUMBERS
    kernel = np.conjugate
    scalar = "{x}"  # native code has real numbers only
    public = ("math.conj",)

    def gradient(dy, y, x):
        return (ops.conj(dy),)


@op
class Angle:
    """The argument (angle in radians) of each element; for real numbers 0, or pi if negative.

    >>> ag.math.angle([1j, -1.0]).numpy().round(3)
    array([1.571, 3.142])
    """

    may_raise = has_unknown_shape
    accepts = NUMBERS
    result = real_like_input
    public = ("math.angle",)

    def kernel(x):
        real = np.real(x)
        return np.arctan2(np.imag(x), real).astype(real.dtype, copy=False)

    def gradient(dy, y, x):
        if not x.dtype.is_complex:
            return (None,)
        return (ops.complex(-dy, dy * 0) / ops.complex(ops.imag(x), ops.real(x)),)
