"""Functions of `jit` as graphs of functions of C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograph.operators.raising import Retrace
from ...runtime.core.errors import InvalidArgumentError
from ...runtime.executors.callable_from_c import CGraph
from ...runtime.ir.callee import callees_in
from ...tracing.numpy_mode.calls.interruptions import run_trace
from ...tracing.numpy_mode.refusal import FormattedError, KnownArguments, RefusedError
from ...tracing.numpy_mode.results import Result
from ...tracing.numpy_mode.trace import Traced, trace

if TYPE_CHECKING:
    from ...tracing.numpy_mode.jit_function import JitFunction


def graph_of_jit(function: JitFunction, arguments: Sequence[Any]) -> CGraph:
    """For `as_cfunc`: the trace for arguments of these types."""
    examples = tuple(
        np.zeros(param.shape or (), param.dtype) if param.shape else param.dtype.type(0)
        for param in arguments if param.dtype is not None
    )  # fmt: skip
    traced = _traced(function, examples)
    if traced.captured:
        raise InvalidArgumentError(
            "as_cfunc: the function uses an array of a global or a closure",
            "Make the array a parameter.",
        )
    if callees_in(traced.executable.graph):
        raise InvalidArgumentError("as_cfunc: a function calls itself", "Write it as a loop.")
    is_single = type(traced.result) is Result or not isinstance(traced.result, tuple)
    returned = (traced.result,) if is_single else traced.result
    results = [result for result in returned if result is not None]
    if not all(type(result) is Result and result.is_new for result in results):
        raise InvalidArgumentError(
            "as_cfunc: a result is a view of an argument, or a constant",
            "Write it into an argument: out[:] = result.",
        )
    return CGraph(
        traced.executable.graph.replace(donated=frozenset(), may_guard=False),
        traced.inputs,
        (),
        tuple(result.output for result in results),
        traced.written,
    )


def _traced(function: JitFunction, examples: tuple) -> Traced:
    try:
        python, keywords = function.python_function, function.jit_keywords
        return run_trace(lambda: trace(python, examples, frozenset(), keywords))
    except Retrace as request:
        assert isinstance(request.change, KnownArguments)
        known = sorted(request.change.positions)
        names = [list(function.jit_signature.parameters)[at] for at in known]
        raise InvalidArgumentError(
            f"as_cfunc: {', '.join(names)} of {function.__name__} decides a shape or a branch, "
            "which is known in each call alone",
            "Write it into the function as a constant.",
        ) from None
    except (RefusedError, FormattedError) as error:
        raise InvalidArgumentError(
            f"as_cfunc: {function.__name__} has no native code: {error}",
            "Leave out what NumPy has to run.",
        ) from None
