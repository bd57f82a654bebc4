"""Control flow as operations: `If`, `While` and `Call` of subgraphs, recursion, and exceptions."""

from __future__ import annotations

from ...core.deferred_strings import check_holes, fill
from ...core.dtypes import ANY, ANYTHING, bool_
from ...core.errors import DTypeError, ShapeError
from ...core.shapes import join
from ...ir.graph import Graph, describe
from ...ir.node_properties import effect_of_graph, is_noreturn
from ...ir.op import WRITES, Spec
from ...tensors.late_binding import late
from ...tensors.operation import hidden_op
from ...tensors.tensor import EagerTensor


def _effect_of_subgraphs(attrs) -> int:
    return max(effect_of_graph(value) for value in attrs.values() if isinstance(value, Graph))


class _RunsGraphs:
    """Facts common to operations that run graphs."""

    inputs = ("*operands",)
    kernel = None
    accepts = {"operands": ANYTHING}
    effect = _effect_of_subgraphs

    def operands(node, key):
        return node.inputs


@hidden_op
class If(_RunsGraphs):
    """Run one of two graphs: `outputs = then(*operands) if test else orelse(*operands)`.

    Inputs: a bool scalar, then the operands of both graphs.
    """

    parallel_safe = True
    any_rows = True

    def operands(node, key):
        return node.inputs[1:]

    def result(test, *operands, then, orelse):
        _check_test(test)
        if is_noreturn(then) or is_noreturn(orelse):
            returning = orelse if is_noreturn(then) else then
            return tuple(Spec(output.dtype, output.shape) for output in returning.outputs)
        return tuple(_join(a, b) for a, b in zip(then.outputs, orelse.outputs, strict=True))


def _check_test(test) -> None:
    if test.dtype is not bool_ or test.shape not in ((), None):
        raise DTypeError(f"a test is a bool scalar, not {describe(test)}")


def _join(then, orelse) -> Spec:
    if then.dtype is not orelse.dtype:
        raise DTypeError(f"one branch returns {describe(then)}, the other {describe(orelse)}")
    return Spec(then.dtype, join(then.shape, orelse.shape))


@hidden_op
class While(_RunsGraphs):
    """Run `body` while `test` is true.

    Inputs: `carried` loop-carried values, then the loop invariants; both graphs take all of them.
    `test` returns a bool scalar, `body` the next carried values. The outputs are the last ones.
    """

    parallel_safe = True
    any_rows = True

    def result(*operands, test, body, carried):
        (condition,) = test.outputs
        _check_test(condition)
        if not len(body.outputs) == carried <= len(operands):
            raise ShapeError(f"{carried} values are carried, but {len(body.outputs)} are computed")
        varying = (*test.inputs[:carried], *body.inputs[:carried])
        if any(value.constant is not None for value in varying):
            raise ShapeError("a loop-carried value has a constant value")
        for first, before, after in zip(
            operands[:carried], body.inputs, body.outputs, strict=False
        ):
            if not first.dtype is before.dtype is after.dtype:
                raise DTypeError(
                    f"a loop-carried value enters as {describe(first)}, becomes {describe(after)}"
                )
            if join(before.shape, after.shape) != before.shape:
                raise ShapeError(
                    f"a loop-carried value enters as {describe(before)}, becomes {describe(after)}"
                )
        return tuple(Spec(value.dtype, value.shape) for value in body.inputs[:carried])


@hidden_op
class Call(_RunsGraphs):
    """Run a graph: `outputs = graph(*operands)`."""

    def result(*operands, graph):
        return tuple(Spec(value.dtype, value.shape) for value in graph.outputs)


@hidden_op
class RaiseError:
    """Raise the exception `form`, whose slots are filled with the values of `data`."""

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


@hidden_op
class Recur:
    """Run the graph of the function that contains this node: `outputs = callee(*operands)`."""

    inputs = ("*operands",)
    accepts = {"operands": ANYTHING}
    several = True
    any_rows = True
    callee_attribute = "callee"

    def kernel(*operands, callee):
        return callee.function(*operands)

    def effect(attrs):
        return attrs["callee"].effect

    def result(*operands, callee):
        return callee.outputs

    def gradient(dy, y, *operands, callee):
        return late.pull_recursive_call(dy, operands, callee)
