"""The operation that raises an exception when the graph runs."""

from __future__ import annotations

from ...core.deferred_strings import check_holes, fill
from ...core.dtypes import ANY
from ...ir.op import WRITES
from ...tensors.operation import op
from ...tensors.tensor import EagerTensor


@op
class RaiseError:
    """Raise the exception `form`, whose slots are filled with the values of `data`."""

    hidden = True
    effect = WRITES
    accepts = {"data": ANY}
    inputs = ("*data",)
    runs_python = True
    always_raises = True
    is_check = True

    def kernel(*data, form):
        raise fill(form, [EagerTensor(array) for array in data])

    def result(*data, form):
        check_holes(form, len(data))
        return ()
