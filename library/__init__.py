"""What users build with, on top of public operations."""

from . import (
    convolutions,
    cross_entropies,
    data,
    feature_messages,
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
