"""ONNX forms of operations on strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import string
from ....extend.graphs import Node
from .table import NoFormError, form
from .writer import Writer


@form("as_string")
def as_string(to: Writer, node: Node, x: str):
    dtype = node.inputs[0].dtype
    if dtype is string:
        return to.op("Identity", x)
    if dtype.is_bool:
        words = [to.const(np.array(word, object)) for word in (b"true", b"false")]
        return to.op("Where", x, *words)
    if not dtype.is_integer:
        raise NoFormError("ONNX does not say how a float becomes a string")
    return to.cast(x, string)


@form("to_number")
def to_number(to: Writer, node: Node, x: str):
    return to.cast(x, node.output.dtype)


@form("lower", "upper")
def changed_case(to: Writer, node: Node, x: str):
    """Without an encoding only the letters of ASCII change, as in the locale C."""
    locale: dict[str, Any] = {} if node.attrs["encoding"] else {"locale": "C"}
    vector = to.op("Reshape", x, to.ints(-1))
    changed = to.op("StringNormalizer", vector, case_change_action=node.op.name.upper(), **locale)
    return to.op("Reshape", changed, to.op("Shape", x))


@form("string_split")
def string_split(to: Writer, node: Node, x: str):
    """ONNX fills up the rows of sections to one length."""
    sep, most = node.attrs["sep"], node.attrs["maxsplit"]
    options = ({"delimiter": sep} if sep else {}) | ({"maxsplit": most} if most >= 0 else {})
    vector = to.op("Reshape", x, to.ints(-1))
    sections, counts = to.op("StringSplit", vector, outputs=2, **options)
    if sep:  # an empty string has one section; runtimes differ
        sizes = to.op("Concat", to.op("Shape", vector), to.ints(1), axis=0)
        empty = to.op("Expand", to.const(np.array(b"", object)), sizes)
        sections = to.op("Concat", sections, empty, axis=1)
        counts = to.op("Max", counts, to.const(np.int64(1)))
    longest = to.op("Squeeze", to.op("Shape", sections, start=1))
    places = to.op("Range", to.const(np.int64(0)), longest, to.const(np.int64(1)))
    is_section = to.op("Less", places, to.op("Unsqueeze", counts, to.ints(1)))
    flat, mask = (to.op("Reshape", one, to.ints(-1)) for one in (sections, is_section))
    counts = to.op("Reshape", counts, to.op("Shape", x))
    return to.op("Compress", flat, mask, axis=0), to.cast(counts, node.outputs[1].dtype)
