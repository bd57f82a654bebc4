"""Strings: lengths, numbers that they hold, joined strings, templates with tensors in them."""

from __future__ import annotations

import numpy as np

from ...core.deferred_strings import Items, check_holes, fill
from ...core.dtypes import ANY, STRINGS, int32, string
from ...core.errors import InvalidArgumentError
from ...core.public_names import public
from ...core.shapes import normal_axes
from ...ir.op import Spec
from ...tensors.apply import apply
from ...tensors.operation import hidden_op
from ...tensors.tensor import EagerTensor
from ..math.reductions import static_axis
from ..shape_rules import reduced_shape


def map_elements(function, x, dtype=object) -> np.ndarray:
    """`function` applied to each element, as an array of the same shape."""
    x = np.asarray(x)
    result = np.empty(x.size, dtype)
    for index, item in enumerate(x.reshape(-1)):
        result[index] = function(item)
    return result.reshape(x.shape)


@hidden_op
class StringLength:
    """The number of bytes, or of characters, of each string."""

    accepts = STRINGS
    elementwise = True

    def kernel(x, *, unit):
        measure = len if unit == "BYTE" else lambda string_: len(string_.decode("utf-8", "replace"))
        return map_elements(measure, x, np.int32)

    def result(x, *, unit):
        return Spec(int32, x.shape)


@hidden_op
class ToNumber:
    """Strings parsed as numbers."""

    accepts = STRINGS
    elementwise = True
    moves_only = True

    def kernel(x, *, dtype):
        try:
            return map_elements(int if dtype.is_integer else float, x, dtype.numpy_dtype)
        except (ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"strings.to_number: {error}") from None

    def result(x, *, dtype):
        return Spec(dtype, x.shape)


@hidden_op
class ReduceJoin:
    """Strings joined along axes."""

    accepts = STRINGS

    def kernel(input, *, axis, keepdims, separator):
        x = np.asarray(input, object)
        for dimension in sorted(normal_axes(axis, x.ndim), reverse=True):
            rows = np.moveaxis(x, dimension, -1)
            joined = np.empty(rows.shape[:-1], object)
            for index in np.ndindex(joined.shape):
                joined[index] = separator.encode().join(rows[index])
            x = np.expand_dims(joined, dimension) if keepdims else joined
        return x

    def result(input, *, axis, keepdims, separator):
        return Spec(string, reduced_shape(input, axis, keepdims))


@public("strings.reduce_join")
def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Strings joined along `axis` (all axes for None), with `separator` between them.

    `keepdims=True` keeps the reduced axes with size 1.

    >>> ag.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-").numpy().tolist()
    [b'a-b', b'c-d']
    """
    attrs = {"axis": static_axis(axis), "keepdims": keepdims, "separator": separator}
    return apply(ReduceJoin, (inputs,), attrs, name)


@hidden_op
class FormatText:
    """The string `form`, whose holes are filled with the values of `data`."""

    accepts = {"data": ANY}
    inputs = ("*data",)

    def kernel(*data, form):
        return np.array(fill(form, [EagerTensor(array) for array in data]).encode(), object)

    def result(*data, form):
        if not (isinstance(form, Items) and form.make == "str"):
            raise ValueError("format_text: the form is that of a string")
        check_holes(form, len(data))
        return Spec(string, ())
