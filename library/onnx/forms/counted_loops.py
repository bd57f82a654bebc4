"""Loops of ONNX with a trip count, of which forms consist."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onnx import TensorProto, helper

from .... import bool as bool_
from ....extend.graphs import Value
from .writer import Writer


def repeated(
    to: Writer, count: str, starts: Sequence[str], types: Sequence[Value], step: Callable
) -> list[str]:
    """The last values of a loop of `count` iterations.

    `step(iteration, names)` gives the next values, whose types are `types`.
    """
    iteration, before = to.unique("iteration"), to.unique("goes_on")
    names = [to.unique("carried") for _ in types]

    def write():
        return [to.op("Identity", before), *step(iteration, names)]

    body = to.subgraph("body", [], write, [Value(bool_, ()), *types])
    scalars = [(iteration, TensorProto.INT64), (before, TensorProto.BOOL)]
    body.input.extend(helper.make_tensor_value_info(*one, []) for one in scalars)
    body.input.extend(to.typed(*one) for one in zip(names, types, strict=True))
    found = to.op("Loop", count, "", *starts, outputs=len(types), body=body)
    return [found] if isinstance(found, str) else found
