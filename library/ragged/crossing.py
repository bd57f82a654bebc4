"""Features crossed: for each row, all combinations of one value of each feature."""

from __future__ import annotations

import itertools

import numpy as np

from ... import cast, convert_to_tensor, int64, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ANY, Spec, hidden_op
from ...extend.registration import public
from ..strings.fingerprints import MASK, fingerprint, joined_fingerprints
from . import row_partitions as partitions
from .ragged_tensor import RaggedTensor

HASH_KEY = 0xDECAFCAFFE


def _as_bytes(value) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@hidden_op
class CrossRows:
    """The combinations of the values of each row, as texts or as buckets; and their row splits.

    The operands are the values and the row splits of each feature in turn.
    """

    inputs = ("*features",)
    accepts = ANY
    alike = ()

    def kernel(*features, separator, num_buckets, hash_key):
        values = [one.tolist() for one in features[::2]]
        splits = [one.tolist() for one in features[1::2]]
        if len({len(one) for one in splits}) > 1:
            counts = ", ".join(str(len(one) - 1) for one in splits)
            raise InvalidArgumentError(f"features to cross have {counts} rows")
        found, ends = [], [0]
        for row in range(len(splits[0]) - 1):
            rows = [one[at[row] : at[row + 1]] for one, at in zip(values, splits, strict=True)]
            found += itertools.product(*rows)
            ends.append(len(found))
        if separator is not None:
            crossed = np.empty(len(found), object)
            crossed[:] = [separator.encode().join(map(_as_bytes, one)) for one in found]
        else:
            numbers = [_bucket(one, num_buckets, hash_key) for one in found]
            crossed = np.array(numbers, np.int64)
        return crossed, np.array(ends, np.int64)

    def result(*features, separator, num_buckets, hash_key):
        dtype = int64 if separator is None else string
        return Spec(dtype, (None,)), Spec(int64, features[1].shape)


def _bucket(combination: tuple, num_buckets: int, hash_key: int) -> int:
    made = hash_key
    for one in combination:
        part = fingerprint(one) if isinstance(one, bytes) else int(one) & MASK
        made = joined_fingerprints(made, part)
    return made % (num_buckets or 2**63 - 1)


def _components(feature) -> tuple:
    """The values and the row splits of a feature: ragged, sparse, or a dense matrix."""
    if hasattr(feature, "dense_shape"):
        splits = partitions.splits_of_row_ids(feature.indices[:, 0], feature.dense_shape[0])
        values = feature.values
    else:
        if not isinstance(feature, RaggedTensor):
            feature = RaggedTensor.from_tensor(convert_to_tensor(feature))
        values, splits = feature.values, feature.row_splits
    values = values if values.dtype is string else cast(values, int64)
    return values, cast(splits, int64)


def crossed(features, separator=None, num_buckets=0, hash_key=None) -> RaggedTensor:
    """The combinations of each row: texts if there is a separator, else buckets."""
    if not features:
        raise ValueError("there are no features to cross")
    components = [part for feature in features for part in _components(feature)]
    values, splits = CrossRows(
        *components, separator=separator, num_buckets=num_buckets,
        hash_key=HASH_KEY if hash_key is None else int(hash_key),
    )  # fmt: skip
    return RaggedTensor.of_rows(values, splits)


@public("ragged.cross")
def cross(inputs, name=None) -> RaggedTensor:
    """For each row, the texts of all combinations of one value of each input, joined by "_X_".

    The inputs are ragged, sparse or dense matrices of strings or integers.

    >>> import allograph as ag
    >>> ag.ragged.cross([ag.ragged.constant([["a"], ["b", "c"]]), ag.constant([[1], [2]])])
    <ag.RaggedTensor [[b'a_X_1'], [b'b_X_2', b'c_X_2']]>
    """
    return crossed(inputs, "_X_")


@public("ragged.cross_hashed")
def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None) -> RaggedTensor:
    """For each row, a bucket for each combination of one value of each input.

    Without `num_buckets` it is a hash of 63 bits.

    >>> import allograph as ag
    >>> ag.ragged.cross_hashed([ag.constant([["A"], ["B"]]), ag.constant([[101], [101]])], 5)
    <ag.RaggedTensor [[1], [4]]>
    """
    return crossed(inputs, None, num_buckets, hash_key)
