"""One step of training: forward, gradients, and the update of the weights.

The dense model has 784-256-10 units and is trained on batches of 128 by gradient descent; the model
with convolutions is that of examples/digits.py, trained by Adam. Peers take part where they are
installed.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from harness import Workload

import allograph as ag

BATCH, INPUTS, HIDDEN, CLASSES = 128, 784, 256, 10
RATE = np.float32(0.01)
NAMES = ("w1", "b1", "w2", "b2")


def made(seed: int = 0) -> dict[str, np.ndarray]:
    """A batch, its labels, and the first weights."""
    rng = np.random.default_rng(seed)
    return {
        "x": rng.random((BATCH, INPUTS), np.float32),
        "labels": rng.integers(0, CLASSES, BATCH),
        "w1": (rng.standard_normal((INPUTS, HIDDEN)) / INPUTS**0.5).astype(np.float32),
        "b1": np.zeros(HIDDEN, np.float32),
        "w2": (rng.standard_normal((HIDDEN, CLASSES)) / HIDDEN**0.5).astype(np.float32),
        "b2": np.zeros(CLASSES, np.float32),
    }


# ---- the dense model, each contestant in its own words ---------------------------------------


def in_allograph(**options) -> Callable[[], object]:
    given = made()
    x, labels = ag.constant(given["x"]), ag.constant(given["labels"])
    variables = [ag.Variable(given[name]) for name in NAMES]
    w1, b1, w2, b2 = variables

    @ag.function(**options)
    def step(x, labels):
        with ag.GradientTape() as tape:
            logits = ag.nn.relu(x @ w1 + b1) @ w2 + b2
            losses = ag.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = ag.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return lambda: step(x, labels)


def in_numpy() -> Callable[[], object]:
    given = made()
    x, labels, rows = given["x"], given["labels"], np.arange(BATCH)
    w1, b1, w2, b2 = (given[name] for name in NAMES)

    def step():
        hidden = np.maximum(x @ w1 + b1, np.float32(0))
        logits = hidden @ w2 + b2
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp(logits)
        totals = shares.sum(axis=1, keepdims=True)
        loss = np.mean(np.log(totals[:, 0]) - logits[rows, labels])
        back = shares / totals
        back[rows, labels] -= 1
        back /= BATCH
        inner = (back @ w2.T) * (hidden > 0)
        for weights, gradient in (
            (w1, x.T @ inner),
            (b1, inner.sum(axis=0)),
            (w2, hidden.T @ back),
            (b2, back.sum(axis=0)),
        ):
            gradient *= RATE
            weights -= gradient
        return loss

    return step


def in_tensorflow() -> Callable[[], object]:
    import tensorflow as tf

    given = made()
    x, labels = tf.constant(given["x"]), tf.constant(given["labels"])
    variables = [tf.Variable(given[name]) for name in NAMES]
    w1, b1, w2, b2 = variables

    @tf.function
    def step(x, labels):
        with tf.GradientTape() as tape:
            logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return lambda: step(x, labels).numpy()


def in_jax() -> Callable[[], object]:
    import jax
    import jax.numpy as jnp

    given = made()
    x, labels, rows = jnp.asarray(given["x"]), jnp.asarray(given["labels"]), jnp.arange(BATCH)

    def loss_of(weights, x, labels):
        w1, b1, w2, b2 = weights
        logits = jax.nn.relu(x @ w1 + b1) @ w2 + b2
        return -jax.nn.log_softmax(logits)[rows, labels].mean()

    @jax.jit
    def step(weights, x, labels):
        loss, gradients = jax.value_and_grad(loss_of)(weights, x, labels)
        return loss, [one - RATE * by for one, by in zip(weights, gradients, strict=True)]

    weights = [jnp.asarray(given[name]) for name in NAMES]

    def run():
        nonlocal weights
        loss, weights = step(weights, x, labels)
        return loss.block_until_ready()

    return run


def in_torch() -> Callable[[], object]:
    import torch

    given = made()
    x, labels = torch.from_numpy(given["x"]), torch.from_numpy(given["labels"])
    weights = [torch.from_numpy(given[name]).requires_grad_() for name in NAMES]
    w1, b1, w2, b2 = weights

    def step():
        logits = torch.relu(x @ w1 + b1) @ w2 + b2
        loss = torch.nn.functional.cross_entropy(logits, labels)
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for one, by in zip(weights, gradients, strict=True):
                one.sub_(by, alpha=float(RATE))
        return loss.item()

    return step


PEERS = {"tensorflow": in_tensorflow, "jax": in_jax, "torch": in_torch}


def peers() -> dict[str, Callable[[], object]]:
    """The peers that are installed."""
    return {name: make() for name, make in PEERS.items() if importlib.util.find_spec(name)}


# ---- the model with convolutions -------------------------------------------------------------


def digits_step(**options) -> Callable[[], object]:
    """One step of the example's model on one batch of images of noise."""
    example = _example("digits")
    ag.random.set_seed(1)
    model, optimizer = example.conv_model(), ag.keras.optimizers.Adam(2e-3)
    model.build([None, 8, 8, 1])
    rng = np.random.default_rng(0)
    images = ag.constant(rng.random((example.BATCH, 8, 8, 1), np.float32))
    labels = ag.constant(rng.integers(0, 10, example.BATCH))

    @ag.function(**options)
    def step(images, labels):
        with ag.GradientTape() as tape:
            logits = model(images, training=True)
            losses = ag.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = ag.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return lambda: step(images, labels)


def _example(name: str):
    path = Path(__file__).parents[1] / "examples" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def workloads() -> Iterator[Workload]:
    contestants = {
        "allograph": in_allograph(jit_compile=True),
        "plan": in_allograph(jit_compile=False),
        "numpy": in_numpy(),
    }
    first = [float(contestant()) for contestant in contestants.values()]
    np.testing.assert_allclose(first, first[-1], rtol=1e-5)
    yield Workload("a training step, 784-256-10", contestants | peers(), "numpy", 1.0)
    yield Workload(
        "a training step, convolutions",
        {"allograph": digits_step(jit_compile=True), "plan": digits_step(jit_compile=False)},
        "plan",
        1.0,
    )
