"""Ragged tensors: rows of different lengths, as values and row splits."""

from . import (
    crossing,
    implementations,
    ragged_constant,
    ragged_ngrams,
    ragged_strings,
    ragged_tensor,
    unicode_strings,
)
