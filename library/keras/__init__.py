"""Layers, models and what trains them, in the shape of Keras."""

from . import (
    activations,
    callbacks,
    cells,
    convolution_layers,
    core_layers,
    initializers,
    losses,
    merging_layers,
    metrics,
    model,
    normalization_layers,
    optimizers,
    recurrent_layers,
    regularizers,
    schedules,
    tensorboard,
    utils,
)
