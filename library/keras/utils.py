"""`keras.utils`: helpers for labels, normalization and random seeds."""

from __future__ import annotations

import random

import numpy as np

from ...runtime.core.public_names import public
from ...runtime.ops.state.random import set_seed
from .layers.call_context import reset_names


@public("keras.utils.to_categorical")
def to_categorical(y, num_classes=None, dtype="float32"):
    """Integer labels as one-hot vectors along a new last axis, in a NumPy array.

    `num_classes` defaults to the largest label plus 1.

    >>> ag.keras.utils.to_categorical([1, 0])
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    labels = np.asarray(y, np.int64)
    if labels.ndim > 1 and labels.shape[-1] == 1:
        labels = labels[..., 0]
    count = int(labels.max()) + 1 if num_classes is None else num_classes
    return np.eye(count, dtype=dtype)[labels]


@public("keras.utils.normalize")
def normalize(x, axis=-1, order=2):
    """Vectors along `axis` scaled to norm 1 of order `order`, in a NumPy array.

    >>> ag.keras.utils.normalize(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    length = np.linalg.norm(x, order, axis, keepdims=True)
    return x / np.where(length == 0, 1, length)


@public("keras.utils.set_random_seed")
def set_random_seed(seed: int) -> None:
    """Set the seeds of the random generators of Python, NumPy and this package.

    >>> ag.keras.utils.set_random_seed(1)
    """
    random.seed(seed)
    np.random.seed(seed)
    set_seed(seed)


@public("keras.backend.clear_session")
def clear_session() -> None:
    """Restart the numbering of layer names.

    >>> ag.keras.backend.clear_session()
    """
    reset_names()
