"""The switch of `enable_numpy_behavior`, at which every operation looks."""

from __future__ import annotations

from collections.abc import Callable


class Behavior:
    """Whether tensors behave as NumPy arrays, and whether float32 is preferred then."""

    def __init__(self):
        self.on = False
        self.prefer_float32 = False
        self.promote: Callable | None = None  # promote(op, inputs) gives inputs of one data type


BEHAVIOR = Behavior()
