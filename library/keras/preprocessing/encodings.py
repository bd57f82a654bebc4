"""Indices of categories as rows of numbers, and the layers that make them."""

from __future__ import annotations

import numpy as np

from .... import (
    cast,
    convert_to_tensor,
    expand_dims,
    int32,
    int64,
    one_hot,
    reduce_sum,
    searchsorted,
)
from ....extend.errors import FailedPreconditionError
from ....extend.operations import ops
from ...ragged.ragged_tensor import RaggedTensor
from ..layers.base_layer import Layer, layer
from .adapting import batches_of

MODES = ("int", "one_hot", "multi_hot", "count")


def checked_mode(mode: str, name: str, modes: tuple[str, ...] = MODES) -> str:
    """Raise ValueError for an output mode that a layer does not have."""
    if mode not in modes:
        raise ValueError(f"{name}: output_mode is one of {', '.join(modes)}, not {mode!r}")
    return mode


def encoded(indices, size: int, mode: str, dtype, weights=None):
    """Indices as an output mode says: as they are, or as rows of `size` numbers.

    "one_hot" gives a row for each index, the others a row for all along the last axis. What is out
    of range counts for nothing, so ragged rows are padded with -1. `weights` count in place of 1.
    """
    if mode == "int":
        return indices
    if isinstance(indices, RaggedTensor):
        indices = indices.to_tensor(-1)
    indices = expand_dims(indices, -1) if indices.ndim == 0 else indices
    if mode == "one_hot" and (indices.ndim == 1 or indices.dims[-1] != 1):
        indices = expand_dims(indices, -1)
    rows = one_hot(indices, size, dtype=dtype)
    if weights is not None:
        rows = rows * expand_dims(cast(weights, dtype), -1)
    total = reduce_sum(rows, -2)
    return total if mode == "count" else ops.minimum(total, 1)


@layer
class CategoryEncoding(Layer):
    """Rows of `num_tokens` numbers for integers: "one_hot", "multi_hot", or "count".

    >>> ag.keras.layers.CategoryEncoding(3, output_mode="count")([[0, 0, 2], [1, 1, 1]]).numpy()
    array([[2., 0., 1.],
           [0., 3., 0.]], dtype=float32)
    """

    def __init__(self, num_tokens=None, output_mode="multi_hot", sparse=False, **kwargs):
        super().__init__(**kwargs)
        if num_tokens is None:
            raise ValueError("CategoryEncoding: give num_tokens, the number of categories")
        refuse_sparse(sparse, self.name)
        self.num_tokens = num_tokens
        self.output_mode = checked_mode(output_mode, self.name, MODES[1:])

    def call(self, inputs, count_weights=None):
        if count_weights is not None and self.output_mode != "count":
            raise ValueError(f"{self.name}: count_weights need output_mode='count'")
        x = inputs if isinstance(inputs, RaggedTensor) else convert_to_tensor(inputs)
        indices = cast(x, int64)
        return encoded(indices, self.num_tokens, self.output_mode, self.dtype, count_weights)


@layer
class Discretization(Layer):
    """The number of the bin of each element: how many of the boundaries it is not below.

    bin_boundaries   the boundaries, in order
    num_bins         instead: so many bins, of which `adapt` finds the boundaries, at quantiles

    >>> ag.keras.layers.Discretization([0.0, 1.0])([[-1.5, 0.5], [1.0, 7.0]]).numpy()
    array([[0, 1],
           [2, 2]], dtype=int32)

    Raises FailedPreconditionError if there are no boundaries yet.
    """

    def __init__(
        self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", sparse=False,
        **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        if (bin_boundaries is None) == (num_bins is None):
            raise ValueError("Discretization: give either bin_boundaries or num_bins")
        refuse_sparse(sparse, self.name)
        self.num_bins = num_bins
        self.bin_boundaries = None if bin_boundaries is None else list(map(float, bin_boundaries))
        self.output_mode = checked_mode(output_mode, self.name)

    def adapt(self, data, steps=None) -> None:
        """Find the boundaries of bins that have equally many elements of the data."""
        if self.num_bins is None:
            raise ValueError(f"{self.name} has boundaries; adapt is for num_bins")
        values = np.sort(np.concatenate([one.reshape(-1) for one in batches_of(data, steps)]))
        shares = np.arange(1, values.size + 1) / values.size
        wanted = np.arange(1, self.num_bins) / self.num_bins
        self.bin_boundaries = np.interp(wanted, shares, values).tolist()

    def call(self, inputs):
        if self.bin_boundaries is None:
            raise FailedPreconditionError(
                f"{self.name} has no boundaries yet", "Call adapt(data) before, or give them."
            )
        x = cast(inputs, self.dtype)
        boundaries = convert_to_tensor(self.bin_boundaries, self.dtype)
        bins = searchsorted(boundaries, x, side="right", out_type=int32)
        return encoded(bins, len(self.bin_boundaries) + 1, self.output_mode, self.dtype)

    def get_config(self) -> dict:
        found = {"bin_boundaries": self.bin_boundaries, "num_bins": None}
        return {**super().get_config(), **(found if self.bin_boundaries else {})}


def refuse_sparse(sparse: bool, name: str) -> None:
    """Raise ValueError for a sparse output."""
    if sparse:
        raise ValueError(f"{name}: outputs are dense; use ag.sparse.from_dense on them")
