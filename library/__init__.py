"""What users build with, on top of public operations."""

from . import (
    convolutions,
    cross_entropies,
    data,
    feature_messages,
    files,
    generators,
    graph_traces,
    mapping,
    module,
    nn,
    normalization,
    profiler,
    saved,
    summary,
    tensor_array,
)
