"""One step of training: forward, gradients, and the update of the weights.

The dense model is the problem `mlp_train_step`, in which peers take part where they are installed;
the recurrent one is `rnn_gradient`. The model with convolutions is that of examples/digits.py,
trained by Adam.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from contest.engines import PEERS
from harness import Workload
from problems import problem

import allograph as ag


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
    dense = ("allograph_jit", "allograph_plan", "numpy", *PEERS)
    yield problem("mlp_train_step", dense, reference="numpy", limit=1.0)
    recurrent = ("allograph_jit", "allograph_plan", "numpy", "tensorflow", "jax")
    yield problem("rnn_gradient", recurrent, reference="numpy", limit=1.0)
    yield Workload(
        "a training step, convolutions",
        {"allograph": digits_step(jit_compile=True), "plan": digits_step(kernel_compiler="none")},
        "plan",
        1.0,
    )
