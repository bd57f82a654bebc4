"""New arrays, whose memory Numba counts, and indices of arrays."""

from __future__ import annotations

from numba.core import cgutils, types
from numba.core.extending import intrinsic
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.np.arrayobj import _empty_nd_impl, _parse_shape


@intrinsic
def empty(typing, shape, dtype):
    """`np.empty`."""
    return _new_array(shape, dtype, zeros=False)


@intrinsic
def zeros(typing, shape, dtype):
    """`np.zeros`."""
    return _new_array(shape, dtype, zeros=True)


def _new_array(shape, dtype, zeros: bool):
    type_ = types.Array(parse_dtype(dtype), parse_shape(shape), "C")

    def write(context, builder, signature, arguments):
        sizes = _parse_shape(context, builder, shape, arguments[0])
        array = _empty_nd_impl(context, builder, type_, sizes)
        if zeros:
            cgutils.memset(builder, array.data, builder.mul(array.itemsize, array.nitems), 0)
        return array._getvalue()

    return type_(shape, dtype), write


@intrinsic
def index(typing, number):
    """An index that is not negative."""
    type_ = types.uintp if isinstance(number, types.Integer) and number.signed else number

    def write(context, builder, signature, arguments):
        (given,) = arguments
        is_same = signature.return_type == signature.args[0]
        return given if is_same else context.cast(builder, given, signature.args[0], types.intp)

    return type_(number), write
