"""Tensor files in the safetensors format, which are written atomically.

    8 bytes    length of the header, little-endian
    header     JSON: {name: {"dtype", "shape", "data_offsets"}, "__metadata__": {key: string}}
    data       the arrays, one after the other

Complex numbers are stored as pairs of floats, strings as their lengths (8 bytes each) followed by
their bytes. The metadata contains their dtypes and a checksum of the data.
Source: the safetensors format description, https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import json
import math
import os
import zlib

import numpy as np

from ...extend.specs import FROM_NUMPY, dtype_named, is_complex
from ..file_io.atomic_files import replace_file
from ..file_io.untrusted_files import MOST_JSON, array_of, damaged, file_bytes, parse_json, reading

CODES = {
    "bool": "BOOL",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
}
NAMES = {code: name for name, code in CODES.items()}


# ---- tensors ---------------------------------------------------------------------------------


def write_tensors(path: str | os.PathLike, arrays: dict, metadata: dict[str, str]) -> None:
    """Write arrays by name, and metadata."""
    replace_file(path, tensor_file_chunks(arrays, metadata)[0])


def tensor_file_chunks(arrays: dict, metadata: dict[str, str]) -> tuple[list, int]:
    """The chunks of a tensor file, and a checksum of its header."""
    header: dict = {}
    types: dict = {}
    chunks: list = []
    offset = checksum = 0
    entries = [(name, np.asarray(array)) for name, array in arrays.items()]
    for name, array in sorted(
        entries, key=lambda entry: -_width(entry[1])
    ):  # so that all are aligned
        stored = _stored(array)
        dtype_name = FROM_NUMPY[stored.dtype].name
        if stored.dtype != array.dtype or stored.shape != array.shape:
            types[name] = [FROM_NUMPY[array.dtype].name, list(array.shape)]
        data = stored.reshape(-1).view(np.uint8)
        header[name] = {
            "dtype": CODES[dtype_name],
            "shape": list(stored.shape),
            "data_offsets": [offset, offset + data.size],
        }
        offset += data.size
        checksum = zlib.crc32(data, checksum)  # type: ignore[arg-type]
        chunks.append(data)
    own_metadata = {"types": types, "crc32": checksum}
    header["__metadata__"] = {**metadata, "allograph": json.dumps(own_metadata)}
    header_bytes = json.dumps(header).encode()
    header_bytes += b" " * (-len(header_bytes) % 8)
    return [len(header_bytes).to_bytes(8, "little"), header_bytes, *chunks], zlib.crc32(
        header_bytes
    )


def _width(array: np.ndarray) -> int:
    """The size in bytes of a stored element."""
    if array.dtype == object:
        return 1
    return array.dtype.itemsize // (2 if is_complex(array.dtype) else 1)


def _stored(array: np.ndarray) -> np.ndarray:
    """The array converted to a dtype of the format."""
    if array.dtype == object:
        strings = array.reshape(-1).tolist()
        lengths = np.array([len(string) for string in strings], "<i8").tobytes()
        return np.frombuffer(lengths + b"".join(strings), np.uint8)
    array = np.ascontiguousarray(array).reshape(array.shape)
    if is_complex(array.dtype):
        array = array.reshape(*array.shape, 1).view(array.real.dtype)
    return array


def read_tensors(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of a file by name, and the metadata; the arrays share one buffer.

    Raises NotFoundError if there is no file, DataLossError if it is truncated or altered.
    """
    content = memoryview(file_bytes(path))  # type: ignore[arg-type]
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or len(content) - 8 < size:
        raise damaged(path, "it ends within its header")
    if size > MOST_JSON:
        raise damaged(path, f"its header has {size:,} bytes, more than {MOST_JSON:,}")
    header, data = parse_json(bytes(content[8 : 8 + size]), path), content[8 + size :]
    with reading(path):
        metadata = header.pop("__metadata__", {})
        if not all(type(value) is str for value in metadata.values()):
            raise ValueError("its metadata are not strings")
        _check_layout(header, len(data))
        own_metadata = parse_json(metadata.pop("allograph", "{}"), path)
        if zlib.crc32(data) != own_metadata.get("crc32", zlib.crc32(data)):
            raise ValueError("the checksum differs")
        types = own_metadata.get("types", {})
        arrays = {name: _restored(one, data, types.get(name)) for name, one in header.items()}
    return arrays, metadata


def _check_layout(header: dict, size: int) -> None:
    """Raise ValueError unless the arrays fill the data one after the other."""
    end = 0
    for first, last in sorted(entry["data_offsets"] for entry in header.values()):
        if type(first) is not int or type(last) is not int or first != end or last < first:
            raise ValueError(f"an array lies at {first} to {last}, behind one that ends at {end}")
        end = last
    if end != size:
        raise ValueError(f"{end} bytes of data were written, but the file has {size}")


def _restored(entry: dict, data: memoryview, own_type) -> np.ndarray:
    begin, end = entry["data_offsets"]
    name, shape = own_type or (NAMES[entry["dtype"]], entry["shape"])
    stored = array_of(
        data[begin:end], dtype_named(NAMES[entry["dtype"]]).numpy_dtype, entry["shape"]
    )
    if name == "string":
        return _strings(stored.tobytes(), shape)
    array = array_of(data[begin:end], dtype_named(name).numpy_dtype, shape)
    return array if array.flags.aligned else array.copy()


def _strings(content: bytes, shape: list[int]) -> np.ndarray:
    """The strings behind their lengths."""
    count = math.prod(shape)
    if not 0 <= 8 * count <= len(content):
        raise ValueError(f"{len(content)} bytes do not hold {count} strings")
    lengths = array_of(content[: 8 * count], np.dtype("<i8"), [count])
    if (lengths < 0).any() or sum(lengths.tolist()) != len(content) - 8 * count:
        raise ValueError("the lengths of its strings are not those of their bytes")
    strings, begin = np.empty(count, object), 8 * count
    for index, length in enumerate(lengths.tolist()):
        strings[index] = content[begin : begin + length]
        begin += length
    return strings.reshape(shape)
