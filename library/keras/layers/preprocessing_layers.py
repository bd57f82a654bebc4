"""Layers that learn from data before training: normalization, and tables of tokens."""

from __future__ import annotations

import numpy as np

from ....runtime.core.errors import (
    FailedPreconditionError,
    UnimplementedError,
)
from ....runtime.core.shapes import as_shape
from ....runtime.ops.array.gathering import gather
from ....runtime.ops.array.masking import where
from ....runtime.ops.math.casting import cast
from ....runtime.ops.state.variables import Variable
from ....runtime.tensors.apply import convert_to_tensor
from ....runtime.tensors.operation import ops
from ....runtime.tensors.tensor import Tensor
from ...lookup_tables import LookUpTokens
from .base_layer import Layer, layer

TINY = 1e-7  # keeps quotients finite


def _batches(data):
    """The batches of a dataset, or an array as one batch, as NumPy arrays."""
    if isinstance(data, (np.ndarray, Tensor, list, tuple)) or hasattr(data, "__array__"):
        return [np.asarray(convert_to_tensor(data))]
    return (np.asarray(batch) for batch in data)


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
        for index, batch in enumerate(_batches(data)):
            if steps is not None and index >= steps:
                break
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


class _Lookup(Layer):
    """Base class of layers that map tokens to indices, or back."""

    key_dtype = "string"

    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=None, vocabulary=None,
        invert=False, output_mode="int", **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        if output_mode not in ("int", "one_hot", "multi_hot", "count"):
            raise ValueError(
                f"{self.name}: output_mode is 'int', 'one_hot', 'multi_hot' or 'count', "
                f"not {output_mode!r}"
            )
        if num_oov_indices not in (0, 1):
            raise UnimplementedError(
                f"{self.name}: num_oov_indices is 0 or 1, not {num_oov_indices}: tokens are "
                "not hashed"
            )
        self.max_tokens, self.num_oov_indices = max_tokens, num_oov_indices
        self.mask_token, self.oov_token = mask_token, oov_token
        self.invert, self.output_mode = invert, output_mode
        self.keys = None
        if vocabulary is not None:
            self.set_vocabulary(vocabulary)

    @property
    def _special(self) -> list:
        """The tokens before the vocabulary."""
        masks = [] if self.mask_token is None else [self.mask_token]
        return masks + [self.oov_token] * self.num_oov_indices

    def set_vocabulary(self, vocabulary) -> None:
        """Make these the tokens, from the most frequent one."""
        tokens = list(np.asarray(convert_to_tensor(vocabulary)).tolist())
        special = [_as_key(token) for token in self._special]
        if special and tokens[: len(special)] == special:
            tokens = tokens[len(special) :]
        if len(set(tokens)) != len(tokens):
            raise ValueError(f"{self.name}: a token is in the vocabulary twice")
        self.keys = convert_to_tensor(np.array(tokens, object if self._holds_strings else np.int64))

    @property
    def _holds_strings(self) -> bool:
        return self.key_dtype == "string"

    def adapt(self, data, batch_size=None, steps=None) -> None:
        """Take the tokens of arrays, or of the batches of a dataset, by their frequency."""
        counts: dict = {}
        for index, batch in enumerate(_batches(data)):
            if steps is not None and index >= steps:
                break
            for token in batch.reshape(-1).tolist():
                counts[token] = counts.get(token, 0) + 1
        counts.pop(_as_key(self.mask_token), None)
        ordered = sorted(sorted(counts, reverse=True), key=counts.__getitem__, reverse=True)
        room = None if self.max_tokens is None else self.max_tokens - len(self._special)
        self.set_vocabulary(ordered[:room])

    def get_vocabulary(self, include_special_tokens=True) -> list:
        """The tokens, in the order of their indices."""
        tokens = [] if self.keys is None else np.asarray(self.keys).tolist()
        tokens = [token.decode() if isinstance(token, bytes) else token for token in tokens]
        return self._special + tokens if include_special_tokens else tokens

    def vocabulary_size(self) -> int:
        """The number of tokens, with those for others and for padding."""
        return len(self.get_vocabulary())

    vocab_size = vocabulary_size

    def call(self, inputs):
        if self.keys is None:
            raise FailedPreconditionError(
                f"{self.name} has no vocabulary yet", "Call adapt(data) before, or give one."
            )
        if self.invert:
            tokens = [_as_key(token) for token in self.get_vocabulary()]
            tokens = convert_to_tensor(
                np.array(tokens, object if self._holds_strings else np.int64)
            )
            index = cast(inputs, "int64")
            known = (index >= 0) & (index < len(self.get_vocabulary()))
            return gather(tokens, where(known, index, index * 0 + self._first_unknown))
        return self._encoded(self._indices(inputs))

    @property
    def _first_unknown(self) -> int:
        return 0 if self.mask_token is None else 1

    def _indices(self, inputs):
        x = convert_to_tensor(inputs)
        x = x if x.dtype is self.keys.dtype else cast(x, self.keys.dtype)
        return LookUpTokens(
            x, self.keys, first=len(self._special), mask=_as_key(self.mask_token),
            unknown=self._first_unknown if self.num_oov_indices else None,
        )  # fmt: skip

    def _encoded(self, indices):
        if self.output_mode == "int":
            return indices
        rows = ops.one_hot(indices, self.vocabulary_size(), 1.0, 0.0, axis=-1)
        if self.output_mode == "one_hot":
            return rows
        summed = ops.reduce_sum(rows, axis=-2, keepdims=False) if rows.ndim > 2 else rows
        return ops.minimum(summed, 1.0) if self.output_mode == "multi_hot" else summed


def _as_key(token):
    return token.encode() if isinstance(token, str) else token


@layer
class StringLookup(_Lookup):
    """The index of each string in a vocabulary; unknown ones have the index of `oov_token`.

    >>> lookup = ag.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> lookup([["b", "a", "z"]]).numpy()
    array([[2, 1, 0]])
    >>> lookup.get_vocabulary()
    ['[UNK]', 'a', 'b']

    Raises FailedPreconditionError if there is no vocabulary yet.
    """

    def __init__(
        self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", **kwargs
    ):
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, **kwargs)


@layer
class IntegerLookup(_Lookup):
    """The index of each integer in a vocabulary; unknown ones have the index of `oov_token`.

    >>> ag.keras.layers.IntegerLookup(vocabulary=[12, 36])([[36, 12, 5]]).numpy()
    array([[2, 1, 0]])

    Raises FailedPreconditionError if there is no vocabulary yet.
    """

    key_dtype = "int64"

    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, **kwargs):
        super().__init__(max_tokens, num_oov_indices, mask_token, oov_token, **kwargs)
