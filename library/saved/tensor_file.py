"""Tensor files in the safetensors format, which are written atomically.

    8 bytes    length of the header, little-endian
    header     JSON: {name: {"dtype", "shape", "data_offsets"}, "__metadata__": {key: string}}
    data       the arrays, one after the other

Complex numbers are stored as pairs of floats, strings as their lengths (8 bytes each) followed by
their bytes. The metadata contains their dtypes and a checksum of the data.
Source: the safetensors format description, https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib
from pathlib import Path

import numpy as np

from ...runtime.core.dtypes import FROM_NUMPY, as_dtype
from ...runtime.core.errors import DataLossError, NotFoundError
from ...runtime.core.numpy_dtypes import is_complex

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
PARTIAL = ".allograph-partial"
STALE_SECONDS = 3600.0


# ---- atomic replacement ----------------------------------------------------------------------


def replace_file(path: str | os.PathLike, chunks) -> None:
    """Write chunks of bytes to `path`; the file is replaced atomically."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}{PARTIAL}")
    try:
        with open(partial, "xb") as handle:
            for chunk in chunks:
                handle.write(chunk)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power failure, if the system can sync folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove_stale(folder: Path) -> None:
    """Remove partial files of processes that were killed while writing."""
    for path in folder.glob(f".*{PARTIAL}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                path.unlink()


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
    try:
        content = memoryview(np.fromfile(path, np.uint8))  # type: ignore[arg-type]
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise NotFoundError(f"there is no file {str(path)!r}") from None
    header, data = _header(path, content)
    metadata = header.pop("__metadata__", {})
    own_metadata = json.loads(metadata.pop("allograph", "{}"))
    end = max((entry["data_offsets"][1] for entry in header.values()), default=0)
    if end != len(data):
        raise _damaged(path, f"{end} bytes of data were written, but the file has {len(data)}")
    if zlib.crc32(data) != own_metadata.get("crc32", zlib.crc32(data)):
        raise _damaged(path, "the checksum differs")
    types = own_metadata.get("types", {})
    return {
        name: _restored(entry, data, types.get(name)) for name, entry in header.items()
    }, metadata


def _header(path, content: memoryview) -> tuple[dict, memoryview]:
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or len(content) < 8 + size:
        raise _damaged(path, "it ends within its header")
    try:
        header = json.loads(bytes(content[8 : 8 + size]))
        for name, entry in header.items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                assert 0 <= begin <= end and entry["dtype"] in NAMES
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise _damaged(path, "its header is not that of a safetensors file") from None
    return header, content[8 + size :]


def _damaged(path, reason: str) -> DataLossError:
    return DataLossError(
        f"the file {str(path)!r} is damaged: {reason}",
        "Use another copy, or an earlier checkpoint.",
    )


def _restored(entry: dict, data: memoryview, own_type) -> np.ndarray:
    begin, end = entry["data_offsets"]
    dtype = as_dtype(NAMES[entry["dtype"]]).numpy_dtype
    stored = np.frombuffer(data[begin:end], dtype).reshape(entry["shape"])
    stored = stored if stored.flags.aligned else stored.copy()
    if own_type is None:
        return stored
    name, shape = own_type
    if name != "string":
        return stored.view(as_dtype(name).numpy_dtype).reshape(shape)
    strings = np.empty(int(np.prod(shape, dtype=np.int64)), object)
    content = stored.tobytes()
    ends = 8 * strings.size + np.cumsum(np.frombuffer(content, "<i8", strings.size))
    begin = 8 * strings.size
    for index, end in enumerate(ends.tolist()):
        strings[index] = content[begin:end]
        begin = end
    return strings.reshape(shape)
