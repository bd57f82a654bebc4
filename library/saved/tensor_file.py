"""Tensors in a file: the safetensors format, written so that a file is whole or not there.

    8 bytes    length of the header, little endian
    header     JSON: {name: {"dtype", "shape", "data_offsets"}, "__metadata__": {key: text}}
    data       the arrays, one after the other

Complex numbers are stored as pairs of floats; texts as bytes, the length of each (8 bytes) first.
Their own types stand in the metadata, beside a checksum of the data.
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


# ---- files that are whole --------------------------------------------------------------------


def replace_file(path: str | os.PathLike, parts) -> None:
    """Write the bytes in `parts` to `path`: whatever happens, the old or the new file is there."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(path.parent)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}{PARTIAL}")
    try:
        with open(partial, "xb") as handle:
            for part in parts:
                handle.write(part)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Make the new name survive a power failure, where the system lets folders be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove_stale(folder: Path) -> None:
    """Remove what processes that were killed while writing left behind."""
    for path in folder.glob(f".*{PARTIAL}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                path.unlink()


# ---- tensors ---------------------------------------------------------------------------------


def write_tensors(path: str | os.PathLike, arrays: dict, about: dict[str, str]) -> None:
    """Write arrays by name, and texts about them."""
    replace_file(path, tensor_parts(arrays, about)[0])


def tensor_parts(arrays: dict, about: dict[str, str]) -> tuple[list, int]:
    """The parts of a file of tensors, and a checksum of all of them."""
    header: dict = {}
    types: dict = {}
    parts: list = []
    place = checksum = 0
    rows = [(name, np.asarray(array)) for name, array in arrays.items()]
    for name, array in sorted(rows, key=lambda row: -_width(row[1])):  # so all lie aligned
        stored = _stored(array)
        kind = FROM_NUMPY[stored.dtype].name
        if stored.dtype != array.dtype or stored.shape != array.shape:
            types[name] = [FROM_NUMPY[array.dtype].name, list(array.shape)]
        data = stored.reshape(-1).view(np.uint8)
        header[name] = {
            "dtype": CODES[kind],
            "shape": list(stored.shape),
            "data_offsets": [place, place + data.size],
        }
        place += data.size
        checksum = zlib.crc32(data, checksum)
        parts.append(data)
    own = {"types": types, "crc32": checksum}
    header["__metadata__"] = {**about, "allograph": json.dumps(own)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little"), text, *parts], zlib.crc32(text)


def _width(array: np.ndarray) -> int:
    """The bytes of one stored element."""
    if array.dtype == object:
        return 1
    return array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1)


def _stored(array: np.ndarray) -> np.ndarray:
    """The array in one of the types of the format."""
    if array.dtype == object:
        texts = array.reshape(-1).tolist()
        lengths = np.array([len(text) for text in texts], "<i8").tobytes()
        return np.frombuffer(lengths + b"".join(texts), np.uint8)
    array = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.kind == "c":
        array = array.reshape(*array.shape, 1).view(array.real.dtype)
    return array


def read_tensors(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of a file by name, and the texts about them; the arrays share one memory.

    Raises NotFoundError where there is no file, DataLossError where it is cut short or altered.
    """
    try:
        content = memoryview(np.fromfile(path, np.uint8))
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise NotFoundError(f"there is no file {str(path)!r}") from None
    header, data = _header(path, content)
    about = header.pop("__metadata__", {})
    own = json.loads(about.pop("allograph", "{}"))
    end = max((row["data_offsets"][1] for row in header.values()), default=0)
    if end != len(data):
        raise _damaged(path, f"{end} bytes of data were written, {len(data)} are there")
    if zlib.crc32(data) != own.get("crc32", zlib.crc32(data)):
        raise _damaged(path, "the checksum is another one")
    types = own.get("types", {})
    return {name: _restored(row, data, types.get(name)) for name, row in header.items()}, about


def _header(path, content: memoryview) -> tuple[dict, memoryview]:
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or len(content) < 8 + size:
        raise _damaged(path, "it ends within its header")
    try:
        header = json.loads(bytes(content[8 : 8 + size]))
        for name, row in header.items():
            if name != "__metadata__":
                begin, end = row["data_offsets"]
                assert 0 <= begin <= end and row["dtype"] in NAMES
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError):
        raise _damaged(path, "its header is not that of a safetensors file") from None
    return header, content[8 + size :]


def _damaged(path, why: str) -> DataLossError:
    return DataLossError(
        f"the file {str(path)!r} is damaged: {why}", "Use another copy, or an earlier checkpoint."
    )


def _restored(row: dict, data: memoryview, own_type) -> np.ndarray:
    begin, end = row["data_offsets"]
    dtype = as_dtype(NAMES[row["dtype"]]).numpy_dtype
    stored = np.frombuffer(data[begin:end], dtype).reshape(row["shape"])
    stored = stored if stored.flags.aligned else stored.copy()
    if own_type is None:
        return stored
    name, shape = own_type
    if name != "string":
        return stored.view(as_dtype(name).numpy_dtype).reshape(shape)
    made = np.empty(int(np.prod(shape, dtype=np.int64)), object)
    content = stored.tobytes()
    ends = 8 * made.size + np.cumsum(np.frombuffer(content, "<i8", made.size))
    begin = 8 * made.size
    for place, end in enumerate(ends.tolist()):
        made[place] = content[begin:end]
        begin = end
    return made.reshape(shape)
