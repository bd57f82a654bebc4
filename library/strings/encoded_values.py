"""Encoding values as bytes and decoding them: raw memory, base64, serialized tensors, CSV."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import as_dtype, convert_to_tensor, string
from ...extend.errors import DTypeError, InvalidArgumentError
from ...extend.operations import (
    ANY,
    STRINGS,
    Spec,
    apply,
    hidden_op,
    map_elements,
    op,
    same_as_input,
)
from ...extend.registration import public
from ...extend.specs import FROM_NUMPY
from ...extend.tensors import to_array
from ..file_io.protobuf_wire import field, fields_of


@hidden_op
class DecodeRaw:
    """The bytes of each string as numbers."""

    accepts = STRINGS

    def kernel(input, *, dtype, little_endian):
        strings = np.asarray(input, object)
        element_dtype = dtype.numpy_dtype.newbyteorder("<" if little_endian else ">")
        sizes = {len(string_) for string_ in strings.flat}
        if len(sizes) > 1:
            raise InvalidArgumentError("io.decode_raw: the strings differ in length")
        size = sizes.pop() if sizes else 0
        if size % element_dtype.itemsize:
            raise InvalidArgumentError(
                f"io.decode_raw: {size} bytes are not a multiple of the size of {dtype.name}"
            )
        elements = np.frombuffer(b"".join(strings.flat), element_dtype).astype(dtype.numpy_dtype)
        return elements.reshape(*strings.shape, size // element_dtype.itemsize)

    def result(input, *, dtype, little_endian):
        return Spec(dtype, None if input.shape is None else (*input.shape, None))


@public("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """The bytes of each string as numbers of `out_type`, along a new last axis.

    `little_endian=False` reads big-endian numbers.

    >>> ag.io.decode_raw(b"\\x01\\x00\\x02\\x00", "int16").numpy()
    array([1, 2], dtype=int16)

    Raises InvalidArgumentError if the strings differ in length, or if their length is not a
    multiple of the size of a number.
    """
    if fixed_length is not None:
        raise ValueError("io.decode_raw has no fixed_length")
    attrs = {"dtype": as_dtype(out_type), "little_endian": little_endian}
    return apply(DecodeRaw, (input_bytes,), attrs, name)


@op
class EncodeBase64:
    """Each string encoded in base64, with the URL-safe alphabet.

    `pad=True` keeps the padding characters `=`.

    >>> ag.io.encode_base64("any").numpy()
    b'YW55'
    """

    accepts = STRINGS
    elementwise = True
    result = same_as_input
    public = ("io.encode_base64",)

    def kernel(input, *, pad=False):
        import base64

        return map_elements(
            lambda value: base64.urlsafe_b64encode(value).rstrip(b"" if pad else b"="), input
        )


@op
class DecodeBase64:
    """Each string decoded from URL-safe base64, with or without padding.

    >>> ag.io.decode_base64("YW55").numpy()
    b'any'

    Raises InvalidArgumentError for a string that is not valid base64.
    """

    accepts = STRINGS
    elementwise = True
    result = same_as_input
    public = ("io.decode_base64",)

    def kernel(input):
        return map_elements(_from_base64, input)


def _from_base64(value: bytes) -> bytes:
    import base64
    import binascii

    bare = value.rstrip(b"=")
    try:
        return base64.b64decode(bare + b"=" * (-len(bare) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise InvalidArgumentError(f"io.decode_base64: {value!r}: {error}") from None


# ---- serialized tensors ----------------------------------------------------------------------
# A protocol buffer message with the fields 1 (number of the dtype), 2 (shape: a message whose field
# 2 is repeated, one message for each axis with its size in field 1), 4 (the memory, little-endian)
# and 8 (repeated: strings). Source: the documented wire format of protocol buffers, and the message
# `TensorProto` of the reference's interface.

DTYPE_NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7,
    "complex64": 8, "int64": 9, "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18,
    "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
DTYPE_NAMES = {number: name for name, number in DTYPE_NUMBERS.items()}


def serialized(array: np.ndarray) -> bytes:
    """An array as a protocol buffer message."""
    sizes = b"".join(field(2, field(1, size) if size else b"") for size in array.shape)
    message = field(1, DTYPE_NUMBERS[FROM_NUMPY[array.dtype].name]) + field(2, sizes)
    if array.dtype == object:
        return message + b"".join(field(8, item) for item in array.flat)
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return message + field(4, np.ascontiguousarray(little).tobytes())


def parsed(message: bytes, dtype) -> np.ndarray:
    """The array in a message. Raises InvalidArgumentError for a bad message or another dtype."""
    shape: tuple[int, ...] = ()
    strings, memory, dtype_number = [], b"", 0
    content: Any
    try:
        for key, content in fields_of(message):
            if key == 1:
                dtype_number = content
            elif key == 2:
                axes = [axis for key, axis in fields_of(content) if key == 2]
                sizes: list[Any] = [dict(fields_of(axis)).get(1, 0) for axis in axes]  # type: ignore[arg-type]
                shape = tuple(sizes)
            elif key == 4:
                memory = content
            elif key == 8:
                strings.append(bytes(memoryview(content)))
        if DTYPE_NAMES.get(dtype_number) != dtype.name:
            raise ValueError(
                f"it holds {DTYPE_NAMES.get(dtype_number, 'nothing')}, not {dtype.name}"
            )
        if dtype_number == DTYPE_NUMBERS["string"]:
            result = np.empty(len(strings), object)
            result[:] = strings
            return result.reshape(shape)
        little_endian = dtype.numpy_dtype.newbyteorder("<")
        if dtype.is_bool and max(memory, default=0) > 1:
            raise ValueError("a bool is 0 or 1")
        return np.frombuffer(memory, little_endian).astype(dtype.numpy_dtype).reshape(shape)
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise InvalidArgumentError(
            f"io.parse_tensor: the string is not such a tensor: {error}"
        ) from None


@op
class SerializeTensor:
    """A tensor as a scalar string, which `io.parse_tensor` reads.

    >>> message = ag.io.serialize_tensor(ag.constant([1, 2]))
    >>> ag.io.parse_tensor(message, ag.int32).numpy()
    array([1, 2], dtype=int32)
    """

    public = ("io.serialize_tensor",)

    def kernel(tensor):
        return np.array(serialized(np.asarray(tensor)), object)

    def result(tensor):
        return Spec(string, ())


@hidden_op
class ParseTensor:
    """The tensor in a string of `io.serialize_tensor`."""

    accepts = STRINGS

    def kernel(serialized, *, dtype):
        message = serialized if isinstance(serialized, bytes) else serialized.item()
        return parsed(message, dtype)

    def result(serialized, *, dtype):
        return Spec(dtype, None)


@public("io.parse_tensor")
def parse_tensor(serialized, out_type, name=None):
    """The tensor in a scalar string of `io.serialize_tensor`, with the dtype `out_type`.

    Its static shape is unknown.

    >>> ag.io.parse_tensor(ag.io.serialize_tensor([1.5, 2.0]), ag.float32).numpy()
    array([1.5, 2. ], dtype=float32)

    Raises InvalidArgumentError if the string is not a tensor of that dtype.
    """
    return apply(ParseTensor, (serialized,), {"dtype": as_dtype(out_type)}, name)


class TensorProto:
    """A tensor as a message, of `make_tensor_proto`."""

    def __init__(self, message: bytes = b""):
        self._message = message

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The message as bytes, which `io.parse_tensor` reads."""
        return self._message

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Replace the tensor by that of a message."""
        self._message = bytes(serialized)
        return len(serialized)

    @classmethod
    def FromString(cls, serialized: bytes) -> TensorProto:  # noqa: N802
        """The tensor in a message."""
        return cls(bytes(serialized))

    def __eq__(self, other):
        return type(other) is TensorProto and self._message == other._message

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        return f"TensorProto({make_ndarray(self)!r})"


@public("make_tensor_proto")
def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """A message that holds a tensor, which `make_ndarray` reads.

    >>> ag.make_ndarray(ag.make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    array = to_array(values, None if dtype is None else as_dtype(dtype))
    if shape is not None:
        array = np.broadcast_to(array, shape) if allow_broadcast else array.reshape(shape)
    return TensorProto(serialized(array))


@public("make_ndarray")
def make_ndarray(tensor: TensorProto) -> np.ndarray:
    """The array in a message of `make_tensor_proto`.

    >>> ag.make_ndarray(ag.make_tensor_proto("text"))
    array(b'text', dtype=object)

    Raises InvalidArgumentError if the message is not a tensor.
    """
    message = tensor.SerializeToString()
    try:
        number = next((content for key, content in fields_of(message) if key == 1), None)
    except ValueError as error:
        raise InvalidArgumentError(f"make_ndarray: this is not a tensor: {error}") from None
    if number not in DTYPE_NAMES:
        raise InvalidArgumentError("make_ndarray: the message has no data type")
    return parsed(message, as_dtype(DTYPE_NAMES[number]))


# ---- CSV -------------------------------------------------------------------------------------


@hidden_op
class DecodeCsv:
    """The columns of CSV records."""

    accepts = {"records": STRINGS, "defaults": ANY}
    inputs = ("records", "*defaults")

    def kernel(records, *defaults, delimiter, quotes, missing, columns):
        rows = np.asarray(records, object)
        parsed_rows = [
            _parse_row(record, index, len(defaults) if columns is None else None, delimiter, quotes)
            for index, record in enumerate(rows.flat)
        ]
        picked = range(len(defaults)) if columns is None else columns
        return tuple(
            _column(parsed_rows, column, np.asarray(default), missing).reshape(rows.shape)
            for column, default in zip(picked, defaults, strict=True)
        )

    def result(records, *defaults, delimiter, quotes, missing, columns):
        return tuple(Spec(default.dtype, records.shape) for default in defaults)


def _parse_row(record: bytes, index: int, count, delimiter: str, quotes: bool) -> list[bytes]:
    import csv

    quoting: Any = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    lines = [record.decode("utf-8", "surrogateescape")]
    try:
        fields = next(csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True), [""])
    except csv.Error as error:
        raise InvalidArgumentError(f"io.decode_csv: record {index}: {error}") from None
    if count is not None and len(fields) != count:
        raise InvalidArgumentError(
            f"io.decode_csv: expected {count} fields but have {len(fields)} in record {index}"
        )
    return [field.encode("utf-8", "surrogateescape") for field in fields]


def _column(parsed_rows: list, column: int, default: np.ndarray, missing: str) -> np.ndarray:
    result = np.empty(len(parsed_rows), default.dtype)
    dtype = FROM_NUMPY[default.dtype]
    if not (dtype.is_integer or dtype.is_floating or dtype is string):
        raise DTypeError(f"io.decode_csv: a column holds numbers or strings, not {dtype.name}")
    convert = bytes if dtype is string else int if dtype.is_integer else float
    for index, fields in enumerate(parsed_rows):
        field = fields[column] if column < len(fields) else b""
        if field in (b"", missing.encode()):
            if not default.size:
                raise InvalidArgumentError(
                    f"io.decode_csv: field {column} is required but missing in record {index}"
                )
            result[index] = default.reshape(-1)[0]
            continue
        try:
            result[index] = convert(field)
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                f"io.decode_csv: field {column} in record {index} is not a valid "
                f"{FROM_NUMPY[default.dtype].name}: {field.decode('utf-8', 'replace')}"
            ) from None
    return result


@public("io.decode_csv")
def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None,
    name=None,
):  # fmt: skip
    """The columns of CSV records, as a list of tensors in the shape of `records`.

    `record_defaults` has an entry for each column: a default for empty fields, or a dtype or empty
    tensor if the field is required. It determines the dtype of the column. `select_cols` lists the
    columns to return, by index. `na_value` is a further string that means an empty field.

    >>> a, b = ag.io.decode_csv(["1,x", "2,"], [[0], ["none"]])
    >>> a.numpy().tolist(), b.numpy().tolist()
    ([1, 2], [b'x', b'none'])

    Raises InvalidArgumentError for a record with a wrong number of fields, an empty field without a
    default, and a field that is not a number of the dtype.
    """
    defaults = [_default(default) for default in record_defaults]
    if select_cols is not None and len(select_cols) != len(defaults):
        raise ValueError("io.decode_csv: select_cols and record_defaults differ in length")
    attrs = {
        "delimiter": field_delim,
        "quotes": bool(use_quote_delim),
        "missing": na_value,
        "columns": None if select_cols is None else tuple(select_cols),
    }
    return list(apply(DecodeCsv, (records, *defaults), attrs))


def _default(value):
    """A default as a tensor; a dtype as a tensor without elements."""
    if isinstance(value, (list, tuple)) or hasattr(value, "shape"):
        return convert_to_tensor(value)
    try:
        dtype = as_dtype(value)
    except TypeError:
        return convert_to_tensor([value])
    return convert_to_tensor(np.zeros(0, dtype.numpy_dtype))
