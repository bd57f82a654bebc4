"""Layers, models and their training, in the shape of Keras."""

from . import mixed_precision, random_functions, tree, utils
from .layers import (
    activations,
    adaptive_pooling,
    attention_layers,
    constraints,
    convolution_layers,
    core_layers,
    initializers,
    merging_layers,
    normalization_layers,
    recurrent_cells,
    recurrent_convolutions,
    recurrent_layers,
    regularization_layers,
    regularizers,
    scaling_layers,
    wrapping_layers,
)
from .models import model
from .ops import operations
from .preprocessing import (
    encodings,
    hashing_layers,
    image_layers,
    lookup_layers,
    normalization_layer,
    random_image_layers,
    text_vectorization,
)
from .training import (
    callbacks,
    class_metrics,
    file_callbacks,
    further_losses,
    further_optimizers,
    learning_rate_schedules,
    losses,
    metrics,
    optimizers,
    tensorboard_callback,
)
