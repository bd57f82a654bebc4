"""Elements as bytes: what `save` and `cache` write into files of records.

A part of an element is a head in NumPy's own format, or a list of texts. Nothing in a file is run
when it is read.
"""

from __future__ import annotations

import io
import json
import os
import struct
import threading

import numpy as np

from ....runtime.core.errors import InvalidArgumentError, NotFoundError
from ....tracing.type_system.trace_types import TensorSpec
from ...file_io.tfrecord import opened, read_records, written
from .nodes import Node


def packed_element(flat: tuple) -> bytes:
    """An element as bytes.

    >>> unpacked_element(packed_element((np.int32(4),)))
    (array(4, dtype=int32),)
    """
    buffer = io.BytesIO()
    for part in flat:
        array = np.asarray(part)
        buffer.write(b"T" if array.dtype == object else b"N")
        if array.dtype == object:
            _write_texts(buffer, array)
        else:
            np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def unpacked_element(data: bytes) -> tuple:
    """The element that `packed_element` made bytes of."""
    buffer, parts = io.BytesIO(data), []
    while kind := buffer.read(1):
        if kind == b"T":
            parts.append(_read_texts(buffer))
        else:
            parts.append(np.lib.format.read_array(buffer, allow_pickle=False))
    return tuple(parts)


def _write_texts(buffer, array) -> None:
    """The shape, the lengths, and the texts themselves."""
    texts = array.reshape(-1).tolist()
    np.lib.format.write_array(buffer, np.array(array.shape, np.int64), allow_pickle=False)
    np.lib.format.write_array(buffer, np.array([*map(len, texts)], np.int64), allow_pickle=False)
    buffer.write(b"".join(texts))


def _read_texts(buffer) -> np.ndarray:
    shape = np.lib.format.read_array(buffer, allow_pickle=False)
    lengths = np.lib.format.read_array(buffer, allow_pickle=False)
    made = np.empty(len(lengths), object)
    for place, length in enumerate(lengths.tolist()):
        made[place] = buffer.read(length)
    return made.reshape(tuple(shape.tolist()))


class Stored(Node):
    """The elements in a file of records, whose first record counts them."""

    def __init__(self, path):
        name = path[()] if isinstance(path, np.ndarray) else path
        self.path = name.decode() if isinstance(name, bytes) else name

    def elements(self):
        with opened(self.path, "") as handle:
            records = read_records(handle, self.path)
            next(records)
            for record in records:
                yield unpacked_element(record)

    def cardinality(self):
        with opened(self.path, "") as handle:
            return struct.unpack("<q", next(read_records(handle, self.path)))[0]


def store(elements, path: str, count: int):
    """Write elements to a file that appears when it is complete, and hand them on."""
    partial = f"{path}.{os.getpid()}-{threading.get_ident()}.partial"
    try:
        with open(partial, "wb") as handle:
            handle.write(written(struct.pack("<q", count)))
            for flat in elements:
                handle.write(written(packed_element(flat)))
                yield flat
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


# ---- specifications as text ------------------------------------------------------------------


def spec_to_json(spec):
    """A specification of tensors in tuples, lists and dictionaries, as JSON can hold it."""
    if isinstance(spec, TensorSpec):
        shape = None if spec.dims is None else list(spec.dims)
        return {"tensor": [shape, spec.dtype.name]}
    if type(spec) in (tuple, list):
        return {type(spec).__name__: [spec_to_json(part) for part in spec]}
    if type(spec) is dict and all(type(key) is str for key in spec):
        return {"dict": {key: spec_to_json(part) for key, part in spec.items()}}
    raise InvalidArgumentError(
        f"a dataset of {spec!r} cannot be saved: its elements are tensors, tuples and dictionaries"
    )


def spec_from_json(form):
    """The specification that `spec_to_json` wrote."""
    ((kind, content),) = form.items()
    if kind == "tensor":
        return TensorSpec(*content)
    if kind == "dict":
        return {key: spec_from_json(part) for key, part in content.items()}
    parts = [spec_from_json(part) for part in content]
    return tuple(parts) if kind == "tuple" else parts


def write_spec(spec, folder: str) -> None:
    text = json.dumps(spec_to_json(spec))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "spec.json"), "w", encoding="utf-8") as handle:
        handle.write(text)


def read_spec(folder: str):
    try:
        with open(os.path.join(folder, "spec.json"), encoding="utf-8") as handle:
            return spec_from_json(json.load(handle))
    except FileNotFoundError:
        raise NotFoundError(f"{folder}: no dataset was saved there") from None
