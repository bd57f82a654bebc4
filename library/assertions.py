"""Assertions about values, ranks and dtypes of tensors: `ag.debugging.assert_...`.

Assertions about values are checked when the program runs.
"""

from __future__ import annotations

import numpy as np

from .. import as_dtype, convert_to_tensor, debugging, reduce_all
from ..extend.errors import DTypeError, ShapeError
from ..extend.operations import OPERATIONS, ops
from ..extend.operations import check as check_
from ..extend.registration import public
from ..extend.specs import show


def _comparing(name: str, relation: str) -> None:
    """Define `debugging.{name}(x, y)`, the assertion that the comparison `relation` is true."""
    compare = OPERATIONS[relation]

    def check(x, y, message=None, summarize=3, name=name):
        x = convert_to_tensor(x)
        y = convert_to_tensor(y, dtype_hint=x.dtype)
        details = message or f"{name}: the condition x {_SIGNS[relation]} y is false"
        check_(reduce_all(compare(x, y)), [details, "; x: ", x, ", y: ", y], summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raise AssertionFailedError unless `x {_SIGNS[relation]} y` for all elements.

    The shapes broadcast. The check runs when the program runs. `message` replaces the first line
    of the error. `summarize` elements are shown at both ends of each axis.

    >>> ag.debugging.{name}({_EXAMPLES[relation]})
    """
    at_root = (name,) if name in ("assert_equal", "assert_less", "assert_greater") else ()
    public("debugging." + name, *at_root)(check)


_SIGNS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
_EXAMPLES = {
    "equal": "1, 1",
    "not_equal": "1, 2",
    "less": "1, 2",
    "less_equal": "1, 1",
    "greater": "2, 1",
    "greater_equal": "1, 1",
}

for _relation in _SIGNS:
    _comparing("assert_" + _relation.replace("not_equal", "none_equal"), _relation)


def _signed(name: str, relation: str) -> None:
    """Define `debugging.{name}(x)`, the assertion that a comparison of `x` with 0 is true."""
    compare = OPERATIONS[relation]

    def check(x, message=None, summarize=3, name=name):
        x = convert_to_tensor(x)
        details = message or f"{name}: the condition x {_SIGNS[relation]} 0 is false"
        check_(reduce_all(compare(x, 0)), [details, "; x: ", x], summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Raise AssertionFailedError unless `x {_SIGNS[relation]} 0` for all elements.

    The check runs when the program runs. `message` replaces the first line of the error.
    `summarize` elements are shown at both ends of each axis.

    >>> ag.debugging.{name}({1 if "greater" in relation else -1})
    """
    public("debugging." + name)(check)


for _name, _relation in (
    ("assert_positive", "greater"),
    ("assert_negative", "less"),
    ("assert_non_negative", "greater_equal"),
    ("assert_non_positive", "less_equal"),
):
    _signed(_name, _relation)


@public("debugging.assert_near")
def assert_near(x, y, rtol=None, atol=None, message=None, summarize=3, name=None):
    """Raise AssertionFailedError unless `abs(x - y) <= atol + rtol * abs(y)` for all elements.

    The shapes broadcast. Both tolerances default to ten times the machine epsilon of the dtype.

    >>> ag.debugging.assert_near(1.0, 1.0000001)
    """
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype_hint=x.dtype)
    tolerance = 10 * float(np.finfo(x.dtype.numpy_dtype).eps)
    rtol, atol = (tolerance if one is None else one for one in (rtol, atol))
    near = ops.less_equal(abs(x - y), abs(y) * rtol + atol)
    details = message or "assert_near: x and y differ by more than the tolerance"
    check_(reduce_all(near), [details, "; x: ", x, ", y: ", y], summarize)


@public("debugging.assert_all_finite")
def assert_all_finite(x, message, name=None):
    """`x`, checked to have no NaN and no infinity.

    >>> float(ag.debugging.assert_all_finite(1.5, "the loss"))
    1.5

    Raises AssertionFailedError with `message` when the program runs.
    """
    x = convert_to_tensor(x)
    check_(reduce_all(ops.is_finite(x)), [message, "; x: ", x])
    return x


# ---- ranks and dtypes ------------------------------------------------------------------------


@public("debugging.assert_rank", "assert_rank")
def assert_rank(x, rank, message=None, name=None):
    """Raise ShapeError unless `x` has `rank` axes.

    If the rank is unknown while tracing, it is checked when the program runs, and
    InvalidArgumentError is raised.

    >>> ag.debugging.assert_rank([[1, 2]], 2)
    """
    x = convert_to_tensor(x)
    if x.ndim is None:
        debugging.Assert(
            ops.rank(x) == rank,
            [message or f"assert_rank: the rank is not {rank} but", ops.rank(x)],
        )
    elif x.ndim != rank:
        raise ShapeError(
            message or f"assert_rank: the shape {show(x.dims)} does not have {rank} axes"
        )


@public("debugging.assert_scalar")
def assert_scalar(tensor, name=None, message=None):
    """`tensor`, checked to be a scalar. Raises ShapeError otherwise.

    >>> int(ag.debugging.assert_scalar(7))
    7
    """
    tensor = convert_to_tensor(tensor)
    assert_rank(tensor, 0, message)
    return tensor


@public("debugging.assert_type")
def assert_type(tensor, tf_type, message=None, name=None):
    """Raise DTypeError unless `tensor` has the dtype `tf_type`.

    >>> ag.debugging.assert_type(1.5, ag.float32)
    """
    tensor, wanted = convert_to_tensor(tensor), as_dtype(tf_type)
    if tensor.dtype is not wanted:
        raise DTypeError(
            message or f"assert_type: the dtype is {tensor.dtype.name}, not {wanted.name}"
        )


@public("debugging.assert_integer")
def assert_integer(x, message=None, name=None):
    """Raise DTypeError unless the dtype of `x` is an integer type.

    >>> ag.debugging.assert_integer(1)
    """
    x = convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise DTypeError(
            message or f"assert_integer: the dtype is {x.dtype.name}, not an integer type"
        )


@public("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor) -> bool:
    """Whether `tensor` is a tensor with a numeric dtype, which excludes bool and string.

    >>> ag.debugging.is_numeric_tensor(ag.constant(1)), ag.debugging.is_numeric_tensor("a")
    (True, False)
    """
    dtype = getattr(tensor, "dtype", None)
    return dtype is not None and as_dtype(dtype).is_numeric
