"""NumPy's array format, read without its parser of Python literals.

    6 bytes    magic string, 2 bytes version, 2 or 4 bytes length of the header
    header     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, blanks, a line end
    data       the elements

Source: NumPy's documentation, "NumPy format" (numpy.lib.format).
"""

from __future__ import annotations

import io
import math
import re
import zipfile

import numpy as np

from ...extend.specs import FROM_NUMPY, dtype_named
from .untrusted_files import array_of, open_regular, read_at_most, reading

MAGIC = b"\x93NUMPY"
LENGTHS = {1: 2, 2: 4, 3: 4}  # bytes of the length of the header, by version
MOST_HEADER = 10_000  # bytes
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z]\w{0,15})', 'fortran_order': (True|False), "
    rb"'shape': \(([\d, ]*)\), \} *\n"
)
_BFLOAT16 = "bfloat16"


def write_array(handle, array: np.ndarray) -> None:
    """Write an array of numbers in NumPy's format."""
    if array.dtype.name == _BFLOAT16:  # a type that NumPy's format does not name
        shape = f"({', '.join(map(str, array.shape))}{',' * (array.ndim == 1)})"
        header = f"{{'descr': '{_BFLOAT16}', 'fortran_order': False, 'shape': {shape}, }}\n"
        handle.write(MAGIC + b"\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        handle.write(np.ascontiguousarray(array).tobytes())
    else:
        np.lib.format.write_array(handle, array, allow_pickle=False)


def array_from(buffer: io.BytesIO, size: int) -> np.ndarray:
    """The next array of a buffer of which `size` bytes are left. Raises ValueError if none."""
    start = buffer.tell()
    dtype, is_fortran, shape = read_header(buffer)
    count = dtype.itemsize * math.prod(shape)
    if count > size - (buffer.tell() - start):
        raise ValueError(f"{dtype} with shape {shape} has more bytes than there are")
    array = array_of(buffer.read(count), dtype, shape[::-1] if is_fortran else shape)
    return np.array(array.T if is_fortran else array, dtype.newbyteorder("="))


def read_archive(path, shapes: list[tuple], folder: str = "") -> list[np.ndarray]:
    """The arrays of an .npz file, or of a folder in it, in the order in which they were written.

    Only arrays of the expected shapes are read. Raises ValueError if the file has another number of
    arrays, or others, and NotFoundError or DataLossError if it cannot be read.
    """
    arrays: list = []
    with reading(path), open_regular(path) as file, zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name.startswith(folder)]
        for name, shape in zip(names, shapes, strict=False):
            with archive.open(name) as member:
                dtype, is_fortran, own = read_header(member)
                size = dtype.itemsize * math.prod(own) if own == shape else 0
                data = read_at_most(member, size)
            order = own[::-1] if is_fortran else own
            array = array_of(data, dtype, order) if own == shape else None
            arrays.append((name, own, array.T if is_fortran and array is not None else array))
    if len(names) != len(shapes):
        raise ValueError(f"{path} has {len(names)} arrays, not {len(shapes)}")
    for (name, own, _), shape in zip(arrays, shapes, strict=True):
        if own != shape:
            raise ValueError(f"{path}: {name} has the shape {own}, not {shape}")
    return [array for _, _, array in arrays]


def read_header(handle) -> tuple[np.dtype, bool, tuple[int, ...]]:
    """The dtype, whether the first axis varies fastest, and the shape. Raises ValueError."""
    start = handle.read(8)
    if len(start) < 8 or start[:6] != MAGIC or start[6] not in LENGTHS:
        raise ValueError("this is not an array in NumPy's format")
    length = int.from_bytes(handle.read(LENGTHS[start[6]]), "little")
    match = _HEADER.fullmatch(handle.read(min(length, MOST_HEADER)))
    if match is None:
        raise ValueError("this is not the header of an array of numbers")
    name, sizes = match[1].decode(), match[3].decode().replace(" ", "").split(",")
    try:
        dtype = dtype_named(name).numpy_dtype if name == _BFLOAT16 else np.dtype(name)
    except TypeError:
        raise ValueError(f"{name!r} is not a dtype") from None
    if dtype.newbyteorder("=") not in FROM_NUMPY or dtype.hasobject:
        raise ValueError(f"there are no tensors of {dtype}")
    return dtype, match[2] == b"True", tuple(int(size) for size in sizes if size)
