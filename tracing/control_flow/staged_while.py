"""Loops into the graph: the test and the body become sub-graphs.

The functions here take and return *tuples of Python values*, as `staged_cond.cond` does; what
changes in a loop has to be a tensor or a number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ...autograph.forms import counted_for
from ...autograph.operators.containers import same_literal
from ...autograph.operators.forwarding_lists import LIST_CLASSES
from ...autograph.operators.raising import Instead, Retrace, retraced
from ...autograph.operators.scopes import is_on
from ...autograph.operators.undefined import Undefined
from ...runtime.core.dtypes import int32, string
from ...runtime.core.errors import Error
from ...runtime.core.shapes import Shape, as_python, as_shape, is_compatible, is_subshape, join
from ...runtime.ir.graph import Value, describe
from ...runtime.ir.op import TABLE
from ...runtime.ops.state.variables import Variable
from ...runtime.tensors.apply import BUILDER, convert_to_tensor, tensor_of
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.python_numbers import note_types, python_types
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..staged_values.staged_list import StagedList
from ..staged_values.unknown_rows import StructuredItems, settle
from ..structures import nest
from ..structures.errors import InconsistentLoopError, OfLoop
from ..structures.leaves import (
    Deferred,
    DeferredInLoop,
    as_test,
    blank,
    can_be_tensor,
    described,
    dtype_of_number,
)
from . import conditionally_assigned, retrace_none_state
from .loop_carried_state import CarriedName, Key, Loop
from .loop_start import (
    StartsWith,
    is_replaced,
    late_items,
    may_start_as,
    started,
    widen_numbers,
    with_staged_lists,
)
from .mismatch_messages import changes, cure_of_content, cure_of_structure
from .recorded_statements import StagedLoop, plain
from .staged_cond import cond
from .staged_raise import NEVER, leaving_statement, outcome
from .variable_aliases import adopted


def loop(test: Callable, body: Callable, state, names, options: dict) -> tuple:
    """`while_loop` with the options of autograph.

    maximum_iterations   stop after so many

    Unknown options are ignored: the call of `set_loop_options` in the body refuses them.
    """
    limit = options.get("maximum_iterations")
    if limit is None:
        return while_loop(test, body, state, names, options)
    start, limit = (convert_to_tensor(number, int32) for number in (0, limit))
    options = {**options, "maximum_iterations": None}

    def step(_, *values) -> tuple:
        return body(*values)

    return counted_for(start, limit, lambda index: index, step, test, state, names, options)


def while_loop(test: Callable, body: Callable, state, names, options=None) -> tuple:
    """Trace a loop into a `While`: the state after it.

    `test(*state)` gives a tensor (or bool), `body(*state)` the next state. Each is traced once, and
    again as long as a trace asks for an adjustment of the state before the loop. A body that does
    not take the wider shapes of its state keeps those that it starts with.
    """
    with leaving_statement():
        return _while_loop(test, body, state, names, options or {})


def _while_loop(test, body, state, names, options: dict) -> tuple:
    state = with_staged_lists(state, names, options.get("lists", ()))
    builder = BUILDER.get()
    before = Loop(test, body, state, names, options, keeps_shapes=builder.keeps_shapes)
    fallback: Loop | None = None

    def attempt(loop: Loop) -> tuple:
        nonlocal before, fallback
        if loop.shapes != before.shapes and fallback is None:
            fallback = dataclasses.replace(before, keeps_shapes=True)
        before, checkpoint = loop, builder.checkpoint()
        try:
            results = _traced(loop)
            settle(loop.state)
            return results
        except Retrace:
            builder.rollback(checkpoint)
            raise
        except Error:
            if fallback is None or loop.keeps_shapes:
                raise
            builder.rollback(checkpoint)
            raise Retrace(Instead(fallback)) from None  # the body needs the shapes it starts with

    return retraced(attempt, before, OfLoop)


def _traced(loop: Loop) -> tuple:
    loop = started(loop)
    if loop.none_state is None:
        return _Recording(loop).results()
    second = retrace_none_state.SecondTrace(loop)
    return second.results(*_Recording(second.loop()).results())


class _Recording(StagedLoop):
    """One trace of a loop.

    Numbers and tensors are carried. Other objects must not change. A name without a value is
    carried once the body assigns it. A conditionally assigned variable is the pair of its value
    and its flag.
    """

    def __init__(self, loop: Loop):
        super().__init__()
        self.loop = loop
        self.declared = _invariants(loop)
        self.entered: dict[Value, tuple[Key, Any]] = {}  # inputs of test and body, with the starts
        self.deferred: dict[tuple[Builder, int], DeferredInLoop] = {}  # by graph and leaf
        pairs = zip(loop.names, loop.state, strict=True)
        self.names = [CarriedName(self, name, value) for name, value in pairs]

    def shape_of(self, key: Key, tensor) -> Shape:
        return self.loop.shapes.get(key, self.declared.get(key[0], tensor.dims))

    def results(self) -> tuple:
        try:
            traced = self.traced()
        except TypeError as error:
            self._explain(error)
            widen_numbers(self.loop, self.entered, error)
            raise
        return tuple(self.after_loop(*traced))

    def _explain(self, error: TypeError) -> None:
        """Add to an error about dtypes which one a number got on entering the loop, and why."""
        for name, value in zip(self.loop.names, self.loop.state, strict=True):
            dtype = dtype_of_number(value) if type(value) in (bool, int) else None
            if dtype is not None and dtype.name in str(error):
                error.add_note(
                    f"'{name}' enters the loop as the {type(value).__name__} {value}, so it is "
                    f"{dtype.name} in it; start with ag.constant({value}, ...) for another dtype."
                )

    def record(self, starts, goes_on, carried):
        outputs = super().record(starts, goes_on, carried)
        for start, final, output in zip(starts, carried, outputs, strict=True):
            note_types(output, start, final)
        return outputs

    def traced_test(self, state):
        goes_on = outcome(lambda: as_test(self.loop.test(*state)))
        return as_test(False) if goes_on is NEVER else goes_on

    def traced_body(self, state) -> tuple[list, list[Tensor]]:
        after = outcome(self.loop.body, *state)
        after = state if after is NEVER else after
        nones = retrace_none_state.nones_of(after)
        pairs = zip(self.names, after, strict=True)
        after = [carried.after_iteration(final) for carried, final in pairs]
        starts = [carried.start for carried in self.names]
        finals = retrace_none_state.finals_of(starts, after)
        if finals:
            builders = [self.tester, self.stepper]
            raise Retrace(retrace_none_state.NoneState(finals, nones, builders))
        late = late_items(self.names, after)
        after = list(map(_as_staged_list, starts, after))
        growing = self._growing(after)
        if late or growing:
            raise Retrace(StartsWith(late=late, lists=growing))
        self._add_late_state(after)
        return after, self._carried(after)

    def _add_late_state(self, after) -> None:
        """Carry what gets its first value in the body, from a placeholder before the loop.

        Code that is not converted may read the names `read_as_is`, so these get no check.
        """
        read_as_is = self.loop.options.get("read_as_is", ())
        position = 0  # among the inputs
        for at, (carried, final) in enumerate(zip(self.names, after, strict=True)):
            name, state, entered = carried.name, None, []
            if name not in read_as_is or isinstance(final, Undefined):
                state = conditionally_assigned.as_state(name, carried.start, final)
            if state is not None:
                carried.variable = conditionally_assigned.after_loop(name, final)
            pairs = carried.pairs_with(final if state is None else state)
            for index, (start, leaf) in enumerate(pairs):
                if _is_late(start, leaf):
                    slot = carried.slots[index] = _first_value(start, leaf, self.outer)
                    entered.append(self._late_input(name, start, slot, leaf, position))
                position += carried.slots[index] is not None
            if state is not None:
                after[at] = _next_state(name, state, entered)

    def _late_input(self, name: str, start, slot: Tensor, leaf, position: int) -> Tensor:
        """Give both builders an input for a leaf whose first value is `leaf`; that of the body."""
        shape = getattr(tensor_of(leaf), "dims", ())
        for builder in (self.tester, self.stepper):
            deferred = self.deferred.get((builder, id(start)))
            if deferred is None:
                tensor = builder.input(slot.dtype, shape, plain(name))
            else:
                tensor = deferred.of_type(slot.dtype).tensor(shape)
            builder.inputs.remove(tensor.graph_value)
            builder.inputs.insert(position, tensor.graph_value)
        return tensor

    def _growing(self, after) -> list[str]:
        """The lists of the state that have another length after an iteration, if they may."""
        if not is_on("LISTS"):
            return []
        with self.outer:
            return [
                carried.name
                for carried, final in zip(self.names, after, strict=True)
                if _may_grow(carried.start, final)
            ]

    def _carried(self, after) -> list[Tensor]:
        """The tensors of the state after an iteration, each checked against what entered."""
        tensors, wider = [], StartsWith()
        inputs = iter(self.stepper.inputs)
        for carried, final in zip(self.names, after, strict=True):
            name, leaves = carried.name, nest.flatten(final)
            if carried.is_bound:
                _check_structure(name, carried.start, final)
            starts = carried.leaves if carried.is_bound else leaves
            rows = zip(carried.slots, starts, leaves, strict=True)
            for index, (slot, start, leaf) in enumerate(rows):
                if slot is not None:
                    enters = next(inputs)
                    if isinstance(leaf, Deferred):
                        leaf = leaf.of_type(enters.dtype).tensor(enters.shape)
                    tensor = adopted(leaf, enters.dtype, name)
                    if not self._is_widened((name, index), enters, tensor, wider):
                        tensors.append(_check_carried(name, enters, leaf, tensor, self.stepper))
                elif is_replaced(start, leaf):
                    wider.dtypes[name, index] = string
                else:
                    _check_constant(name, start, leaf)
        if wider.dtypes or wider.shapes or wider.types:
            raise Retrace(wider)
        return tensors

    def _is_widened(self, key: Key, enters, tensor, wider: StartsWith) -> bool:
        """Whether the next trace starts with another dtype or shape; `wider` gets it."""
        if tensor is None:
            return False
        if tensor.dtype is not enters.dtype:
            if not may_start_as(self.loop, key, tensor.dtype):
                return False
            wider.dtypes[key] = tensor.dtype
            return True
        known = python_types(SymbolicTensor(enters, self.stepper))
        either = known | python_types(tensor)
        if SymbolicTensor not in either and either not in (known, self.loop.types.get(key)):
            wider.types[key] = either
            return True
        keeps_shape = self.loop.keeps_shapes or key[0] in self.declared
        if keeps_shape or is_subshape(tensor.dims, enters.shape):
            return False
        wider.shapes[key] = join(enters.shape, tensor.dims)
        return True


def _is_late(start, leaf) -> bool:
    is_unset = isinstance(start, Undefined) or (
        isinstance(start, Deferred) and not isinstance(leaf, Deferred)
    )
    return is_unset and can_be_tensor(leaf)


def _first_value(start, leaf, outer) -> Tensor:
    if not isinstance(start, Deferred):
        return blank(leaf, outer, "")
    with outer:
        return start.of_type(leaf.dtype).tensor(leaf.dims)


def _next_state(name: str, state, entered: list):
    """The (value, is set) of a variable after an iteration; the old value where it was not set."""
    *before, was_set = entered
    value, is_set = state
    if is_set is True:
        return value, True
    before = nest.pack_sequence_as(value, before)
    (value,) = cond(is_set, lambda: (value,), lambda: (before,), (name,))
    return value, TABLE["logical_or"](convert_to_tensor(is_set), was_set)


def _as_staged_list(value, final):
    """A list that the body makes, in place of one whose length is known when the graph runs."""
    if type(value) is not StagedList or type(final) not in (*LIST_CLASSES, StagedList):
        return final
    staged = final if type(final) is StagedList else StagedList.of(final)
    if staged is None:
        return final
    if isinstance(value.rows, Deferred) and nest.is_nested(staged.rows):
        raise Retrace(StructuredItems(value.rows, staged.rows))
    return staged.like(value)


def _may_grow(value, final) -> bool:
    """Whether a list has another length after an iteration, and can be one of the graph."""
    if type(value) not in LIST_CLASSES or type(final) not in (*LIST_CLASSES, StagedList):
        return False
    is_as_long = type(final) in LIST_CLASSES and len(final) == len(value)
    return not is_as_long and StagedList.of(value) is not None


def _check_structure(name: str, value, final) -> None:
    if isinstance(final, Undefined):
        raise InconsistentLoopError(
            f"'{name}' has a value before the loop, but may have none after one iteration",
            "Assign a value that stands for none, in place of `del`.",
        )
    if not nest.same_structure(value, final):
        raise InconsistentLoopError(
            changes(name, described(value), described(final)), cure_of_structure(name, value, final)
        )


def _check_constant(name, start, leaf) -> None:
    if isinstance(start, Deferred) and isinstance(leaf, Deferred):
        return
    if start is not leaf and not same_literal(start, leaf):
        raise InconsistentLoopError(
            changes(name, described(start), described(leaf)),
            cure_of_content(start)
            or "What changes in a loop on tensors has to be a tensor or a number.",
        )


def _check_carried(name, enters, leaf, tensor, stepper) -> Tensor:
    if tensor is None or tensor.dtype is not enters.dtype:
        error = InconsistentLoopError(
            changes(name, describe(enters), described(leaf)),
            f"Start with the type it gets, for example with {_cast(name, leaf)} before the loop.",
        )
        error.operands = (SymbolicTensor(enters, stepper), leaf)
        raise error
    if is_subshape(tensor.dims, enters.shape):
        return tensor
    if is_compatible(tensor.dims, enters.shape):
        return stepper.record(TABLE["ensure_shape"], [tensor], {"shape": enters.shape})
    wide = as_python(join(enters.shape, tensor.dims))
    raise InconsistentLoopError(
        changes(name, describe(enters), described(tensor)),
        "Declare what may change: ag.autograph.experimental.set_loop_options("
        f"shape_invariants=[({name}, ag.TensorShape({wide}))])",
    )


def _cast(name, like) -> str:
    dtype = getattr(like, "dtype", None)
    return f"ag.cast({name}, {'...' if dtype is None else f'ag.{dtype.name}'})"


def _invariants(loop: Loop) -> dict:
    """The shapes declared by `shape_invariants`, by name. Those of the tensors of a ragged or a
    sparse one are found by tracing again.
    """
    shapes = {}
    for tensor, shape in loop.options.get("shape_invariants") or ():
        for name, value in zip(loop.names, loop.state, strict=True):
            if value is tensor and isinstance(value, (Tensor, Variable, ndarray)):
                shapes[name] = as_shape(getattr(shape, "shape", shape))  # that of a TensorSpec
    return shapes
