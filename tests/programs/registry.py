"""The programs by name, and what they share."""

import numpy as np

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def grid(*shape):
    """Numbers without a pattern that hides mistakes."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(count) * 1.7) * 2).reshape(shape).astype(np.float32)


def outputs_of(layer, *inputs, **options):
    """What a layer gives with weights that are no matter of chance."""
    layer(*inputs, **options)
    layer.set_weights([grid(*w.shape) for w in layer.get_weights()])
    return layer(*inputs, **options)
