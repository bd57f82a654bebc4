"""Matrices: decompositions and systems of equations, with their native code."""

from . import native_decompositions
