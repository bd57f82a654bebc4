"""autograph's stager: Python control flow on symbolic tensors goes into the graph being built."""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable

from ...autograph import forms
from ...autograph.current_trace import TRACE
from ...autograph.operators.calls import ASKED_WHERE_STAGED
from ...autograph.operators.checked_values import Checked, MaybeNone, held, unless_none
from ...autograph.operators.forwarding_lists import ForwardingList, InGraph
from ...autograph.operators.logical import COMPARISONS
from ...autograph.operators.undefined import UnsetByBranchError
from ...autograph.replacements import PROVIDED
from ...autograph.stager import ENDED, LOCAL, OUTER, Stager
from ...runtime.core.errors import SymbolicValueError, UnimplementedError
from ...runtime.core.places import object_at
from ...runtime.ir.op import TABLE, Op
from ...runtime.jit.backends import foreign
from ...runtime.ops.array.slicing import set_item
from ...runtime.ops.state.python_calls import check
from ...runtime.tensors.apply import BUILDER, tensor_of
from ...runtime.tensors.late_binding import late
from ...runtime.tensors.python_numbers import (
    as_tensor,
    is_python_value,
    is_range,
    is_truth,
    python_types,
)
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..control_flow import conditionally_assigned, retrace_none_state, staged_raise
from ..control_flow.staged_cond import cond
from ..control_flow.staged_while import loop
from ..staged_values.iterables import StagedIterable, StagedSequence, Streamed, python_number
from ..staged_values.staged_list import StagedList
from ..structures import nest
from ..structures.errors import StagedHandlerError, StagingError
from ..structures.leaves import as_test

MODULES_WITH_FORMS = ("builtins", "math", "numpy")  # of the functions in `numpy_functions`
MODULES_THAT_CALL = ("_functools", "itertools", nest.__name__)  # those in `higher_order_functions`
TENSORS = tuple(f"{__name__.partition('.')[0]}.{room}." for room in ("runtime", "library"))
PLAIN_FUNCTIONS = (
    type, types.BuiltinFunctionType, types.FunctionType, types.MethodDescriptorType,
    types.MethodType,
)  # fmt: skip


def _register_replacements() -> None:
    from ...python_library import (  # noqa: F401
        bisection,
        complex_functions,
        floats,
        heaps,
        integers,
    )


PROVIDED.update(dict.fromkeys(("_bisect", "_heapq", "cmath", "math"), _register_replacements))


def _form_of_library(function):
    """The form of a builtin, or of a function of a library, from the tables that are loaded for it
    alone.
    """
    if isinstance(function, Op) or str(getattr(function, "__module__", "")).startswith(TENSORS):
        return functools.partial(_called, function)
    if type(function) not in PLAIN_FUNCTIONS:
        backend = foreign()
        return None if backend is None else backend.form_on_tensors(function)
    module = getattr(function, "__module__", None)
    if function in ASKED_WHERE_STAGED:
        room = "staged_builtins"
    elif module in MODULES_THAT_CALL:
        room = "higher_order_functions"
    elif module in MODULES_WITH_FORMS:
        room = "numpy_functions"
    else:
        return None
    return object_at(f"tracing.stager.{room}:TABLE").get(function)


def _called(function, *args, **kwargs):
    """The result of a function of tensors: in it, nothing stands for a number of Python."""
    result = function(*args, **kwargs)
    tensors = [leaf for leaf in nest.flatten(result) if type(leaf) is SymbolicTensor]
    return nest.map_structure(as_tensor, result) if any(map(is_python_value, tensors)) else result


def _note_draw(function) -> None:
    """Warn where a function is one of a generator of random numbers, which draws while tracing."""
    module = type(getattr(function, "__self__", None)).__module__
    if module == "random" or module.startswith("numpy.random."):
        late.note_draw(function)


# ---- forms of Python's syntax --------------------------------------------------------------


def _at(place: str) -> Callable:
    """A function of a module of tracing that is loaded when a program needs it."""
    return lambda *args, **kwargs: object_at(f"tracing.{place}")(*args, **kwargs)  # noqa: PLW0108


def _not(value):
    if isinstance(value, Streamed):
        return False
    return python_number(TABLE["logical_not"](as_test(value)))


def _is(left, right):
    is_none = retrace_none_state.is_none
    for value, other in ((left, right), (right, left)):
        if other is None:
            return value is None or is_none(value)
        if (other is True or other is False) and is_truth(tensor_of(value)):
            return value if other else _not(value)
        is_data = isinstance(other, (Tensor, int, float, complex, str, bytes, tuple, list, dict))
        if (is_data or is_none(other) is not False) and is_none(value) is not False:
            raise SymbolicValueError("`is` compares what may be None", "Compare: a == b.")
    are_alike = is_python_value(left) and python_types(left) & python_types(right)
    if left is not right and are_alike and SymbolicTensor in (type(left), type(right)):
        raise SymbolicValueError("equal numbers or strings may be one object", "Compare: a == b.")
    return left is right


def _matched(value):
    is_sequence = isinstance(value, (StagedIterable, StagedList)) or is_range(value)
    if is_sequence or retrace_none_state.is_none(value) is not False:
        raise SymbolicValueError(
            "a value is matched with a pattern of its parts, and whether it has these is known "
            "only when the graph runs",
            "Ask in an `if` for its length, or whether it is None.",
        )
    return held(value)


def _with_item(target, key, value):
    if isinstance(target, list):
        return object_at("tracing.staged_values.indexing_and_unpacking:with_item")(
            target, key, value
        )
    if is_range(target):
        raise TypeError("'range' object does not support item assignment")
    return set_item(target, key, value)


def _length_hint(value, *default):
    like = getattr(value, "like", None)
    if hasattr(like, "__length_hint__"):  # as an iterator of Python that knows what is left
        return python_number((value.taken() if value.is_taken else value).length())
    is_iterator = hasattr(like, "__next__")
    is_counted = TRACE.get().stager.is_staged(value) and getattr(value, "shape", None) != ()
    has_length = isinstance(value, list) or (is_counted and not is_iterator)
    return forms.form_of(len)(value) if has_length else operator.length_hint(value, *default)


def _at_end(check: Callable, of_function: bool = False) -> None:
    builder = BUILDER.get()
    while of_function and builder is not None and builder.outer is not None:
        builder = builder.outer
    if builder is not None:
        builder.last_checks.append(check)


SYNTAX: dict[Callable, Callable] = {
    operator.not_: _not,
    operator.truth: lambda value: isinstance(value, Streamed) or as_test(value),
    operator.is_: _is,
    operator.is_not: COMPARISONS["is not"],
    operator.length_hint: _length_hint,
    operator.contains: _at("stager.loops_and_comprehensions:contains"),
    operator.getitem: _at("staged_values.indexing_and_unpacking:item_of"),
    forms.compared: _at("stager.ordering:compared"),
    forms.matched: _matched,
    forms.with_item: _with_item,
    forms.new_list: ForwardingList,
    forms.unpacked: _at("staged_values.indexing_and_unpacking:rows"),
    forms.shown: _at("staged_values.traced_strings:shown"),
    forms.string: _at("staged_values.traced_strings:string_of"),
    forms.formatted: _at("staged_values.traced_strings:formatted"),
    forms.constant: _at("staged_values.indexing_and_unpacking:tensor_for"),
    forms.displayed: staged_raise.display_of,
    forms.deferred: staged_raise.deferred,
    forms.at_end: _at_end,
    forms.asserted: lambda test, message: check(as_test(test), staged_raise.parts_of(message)),
    forms.for_each: _at("stager.loops_and_comprehensions:for_each"),
    forms.collected: _at("stager.loops_and_comprehensions:collect"),
    forms.collected_each: _at("stager.loops_and_comprehensions:collect_each"),
    forms.taken_once: _at("staged_values.iterables:taken_once"),
    forms.escaped_list: _at("staged_values.escaped_list:EscapedList"),
    forms.read_checked: conditionally_assigned.read,
    forms.require_set: conditionally_assigned.require,
    forms.memory_of: _at("staged_values.array_memory:memory_of"),
    forms.is_computed_from: _at("staged_values.array_memory:is_computed_from"),
}


class GraphStager(Stager):
    """Implements autograph's protocol with the graph operations `If` and `While`."""

    refusals = (SymbolicValueError, StagingError, UnsetByBranchError, UnimplementedError)
    forms = SYNTAX
    stand_ins = tuple(cls.__name__ for cls in (SymbolicTensor, MaybeNone, Checked, InGraph))

    def is_staged(self, value) -> bool:
        """Symbolic tensors, and, while a graph is built, every tensor and what iterates over
        one.
        """
        if isinstance(value, (SymbolicTensor, StagedIterable, StagedList)):
            return True
        if BUILDER.get() is None:
            return False
        value = unless_none(value)  # to ask is no use of it, which would be checked
        return isinstance(value, (Streamed, StagedSequence)) or tensor_of(value) is not None

    def is_tensor(self, value) -> bool:
        return isinstance(value, Tensor)

    cond = staticmethod(cond)

    def while_loop(self, test: Callable, body: Callable, state, names, options) -> tuple:
        return loop(test, body, state, names, options)

    def scope_of(self, value) -> int:
        if not isinstance(value, SymbolicTensor):
            return OUTER
        if value.builder is BUILDER.get():
            return LOCAL
        return ENDED if value.builder.closed else OUTER

    def form(self, function):
        _note_draw(function)
        return super().form(function) or _form_of_library(function)

    def enter_loop(self, items, body, get_state, set_state, names, options) -> tuple:
        start = self.checkpoint()
        if items is None or start is None:
            return items, None
        return items, lambda _: late.note_unrolled(items, self.checkpoint() - start)

    def effects_since(self, checkpoint):
        builder = BUILDER.get()
        nodes = () if builder is None else builder.nodes[checkpoint:]
        return filter(None, map(staged_raise.effect_of, nodes))

    def refusal(self, message: str, cure: str, where=None, of_handler=False) -> Exception:
        if of_handler:
            return StagedHandlerError(message, cure, where)
        return SymbolicValueError(message, cure)

    def checkpoint(self):
        """How much has been recorded; `rollback` forgets what came after."""
        builder = BUILDER.get()
        return None if builder is None else builder.checkpoint()

    def rollback(self, checkpoint) -> None:
        builder = BUILDER.get()
        if builder is not None:
            builder.rollback(checkpoint)


STAGER = GraphStager()
