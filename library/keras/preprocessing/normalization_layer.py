"""`Normalization`: a layer that subtracts the mean of data, and divides by its deviation."""

from __future__ import annotations

import numpy as np

from .... import Variable, cast
from ....extend.errors import FailedPreconditionError
from ....extend.operations import ops
from ....extend.specs import as_shape
from ..layers.base_layer import Layer, layer
from .adapting import batches_of

TINY = 1e-7  # keeps quotients finite


@layer
class Normalization(Layer):
    """`(x - mean) / sqrt(variance)`, of moments that are given, or that `adapt` finds in data.

    axis     the axes that keep moments of their own; None for one mean and one variance
    invert   whether to undo the normalization instead

    >>> norm = ag.keras.layers.Normalization()
    >>> norm.adapt(np.array([[1.0, 0.0], [3.0, 4.0]], np.float32))
    >>> norm([[1.0, 2.0]]).numpy().tolist()
    [[-1.0, 0.0]]

    Raises FailedPreconditionError if there are no moments yet.
    """

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        if (mean is None) != (variance is None):
            raise ValueError("Normalization: give both mean and variance, or neither")
        self.axis, self.invert = axis, invert
        self.mean = self.variance = None
        if mean is not None:
            self._keep(np.asarray(mean, np.float32), np.asarray(variance, np.float32))

    def _keep(self, mean, variance) -> None:
        if self.mean is None:
            self.mean = Variable(mean, False, "mean", dtype=self.dtype)
            self.variance = Variable(variance, False, "variance", dtype=self.dtype)
            return
        self.mean.assign(mean.astype(np.float32))
        self.variance.assign(variance.astype(np.float32))

    def adapt(self, data, batch_size=None, steps=None) -> None:
        """Compute the moments of arrays, or of the batches of a dataset."""
        count, total, squares = 0, 0.0, 0.0
        for batch in batches_of(data, steps):
            rows = batch.astype(np.float64)
            rows = rows[:, None] if rows.ndim == 1 and self.axis is not None else rows
            kept = () if self.axis is None else np.atleast_1d(self.axis) % rows.ndim
            others = tuple(axis for axis in range(rows.ndim) if axis not in kept)
            more = int(np.prod([rows.shape[axis] for axis in others]))
            mean = rows.mean(others, keepdims=True)
            spread = ((rows - mean) ** 2).sum(others)
            mean = mean.reshape(spread.shape)
            # Chan et al., "Algorithms for computing the sample variance", 1983: moments of unions.
            difference = mean - total
            total = total + difference * more / (count + more)
            squares = squares + spread + difference**2 * count * more / (count + more)
            count += more
        if not count:
            raise ValueError("Normalization.adapt: there is no data")
        self._keep(np.asarray(total), np.asarray(squares) / count)

    def get_config(self) -> dict:
        if self.mean is None:
            return super().get_config()
        moments = {"mean": self.mean.numpy().tolist(), "variance": self.variance.numpy().tolist()}
        return {**super().get_config(), **moments}

    def call(self, inputs):
        if self.mean is None:
            raise FailedPreconditionError(
                "the Normalization has no moments yet", "Call adapt(data) before, or give them."
            )
        x = cast(inputs, self.dtype)
        kept = None if self.axis is None else np.atleast_1d(self.axis) % x.ndim
        mean, deviation = self.mean, ops.maximum(self.variance**0.5, TINY)
        if kept is not None and self.mean.dims:
            sizes = [1] * x.ndim
            for axis, size in zip(kept, self.mean.dims[-len(kept) :], strict=True):
                sizes[axis] = size
            mean, deviation = ops.reshape(mean, sizes), ops.reshape(deviation, sizes)
        return x * deviation + mean if self.invert else (x - mean) / deviation

    def compute_output_shape(self, input_shape):
        return as_shape(input_shape)
