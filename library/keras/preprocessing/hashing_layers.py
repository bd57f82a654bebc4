"""Layers that map strings and integers to buckets by their hashes."""

from __future__ import annotations

from .... import as_string, convert_to_tensor, expand_dims, string, where
from ....extend.operations import ag
from ...ragged.crossing import crossed
from ...ragged.ragged_tensor import RaggedTensor
from ..layers.base_layer import Layer, layer
from .encodings import checked_mode, encoded, refuse_sparse


@layer
class Hashing(Layer):
    """A bucket below `num_bins` for each string or integer, by its hash.

    mask_value   gets bucket 0, and nothing else does
    salt         one or two integers: the key of the hash (SipHash, instead of FarmHash)
    output_mode  "int", "one_hot", "multi_hot" or "count"

    >>> ag.keras.layers.Hashing(3)([["A"], ["B"], ["E"]]).numpy().ravel()
    array([1, 0, 2])
    """

    def __init__(
        self, num_bins, mask_value=None, salt=None, output_mode="int", sparse=False, **kwargs
    ):
        super().__init__(**kwargs)
        if num_bins <= 0 or (mask_value is not None and num_bins < 2):
            raise ValueError(f"{self.name}: there are too few bins: {num_bins}")
        refuse_sparse(sparse, self.name)
        self.num_bins, self.mask_value = num_bins, mask_value
        self.salt = (salt, salt) if isinstance(salt, int) else salt
        self.output_mode = checked_mode(output_mode, self.name)

    def call(self, inputs):
        return encoded(self._buckets(inputs), self.num_bins, self.output_mode, self.dtype)

    input_dtype = string

    def _buckets(self, inputs):
        if isinstance(inputs, RaggedTensor):
            return inputs.with_flat_values(self._buckets(inputs.flat_values))
        x = convert_to_tensor(inputs)
        strings = x if x.dtype is string else as_string(x)
        free = self.num_bins - (self.mask_value is not None)
        if self.salt is None:
            buckets = ag.strings.to_hash_bucket_fast(strings, free)
        else:
            buckets = ag.strings.to_hash_bucket_strong(strings, free, self.salt)
        if self.mask_value is None:
            return buckets
        return where(x == convert_to_tensor(self.mask_value, x.dtype), 0, buckets + 1)


@layer
class HashedCrossing(Layer):
    """A bucket below `num_bins` for each combination of features, which are vectors or columns.

    >>> words, numbers = ag.constant(["A", "B"]), ag.constant([101, 101])
    >>> ag.keras.layers.HashedCrossing(5)((words, numbers)).numpy()
    array([1, 4])
    """

    def __init__(self, num_bins, output_mode="int", sparse=False, **kwargs):
        super().__init__(**kwargs)
        refuse_sparse(sparse, self.name)
        self.num_bins = num_bins
        self.output_mode = checked_mode(output_mode, self.name, ("int", "one_hot"))

    def call(self, inputs):
        features = [convert_to_tensor(one) for one in inputs]
        is_column = features[0].ndim == 2
        columns = [one if is_column else expand_dims(one, -1) for one in features]
        buckets = crossed(columns, num_buckets=self.num_bins).flat_values
        buckets = expand_dims(buckets, -1) if is_column else buckets
        return encoded(buckets, self.num_bins, self.output_mode, self.dtype)
