"""Serialized examples as tensors: dense, ragged and sparse features, and those of sequences."""

from . import datasets, examples, feature_specs, sequences
