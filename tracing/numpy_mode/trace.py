"""Trace a function of NumPy arrays to a graph of values, and compile it."""

from __future__ import annotations

import functools
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any

import numpy as np

from ...autograph.api import convert
from ...autograph.current_trace import TRACE
from ...autograph.operators.calls import is_user_code
from ...autograph.operators.noted_changes import NOTES
from ...autograph.operators.raising import Instead, Retrace, keeping_refusals, retraced
from ...runtime.core.classes import NamedTuple
from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.errors import Error
from ...runtime.core.shapes import size_of
from ...runtime.executors.compile_pipeline import with_values_for_cells
from ...runtime.executors.executable import Executable
from ...runtime.executors.tiering import EXPECTED, note_fault
from ...runtime.ir.callee import callees_in
from ...runtime.ir.graph import Graph, Node
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ir.trip_counts import induction_variable_of
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.late_binding import late
from ...runtime.tensors.name_scopes import no_scopes
from ..control_flow.staged_raise import check_trace
from ..functions.func_graph import FuncGraph
from ..functions.guard_discovery import GuardDiscovery, reached_by_attributes
from ..staged_values.outer_values import OuterValues
from ..structures.argument_structures import require_unchanged, unflatten_arguments
from . import numpy_calls, python_arithmetic  # noqa: F401 - what numbers and arrays call
from .calls.called_functions import called_names, place_of_call
from .calls.effects import assigned_around, check_pure
from .calls.random_generators import Drawn, generator_types, given_generator
from .iteration import FEW_ITERATIONS
from .lists.traced_tables import with_tables_around
from .new_arrays import BY_SLICES, MODULE
from .numpy_stager import STAGER, refuse_effects_of
from .refusal import (
    FINAL,
    RECURSION,
    DrawnInLoop,
    Fallback,
    How,
    KnownArguments,
    NumpyTrace,
    OfCode,
    OfFunction,
    Options,
    OuterArray,
    RefusedError,
    SharedWrites,
    fallen_back,
    is_interruption,
    numpy_trace,
)
from .results import result_structure
from .statements.carried_values import carried_as
from .statements.plain_classes import note_made, sets_own_attributes
from .storage import Storage, check_array
from .traced_array import TracedArray
from .traced_scalar import TracedScalar, bound_of
from .views import IndexedViews, layout

# Iterations or elements. To enter a kernel takes as long as some hundred steps of Python.
FEW = 64
MOST_ACTIVE = 8  # calls of one function inside one another, in loops and branches
MOST_CALLS = 200  # of one function in loops and branches, each of which is traced
MOST_OPERATIONS = 2000  # of a graph: recursion that numbers decide is unrolled, and takes seconds


class Traced(NamedTuple):
    """A function for arguments of certain types, as native code.

    examples  the arguments that it was traced for: constants, and others of the same types
    inputs    the positions of the arguments that are inputs of the graph
    written   positions of arguments and outputs: the arrays that change
    result    the structure of the result: `Result`s, constants and tuples
    host_calls  the functions of NumPy's that it calls
    captured  arrays of globals and closures, whose positions follow those of the arguments
    structures  how the arguments of the call are made of these; empty where each is one of them
    """

    executable: Executable
    examples: tuple
    inputs: tuple[int, ...]
    written: tuple[tuple[int, int], ...]
    result: Any
    host_calls: Sequence[str] = ()
    captured: tuple[np.ndarray, ...] = ()
    structures: tuple = ()


def split_keywords(arguments: tuple, keywords: tuple[str, ...]) -> tuple[tuple, dict]:
    """Positional arguments, and the last ones by these names."""
    count = len(arguments) - len(keywords)
    return arguments[:count], dict(zip(keywords, arguments[count:], strict=True))


NOT_STAGED = "an array changes in a statement that is not staged"


class _Call(NamedTuple):
    """A call that is traced: a function with arguments, the last ones of which have `keywords`.

    `structures` are made of the arguments first; those at `static` are constants.
    """

    function: Callable
    arguments: tuple
    static: frozenset[int]
    keywords: tuple[str, ...] = ()
    structures: tuple = ()
    most_iterations: int = FEW_ITERATIONS  # of a loop over constants that Python runs
    guards: GuardDiscovery | None = None
    grows: bool = False  # whether new arrays may have computed sizes without a limit


def trace(function: Callable, arguments: tuple, static: frozenset[int], *how) -> Traced:
    """The native code for arguments like these; the others are as `_Call` says. It runs in a
    context of its own.

    Raises RefusedError, or an exception of the function, where there is none.
    """
    check_pure(function, lambda: sets_own_attributes(function, arguments, {}))
    deciding: set[int] = set()
    try:
        return _searched(_Call(function, arguments, static, *how), deciding)
    except (RefusedError, Error):
        if deciding:  # arrays of a known size are native in more places
            raise Retrace(KnownArguments(frozenset(deciding))) from None
        raise


def _searched(call: _Call, deciding: set[int]) -> Traced:
    """The trace with the options that it asks for. Where there is none, fall-backs are tried."""
    met: set[Fallback] = set()
    first = None  # why there is none with outer arrays as arguments

    def attempt(options: Options) -> Traced:
        nonlocal first
        for array in options.captured or ():
            check_array(array)
        try:
            return _traced(call, options, met, deciding)
        except (RefusedError, Exception) as error:
            if is_interruption(error):
                raise
            instead = fallen_back(options, met, error)
            if instead is None:
                raise (first or error) from None
            is_other = instead.captured is None or How.KEPT in dict(instead.code)
            first = first or (error if is_other else None)
            raise Retrace(Instead(instead)) from None

    return retraced(attempt, Options(call.most_iterations, grows=call.grows), OfFunction)


def _outer_values(captured: tuple | None, placeholders: list) -> OuterValues:
    """The values of names outside of the function; those of `captured` are these placeholders."""

    def traced(array: np.ndarray):
        if captured is None:
            constant = array.copy()
            constant.flags.writeable = False
            return constant
        for argument, placeholder in zip(captured, placeholders, strict=True):
            if argument is array:
                return placeholder
        raise Retrace(OuterArray(array))

    values = OuterValues(traced)
    for outer, form in ((np, MODULE), *BY_SLICES.items()):
        values.known[id(outer)] = (outer, form)
    return values


def _traced(call: _Call, options: Options, met: set[Fallback], deciding: set[int]) -> Traced:
    captured = options.captured or ()
    arguments = (*call.arguments, *captured)
    recording = NumpyTrace(STAGER, options, met, deciding)
    frozen, inputs, written, returned = copy_context().run(_recorded, call, arguments, recording)
    try:
        executable, host_calls = _compiled(frozen, arguments, inputs, written)
    except Exception as error:  # the function is not asked: what it raises was raised above
        if isinstance(error, EXPECTED) or is_interruption(error):
            raise
        raise RefusedError(note_fault(error), FINAL) from error
    examples = tuple(without_elements(value) for value in arguments)
    of_graph = (executable, examples, inputs, written, returned)
    return Traced(*of_graph, host_calls, captured, call.structures)


def _recorded(call: _Call, arguments: tuple, recording: NumpyTrace) -> tuple:
    """The graph, the positions of its inputs and of what it writes, and the result."""
    name = getattr(call.function, "__name__", type(call.function).__name__)
    graph, count = FuncGraph(name), len(call.arguments)
    recording.guards = call.guards or GuardDiscovery()
    recording.on_call = _checking(recording.guards.note)
    recording.has_orders = _has_orders(arguments)
    recording.indexed = IndexedViews()
    recording.random = drawn = Drawn(recording.options.drawn)
    try:
        with graph, no_scopes():
            TRACE.set(recording)
            NOTES[id(recording)] = recording  # so that changes of lists are seen
            placeholders, inputs = _placeholders(graph, arguments, call.static)
            passed = unflatten_arguments(call.structures, placeholders[:count])
            args, named = split_keywords(passed, call.keywords)
            drawn.begin()
            captured = recording.options.captured
            outer = recording.outer = _outer_values(captured, placeholders[count:])
            with outer, keeping_refusals():
                result = convert(recursive=True)(call.function)(*args, **named)
                check_trace(graph)
            if outer.have_changed():
                raise RefusedError("what is outside of the function changes while it is traced")
            require_unchanged(call.structures, passed, placeholders[:count])
            outputs: list = []
            written = _written(placeholders, outputs)
            copies = [copy for copy, _ in outer.copies]
            returned = result_structure(result, outputs, (passed, copies))
            drawn.finish()
            if drawn.states and any(map(_is_loop_of_calls, graph.nodes)):
                raise Retrace(DrawnInLoop(None))
            recording.indexed.check(graph)
            if recording.without_cells:
                raise RefusedError(NOT_STAGED)
            return graph.freeze(outputs), inputs, written, returned
    except Retrace as request:
        if type(request.change) is SharedWrites:
            raise RefusedError(NOT_STAGED) from request
        raise
    except RefusedError as refused:
        if isinstance(refused.reason, str):
            raise
        name = type(refused.reason).__name__
        raise RefusedError(f"an `except` handles a {name} that each call raises") from None
    finally:
        for noting in (recording, recording.notes.watched):
            NOTES.pop(id(noting), None)
        recording.guards.made += recording.made


def _compiled(frozen: Graph, arguments: tuple, inputs: tuple[int, ...], written) -> tuple:
    """The native code of a graph, and the functions of NumPy's that it calls."""
    graph = with_values_for_cells(frozen)
    host_calls = called_names(graph)
    if callees := callees_in(graph):  # which a NumPy plan has no form for
        graphs = [graph, *(callee.graph for callee in callees if callee.graph)]
        for calling in filter(called_names, graphs):
            reason = f"a call of {called_names(calling)[0]} beside functions that call themselves"
            raise RefusedError(reason, None, place_of_call(calling))
        return _executable(graph, arguments, inputs, written), []
    if host_calls:
        return _executable_with_calls(graph, host_calls), host_calls
    try:
        return _executable(graph, arguments, inputs, written), []
    except (Error, RefusedError) as error:
        reason = str(error).split("\n")[0].removeprefix("jit_compile=True: ")
        return _executable_of_loops(graph, error), [reason]


def _executable(graph: Graph, arguments: tuple, inputs: tuple[int, ...], written) -> Executable:
    """One kernel, which writes to the memory of the arguments."""
    donated = _donated(graph, arguments, inputs, written)
    limits = frozenset(
        (position, bound_of(arguments[at]))
        for position, at in enumerate(inputs)
        if type(arguments[at]) is int
    )
    graph = graph.replace(donated=donated, limits=limits, may_guard=True)
    executable = Executable(graph, "native")
    if executable.native is None:
        raise RefusedError(executable.why_not_native or "a shape depends on computed values")
    return executable


def _executable_with_calls(graph: Graph, host_calls: list[str]) -> Executable:
    """Kernels for what lies between calls of functions of NumPy's.

    A loop around a call is no kernel: where it holds no long loop that is one, Python runs it
    faster.
    """
    for node in graph.walk():
        if (
            node.op is OPS["while"]
            and _calls_numpy(node)
            and not _has_long_loop(node.attrs["body"])
        ):
            reason = f"calls of {', '.join(host_calls)} in a loop of single operations"
            raise RefusedError(reason, FINAL, node.where)
    executable = Executable(graph, "hybrid")
    if executable.native is None or executable.native.has_idle_loop():
        reason = f"calls of {', '.join(host_calls)}; the rest is too little for native code"
        raise RefusedError(reason, FINAL, place_of_call(graph))
    return executable


def _executable_of_loops(graph: Graph, error: BaseException) -> Executable:
    """Kernels for the loops of a graph that has something without a native form between them.

    Raises `error` where that is in a loop, or where the loops are short.
    """
    if not _has_long_loop(graph):
        raise error
    executable = Executable(graph, "hybrid")
    if executable.native is None or executable.native.numpy_loops:
        raise error
    return executable


def _is_loop_of_calls(node: Node) -> bool:
    """Whether a statement has a loop that calls functions of NumPy's, and so is no kernel."""
    loops = (inner for inner in (node, *_inside(node)) if inner.op is OPS["while"])
    return any(map(_calls_numpy, loops))


def _inside(node: Node) -> list[Node]:
    return [inner for graph in node.subgraphs.values() for inner in graph.walk()]


def _calls_numpy(loop: Node) -> bool:
    """Whether a loop calls a function of NumPy's."""
    return bool(called_names(loop.attrs["body"]))


def _has_long_loop(graph: Graph) -> bool:
    """Whether a graph holds a loop without calls that may pay for a kernel at each iteration.

    Such a loop has many iterations, or their number is an operand; or it computes with arrays. A
    loop that ends when a computed condition does is taken for short.
    """
    producers = graph.producers()
    for node in graph.nodes:
        if node.op is OPS["while"] and not _calls_numpy(node):
            if _is_long(node, producers):
                return True
        elif any(map(_has_long_loop, node.subgraphs.values())):
            return True
    return False


def _is_long(loop: Node, producers: dict) -> bool:
    counter = induction_variable_of(loop, producers)
    if counter is not None and (counter.trip_count is None or counter.trip_count >= FEW):
        return True
    return any(
        node.op.elementwise and value.shape and (size_of(value.shape) or FEW) >= FEW
        for node in loop.attrs["body"].walk()
        for value in node.outputs
    ) or _has_long_loop(loop.attrs["body"])


def _donated(graph: Graph, arguments: tuple, inputs: tuple[int, ...], written) -> frozenset:
    """The inputs and outputs of the arrays that change, where native code may do that in place."""
    return frozenset(
        (inputs.index(at), output)
        for at, output in written
        if arguments[at].flags.c_contiguous
        and graph.inputs[inputs.index(at)].shape == arguments[at].shape
    )


def _checking(others: Callable) -> Callable:
    """A hook for calls of user functions, which calls `others` too."""
    counts: Counter = Counter()  # of calls in statements, by code
    calls = itertools.count()

    def hook(function, args, kwargs):
        if is_user_code(function):
            code = getattr(function, "__code__", None)
            is_inside = getattr(function, "__closure__", None) and _is_defined_inside(code)
            if is_inside:
                with_tables_around(function)
            if next(calls) > MOST_CALLS and len(BUILDER.get().nodes) > MOST_OPERATIONS:
                if _active_calls(code) > 1:
                    _call_in_graph(code)
                message = f"more than {MOST_OPERATIONS} operations, of more than {MOST_CALLS} calls"
                raise RefusedError(message, FINAL)
            if numpy_trace().options.has(code, How.CALLED):
                check_pure(function, may_assign=lambda: is_inside)
                others(function, args, kwargs)
                return functools.partial(late.called_in_graph, function)
            counts[code] += BUILDER.get().outer is not None
            is_deep = counts[code] > MOST_ACTIVE and _active_calls(code) > MOST_ACTIVE
            if is_deep or counts[code] > MOST_CALLS:
                _call_in_graph(code)
                reason = f"{function.__qualname__} calls itself in computed branches"
                raise RefusedError(reason, RECURSION)
            note_made(function, args)
            sets_own = functools.partial(sets_own_attributes, function, args, kwargs or {})
            check_pure(function, sets_own, lambda: is_inside and _may_assign(function))
            numpy_trace().outer.keep(reached_by_attributes(function, args, numpy_trace().made))
        else:
            refuse_effects_of(function)
        return others(function, args, kwargs)

    return hook


def _may_assign(function) -> bool:
    """Whether recursions in which a function is called know the variables that it assigns."""
    cells = set(map(id, assigned_around(function)))
    return all(cells <= set(map(id, active.cells)) for active in numpy_trace().active)


def _is_defined_inside(code: Any) -> bool:
    """Whether a function that runs in this trace has defined the function of this code."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code is not _recorded.__code__:
        if any(constant is code for constant in frame.f_code.co_consts):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _call_in_graph(code) -> None:
    """Trace again with calls of a function in the graph, if that was not in vain."""
    if not numpy_trace().options.has(code, How.KEPT):
        raise Retrace(OfCode(How.CALLED, code))


def _active_calls(own: Any) -> int:
    """How many calls of a function are being traced, each inside of another one."""
    frame, counts = sys._getframe(1), Counter[int]()  # of blocks, too, which have its name
    while frame is not None:
        code, frame = frame.f_code, frame.f_back  # type: ignore[assignment]
        counts[id(code)] += (code.co_filename, code.co_name) == (own.co_filename, own.co_name)
    return max(counts.values())


def _placeholders(graph: FuncGraph, arguments: tuple, static: frozenset[int]) -> tuple:
    values, inputs = [], []
    for position, value in enumerate(arguments):
        state_type = carried_as(value)
        if isinstance(value, np.ndarray):
            tensor = graph.input(FROM_NUMPY[value.dtype], value.shape, "array")
            storage = Storage(tensor, argument=position)
            values.append(TracedArray(storage, (), without_elements(value)))
        elif isinstance(value, generator_types()):
            values.append(given_generator(position, value))
            continue
        elif state_type is None or position in static:
            values.append(value)
            continue
        else:
            tensor = graph.input(FROM_NUMPY[state_type.dtype], (), "number")
            bound = bound_of(value)
            values.append(TracedScalar(tensor, state_type.python, bound, frozenset([position])))
        inputs.append(position)
    return values, tuple(inputs)


def without_elements(value):
    """An array in place of an argument, which is not kept alive; anything else as it is."""
    if isinstance(value, generator_types()):
        return type(value)
    if not isinstance(value, np.ndarray):
        return value
    return layout(value.dtype, value.shape, None if value.flags.c_contiguous else value.strides)


def _has_orders(arguments: tuple) -> bool:
    """Whether new arrays may have another order of their axes than that of C."""
    return any(
        isinstance(value, np.ndarray) and not _is_in_order_of_c(value) for value in arguments
    )


def _is_in_order_of_c(array: np.ndarray) -> bool:
    """Whether strides get smaller from axis to axis, as in slices of arrays in the order of C."""
    if array.flags.c_contiguous:
        return True
    pairs = zip(array.strides, array.shape, strict=True)
    steps = [abs(stride) for stride, size in pairs if size > 1]
    return all(step >= inner for step, inner in itertools.pairwise(steps))


def _written(placeholders: list, outputs: list) -> tuple:
    written = []
    for position, value in enumerate(placeholders):
        if isinstance(value, TracedArray) and value.storage.has_changed:
            written.append((position, len(outputs)))
            outputs.append(value.storage.read())
    return tuple(written)
