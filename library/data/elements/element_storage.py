"""Elements as bytes: the records that `save` and `cache` write.

A component of an element is stored in NumPy's array format, or as a list of strings. Reading a file
never executes code.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct

import numpy as np

from .... import DType, TensorSpec, as_dtype
from ....extend.errors import InvalidArgumentError, NotFoundError
from ....extend.specs import CompositeSpec, dtype_named, is_subshape
from ...file_io.array_format import array_from, write_array
from ...file_io.atomic_files import replace_file, replacing
from ...file_io.tfrecord import encode_record, read_records
from ...file_io.untrusted_files import open_regular, read_json, reading
from .element_structure import component_specs
from .nodes import UNKNOWN, Node


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
            write_array(buffer, array)
    return buffer.getvalue()


def unpacked_element(data: bytes) -> tuple:
    """The element from the bytes of `packed_element`. Raises ValueError if they are damaged."""
    buffer, components = io.BytesIO(data), []
    while tag := buffer.read(1):
        left = len(data) - buffer.tell()
        if tag == b"T":
            components.append(_read_strings(buffer, len(data)))
        elif tag == b"N":
            components.append(array_from(buffer, left))
        else:
            raise ValueError("this is not the component of an element")
    return tuple(components)


def _write_strings(buffer, array) -> None:
    """Write the shape, the lengths, and the bytes of the strings."""
    strings = array.reshape(-1).tolist()
    write_array(buffer, np.array(array.shape, np.int64))
    write_array(buffer, np.array([*map(len, strings)], np.int64))
    buffer.write(b"".join(strings))


def _read_strings(buffer, end: int) -> np.ndarray:
    shape = array_from(buffer, end - buffer.tell())
    lengths = array_from(buffer, end - buffer.tell()).tolist()
    if min(lengths, default=0) < 0 or sum(lengths) > end - buffer.tell():
        raise ValueError("strings are longer than the record")
    strings = np.empty(len(lengths), object)
    for index, length in enumerate(lengths):
        strings[index] = buffer.read(length)
    return strings.reshape(tuple(shape.tolist()))


class Stored(Node):
    """The elements in a file of records, whose first record is their number.

    `spec` is their specification, which a file from elsewhere has to fulfill.
    """

    def __init__(self, path, *, spec=None):
        name = path[()] if isinstance(path, np.ndarray) else path
        self.path = name.decode() if isinstance(name, bytes) else name
        self.specs = None if spec is None else component_specs(spec)

    def elements(self):
        with self.records() as records:
            self.count(records)
            for record in records:
                flat = unpacked_element(record)
                self.check(flat)
                yield flat

    def cardinality(self):
        with self.records() as records:
            return self.count(records)

    @contextlib.contextmanager
    def records(self):
        with reading(self.path), open_regular(self.path) as handle:
            yield read_records(handle, self.path)

    def count(self, records) -> int:
        """The number of elements, which is the first record."""
        (count,) = struct.unpack("<q", next(records, b""))
        if count < UNKNOWN:
            raise ValueError(f"it has {count} elements")
        return count

    def check(self, flat: tuple) -> None:
        """Raise ValueError unless an element has the types and shapes of the specification."""
        if self.specs is None:
            return
        if len(flat) != len(self.specs):
            raise ValueError(f"an element has {len(flat)} components, not {len(self.specs)}")
        for array, spec in zip(flat, self.specs, strict=True):
            if as_dtype(array.dtype) is not spec.dtype or not is_subshape(array.shape, spec.dims):
                raise ValueError(f"an array of {array.dtype}{list(array.shape)} is not {spec!r}")


def store(elements, path: str, count: int):
    """Write elements to a file that appears when it is complete, and yield them."""
    with replacing(path) as handle:
        handle.write(encode_record(struct.pack("<q", count)))
        for flat in elements:
            handle.write(encode_record(packed_element(flat)))
            yield flat


# ---- specifications as JSON ------------------------------------------------------------------


def spec_to_json(spec):
    """A specification of tensors in tuples, lists and dicts as a JSON value."""
    if isinstance(spec, TensorSpec):
        shape = None if spec.dims is None else list(spec.dims)
        return {"tensor": [shape, spec.dtype.name]}
    if isinstance(spec, CompositeSpec):
        shape, dtype, *rest = spec.parameters()
        parts = [None if shape is None else list(shape), dtype.name]
        parts += [one.name if isinstance(one, DType) else one for one in rest]
        return {"composite": [type(spec).__name__, *parts]}
    if type(spec) in (tuple, list):
        return {type(spec).__name__: [spec_to_json(component) for component in spec]}
    if type(spec) is dict and all(type(key) is str for key in spec):
        return {"dict": {key: spec_to_json(component) for key, component in spec.items()}}
    raise InvalidArgumentError(
        f"a dataset of {spec!r} cannot be saved: elements may be tensors, ragged and sparse "
        "ones, tuples, lists and dicts"
    )


def spec_from_json(entry):
    """The specification that `spec_to_json` wrote."""
    ((tag, content),) = entry.items()
    if tag == "tensor":
        shape, dtype = content
        return TensorSpec(shape, dtype_named(dtype))
    if tag == "composite":
        name, *parameters = content
        return CompositeSpec.by_name[name](*parameters)
    if tag == "dict":
        return {key: spec_from_json(component) for key, component in content.items()}
    components = [spec_from_json(component) for component in content]
    return tuple(components) if tag == "tuple" else components


def write_spec(spec, folder: str) -> None:
    content = json.dumps(spec_to_json(spec))
    replace_file(os.path.join(folder, "spec.json"), [content.encode()])


def read_spec(folder: str):
    path = os.path.join(folder, "spec.json")
    try:
        entry = read_json(path)
    except NotFoundError:
        raise NotFoundError(f"there is no saved dataset in {folder!r}") from None
    with reading(path):
        return spec_from_json(entry)
