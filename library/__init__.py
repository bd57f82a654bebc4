"""What users build with, on top of public operations."""

from . import data, module, nn, profiler, saved, summary, tensor_array
