"""Operations that lowering writes for native code: windows, and the elements that a mask chooses.

Windows are the elements of an array along affine functions of the index: slices whose bounds are
computed, where users write `x[...]`. An entry of `index`, for each axis of `x`, is an integer or a
Slot: one index; or a triple (axis, start, step): along an axis of the result. What a Slot stands
for is one of `scalars`. A start is an index that is known to fit. Masks, where users write
`x[mask]`, come with the number of their true elements.
"""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, BOOLS, SIGNED, int64
from ...core.errors import OutOfBoundsError
from ...ir.indexing import Slot, window_positions
from ...ir.op import Spec
from ...tensors.operation import hidden_op


def _positions(index: tuple, scalars, sizes: tuple) -> tuple:
    """The index of NumPy's for a window of these sizes."""

    def known(entry):
        return int(scalars[entry.position]) if type(entry) is Slot else entry

    positions: list = []
    for entry in index:
        if type(entry) is not tuple:
            positions.append(known(entry))
            continue
        axis, start, step = entry
        along = known(start) + known(step) * np.arange(sizes[axis])
        positions.append(along.reshape(-1, *[1] * (len(sizes) - 1 - axis)))
    return tuple(positions)


@hidden_op
class WrappedIndex:
    """Indices of an axis of this size, negative from the end, as indices from the start."""

    accepts = {"index": SIGNED, "size": SIGNED}
    may_raise = True
    scalar = "wrapped_index({index}, {size})"

    def kernel(index, size):
        if np.any((index < -size) | (index >= size)):
            raise OutOfBoundsError(
                f"an index in {index} is out of range for an axis of size {size}"
            )
        return index + size * (index < 0)

    def result(index, size):
        return Spec(int64, index.shape)


def _may_leave(node) -> bool:
    """Whether an index may be outside of its axis; those along axes of the result are not."""
    return any(type(entry) is Slot and not entry.in_bounds for entry in node.attrs["index"])


@hidden_op
class Window:
    """The elements of a window of `x`, as an array of shape `sizes`."""

    accepts = {"x": ANY, "scalars": SIGNED}
    inputs = ("x", "*scalars")
    reads_lines = True
    any_length = True
    any_rows = True
    may_raise = _may_leave

    def kernel(x, *scalars, index, sizes):
        return np.broadcast_to(x[_positions(index, scalars, sizes)], sizes)

    def result(x, *scalars, index, sizes):
        return Spec(x.dtype, tuple(sizes))

    def element(ix, x, *scalars, index, sizes, out):
        return x.at(*window_positions(ix, x, index, scalars))


@hidden_op
class SetWindow:
    """A copy of `x` with the elements of a window of shape `sizes` replaced by `value`."""

    accepts = {"x": ANY, "value": ANY, "scalars": SIGNED}
    inputs = ("x", "value", "*scalars")
    moves_only = True
    parallel_safe = True
    any_length = True
    any_rows = True
    may_raise = _may_leave
    native_result = "overwrites"
    part_is_read_by = "window"

    def kernel(x, value, *scalars, index, sizes):
        result = np.array(x)
        result[_positions(index, scalars, sizes)] = value
        return result

    def result(x, value, *scalars, index, sizes):
        return Spec(x.dtype, x.shape)


# ---- masks -------------------------------------------------------------------------------------


@hidden_op
class Compressed:
    """The `count` slices of `x` for which the mask is true, in order."""

    accepts = {"x": ANY, "mask": BOOLS, "count": SIGNED}
    alike = ()
    moves_only = True

    def kernel(x, mask, count):
        return x[mask]

    def result(x, mask, count):
        rank = None if mask.shape is None or x.shape is None else len(mask.shape)
        return Spec(x.dtype, None if rank is None else (None, *x.shape[rank:]))


@hidden_op
class MemoryOf:
    """An array whose size is computed, with all of its memory: what lies behind is not defined."""

    moves_only = True
    native_result = "view"

    def kernel(x):
        return x

    def result(x):
        return Spec(x.dtype, None if x.shape is None else (None,) * len(x.shape))
