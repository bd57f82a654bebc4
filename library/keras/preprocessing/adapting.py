"""What layers that learn from data before training share."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from .... import Tensor, convert_to_tensor
from ...ragged.ragged_tensor import RaggedTensor


def batches_of(data, steps=None) -> Iterable:
    """The batches of a dataset, at most `steps`, or an array as one batch.

    They are NumPy arrays, or ragged tensors.
    """
    if isinstance(data, RaggedTensor):
        return [data]
    if isinstance(data, (np.ndarray, Tensor, list, tuple)) or hasattr(data, "__array__"):
        return [np.asarray(convert_to_tensor(data))]
    batches = itertools.islice(data, steps)
    return (batch if isinstance(batch, RaggedTensor) else np.asarray(batch) for batch in batches)
