"""`train.Example`: named features, serialized as one string and parsed.

The messages are those of the reference's files: `Example` contains `Features` (field 1), a map
(field 1) of names to `Feature`, each a list of bytes (1), floats (2) or integers (3) in field 1.
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
from .messages import Message

DTYPES: dict[int, DType] = {1: string, 2: float32, 3: int64}
LIST_TYPES = {dtype: list_type for list_type, dtype in DTYPES.items()}


def _encoded(list_type: int, values: list) -> bytes:
    """The message of a list."""
    if list_type == 1:
        return b"".join(field(1, item) for item in values)
    if list_type == 2:
        packed = struct.pack(f"<{len(values)}f", *values)
    else:
        packed = b"".join(map(varint, values))
    return field(1, packed) if values else b""


def _decoded(list_type: int, message: bytes) -> list:
    """The values of a list, in packed or repeated encoding."""
    values: list = []
    for key, content in fields_of(message):
        if key != 1:
            continue
        if list_type == 1:
            values.append(bytes(content))
        elif list_type == 2:
            values += struct.unpack(f"<{len(content) // 4}f", content)
        elif isinstance(content, int):
            values.append(_signed(content))
        else:
            position = 0
            while position < len(content):
                item, position = read_varint(content, position)
                values.append(_signed(item))
    return values


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def _items(value, convert) -> list:
    items = value.numpy() if isinstance(value, Operators) else value
    items = [items] if isinstance(items, (str, bytes, int, float)) else items
    return [convert(item) for item in np.asarray(items, object).reshape(-1).tolist()]


def _as_bytes(item) -> bytes:
    item = item.numpy() if isinstance(item, Operators) else item
    if not isinstance(item, (str, bytes)):
        raise TypeError(f"{item!r} is not a string")
    return item.encode() if isinstance(item, str) else item


def _as_int(item) -> int:
    if isinstance(item, (float, str, bytes)):
        raise TypeError(f"{item!r} is not an integer")
    return int(item)


def _read_list(list_type: int, serialized: bytes) -> list:
    """The values of the message of a list. Raises InvalidArgumentError if it is none."""
    feature = field(list_type, serialized)
    return features_in(field(1, field(1, field(1, b"") + field(2, feature))))[""][1]


class _List(Message):
    """A list of values of one dtype."""

    list_type: int
    convert: staticmethod

    def __init__(self, value: Iterable = ()):
        self.value = _items(list(value), self.convert)

    def encoded(self) -> bytes:
        return _encoded(self.list_type, self.value)

    def _read(self, serialized: bytes) -> None:
        self.value = _read_list(self.list_type, serialized)

    def __eq__(self, other):
        return type(self) is type(other) and self.value == other.value

    __hash__ = None

    def __repr__(self):
        return f"{type(self).__name__}(value={self.value!r})"


@public("train.BytesList")
class BytesList(_List):
    """A list of strings: `BytesList(value=[b"a"])`."""

    list_type = 1
    convert = staticmethod(_as_bytes)


@public("train.FloatList")
class FloatList(_List):
    """A list of float32 numbers: `FloatList(value=[1.5])`."""

    list_type = 2
    convert = staticmethod(lambda item: float(np.float32(item)))


@public("train.Int64List")
class Int64List(_List):
    """A list of int64 numbers: `Int64List(value=[1, 2])`."""

    list_type = 3
    convert = staticmethod(_as_int)


NAMES = {1: "bytes_list", 2: "float_list", 3: "int64_list"}
LISTS = {1: BytesList, 2: FloatList, 3: Int64List}


@public("train.Feature")
class Feature(Message):
    """A feature: one of the three lists, or none. Raises ValueError for more than one."""

    def __init__(self, bytes_list=None, float_list=None, int64_list=None):
        lists = [one for one in (bytes_list, float_list, int64_list) if one is not None]
        if len(lists) > 1:
            raise ValueError("a Feature holds one list")
        self.content = lists[0] if lists else None

    @classmethod
    def of_list(cls, list_type: int, values: list) -> Feature:
        made = cls()
        made.content = LISTS[list_type](values) if list_type else None
        return made

    def encoded(self) -> bytes:
        values = self.content
        return b"" if values is None else field(values.list_type, values.encoded())

    def _read(self, serialized: bytes) -> None:
        one = features_in(field(1, field(1, field(1, b"") + field(2, serialized))))[""]
        self.content = Feature.of_list(*one).content

    def WhichOneof(self, oneof_group: str = "kind") -> str | None:  # noqa: N802
        """The name of the list that the feature holds, or None."""
        return None if self.content is None else NAMES[self.content.list_type]

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """Whether the feature holds the list of this name."""
        return self.WhichOneof() == field_name

    def _of(self, list_type: int):
        has_type = self.content is not None and self.content.list_type == list_type
        return self.content if has_type else LISTS[list_type]()

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
        return type(other) is Feature and self.content == other.content

    __hash__ = None

    def __repr__(self):
        return f"Feature({self.content!r})"


@public("train.Features")
class Features(Message):
    """Features by name, in the dict `feature`."""

    def __init__(self, feature: dict[str, Feature] | None = None):
        self.feature = dict(feature or {})

    def encoded(self) -> bytes:
        return b"".join(
            field(1, field(1, name.encode()) + field(2, feature.encoded()))
            for name, feature in sorted(self.feature.items())
        )

    def _read(self, serialized: bytes) -> None:
        lists = features_in(field(1, serialized))
        self.feature = {name: Feature.of_list(*one) for name, one in lists.items()}

    def __eq__(self, other):
        return type(other) is Features and self.feature == other.feature

    __hash__ = None

    def __repr__(self):
        return f"Features({self.feature!r})"


@public("train.Example")
class Example(Message):
    """Named features, which `SerializeToString` encodes as one string.

    >>> import allograph as ag
    >>> age = ag.train.Feature(int64_list=ag.train.Int64List(value=[42]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"age": age}))
    >>> message = example.SerializeToString()
    >>> ag.train.Example.FromString(message).features.feature["age"].int64_list.value
    [42]
    >>> features = {"age": ag.io.FixedLenFeature([], ag.int64)}
    >>> int(ag.io.parse_single_example(message, features)["age"])
    42
    """

    def __init__(self, features: Features | None = None):
        self.features = features or Features()

    def encoded(self) -> bytes:
        content = self.features.encoded()
        return field(1, content) if content else b""

    def _read(self, serialized: bytes) -> None:
        lists = features_in(serialized)
        self.features = Features({name: Feature.of_list(*one) for name, one in lists.items()})

    def __eq__(self, other):
        return type(other) is Example and self.features == other.features

    __hash__ = None

    def __repr__(self):
        return f"Example({self.features!r})"


def features_in(message: bytes) -> dict[str, tuple[int, list]]:
    """The list type and the values of each feature. Raises InvalidArgumentError if it is none."""
    lists: dict[str, tuple[int, list]] = {}
    try:
        for key, features in fields_of(message):
            for entry_key, entry in fields_of(features) if key == 1 else ():
                fields = dict(fields_of(entry)) if entry_key == 1 else {}
                name = fields.get(1, b"").decode()
                lists[name] = (0, [])
                for list_type, content in fields_of(fields.get(2, b"")):
                    if list_type in DTYPES:
                        lists[name] = list_type, _decoded(list_type, content)
    except (
        ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, struct.error
    ) as error:  # fmt: skip
        raise InvalidArgumentError(f"the string is not an Example: {error}") from None
    return lists


# ---- parsing in graphs -----------------------------------------------------------------------


class _FeatureSpec:
    """The shape, dtype and default of a feature for `parse_example`."""

    def __init__(self, shape, dtype, default_value=None):
        self.shape = tuple(as_shape(shape))
        self.dtype = as_dtype(dtype)
        self.default_value = default_value
        if self.dtype not in LIST_TYPES:
            raise ValueError(f"a feature is of string, float32 or int64, not {self.dtype.name}")


@public("io.FixedLenFeature")
class FixedLenFeature(_FeatureSpec):
    """A feature of a fixed shape. It is required unless there is a `default_value`."""

    varies = False


@public("io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(_FeatureSpec):
    """A feature with any number of slices of a shape. In a batch, shorter ones are padded."""

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
        messages = np.asarray(serialized, object)
        examples = [features_in(message) for message in messages.reshape(-1)]
        columns = []
        for index, name in enumerate(names):
            column = [
                _values(example, name, np.asarray(defaults[index]), shapes[index], required[index],
                        varies[index])
                for example in examples
            ]  # fmt: skip
            columns.append(_stacked(column, messages.shape, np.asarray(defaults[index])))
        return tuple(columns)

    def result(serialized, *defaults, names, shapes, required, varies):
        return tuple(
            Spec(
                default.dtype,
                None
                if serialized.shape is None
                else (*serialized.shape, *((None,) if is_sequence else ()), *shape),
            )
            for default, shape, is_sequence in zip(defaults, shapes, varies, strict=True)
        )


def _values(example, name: str, default: np.ndarray, shape, required: bool, varies: bool):
    """A feature of an example as an array of its shape."""
    list_type, values = example.get(name, (0, []))
    dtype = LIST_TYPES[{"O": string, "f": float32, "i": int64}[default.dtype.kind]]
    if list_type and list_type != dtype:
        raise InvalidArgumentError(
            f"feature '{name}' holds {DTYPES[list_type].name}, not {DTYPES[dtype].name}"
        )
    if not list_type and not varies:
        if required:
            raise InvalidArgumentError(
                f"feature '{name}' ({DTYPES[dtype].name}) is required but could not be found"
            )
        return np.broadcast_to(default, shape)
    array = np.empty(len(values), default.dtype)
    array[:] = values
    size = int(np.prod(shape))
    if (array.size % size if varies else array.size != size) if size else array.size:
        raise InvalidArgumentError(
            f"feature '{name}' has {array.size} values, which do not fit the shape {show(shape)}"
        )
    return array.reshape((-1, *shape) if varies else shape)


def _stacked(column: list[np.ndarray], batch, default: np.ndarray) -> np.ndarray:
    """The arrays of a batch stacked, with shorter ones padded with the default."""
    if not batch:
        return np.array(column[0])
    longest = max((len(one) for one in column if one.ndim), default=0)
    if any(one.ndim and len(one) != longest for one in column):
        fill = default.reshape(-1)[0] if default.size else default.dtype.type(0)
        column = [_filled(one, longest, fill) for one in column]
    return np.stack(column).reshape(*batch, *column[0].shape) if column else np.empty(
        (*batch, 0), default.dtype
    )  # fmt: skip


def _filled(array: np.ndarray, length: int, fill) -> np.ndarray:
    padded = np.full((length, *array.shape[1:]), fill, array.dtype)
    padded[: len(array)] = array
    return padded


@public("io.parse_example", "io.parse_single_example")
def parse_example(serialized, features: dict, example_names=None, name=None) -> dict:
    """The features of a serialized Example, or of a tensor of them, as a dict of tensors.

    `features` maps names to `FixedLenFeature` or `FixedLenSequenceFeature`. The shape of a result
    is the shape of `serialized` followed by the shape of the feature.

    >>> feature = ag.train.Feature(float_list=ag.train.FloatList([1.0, 2.0]))
    >>> example = ag.train.Example(ag.train.Features({"x": feature}))
    >>> message = example.SerializeToString()
    >>> features = {"x": ag.io.FixedLenFeature([2], "float32")}
    >>> ag.io.parse_example([message, message], features)["x"].shape
    TensorShape([2, 2])

    Raises InvalidArgumentError for a string that is not an Example, a missing feature, and a
    feature of another dtype or size.
    """
    names = sorted(features)
    specs = [features[name_] for name_ in names]
    for name_, spec in zip(names, specs, strict=True):
        if not isinstance(spec, _FeatureSpec):
            raise TypeError(f"parse_example: '{name_}' is {spec!r}: use FixedLenFeature")
    attrs = {
        "names": tuple(names),
        "shapes": tuple(spec.shape for spec in specs),
        "required": tuple(spec.default_value is None for spec in specs),
        "varies": tuple(spec.varies for spec in specs),
    }
    tensors = apply(ParseExample, (serialized, *map(_default, specs)), attrs) if names else ()
    return dict(zip(names, tensors, strict=True))


def _default(spec: _FeatureSpec):
    if spec.default_value is not None:
        return convert_to_tensor(spec.default_value, spec.dtype)
    empty = b"" if spec.dtype is string else 0
    return convert_to_tensor(np.array(empty, spec.dtype.numpy_dtype))
