"""Retrace a loop whose state becomes wider: other dtypes of numbers, dimensions that change.

    total, rows = 0, ag.zeros([0, 2])
    for x in xs:                             # float32
        total += x                           # an int at the start, float32 from then on
        rows = ag.concat([rows, [x]], 0)     # shape (0, 2), then (1, 2)

A Python number before a loop adopts the dtype that it has after an iteration, as NumPy's numbers
do, and the width that the loop computes in. Dimensions that change are unknown inside the loop.
Each trace finds what has to be wider, and the loop is traced again until nothing has to be.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ...runtime.core.classes import record
from ...runtime.core.dtypes import DType
from ...runtime.core.shapes import Shape
from ...runtime.tensors.apply import tensor_of
from ...runtime.tensors.python_numbers import common_dtype, is_number, represents, roots, width
from ...runtime.tensors.tensor import Tensor
from ..structures import nest
from ..structures.errors import RetraceError
from ..structures.leaves import adopt
from .loop_carried_state import Key, Loop, LoopState


@record()
class Wider:
    """The dtypes of numbers and the shapes that the next trace of a loop starts with."""

    dtypes: Mapping[Key, DType] = dataclasses.field(default_factory=dict)
    shapes: Mapping[Key, Shape] = dataclasses.field(default_factory=dict)

    def adjusted(self, loop: Loop) -> Loop:
        dtypes, shapes = {**loop.dtypes, **self.dtypes}, {**loop.shapes, **self.shapes}
        return dataclasses.replace(loop, none_state=None, dtypes=dtypes, shapes=shapes)


def with_wider_numbers(loop: Loop) -> Loop:
    """The loop with tensors of `loop.dtypes` in place of the numbers that it starts with.

    Its `numbers` are the starts that stand for Python numbers.
    """
    numbers, state = {}, []
    for name, value in zip(loop.names, loop.state, strict=True):
        leaves = nest.flatten(value)
        for index, leaf in enumerate(leaves):
            if is_number(leaf):
                numbers[name, index] = leaf
                dtype = loop.dtypes.get((name, index))
                leaves[index] = leaf if dtype is None else adopt(leaf, dtype)
        state.append(nest.pack_sequence_as(value, leaves))
    return dataclasses.replace(loop, state=state, numbers=numbers)


def may_start_as(loop: Loop, key: Key, dtype: DType) -> bool:
    """Whether a leaf of the state is a number that may start as `dtype`."""
    start, before = loop.numbers.get(key), loop.dtypes.get(key)
    if start is None or (before is not None and width(dtype) <= width(before)):
        return False
    if isinstance(start, Tensor):
        return width(dtype)[0] > width(start.dtype)[0]
    return represents(dtype, start)


def widen_numbers(loop: Loop, layout: LoopState, error: Exception) -> None:
    """Raise RetraceError where wider numbers before the loop mend a mismatch of operands.

    Otherwise, the error gets the tensors that the numbers were before the loop as operands, which
    an outer loop may widen.
    """
    operands = getattr(error, "operands", ())
    target = common_dtype(operands)
    outside = []
    for operand in operands if target is not None else ():
        narrow = tensor_of(operand)
        if narrow is None or not width(narrow.dtype) < width(target):
            continue
        found = [layout.entered[one] for one in roots(narrow) or () if one in layout.entered]
        wider = {key: target for key, _ in found if may_start_as(loop, key, target)}
        if wider:
            raise RetraceError(Wider(dtypes=wider)) from None
        outside += [start for _, start in found]
    if outside:
        error.operands = (*operands, *outside)  # type: ignore[attr-defined]
