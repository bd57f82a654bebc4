"""Traces of functions of `jit`, as the tools look at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import TensorSpec
from ...extend.errors import InvalidArgumentError, UnimplementedError
from ...extend.graphs import Executable, Graph, compiling_with
from ...extend.registration import expose
from ...extend.specs import dimensions, is_complex
from ...extend.tensors import EagerTensor, RichDisplay
from ...extend.tracing import (
    JitFunction,
    described_key,
    flatten_arguments,
    is_constant,
    keys_of,
)
from .explain import Explanation, explain
from .pass_effects import PassEffects, pass_effects


class JitTrace(RichDisplay):
    """The native code of a function of `jit` for arguments of certain types.

    Its graph takes the arrays and the numbers among the arguments, then arrays of globals and
    closures. It gives the arrays that the function changes, then the results.

    >>> import numpy as np
    >>> import allograph as ag
    >>> @ag.jit
    ... def halve(a):
    ...     a /= 2.0
    ...     return a.sum()
    >>> trace = halve.get_concrete_function(ag.TensorSpec([3], ag.float64))
    >>> trace
    <JitTrace halve(float64[3]) -> float64[3], float64[]>
    >>> [row.node.op.name for row in trace.explain().rows]
    ['divide', 'reduce_sum']
    >>> isinstance(trace, ag.types.experimental.JitTrace)
    True
    """

    captured_tensors = ()  # arrays of globals and closures are inputs
    captured_arrays = ()

    def __init__(self, function: JitFunction, entry: Any, types: str):
        self.function, self.traced = function, entry.traced
        self.python_function = function.python_function
        self.name = function.__name__
        results = [
            f"{output.dtype.name}[{dimensions(output.shape)}]" for output in self.frozen.outputs
        ]
        self.signature = f"({types}) -> {', '.join(results) or None}"

    @property
    def executable(self) -> Executable:
        return self.traced.executable

    @property
    def kernel_compiler(self) -> str | None:
        return self.function.kernel_compiler

    @property
    def frozen(self) -> Graph:
        """The graph as it was traced."""
        return self.executable.source

    @property
    def optimized_graph(self) -> Graph:
        """The graph after the passes."""
        return self.executable.graph

    @property
    def input_names(self) -> list[str]:
        """A name for each input of the graph: that of its parameter."""
        parameters = list(self.function.jit_signature.parameters)
        is_flat = not self.traced.structures
        return [
            parameters[at] if is_flat and at < len(parameters) else value.name
            for at, value in zip(self.traced.inputs, self.frozen.inputs, strict=True)
        ]

    def kernels(self) -> list:
        """The native kernels: `source` of one is Python, `assembly()` shows its instructions."""
        return self.executable.kernels()

    def explain(self) -> Explanation:
        """How each operation runs: native or NumPy and why, what it is fused with, its cost."""
        with compiling_with(self.function.kernel_compiler):
            return explain(self.optimized_graph)

    def explain_passes(self) -> PassEffects:
        """What each pass over graphs changes in this one."""
        with compiling_with(self.function.kernel_compiler):
            return pass_effects(self.frozen)

    def measure(self, *args, **kwargs) -> Explanation:
        """The result of `explain`, with the time of each step on these arguments."""
        arrays = self.flat_arguments(args, kwargs)
        with compiling_with(self.function.kernel_compiler):
            return explain(self.optimized_graph, arrays)

    def flat_arguments(self, args: Sequence, kwargs: dict[str, Any]) -> list[np.ndarray]:
        """The arrays of a call, one for each input of the graph."""
        leaves, _ = flatten_arguments(_in_order(self.function, args, kwargs), is_constant)
        values = [*leaves, *self.traced.captured]
        pairs = zip(self.traced.inputs, self.frozen.inputs, strict=True)
        return [_as_input(values[at], value.dtype.numpy_dtype) for at, value in pairs]

    def __repr__(self):
        return f"<JitTrace {self.name}{self.signature}>"


expose(JitTrace, "types.experimental.JitTrace")


def jit_trace(function: JitFunction, args: Sequence, kwargs: dict[str, Any]) -> JitTrace:
    """The trace for arguments of these types; a `TensorSpec` stands for an array or a number.

    Raises UnimplementedError, at the line of the reason, where NumPy runs the function.
    """
    args = [_example(arg) for arg in args]
    kwargs = {name: _example(arg) for name, arg in kwargs.items()}
    entry = function.entry_for(*args, **kwargs)
    if entry.traced is None:
        error = UnimplementedError(
            f"NumPy runs '{function.__name__}': {entry.reason}",
            "`inspect` says so of each call; only native code of `jit` has a graph.",
        )
        raise error.at(entry.where)
    keys = keys_of(_in_order(function, args, kwargs), function.jit_static)
    return JitTrace(function, entry, ", ".join(map(described_key, keys)))


def _in_order(function: JitFunction, args: Sequence, kwargs: dict[str, Any]) -> tuple:
    """The arguments of a call in the order of the parameters, those by name last."""
    bound = function.jit_signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return (*bound.args, *bound.kwargs.values())


def _example(argument: Any) -> Any:
    """An array of ones for a specification; the array of a tensor; anything else as it is."""
    if isinstance(argument, EagerTensor):
        array = argument.numpy()
        return array if np.ndim(array) else array[()]
    if not isinstance(argument, TensorSpec):
        return argument
    if argument.dims is None or None in argument.dims:
        raise InvalidArgumentError(
            f"jit traces a function for arrays of known sizes, not {argument!r}",
            "Give a number for each dimension.",
        )
    array = np.ones(argument.dims, argument.dtype.numpy_dtype)
    return array if argument.dims else array[()]


def _as_input(value: Any, dtype: np.dtype) -> np.ndarray:
    """An argument as the graph takes it: complex numbers are pairs of real ones."""
    array = np.asarray(value)
    if is_complex(array.dtype) and not is_complex(dtype):
        parts = np.ascontiguousarray(array)
        return parts.view(parts.real.dtype).reshape(*array.shape, 2).astype(dtype)
    return array.astype(dtype, copy=False)
