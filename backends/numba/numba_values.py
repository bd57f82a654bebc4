"""Types and values of kernels as those of Numba, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import models, register_model
from numba.np import numpy_support

from ...runtime.jit import values
from ...runtime.jit.kernel_types import ArrayType, Static, UntranslatableError, VectorType
from ...runtime.jit.llvm_values import Number
from ...runtime.jit.values import I64


class NumbaVector(types.Type):
    """Vectors in registers, as `VectorType`."""

    def __init__(self, vector: VectorType):
        self.vector = vector
        super().__init__(name=f"vector({vector.dtype}, {vector.length})")


@register_model(NumbaVector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, type_):
        super().__init__(manager, type_, values.llvm_types_of(type_.vector)[0])


def numba_type(type_):
    """The type of Numba for a type of kernels."""
    if isinstance(type_, np.dtype):
        return numpy_support.from_dtype(type_)
    if isinstance(type_, ArrayType):
        layout = "C" if type_.strides is None else "A"
        return types.Array(numpy_support.from_dtype(type_.dtype), len(type_.shape), layout)
    if isinstance(type_, VectorType):
        return NumbaVector(type_)
    if type(type_) is tuple:
        return types.Tuple(tuple(map(numba_type, type_)))
    if isinstance(type_, Static) and type_.value is None:
        return types.none
    raise UntranslatableError(f"{type_} has no type in Numba")


def kernel_type(type_):
    """The type of kernels for a type of Numba."""
    if isinstance(type_, types.NumberClass):
        return Static(numpy_support.as_dtype(type_.dtype).type)
    if isinstance(type_, types.DType):
        return Static(numpy_support.as_dtype(type_.dtype))
    if isinstance(type_, (types.IntegerLiteral, types.BooleanLiteral)):
        return Static(type_.literal_value)
    if isinstance(type_, (types.Number, types.Boolean)):
        return numpy_support.as_dtype(type_)
    if isinstance(type_, types.Array):
        unknown = (None,) * type_.ndim
        strides = None if type_.layout == "C" or not type_.ndim else unknown
        return ArrayType(numpy_support.as_dtype(type_.dtype), unknown, strides)
    if isinstance(type_, NumbaVector):
        return type_.vector
    if isinstance(type_, types.BaseTuple):
        return tuple(map(kernel_type, type_))
    raise UntranslatableError(f"kernels have no {type_}")


def parts_of(context, builder, type_: Any, value) -> list[ir.Value]:
    """The components that a value of Numba has in kernels."""
    if isinstance(kernel_type(type_), Static):
        return []
    if isinstance(type_, types.BaseTuple):
        elements = cgutils.unpack_tuple(builder, value)
        whole: Any = type_
        pairs = zip(whole, elements, strict=True)
        return [part for inner, one in pairs for part in parts_of(context, builder, inner, one)]
    if not isinstance(type_, types.Array):
        return [value]
    array = context.make_array(type_)(context, builder, value)
    parts = [array.data]
    if type_.ndim:
        parts += cgutils.unpack_tuple(builder, array.shape)
    if type_.layout != "C" and type_.ndim:
        size = I64(numpy_support.as_dtype(type_.dtype).itemsize)
        strides = cgutils.unpack_tuple(builder, array.strides)
        parts += [builder.sdiv(one, size, flags=["exact"]) for one in strides]
    return parts


def numba_value(context, builder, type_, parts: Iterator[ir.Value], result, owner=None):
    """The value of Numba for a result of kernels. `owner` holds the memory of an array."""
    if isinstance(result, ArrayType):
        array = values.value_of(builder, result, parts)
        return _numba_array(context, builder, type_, array, owner)
    if type(result) is tuple:
        pairs = zip(type_, result, strict=True)
        elements = [numba_value(context, builder, one, parts, inner, owner) for one, inner in pairs]
        return context.make_tuple(builder, type_, elements)
    if isinstance(result, Static):
        return context.get_dummy_value()
    return next(parts)


def _numba_array(context, builder, type_, array: values.Array, owner):
    from numba.np.arrayobj import populate_array

    made = context.make_array(type_)(context, builder)
    size = array.dtype.itemsize
    shape = [_word(one) for one in array.sizes]
    strides = [_word(one * size) for one in values.strides_of(array)] if shape else []
    populate_array(
        made,
        data=builder.bitcast(array.data, made.data.type),
        shape=shape,
        strides=strides,
        itemsize=I64(size),
        meminfo=owner,
    )
    return made._getvalue()


def _word(number: int | Number) -> ir.Value:
    return values.int64(number)


def owner_of(context, builder, signature, arguments):
    """What holds the memory of the first array among the arguments, if there is one."""
    for type_, value in zip(signature.args, arguments, strict=True):
        if isinstance(type_, types.Array):
            return context.make_array(type_)(context, builder, value).meminfo
    return None
