"""Tracing: run the (converted) Python function once on placeholders and record what it does."""

from __future__ import annotations

import re
import types
from collections import deque

import numpy as np

from ...autograph.api import convert
from ...autograph.operators.calls import STRICT
from ...autograph.operators.checked_values import MaybeNone
from ...autograph.operators.opaque_content import content_of, has_changed, restore
from ...autograph.operators.other_holders import holding
from ...autograph.operators.raising import RefusedError, StagedRaise, keeping_refusals
from ...autograph.operators.scopes import features_of
from ...runtime.core.debug_output import show
from ...runtime.core.errors import DTypeError, InvalidArgumentError, SymbolicValueError
from ...runtime.core.shapes import TensorShape
from ...runtime.core.source_locations import is_internal
from ...runtime.executors.executable import Executable
from ...runtime.ir.rewrite import nodes_read
from ...runtime.jit.backends import backend, compiling_with
from ...runtime.ops.state.variables import CREATION, Creation, Variable
from ...runtime.tensors.apply import BUILDER, constant_of, convert_to_tensor, tensor_of
from ...runtime.tensors.array_conversion import to_array
from ...runtime.tensors.name_scopes import no_scopes, within
from ...runtime.tensors.tensor import EagerTensor
from ..control_flow.staged_raise import check_trace
from ..control_flow.variable_aliases import check_aliases
from ..staged_values.staged_list import stacked
from ..structures import nest
from .concrete_function import ConcreteFunction
from .error_notes import point_at_user_code
from .func_graph import FuncGraph
from .guard_discovery import GuardDiscovery, discover_guards
from .recursive_functions import Unfinished


def trace(
    python_function, options: dict, unfinished: Unfinished, tensors=None, first=False, again=False
):
    """A concrete function for arguments of the type of `unfinished`, which represents the trace
    while it is being made.

    The `first` trace of a function may create variables; it is then traced `again`. The initial
    values of the variables may depend on `tensors`, the arguments of the call. An exception from
    the Python code propagates, and no trace is kept.
    """
    if options.get("jit_compile"):
        with compiling_with(options.get("kernel_compiler")):
            backend().prepare()
    discovery = GuardDiscovery(
        options.get("guard_globals", False), options.get("guard_objects", False)
    )
    keeps_variables = options.get("own_variables", False)
    allowed = first or keeps_variables
    is_late = not (allowed or again)
    with creating_variables(allowed, is_late) as creation:
        try:
            graph, result = _record(python_function, options, unfinished, discovery)
        except BaseException:
            finish_variables(creation, tensors)
            raise
    if creation.made:
        initialize(creation, graph, tensors)
        if not keeps_variables:
            return trace(python_function, options, unfinished, again=True)
    attributes = dict(options.get("attributes") or {})
    if options.get("implements"):
        attributes["_implements"] = options["implements"]
    compiler = graph.placement or options.get("kernel_compiler")
    concrete = ConcreteFunction(
        graph, unfinished.function_type, result, options.get("jit_compile"), attributes, compiler
    )
    concrete.own_variables = creation.variables
    concrete.guards = discovery.guards()
    if not unfinished.finish(concrete):
        return trace(python_function, options, unfinished, again=True)
    show("graph", unfinished.name, concrete.frozen)
    return concrete


def _record(python_function, options: dict, unfinished: Unfinished, discovery: GuardDiscovery):
    """Run the function on placeholders: the graph, and the result with tensors as leaves."""
    unfinished.begin()
    graph = FuncGraph(unfinished.name, outer=BUILDER.get())
    graph.keeps_shapes |= options.get("jit_compile") is True  # native code needs them
    runnable = python_function
    if options.get("autograph", True):
        runnable = convert(recursive=True, optional_features=_features(options))(python_function)
    try:
        with graph, no_scopes():
            discover_guards(discovery)
            bound = unfinished.function_type.placeholders(graph)
            if runnable is python_function:
                discovery.note_root(python_function, bound.args)
            before = nest.map_structure(_with_content, bound.arguments)
            with holding(bound.arguments), keeping_refusals():
                result = _result(runnable, bound)
                check_trace(graph)
            refuse_changes(unfinished.name, before, bound.arguments)
            result = nest.map_structure(_present, stacked(result))
            result = nest.map_structure(as_output, unfinished.conform(result))
            check_aliases(graph, nest.flatten(result))
    except RefusedError as refused:
        graph.close()
        if graph.outer is not None or isinstance(refused.reason, str):
            raise
        raise refused.reason from refused.reason.__cause__  # type: ignore[misc, union-attr]
    except BaseException as error:
        graph.close()
        if graph.outer is not None and graph.failed is error:
            graph.outer.failed = graph.failed
        if type(error) is UnboundLocalError:
            suggest_assign(error)
        if options.get("autograph", True):
            point_at_user_code(error)
        raise
    return graph, result


def _features(options: dict):
    """The optional features of conversion, STRICT among them if it is asked for."""
    features = features_of(options.get("autograph_options"))
    return (*features, STRICT) if options.get("strict") else features


def suggest_assign(error: UnboundLocalError) -> None:
    """Add a note if a function assigns to a name that is a Variable around it."""
    entry, match = error.__traceback__, re.search("local variable '(\\w+)'", str(error))
    while entry is not None and match is not None:
        if not is_internal(entry.tb_frame) and _is_variable_around(entry.tb_frame, match[1]):
            error.add_note(
                f"An assignment makes {match[1]!r} a local variable. To change the Variable, call "
                f"{match[1]}.assign(...), {match[1]}.assign_add(...) or {match[1]}.assign_sub(...)."
            )
            return
        entry = entry.tb_next


def _is_variable_around(frame, name: str) -> bool:
    """Whether a name is a Variable in a function around that of a frame, or a global one."""
    inside, caller = frame.f_code.co_qualname, frame.f_back
    while caller is not None:
        is_around = inside.startswith(caller.f_code.co_qualname + ".<locals>.")
        if is_around and name in caller.f_locals:
            return isinstance(caller.f_locals[name], Variable)
        caller = caller.f_back
    return isinstance(frame.f_globals.get(name), Variable)


def _result(runnable, bound):
    """The result of the function; None if its graph always raises."""
    try:
        return runnable(*bound.args, **bound.kwargs)
    except StagedRaise:
        return None


def refuse_changes(name: str, before: dict, after: dict) -> None:
    """Raise InvalidArgumentError if the function has changed a container among its arguments.

    The change would be lost: the caller's containers stay as they are, and later calls do not run
    the Python code.
    """
    changed = [key for key in before if not _is_same(before[key], after[key])]
    if changed:
        for kept in nest.flatten([before[key] for key in changed]):
            if type(kept) is _Kept:
                restore(kept.container, kept.content)
        copies = ", ".join(f"{key} = {_copier(after[key])}({key})" for key in changed)
        raise InvalidArgumentError(
            f"{name} should not modify its Python input arguments: {', '.join(changed)}",
            f"Change a copy, and return it: {copies}",
        )


def _copier(value) -> str:
    """A function that copies a container or an object."""
    plain = (plain_type for plain_type in (dict, list, set) if type(value) is plain_type)
    return next((plain_type.__name__ for plain_type in plain), "copy.copy")


def _is_same(before, after) -> bool:
    try:
        nest.assert_same_structure(before, after)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(before), nest.flatten(after), strict=True)
    return all(first is second or _is_unchanged(first, second) for first, second in pairs)


class _Kept:
    """A container that tensors do not go into, and what it held before the trace."""

    def __init__(self, container, content):
        self.container = container
        self.content = content


def _with_content(leaf):
    content = content_of(leaf) if isinstance(leaf, (set, deque, bytearray)) else None
    return leaf if content is None else _Kept(leaf, content.read(leaf))


def _is_unchanged(kept, leaf) -> bool:
    is_kept = type(kept) is _Kept and kept.container is leaf
    return is_kept and not has_changed(leaf, kept.content)


def _present(leaf):
    """A leaf of the result; the value of one that may be None."""
    return leaf.at_output() if type(leaf) is MaybeNone else leaf


def as_output(leaf):
    """A leaf of the result of a function as a tensor, if it can be one."""
    if leaf is None:
        return None
    tensor = tensor_of(leaf)
    if tensor is not None:
        return tensor
    if isinstance(leaf, (bool, int, float, complex, str, bytes, np.ndarray, np.generic)):
        return constant_of(to_array(leaf))
    convert_output = getattr(type(leaf), "__tf_output__", None)
    if convert_output is not None:
        return convert_output(leaf)
    if isinstance(leaf, TensorShape):
        return _as_sizes(leaf)
    if callable(getattr(leaf, "__array__", None)):
        return convert_to_tensor(np.asarray(leaf))
    if isinstance(leaf, types.CoroutineType):
        leaf.close()  # without the warning that it was never awaited
        raise DTypeError(
            f"'{leaf.__name__}' is a coroutine function, so a graph cannot hold its body, which "
            "runs only when its result is awaited",
            "Write `def` in place of `async def`, and await around the call.",
        )
    if isinstance(leaf, (types.GeneratorType, types.AsyncGeneratorType)):
        raise DTypeError(
            f"'{leaf.__name__}' is a generator function, so a graph cannot hold its "
            "body, which runs only when its result is iterated over",
            "Collect the values in a list or an ag.TensorArray, and return them.",
        )
    raise TypeError(
        f"a decorated function returns tensors, numbers, None or structures of them, not {leaf!r} "
        f"(a {type(leaf).__name__}). Return the tensors that it holds"
        + ("; decorate the methods of a class, not the class" if callable(leaf) else "")
    )


def _as_sizes(shape: TensorShape):
    """The tensor that a shape is returned as."""
    if not shape.is_fully_defined():
        raise SymbolicValueError(
            f"the shape {shape} is returned, which is not fully known while tracing",
            "Return the sizes that the graph knows when it runs: ag.shape(x).",
        )
    return constant_of(np.array(shape.as_list(), np.int32))


# ---- variables that a function creates -----------------------------------------------------------
# They exist outside of the graph, and only the first trace may create any. A first value that is
# computed in the graph is evaluated once, by the first call's arguments, before the function runs.


def creating_variables(allowed: bool, is_late: bool = False):
    """Collect the variables created inside; unless `allowed`, creating one is a ValueError, which
    says whether the function has made its variables in an earlier trace.
    """
    return within(CREATION, Creation(allowed, is_late))


def initialize(creation: Creation, graph, tensors) -> None:
    """Compute the initial values of new variables from the arguments of the call."""
    waiting = [(cell, start) for cell, start, _ in creation.made if start is not None]
    if waiting:
        _assign(waiting, graph, tensors)


def finish_variables(creation: Creation, tensors) -> None:
    """Initialize the variables of a failed trace, since user code may hold them.

    A variable whose initial value cannot be computed becomes unusable.
    """
    for cell, tensor, _ in creation.made:
        if tensor is None:
            continue
        try:
            _assign([(cell, tensor)], tensor.builder, tensors)
        except Exception:
            cell.release()


def _assign(waiting, graph, tensors) -> None:
    starts = graph.finish([tensor for _, tensor in waiting])
    starts = starts.replace(nodes=nodes_read(starts.nodes, starts.outputs))
    arguments = [
        *(tensors or [None] * len(graph.inputs)),
        *(tensor for _, tensor in graph.captured()),
    ]
    needed = {value for node in starts.nodes for value in node.inputs} | set(starts.outputs)
    feeds = {
        value: tensor
        for value, tensor in zip(starts.inputs, arguments, strict=True)
        if value in needed
    }
    if not all(isinstance(tensor, EagerTensor) for tensor in feeds.values()):
        raise ValueError(
            "a variable's first value depends on the arguments, which are not known yet: call the "
            "function once before asking for a concrete function"
        )
    run = Executable(starts.replace(inputs=tuple(feeds)), "plan")
    arrays = run(*(tensor.array for tensor in feeds.values()))
    for (cell, _), array in zip(waiting, arrays, strict=True):
        cell.start_with(array)
