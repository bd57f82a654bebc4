"""`parse_sequence_example`: the features of the steps of SequenceExamples as tensors."""

from __future__ import annotations

import numpy as np

from ... import as_dtype, cast, convert_to_tensor, int64
from ...extend.errors import InvalidArgumentError
from ...extend.operations import STRINGS, Spec, apply, hidden_op
from ...extend.registration import public
from ..file_io.protobuf_wire import fields_of
from ..ragged.ragged_joining import to_sparse
from ..ragged.ragged_tensor import RaggedTensor
from .examples import (
    array_of,
    check_spec,
    checked_values,
    entries_in,
    feature_in,
    padded,
    parsed,
    read_or_refuse,
    shaped,
)
from .feature_specs import FixedLenSequenceFeature, RaggedFeature, VarLenFeature


def _steps_in(message: bytes) -> dict[str, list[tuple[int, list]]]:
    """The features of each step by name."""
    return read_or_refuse(
        lambda serialized: {
            name: [feature_in(step) for number, step in fields_of(content) if number == 1]
            for name, content in entries_in(serialized, 2)
        },
        message,
        "a SequenceExample",
    )


@hidden_op
class ParseSequences:
    """The steps of SequenceExamples: dense ones with their numbers, then values and lengths."""

    accepts = STRINGS
    inputs = ("serialized",)
    several = True

    def kernel(serialized, *, names, shapes, dense_types, optional, lists, types):
        messages = np.asarray(serialized, object)
        examples = [_steps_in(message) for message in messages.reshape(-1)]
        results = []
        for name, shape, type, may_miss in zip(names, shapes, dense_types, optional, strict=True):
            rows = [_slices(example, name, shape, as_dtype(type), may_miss) for example in examples]
            counts = np.array([len(row) for row in rows], np.int64)
            most = max(counts.tolist(), default=0)
            zero = b"" if rows and rows[0].dtype == object else 0
            dense = [padded(row, most, zero) for row in rows]
            if messages.ndim:
                empty = np.zeros((0, most, *shape), as_dtype(type).numpy_dtype)
                results += [np.stack(dense) if dense else empty, counts]
            else:
                results += [dense[0], counts.reshape(())]
        for name, type in zip(lists, types, strict=True):
            steps = [example.get(name, []) for example in examples]
            rows = [checked_values(name, step, as_dtype(type)) for row in steps for step in row]
            values = [value for row in rows for value in row]
            results.append(array_of(values, as_dtype(type)))
            results.append(np.array([len(row) for row in rows], np.int64))
            results.append(np.array([len(row) for row in steps], np.int64))
        return tuple(results)

    def result(serialized, *, names, shapes, dense_types, optional, lists, types):
        batch = serialized.shape
        specs = []
        for shape, type in zip(shapes, dense_types, strict=True):
            full = None if batch is None else (*batch, None, *shape)
            specs += [Spec(as_dtype(type), full), Spec(int64, batch)]
        for type in types:
            rows = (1,) if batch == () else batch
            specs += [Spec(as_dtype(type), (None,)), Spec(int64, (None,)), Spec(int64, rows)]
        return tuple(specs)


def _slices(example: dict, name: str, shape, dtype, may_miss: bool) -> np.ndarray:
    """A feature of all steps of an example as an array with an axis of steps."""
    if name not in example and not may_miss:
        raise InvalidArgumentError(
            f"the sequence '{name}' is required but could not be found; "
            "FixedLenSequenceFeature(allow_missing=True) lets it be empty"
        )
    rows = [
        shaped(array_of(checked_values(name, step, dtype), dtype), name, shape, False)
        for step in example.get(name, [])
    ]
    return np.stack(rows) if rows else np.zeros((0, *shape), dtype.numpy_dtype)


def _parsed_steps(serialized, features: dict) -> tuple[dict, dict]:
    """The features of the steps, and the numbers of steps of the dense ones."""
    dense = {key: spec for key, spec in sorted(features.items())
             if isinstance(spec, FixedLenSequenceFeature)}  # fmt: skip
    lists = {key: spec for key, spec in features.items() if key not in dense}
    for key, spec in lists.items():
        check_spec(key, spec, "parse_sequence_example")
        if not isinstance(spec, (VarLenFeature, RaggedFeature)) or getattr(spec, "partitions", ()):
            raise TypeError(
                f"parse_sequence_example: the sequence '{key}' is {type(spec).__name__}: use "
                "FixedLenSequenceFeature, VarLenFeature, or RaggedFeature without partitions"
            )
    if not features:
        return {}, {}
    names = {key: getattr(spec, "value_key", None) or key for key, spec in lists.items()}
    attrs = {
        "names": tuple(dense),
        "shapes": tuple(spec.shape for spec in dense.values()),
        "dense_types": tuple(spec.dtype.name for spec in dense.values()),
        "optional": tuple(spec.allow_missing for spec in dense.values()),
        "lists": tuple(names.values()),
        "types": tuple(spec.dtype.name for spec in lists.values()),
    }
    tensors = apply(ParseSequences, (serialized,), attrs)
    found = dict(zip(dense, tensors[0::2], strict=False))
    lengths = dict(zip(dense, tensors[1::2], strict=False))
    for index, (key, spec) in enumerate(lists.items()):
        start = 2 * len(dense) + 3 * index
        found[key] = _assembled(spec, tensors[start : start + 3], bool(serialized.dims))
    return found, lengths


def _assembled(spec, parts, is_batch: bool):
    """The rows of each step, of each example, as a ragged or a sparse tensor."""
    values, row_lengths, steps = parts
    dtype = getattr(spec, "row_splits_dtype", int64)
    found = RaggedTensor.from_row_lengths(values, cast(row_lengths, dtype))
    if is_batch:
        found = RaggedTensor.from_row_lengths(found, cast(steps, dtype))
    return found if isinstance(spec, RaggedFeature) else to_sparse(found)


@public("io.parse_sequence_example")
def parse_sequence_example(
    serialized, context_features=None, sequence_features=None, example_names=None, name=None
):
    """The features of a vector of serialized SequenceExamples, as three dicts.

    They are the features of the contexts, as `io.parse_example` gives them; those of the steps,
    [batch, steps, ...], where shorter sequences are padded with zeros; and the numbers of steps of
    each dense sequence. `sequence_features` are `FixedLenSequenceFeature`, `VarLenFeature` (sparse)
    or `RaggedFeature`.

    >>> example = ag.train.SequenceExample()
    >>> example.feature_lists.feature_list["n"].feature.add().int64_list.value.append(3)
    >>> rows = [example.SerializeToString(), ag.train.SequenceExample().SerializeToString()]
    >>> wanted = {"n": ag.io.FixedLenSequenceFeature([], ag.int64, allow_missing=True)}
    >>> _, steps, lengths = ag.io.parse_sequence_example(rows, sequence_features=wanted)
    >>> steps["n"].numpy().tolist(), lengths["n"].numpy().tolist()
    ([[3], [0]], [1, 0])

    Raises InvalidArgumentError for a string that is not a SequenceExample, a missing sequence, and
    a feature of another dtype or size.
    """
    serialized = convert_to_tensor(serialized)
    if serialized.dims is not None and len(serialized.dims) != 1:
        raise ValueError(
            f"parse_sequence_example takes a vector of strings, not {serialized.shape}"
        )
    context = parsed(serialized, context_features or {})
    return context, *_parsed_steps(serialized, sequence_features or {})


@public("io.parse_single_sequence_example")
def parse_single_sequence_example(
    serialized, context_features=None, sequence_features=None, example_name=None, name=None
):
    """The features of one serialized SequenceExample: those of the context, and of the steps.

    >>> example = ag.train.SequenceExample()
    >>> example.context.feature["id"].int64_list.value.append(7)
    >>> wanted = {"id": ag.io.FixedLenFeature([], ag.int64)}
    >>> context, _ = ag.io.parse_single_sequence_example(example.SerializeToString(), wanted)
    >>> context["id"].numpy()
    np.int64(7)
    """
    serialized = convert_to_tensor(serialized)
    if serialized.dims not in ((), None):
        raise ValueError(f"parse_single_sequence_example takes a string, not {serialized.shape}")
    context = parsed(serialized, context_features or {})
    return context, _parsed_steps(serialized, sequence_features or {})[0]
