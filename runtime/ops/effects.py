"""Operations with effects: printing, assertions, calling Python."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..apply import BUILDER, apply, convert_to_tensor, tensor_of
from ..dtypes import ANY, BOOLS, FLOATS, as_dtype
from ..errors import InvalidArgumentError
from ..op import WRITES, Spec, op
from ..tensor import EagerTensor
from ..vocabulary import public


@op
class Print:
    """Write values where the program stands."""

    hidden = True
    effect = WRITES
    accepts = {"values": ANY}
    inputs = ("*values",)

    def kernel(*values, template, summarize, stream, end):
        texts = iter([show_value(np.asarray(value), summarize) for value in values])
        write("".join(next(texts) if part is None else part for part in template) + end, stream)
        return ()

    def result(*values, template, summarize, stream, end):
        return ()


def write(text: str, stream) -> None:
    """To a stream object, `sys.stdout`, `sys.stderr` (the default) or `file://path`."""
    if isinstance(stream, str) and stream.startswith("file://"):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as handle:
            handle.write(text)
        return
    named = {None: sys.stderr, "stderr": sys.stderr, "stdout": sys.stdout}
    target = stream if hasattr(stream, "write") else named[stream]
    target.write(text)
    target.flush()


def show_value(array: np.ndarray, summarize: int) -> str:
    """An array as `print` shows it: `[1 2 3]`, rows below each other, the middle left out."""
    if array.ndim == 0:
        return show_scalar(array[()])
    return _show_rows(array, summarize, 1)


def _show_rows(array, summarize, depth) -> str:
    shown = list(array)
    if summarize >= 0 and len(shown) > 2 * summarize:
        cut = [*shown[:summarize], ..., *shown[len(shown) - summarize :]]
    else:
        cut = shown
    if array.ndim == 1:
        return "[" + " ".join("..." if item is ... else show_scalar(item) for item in cut) + "]"
    gap = "\n" * (array.ndim - 1) + " " * depth
    return (
        "["
        + gap.join("..." if item is ... else _show_rows(item, summarize, depth + 1) for item in cut)
        + "]"
    )


def show_scalar(item) -> str:
    if isinstance(item, bytes):
        return item.decode(errors="replace")
    if isinstance(item, (np.bool_, bool)):
        return "1" if item else "0"
    if isinstance(item, np.floating):
        digits = {2: 5, 4: 9}.get(item.itemsize, 17)
        return shortest(item, digits)
    return str(item)


def shortest(item, digits: int) -> str:
    """The fewest digits that read back as the same number, in the form of C's `%g`."""
    for count in range(1, digits + 1):
        text = f"{float(item):.{count}g}"
        if type(item)(float(text)) == item:
            return text
    return f"{float(item):.{digits}g}"


def _flatten(item, template: list, values: list) -> None:
    """Split a structure into literal text and the tensors inside it."""
    if tensor_of(item) is not None:
        template.append(None)
        values.append(tensor_of(item))
    elif isinstance(item, (list, tuple)) and type(item) in (list, tuple) and item:
        opening, closing = "[]" if isinstance(item, list) else "()"
        template.append(opening)
        for place, part in enumerate(item):
            template.append(", " if place else "")
            _flatten(part, template, values)
        template.append(closing)
    elif isinstance(item, dict):
        template.append("{")
        for place, key in enumerate(item):
            template.append(f"{', ' if place else ''}{key!r}: ")
            _flatten(item[key], template, values)
        template.append("}")
    elif isinstance(item, (np.ndarray, np.generic)):
        _flatten(convert_to_tensor(item), template, values)
    else:
        template.append(str(item))


@public("print")
def print_(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None):
    """Print values when the program runs, on every call and in every iteration; to stderr by
    default.

    `summarize` elements are shown at both ends of an axis (-1: all). Tensors inside lists, tuples
    and dictionaries are shown in place.

    >>> import sys
    >>> print_("now", [1, 2], output_stream=sys.stdout)
    now [1, 2]
    """
    template: list = []
    values: list = []
    for place, item in enumerate(inputs):
        template.append(sep if place else "")
        _flatten(item, template, values)
    attrs: dict[str, Any] = {
        "template": tuple(template),
        "summarize": summarize,
        "stream": output_stream,
        "end": end,
    }
    apply(Print, tuple(values), attrs)


@op
class Assert:
    """Fail when a condition does not hold."""

    hidden = True
    effect = WRITES
    accepts = {"condition": BOOLS, "data": ANY}
    inputs = ("condition", "*data")

    def kernel(condition, *data, template, summarize, kind):
        if not np.all(condition):
            texts = iter([show_value(np.asarray(value), summarize) for value in data])
            message = "".join(next(texts) if part is None else part for part in template)
            raise kind(message or "assertion failed")
        return ()

    def result(condition, *data, template, summarize, kind):
        return ()


@public("Assert", "debugging.Assert")
def assert_(condition, data=(), summarize=3, name=None, kind=InvalidArgumentError):
    """Raise InvalidArgumentError with `data` when `condition` does not hold, when the program runs.

    >>> assert_(convert_to_tensor(1) < 2, ["one is not less than two"])
    """
    template: list = []
    values: list = []
    for place, item in enumerate(data):
        template.append(" " if place else "")
        _flatten(item, template, values)
    apply(
        Assert,
        (condition, *values),
        {"template": tuple(template), "summarize": summarize, "kind": kind},
    )


def _assertion(name: str, holds, relation: str):
    def check(x, y, message=None, summarize=3, name=None):
        x = convert_to_tensor(x)
        y = convert_to_tensor(y, dtype_hint=x.dtype)
        from .reductions import reduce_all

        assert_(
            reduce_all(holds(x, y)), [message or f"x {relation} y does not hold:", x, y], summarize
        )

    check.__name__ = name
    check.__doc__ = f"Raise InvalidArgumentError unless `x {relation} y` holds for every element."
    public("debugging." + name)(check)


for _name, _holds, _relation in (
    ("assert_equal", lambda x, y: x == y, "=="),
    ("assert_none_equal", lambda x, y: x != y, "!="),
    ("assert_less", lambda x, y: x < y, "<"),
    ("assert_less_equal", lambda x, y: x <= y, "<="),
    ("assert_greater", lambda x, y: x > y, ">"),
    ("assert_greater_equal", lambda x, y: x >= y, ">="),
):
    _assertion(_name, _holds, _relation)


@op
class CheckNumerics:
    """The same value; an error when it holds NaN or infinity."""

    accepts = FLOATS
    effect = WRITES
    hidden = True

    def kernel(tensor, *, message):
        if not np.all(np.isfinite(tensor)):
            what = "NaN" if np.any(np.isnan(tensor)) else "Inf"
            raise InvalidArgumentError(f"{message} : Tensor had {what} values")
        return tensor

    def result(tensor, *, message):
        return Spec(tensor.dtype, tensor.shape)


@public("debugging.check_numerics")
def check_numerics(tensor, message="", name=None):
    """`tensor`, or InvalidArgumentError when it holds NaN or infinity."""
    return CheckNumerics(tensor, message=message)


# ---- Python code in graphs -----------------------------------------------------------------


@op
class PyFunction:
    """Call a Python function when the graph runs."""

    hidden = True
    effect = WRITES
    accepts = {"operands": ANY}
    inputs = ("*operands",)

    def kernel(*operands, function, types, eager):
        token = BUILDER.set(None)
        try:
            given = [EagerTensor(operand) if eager else np.asarray(operand) for operand in operands]
            made = function(*given)
        finally:
            BUILDER.reset(token)
        results = [] if not types else list(made) if isinstance(made, (list, tuple)) else [made]
        if len(results) != len(types):
            raise InvalidArgumentError(
                f"py_function: {len(results)} results, {len(types)} types in Tout"
            )
        return tuple(
            np.asarray(convert_to_tensor(r, t)._array) for r, t in zip(results, types, strict=True)
        )

    def result(*operands, function, types, eager):
        return tuple(Spec(dtype, None) for dtype in types)


def _call_python(function, inputs, Tout, eager):  # noqa: N803
    several = isinstance(Tout, (list, tuple))
    types = tuple(map(as_dtype, Tout if several else (Tout,)))
    made = apply(PyFunction, tuple(inputs), {"function": function, "types": types, "eager": eager})
    return list(made) if several else made[0]


@public("py_function")
def py_function(func=None, inp=None, Tout=None, name=None):  # noqa: N803
    """Run Python code on eager tensors whenever the graph runs: a call, or a decorator with `Tout`.

    >>> @py_function(Tout="float32")
    ... def half(x):
    ...     return x / 2
    >>> float(half(3.0))
    1.5
    """
    if func is None:
        return lambda function: lambda *inputs: _call_python(function, inputs, Tout, eager=True)
    return _call_python(func, inp, Tout, eager=True)


@public("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):  # noqa: N803
    """Run Python code on NumPy arrays whenever the graph runs: a call, or a decorator with
    `Tout`.
    """
    if func is None:
        return lambda function: lambda *inputs: _call_python(function, inputs, Tout, eager=False)
    return _call_python(func, inp, Tout, eager=False)
