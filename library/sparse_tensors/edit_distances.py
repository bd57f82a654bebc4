"""Edit distances of the rows of sparse tensors, and sparse tensors as strings."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ... import as_dtype, float32, int64, stack, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ANY, INTEGERS, Spec, ag, hidden_op
from ...extend.registration import public
from .sparse_tensor import SparseTensor


def levenshtein(one, other) -> int:
    """The least number of insertions, deletions and replacements from one sequence to another.

    >>> levenshtein("kitten", "sitting")
    3
    """
    costs = list(range(len(other) + 1))
    for row, item in enumerate(one, 1):
        diagonal, costs[0] = costs[0], row
        for column, against in enumerate(other, 1):
            change = diagonal + (item != against)
            diagonal = costs[column]
            costs[column] = min(change, diagonal + 1, costs[column - 1] + 1)
    return costs[-1]


def _sequences(indices, values) -> dict[tuple, list]:
    result: dict[tuple, list] = defaultdict(list)
    for index, value in zip(indices.tolist(), values.tolist(), strict=True):
        result[tuple(index[:-1])].append(value)
    return result


@hidden_op
class EditDistances:
    """The edit distance of each pair of rows along the last axis of two sparse tensors."""

    accepts = {
        "indices": INTEGERS, "values": ANY, "shape": INTEGERS,
        "true_indices": INTEGERS, "true_values": ANY, "true_shape": INTEGERS,
    }  # fmt: skip
    alike = ("values", "true_values")

    def kernel(indices, values, shape, true_indices, true_values, true_shape, *, normalize):
        if len(shape) != len(true_shape):
            raise InvalidArgumentError(
                f"edit_distance: tensors of {len(shape)} and {len(true_shape)} axes"
            )
        sizes = np.maximum(shape, true_shape)[:-1]
        found, true = _sequences(indices, values), _sequences(true_indices, true_values)
        result = np.zeros(sizes, np.float32)
        for place in np.ndindex(*sizes):
            one, other = found.get(place, []), true.get(place, [])
            distance = float(levenshtein(one, other))
            if normalize:
                distance = distance / len(other) if other else (np.inf if one else 0.0)
            result[place] = distance
        return result

    def result(indices, values, shape, true_indices, true_values, true_shape, *, normalize):
        rank = None if shape.shape is None else shape.shape[0]
        return Spec(float32, None if rank is None else (None,) * (rank - 1))


@public("edit_distance")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """The least number of insertions, deletions and replacements that make rows of `hypothesis`
    those of `truth`, divided by the length of the latter if `normalize`.

    Both are SparseTensors, whose last axis is that of the sequences; the result is dense, without
    this axis.

    >>> found = ag.SparseTensor([[0, 0], [1, 0]], ["a", "b"], [2, 1])
    >>> truth = ag.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])
    >>> ag.edit_distance(found, truth).numpy()
    array([0. , 0.5], dtype=float32)

    Raises TypeError for other tensors.
    """
    for one in (hypothesis, truth):
        if not isinstance(one, SparseTensor):
            raise TypeError(f"edit_distance takes SparseTensors, not {type(one).__name__}")
    return EditDistances(
        hypothesis.indices, hypothesis.values, hypothesis.dense_shape, truth.indices, truth.values,
        truth.dense_shape, normalize=bool(normalize),
    )  # fmt: skip


# ---- as strings ------------------------------------------------------------------------------


@public("io.serialize_sparse")
def serialize_sparse(sp_input, out_type=string, name=None):
    """A SparseTensor as a vector of three strings: its indices, values and shape.

    >>> ag.io.serialize_sparse(ag.SparseTensor([[1]], [5], [3])).shape
    TensorShape([3])
    """
    parts = sp_input.indices, sp_input.values, sp_input.dense_shape
    return stack([ag.io.serialize_tensor(part) for part in parts])


@public("io.serialize_many_sparse")
def serialize_many_sparse(sp_input, out_type=string, name=None):
    """Each row of a SparseTensor as a vector of three strings: a matrix [rows, 3]."""
    indices, values = sp_input.indices, sp_input.values
    shape = sp_input.dense_shape

    def row(number):
        inside = indices[:, 0] == number
        return serialize_sparse(
            SparseTensor(
                ag.boolean_mask(indices, inside)[:, 1:], ag.boolean_mask(values, inside), shape[1:]
            )
        )

    return ag.map_fn(row, ag.range(shape[0]), fn_output_signature=ag.TensorSpec([3], string))


@public("io.deserialize_many_sparse")
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """A SparseTensor of rows that `io.serialize_sparse` wrote, a matrix of strings [rows, 3].

    >>> rows = [ag.io.serialize_sparse(ag.SparseTensor([[one]], [5], [3])) for one in (0, 2)]
    >>> ag.sparse.to_dense(ag.io.deserialize_many_sparse(ag.stack(rows), "int32")).numpy()
    array([[5, 0, 0],
           [0, 0, 5]], dtype=int32)
    """
    rows = ag.unstack(ag.convert_to_tensor(serialized_sparse))
    indices, values, shapes = [], [], []
    for number, row in enumerate(rows):
        inner = ag.io.parse_tensor(row[0], int64)
        first = ag.fill([ag.shape(inner)[0], 1], ag.constant(number, int64))
        indices.append(ag.concat([first, inner], 1))
        values.append(ag.io.parse_tensor(row[1], as_dtype(dtype)))
        shapes.append(ag.io.parse_tensor(row[2], int64))
    largest = ag.reduce_max(ag.stack(shapes), 0)
    shape = ag.concat([ag.constant([len(rows)], int64), largest], 0)
    return SparseTensor(ag.concat(indices, 0), ag.concat(values, 0), shape)
