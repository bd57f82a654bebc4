"""The switch of `enable_numpy_behavior`, at which every operation looks."""

from __future__ import annotations

from collections.abc import Callable


class Behavior:
    """Whether tensors behave as NumPy arrays, and how their data types are promoted then."""

    def __init__(self):
        self.on = False
        self.prefer_float32 = False
        self.mode = "legacy"
        self.promote: Callable | None = None  # promote(op, inputs) gives inputs of one data type
        # Where data types can be weak: note(op, inputs, result) and weaken(tensor) note it,
        # is_weak(tensor) asks.
        self.note: Callable | None = None
        self.weaken: Callable | None = None
        self.is_weak: Callable | None = None


BEHAVIOR = Behavior()
