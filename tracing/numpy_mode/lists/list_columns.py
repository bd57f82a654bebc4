"""The first elements of the arrays that hold the items of a list that grows."""

from __future__ import annotations

import numpy as np

from ....runtime.ir.op import TABLE as OPS
from ....runtime.ops.array.slicing import set_item
from ....runtime.tensors.apply import constant_of

MOST_SET = 8  # computed items of a list that is otherwise known


def column_of(tensors: tuple):
    """The elements of a column. Those that are known, as in `[x] + [0] * 100`, are a constant."""
    known = list(map(_known_elements, tensors))
    if sum(element is None for element in known) > MOST_SET:
        return OPS["stack"](*tensors, axis=0)
    zero = np.zeros(tensors[0].dims, tensors[0].dtype.numpy_dtype)
    column = constant_of(np.stack([zero if element is None else element for element in known]))
    for place, tensor in enumerate(tensors):
        if known[place] is None:
            column = set_item(column, place, tensor)
    return column


def _known_elements(tensor) -> np.ndarray | None:
    return tensor.graph_value.constant if hasattr(tensor, "graph_value") else tensor.array
