"""Serialized examples as tensors: dense, ragged and sparse features, and those of sequences."""

from . import examples, feature_specs, sequences
