"""The functions of Python and NumPy that kernels may call, and the methods of arrays."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .kernel_types import INT64, UntranslatableError
from .llvm_values import Number, fabs, library, where
from .values import I8, I64, Array, Complex, memory_type


def _sizes(writer, shape) -> tuple:
    return tuple(map(writer.size, shape if isinstance(shape, tuple) else (shape,)))


# ---- numbers ---------------------------------------------------------------------------------


def _abs(writer, x):
    if not isinstance(x, Number):
        return abs(x)
    if x.is_float:
        return fabs(x)
    x = writer.number(x, np.dtype(np.uint64) if x.unsigned else INT64)
    return x if x.unsigned else where(x < 0, -x, x)


def _least(sign: str, /, writer, first, *rest):
    """`min` or `max` of scalars. Of equal ones, the first is the result."""
    for other in rest:
        if isinstance(first, (int, float)) and isinstance(other, (int, float)):
            first = (min if sign == "<" else max)(first, other)
            continue
        dtype = writer.meeting(None, first, other)
        x, y = writer.number(first, dtype), writer.number(other, dtype)
        first = where(y < x if sign == "<" else y > x, y, x)
    return first


def _divmod(writer, x, y):
    if isinstance(x, int) and isinstance(y, int):
        return divmod(x, y)
    x, y = writer.number(x, INT64), writer.number(y, INT64)
    quotient = x.floor_divided(y)
    return quotient, x - quotient * y


def _to(type_, writer, x):
    if not isinstance(x, Number):
        return type_(x)
    return writer.number(x, np.dtype(type_))


def _truth(writer, x):
    return writer.truth(x)


def _complex(writer, real, imag):
    """A complex number whose parts have the type of the first one."""
    real, imag = writer.number(real), writer.number(imag)
    return Complex(real, imag.cast(real.dtype))


least, _greatest = partial(_least, "<"), partial(_least, ">")


def _function(name: str, /, writer, x, *others):
    """A function of the C library for the type of its argument."""
    x = writer.number(x)
    return library(name)(x, *(writer.number(operand, x.dtype) for operand in others))


# ---- arrays ----------------------------------------------------------------------------------


def _len(writer, x):
    return len(x) if isinstance(x, tuple) else x.sizes[0]


def new_array(writer, shape, dtype=np.float64) -> Array:
    """`np.empty`."""
    return writer.new_array(np.dtype(dtype), _sizes(writer, shape))


def _zeros(writer, shape, dtype=np.float64) -> Array:
    return writer.new_array(np.dtype(dtype), _sizes(writer, shape), zeros=True)


def _full(writer, shape, value) -> Array:
    value = writer.number(value)
    array = writer.new_array(value.dtype, _sizes(writer, shape))
    fill(writer, array, value)
    return array


def fill(writer, array: Array, value) -> None:
    """Set every element to a value."""
    number = writer.number(value, array.dtype)
    writer.each_index(array.sizes, lambda indices: writer.write(array, indices, number))


def copy_elements(writer, target: Array, source: Array) -> None:
    """`target[:] = source`, with broadcasting."""
    rank = len(target.sizes) - len(source.sizes)
    if (
        target.dtype == source.dtype
        and target.strides is None
        and source.strides is None
        and not rank
    ):
        differ = [
            writer.builder.icmp_signed("!=", writer.int64(target_size), writer.int64(m))
            for target_size, m in zip(target.sizes, source.sizes, strict=True)
            if not (isinstance(target_size, int) and isinstance(m, int) and target_size == m)
        ]
        for test in differ:
            writer.fail_if(test)
        size = math.prod(target.sizes) * target.dtype.itemsize
        writer.move_bytes(target.data, source.data, size)
        return

    def copy(indices) -> None:
        own = [
            0 if isinstance(size, int) and size == 1 else index
            for size, index in zip(source.sizes, indices[rank:], strict=True)
        ]
        writer.write(target, indices, writer.read(source, own))

    writer.each_index(target.sizes, copy)


def reshaped(writer, array: Array, *shape) -> Array:
    """A view with another shape."""
    if array.strides is not None:
        raise UntranslatableError("another shape for an array that is not contiguous")
    sizes = _sizes(writer, shape[0] if isinstance(shape[0], tuple) else shape)
    return Array(array.dtype, array.data, sizes)


def _view(writer, array: Array, dtype) -> Array:
    """A view with another data type of the same size."""
    dtype = np.dtype(dtype)
    data = writer.builder.bitcast(array.data, memory_type(dtype).as_pointer())
    return Array(dtype, data, array.sizes, array.strides)


def _copy(writer, array: Array) -> Array:
    copy = writer.new_array(array.dtype, array.sizes)
    copy_elements(writer, copy, array)
    return copy


def address_of(writer, array: Array) -> Number:
    """The address of the first element."""
    return Number(writer.builder, writer.builder.ptrtoint(array.data, I64))


def array_at(writer, address, shape, dtype) -> Array:
    """The array at an address."""
    type_ = np.dtype(dtype)
    data = writer.builder.inttoptr(writer.int64(address), memory_type(type_).as_pointer())
    return Array(type_, data, _sizes(writer, shape))


def _all(writer, array: Array) -> Number:
    """Whether every element is true."""
    result = writer.on_stack(I8)
    writer.builder.store(I8(1), result)

    def look(indices) -> None:
        element = writer.truth(writer.read(array, indices)).value
        both = writer.builder.and_(writer.builder.load(result), writer.builder.zext(element, I8))
        writer.builder.store(both, result)

    writer.each_index(array.sizes, look)
    return Number(writer.builder, writer.builder.load(result)) != 0


SUPPORTED: dict[Any, Callable] = {
    builtins.abs: _abs,
    builtins.min: least,
    builtins.max: _greatest,
    builtins.divmod: _divmod,
    builtins.int: partial(_to, int),
    builtins.float: partial(_to, float),
    builtins.bool: _truth,
    builtins.complex: _complex,
    builtins.len: _len,
    np.empty: new_array,
    np.zeros: _zeros,
    np.full: _full,
    np.all: _all,
    np.sqrt: partial(_function, "sqrt"),
    np.log: partial(_function, "log"),
    np.exp: partial(_function, "exp"),
    np.log1p: partial(_function, "log1p"),
    np.nextafter: partial(_function, "nextafter"),
}

METHODS: dict[str, Callable] = {"reshape": reshaped, "view": _view, "copy": _copy}
