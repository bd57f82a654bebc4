"""Event files of TensorBoard: records of encoded messages, written without its library.

Messages are Protocol Buffers: each field is a key (its number and its wire type) and the value.
Source: the encoding guide of Protocol Buffers; the messages `Event`, `Summary`,
`TensorProto` and `GraphDef` of TensorFlow's public schemas.
"""

from __future__ import annotations

import itertools
import os
import socket
import struct
import time
import zlib

import numpy as np

from ...extend.state import Lock
from ..file_io.tfrecord import encode_record

# ---- messages --------------------------------------------------------------------------------

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
TENSOR_TYPES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7,
    "complex64": 8, "int64": 9, "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18,
    "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
DATA_CLASSES = {"scalars": 1, "histograms": 2, "text": 2, "images": 3}


def varint(number: int) -> bytes:
    """An integer, seven bits per byte; negative ones as their 64-bit two's complement."""
    number &= 0xFFFFFFFFFFFFFFFF
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number: int, value) -> bytes:
    """A field: an int, a float (64 bits), a str, or the bytes of a message."""
    if isinstance(value, int):
        return varint(number << 3 | VARINT) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | FIXED64) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | BYTES) + varint(len(data)) + data


def event(step: int | None, number: int, content) -> bytes:
    """An `Event` with one content field."""
    fields = [field(1, time.time()), b"" if step is None else field(2, int(step))]
    return b"".join([*fields, field(number, content)])


def summary(tag: str, array: np.ndarray, dtype: str, plugin: str, description: str) -> bytes:
    """A `Summary` of one tensor, for one of TensorBoard's plugins."""
    data_class = DATA_CLASSES.get(plugin)
    metadata = field(1, field(1, plugin)) if plugin else b""
    metadata += field(3, description) if description else b""
    metadata += field(4, data_class) if data_class else b""
    return field(1, field(1, tag) + field(9, metadata) + field(8, tensor(array, dtype)))


def tensor(array: np.ndarray, dtype: str) -> bytes:
    """A `TensorProto`."""
    shape = b"".join(field(2, field(1, int(size))) for size in array.shape)
    head = field(1, TENSOR_TYPES[dtype]) + field(2, shape)
    if dtype == "string":
        return head + b"".join(field(8, bytes(one)) for one in array.reshape(-1))
    order = array.dtype.newbyteorder("<")
    return head + field(4, np.ascontiguousarray(array).astype(order, copy=False).tobytes())


def graph(nodes) -> bytes:
    """A `GraphDef` of records with `.name`, `.op`, `.input` and `.device`."""
    messages = []
    for node in nodes:
        fields = [field(1, node.name), field(2, node.op), *(field(3, one) for one in node.input)]
        messages.append(field(1, b"".join([*fields, field(4, node.device)])))
    return b"".join(messages)


def run_metadata(graphs: list[bytes]) -> bytes:
    """A `RunMetadata` of the graphs of functions."""
    return b"".join(field(4, field(2, graph)) for graph in graphs)


def png(pixels: np.ndarray) -> bytes:
    """An image of bytes, (height, width, channels) with 1 to 4 channels, as a PNG file."""
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row begins with its filter, 0
    rows[:, 1:] = pixels.reshape(height, -1)
    color_type = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


# ---- files -----------------------------------------------------------------------------------


class EventFile:
    """A new event file in a folder; it is thread-safe."""

    _numbers = itertools.count()

    def __init__(self, folder: str, suffix: str = "", max_pending: int = 10, seconds: float = 120):
        os.makedirs(folder, exist_ok=True)
        origin = f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
        name = f"events.out.tfevents.{origin}.{next(self._numbers)}.v2{suffix}"
        self.path = os.path.join(folder, name)
        self._file = open(self.path, "wb")  # noqa: SIM115 - closed by `close`
        self._lock = Lock()
        self._max_pending = max_pending
        self._seconds = seconds
        self._pending, self._flushed = 0, time.monotonic()
        self.write(event(None, 3, "brain.Event:2"))
        self.flush()

    def write(self, message: bytes) -> None:
        with self._lock:
            self._file.write(encode_record(message))
            self._pending += 1
            is_overdue = time.monotonic() - self._flushed > self._seconds
        if self._pending > self._max_pending or is_overdue:
            self.flush()

    def flush(self) -> None:
        with self._lock:
            self._file.flush()
            self._pending, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        with self._lock:
            self._file.close()

    @property
    def is_closed(self) -> bool:
        return self._file.closed
