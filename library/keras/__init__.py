"""Layers, models and their training, in the shape of Keras."""

from . import utils
from .layers import (
    activations,
    constraints,
    convolution_layers,
    core_layers,
    initializers,
    merging_layers,
    normalization_layers,
    preprocessing_layers,
    recurrent_cells,
    recurrent_layers,
    regularizers,
)
from .models import model
from .training import (
    callbacks,
    learning_rate_schedules,
    losses,
    metrics,
    optimizers,
    tensorboard_callback,
)
