"""The switch of `enable_numpy_behavior`, at which every operation looks."""

from __future__ import annotations


class Behavior:
    """Whether tensors behave as NumPy arrays, and whether float32 is preferred then."""

    def __init__(self):
        self.on = False
        self.prefer_float32 = False


BEHAVIOR = Behavior()
