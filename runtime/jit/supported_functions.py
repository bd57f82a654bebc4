"""The functions of Python and NumPy that texts of kernels call, and the methods of arrays."""

from __future__ import annotations

import builtins
import math

import numpy as np

from .kernel_types import INT64, UntranslatableError
from .llvm_values import Number, fabs, library, where
from .values import BYTE, WORD, Array, memory_type


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


def _least(sign: str):
    """The smaller or larger one of numbers, of which the first counts where they are equal."""

    def write(writer, first, *rest):
        for other in rest:
            if isinstance(first, (int, float)) and isinstance(other, (int, float)):
                first = (min if sign == "<" else max)(first, other)
                continue
            dtype = writer.meeting(None, first, other)
            x, y = writer.number(first, dtype), writer.number(other, dtype)
            first = where(y < x if sign == "<" else y > x, y, x)
        return first

    return write


def _divmod(writer, x, y):
    if isinstance(x, int) and isinstance(y, int):
        return divmod(x, y)
    x, y = writer.number(x, INT64), writer.number(y, INT64)
    quotient = x.floor_divided(y)
    return quotient, x - quotient * y


def _to(kind):
    def write(writer, x):
        if not isinstance(x, Number):
            return kind(x)
        return writer.number(x, np.dtype(kind))

    return write


def _truth(writer, x):
    return writer.truth(x)


least, _greatest = _least("<"), _least(">")


def _function(name: str):
    """A function of the C library, in the precision of its argument."""

    def write(writer, x, *others):
        x = writer.number(x)
        return library(name)(x, *(writer.number(one, x.dtype) for one in others))

    return write


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
    made = writer.new_array(value.dtype, _sizes(writer, shape))
    fill(writer, made, value)
    return made


def fill(writer, array: Array, value) -> None:
    """Every element becomes the value."""
    number = writer.number(value, array.dtype)
    writer.each_place(array.sizes, lambda places: writer.write(array, places, number))


def copy_elements(writer, target: Array, source: Array) -> None:
    """`target[:] = source`; a source with one row, or one element, is used again."""
    rank = len(target.sizes) - len(source.sizes)
    if target.dtype == source.dtype and target.steps is None and source.steps is None and not rank:
        differ = [
            writer.builder.icmp_signed("!=", writer.word(one), writer.word(other))
            for one, other in zip(target.sizes, source.sizes, strict=True)
            if not (isinstance(one, int) and one == other)
        ]
        for test in differ:
            writer.fail_if(test)
        size = math.prod(target.sizes) * target.dtype.itemsize
        writer.move_bytes(target.data, source.data, size)
        return

    def copy(places) -> None:
        own = [
            0 if isinstance(size, int) and size == 1 else place
            for size, place in zip(source.sizes, places[rank:], strict=True)
        ]
        writer.write(target, places, writer.read(source, own))

    writer.each_place(target.sizes, copy)


def reshaped(writer, array: Array, *shape) -> Array:
    """A view with other sizes."""
    if array.steps is not None:
        raise UntranslatableError("other sizes for an array with gaps")
    sizes = _sizes(writer, shape[0] if isinstance(shape[0], tuple) else shape)
    return Array(array.dtype, array.data, sizes)


def _view(writer, array: Array, dtype) -> Array:
    """The same bytes as elements of another type of the same size."""
    dtype = np.dtype(dtype)
    data = writer.builder.bitcast(array.data, memory_type(dtype).as_pointer())
    return Array(dtype, data, array.sizes, array.steps)


def _copy(writer, array: Array) -> Array:
    made = writer.new_array(array.dtype, array.sizes)
    copy_elements(writer, made, array)
    return made


def address_of(writer, array: Array) -> Number:
    """Where the first element lies."""
    return Number(writer.builder, writer.builder.ptrtoint(array.data, WORD))


def array_at(writer, address, shape, dtype) -> Array:
    """The array that lies at an address."""
    kind = np.dtype(dtype)
    data = writer.builder.inttoptr(writer.word(address), memory_type(kind).as_pointer())
    return Array(kind, data, _sizes(writer, shape))


def _all(writer, array: Array) -> Number:
    """Whether every element is true."""
    found = writer.on_stack(BYTE)
    writer.builder.store(BYTE(1), found)

    def look(places) -> None:
        element = writer.truth(writer.read(array, places)).value
        both = writer.builder.and_(writer.builder.load(found), writer.builder.zext(element, BYTE))
        writer.builder.store(both, found)

    writer.each_place(array.sizes, look)
    return Number(writer.builder, writer.builder.load(found)) != 0


KNOWN = {
    builtins.abs: _abs,
    builtins.min: least,
    builtins.max: _greatest,
    builtins.divmod: _divmod,
    builtins.int: _to(int),
    builtins.float: _to(float),
    builtins.bool: _truth,
    builtins.len: _len,
    np.empty: new_array,
    np.zeros: _zeros,
    np.full: _full,
    np.all: _all,
    np.exp: _function("exp"),
    np.log1p: _function("log1p"),
    np.nextafter: _function("nextafter"),
}

METHODS = {"reshape": reshaped, "view": _view, "copy": _copy}
