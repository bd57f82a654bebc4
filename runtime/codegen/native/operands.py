"""What the element form of an operation sees of its operands while source is written."""

from __future__ import annotations

import numpy as np

from ...ir.constant_values import full_constant
from ...ir.graph import Value
from ...ir.indexing import Slot
from ...lowering.not_native import NotNativeError


class Access:
    """One operand (or the result) inside a loop nest: its elements, sizes and type, as source."""

    def __init__(self, writer, value: Value):
        self.writer = writer
        self.value = value
        self.shape = value.shape
        self.rank = len(value.shape)
        self.dtype = value.dtype

    @property
    def constant(self) -> np.ndarray | None:
        return full_constant(self.value)

    def at(self, *indices) -> str:
        """The element at these indices."""
        return self.writer.element_at(self.value, indices)

    def cast(self, source: str) -> str:
        """An expression converted to this value's type."""
        return self.writer.cast(source, self.dtype)

    def literal(self, number) -> str:
        return self.writer.literal(np.asarray(number, self.dtype.numpy_dtype))

    def index(self, axis: int, index) -> str:
        """A Python index, negative ones counted from the end, checked against the size."""
        size = self.shape[axis]
        if isinstance(index, int):
            return str(index + size if index < 0 else index)
        return self._hoisted(f"wrapped_index({index}, {size})", index)

    def checked(self, axis: int, index: str) -> str:
        """An index that has to be between 0 and the size."""
        return self._hoisted(f"checked_index({index}, {self.shape[axis]})", index)

    def _hoisted(self, source: str, index: str) -> str:
        """The expression, or a name for it where `index` is a scalar that no loop changes."""
        return self.writer.hoist(source) if index in self.writer.variables else source

    def slice(self, axis: int, row, index: str, scalars) -> str:
        """The index in this operand of element `index` of a slice `(start, stop, step)`."""
        if any(type(bound) is Slot for bound in row):
            raise NotNativeError("a slice with run-time bounds")
        start, _, step = slice(*row).indices(self.shape[axis])
        return (
            f"({start} + {index} * {step})"
            if step != 1
            else f"({start} + {index})"
            if start
            else index
        )
