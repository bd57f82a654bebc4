"""`ForwardAccumulator`: derivatives along a direction, computed together with the values."""

from __future__ import annotations

from ..runtime import tapes
from ..runtime.apply import convert_to_tensor
from ..runtime.gradients.records import is_differentiable, key, zeros_of
from ..runtime.op import ops
from ..runtime.tensor import Tensor
from ..runtime.vocabulary import public
from . import nest
from .gradient_tape import (
    GradientTape,
    UnconnectedGradients,
    fill_unconnected,
    thing_of,
)


@public("autodiff.ForwardAccumulator")
class ForwardAccumulator(GradientTape):
    """Products of Jacobians with vectors: how results change when `primals` move by `tangents`.

    >>> import allograph as ag
    >>> x = ag.constant([2.0, 3.0])
    >>> with ag.autodiff.ForwardAccumulator(x, ag.constant([1.0, 0.0])) as acc:
    ...     y = ag.reduce_sum(x * x)
    >>> float(acc.jvp(y))
    4.0

    A forward derivative is the derivative of a pullback by its cotangent, which is linear: two
    walks back make one forward, so that every operation needs a single rule. Source: Townsend, "A
    new trick for calculating Jacobian vector products", 2017.
    """

    def __init__(self, primals, tangents):
        super().__init__(persistent=True)
        self._tangents: dict[int, Tensor] = {}
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            thing = thing_of(primal)
            tangent = convert_to_tensor(tangent, thing.dtype)
            self._tracked[key(thing)] = thing
            self._tangents[key(thing)] = tangent

    def _is_watched(self, thing) -> bool:
        return key(thing) in self._tracked

    def add(self, record) -> None:
        """Compute the tangents of what a step gives."""
        outputs = [out for out in record.foreseen if is_differentiable(out.dtype)]
        known = {key(thing) for thing in record.inputs if key(thing) in self._tangents}
        if not outputs or not known:
            return
        token = tapes.RECORDING.set(tuple(one for one in tapes.RECORDING.get() if one is not self))
        try:
            found = self._forward(record, outputs)
        finally:
            tapes.RECORDING.reset(token)
        for out, tangent in zip(outputs, found, strict=True):
            if tangent is not None:
                self._tracked[key(out)] = out
                self._tangents[key(out)] = tangent

    def follow(self, known, more) -> None:
        """Nothing to do: tangents were computed with the values."""

    def _forward(self, record, outputs) -> list:
        seeds = {key(out): zeros_of(out) for out in outputs}
        with GradientTape() as tape:
            tape.watch(list(seeds.values()))
            pulled = record.pullback([seeds.get(key(out)) for out in record.outputs])
            products = [
                ops.reduce_sum(grad * self._tangents[key(thing)])
                for thing, grad in zip(record.inputs, pulled, strict=True)
                if grad is not None and key(thing) in self._tangents
            ]
        if not products:
            return [None] * len(outputs)
        return tape.gradient(products, [seeds[key(out)] for out in outputs])

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """The tangents of `primals`, in their structure; None (or zeros) for what did not move."""
        flat = nest.flatten(primals)
        found = [self._tangents.get(key(thing_of(one))) for one in flat]
        return nest.pack_sequence_as(primals, fill_unconnected(found, flat, unconnected_gradients))

    def gradient(self, *args, **kwargs):
        raise TypeError("a ForwardAccumulator goes forward: use jvp, or a GradientTape")
