"""Sparse updates: changing slices of a variable."""

from __future__ import annotations

from typing import Any

from ...core.classes import NamedTuple
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

    As a tensor it is zero elsewhere, and slices of the same row are added.

    >>> ag.convert_to_tensor(ag.IndexedSlices([5.0, 6.0], [2, 2], [3])).numpy()
    array([ 0.,  0., 11.], dtype=float32)
    """

    def __init__(self, values, indices, dense_shape=None) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def __tf_tensor__(self, dtype=None, name=None) -> Tensor:
        if self.dense_shape is None:
            raise ValueError("IndexedSlices without a dense_shape cannot become a tensor")
        return scatter_nd(_columns(self.indices), self.values, self.dense_shape)

    def __repr__(self):
        return f"IndexedSlices(values={self.values!r}, indices={self.indices!r})"


def _columns(indices):
    """Row indices as index vectors of length 1."""
    return expand_dims(indices, -1)


class VariableSlice(NamedTuple):
    """`variable[key]`, a slice that can be assigned to."""

    variable: SparseUpdates
    key: object

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Replace this slice of the variable; `value` broadcasts to its shape.

        Returns what `Variable.assign` returns. Raises the errors of `ag.tensor_set_item`.
        """
        return self.variable.assign(set_item(self.variable.value(), self.key, value))


class SparseUpdates(Operators):
    """The methods of `Variable` that read or change the slices at some indices.

    Each one changes the variable at this point of the program and returns what `assign` returns. An
    index outside the variable raises OutOfRangeError.
    """

    __slots__ = ()

    def __getitem__(self: Any, key) -> Any:
        """The value at an index; `variable[key].assign(value)` changes that slice.

        >>> v = ag.Variable([1.0, 2.0, 3.0])
        >>> _ = v[1:].assign([8.0, 9.0])
        >>> v.numpy()
        array([1., 8., 9.], dtype=float32)
        """
        value = getitem(self.value(), key)
        value._part = VariableSlice(self, key)
        return value

    def sparse_read(self, indices, name=None) -> Any:
        """The slices along the first axis at `indices`, like `ag.gather`."""
        return gather(self, indices)

    def gather_nd(self, indices, name=None) -> Any:
        """The slices at index vectors, like `ag.gather_nd`."""
        return TABLE["gather_nd"](self, indices)

    def _scatter(self: Any, mode: str, indices, updates):
        updates = convert_to_tensor(updates, dtype_hint=self.dtype)
        changed = TABLE["tensor_scatter_nd_" + mode](self.value(), indices, updates)
        return self.assign(changed)

    def _scatter_slices(self, mode: str, slices: IndexedSlices):
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"rows are given as ag.IndexedSlices, not {slices!r}")
        return self._scatter(mode, _columns(slices.indices), slices.values)

    def scatter_update(self, sparse_delta, use_locking=False, name=None) -> Any:
        """Replace rows, given as `IndexedSlices`.

        >>> v = ag.Variable([1.0, 2.0, 3.0])
        >>> _ = v.scatter_update(ag.IndexedSlices([9.0], [1]))
        >>> v.numpy()
        array([1., 9., 3.], dtype=float32)
        """
        return self._scatter_slices("update", sparse_delta)

    def scatter_add(self, sparse_delta, use_locking=False, name=None) -> Any:
        """Add to rows, given as `IndexedSlices`. Repeated indices accumulate."""
        return self._scatter_slices("add", sparse_delta)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None) -> Any:
        """Subtract from rows, given as `IndexedSlices`. Repeated indices accumulate."""
        return self._scatter_slices("sub", sparse_delta)

    def scatter_max(self, sparse_delta, use_locking=False, name=None) -> Any:
        """Replace rows by the elementwise maximum of them and the given `IndexedSlices`."""
        return self._scatter_slices("max", sparse_delta)

    def scatter_min(self, sparse_delta, use_locking=False, name=None) -> Any:
        """Replace rows by the elementwise minimum of them and the given `IndexedSlices`."""
        return self._scatter_slices("min", sparse_delta)

    def scatter_nd_update(self, indices, updates, name=None) -> Any:
        """Replace the slices at index vectors, like `ag.tensor_scatter_nd_update`."""
        return self._scatter("update", indices, updates)

    def scatter_nd_add(self, indices, updates, name=None) -> Any:
        """Add to the slices at index vectors, like `ag.tensor_scatter_nd_add`."""
        return self._scatter("add", indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None) -> Any:
        """Subtract from the slices at index vectors, like `ag.tensor_scatter_nd_sub`."""
        return self._scatter("sub", indices, updates)

    def scatter_nd_max(self, indices, updates, name=None) -> Any:
        """The maximum of the slices at index vectors and `updates`."""
        return self._scatter("max", indices, updates)

    def scatter_nd_min(self, indices, updates, name=None) -> Any:
        """The minimum of the slices at index vectors and `updates`."""
        return self._scatter("min", indices, updates)
