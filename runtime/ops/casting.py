"""Changing the data type, and the parts of complex numbers."""

from __future__ import annotations

import numpy as np

from ..apply import apply, convert_to_tensor
from ..dtypes import BOOLS, COMPLEX, NUMBERS, STRINGS, as_dtype
from ..op import Spec, op
from ..vocabulary import public
from .rules import same_as_input


@op
class Cast:
    """The values as another type: floats are cut to integers, numbers are true unless 0."""

    accepts = NUMBERS | BOOLS
    hidden = True
    scalar = "{x}"

    def kernel(x, *, dtype):
        return x.astype(dtype.numpy_dtype)

    def result(x, *, dtype):
        return Spec(dtype, x.shape)


@public("cast")
def cast(x, dtype, name=None):
    """`x` as another type.

    >>> cast([1.9, -1.9], "int32").numpy()
    array([ 1, -1], dtype=int32)
    """
    dtype = as_dtype(dtype)
    x = convert_to_tensor(x)
    return x if x.dtype is dtype else apply(Cast, (x,), {"dtype": dtype})


@public("saturate_cast")
def saturate_cast(value, dtype, name=None):
    """`value` as another type, values outside its limits replaced by them."""
    from .elementwise import Maximum, Minimum

    dtype, value = as_dtype(dtype), convert_to_tensor(value)
    low, high = max(dtype.min, value.dtype.min), min(dtype.max, value.dtype.max)
    return cast(Minimum(Maximum(value, low), high), dtype)


@op
class Real:
    """The real part."""

    accepts = NUMBERS
    public = ("math.real",)

    def kernel(x):
        return np.real(x)

    def result(x):
        return Spec(x.dtype.real_dtype, x.shape)


@op
class Imag:
    """The imaginary part."""

    accepts = COMPLEX
    public = ("math.imag",)

    def kernel(x):
        return np.imag(x)

    def result(x):
        return Spec(x.dtype.real_dtype, x.shape)


@op
class Conj:
    """The complex conjugate."""

    accepts = NUMBERS
    kernel = np.conjugate
    result = same_as_input
    inputs = ("x",)
    public = ("math.conj",)


@op
class AsString:
    """Numbers as text.

    >>> import allograph as ag
    >>> ag.strings.as_string([1, 20]).numpy().tolist()
    [b'1', b'20']
    """

    accepts = NUMBERS | BOOLS | STRINGS
    public = ("as_string", "strings.as_string")

    def kernel(x):
        out = np.empty(x.shape, object)
        flat = out.reshape(-1)
        for place, item in enumerate(np.asarray(x).reshape(-1)):
            flat[place] = item if isinstance(item, bytes) else _text(item)
        return flat.reshape(x.shape)

    def result(x):
        return Spec(as_dtype("string"), x.shape)


def _text(item) -> bytes:
    if isinstance(item, np.bool_):
        return b"true" if item else b"false"
    return (f"{item:f}" if isinstance(item, np.floating) else str(item)).encode()
