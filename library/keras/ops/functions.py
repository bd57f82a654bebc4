"""All functions of `keras.ops`, which programs load when they ask for one."""

from . import (
    array_functions,
    core_functions,
    image_functions,
    linalg_functions,
    nn_functions,
    numpy_functions,
    statistics_functions,
)

__all__ = [
    "array_functions",
    "core_functions",
    "image_functions",
    "linalg_functions",
    "nn_functions",
    "numpy_functions",
    "statistics_functions",
]
