"""Atomic functions: the graph of a concrete function, called with its captures."""

from __future__ import annotations

from ...runtime.core.public_names import public
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ...runtime.tensors.tensor import EagerTensor, Tensor, out_of_scope
from ..structures import nest


@public("types.experimental.AtomicFunction")
class AtomicFunction:
    """The graph as a function of its arguments; its captures have to be passed.

    It has the least overhead, and no gradient flows through it.
    """

    def __init__(self, concrete):
        self._concrete = concrete
        self.name = concrete.name
        self.function_type = concrete.function_type
        self.attributes = concrete.attributes

    def __repr__(self):
        return f"<AtomicFunction> {self.name}{self.function_type!r}"

    def call_flat(self, *tensors) -> list:
        """Call with the tensors of the inputs, then of the captures; the flat list of results."""
        captures = len(self._concrete.captured_tensors)
        split = len(tensors) - captures
        outputs = self._concrete.run(list(tensors[:split]), list(tensors[split:]))
        return [leaf for leaf in nest.flatten(outputs) if isinstance(leaf, Tensor)]

    def __call__(self, *args, **kwargs):
        """Call without captures; raises ValueError when the graph needs some."""
        return self.call_with_captures(args, kwargs, ())

    def call_with_captures(self, args, kwargs, captures):
        """Call with the arguments and what is captured, in the order of `captured_inputs`.

        Raises ValueError where the captures are too few or too many, or name another variable
        than the graph uses.
        """
        concrete = self._concrete
        tensors = [*concrete.flat_arguments(args, kwargs), *self._tensors_of(captures)]
        if BUILDER.get() is not None:
            return concrete.run(tensors, [])
        results = concrete.executable(*map(_array_of, tensors))
        return concrete.arrange([EagerTensor(array) for array in results])

    def _tensors_of(self, captures) -> list:
        """The captured tensors, after checking the variable handles among the captures."""
        wanted = self._concrete.captured_inputs
        if len(captures) != len(wanted):
            raise ValueError(
                f"{self.name} captures {len(wanted)} values, {len(captures)} are given: use "
                "call_with_captures(args, kwargs, concrete.captured_inputs)"
            )
        count = len(self._concrete.captured_tensors)
        for capture, cell in zip(captures[count:], wanted[count:], strict=True):
            if getattr(capture, "handle", capture) is not cell:
                raise ValueError(f"{self.name} uses the variable '{cell.name}', not {capture!r}")
        return list(captures[:count])


def _array_of(tensor):
    tensor = convert_to_tensor(tensor)
    if not isinstance(tensor, EagerTensor):
        raise out_of_scope(tensor)
    return tensor.array
