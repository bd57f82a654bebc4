"""Printing when the program runs, and how arrays look in print."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...core.dtypes import ANY
from ...core.public_names import public
from ...ir.op import WRITES
from ...tensors.apply import apply, convert_to_tensor, tensor_of
from ...tensors.operation import op


@op
class Print:
    """Write values where the program stands."""

    hidden = True
    effect = WRITES
    accepts = {"values": ANY}
    inputs = ("*values",)

    def kernel(*values, template, summarize, stream, end):
        write(filled(template, values, summarize) + end, stream)
        return ()

    def result(*values, template, summarize, stream, end):
        return ()


@public("print")
def print_(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None):
    """Print values when the program runs, on every call and in every iteration.

    They go to `output_stream`: stderr by default, `sys.stdout`, "file://path" (appended), an object
    with `write`, or a function of the text. `summarize` elements are shown at both ends of an axis
    (-1: all). Tensors inside lists, tuples and dictionaries are shown in place.

    >>> import sys
    >>> ag.print("now", ag.constant([1.5, 2.0]), output_stream=sys.stdout)
    now [1.5 2]
    >>> ag.print(ag.range(10), {"a": ag.constant(1)}, sep=", ", output_stream=sys.stdout)
    [0 1 2 ... 7 8 9], {'a': 1}
    """
    template: list = []
    values: list = []
    for place, item in enumerate(inputs):
        template.append(sep if place else "")
        if isinstance(item, (str, bytes)):
            template.append(item if isinstance(item, str) else item.decode(errors="replace"))
        else:
            collect(item, template, values)
    attrs: dict[str, Any] = {
        "template": tuple(template),
        "summarize": 3 if summarize is None else summarize,
        "stream": _checked(output_stream),
        "end": end,
    }
    apply(Print, tuple(values), attrs)


# ---- where it goes ---------------------------------------------------------------------------


def _checked(stream):
    """A stream as an attribute; the standard ones by name, which follows a later redirection."""
    if stream is None or stream is sys.stderr:
        return "stderr"
    if stream is sys.stdout:
        return "stdout"
    if isinstance(stream, str):
        path = stream.removeprefix("file://")
        known = stream in ("stdout", "stderr") or path not in ("", stream)
    else:
        known = callable(stream) or hasattr(stream, "write")
    if not known:
        raise ValueError(
            f"print: output_stream {stream!r} is neither sys.stdout, sys.stderr, 'file://...', an "
            "object with `write` nor a function"
        )
    return stream


def write(text: str, stream) -> None:
    """Send text to what `output_stream` of `print` may be."""
    if isinstance(stream, str) and stream.startswith("file://"):
        with open(stream.removeprefix("file://"), "a", encoding="utf-8") as handle:
            handle.write(text)
    elif isinstance(stream, str):
        _send(getattr(sys, stream), text)
    elif hasattr(stream, "write"):
        _send(stream, text)
    else:
        stream(text)


def _send(stream, text: str) -> None:
    stream.write(text)
    if hasattr(stream, "flush"):
        stream.flush()


# ---- structures ------------------------------------------------------------------------------


def collect(item, template: list, values: list) -> None:
    """Split a structure into text, and None for each tensor inside it, which goes to `values`."""
    if tensor_of(item) is not None or isinstance(item, (np.ndarray, np.generic)):
        template.append(None)
        values.append(convert_to_tensor(item))
    elif isinstance(item, dict):
        rows = [(f"{key!r}: ", part) for key, part in item.items()]
        _collect_rows("{", rows, "}", template, values)
    elif isinstance(item, tuple) and hasattr(item, "_fields"):
        rows = [(f"{field}=", part) for field, part in zip(item._fields, item, strict=True)]
        _collect_rows(type(item).__name__ + "(", rows, ")", template, values)
    elif isinstance(item, (list, tuple)):
        opening, closing = "[]" if isinstance(item, list) else "()"
        last = ",)" if opening == "(" and len(item) == 1 else closing
        _collect_rows(opening, [("", part) for part in item], last, template, values)
    else:
        template.append(repr(item))


def _collect_rows(opening: str, rows: list, closing: str, template: list, values: list) -> None:
    template.append(opening)
    for place, (label, part) in enumerate(rows):
        template.append((", " if place else "") + label)
        collect(part, template, values)
    template.append(closing)


def filled(template, values, summarize: int) -> str:
    """The text of a template, with the values in their places.

    Texts among the values are quoted, but for one that stands alone.
    """
    arrays = [np.asarray(value) for value in values]
    if len(arrays) == 1 and arrays[0].dtype == object and not arrays[0].ndim and not any(template):
        return _as_text(arrays[0][()])
    texts = iter([show_value(array, summarize) for array in arrays])
    return "".join(next(texts) if part is None else part for part in template)


# ---- arrays ----------------------------------------------------------------------------------


def show_value(array: np.ndarray, summarize: int) -> str:
    """An array in print: `[1 2 3]`, rows below each other, the middle of a long axis left out."""
    if array.ndim == 0:
        return show_scalar(array[()])
    return _show_rows(array, summarize, 1)


def _show_rows(array, summarize: int, depth: int) -> str:
    texts = [
        show_scalar(item) if array.ndim == 1 else _show_rows(item, summarize, depth + 1)
        for item in _ends(array, summarize)
    ]
    if len(texts) < len(array):
        texts.insert(summarize, "...")
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth
    return "[" + gap.join(texts) + "]"


def _ends(array, summarize: int) -> list:
    """The rows that are shown: all, or as many at both ends as `summarize` says."""
    if summarize < 0 or len(array) <= 2 * summarize:
        return list(array)
    return [*array[:summarize], *array[len(array) - summarize :]]


def show_scalar(item) -> str:
    """One element: text quoted, truth values as 1 and 0, floats as short as they read back."""
    if isinstance(item, (bytes, str)):
        return f'"{_as_text(item)}"'
    if isinstance(item, (bool, np.bool_)):
        return "1" if item else "0"
    if isinstance(item, (int, np.integer, complex, np.complexfloating)):
        return str(item)
    return _show_float(item)


def _as_text(item) -> str:
    return item.decode(errors="replace") if isinstance(item, bytes) else str(item)


def _show_float(item) -> str:
    """C's `%g` with the digits that every such number keeps, or those that tell all apart."""
    kind, few, enough = (float, 15, 17) if item.dtype.itemsize == 8 else (np.float32, 6, 9)
    number = kind(item)
    text = f"{number:.{few}g}"
    return text if kind(text) == number or number != number else f"{number:.{enough}g}"
