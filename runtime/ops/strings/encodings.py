"""Values as bytes and back: raw memory, base64, serialized tensors, rows of CSV."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, FROM_NUMPY, STRINGS, as_dtype, string
from ...core.errors import InvalidArgumentError
from ...core.protobuf_wire import field, fields_of
from ...core.public_names import public
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import op
from ..shape_rules import same_as_input
from .strings import _mapped as mapped


@op
class DecodeRaw:
    """The bytes of each text as numbers."""

    accepts = STRINGS
    hidden = True

    def kernel(input, *, dtype, little_endian):
        texts = np.asarray(input, object)
        kind = dtype.numpy_dtype.newbyteorder("<" if little_endian else ">")
        sizes = {len(text) for text in texts.flat}
        if len(sizes) > 1:
            raise InvalidArgumentError("io.decode_raw: the texts differ in length")
        size = sizes.pop() if sizes else 0
        if size % kind.itemsize:
            raise InvalidArgumentError(
                f"io.decode_raw: {size} bytes are no whole number of {dtype.name}"
            )
        rows = np.frombuffer(b"".join(texts.flat), kind).astype(dtype.numpy_dtype)
        return rows.reshape(*texts.shape, size // kind.itemsize)

    def result(input, *, dtype, little_endian):
        return Spec(dtype, None if input.shape is None else (*input.shape, None))


@public("io.decode_raw")
def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """The bytes of each text as numbers, along a new last axis.

    >>> ag.io.decode_raw(b"\\x01\\x00\\x02\\x00", "int16").numpy()
    array([1, 2], dtype=int16)

    Raises InvalidArgumentError where the texts differ in length, or are no whole number of numbers.
    """
    if fixed_length is not None:
        raise ValueError("io.decode_raw has no fixed_length")
    attrs = {"dtype": as_dtype(out_type), "little_endian": little_endian}
    return apply(DecodeRaw, (input_bytes,), attrs, name)


@op
class EncodeBase64:
    """Each text in base64, in the alphabet for addresses.

    >>> ag.io.encode_base64("any").numpy()
    b'YW55'
    """

    accepts = STRINGS
    result = same_as_input
    public = ("io.encode_base64",)

    def kernel(input, *, pad=False):
        import base64

        return mapped(
            lambda text: base64.urlsafe_b64encode(text).rstrip(b"" if pad else b"="), input
        )


@op
class DecodeBase64:
    """What `io.encode_base64` encoded; InvalidArgumentError for anything else.

    >>> ag.io.decode_base64("YW55").numpy()
    b'any'
    """

    accepts = STRINGS
    result = same_as_input
    public = ("io.decode_base64",)

    def kernel(input):
        return mapped(_from_base64, input)


def _from_base64(text: bytes) -> bytes:
    import base64
    import binascii

    bare = text.rstrip(b"=")
    try:
        return base64.b64decode(bare + b"=" * (-len(bare) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise InvalidArgumentError(f"io.decode_base64: {text!r}: {error}") from None


# ---- serialized tensors ----------------------------------------------------------------------
# A protocol buffer message with the fields 1 (number of the type), 2 (shape: a message whose field
# 2 is repeated, one message for each axis with its size in field 1), 4 (the memory, little endian)
# and 8 (repeated: texts). Source: the documented wire format of protocol buffers, and the message
# `TensorProto` of the reference's interface.

NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7,
    "complex64": 8, "int64": 9, "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18,
    "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip
NAMES = {number: name for name, number in NUMBERS.items()}


def serialized(array: np.ndarray) -> bytes:
    """An array as a message."""
    sizes = b"".join(field(2, field(1, size) if size else b"") for size in array.shape)
    made = field(1, NUMBERS[FROM_NUMPY[array.dtype].name]) + field(2, sizes)
    if array.dtype == object:
        return made + b"".join(field(8, text) for text in array.flat)
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return made + field(4, np.ascontiguousarray(little).tobytes())


def parsed(message: bytes, dtype) -> np.ndarray:
    """The array in a message; InvalidArgumentError where it is none, or of another type."""
    shape, texts, memory, number = (), [], b"", 0
    try:
        for kind, content in fields_of(message):
            if kind == 1:
                number = content
            elif kind == 2:
                rows = [dict(fields_of(axis)) for key, axis in fields_of(content) if key == 2]
                shape = tuple(row.get(1, 0) for row in rows)
            elif kind == 4:
                memory = content
            elif kind == 8:
                texts.append(content)
        if NAMES.get(number) != dtype.name:
            raise ValueError(f"it holds {NAMES.get(number, 'nothing')}, not {dtype.name}")
        if number == NUMBERS["string"]:
            made = np.empty(len(texts), object)
            made[:] = texts
            return made.reshape(shape)
        kind = dtype.numpy_dtype.newbyteorder("<")
        return np.frombuffer(memory, kind).astype(dtype.numpy_dtype).reshape(shape)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise InvalidArgumentError(f"io.parse_tensor: this is no such tensor: {error}") from None


@op
class SerializeTensor:
    """A tensor as one text, which `io.parse_tensor` reads.

    >>> text = ag.io.serialize_tensor(ag.constant([1, 2]))
    >>> ag.io.parse_tensor(text, ag.int32).numpy()
    array([1, 2], dtype=int32)
    """

    public = ("io.serialize_tensor",)

    def kernel(tensor):
        return np.array(serialized(np.asarray(tensor)), object)

    def result(tensor):
        return Spec(string, ())


@op
class ParseTensor:
    """The tensor that a text holds."""

    accepts = STRINGS
    hidden = True

    def kernel(serialized, *, dtype):
        text = serialized if isinstance(serialized, bytes) else serialized.item()
        return parsed(text, dtype)

    def result(serialized, *, dtype):
        return Spec(dtype, None)


@public("io.parse_tensor")
def parse_tensor(serialized, out_type, name=None):
    """The tensor that `io.serialize_tensor` wrote, of the type `out_type`.

    >>> ag.io.parse_tensor(ag.io.serialize_tensor([1.5, 2.0]), ag.float32).numpy()
    array([1.5, 2. ], dtype=float32)

    Raises InvalidArgumentError for a text that holds no tensor of that type.
    """
    return apply(ParseTensor, (serialized,), {"dtype": as_dtype(out_type)}, name)


# ---- CSV -------------------------------------------------------------------------------------


@op
class DecodeCsv:
    """The columns of rows of CSV."""

    accepts = {"records": STRINGS, "defaults": ANY}
    inputs = ("records", "*defaults")
    hidden = True

    def kernel(records, *defaults, delimiter, quotes, missing, columns):
        rows = np.asarray(records, object)
        read = [
            _row(text, place, len(defaults) if columns is None else None, delimiter, quotes)
            for place, text in enumerate(rows.flat)
        ]
        picked = range(len(defaults)) if columns is None else columns
        return tuple(
            _column(read, column, np.asarray(default), missing).reshape(rows.shape)
            for column, default in zip(picked, defaults, strict=True)
        )

    def result(records, *defaults, delimiter, quotes, missing, columns):
        return tuple(Spec(default.dtype, records.shape) for default in defaults)


def _row(text: bytes, place: int, count, delimiter: str, quotes: bool) -> list[bytes]:
    import csv

    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    lines = [text.decode("utf-8", "surrogateescape")]
    try:
        row = next(csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True), [""])
    except csv.Error as error:
        raise InvalidArgumentError(f"io.decode_csv: record {place}: {error}") from None
    if count is not None and len(row) != count:
        raise InvalidArgumentError(
            f"io.decode_csv: expected {count} fields but have {len(row)} in record {place}"
        )
    return [field.encode("utf-8", "surrogateescape") for field in row]


def _column(read: list, column: int, default: np.ndarray, missing: str) -> np.ndarray:
    made = np.empty(len(read), default.dtype)
    convert = {"i": int, "u": int, "f": float, "O": bytes}[default.dtype.kind]
    for place, row in enumerate(read):
        field = row[column] if column < len(row) else b""
        if field in (b"", missing.encode()):
            if not default.size:
                raise InvalidArgumentError(
                    f"io.decode_csv: field {column} is required but missing in record {place}"
                )
            made[place] = default.reshape(-1)[0]
            continue
        try:
            made[place] = convert(field)
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                f"io.decode_csv: field {column} in record {place} is no valid "
                f"{FROM_NUMPY[default.dtype].name}: {field.decode('utf-8', 'replace')}"
            ) from None
    return made


@public("io.decode_csv")
def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None,
    name=None,
):  # fmt: skip
    """The columns of rows of CSV, a tensor each, of the types of `record_defaults`.

    A default stands in for an empty field; a data type, or an empty list, says that there has to be
    one. `select_cols` picks columns by number.

    >>> a, b = ag.io.decode_csv(["1,x", "2,"], [[0], ["none"]])
    >>> a.numpy().tolist(), b.numpy().tolist()
    ([1, 2], [b'x', b'none'])

    Raises InvalidArgumentError for a row with more or fewer fields, a missing field without a
    default, and a field that spells no number.
    """
    defaults = [_default(one) for one in record_defaults]
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
    """A default as a tensor; a data type as one without elements."""
    if isinstance(value, (list, tuple)) or hasattr(value, "shape"):
        return convert_to_tensor(value)
    try:
        dtype = as_dtype(value)
    except TypeError:
        return convert_to_tensor([value])
    return convert_to_tensor(np.zeros(0, dtype.numpy_dtype))
