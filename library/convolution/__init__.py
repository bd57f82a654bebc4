"""Convolution and pooling: their operations, and the native code that computes them."""

from . import native_code
