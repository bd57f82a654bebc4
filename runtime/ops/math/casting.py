"""Changing the data type, and the parts of complex numbers."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import (
    BOOLS,
    COMPLEX,
    NUMBERS,
    as_dtype,
    complex64,
    complex128,
    float32,
    float64,
)
from ...core.errors import DTypeError, ShapeError
from ...core.public_names import public
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import op, ops
from ..shape_rules import broadcast_shapes, real_like_input, same_as_input
from .elementwise import Maximum, Minimum


@op
class Cast:
    """The values as another type: floats are cut to integers, numbers are true unless 0."""

    accepts = NUMBERS | BOOLS
    hidden = True
    scalar = "{x}"

    def kernel(x, *, dtype):
        if x.dtype.kind == "c" and not (dtype.is_complex or dtype.is_bool):
            x = x.real
        return x.astype(dtype.numpy_dtype)

    def result(x, *, dtype):
        return Spec(dtype, x.shape)

    def gradient(dy, y, x, *, dtype):
        return (cast(dy, x.dtype) if x.dtype.is_floating or x.dtype.is_complex else None,)


@public("cast")
def cast(x, dtype, name=None):
    """`x` as another type: floats are cut to integers, numbers are true unless 0.

    >>> ag.cast([1.9, -1.9], "int32").numpy()
    array([ 1, -1], dtype=int32)
    >>> ag.cast([0, 7], ag.bool).numpy()
    array([False,  True])

    Raises DTypeError for texts, which `as_string` writes and `strings.to_number` reads.
    """
    dtype = as_dtype(dtype)
    x = convert_to_tensor(x)
    if x.dtype is dtype:
        return x
    if dtype.name == "string" or x.dtype.name == "string":
        cure = "Use ag.as_string." if dtype.name == "string" else "Use ag.strings.to_number."
        raise DTypeError(f"cast: {x.dtype.name} cannot become {dtype.name}", cure)
    return apply(Cast, (x,), {"dtype": dtype}, name)


@public("saturate_cast")
def saturate_cast(value, dtype, name=None):
    """`value` as another type, values outside its limits replaced by the nearest inside.

    >>> ag.saturate_cast([-5, 300], "uint8").numpy()
    array([  0, 255], dtype=uint8)
    """
    dtype, value = as_dtype(dtype), convert_to_tensor(value)
    low, high = _common_limits(value.dtype, dtype)
    return cast(Minimum(Maximum(value, low), high), dtype)


def _common_limits(source, target) -> tuple:
    """The smallest and largest numbers of `source` that `target` can hold."""
    low = max(source.min, target.min, key=float)
    high = min(source.max, target.max, key=float)
    return _rounded_inwards(low, source, np.inf), _rounded_inwards(high, source, -np.inf)


def _rounded_inwards(limit, dtype, direction: float) -> np.ndarray:
    """A limit as a number of a type: where it has none for it, the next one in a direction."""
    if dtype.is_integer:
        return np.array(int(limit), dtype.numpy_dtype)
    number = np.array(limit, dtype.numpy_dtype)
    if np.isfinite(number) and abs(int(number)) <= abs(int(limit)):
        return number
    return np.nextafter(number, number.dtype.type(direction))


# ---- complex numbers -------------------------------------------------------------------------


@op
class Complex:
    """The complex number with these parts; two float32 make a complex64, two float64 a complex128.

    >>> complex(ag.complex(1.0, 2.0))
    (1+2j)
    """

    accepts = {float32, float64}
    public = ("complex", "dtypes.complex")

    def kernel(real, imag):
        shape = np.broadcast_shapes(real.shape, imag.shape)
        made = np.empty(shape, _joined(real).numpy_dtype)
        made.real, made.imag = real, imag
        return made

    def result(real, imag):
        return Spec(_joined(real), broadcast_shapes(real, imag))

    def gradient(dy, y, re, im):
        return ops.real(dy), ops.imag(dy)


def _joined(real):
    return complex64 if real.dtype == float32 else complex128


@op
class Real:
    """The real part.

    >>> float(ag.math.real(1 + 2j))
    1.0
    """

    accepts = NUMBERS
    kernel = np.real
    result = real_like_input
    inputs = ("x",)
    public = ("math.real",)

    def gradient(dy, y, x):
        return (ops.complex(dy, dy * 0) if x.dtype.is_complex else dy,)


@op
class Imag:
    """The imaginary part.

    >>> float(ag.math.imag(1 + 2j))
    2.0
    """

    accepts = COMPLEX
    kernel = np.imag
    result = real_like_input
    inputs = ("x",)
    public = ("math.imag",)

    def gradient(dy, y, x):
        return (ops.complex(dy * 0, dy) if x.dtype.is_complex else dy * 0,)


@op
class Conj:
    """The complex conjugate.

    >>> complex(ag.math.conj(1 + 2j))
    (1-2j)
    """

    accepts = NUMBERS
    kernel = np.conjugate
    result = same_as_input
    scalar = "{x}"  # of real numbers: native code has no others
    inputs = ("x",)
    public = ("math.conj",)

    def gradient(dy, y, x):
        return (ops.conj(dy),)


@op
class Angle:
    """The angle of each complex number; of a real one 0, or pi where it is negative.

    >>> ag.math.angle([1j, -1.0]).numpy().round(3)
    array([1.571, 3.142])
    """

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


# ---- the same bits ---------------------------------------------------------------------------


@op
class Bitcast:
    """The same bits, read as another type of the same size."""

    accepts = NUMBERS
    hidden = True
    moves_only = True

    def kernel(x, *, dtype):
        return np.asarray(x).view(dtype.numpy_dtype)

    def result(x, *, dtype):
        return Spec(dtype, x.shape)


@public("bitcast")
def bitcast(input, type, name=None):
    """The same bits, read as another type of the same size.

    >>> hex(int(ag.bitcast(1.0, ag.int32)))
    '0x3f800000'

    Raises ShapeError where the sizes differ.
    """
    dtype, x = as_dtype(type), convert_to_tensor(input)
    if dtype.size != x.dtype.size:
        raise ShapeError(
            f"bitcast: {x.dtype.name} has {x.dtype.size} bytes, {dtype.name} has {dtype.size}",
            "Give a type of the same size.",
        )
    return Bitcast(x, dtype=dtype, name=name)
