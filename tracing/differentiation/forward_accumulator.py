"""`ForwardAccumulator`: directional derivatives, computed together with the values."""

from __future__ import annotations

from ...runtime.core.public_names import public
from ...runtime.gradients.control_flow_gradients import StagedRecord
from ...runtime.gradients.records import key, zeros_of
from ...runtime.ir.saved_lists import is_differentiable
from ...runtime.tensors import listeners
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.name_scopes import within
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..structures import nest
from .block_records import blocks_inside, handed_on, refusal
from .gradient_tape import GradientTape
from .targets_and_sources import UnconnectedGradients, fill_unconnected, required_values, thing_of


@public("autodiff.ForwardAccumulator")
class ForwardAccumulator(GradientTape):
    """Products of Jacobians with vectors: how results change when `primals` move by `tangents`.

    >>> x = ag.constant([2.0, 3.0])
    >>> with ag.autodiff.ForwardAccumulator(x, ag.constant([1.0, 0.0])) as acc:
    ...     y = ag.reduce_sum(x * x)
    >>> float(acc.jvp(y))
    4.0

    A pullback is linear in its cotangent, and its derivative with respect to the cotangent is the
    forward derivative. Two backward passes thus make one forward pass, and each operation needs
    only one rule. Source: Townsend, "A new trick for calculating Jacobian vector products", 2017.
    """

    def __init__(self, primals, tangents):
        super().__init__(persistent=True)
        self._tangents: dict[int, Tensor] = {}
        self._seen: set[int] = set()
        self._staged: dict[int, StagedRecord] = {}
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            thing = thing_of(primal)
            tangent = convert_to_tensor(tangent, thing.dtype)
            self._tracked[key(thing)] = thing
            self._tangents[key(thing)] = tangent

    def _is_watched(self, thing) -> bool:
        return key(thing) in self._tracked

    def add(self, record, count=None) -> None:
        """Compute the tangents of the outputs of a record."""
        if isinstance(record, StagedRecord) and record.outputs:
            self._staged[key(record.outputs[0])] = record
        self._move(record, record.outputs[:count])

    def _catch_up(self, thing) -> None:
        """Compute the tangents of outputs that a gradient has added to a staged record since."""
        if type(thing) is not SymbolicTensor or key(thing) in self._seen:
            return
        self._seen.add(key(thing))
        node = thing.builder.node_of(thing.graph_value)
        record = None if node is None else self._staged.get(id(node.outputs[0]))
        if record is not None:
            self._move(record, [thing])

    def _move(self, record, outputs) -> None:
        """Compute the tangents of some outputs of a record."""
        outputs = [out for out in outputs if is_differentiable(out.dtype)]
        self._seen.update(map(key, outputs))
        if not outputs or not any(key(thing) in self._tangents for thing in record.inputs):
            return
        others = tuple(tape for tape in listeners.RECORDING.get() if tape is not self)
        with within(listeners.RECORDING, others):
            tangents = self._forward(record, outputs)
        for out, tangent in zip(outputs, tangents, strict=True):
            if tangent is not None:
                self._tracked[key(out)] = out
                self._tangents[key(out)] = tangent

    def wants(self, things) -> bool:
        """Whether one of the inputs has a tangent."""
        for thing in things:
            self._catch_up(thing)
        return super().wants(things)

    def follow(self, known, more) -> None:
        """Does nothing: the tangents of `more` are computed when they are used."""

    def _forward(self, record, outputs) -> list:
        seeds = {key(out): zeros_of(out) for out in outputs}
        with GradientTape() as tape:
            tape.watch(list(seeds.values()))
            pulled = record.pullback([seeds.get(key(out)) for out in record.outputs])
        pairs = [
            (grad, self._tangents[key(thing)])
            for thing, grad in zip(record.inputs, pulled, strict=True)
            if grad is not None and key(thing) in self._tangents
        ]
        if not pairs:
            return [None] * len(outputs)
        targets = [target for target, _ in pairs]
        weights = [weight for _, weight in pairs]
        return tape.gradient(targets, [seeds[key(out)] for out in outputs], weights)

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The tangents of `primals`, in their structure; None (or zeros) without influence."""
        primals = required_values(primals)
        for handed in handed_on(blocks_inside(self.builder)).values():
            raise refusal(handed.graph_value.name)
        for record in self._heard()[0]:
            if any(key(out) not in self._seen for out in record.outputs):
                self.add(record)
        flat = list(map(self._unchecked, nest.flatten(primals)))
        tangents = [self._tangents.get(key(thing_of(primal))) for primal in flat]
        tangents = fill_unconnected(tangents, flat, unconnected_gradients)
        return nest.pack_sequence_as(primals, tangents)

    def gradient(self, *args, **kwargs):
        raise TypeError("a ForwardAccumulator goes forward: use jvp, or a GradientTape")
