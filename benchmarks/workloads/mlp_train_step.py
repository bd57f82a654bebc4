"""One step of training, float32: 784-256-10 units, relu, cross-entropy, gradient descent.

Work: for 128 rows 52 Mflop forward and 53 backward (the inputs need no gradient); 0.8 MB of weights
read and written.
Limit: the flops at the rate of matrix products.
Gradients are the engine's own; for NumPy and Numba they are written by hand. What is compared is
the loss of the first step and the weights after it.
"""

from __future__ import annotations

import numpy as np

SIZES = {
    "full": {"batch": 128, "pixels": 784, "units": 256, "classes": 10},
    "small": {"batch": 8, "pixels": 12, "units": 6, "classes": 4},
}
TOLERANCE = 1e-4
NOTES = {"numba": "gradients by hand", "numpy": "gradients by hand", "jax": "weights are donated"}
RATE = 0.01


def inputs(batch, pixels, units, classes):
    rng = np.random.default_rng(0)
    return {
        "x": rng.random((batch, pixels), np.float32),
        "labels": rng.integers(0, classes, batch).astype(np.int32),
    }


def first_weights(batch, pixels, units, classes):
    rng = np.random.default_rng(1)

    def layer(rows, columns):
        return (rng.standard_normal((rows, columns)) / rows**0.5).astype(np.float32)

    hidden, head = layer(pixels, units), layer(units, classes)
    return [hidden, np.zeros(units, np.float32), head, np.zeros(classes, np.float32)]


def limit(batch, pixels, units, classes):
    return {"flops": 2 * batch * units * (2 * pixels + 3 * classes), "dtype": "float32"}


def graph(tf, size, **options):
    variables = [tf.Variable(weights) for weights in first_weights(**size)]
    w1, b1, w2, b2 = variables

    @tf.function(**options)
    def step(x, labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1) + b1), w2) + b2
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return step, lambda loss: [loss, *(variable.numpy() for variable in variables)]


def numpy(size):
    weights = first_weights(**size)
    indices, rate = np.arange(size["batch"]), np.float32(RATE)

    def step(x, labels):
        w1, b1, w2, b2 = weights
        h = np.maximum(x @ w1 + b1, 0)
        logits = h @ w2 + b2
        logits -= logits.max(axis=1, keepdims=True)
        e = np.exp(logits)
        total = e.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(total[:, 0]) - logits[indices, labels])
        e /= total
        e[indices, labels] -= 1
        e /= np.float32(len(indices))
        gradient_h = (e @ w2.T) * (h > 0)
        gradients = x.T @ gradient_h, gradient_h.sum(axis=0), h.T @ e, e.sum(axis=0)
        for array, gradient in zip(weights, gradients, strict=True):
            array -= rate * gradient
        return loss

    return step, lambda loss: [loss, *weights]


def numba(size):
    from numba import njit

    from .vector_math import MATHS

    weights = first_weights(**size)
    zero, one, rate = np.float32(0), np.float32(1), np.float32(RATE)

    @njit(**MATHS)
    def add_and_clip(h, b):
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                h[i, j] = max(h[i, j] + b[j], zero)

    @njit(**MATHS)
    def loss_and_gradient(logits, b, labels):
        count, classes = logits.shape
        loss, share = zero, one / np.float32(count)
        for i in range(count):
            row = logits[i]
            top = row[0] + b[0]
            for j in range(classes):
                row[j] += b[j]
                top = max(top, row[j])
            chosen, total = row[labels[i]] - top, zero
            for j in range(classes):
                row[j] = np.exp(row[j] - top)
                total += row[j]
            for j in range(classes):
                row[j] *= share / total
            row[labels[i]] -= share
            loss += np.log(total) - chosen
        return loss * share

    @njit(**MATHS)
    def relu_backward(gradient_h, h):
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                gradient_h[i, j] = gradient_h[i, j] if h[i, j] > zero else zero

    @njit(**MATHS)
    def descend(w, b, gradient, gradient_output):
        for i in range(w.shape[0]):
            for j in range(w.shape[1]):
                w[i, j] -= rate * gradient[i, j]
        for i in range(gradient_output.shape[0]):
            for j in range(b.size):
                b[j] -= rate * gradient_output[i, j]

    @njit
    def train(x, labels, w1, b1, w2, b2):
        h = np.dot(x, w1)
        add_and_clip(h, b1)
        back = np.dot(h, w2)
        loss = loss_and_gradient(back, b2, labels)
        gradient_h = np.dot(back, w2.T)
        relu_backward(gradient_h, h)
        descend(w2, b2, np.dot(h.T, back), back)
        descend(w1, b1, np.dot(x.T, gradient_h), gradient_h)
        return loss

    return lambda x, labels: train(x, labels, *weights), lambda loss: [loss, *weights]


def jax(size):
    import jax
    from jax import numpy as jnp

    state = [[jnp.asarray(weights) for weights in first_weights(**size)]]

    def loss_of(weights, x, labels):
        w1, b1, w2, b2 = weights
        logits = jax.nn.relu(x @ w1 + b1) @ w2 + b2
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -jnp.mean(picked)

    def train(weights, x, labels):
        loss, gradients = jax.value_and_grad(loss_of)(weights, x, labels)
        return loss, [w - RATE * gradient for w, gradient in zip(weights, gradients, strict=True)]

    train = jax.jit(train, donate_argnums=0)

    def step(x, labels):
        loss, state[0] = train(state[0], x, labels)
        jax.block_until_ready(state[0])
        return loss

    return step, lambda loss: [loss, *state[0]]


def torch(size):
    import torch

    weights = [torch.from_numpy(array).requires_grad_() for array in first_weights(**size)]
    w1, b1, w2, b2 = weights

    @torch.compile
    def step(x, labels):
        logits = torch.relu(x @ w1 + b1) @ w2 + b2
        loss = torch.nn.functional.cross_entropy(logits, labels)
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for array, gradient in zip(weights, gradients, strict=True):
                array.sub_(RATE * gradient)
        return loss.detach()

    return lambda x, labels: step(x, labels.long()), lambda loss: [loss, *weights]
