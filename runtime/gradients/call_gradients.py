"""Gradients of graphs that are called eagerly.

While tapes record, the forward graph runs, which also saves values for the backward pass. It is
differentiated once for each tape that records, since an outer tape differentiates the backward pass
of the inner one.
"""

from __future__ import annotations

from ..ir.graph import Graph
from ..ir.node_properties import effect_of_graph
from ..ir.op import PURE
from ..tensors.apply import BUILDER
from ..tensors.listeners import follow, listeners
from ..tensors.tensor import Tensor
from .control_flow_gradients import call_graph
from .graph_derivative import Finished, derivative_of
from .records import Record, trainable_cells


def run_and_record(graph: Graph, tensors, execution) -> list[Tensor] | None:
    """Run a graph on eager tensors and record the call on the tapes; None if none wants it.

    `execution` runs graphs, with and without recording.
    """
    things = (*tensors, *trainable_cells([graph]))
    tapes = [tape for tape in listeners(None) if tape.wants(things)]
    if not tapes:
        return None
    orders: list[tuple[int, Finished]] = []
    forward = graph
    for _ in tapes:
        orders.append((len(forward.outputs), derivative_of(forward).finish()))
        forward = orders[-1][1].forward
    outputs = execution.run_unrecorded(forward, tensors)
    record = CallRecord(things, outputs, orders, execution, forward)
    # The innermost tape uses the first derivative. The tape around it records that backward pass,
    # so it uses the second.
    for tape, (count, _) in zip(tapes, reversed(orders), strict=True):
        tape.add(record, count)
    return outputs[: len(graph.outputs)]


class CallRecord(Record):
    """An eager call. Each entry of `orders` is a derivative order: the number of outputs whose
    cotangents it takes, and its graphs.
    """

    __slots__ = ("execution", "forward", "orders")

    def __init__(self, inputs, outputs, orders, execution, forward: Graph):
        self.inputs = inputs
        self.outputs = outputs
        self.orders = orders
        self.execution = execution
        self.forward = forward

    def pullback(self, cotangents: list) -> list:
        for count, finished in self.orders:
            if all(cotangent is None for cotangent in cotangents[count:]):
                return self._back(finished, cotangents[:count])
        self._differentiate_again()
        return self.pullback(cotangents)

    def _back(self, finished: Finished, dys) -> list:
        count = len(dys)
        extra = self.outputs[count : count + len(finished.extra)]
        operands = finished.arguments(dys, self.outputs[:count], self.inputs, extra)
        if BUILDER.get() is not None:
            gradients = call_graph(finished.backward, operands)
        else:
            gradients = self.execution.run(finished.backward, operands)
        return finished.scatter(gradients, len(self.inputs))

    def _differentiate_again(self) -> None:
        """One derivative order more than there were tapes: possible where there are no effects."""
        if effect_of_graph(self.forward) != PURE:
            raise RuntimeError(
                "this derivative was not foreseen when the function ran: open one tape inside the "
                "other, so that two are recording"
            )
        count = len(self.outputs)
        finished = derivative_of(self.forward).finish()
        tensors = self.inputs[: len(self.forward.inputs)]
        outputs = self.execution.run_unrecorded(finished.forward, tensors)
        self.orders.append((count, finished))
        self.forward = finished.forward
        self.outputs = [*self.outputs, *outputs[count:]]
        follow(self.outputs, count)
