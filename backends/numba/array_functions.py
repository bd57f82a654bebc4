"""New arrays, whose memory Numba counts, and indices of arrays."""

from __future__ import annotations

import math
from typing import Any

from numba.core import cgutils, types
from numba.core.extending import intrinsic
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.np.arrayobj import _empty_nd_impl, _parse_shape, np_cfarray

from ...runtime.core.thresholds import ON_STACK
from ...runtime.jit.function_writer import ALIGNED, ON_STACK_AT_MOST
from ...runtime.jit.values import I64


@intrinsic(prefer_literal=True)
def empty(typing, shape, dtype):
    """`np.empty`."""
    return _new_array(shape, dtype, zeros=False)


@intrinsic(prefer_literal=True)
def zeros(typing, shape, dtype):
    """`np.zeros`."""
    return _new_array(shape, dtype, zeros=True)


def _new_array(shape, dtype, zeros: bool):
    type_ = types.Array(parse_dtype(dtype), parse_shape(shape), "C")
    known: list[Any] = [
        getattr(one, "literal_value", None) for one in getattr(shape, "types", [shape])
    ]
    count = None if None in known else math.prod(known)

    def write(context, builder, signature, arguments):
        sizes = _parse_shape(context, builder, shape, arguments[0])
        array = None if count is None else _on_stack(context, builder, type_, sizes, count)
        array = array or _empty_nd_impl(context, builder, type_, sizes)
        if zeros:
            cgutils.memset(builder, array.data, builder.mul(array.itemsize, array.nitems), 0)
        return array._getvalue()

    return type_(shape, dtype), write


def _on_stack(context, builder, type_, sizes, count: int):
    """An array on the stack, as our own compiler puts it there; None where it is too large."""
    size = count * context.get_abi_sizeof(context.get_data_type(type_.dtype))
    function = builder.function
    stacked = getattr(function, "stacked", 0) + size
    if size > ON_STACK or stacked > ON_STACK_AT_MOST:
        return None
    function.stacked = stacked
    data = cgutils.alloca_once(builder, context.get_data_type(type_.dtype), I64(max(count, 1)))
    data.align = ALIGNED
    shape = types.UniTuple(types.intp, type_.ndim)
    whole = context.make_tuple(builder, shape, sizes)
    signature = type_(types.voidptr, shape, types.none)
    made = np_cfarray(context, builder, signature, (data, whole, None))
    return context.make_array(type_)(context, builder, made)


@intrinsic
def array_from(typing, pointer, shape, dtype):
    """The array at a pointer, of which LLVM may know that no other one reaches its memory."""
    type_ = types.Array(parse_dtype(dtype), parse_shape(shape), "C")
    return type_(pointer, shape, dtype), np_cfarray


@intrinsic
def index(typing, number):
    """An index that is not negative."""
    type_ = types.uintp if isinstance(number, types.Integer) and number.signed else number

    def write(context, builder, signature, arguments):
        (given,) = arguments
        is_same = signature.return_type == signature.args[0]
        return given if is_same else context.cast(builder, given, signature.args[0], types.intp)

    return type_(number), write
