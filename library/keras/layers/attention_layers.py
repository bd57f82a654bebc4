"""Attention: weighted means of values, with weights from queries and keys."""

from __future__ import annotations

import math

from .... import cast, einsum, expand_dims, matmul, reduce_sum, shape, where
from .... import range as range_
from ....extend.operations import ops
from ...nn import functional as nn
from .base_layer import Layer, layer
from .scaling_layers import EinsumDense


def causal_mask(scores):
    """True where a key is not later than the query, for scores [..., queries, keys]."""
    sizes = shape(scores)
    return expand_dims(range_(sizes[-2]), 1) >= expand_dims(range_(sizes[-1]), 0)


def masked_softmax(scores, mask):
    """The softmax over the keys that the mask, if there is one, lets through."""
    if mask is not None:
        scores = where(cast(mask, "bool"), scores, scores * 0 - 1e9)
    return nn.softmax(scores, -1)


@layer
class Attention(Layer):
    """Dot-product attention of `[query, value]` or `[query, value, key]`, each [batch, steps, dim].

    >>> layer = ag.keras.layers.Attention()
    >>> layer([ag.ones([2, 3, 4]), ag.ones([2, 5, 4])]).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, use_scale=False, score_mode="dot", dropout=0.0, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.use_scale, self.score_mode, self.dropout = use_scale, score_mode, dropout
        self.seed, self.scale = seed, None

    def build(self, input_shape):
        if self.use_scale:
            self.scale = self.add_weight("scale", (), None, "ones")

    def _scores(self, query, key):
        scores = matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale

    def call(
        self, inputs, mask=None, training=None, return_attention_scores=False,
        use_causal_mask=False,
    ):  # fmt: skip
        """The weighted means of the values, and the weights if asked for.

        `mask` is a list of the masks of query and value, [batch, steps], each of which may be None.
        """
        query, value, *rest = inputs
        scores = self._scores(query, rest[0] if rest else value)
        masks = list(mask) if isinstance(mask, (list, tuple)) else [None, None]
        kept = None if masks[1] is None else expand_dims(cast(masks[1], "bool"), -2)
        if use_causal_mask:
            causal = causal_mask(scores)
            kept = causal if kept is None else kept & causal
        weights = masked_softmax(scores, kept)
        if training and self.dropout:
            weights = nn.dropout(weights, self.dropout, seed=self.seed)
        result = matmul(weights, value)
        if masks[0] is not None:
            result = result * cast(expand_dims(masks[0], -1), result.dtype)
        return (result, weights) if return_attention_scores else result


@layer
class AdditiveAttention(Attention):
    """Attention whose scores are sums of `tanh(query + key)`, with trained weights.

    Source: Bahdanau et al., "Neural machine translation by jointly learning to align and
    translate", 2015.
    """

    def __init__(self, use_scale=True, dropout=0.0, **kwargs):
        super().__init__(use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape):
        if self.use_scale:
            self.scale = self.add_weight("scale", [input_shape[0][-1]], None, "glorot_uniform")

    def _scores(self, query, key):
        both = ops.tanh(expand_dims(query, -2) + expand_dims(key, -3))
        return reduce_sum(both if self.scale is None else both * self.scale, -1)


@layer
class MultiHeadAttention(Layer):
    """Several attentions side by side, on projections of query, value and key [batch, steps, dim].

    >>> layer = ag.keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> layer(ag.ones([2, 3, 8]), ag.ones([2, 5, 8])).shape
    TensorShape([2, 3, 8])

    Source: Vaswani et al., "Attention is all you need", 2017.
    """

    def __init__(
        self, num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None,
        attention_axes=None, kernel_initializer="glorot_uniform", bias_initializer="zeros",
        seed=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.num_heads, self.key_dim = num_heads, key_dim
        self.value_dim = key_dim if value_dim is None else value_dim
        self.dropout, self.use_bias, self.seed = dropout, use_bias, seed
        self.size = output_shape
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        if attention_axes is not None:
            raise ValueError("MultiHeadAttention: attention is over the axis of steps alone")

    def build(self, input_shape):
        query = input_shape[0] if isinstance(input_shape[0], (list, tuple)) else input_shape
        self.query_dense = self._projection("query", self.key_dim)
        self.key_dense = self._projection("key", self.key_dim)
        self.value_dense = self._projection("value", self.value_dim)
        self.output_dense = EinsumDense(
            "abcd,cde->abe", [None, self.size or query[-1]], None, "e" if self.use_bias else None,
            self.kernel_initializer, self.bias_initializer, name="attention_output",
        )  # fmt: skip

    def _projection(self, name: str, size: int) -> EinsumDense:
        return EinsumDense(
            "abc,cde->abde", [None, self.num_heads, size], None, "de" if self.use_bias else None,
            self.kernel_initializer, self.bias_initializer, name=name,
        )  # fmt: skip

    def call(
        self, query, value, key=None, attention_mask=None, return_attention_scores=False,
        training=None, use_causal_mask=False,
    ):  # fmt: skip
        """The attention of the query; `attention_mask` [batch, queries, keys] is True for pairs
        that count."""
        q, k = self.query_dense(query), self.key_dense(value if key is None else key)
        scores = einsum("aqhd,akhd->ahqk", q * (1 / math.sqrt(self.key_dim)), k)
        kept = None if attention_mask is None else expand_dims(cast(attention_mask, "bool"), 1)
        if use_causal_mask:
            causal = causal_mask(scores)
            kept = causal if kept is None else kept & causal
        weights = masked_softmax(scores, kept)
        dropped = weights
        if training and self.dropout:
            dropped = nn.dropout(weights, self.dropout, seed=self.seed)
        result = self.output_dense(einsum("ahqk,akhd->aqhd", dropped, self.value_dense(value)))
        return (result, weights) if return_attention_scores else result
