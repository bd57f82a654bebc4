"""The elements that a mask chooses, for native code.

Lowering writes masks as these, where `count` is the number of true elements; users write `x[mask]`.
"""

from __future__ import annotations

from ...core.dtypes import ANY, BOOLS, SIGNED
from ...ir.op import Spec
from ...tensors.operation import op


@op
class Compressed:
    """The `count` slices of `x` for which the mask is true, in order."""

    accepts = {"x": ANY, "mask": BOOLS, "count": SIGNED}
    alike = ()
    hidden = True
    moves_only = True

    def kernel(x, mask, count):
        return x[mask]

    def result(x, mask, count):
        rank = None if mask.shape is None or x.shape is None else len(mask.shape)
        return Spec(x.dtype, None if rank is None else (None, *x.shape[rank:]))


@op
class MemoryOf:
    """An array whose size is computed, with all of its memory: what lies behind is not defined."""

    hidden = True
    moves_only = True
    native_result = "view"

    def kernel(x):
        return x

    def result(x):
        return Spec(x.dtype, None if x.shape is None else (None,) * len(x.shape))
