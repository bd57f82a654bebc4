"""Sparse tensors: the elements that are not zero, with their indices."""

from . import (
    conversions,
    edit_distances,
    sets,
    sparse_arithmetic,
    sparse_segments,
    sparse_shapes,
    sparse_tensor,
)
