"""How the element form of an operation sees its operands while native code is written."""

from __future__ import annotations

import re

import numpy as np

from ...ir.constant_values import full_constant
from ...ir.graph import Value
from ...ir.indexing import Slot
from ...lowering.not_native import NotNativeError


class Access:
    """One operand (or the result) inside a loop nest: its elements, sizes and type, as text."""

    def __init__(self, writer, value: Value):
        self.writer = writer
        self.value = value
        self.shape = value.shape
        self.rank = len(value.shape)
        self.dtype = value.dtype

    @property
    def known(self) -> np.ndarray | None:
        return full_constant(self.value)

    def at(self, *indices) -> str:
        """The element at these indices."""
        return self.writer.element_at(self.value, indices)

    def cast(self, text: str) -> str:
        """An expression converted to this value's type."""
        return self.writer.cast(text, self.dtype)

    def literal(self, number) -> str:
        return self.writer.literal(np.asarray(number, self.dtype.numpy_dtype))

    def index(self, axis: int, place) -> str:
        """A Python index, negative ones counted from the end, checked against the size."""
        size = self.shape[axis]
        if isinstance(place, int):
            return str(place + size if place < 0 else place)
        return self._fixed(f"wrapped_index({place}, {size})", place)

    def checked(self, axis: int, place: str) -> str:
        """An index that has to be between 0 and the size."""
        return self._fixed(f"checked_index({place}, {self.shape[axis]})", place)

    def _fixed(self, text: str, place: str) -> str:
        """The text, or a name for it where `place` is a scalar that no loop changes."""
        return self.writer.once(text) if re.fullmatch(r"v\d+", place) else text

    def slice(self, axis: int, row, index: str, scalars) -> str:
        """The place in this operand of element `index` of a slice `(start, stop, step)`."""
        if any(type(part) is Slot for part in row):
            raise NotNativeError("a slice with run-time bounds")
        start, _, step = slice(*row).indices(self.shape[axis])
        return (
            f"({start} + {index} * {step})"
            if step != 1
            else f"({start} + {index})"
            if start
            else index
        )
