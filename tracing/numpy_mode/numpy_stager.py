"""The stager of NumPy mode, which stages numbers and arrays of the graph."""

from __future__ import annotations

import itertools
import operator
from collections import namedtuple
from collections.abc import Hashable
from functools import partial

import numpy as np

from ...autograph import forms
from ...autograph.current_trace import TRACE
from ...autograph.operators.calls import ASKED_WHERE_STAGED
from ...autograph.operators.noted_changes import AT_CHANGES
from ...autograph.operators.raising import Retrace
from ...autograph.stager import Effect
from ...python_library.ranges import prange
from ...runtime.ir.op import TABLE as OPS
from ...runtime.jit.backends import foreign as foreign_backend
from ...runtime.tensors.apply import BUILDER
from ..stager.graph_stager import PLAIN_FUNCTIONS, GraphStager
from ..stager.graph_stager import SYNTAX as OF_GRAPHS
from ..structures.argument_structures import is_named_tuple_class
from .calls.called_functions import call_on_host, is_callable_on_host
from .calls.effects import quiet_errstate
from .calls.random_generators import staged_random
from .iteration import is_iterated, items_of, taken_once
from .lists import added_lists  # noqa: F401 - what lists call
from .lists.added_lists import with_growing_lists
from .lists.collected_lists import JOINING, collected, collected_each, each, gathered
from .lists.deques import DEQUES
from .lists.growing_lists import GrowingList, place_of_list
from .lists.record_arrays import TracedRecords
from .lists.traced_list import TracedList
from .lists.traced_tables import MAKERS, TracedTable, use_tables, with_tables
from .new_arrays import CREATED, found_in, holds_traced, is_traced, item_of_constants
from .numpy_calls import arrays_of, is_supported
from .python_builtins import BUILTINS, MODULES, PURE, SEQUENCES, chosen, is_contained
from .questions import INSPECTIONS, is_, matched
from .refusal import FINAL, OF_SIZE, FormattedError, How, OfCode, RefusedError, noun, numpy_trace
from .statements.carried_values import read
from .statements.plain_classes import is_plain_class, is_plain_record_class, made_record
from .statements.staged_loops import both_hold, record_for, record_while
from .statements.staged_statements import Truth, record_if
from .statements.tuples import Maybe
from .storage import Checkpoint
from .traced_array import TracedArray
from .traced_scalar import NATIVE, TracedScalar, boolean, require, scalar_of
from .views import FlatIterator

STAGED = How.LONG, How.LARGE  # loops that are staged although Python knows when they end
MOST_UNROLLED = 64  # iterations of a `while` over numbers of Python's
MOST_NODES = 160  # of a loop over constants that Python runs
MOST_UNROLLED_NODES = 16 * MOST_NODES  # where it cannot be staged: more take seconds
FUNCTIONS = {**CREATED, **MODULES, **JOINING, **DEQUES}
PURE_MODULES = ("math", "_operator", prange.__module__)


class NumpyStager(GraphStager):
    """The stager of a trace in NumPy mode."""

    refusals = (BaseException,)  # no handler runs: Python runs calls that raise
    raises_while_tracing = True  # an exception ends the trace of its branch

    def is_staged(self, value) -> bool:
        return (
            is_traced(value)
            or is_iterated(value)
            or isinstance(value, (GrowingList, TracedTable, Truth, Maybe))
        )

    def is_tensor(self, value) -> bool:
        return False

    def effects_since(self, checkpoint):
        for effect in super().effects_since(checkpoint):
            yield effect._replace(may_raise=False, acts=False)  # prints are left to Python
        if type(checkpoint) is Checkpoint and checkpoint.has_written():
            yield Effect(None, writes=True, may_raise=False, acts=True)

    def checkpoint(self):
        nodes = super().checkpoint()
        return None if nodes is None else Checkpoint(nodes)

    cond = staticmethod(record_if)
    while_loop = staticmethod(record_while)

    def form(self, function):
        if (form := _of_backend(function)) is not None:
            return form
        if not isinstance(function, Hashable):
            refuse_effects_of(function)
            return None
        form = SYNTAX.get(function) or BUILTINS.get(function)
        if form is not None:
            return form
        if function in ASKED_WHERE_STAGED:
            raise RefusedError(f"{function.__name__}() of computed values")
        if function is np.errstate:
            return quiet_errstate
        if isinstance(function, type) and function.__module__ == "numba.misc.special":
            return prange  # the one class of that module
        if is_plain_record_class(function):
            return partial(made_record, function)
        if is_plain_class(function):
            return None
        if function in MAKERS and use_tables():
            return MAKERS[function]
        return INSPECTIONS.get(function) or self._form_of_function(function)

    def _form_of_function(self, function):
        owner = getattr(function, "__self__", None)
        if type(owner) is dict and function.__name__ == "get" and not holds_traced(owner):
            return partial(_got, owner)
        on_host = _on_host(function)
        if on_host is not None:
            return on_host
        refuse_effects_of(function)
        form = FUNCTIONS.get(function) or super().form(function)
        if form is None and getattr(function, "__module__", None) == "math":
            return partial(_of_known_numbers, function)
        is_called = type(function) not in PLAIN_FUNCTIONS  # as functions of NumPy are
        if function in JOINING or (form is None and is_called and _makes_arrays(function)):
            return partial(_of_lists, form or function, arrays_of(function))
        return form

    def enter_loop(self, items, body, get_state, set_state, names, options) -> tuple:
        code, is_for = body.__code__, items is not None
        is_long = numpy_trace().options.has(code, *STAGED)
        if is_long and type(items) is range:
            items = items_of(items)
        if not numpy_trace().options.has(code, How.PLAIN):
            with_growing_lists(get_state, set_state, names, options, code)
            with_tables(get_state, set_state, names)
        if is_long:
            set_state(tuple(map(_staged_number, get_state())))
        start = self.checkpoint()
        if is_for:
            done = itertools.count(1)
            return items, lambda _: _check_size(items, code, start, next(done))
        return items, lambda count: self._check_iteration(code, count, start)

    def _check_iteration(self, code, count: int, start) -> None:
        decided = numpy_trace().options.has
        is_long = decided(code, *STAGED)  # and yet Python knows when it ends
        if not is_long and count >= MOST_UNROLLED and self.checkpoint() != start:
            raise Retrace(OfCode(How.LONG, code))  # it does more than count
        size = _nodes_since(start)
        if size > MOST_NODES and not decided(code, How.UNROLLED) and not is_long:
            raise Retrace(OfCode(How.LARGE, code))
        if size > MOST_UNROLLED_NODES:
            reason = f"more than {MOST_UNROLLED_NODES} operations in a `while`"
            raise RefusedError(reason, FINAL)


def _of_known_numbers(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except RefusedError as refused:
        if refused.about is not OF_SIZE:
            raise
        raise RefusedError(f"math.{function.__name__} has no native form", OF_SIZE) from None


def _check_size(items, code, start, done: int) -> None:
    """Refuse a loop over a range that becomes too many operations if Python runs the rest of it."""
    may_be_staged = type(items) is range and not numpy_trace().options.has(code, How.UNROLLED)
    if may_be_staged and len(items) > 1 and len(items) * _nodes_since(start) > MOST_NODES * done:
        raise Retrace(OfCode(How.LARGE, code))


def _item_of(target, key):
    if isinstance(target, (TracedArray, TracedList, TracedRecords)):
        return target[key]
    return item_of_constants(target, key)


def _got(source: dict, key, *default):
    """`source.get(key, *default)` of a dictionary of constants."""
    if not is_traced(key):
        return source.get(key, *default)
    if set(map(type, source)) != {int} or len(default) != 1:
        raise RefusedError("dict.get without a default, or of other keys than integers")
    return chosen(*found_in(source, key), *default)


def _displayed(value, directive: str):
    raise FormattedError


def _new_list(items: list) -> list | GrowingList:
    """A new list, of the graph where an earlier trace has seen that a statement changes it."""
    trace, place = numpy_trace(), place_of_list()
    if trace.options.has(place, How.LISTED):
        return GrowingList(items)
    trace.lists[id(items)] = place
    return items


def _escaped_list(name: str):
    raise RefusedError("a list that grows in a loop")


def _constant(value, *operands):
    known = (TracedArray, TracedList, TracedRecords, FlatIterator, Maybe, tuple)
    if isinstance(value, known) or not operands:
        return
    if type(value) in (list, dict) and not _is_in_statement() and not holds_traced(operands[0]):
        return  # it changes while tracing, once
    numpy_trace().let_change(value)
    raise RefusedError(f"an item of {noun(value)} changes")


SYNTAX = {
    **OF_GRAPHS,
    operator.not_: lambda value: TracedScalar(OPS["logical_not"](boolean(value)), bool, 1),
    operator.truth: lambda value: TracedScalar(boolean(value), bool, 1),  # of several types
    operator.is_: is_,
    operator.contains: lambda container, item: is_contained(item, container),
    operator.getitem: _item_of,
    forms.compared: SEQUENCES.compared,
    forms.matched: matched,
    forms.new_list: _new_list,
    forms.unpacked: lambda value, pattern: list(iter(value)),
    forms.constant: _constant,
    forms.displayed: _displayed,
    forms.asserted: lambda test, message: require(boolean(test)),  # else Python raises the error
    forms.both_hold: both_hold,
    forms.for_each: record_for,
    forms.collected: collected,
    forms.collected_each: collected_each,
    forms.each: each,
    forms.gathered: gathered,
    forms.taken_once: taken_once,
    forms.read_checked: read,
    forms.escaped_list: _escaped_list,
}


STAGER = NumpyStager()


def _change_in_statement(container) -> None:
    """Let a list be one of the graph where a function changes it that a statement calls."""
    if is_numpy_trace() and _is_in_statement():
        numpy_trace().let_change(container)
        if any(active.is_around(container) for active in numpy_trace().active):
            raise RefusedError("a function that calls itself changes a list or a dictionary")


AT_CHANGES.append(_change_in_statement)


def is_numpy_trace() -> bool:
    """Whether a function of NumPy arrays is being traced."""
    return TRACE.get().stager is STAGER


def _makes_arrays(function) -> bool:
    return is_supported(function) or isinstance(function, np.ufunc)


def _of_lists(function, count: int, /, *args, **kwargs):
    """A function of NumPy's with arrays in place of lists of numbers that the graph computes, among
    the first `count` arguments. What it makes of constants alone, as `np.diag([1.0, 2.0])` does, is
    an array of the graph too.
    """
    result = function(*map(_array_of_numbers, args[:count]), *args[count:], **kwargs)
    is_outer = any(isinstance(value, np.ndarray) for value in (*args, *kwargs.values()))
    is_new = type(result) is np.ndarray and result.flags.writeable and not is_outer
    return CREATED[np.array](result) if is_new and result.dtype in NATIVE else result


def _array_of_numbers(value):
    if type(value) not in (list, tuple) or not holds_traced(value):
        return value
    return CREATED[np.array](value)


def _nodes_since(checkpoint: int) -> int:
    """The number of nodes that were recorded since a checkpoint, those of sub-graphs included. One
    of arrays counts for as many more as it has loops.
    """
    recorded = BUILDER.get().nodes[checkpoint:]
    inner = (graph.walk() for node in recorded for graph in node.subgraphs.values())
    nodes = itertools.chain(recorded, *inner)
    return sum(
        1 + max((len(value.shape or ()) for value in node.outputs), default=0) for node in nodes
    )


def _is_in_statement() -> bool:
    """Whether what is traced runs in a branch, or several times."""
    return BUILDER.get().outer is not None


def _staged_number(value):
    is_numpys = isinstance(value, np.generic) and value.dtype in NATIVE
    return scalar_of(value) if is_numpys or type(value) in (int, float) else value


def _on_host(function):
    """A function that calls one of NumPy's or SciPy's from the graph; None where it has a form."""
    if not isinstance(function, Hashable):
        return None
    if not _is_pure(function) and is_callable_on_host(function):
        return lambda *args, **kwargs: call_on_host(function, args, kwargs)
    return staged_random(function)


def _of_backend(function):
    """What a backend makes of a function that it has compiled, or knows."""
    backend = foreign_backend()
    return None if backend is None else backend.form_on_arrays(function)


def refuse_effects_of(function) -> None:
    """Refuse a call that is not converted, unless it leaves the world as it is."""
    if not (_is_pure(function) or _on_host(function) or _of_backend(function)):
        numpy_trace().let_change(getattr(function, "__self__", None))
        name = getattr(function, "__qualname__", None) or type(function).__name__
        raise RefusedError(f"a call of {name}")


# The methods of named tuples, each of one code in all their classes.
_OF_NAMED_TUPLES = {
    getattr(namedtuple("Example", "x"), name).__code__ for name in ("_replace", "_asdict")
}


def _is_pure(function) -> bool:
    if not callable(function) or getattr(function, "__code__", None) in _OF_NAMED_TUPLES:
        return True
    if isinstance(function, type):
        is_value = issubclass(function, (BaseException, np.generic, np.ndarray))
        return function in PURE or function in DEQUES or is_value or is_named_tuple_class(function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (TracedArray, TracedScalar, np.generic, tuple, str, range, np.ufunc)):
        return True
    if type(owner) is dict:
        is_read = function.__name__ in ("items", "keys", "values")
        return is_read or (function.__name__ == "get" and holds_traced(owner))
    if type(owner) is list:  # it changes while tracing, once
        return not _is_in_statement()
    homes = (type(function).__module__, getattr(function, "__module__", None) or "")
    if isinstance(function, np.ufunc) or any(home.startswith(__package__) for home in homes):
        return True
    if not isinstance(function, Hashable):
        return False
    is_known = function in FUNCTIONS or function in PURE or is_supported(function)
    return is_known or homes[1] in PURE_MODULES
