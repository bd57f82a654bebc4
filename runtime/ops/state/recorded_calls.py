"""The backward pass of Python functions that run when the graph runs.

Such a function has no graph. Once a gradient is wanted, each run is recorded by a tape. The last
recording is kept, so the backward pass usually needs no second run. In a loop, which has many runs,
the function is run again.
"""

from __future__ import annotations

from ...core.dtypes import stack
from ...ir.op import TABLE, Spec
from ...ir.saved_lists import NOTHING, is_differentiable
from ...tensors.apply import apply, constant_of, convert_to_tensor
from ...tensors.listeners import TAPES, listeners
from ..gradient_helpers import zeros_like


class Recorded:
    """A Python function on eager tensors that can be differentiated."""

    new_tape: type  # the class of tapes, set by the module that defines it

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
        """Run the function; returns the operands, the tape that recorded, and the results."""
        with type(self).new_tape(persistent=True) as tape:
            tape.watch([operand for operand in operands if is_differentiable(operand.dtype)])
            results = self.function(*operands)
        return operands, tape, results

    def _run_of(self, operands) -> tuple:
        """The recording for these operands: the last one if it fits, else a new run."""
        last, self._last = self._last, None
        if last is not None and not listeners(None):
            pairs = zip(last[0], operands, strict=True)
            if all(first.array is second.array for first, second in pairs):
                return last
        return self._record(operands)

    def pull(self, count: int, *arguments) -> list:
        """Pull back: `arguments[:count]` are operands, the rest are cotangents of the results."""
        operands, tape, results = self._run_of(arguments[:count])
        results = results if isinstance(results, (list, tuple)) else [results]
        targets = [
            convert_to_tensor(cotangent, spec.dtype)
            for cotangent, spec in zip(results, self.specs, strict=True)
            if is_differentiable(spec.dtype)
        ]
        sources = [operand for operand in operands if is_differentiable(operand.dtype)]
        cotangents = tape.gradient(targets, sources, output_gradients=list(arguments[count:]))
        return [
            _zeros(item) if dx is None else dx for item, dx in zip(sources, cotangents, strict=True)
        ]


def _zeros(tensor):
    """The cotangent of a result that nothing depends on."""
    return constant_of(NOTHING) if tensor.dtype is stack else zeros_like(tensor)


def pull_back(dys, inputs, function: Recorded) -> list:
    """The cotangents of the inputs of a call of `function`."""
    function.wanted = True
    sources = [x for x in inputs if is_differentiable(x.dtype)]

    def pull(*arguments):
        return function.pull(len(inputs), *arguments)

    specs = tuple(Spec(x.dtype, x.dims) for x in sources)
    backward = Recorded(pull, specs)
    attrs = {"function": backward, "specs": specs, "eager": True, "stateful": False}
    output_cotangents = [
        dy for dy, spec in zip(dys, function.specs, strict=True) if is_differentiable(spec.dtype)
    ]
    input_cotangents = iter(apply(TABLE["py_function"], (*inputs, *output_cotangents), attrs))
    return [next(input_cotangents) if is_differentiable(x.dtype) else None for x in inputs]
