"""What users build with, on top of public operations."""

from . import (
    convolutions,
    data,
    module,
    nn,
    profiler,
    saved,
    summary,
    tensor_array,
)
