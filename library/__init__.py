"""What users build with, on top of public operations."""

from . import (
    convolutions,
    cross_entropies,
    data,
    files,
    generators,
    keras,
    module,
    nn,
    normalization,
    profiler,
    saved,
    summary,
    tensor_array,
    train,
)
