"""`ag.print`, which prints when the program runs, and the formatting of arrays."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np

from ...core.classes import NamedTuple
from ...core.deferred_strings import Hole, Show, fill
from ...core.dtypes import ANY
from ...core.numpy_dtypes import is_floating
from ...core.public_names import public
from ...ir.op import WRITES
from ...tensors.apply import apply, convert_to_tensor, tensor_of
from ...tensors.operation import hidden_op
from ...tensors.tensor import EagerTensor

FILE = "file://"  # the beginning of the name of a stream that is a file


@hidden_op
class Print:
    """Write values at this point of the program."""

    effect = WRITES
    accepts = {"values": ANY}
    inputs = ("*values",)

    def uses_files(attrs):
        stream = attrs["stream"]
        return isinstance(stream, str) and stream.startswith(FILE)

    def kernel(*values, template, summarize, stream, end):
        write(filled(template, values, summarize) + end, stream)
        return ()

    def result(*values, template, summarize, stream, end):
        _checked(stream)
        return ()


@public("print")
def print_(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None):
    """Print values when the program runs, on every call and in every iteration.

    `output_stream` is `sys.stderr` (the default), `sys.stdout`, "file://path" (appended), an object
    with `write`, or a function that takes a str. `summarize` elements are shown at both ends of an
    axis; -1 shows all. Tensors inside lists, tuples and dicts are shown in place. `sep` separates
    the values, `end` follows the last.

    >>> import sys
    >>> ag.print("now", ag.constant([1.5, 2.0]), output_stream=sys.stdout)
    now [1.5 2]
    >>> ag.print(ag.range(10), {"a": ag.constant(1)}, sep=", ", output_stream=sys.stdout)
    [0 1 2 ... 7 8 9], {'a': 1}

    Raises ValueError for another `output_stream`.
    """
    template: list = []
    values: list = []
    for position, item in enumerate(inputs):
        template.append(sep if position else "")
        collect_item(item, template, values)
    attrs: dict[str, Any] = {
        "template": tuple(template),
        "summarize": 3 if summarize is None else summarize,
        "stream": _checked(output_stream),
        "end": end,
    }
    apply(Print, tuple(values), attrs)


# ---- streams ---------------------------------------------------------------------------------


def _checked(stream):
    """A stream as an attribute. Standard streams are kept by name, to follow redirection."""
    if stream is None or stream is sys.stderr:
        return "stderr"
    if stream is sys.stdout:
        return "stdout"
    if isinstance(stream, str):
        path = stream.removeprefix(FILE)
        is_valid = stream in ("stdout", "stderr") or path not in ("", stream)
    else:
        is_valid = callable(stream) or hasattr(stream, "write")
    if not is_valid:
        raise ValueError(
            f"print: output_stream {stream!r} is neither sys.stdout, sys.stderr, 'file://...', an "
            "object with `write` nor a function"
        )
    return stream


def write(string: str, stream) -> None:
    """Write a str to a stream, as `output_stream` of `print` accepts it."""
    if isinstance(stream, str) and stream.startswith(FILE):
        with open(stream.removeprefix(FILE), "a", encoding="utf-8") as handle:
            handle.write(string)
    elif isinstance(stream, str):
        _send(getattr(sys, stream), string)
    elif hasattr(stream, "write"):
        _send(stream, string)
    else:
        stream(string)


def _send(stream, string: str) -> None:
    stream.write(string)
    if hasattr(stream, "flush"):
        stream.flush()


# ---- structures ------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Rows of different lengths: their elements, and the splits of each axis."""

    components: tuple


class Shown(NamedTuple):
    """A tensor, and how Python formats it."""

    tensor: Any
    show: Show


def collect_item(item, template: list, values: list) -> None:
    """Append an item of `print` or of a message: a string is shown without quotes."""
    if not isinstance(item, (str, bytes)):
        collect(item, template, values)
    elif tensor_of(item) is not None:  # one that shows tensors
        template.append(True)
        values.append(convert_to_tensor(item))
    else:
        template.append(item if isinstance(item, str) else item.decode(errors="replace"))


def collect(item, template: list, values: list) -> None:
    """Append a structure to `template`, with None for each tensor, which goes to `values`.

    Rows are the number of their components, a string without quotes is True, and a tensor that
    Python formats is a hole. A class says by `__tf_print__` how its values look: what comes before,
    labels and values, and what comes after.
    """
    if tensor_of(item) is not None or isinstance(item, (np.ndarray, np.generic)):
        template.append(None)
        values.append(convert_to_tensor(item))
    elif type(item) is Shown:
        template.append(Hole(len(values), item.show))
        values.append(item.tensor)
    elif type(item) is Rows:
        template.append(len(item.components))
        values.extend(item.components)
    elif hasattr(type(item), "__tf_print__"):
        opening, entries, closing = item.__tf_print__()
        _collect_entries(opening, entries, closing, template, values)
    elif isinstance(item, dict):
        entries = [(f"{key!r}: ", value) for key, value in item.items()]
        _collect_entries("{", entries, "}", template, values)
    elif isinstance(item, tuple) and hasattr(item, "_fields"):
        entries = [(f"{field}=", value) for field, value in zip(item._fields, item, strict=True)]
        _collect_entries(type(item).__name__ + "(", entries, ")", template, values)
    elif isinstance(item, (list, tuple)):
        opening, closing = "[]" if isinstance(item, list) else "()"
        last = ",)" if opening == "(" and len(item) == 1 else closing
        _collect_entries(opening, [("", value) for value in item], last, template, values)
    else:
        template.append(repr(item))


def _collect_entries(
    opening: str, entries: list, closing: str, template: list, values: list
) -> None:
    template.append(opening)
    for position, (label, value) in enumerate(entries):
        template.append((", " if position else "") + label)
        collect(value, template, values)
    template.append(closing)


def filled(template, values, summarize: int, quotes_all: bool = False) -> str:
    """The template with its None entries replaced by the formatted values.

    Strings among the values are quoted, except for a single string without a template, unless
    `quotes_all`.
    """
    arrays = [np.asarray(value) for value in values]
    if (
        not quotes_all
        and len(arrays) == 1
        and arrays[0].dtype == object
        and not arrays[0].ndim
        and not any(template)
    ):
        return _decoded(arrays[0][()])
    rest = iter(arrays)

    def shown(literal) -> str:
        if literal is None:
            return show_value(next(rest), summarize)
        if isinstance(literal, str):
            return literal
        if literal is True:
            return _decoded(next(rest)[()])
        if isinstance(literal, Hole):
            return fill(Hole(0, literal.show), [EagerTensor(next(rest))])
        return show_rows([next(rest) for _ in range(literal)], decodes=True)

    return "".join(map(shown, template))


def show_rows(components: list, decodes: bool, most: int = 12) -> str:
    """Nested lists of the elements of rows, by the arrays of `Rows`; of many, the first and last.

    >>> show_rows([np.array([0.1, 2.0], np.float32), np.array([0, 1, 2])], decodes=True)
    '[[0.1], [2.0]]'
    """
    flat, *splits = components
    rows = flat.tolist()
    if is_floating(flat.dtype):  # no more digits than the data type has
        rows = np.array([float(str(element)) for element in flat.flat]).reshape(flat.shape).tolist()
    elif decodes and flat.dtype == object:
        rows = [_decoded(string) if isinstance(string, bytes) else string for string in rows]
    for level in reversed(splits):
        rows = [rows[start:end] for start, end in itertools.pairwise(level.tolist())]
    if len(rows) <= most:
        return repr(rows)
    shown = [repr(row) for row in (*rows[: most // 2], *rows[-most // 2 :])]
    return f"[{', '.join(shown[: most // 2])}, ..., {', '.join(shown[most // 2 :])}]"


# ---- arrays ----------------------------------------------------------------------------------


def show_value(array: np.ndarray, summarize: int) -> str:
    """An array as `[1 2 3]`, a line for each row, with the middle of long axes left out."""
    if array.ndim == 0:
        return show_scalar(array[()])
    return _show_rows(array, summarize, 1)


def _show_rows(array, summarize: int, depth: int) -> str:
    strings = [
        show_scalar(item) if array.ndim == 1 else _show_rows(item, summarize, depth + 1)
        for item in _ends(array, summarize)
    ]
    if len(strings) < len(array):
        strings.insert(summarize, "...")
    gap = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * depth
    return "[" + gap.join(strings) + "]"


def _ends(array, summarize: int) -> list:
    """The rows that are shown: all, or `summarize` at both ends."""
    if summarize < 0 or len(array) <= 2 * summarize:
        return list(array)
    return [*array[:summarize], *array[len(array) - summarize :]]


def show_scalar(item) -> str:
    """One element: strings quoted, bools as 1 and 0, floats with the digits that identify them."""
    if isinstance(item, (bytes, str)):
        return f'"{_decoded(item)}"'
    if isinstance(item, (bool, np.bool_)):
        return "1" if item else "0"
    if isinstance(item, (int, np.integer, complex, np.complexfloating)):
        return str(item)
    return _show_float(item)


def _decoded(item) -> str:
    return item.decode(errors="replace") if isinstance(item, bytes) else str(item)


def _show_float(item) -> str:
    """C's `%g` with the digits that round-trip through str, or else those that identify floats."""
    float_type, precise, exact = (float, 15, 17) if item.dtype.itemsize == 8 else (np.float32, 6, 9)
    value = float_type(item)
    short = f"{value:.{precise}g}"
    return short if float_type(short) == value or value != value else f"{value:.{exact}g}"
