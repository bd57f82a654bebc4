"""Changing a part of a variable: the slices at some indices."""

from __future__ import annotations

from typing import NamedTuple

from ...core.public_names import public
from ...ir.op import TABLE
from ...tensors.apply import convert_to_tensor
from ...tensors.tensor import Operators, Tensor
from ..array.gathering import gather
from ..array.scattering import scatter_nd
from ..array.shape_ops import expand_dims
from ..array.slicing import getitem, set_item


@public("IndexedSlices")
class IndexedSlices:
    """Slices of a tensor of shape `dense_shape`: `values[i]` belongs to row `indices[i]`.

    As a tensor, it is zero elsewhere, and slices of the same row add up.

    >>> import allograph as ag
    >>> ag.convert_to_tensor(ag.IndexedSlices([5.0, 6.0], [2, 2], [3])).numpy()
    array([ 0.,  0., 11.], dtype=float32)
    """

    def __init__(self, values, indices, dense_shape=None):
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self):
        return self.values.dtype

    def __tf_tensor__(self, dtype=None, name=None) -> Tensor:
        if self.dense_shape is None:
            raise ValueError("slices without a dense_shape are no whole tensor")
        return scatter_nd(_columns(self.indices), self.values, self.dense_shape)

    def __repr__(self):
        return f"IndexedSlices(values={self.values!r}, indices={self.indices!r})"


def _columns(indices):
    """Indices of rows as index vectors of length 1."""
    return expand_dims(indices, -1)


class VariablePart(NamedTuple):
    """`variable[key]`, to be assigned to."""

    variable: SparseUpdates
    key: object

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Replace this part of the variable; `value` broadcasts to its shape.

        Gives what `Variable.assign` gives, and raises what `ag.tensor_set_item` raises.
        """
        return self.variable.assign(set_item(self.variable.value(), self.key, value))


class SparseUpdates(Operators):
    """The methods of `Variable` that read or change the slices at some indices.

    Each changes the variable where the program stands and gives what `assign` gives. An index
    outside the variable raises OutOfRangeError.
    """

    __slots__ = ()

    def __getitem__(self, key):
        """The value at an index; `variable[key].assign(value)` changes it there.

        >>> import allograph as ag
        >>> v = ag.Variable([1.0, 2.0, 3.0])
        >>> _ = v[1:].assign([8.0, 9.0])
        >>> v.numpy()
        array([1., 8., 9.], dtype=float32)
        """
        made = getitem(self.value(), key)
        made._part = VariablePart(self, key)
        return made

    def sparse_read(self, indices, name=None):
        """The rows at `indices`."""
        return gather(self, indices)

    def gather_nd(self, indices, name=None):
        """The slices at index vectors, as `ag.gather_nd` gives them."""
        return TABLE["gather_nd"](self, indices)

    def _scatter(self, how: str, indices, updates):
        updates = convert_to_tensor(updates, dtype_hint=self.dtype)
        changed = TABLE["tensor_scatter_nd_" + how](self.value(), indices, updates)
        return self.assign(changed)

    def _scatter_rows(self, how: str, slices: IndexedSlices):
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"rows are given as ag.IndexedSlices, not {slices!r}")
        return self._scatter(how, _columns(slices.indices), slices.values)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Replace rows, given as `IndexedSlices`.

        >>> v = ag.Variable([1.0, 2.0, 3.0])
        >>> _ = v.scatter_update(ag.IndexedSlices([9.0], [1]))
        >>> v.numpy()
        array([1., 9., 3.], dtype=float32)
        """
        return self._scatter_rows("update", sparse_delta)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Add to rows; those named twice are added to twice."""
        return self._scatter_rows("add", sparse_delta)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtract from rows."""
        return self._scatter_rows("sub", sparse_delta)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """The greater of each row and what is given for it."""
        return self._scatter_rows("max", sparse_delta)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """The smaller of each row and what is given for it."""
        return self._scatter_rows("min", sparse_delta)

    def scatter_nd_update(self, indices, updates, name=None):
        """Replace the slices at index vectors, as `ag.tensor_scatter_nd_update` does."""
        return self._scatter("update", indices, updates)

    def scatter_nd_add(self, indices, updates, name=None):
        """Add to the slices at index vectors."""
        return self._scatter("add", indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtract from the slices at index vectors."""
        return self._scatter("sub", indices, updates)

    def scatter_nd_max(self, indices, updates, name=None):
        """The greater of the slices at index vectors and `updates`."""
        return self._scatter("max", indices, updates)

    def scatter_nd_min(self, indices, updates, name=None):
        """The smaller of the slices at index vectors and `updates`."""
        return self._scatter("min", indices, updates)
