"""`train.Example`: named features as one text, written and parsed.

The messages are those of the reference's files: `Example` holds `Features` (field 1), a map (field
1) of names to `Feature`, each a list of bytes (1), floats (2) or whole numbers (3) in field 1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

import numpy as np

from ...runtime.core.dtypes import ANY, STRINGS, DType, as_dtype, float32, int64, string
from ...runtime.core.errors import InvalidArgumentError
from ...runtime.core.protobuf_wire import field, fields_of, read_varint, varint
from ...runtime.core.public_names import public
from ...runtime.core.shapes import as_shape, show
from ...runtime.ir.op import Spec
from ...runtime.tensors.apply import apply, convert_to_tensor
from ...runtime.tensors.operation import op
from ...runtime.tensors.tensor import Operators

TYPES: dict[int, DType] = {1: string, 2: float32, 3: int64}
NUMBERS = {dtype: number for number, dtype in TYPES.items()}


def _encoded(number: int, values: list) -> bytes:
    """The message of one list."""
    if number == 1:
        return b"".join(field(1, item) for item in values)
    if number == 2:
        packed = struct.pack(f"<{len(values)}f", *values)
    else:
        packed = b"".join(map(varint, values))
    return field(1, packed) if values else b""


def _decoded(number: int, message: bytes) -> list:
    """The values of one list, whether they are packed together or stand apart."""
    values: list = []
    for key, content in fields_of(message):
        if key != 1:
            continue
        if number == 1:
            values.append(bytes(content))
        elif number == 2:
            values += struct.unpack(f"<{len(content) // 4}f", content)
        elif isinstance(content, int):
            values.append(_signed(content))
        else:
            place = 0
            while place < len(content):
                item, place = read_varint(content, place)
                values.append(_signed(item))
    return values


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def _items(value, convert) -> list:
    rows = value.numpy() if isinstance(value, Operators) else value
    rows = [rows] if isinstance(rows, (str, bytes, int, float)) else rows
    return [convert(item) for item in np.asarray(rows, object).reshape(-1).tolist()]


def _as_bytes(item) -> bytes:
    item = item.numpy() if isinstance(item, Operators) else item
    if not isinstance(item, (str, bytes)):
        raise TypeError(f"{item!r} is no text")
    return item.encode() if isinstance(item, str) else item


def _as_whole(item) -> int:
    if isinstance(item, (float, str, bytes)):
        raise TypeError(f"{item!r} is no whole number")
    return int(item)


class _List:
    """A list of values of one type."""

    number: int
    convert: staticmethod

    def __init__(self, value: Iterable = ()):
        self.value = _items(list(value), self.convert)

    def __eq__(self, other):
        return type(self) is type(other) and self.value == other.value

    __hash__ = None

    def __repr__(self):
        return f"{type(self).__name__}(value={self.value!r})"


@public("train.BytesList")
class BytesList(_List):
    """Texts: `BytesList(value=[b"a"])`."""

    number = 1
    convert = staticmethod(_as_bytes)


@public("train.FloatList")
class FloatList(_List):
    """Numbers of float32: `FloatList(value=[1.5])`."""

    number = 2
    convert = staticmethod(lambda item: float(np.float32(item)))


@public("train.Int64List")
class Int64List(_List):
    """Whole numbers: `Int64List(value=[1, 2])`."""

    number = 3
    convert = staticmethod(_as_whole)


LISTS = {1: BytesList, 2: FloatList, 3: Int64List}


@public("train.Feature")
class Feature:
    """One of the three lists, or none."""

    def __init__(self, bytes_list=None, float_list=None, int64_list=None):
        given = [one for one in (bytes_list, float_list, int64_list) if one is not None]
        if len(given) > 1:
            raise ValueError("a Feature holds one list")
        self._list = given[0] if given else None

    def _of(self, number: int):
        found = self._list is not None and self._list.number == number
        return self._list if found else LISTS[number]()

    @property
    def bytes_list(self) -> BytesList:
        return self._of(1)

    @property
    def float_list(self) -> FloatList:
        return self._of(2)

    @property
    def int64_list(self) -> Int64List:
        return self._of(3)

    def __eq__(self, other):
        return type(other) is Feature and self._list == other._list

    __hash__ = None

    def __repr__(self):
        return f"Feature({self._list!r})"


@public("train.Features")
class Features:
    """Features by name, in `feature`."""

    def __init__(self, feature: dict[str, Feature] | None = None):
        self.feature = dict(feature or {})

    def __eq__(self, other):
        return type(other) is Features and self.feature == other.feature

    __hash__ = None

    def __repr__(self):
        return f"Features({self.feature!r})"


@public("train.Example")
class Example:
    """Named features, which `SerializeToString` writes as one text.

    >>> import allograph as ag
    >>> age = ag.train.Feature(int64_list=ag.train.Int64List(value=[42]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"age": age}))
    >>> text = example.SerializeToString()
    >>> ag.train.Example.FromString(text).features.feature["age"].int64_list.value
    [42]
    >>> int(ag.io.parse_single_example(text, {"age": ag.io.FixedLenFeature([], ag.int64)})["age"])
    42
    """

    def __init__(self, features: Features | None = None):
        self.features = features or Features()

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The message, features in the order of their names."""
        entries = b""
        for name, feature in sorted(self.features.feature.items()):
            held = feature._list
            content = b"" if held is None else field(held.number, _encoded(held.number, held.value))
            entries += field(1, field(1, name.encode()) + field(2, content))
        return field(1, entries) if entries else b""

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Take over what a message holds; InvalidArgumentError where it is none."""
        lists = features_in(bytes(serialized))
        made = {}
        for name, (number, values) in lists.items():
            feature = made[name] = Feature()
            if number:
                feature._list = LISTS[number](values)
        self.features = Features(made)
        return len(serialized)

    @classmethod
    def FromString(cls, serialized: bytes) -> Example:  # noqa: N802
        """The example in a message."""
        made = cls()
        made.ParseFromString(serialized)
        return made

    def __eq__(self, other):
        return type(other) is Example and self.features == other.features

    __hash__ = None

    def __repr__(self):
        return f"Example({self.features!r})"


def features_in(message: bytes) -> dict[str, tuple[int, list]]:
    """The number of the list and its values, by name; InvalidArgumentError for no Example."""
    found: dict[str, tuple[int, list]] = {}
    try:
        for key, features in fields_of(message):
            for inner, entry in fields_of(features) if key == 1 else ():
                row = dict(fields_of(entry)) if inner == 1 else {}
                name = row.get(1, b"").decode()
                found[name] = (0, [])
                for number, content in fields_of(row.get(2, b"")):
                    if number in TYPES:
                        found[name] = number, _decoded(number, content)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise InvalidArgumentError(f"this text holds no Example: {error}") from None
    return found


# ---- parsing in graphs -----------------------------------------------------------------------


class _Wanted:
    """What `parse_example` shall make of a feature."""

    def __init__(self, shape, dtype, default_value=None):
        self.shape = tuple(as_shape(shape))
        self.dtype = as_dtype(dtype)
        self.default_value = default_value
        if self.dtype not in NUMBERS:
            raise ValueError(f"a feature is of string, float32 or int64, not {self.dtype.name}")


@public("io.FixedLenFeature")
class FixedLenFeature(_Wanted):
    """A feature of a fixed shape; a missing one is an error, unless there is a `default_value`."""

    varies = False


@public("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(_Wanted):
    """A feature of any number of rows of a shape; shorter ones of a batch are filled up."""

    varies = True

    def __init__(self, shape, dtype, allow_missing=False, default_value=None):
        super().__init__(shape, dtype, default_value)
        if not allow_missing:
            raise ValueError("FixedLenSequenceFeature needs allow_missing=True")


@op
class ParseExample:
    """The features of serialized Examples as tensors."""

    accepts = {"serialized": STRINGS, "defaults": ANY}
    inputs = ("serialized", "*defaults")
    hidden = True

    def kernel(serialized, *defaults, names, shapes, required, varies):
        texts = np.asarray(serialized, object)
        rows = [features_in(text) for text in texts.reshape(-1)]
        made = []
        for place, name in enumerate(names):
            column = [
                _values(row, name, np.asarray(defaults[place]), shapes[place], required[place],
                        varies[place])
                for row in rows
            ]  # fmt: skip
            made.append(_stacked(column, texts.shape, np.asarray(defaults[place])))
        return tuple(made)

    def result(serialized, *defaults, names, shapes, required, varies):
        return tuple(
            Spec(
                default.dtype,
                None
                if serialized.shape is None
                else (*serialized.shape, *((None,) if more else ()), *shape),
            )
            for default, shape, more in zip(defaults, shapes, varies, strict=True)
        )


def _values(row, name: str, default: np.ndarray, shape, required: bool, varies: bool):
    """One feature of one example, in its shape."""
    number, values = row.get(name, (0, []))
    dtype = NUMBERS[{"O": string, "f": float32, "i": int64}[default.dtype.kind]]
    if number and number != dtype:
        raise InvalidArgumentError(
            f"feature '{name}' holds {TYPES[number].name}, not {TYPES[dtype].name}"
        )
    if not number and not varies:
        if required:
            raise InvalidArgumentError(
                f"feature '{name}' ({TYPES[dtype].name}) is required but could not be found"
            )
        return np.broadcast_to(default, shape)
    made = np.empty(len(values), default.dtype)
    made[:] = values
    size = int(np.prod(shape))
    if (made.size % size if varies else made.size != size) if size else made.size:
        raise InvalidArgumentError(
            f"feature '{name}' has {made.size} values, which do not fit the shape {show(shape)}"
        )
    return made.reshape((-1, *shape) if varies else shape)


def _stacked(column: list[np.ndarray], batch, default: np.ndarray) -> np.ndarray:
    """The rows of a batch as one array, shorter ones filled up with the default."""
    if not batch:
        return np.array(column[0])
    longest = max((len(one) for one in column if one.ndim), default=0)
    if any(one.ndim and len(one) != longest for one in column):
        fill = default.reshape(-1)[0] if default.size else default.dtype.type(0)
        column = [_filled(one, longest, fill) for one in column]
    return np.stack(column).reshape(*batch, *column[0].shape) if column else np.empty(
        (*batch, 0), default.dtype
    )  # fmt: skip


def _filled(one: np.ndarray, length: int, fill) -> np.ndarray:
    made = np.full((length, *one.shape[1:]), fill, one.dtype)
    made[: len(one)] = one
    return made


@public("io.parse_example", "io.parse_single_example")
def parse_example(serialized, features: dict, example_names=None, name=None) -> dict:
    """The features of a serialized Example, or of a batch of them, as tensors by name.

    `features` names what is wanted: `FixedLenFeature` or `FixedLenSequenceFeature`.

    >>> text = Example(Features({"x": Feature(float_list=FloatList([1.0, 2.0]))}))
    >>> text = text.SerializeToString()
    >>> parse_example([text, text], {"x": FixedLenFeature([2], "float32")})["x"].shape
    TensorShape([2, 2])

    Raises InvalidArgumentError for a text that is no Example, a missing feature, and one of another
    type or size.
    """
    names = sorted(features)
    wanted = [features[one] for one in names]
    for one, kind in zip(names, wanted, strict=True):
        if not isinstance(kind, _Wanted):
            raise TypeError(f"parse_example: '{one}' is {kind!r}: use FixedLenFeature")
    attrs = {
        "names": tuple(names),
        "shapes": tuple(kind.shape for kind in wanted),
        "required": tuple(kind.default_value is None for kind in wanted),
        "varies": tuple(kind.varies for kind in wanted),
    }
    made = apply(ParseExample, (serialized, *map(_default, wanted)), attrs) if names else ()
    return dict(zip(names, made, strict=True))


def _default(kind: _Wanted):
    if kind.default_value is not None:
        return convert_to_tensor(kind.default_value, kind.dtype)
    empty = b"" if kind.dtype is string else 0
    return convert_to_tensor(np.array(empty, kind.dtype.numpy_dtype))
