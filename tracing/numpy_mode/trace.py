"""Trace a function of NumPy arrays to a graph of values, and compile it."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any, NamedTuple

import numpy as np

from ...autograph.api import convert
from ...autograph.current_trace import Trace
from ...autograph.operators.calls import CALLED, is_user_code
from ...autograph.operators.containers import COPIES
from ...autograph.operators.raising import RefusedRaise, keeping_refusals
from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.errors import Error
from ...runtime.core.shapes import size_of
from ...runtime.executors.compile_pipeline import with_real_numbers, with_values_for_cells
from ...runtime.executors.executable import Executable
from ...runtime.ir.graph import Graph, Node
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ir.trip_counts import induction_variable_of
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.name_scopes import no_scopes
from ..functions.func_graph import FuncGraph
from ..functions.guard_discovery import DISCOVERY
from ..staged_values.outer_values import OuterValues
from ..structures.argument_structures import (
    put_together,
    require_unchanged,
)
from . import numpy_calls, python_arithmetic  # noqa: F401 - what numbers and arrays call
from .calls.called_functions import called_names
from .calls.made_objects import note_made, sets_own_attributes
from .calls.random_generators import DRAWN, GENERATORS, Drawn, given_generator
from .joined_numbers import MIXTURES, Mixtures
from .lists.collected_lists import GROWN_LISTS
from .lists.growing_lists import LIST_TYPES
from .lists.hash_tables import TABLES, TableUses
from .new_arrays import BY_SLICES, MODULE
from .numpy_stager import (
    LONG_LOOPS,
    PLAIN_LISTS,
    STAGER,
    UNROLLED_LOOPS,
    refuse_effects_of,
)
from .refusal import (
    DrawnInLoopError,
    FinalRefusedError,
    GrownListError,
    LargeLoopError,
    ListTypesError,
    LongLoopError,
    OuterArrayError,
    PlainListsError,
    RefusedError,
    SharedWriteError,
    StaticArgumentError,
    is_interruption,
    refuse_effects,
)
from .results import described
from .searches import UNIQUE, UniqueCalls
from .statements.carried_values import carried_as
from .statements.chosen_objects import CHOSEN, MADE
from .storage import Storage, check_array
from .traced_array import HAS_ORDERS, TracedArray
from .traced_scalar import TracedScalar, bound_of
from .views import INDEXED, SIZE_ARGUMENTS, IndexedViews, layout

# Iterations or elements. To enter a kernel takes as long as some hundred steps of Python.
FEW = 64
MOST_CALLS = 200  # of one function in loops and branches, each of which is traced
MOST_OPERATIONS = 2000  # of a graph: recursion that numbers decide is unrolled, and takes seconds


class Traced(NamedTuple):
    """A function for arguments of certain types, as native code.

    examples  the arguments that it was traced for: constants, and others of the same types
    inputs    the positions of the arguments that are inputs of the graph
    written   positions of arguments and outputs: the arrays that change
    result    the structure of the result: `Result`s, constants and tuples
    pairs     the outputs that are complex, of which the native code gives pairs of numbers
    called    the functions of NumPy's that it calls; if there are any, complex numbers stay whole
    held      arrays of globals and closures, whose positions follow those of the arguments
    structures  how the arguments of the call are made of these; empty where each is one of them
    """

    executable: Executable
    examples: tuple
    inputs: tuple[int, ...]
    written: tuple[tuple[int, int], ...]
    result: Any
    pairs: frozenset[int] = frozenset()
    called: Sequence[str] = ()
    held: tuple[np.ndarray, ...] = ()
    structures: tuple = ()


def split_keywords(arguments: tuple, keywords: tuple[str, ...]) -> tuple[tuple, dict]:
    """Positional arguments, and the last ones by these names."""
    count = len(arguments) - len(keywords)
    return arguments[:count], dict(zip(keywords, arguments[count:], strict=True))


def trace(
    function: Callable,
    arguments: tuple,
    static: frozenset[int],
    keywords: tuple[str, ...] = (),
    structures: tuple = (),
) -> Traced:
    """The native code for arguments like these; those at `static` are constants. The last ones are
    passed by `keywords`. `structures` are made of them first. It runs in a context of its own.

    Raises RefusedError, or an exception of the function, where there is none.
    """
    refuse_effects(function, lambda: sets_own_attributes(function, arguments, {}))
    deciding: set[int] = set()
    SIZE_ARGUMENTS.set(deciding)
    for one in (LONG_LOOPS, UNROLLED_LOOPS, PLAIN_LISTS, GROWN_LISTS):
        one.set(frozenset())
    MIXTURES.set(Mixtures())
    LIST_TYPES.set({})
    UNIQUE.set(UniqueCalls())
    TABLES.set(TableUses())
    try:
        return _with_outer_arrays(function, arguments, static, keywords, structures)
    except (RefusedError, Error):
        if deciding:  # arrays of a known size are native in more places
            raise StaticArgumentError(frozenset(deciding)) from None
        raise


def _with_outer_arrays(
    function: Callable, arguments: tuple, static, keywords, structures
) -> Traced:
    """The trace with arrays of globals and closures as arguments, or else as constants."""
    held: list | None = []
    drawn: dict | None = {}
    large: set = set()  # loops over few numbers that are staged
    refused = None
    while True:
        DRAWN.set(Drawn(drawn))
        try:
            return _traced(function, arguments, static, keywords, structures, held)
        except DrawnInLoopError as error:
            drawn = None if error.source is None else {**drawn, error.source.key: error.source}
        except LargeLoopError as error:
            large.add(error.code)
            LONG_LOOPS.set(LONG_LOOPS.get() | {error.code})
        except LongLoopError as error:
            LONG_LOOPS.set(LONG_LOOPS.get() | {error.code})
        except PlainListsError as error:
            PLAIN_LISTS.set(PLAIN_LISTS.get() | {error.code})
        except GrownListError as error:
            GROWN_LISTS.set(GROWN_LISTS.get() | {error.code})
        except ListTypesError as error:
            LIST_TYPES.set(error.types)
        except OuterArrayError as error:
            assert held is not None
            check_array(error.array)
            held.append(error.array)
        except (RefusedError, Exception) as error:
            if is_interruption(error):
                raise
            if large:
                UNROLLED_LOOPS.set(UNROLLED_LOOPS.get() | large)
                LONG_LOOPS.set(LONG_LOOPS.get() - large)
                large.clear()
            elif MIXTURES.get().are_met and not MIXTURES.get().are_allowed:
                MIXTURES.get().are_allowed = True
            elif TABLES.get().may_help(error):
                TABLES.get().are_used = True
            elif UNIQUE.get().may_help(error):
                UNIQUE.get().are_native = True
            elif not (held and isinstance(error, RefusedError)):
                raise (refused or error) from None
            else:
                held, refused = None, error


def _outer_values(held: list | None, placeholders: list) -> OuterValues:
    """What names outside of the function stand for; those of `held` for these placeholders."""

    def traced(array: np.ndarray):
        if held is None:
            constant = array.copy()
            constant.flags.writeable = False
            return constant
        for one, placeholder in zip(held, placeholders, strict=True):
            if one is array:
                return placeholder
        raise OuterArrayError(array)

    values = OuterValues(traced)
    for outer, made in ((np, MODULE), *BY_SLICES.items()):
        values.known[id(outer)] = (outer, made)
    return values


def _traced(
    function: Callable, arguments: tuple, static: frozenset[int], keywords, structures, held
) -> Traced:
    count, arguments = len(arguments), (*arguments, *(held or ()))
    recording = functools.partial(_recorded, function, arguments, count, static, keywords)
    frozen, inputs, written, returned = copy_context().run(recording, structures, held)
    graph = with_values_for_cells(frozen)
    called = called_names(graph)
    if not called:
        try:
            executable = _executable(with_real_numbers(graph), arguments, inputs, written)
        except (Error, RefusedError) as error:
            executable = _executable_of_loops(graph, error)
            called = [str(error).split("\n")[0].removeprefix("jit_compile=True: ")]
    else:
        executable = _executable_with_calls(graph, called)
    examples = tuple(_without_elements(value) for value in arguments)
    pairs = frozenset(at for at, one in enumerate(frozen.outputs) if one.dtype.is_complex)
    held = tuple(held or ())
    return Traced(executable, examples, inputs, written, returned, pairs, called, held, structures)


def _recorded(
    function: Callable, arguments: tuple, count: int, static, keywords, structures, held
) -> tuple:
    """The graph, the positions of its inputs and of what it writes, and the result. The first
    `count` arguments are those of a call.
    """
    graph = FuncGraph(function.__name__, trace=Trace(STAGER))
    CALLED.set(_checking(CALLED.get()))
    HAS_ORDERS.set(_has_orders(arguments))
    INDEXED.set(IndexedViews())
    COPIES.set({})
    MADE.set([])
    CHOSEN.set([])
    try:
        with graph, no_scopes():
            placeholders, inputs = _placeholders(graph, arguments, static)
            given = put_together(structures, placeholders[:count])
            args, named = split_keywords(given, keywords)
            DRAWN.get().begin()
            with _outer_values(held, placeholders[count:]) as outer, keeping_refusals():
                result = convert(recursive=True)(function)(*args, **named)
            if outer.have_changed():
                raise RefusedError("a container from outside the function changes")
            require_unchanged(structures, given, placeholders[:count])
            outputs: list = []
            written = _written(placeholders, outputs)
            returned = described(result, outputs, (given, [made for made, _ in outer.copies]))
            DRAWN.get().finish()
            if DRAWN.get().states and any(map(_is_loop_of_calls, graph.nodes)):
                raise DrawnInLoopError(None)
            INDEXED.get().check(graph)
            return graph.freeze(outputs), inputs, written, returned
    except SharedWriteError as error:
        raise RefusedError("an array changes in a statement that is not staged") from error
    except RefusedRaise as refused:
        name = type(refused.error).__name__
        raise RefusedError(f"an `except` handles a {name} that each call raises") from None
    finally:
        if (discovery := DISCOVERY.get()) is not None:
            discovery.made += MADE.get()


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


def _executable_with_calls(graph: Graph, called: list[str]) -> Executable:
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
            raise FinalRefusedError(f"calls of {', '.join(called)} in a loop of single operations")
    executable = Executable(graph, "hybrid")
    if executable.native is None or executable.native.has_idle_loop():
        rest = "the rest is too little for native code"
        raise FinalRefusedError(f"calls of {', '.join(called)}; {rest}")
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
    loops = (one for one in (node, *_inside(node)) if one.op is OPS["while"])
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


def _checking(others: Callable | None) -> Callable:
    """A hook for calls of user functions, which calls `others` too."""
    counts: Counter = Counter()  # of calls in statements, by code
    calls = itertools.count()

    def hook(function, args, kwargs):
        if is_user_code(function):
            if next(calls) > MOST_CALLS and len(BUILDER.get().nodes) > MOST_OPERATIONS:
                message = f"more than {MOST_OPERATIONS} operations, of more than {MOST_CALLS} calls"
                raise FinalRefusedError(message)
            code = getattr(function, "__code__", None)
            counts[code] += BUILDER.get().outer is not None
            if counts[code] > MOST_CALLS:
                raise RefusedError(f"{function.__qualname__} calls itself in computed branches")
            note_made(function, args)
            refuse_effects(function, lambda: sets_own_attributes(function, args, kwargs or {}))
        else:
            refuse_effects_of(function)
        if others is not None:
            others(function, args, kwargs)

    return hook


def _placeholders(graph: FuncGraph, arguments: tuple, static: frozenset[int]) -> tuple:
    values, inputs = [], []
    for position, value in enumerate(arguments):
        state_type = carried_as(value)
        if isinstance(value, np.ndarray):
            tensor = graph.input(FROM_NUMPY[value.dtype], value.shape, "array")
            storage = Storage(tensor, argument=position)
            values.append(TracedArray(storage, (), _without_elements(value)))
        elif isinstance(value, GENERATORS):
            values.append(given_generator(position, type(value)))
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


def _without_elements(value):
    """An array in place of an argument, which is not kept alive; anything else as it is."""
    if isinstance(value, GENERATORS):
        return type(value)
    if not isinstance(value, np.ndarray):
        return value
    return layout(value.dtype, value.shape, None if value.flags.c_contiguous else value.strides)


def _has_orders(arguments: tuple) -> bool:
    """Whether new arrays may have another order of their axes than that of C."""
    return any(isinstance(one, np.ndarray) and not _is_in_order_of_c(one) for one in arguments)


def _is_in_order_of_c(array: np.ndarray) -> bool:
    """Whether strides get smaller from axis to axis, as in slices of arrays in the order of C."""
    if array.flags.c_contiguous:
        return True
    steps = [abs(one) for one, size in zip(array.strides, array.shape, strict=True) if size > 1]
    return all(one >= other for one, other in itertools.pairwise(steps))


def _written(placeholders: list, outputs: list) -> tuple:
    written = []
    for position, value in enumerate(placeholders):
        if isinstance(value, TracedArray) and value.storage.has_changed:
            written.append((position, len(outputs)))
            outputs.append(value.storage.read())
    return tuple(written)
