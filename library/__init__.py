"""What users build with, on top of public operations."""

from . import module, nn, saved, summary, tensor_array
