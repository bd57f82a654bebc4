"""Trace a function of NumPy arrays to a graph of values, and compile it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...autograph.api import convert
from ...autograph.operators.calls import CALLED, is_user_code
from ...autograph.operators.raising import RefusedRaise
from ...autograph.operators.undefined import Undefined
from ...autograph.stager import set_stager
from ...runtime.core.dtypes import FROM_NUMPY, int64
from ...runtime.core.errors import Error
from ...runtime.core.shapes import size_of
from ...runtime.executors.compile_pipeline import with_real_numbers, with_values_for_cells
from ...runtime.executors.executable import Executable
from ...runtime.ir.graph import Graph, Node
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ir.trip_counts import induction_variable_of
from ...runtime.tensors.name_scopes import no_scopes
from ..functions.func_graph import FuncGraph
from ..staged_values.outer_values import OuterValues
from ..stager.numpy_functions import OTHER_FORMS
from ..structures.argument_structures import (
    containers_in,
    is_named_tuple_class,
    put_together,
    require_unchanged,
)
from . import numpy_calls, python_arithmetic  # noqa: F401 - what numbers and arrays call
from .called_functions import GENERATORS, TracedGenerator, called_names
from .numpy_stager import ACTIVE, FUNCTIONS, LONG_LOOPS, NumpyStager, refuse_effects_of
from .refusal import (
    LongLoopError,
    OuterArrayError,
    RefusedError,
    SharedWriteError,
    StaticArgumentError,
    refuse_effects,
)
from .staged_statements import state_type_of
from .storage import Reference, Storage, check_array
from .traced_array import HAS_ORDERS, TracedArray
from .traced_scalar import TracedScalar, bound_of
from .unused_values import keep_checks
from .views import SIZE_ARGUMENTS, Item, layout

# Iterations or elements. To enter a kernel takes as long as some hundred steps of Python.
FEW = 64


class Result(NamedTuple):
    """Where a part of the result comes from."""

    argument: int | None  # the position of the argument that it is a view of
    output: int | None  # the position among the outputs of the graph
    path: tuple = ()  # the steps to the view
    python: type | None = None  # the type of a number of Python's
    alternative: tuple[int, type] | None = None  # the output that says whether it is of this type
    one_of: tuple[int, tuple] | None = None  # the output that says which of these arguments it is
    sizes: int | None = None  # the output with the sizes of an array that has memory for more
    is_rank_0: bool = False  # an array that native code gives as a scalar

    @property
    def is_new(self) -> bool:
        """Whether it is an output as it is."""
        is_whole = self.one_of is None and self.sizes is None and not self.is_rank_0
        return self.output is not None and not self.path and is_whole


class Output(NamedTuple):
    """In the key of a returned view: the number that is this output."""

    position: int


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
    passed by `keywords`. `structures` are made of them first.

    Raises RefusedError, or an exception of the function, where there is none.
    """
    refuse_effects(function)
    deciding: set[int] = set()
    token, orders = SIZE_ARGUMENTS.set(deciding), HAS_ORDERS.set(_has_orders(arguments))
    long_loops = LONG_LOOPS.set(frozenset())
    try:
        return _with_outer_arrays(function, arguments, static, keywords, structures)
    except (RefusedError, Error):
        if deciding:  # arrays of a known size are native in more places
            raise StaticArgumentError(frozenset(deciding)) from None
        raise
    finally:
        SIZE_ARGUMENTS.reset(token)
        HAS_ORDERS.reset(orders)
        LONG_LOOPS.reset(long_loops)


def _with_outer_arrays(
    function: Callable, arguments: tuple, static, keywords, structures
) -> Traced:
    """The trace with arrays of globals and closures as arguments, or else as constants."""
    held: list | None = []
    refused = None
    while True:
        try:
            return _traced(function, arguments, static, keywords, structures, held)
        except LongLoopError as error:
            LONG_LOOPS.set(LONG_LOOPS.get() | {error.code})
        except OuterArrayError as error:
            assert held is not None
            check_array(error.array)
            held.append(error.array)
        except RefusedError as error:
            if not held:
                raise refused or error from None
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

    return OuterValues(traced)


def _traced(
    function: Callable, arguments: tuple, static: frozenset[int], keywords, structures, held
) -> Traced:
    graph, count = FuncGraph(function.__name__), len(arguments)
    arguments = (*arguments, *(held or ()))
    token, called = ACTIVE.set(True), CALLED.set(_checking(CALLED.get()))
    forms = OTHER_FORMS.set(FUNCTIONS)
    try:
        with graph, no_scopes():
            placeholders, inputs = _placeholders(graph, arguments, static)
            given = put_together(structures, placeholders[:count])
            args, named = split_keywords(given, keywords)
            with _outer_values(held, placeholders[count:]) as outer:
                result = convert(recursive=True)(function)(*args, **named)
            if outer.have_changed():
                raise RefusedError("a container from outside the function changes")
            require_unchanged(structures, given, placeholders[:count])
            outputs: list = []
            written = _written(placeholders, outputs)
            described = _described(result, outputs, given)
            keep_checks(graph, outputs)
            frozen = graph.freeze(outputs)
    except SharedWriteError as error:
        raise RefusedError("an array changes in a statement that is not staged") from error
    except RefusedRaise as refused:
        error = refused.error
        if not isinstance(error, Exception):  # one of those that end a trace
            raise error from None
        name = type(error).__name__
        raise RefusedError(f"an `except` handles a {name} that each call raises") from None
    finally:
        ACTIVE.reset(token)
        CALLED.reset(called)
        OTHER_FORMS.reset(forms)
    graph = with_values_for_cells(frozen)
    called = called_names(graph)
    executable = _executable_with_calls(graph, called) if called else _executable(
        with_real_numbers(graph), arguments, inputs, written
    )  # fmt: skip
    examples = tuple(_without_elements(value) for value in arguments)
    pairs = frozenset(at for at, one in enumerate(frozen.outputs) if one.dtype.is_complex)
    held = tuple(held or ())
    return Traced(executable, examples, inputs, written, described, pairs, called, held, structures)


def _executable(graph: Graph, arguments: tuple, inputs: tuple[int, ...], written) -> Executable:
    """One kernel, which writes to the memory of the arguments."""
    donated = _donated(graph, arguments, inputs, written)
    executable = Executable(graph.replace(donated=donated), "native")
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
            raise RefusedError(f"calls of {', '.join(called)} in a loop of single operations")
    executable = Executable(graph, "hybrid")
    if executable.native is None:
        raise RefusedError(f"calls of {', '.join(called)}; the rest is too little for native code")
    return executable


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

    def hook(function, args, kwargs):
        if is_user_code(function):
            refuse_effects(function)
        else:
            refuse_effects_of(function)
        if others is not None:
            others(function, args, kwargs)

    return hook


def _placeholders(graph: FuncGraph, arguments: tuple, static: frozenset[int]) -> tuple:
    values, inputs = [], []
    for position, value in enumerate(arguments):
        state_type = state_type_of(value)
        if isinstance(value, np.ndarray):
            tensor = graph.input(FROM_NUMPY[value.dtype], value.shape, "array")
            storage = Storage(tensor, argument=position)
            values.append(TracedArray(storage, (), _without_elements(value)))
        elif isinstance(value, GENERATORS):
            values.append(TracedGenerator(position, type(value)))
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
    return any(
        isinstance(one, np.ndarray) and one.ndim > 1 and not one.flags.c_contiguous
        for one in arguments
    )


def _written(placeholders: list, outputs: list) -> tuple:
    written = []
    for position, value in enumerate(placeholders):
        if isinstance(value, TracedArray) and value.storage.has_changed:
            written.append((position, len(outputs)))
            outputs.append(value.storage.read())
    return tuple(written)


def is_named_tuple(value) -> bool:
    """Whether a part of the result is a named tuple of parts."""
    return type(value) is not Result and is_named_tuple_class(type(value))


def _described(result, outputs: list, given: tuple):
    """The structure of a result, with its tensors appended to `outputs`; `given` are the arguments
    of the call.
    """
    seen = {id(one) for one in containers_in(given)}  # lists and dictionaries have an identity
    made: dict[int, int] = {}  # the outputs by storage
    chosen: dict[int, int] = {}  # storages that a reference may be, by what returns them

    def describe(value):
        if type(value) is tuple:
            return tuple(map(describe, value))
        if type(value) in (list, dict):
            if id(value) in seen:
                raise RefusedError("a list or a dictionary is returned that has another name")
            seen.add(id(value))
            if type(value) is list:
                return [describe(one) for one in value]
            return {constant(key): describe(one) for key, one in value.items()}
        if is_named_tuple(value):
            return type(value)._make(map(describe, value))
        if type(value) is TracedScalar:
            outputs.append(value.tensor)
            result = Result(None, len(outputs) - 1, (), value.python)
            if value.alternative is not None:
                outputs.append(value.alternative.holds)
                result = result._replace(alternative=(len(outputs) - 1, value.alternative.python))
            return result
        if type(value) is TracedArray:
            return array(value)
        if value is None or isinstance(
            value, (bool, int, float, complex, str, np.generic, np.dtype)
        ):
            return value
        if isinstance(value, Undefined):
            raise RefusedError("values of different types are returned in different cases")
        raise RefusedError(f"a {type(value).__name__} is returned")

    def constant(key):
        if type(key) not in (str, int, float, bool, type(None)):
            raise RefusedError(f"a dictionary is returned with a {type(key).__name__} as a key")
        return key

    def array(value: TracedArray) -> Result:
        storage = value.storage
        if not value.template.flags.writeable:
            raise RefusedError("a read-only view is returned")
        path = tuple(map(known, value.path))
        if storage.argument is not None:
            return Result(storage.argument, None, path)
        if type(storage) is Reference:
            return reference(storage, path)
        if None in storage.shape:
            return of_computed_size(storage, path)
        if chosen.get(id(storage)):
            raise RefusedError("an array is returned twice, once as one of several")
        one_of = None
        if storage.one_of is not None:
            if any(one.one_of is not None for one in storage.one_of.storages):
                raise RefusedError("an array is returned that several loops exchange")
            arguments = tuple(one.argument for one in storage.one_of.storages)
            if set(arguments) != {None}:
                outputs.append(storage.one_of.index)
                one_of = (len(outputs) - 1, arguments)
        if id(storage) not in made:
            for one in storage.roots()[1:]:
                choose(one, storage)
            made[id(storage)] = len(outputs)
            outputs.append(storage.read())
        return Result(None, made[id(storage)], path, one_of=one_of, is_rank_0=not storage.shape)

    def known(step):
        """A step with outputs in place of the numbers that the graph computes."""
        return Item(tuple(map(entry, step.key))) if type(step) is Item else step

    def entry(one):
        if type(one) is TracedScalar:
            outputs.append(one.tensor)
            return Output(len(outputs) - 1)
        if isinstance(one, slice):
            return slice(*map(entry, (one.start, one.stop, one.step)))
        return one

    def of_computed_size(storage: Storage, path: tuple) -> Result:
        if id(storage) in made:
            raise RefusedError("an array whose size is computed is returned twice")
        tensor = storage.read()
        made[id(storage)] = len(outputs)
        outputs.extend([OPS["memory_of"](tensor), OPS["shape"](tensor, dtype=int64)])
        return Result(None, made[id(storage)], path, sizes=made[id(storage)] + 1)

    def choose(one: Storage, storage) -> None:
        """Take note that what is returned may be `one`, which nothing else may then be."""
        if one.argument is not None:
            raise RefusedError("an array is returned that may be one of the arguments")
        if id(one) in made or id(one) in chosen:
            raise RefusedError("an array is returned twice, once as one of several")
        chosen[id(one)] = id(storage)

    def reference(storage: Reference, path: tuple) -> Result:
        if id(storage) not in made:
            for one in storage.storages:
                if one.one_of or one.copy_of:
                    raise RefusedError("an array is returned that several statements exchange")
                if one.argument is None:
                    choose(one, storage)
            made[id(storage)] = len(outputs)
            outputs.extend([storage.index, TracedArray(storage).read()])
        at = made[id(storage)]
        arguments = tuple(one.argument for one in storage.storages)
        is_rank_0 = not storage.shape
        return Result(None, at + 1, path, one_of=(at, arguments), is_rank_0=is_rank_0)

    return describe(result)


set_stager(NumpyStager())
