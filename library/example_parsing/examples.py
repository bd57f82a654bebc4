"""`parse_example`: the features of serialized Examples as tensors, in graphs too."""

from __future__ import annotations

import struct

import numpy as np

from ... import as_dtype, convert_to_tensor, float32, int64, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ANY, STRINGS, Spec, apply, hidden_op
from ...extend.registration import public
from ...extend.specs import show
from ..file_io.message_fields import FLOAT, INTEGER, STRING, Scalar
from ..file_io.protobuf_wire import fields_of
from .feature_specs import (
    LIST_FEATURES,
    DenseFeature,
    FixedLenSequenceFeature,
    Rows,
    wanted_lists,
)

# The lists of a Feature by the number of their field.
LISTS: dict[int, tuple] = {1: (string, STRING), 2: (float32, FLOAT), 3: (int64, INTEGER)}
NUMBERS = {dtype: number for number, (dtype, _) in LISTS.items()}


def _values_in(scalar: Scalar, message: bytes) -> list:
    """The values of a list, in packed or repeated encoding."""
    values: list = []
    for key, content in fields_of(message):
        if key == 1:
            values += scalar.read(content)
    return values


def feature_in(message: bytes) -> tuple[int, list]:
    """Which list a serialized Feature holds, 0 for none, and its values."""
    result: tuple[int, list] = (0, [])
    for number, content in fields_of(message):
        if number in LISTS:
            result = number, _values_in(LISTS[number][1], content)
    return result


def entries_in(message: bytes, key: int):
    """The names and the contents of the map in a field of a message."""
    for number, features in fields_of(message):
        for entry_key, entry in fields_of(features) if number == key else ():
            fields = dict(fields_of(entry)) if entry_key == 1 else {}
            yield fields.get(1, b"").decode(), fields.get(2, b"")


def read_or_refuse(read, message: bytes, what: str):
    """What a function reads of a message. Raises InvalidArgumentError if it is none."""
    try:
        return read(message)
    except (
        ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, struct.error
    ) as error:  # fmt: skip
        raise InvalidArgumentError(f"the string is not {what}: {error}") from None


def features_in(message: bytes) -> dict[str, tuple[int, list]]:
    """The list type and the values of each feature. Raises InvalidArgumentError if it is none."""
    return read_or_refuse(
        lambda content: {name: feature_in(one) for name, one in entries_in(content, 1)},
        message,
        "an Example",
    )


def checked_values(name: str, feature: tuple[int, list], dtype) -> list:
    """The values of a feature that is of this data type, or missing."""
    number, values = feature
    if number and number != NUMBERS[dtype]:
        raise InvalidArgumentError(
            f"feature '{name}' holds {LISTS[number][0].name}, not {dtype.name}"
        )
    return values


def array_of(values: list, dtype) -> np.ndarray:
    array = np.empty(len(values), dtype.numpy_dtype)
    array[:] = values
    return array


@hidden_op
class ParseExample:
    """The features of serialized Examples as tensors: dense ones, then values and lengths."""

    accepts = {"serialized": STRINGS, "defaults": ANY}
    inputs = ("serialized", "*defaults")
    several = True

    def kernel(serialized, *defaults, names, shapes, required, varies, lists, types):
        messages = np.asarray(serialized, object)
        examples = [features_in(message) for message in messages.reshape(-1)]
        results = []
        for index, name in enumerate(names):
            column = [
                _values(example, name, np.asarray(defaults[index]), shapes[index], required[index],
                        varies[index])
                for example in examples
            ]  # fmt: skip
            results.append(_stacked(column, messages.shape, np.asarray(defaults[index])))
        for name, type in zip(lists, types, strict=True):
            dtype = as_dtype(type)
            rows = [checked_values(name, one.get(name, (0, [])), dtype) for one in examples]
            results.append(array_of([value for row in rows for value in row], dtype))
            results.append(np.array([len(row) for row in rows], np.int64))
        return tuple(results)

    def result(serialized, *defaults, names, shapes, required, varies, lists, types):
        dense = [
            Spec(
                default.dtype,
                None
                if serialized.shape is None
                else (*serialized.shape, *((None,) if is_sequence else ()), *shape),
            )
            for default, shape, is_sequence in zip(defaults, shapes, varies, strict=True)
        ]
        batch = serialized.shape or (1,)
        rows = [
            spec
            for type in types
            for spec in (Spec(as_dtype(type), (None,)), Spec(int64, batch[:1]))
        ]
        return (*dense, *rows)


def _values(example, name: str, default: np.ndarray, shape, required: bool, varies: bool):
    """A feature of an example as an array of its shape."""
    dtype = {"O": string, "f": float32, "i": int64}[default.dtype.kind]
    number, _ = feature = example.get(name, (0, []))
    values = checked_values(name, feature, dtype)
    if not number and not varies:
        if required:
            raise InvalidArgumentError(
                f"feature '{name}' ({dtype.name}) is required but could not be found"
            )
        return np.broadcast_to(default, shape)
    return shaped(array_of(values, dtype), name, shape, varies)


def shaped(array: np.ndarray, name: str, shape, varies: bool) -> np.ndarray:
    """The values of a feature in its shape, or as slices of it."""
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
        column = [padded(one, longest, fill) for one in column]
    return np.stack(column).reshape(*batch, *column[0].shape) if column else np.empty(
        (*batch, 0), default.dtype
    )  # fmt: skip


def padded(array: np.ndarray, length: int, fill) -> np.ndarray:
    """An array with `fill` after its slices, up to a length."""
    result = np.full((length, *array.shape[1:]), fill, array.dtype)
    result[: len(array)] = array
    return result


@public("io.parse_example", "io.parse_single_example")
def parse_example(serialized, features: dict, example_names=None, name=None) -> dict:
    """The features of a serialized Example, or of a tensor of them, as a dict of tensors.

    `features` maps names to `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`,
    `SparseFeature` or `RaggedFeature`. The shape of a dense result is the shape of `serialized`
    followed by the shape of the feature. Sparse and ragged ones take one Example, or a vector.

    >>> feature = ag.train.Feature(float_list=ag.train.FloatList(value=[1.0, 2.0]))
    >>> example = ag.train.Example(features=ag.train.Features(feature={"x": feature}))
    >>> message = example.SerializeToString()
    >>> features = {"x": ag.io.FixedLenFeature([2], "float32")}
    >>> ag.io.parse_example([message, message], features)["x"].shape
    TensorShape([2, 2])

    Raises InvalidArgumentError for a string that is not an Example, a missing feature, and a
    feature of another dtype or size.
    """
    for key, spec in features.items():
        check_spec(key, spec, "parse_example")
        if isinstance(spec, FixedLenSequenceFeature) and not spec.allow_missing:
            raise ValueError(f"'{key}': FixedLenSequenceFeature needs allow_missing=True")
    return parsed(serialized, features)


def check_spec(name: str, spec, caller: str) -> None:
    """Raises TypeError for what is no feature."""
    if not isinstance(spec, (DenseFeature, *LIST_FEATURES)):
        raise TypeError(f"{caller}: '{name}' is {spec!r}: use FixedLenFeature")


def parsed(serialized, features: dict) -> dict:
    """The features of Examples, or of the contexts of SequenceExamples."""
    serialized = convert_to_tensor(serialized)
    dense = {
        key: features[key] for key in sorted(features) if isinstance(features[key], DenseFeature)
    }
    lists = wanted_lists(features)
    if lists and (serialized.dims is None or len(serialized.dims) > 1):
        raise ValueError("parse_example: sparse and ragged features take one Example, or a vector")
    attrs = {
        "names": tuple(dense),
        "shapes": tuple(spec.shape for spec in dense.values()),
        "required": tuple(spec.default_value is None for spec in dense.values()),
        "varies": tuple(isinstance(spec, FixedLenSequenceFeature) for spec in dense.values()),
        "lists": tuple(key for key, _ in lists),
        "types": tuple(dtype.name for _, dtype in lists),
    }
    if not features:
        return {}
    defaults = [spec.default() for spec in dense.values()]
    tensors = apply(ParseExample, (serialized, *defaults), attrs)
    results = dict(zip(dense, tensors, strict=False))
    rest = tensors[len(dense) :]
    rows = {key: Rows(*rest[2 * index : 2 * index + 2]) for index, key in enumerate(lists)}
    is_batch = bool(serialized.dims)
    for key, spec in features.items():
        if isinstance(spec, LIST_FEATURES):
            results[key] = spec.assembled([rows[one] for one in spec.keys(key)], is_batch)
    return results
