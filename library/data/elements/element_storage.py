"""Elements as bytes: the records that `save` and `cache` write.

A component of an element is stored in NumPy's array format, or as a list of strings. Reading a file
never executes code.
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
from ...file_io.tfrecord import encode_record, open_file, read_records
from .nodes import Node


def packed_element(flat: tuple) -> bytes:
    """An element as bytes.

    >>> unpacked_element(packed_element((np.int32(4),)))
    (array(4, dtype=int32),)
    """
    buffer = io.BytesIO()
    for component in flat:
        array = np.asarray(component)
        buffer.write(b"T" if array.dtype == object else b"N")
        if array.dtype == object:
            _write_strings(buffer, array)
        else:
            np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def unpacked_element(data: bytes) -> tuple:
    """The element from the bytes of `packed_element`."""
    buffer, components = io.BytesIO(data), []
    while tag := buffer.read(1):
        if tag == b"T":
            components.append(_read_strings(buffer))
        else:
            components.append(np.lib.format.read_array(buffer, allow_pickle=False))
    return tuple(components)


def _write_strings(buffer, array) -> None:
    """Write the shape, the lengths, and the bytes of the strings."""
    strings = array.reshape(-1).tolist()
    np.lib.format.write_array(buffer, np.array(array.shape, np.int64), allow_pickle=False)
    np.lib.format.write_array(buffer, np.array([*map(len, strings)], np.int64), allow_pickle=False)
    buffer.write(b"".join(strings))


def _read_strings(buffer) -> np.ndarray:
    shape = np.lib.format.read_array(buffer, allow_pickle=False)
    lengths = np.lib.format.read_array(buffer, allow_pickle=False)
    strings = np.empty(len(lengths), object)
    for index, length in enumerate(lengths.tolist()):
        strings[index] = buffer.read(length)
    return strings.reshape(tuple(shape.tolist()))


class Stored(Node):
    """The elements in a file of records, whose first record is their number."""

    def __init__(self, path):
        name = path[()] if isinstance(path, np.ndarray) else path
        self.path = name.decode() if isinstance(name, bytes) else name

    def elements(self):
        with open_file(self.path, "") as handle:
            records = read_records(handle, self.path)
            next(records)
            for record in records:
                yield unpacked_element(record)

    def cardinality(self):
        with open_file(self.path, "") as handle:
            return struct.unpack("<q", next(read_records(handle, self.path)))[0]


def store(elements, path: str, count: int):
    """Write elements to a file that appears when it is complete, and yield them."""
    partial = f"{path}.{os.getpid()}-{threading.get_ident()}.partial"
    try:
        with open(partial, "wb") as handle:
            handle.write(encode_record(struct.pack("<q", count)))
            for flat in elements:
                handle.write(encode_record(packed_element(flat)))
                yield flat
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


# ---- specifications as JSON ------------------------------------------------------------------


def spec_to_json(spec):
    """A specification of tensors in tuples, lists and dicts as a JSON value."""
    if isinstance(spec, TensorSpec):
        shape = None if spec.dims is None else list(spec.dims)
        return {"tensor": [shape, spec.dtype.name]}
    if type(spec) in (tuple, list):
        return {type(spec).__name__: [spec_to_json(component) for component in spec]}
    if type(spec) is dict and all(type(key) is str for key in spec):
        return {"dict": {key: spec_to_json(component) for key, component in spec.items()}}
    raise InvalidArgumentError(
        f"a dataset of {spec!r} cannot be saved: elements may be tensors, tuples, lists and dicts"
    )


def spec_from_json(entry):
    """The specification that `spec_to_json` wrote."""
    ((tag, content),) = entry.items()
    if tag == "tensor":
        return TensorSpec(*content)
    if tag == "dict":
        return {key: spec_from_json(component) for key, component in content.items()}
    components = [spec_from_json(component) for component in content]
    return tuple(components) if tag == "tuple" else components


def write_spec(spec, folder: str) -> None:
    content = json.dumps(spec_to_json(spec))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "spec.json"), "w", encoding="utf-8") as handle:
        handle.write(content)


def read_spec(folder: str):
    try:
        with open(os.path.join(folder, "spec.json"), encoding="utf-8") as handle:
            return spec_from_json(json.load(handle))
    except FileNotFoundError:
        raise NotFoundError(f"there is no saved dataset in {folder!r}") from None
