"""The memory of arrays while a function is traced: a value that assignments replace.

An assignment in the graph where an array was made replaces its value. Where a staged statement
assigns to an array from outside, the array moves to a cell, which the graph declares, reads and
assigns. A pass turns cells into loop-carried state and results.
"""

from __future__ import annotations

import itertools

import numpy as np

from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.ir.op import TABLE as OPS
from ...runtime.tensors.apply import BUILDER, apply
from .refusal import RefusedError, SharedWriteError

_COUNT = itertools.count()


class ArrayCell:
    """What the nodes of a graph refer to."""

    trainable = False

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...]):
        self.dtype = FROM_NUMPY[dtype]
        self.shape = shape
        self.name = f"array_{next(_COUNT)}"


class Storage:
    """The elements of one array and of all its views.

    argument   its position among the arguments of the function, or None
    copy_of    storages whose elements these may really be: neither may change any more
    """

    def __init__(self, tensor, argument: int | None = None, copy_of=()):
        self.tensor = tensor
        self.scope = BUILDER.get()
        self.cell: ArrayCell | None = None
        self.argument = argument
        self.is_written = False
        self.copy_of = list(copy_of)
        self.copies: list[Storage] = []
        for one in self.copy_of:
            one.copies.append(self)

    @property
    def dtype(self) -> np.dtype:
        return self.tensor.dtype.numpy_dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.dims

    def read(self):
        if self.cell is None:
            return self.tensor
        return apply(OPS["read_variable"], (), {"cell": self.cell})

    def write(self, tensor) -> None:
        if self.copy_of or self.copies:
            raise RefusedError("an array changes that a branch or a loop may have given two names")
        if self.cell is not None:
            apply(OPS["assign_variable"], (tensor,), {"cell": self.cell})
        elif BUILDER.get() is self.scope:
            self.tensor = tensor
        else:
            raise SharedWriteError(self)
        self.is_written = True

    def move_to_cell(self) -> None:
        """From now on staged statements may change the array."""
        self.cell = ArrayCell(self.dtype, self.shape)
        apply(OPS["declare_cell"], (self.tensor,), {"cell": self.cell})
