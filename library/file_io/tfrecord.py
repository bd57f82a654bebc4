"""The TFRecord format: files of byte strings with checksums.

A record is its length (8 bytes, little-endian), the masked checksum of those bytes, the data, and
the masked checksum of the data. The checksum is CRC-32C. A masked checksum is rotated by 15 bits
and added to a constant, because the CRC of data that contains its own CRC is weak. Source: the
documentation of TFRecord, "TFRecords format details"; RFC 3720, appendix B.4 for CRC-32C.
"""

from __future__ import annotations

import functools
import glob
import gzip
import io
import os
import struct
import zlib

import numpy as np

from ...extend.errors import DataLossError, InvalidArgumentError, NotFoundError
from ...extend.registration import public
from ...extend.tensors import EagerTensor
from .untrusted_files import CHUNK, Inflated, damaged, open_regular, read_at_most

POLYNOMIAL = 0x82F63B78  # of CRC-32C, its bits reversed
ONES = 0xFFFFFFFF
MASK = 0xA282EAD8
MOST_INFLATED = 1 << 31  # bytes of a record or line of a compressed file
CHUNKS = 256  # chunks of long data whose checksums are computed together


@functools.cache
def _table() -> list[int]:
    """The register after each byte value."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


def crc32c(data: bytes) -> int:
    """The CRC-32C of bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    register, start = ONES, 0
    if len(data) >= 16 * CHUNKS:
        start = len(data) // CHUNKS * CHUNKS
        register = _register_of_chunks(np.frombuffer(data, np.uint8, start).reshape(CHUNKS, -1))
    table = _table()
    for byte in data[start:]:
        register = table[(register ^ byte) & 255] ^ register >> 8
    return register ^ ONES


def _register_of_chunks(chunks: np.ndarray) -> int:
    """The register after all chunks, which are processed together and then combined.

    The register is a linear function of its previous value and the bytes read. Thus the register of
    a chunk can be computed from zero and added (xor) to that of the chunks before it, after that
    one is advanced by the length of the chunk.
    """
    table = np.array(_table(), np.uint32)
    registers = np.zeros(len(chunks), np.uint32)
    registers[0] = ONES
    for column in chunks.T:
        registers = table[(registers ^ column) & 255] ^ registers >> 8
    move = _moved_by(chunks.shape[1])
    while len(registers) > 1:
        registers = _applied(move, registers[0::2]) ^ registers[1::2]
        move = _applied(move, move)
    return int(registers[0])


@functools.lru_cache(64)
def _moved_by(count: int) -> np.ndarray:
    """The effect of `count` zero bytes on a register: a bit matrix, an integer for each column."""
    bits = 1 << np.arange(32, dtype=np.uint32)
    step = np.array(_table(), np.uint32)[bits & 255] ^ bits >> 8
    matrix = bits
    while count:
        if count & 1:
            matrix = _applied(step, matrix)
        step = _applied(step, step)
        count >>= 1
    return matrix


def _applied(matrix: np.ndarray, registers: np.ndarray) -> np.ndarray:
    """The matrix times each register, over the field of two elements."""
    bits = registers[:, None] >> np.arange(32, dtype=np.uint32) & 1
    return np.bitwise_xor.reduce(np.where(bits, matrix, np.uint32(0)), axis=1)


def masked(data: bytes) -> int:
    """The masked checksum, as it is stored."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + MASK) & ONES


def encode_record(record: bytes) -> bytes:
    """A record in the format of the file."""
    length = struct.pack("<Q", len(record))
    return b"".join(
        [length, struct.pack("<I", masked(length)), record, struct.pack("<I", masked(record))]
    )


def read_records(handle, path: str, most: int | None = None):
    """The records of an open file.

    Raises DataLossError if it is truncated or corrupted, or a record has more than `most` bytes.
    """
    while head := handle.read(12):
        length = _guarded(head[:8], head[8:], 8, path)
        (size,) = struct.unpack("<Q", length)
        if most is not None and size > most:
            raise damaged(path, f"a record has {size:,} bytes, more than {most:,}")
        body = read_at_most(handle, size + 4)
        yield _guarded(body[:size], body[size:], size, path)


def _guarded(data: bytes, checksum: bytes, size: int, path: str) -> bytes:
    if len(data) < size or len(checksum) < 4:
        raise DataLossError(f"truncated record in {path}")
    if struct.unpack("<I", checksum)[0] != masked(data):
        raise DataLossError(f"corrupted record in {path}: the checksum differs")
    return data


# ---- files -----------------------------------------------------------------------------------

COMPRESSIONS = ("", "GZIP", "ZLIB")


def compression(name) -> str:
    """The name of a compression. Raises InvalidArgumentError unless it is one of COMPRESSIONS."""
    name = "" if name is None else name
    name = name.decode() if isinstance(name, bytes) else name
    if name not in COMPRESSIONS:
        raise InvalidArgumentError(f"the compression {name!r} is not one of {COMPRESSIONS}")
    return name


def open_file(path: str, compression_type: str):
    """A binary file opened for reading, decompressed. Raises NotFoundError if it does not exist."""
    handle = open_regular(path)
    if compression_type == "GZIP":
        inflated = gzip.GzipFile(fileobj=handle)
        inflated.myfileobj = handle  # which it closes too
        return inflated
    return io.BufferedReader(Inflated(handle), CHUNK) if compression_type == "ZLIB" else handle


def most_bytes(compression_type: str) -> int | None:
    """The limit of a record or line: a small compressed file may expand to more than memory has."""
    return MOST_INFLATED if compression_type else None


def files_matching(pattern, required: bool = True) -> list[str]:
    """The sorted names of the files that match one or more patterns.

    Raises NotFoundError if there are none and `required` is true.
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    paths = {path for one in patterns for path in glob.glob(os.fspath(one))}
    if required and not paths:
        raise NotFoundError(f"no files match {pattern!r}")
    return sorted(paths)


@public("io.TFRecordOptions")
class TFRecordOptions:
    """Options of `TFRecordWriter`: `compression_type` is "", "GZIP" or "ZLIB".

    `compression_level` is the level of zlib, from 0 to 9.

    >>> ag.io.TFRecordOptions("GZIP").compression_type
    'GZIP'
    """

    def __init__(self, compression_type: str | None = None, compression_level: int | None = None,
                 **unused):  # fmt: skip
        self.compression_type = compression(compression_type)
        self.compression_level = compression_level


@public("io.TFRecordWriter")
class TFRecordWriter:
    """Writes a TFRecord file, which `data.TFRecordDataset` reads.

    `options` is a `TFRecordOptions` or a compression type.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with ag.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(ag.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    def __init__(self, path, options: TFRecordOptions | str | None = None):
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(options)
        level = -1 if options.compression_level is None else options.compression_level
        self._packer = zlib.compressobj(level) if options.compression_type == "ZLIB" else None
        gzipped = options.compression_type == "GZIP"
        name = os.fspath(path)
        self._file = gzip.open(name, "wb", level) if gzipped else open(name, "wb")  # noqa: SIM115

    def write(self, record) -> None:
        """Append a record: bytes, or a scalar string tensor. Raises TypeError otherwise."""
        if isinstance(record, EagerTensor):
            record = record.numpy()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(f"a record is bytes, not {record!r}")
        self._put(encode_record(bytes(record)))

    def _put(self, data: bytes) -> None:
        self._file.write(data if self._packer is None else self._packer.compress(data))

    def flush(self) -> None:
        """Write buffered data to the file."""
        self._file.flush()

    def close(self) -> None:
        """Finish and close the file."""
        if self._packer is not None and not self._file.closed:
            self._file.write(self._packer.flush())
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
