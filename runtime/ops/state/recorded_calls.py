"""The way back through Python code that runs when the graph runs.

The code is no graph, so a tape of its own listens while it runs, once somebody wants a gradient.
The last run is kept: usually the way back needs no second one. A loop has many runs, and repeats
the code.
"""

from __future__ import annotations

from ...core.dtypes import stack
from ...ir.op import TABLE, Spec
from ...ir.saved_lists import NOTHING, is_differentiable
from ...tensors.active_tapes import TAPES, listeners
from ...tensors.apply import apply, constant_of, convert_to_tensor
from ..gradient_helpers import zeros_like


class Recorded:
    """A Python function on eager tensors, which can be differentiated."""

    new_tape: type  # the class of tapes, entered by the room that defines it

    def __init__(self, function, specs: tuple):
        self.function = function
        self.specs = specs
        self.wanted = False
        self._last: tuple | None = None

    def __call__(self, *operands):
        if not (self.wanted or TAPES):
            return self.function(*operands)
        self._last = self._record(operands)
        return self._last[2]

    def _record(self, operands) -> tuple:
        """Run it; the operands, the tape that listened, and what was returned."""
        with type(self).new_tape(persistent=True) as tape:
            tape.watch([one for one in operands if is_differentiable(one.dtype)])
            results = self.function(*operands)
        return operands, tape, results

    def _run_of(self, operands) -> tuple:
        """The run with these operands: the last one, where nobody has to hear it again."""
        last, self._last = self._last, None
        if last is not None and not listeners(None):
            pairs = zip(last[0], operands, strict=True)
            if all(one.array is other.array for one, other in pairs):
                return last
        return self._record(operands)

    def pull(self, count: int, *given) -> list:
        """The cotangents of the first `count` tensors; those of the results follow them."""
        operands, tape, results = self._run_of(given[:count])
        results = results if isinstance(results, (list, tuple)) else [results]
        targets = [
            convert_to_tensor(one, spec.dtype)
            for one, spec in zip(results, self.specs, strict=True)
            if is_differentiable(spec.dtype)
        ]
        sources = [one for one in operands if is_differentiable(one.dtype)]
        found = tape.gradient(targets, sources, output_gradients=list(given[count:]))
        return [_zeros(one) if dx is None else dx for one, dx in zip(sources, found, strict=True)]


def _zeros(tensor):
    """The cotangent of a result that nothing depends on."""
    return constant_of(NOTHING) if tensor.dtype is stack else zeros_like(tensor)


def pull_back(dys, inputs, function: Recorded) -> list:
    """The cotangents of the inputs of a call of `function`."""
    function.wanted = True
    sources = [one for one in inputs if is_differentiable(one.dtype)]

    def pull(*given):
        return function.pull(len(inputs), *given)

    specs = tuple(Spec(one.dtype, one.dims) for one in sources)
    made = Recorded(pull, specs)
    attrs = {"function": made, "specs": specs, "eager": True, "stateful": False}
    known = [
        dy for dy, spec in zip(dys, function.specs, strict=True) if is_differentiable(spec.dtype)
    ]
    found = iter(apply(TABLE["py_function"], (*inputs, *known), attrs))
    return [next(found) if is_differentiable(one.dtype) else None for one in inputs]
