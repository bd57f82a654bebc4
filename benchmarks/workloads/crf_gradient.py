"""The gradient of the log-likelihood of a linear-chain CRF: 64 sequences of up to 100 tags of 12.

The lengths of the batch are not known when the function is traced. Work: a logarithm of sums of
exponentials of 64 x 12 x 12 numbers a step, forwards and backwards, 2 million exponentials.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"batch": 64, "length": 100}, "small": {"batch": 3, "length": 6}}
TOLERANCE = 1e-4
TAGS = 12


def inputs(batch, length):
    rng = np.random.default_rng(0)
    return {
        "scores": rng.standard_normal((batch, length, TAGS)).astype(np.float32),
        "tags": rng.integers(0, TAGS, (batch, length)).astype(np.int32),
        "lengths": rng.integers(length // 2, length + 1, batch).astype(np.int32),
        "moves": (0.1 * rng.standard_normal((TAGS, TAGS))).astype(np.float32),
    }


def graph(tf, size, **options):
    spec = tf.TensorSpec
    signature = [
        spec([None, None, TAGS], tf.float32),
        spec([None, None], tf.int32),
        spec([None], tf.int32),
        spec([TAGS, TAGS], tf.float32),
    ]

    def likelihood(scores, tags, lengths, moves):
        count = tf.shape(scores)[1]
        mask = tf.sequence_mask(lengths, count, tf.float32)
        own = tf.reduce_sum(tf.gather(scores, tags, batch_dims=2) * mask, 1)
        pairs = tf.gather_nd(moves, tf.stack([tags[:, :-1], tags[:, 1:]], -1))
        own += tf.reduce_sum(pairs * mask[:, 1:], 1)
        alpha = scores[:, 0]
        for step in tf.range(1, count):
            new = tf.reduce_logsumexp(alpha[:, :, tf.newaxis] + moves, 1) + scores[:, step]
            alpha = tf.where((step < lengths)[:, tf.newaxis], new, alpha)
        return tf.reduce_mean(own - tf.reduce_logsumexp(alpha, 1))

    @tf.function(input_signature=signature, **options)
    def gradient(scores, tags, lengths, moves):
        with tf.GradientTape() as tape:
            tape.watch([scores, moves])
            value = likelihood(scores, tags, lengths, moves)
        by_scores, by_moves = tape.gradient(value, [scores, moves])
        return value, by_scores, by_moves

    return gradient


def numpy(size):
    def total(x, axis):
        largest = x.max(axis, keepdims=True)
        return np.log(np.exp(x - largest).sum(axis)) + largest.squeeze(axis)

    def gradient(scores, tags, lengths, moves):
        batch = len(scores)
        scores, moves = scores.astype(np.float64), moves.astype(np.float64)
        value, by_scores, by_moves = 0.0, np.zeros_like(scores), np.zeros_like(moves)
        for one in range(batch):
            length, own = lengths[one], scores[one]
            ahead, behind = np.empty((length, TAGS)), np.zeros((length, TAGS))
            ahead[0] = own[0]
            for step in range(1, length):
                ahead[step] = total(ahead[step - 1][:, None] + moves, 0) + own[step]
            for step in range(length - 2, -1, -1):
                behind[step] = total(moves + own[step + 1] + behind[step + 1], 1)
            norm = total(ahead[-1], 0)
            path = tags[one, :length]
            value += own[np.arange(length), path].sum() + moves[path[:-1], path[1:]].sum() - norm
            by_scores[one, :length] -= np.exp(ahead + behind - norm)
            by_scores[one, np.arange(length), path] += 1
            for step in range(1, length):
                pair = ahead[step - 1][:, None] + moves + own[step] + behind[step] - norm
                by_moves -= np.exp(pair)
                by_moves[path[step - 1], path[step]] += 1
        return value / batch, by_scores / batch, by_moves / batch

    return gradient
