"""Elementwise comparison and the float predicates."""

from __future__ import annotations

import math

import numpy as np

from ...core.dtypes import ANY, FLOATS, REALS, int32, string
from ...core.errors import DTypeError, OutOfScopeError, ShapeError, SymbolicValueError
from ...core.public_names import public
from ...ir.op import TABLE
from ...tensors.apply import constant_of, convert_to_tensor, tensor_of
from ...tensors.operation import attach_method, op
from ...tensors.python_numbers import is_python_value, is_range, never_equal
from ..shape_rules import bool_like_input, broadcast_to_bool


@op
class Equal:
    """`x == y` for each element, as bool; the shapes broadcast.

    >>> ag.equal([1, 2], 2).numpy()
    array([False,  True])
    """

    accepts = ANY
    result = broadcast_to_bool
    scalar = "{x} == {y}"
    negation = "not_equal"
    swapped = "equal"


@op
class NotEqual:
    """`x != y` for each element, as bool; the shapes broadcast.

    >>> ag.not_equal([1, 2], 2).numpy()
    array([ True, False])
    """

    accepts = ANY
    result = broadcast_to_bool
    scalar = "{x} != {y}"
    negation = "equal"
    swapped = "not_equal"


@op
class Less:
    """`x < y` for each element, as bool; the shapes broadcast.

    >>> ag.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """

    accepts = REALS
    result = broadcast_to_bool
    scalar = "{x} < {y}"
    negation = "greater_equal"
    swapped = "greater"
    operator = ("__lt__",)


@op
class LessEqual:
    """`x <= y` for each element, as bool; the shapes broadcast.

    >>> ag.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """

    accepts = REALS
    result = broadcast_to_bool
    scalar = "{x} <= {y}"
    negation = "greater"
    swapped = "greater_equal"
    operator = ("__le__",)


@op
class Greater:
    """`x > y` for each element, as bool; the shapes broadcast.

    >>> ag.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """

    accepts = REALS
    result = broadcast_to_bool
    scalar = "{x} > {y}"
    negation = "less_equal"
    swapped = "less"
    operator = ("__gt__",)


@op
class GreaterEqual:
    """`x >= y` for each element, as bool; the shapes broadcast.

    >>> ag.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """

    accepts = REALS
    result = broadcast_to_bool
    scalar = "{x} >= {y}"
    negation = "less"
    swapped = "less_equal"
    operator = ("__ge__",)


@op
class IsNan:
    """Whether each float is NaN, as bool.

    >>> ag.math.is_nan([1.0, float("nan")]).numpy()
    array([False,  True])
    """

    accepts = FLOATS
    kernel = np.isnan
    result = bool_like_input
    scalar = "{x} != {x}"
    public = ("math.is_nan",)


@op
class IsInf:
    """Whether each float is infinite, as bool.

    >>> ag.math.is_inf([1.0, float("-inf")]).numpy()
    array([False,  True])
    """

    accepts = FLOATS
    kernel = np.isinf
    result = bool_like_input
    scalar = "isinf({x})"
    public = ("math.is_inf",)


@op
class IsFinite:
    """Whether each float is neither infinite nor NaN, as bool.

    >>> ag.math.is_finite([1.0, float("inf"), float("nan")]).numpy()
    array([ True, False, False])
    """

    accepts = FLOATS
    kernel = np.isfinite
    result = bool_like_input
    scalar = "isfinite({x})"
    public = ("math.is_finite",)


_COMPARABLE = (
    bool, int, float, complex, str, bytes, list, tuple, np.ndarray, np.generic,
)  # fmt: skip


def _comparison(op_of, unlike: bool):
    """The operator: an elementwise comparison, or `unlike` for operands that are never equal.

    These are None, objects that are neither numbers nor strings, and a number compared with a
    string. For an array whose shape does not broadcast the result is a scalar tensor of `unlike`.
    Tensors of different dtypes raise DTypeError. A Python number is compared by its value, whether
    or not the data type of the tensor can hold it.
    """

    def operator(self, other):
        if is_range(self) or is_range(other):
            if all(isinstance(operand, range) or is_range(operand) for operand in (self, other)):
                raise SymbolicValueError(
                    "ranges are compared whose items are known only when the graph runs",
                    "Compare lists: list(range(n)) == list(range(3)).",
                )
            return unlike
        if not isinstance(other, _COMPARABLE) and tensor_of(other) is None:
            return unlike
        if (isinstance(other, (list, tuple)) and is_python_value(self)) or never_equal(self, other):
            return unlike
        try:
            return op_of(self, other)
        except (DTypeError, OutOfScopeError):
            raise
        except ShapeError:
            return constant_of(np.array(unlike))
        except TypeError:
            if self.dtype is string or isinstance(other, (str, bytes)):
                return unlike
            if type(other) not in (bool, int, float, complex):
                if np.asarray(other).dtype.kind in "biufc":
                    raise  # the values of a list, which the data type cannot hold
                return unlike
            return _compared_by_value(op_of, self, other, unlike)

    return operator


def _compared_by_value(op_of, tensor, number, unlike: bool):
    """A tensor compared with a Python number that is not of its data type."""
    if tensor.dtype.is_bool:
        tensor = TABLE["cast"](tensor, dtype=int32)
    if isinstance(number, bool):
        number = int(number)
    if isinstance(number, complex) and number.imag == 0:
        number = number.real
    if not isinstance(number, complex) and math.isfinite(number):
        if not tensor.dtype.is_integer:
            return op_of(tensor, number)
        if number == int(number) and tensor.dtype.min <= number <= tensor.dtype.max:
            return op_of(tensor, int(number))
    never = TABLE["less"](tensor, tensor)
    return TABLE["logical_not"](never) if unlike else never


attach_method("__eq__", _comparison(Equal, False))
attach_method("__ne__", _comparison(NotEqual, True))


@public("math.is_close")
def is_close(x, y, rtol=1e-5, atol=1e-8):
    """Whether `abs(x - y) <= atol + rtol * abs(y)`, as bool for each element.

    Equal infinities are close. NaN is close to nothing, not even NaN. The shapes broadcast.

    >>> ag.math.is_close([1.0, 2.0], [1.0000001, 2.1]).numpy()
    array([ True, False])
    """
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype_hint=x.dtype)
    return Equal(x, y) | (LessEqual(abs(x - y), abs(y) * rtol + atol) & IsFinite(y))
