"""Loops into the graph: the test and the body become sub-graphs.

The functions here take and return *tuples of Python values*, as `staged_cond.cond` does; what
changes in a loop has to be a tensor or a number.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence

from ...autograph.operators.scopes import is_on
from ...autograph.operators.undefined import Undefined
from ...runtime.core.classes import record
from ...runtime.core.dtypes import int32, string
from ...runtime.core.errors import Error
from ...runtime.core.shapes import as_python, as_shape, is_compatible, is_subshape, join
from ...runtime.ir.graph import describe
from ...runtime.ir.op import TABLE
from ...runtime.tensors.apply import BUILDER, convert_to_tensor, tensor_of
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.python_numbers import is_python_number, is_range
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..staged_values.staged_list import StagedList
from ..staged_values.unknown_rows import settle
from ..structures import nest
from ..structures.errors import InconsistentLoopError, RetraceError
from ..structures.leaves import (
    Deferred,
    DeferredInLoop,
    as_test,
    blank,
    can_be_tensor,
    described,
    dtype_of_number,
    same_literal,
)
from . import conditionally_assigned, retrace_none_state
from .loop_carried_state import Key, Loop, LoopState
from .loop_start import StartsWith, is_replaced, late_items, may_start_as, started, widen_numbers
from .mismatch_messages import changes, cure_of_content, cure_of_structure
from .recorded_statements import LoopBuilders, plain
from .staged_cond import cond
from .staged_raise import NEVER, leaving_statement, outcome
from .variable_aliases import adopted, check_lists


def loop(test: Callable, body: Callable, state, names, options: dict) -> tuple:
    """`while_loop` with the options of autograph.

    maximum_iterations   stop after so many

    Unknown options are ignored: the call of `set_loop_options` in the body refuses them.
    """
    limit = options.get("maximum_iterations")
    if limit is None:
        return while_loop(test, body, state, names, options)
    limit = convert_to_tensor(limit, int32)

    def bounded(count, *values):
        inside = count < limit
        sides = (lambda: (test(*values),), lambda: (inside,))
        return cond(inside, *sides, ("the test of the loop",))[0]

    _, *after = while_loop(
        bounded,
        lambda count, *values: (count + 1, *body(*values)),
        (convert_to_tensor(0, int32), *state),
        ("iterations", *names),
        options,
    )
    return tuple(after)


def while_loop(test: Callable, body: Callable, state, names, options=None) -> tuple:
    """Trace a loop into a `While`: the state after it.

    `test(*state)` gives a tensor (or bool), `body(*state)` the next state. Each is traced once, and
    again as long as a trace asks for an adjustment of the state before the loop. A body that does
    not take the wider shapes of its state keeps those that it starts with.
    """
    with leaving_statement():
        return _while_loop(test, body, state, names, options or {})


def _while_loop(test, body, state, names, options: dict) -> tuple:
    state = _with_staged_lists(state, names, options.get("lists", ()))
    builder = BUILDER.get()
    checkpoint = builder.checkpoint()
    attempt = Loop(test, body, state, names, options, keeps_shapes=builder.keeps_shapes)
    fallback: Loop | None = None
    while True:
        builder.rollback(checkpoint)
        try:
            results = _traced(attempt)
            settle(attempt.state)
            return results
        except RetraceError as error:
            builder.rollback(checkpoint)
            adjusted = error.adjustment.adjusted(attempt)
            if adjusted is None:
                raise
            checkpoint = builder.checkpoint()
            if adjusted.shapes != attempt.shapes and fallback is None:
                fallback = dataclasses.replace(attempt, keeps_shapes=True)
            attempt = adjusted
        except Error:
            if fallback is None or attempt.keeps_shapes:
                raise
            attempt = fallback  # the body needs the shapes that it starts with


def _traced(loop: Loop) -> tuple:
    loop = started(loop)
    if loop.none_state is None:
        return _Recording(loop).results()
    second = retrace_none_state.SecondTrace(loop)
    return second.results(*_Recording(second.loop()).results())


class _Recording(LoopBuilders):
    """One trace of a loop."""

    def __init__(self, loop: Loop):
        super().__init__()
        self.loop = loop
        self.layout = LoopState(loop, _invariants(loop))

    def results(self) -> tuple:
        """The state after the loop, whose node is recorded in the graph around it."""
        try:
            goes_on = self._test()
            after, carried = self._body()
        except TypeError as error:
            widen_numbers(self.loop, self.layout, error)
            raise
        starts = self.layout.tensors()
        outputs = self.record(starts, goes_on, carried)
        check_lists(self.loop.names, self.layout.state, self.outer.nodes[-1].attrs["body"])
        for start, final, output in zip(starts, carried, outputs, strict=True):
            if is_python_number(start) and is_python_number(final):
                self.outer.numbers[output.graph_value] = True
            if is_range(start) and is_range(final):
                self.outer.ranges.add(output.graph_value)
        tensors = iter(outputs)
        pairs = zip(self.layout.names, after, strict=True)
        return tuple(carried.after_loop(tensors, final) for carried, final in pairs)

    def _test(self):
        with self.tester:
            state = self.layout.placeholders(self.tester)
            goes_on = outcome(lambda: as_test(self.loop.test(*state)))
            return as_test(False) if goes_on is NEVER else goes_on

    def _body(self) -> tuple[list, list[Tensor]]:
        """The state after an iteration, and the tensors of it that are carried."""
        layout = self.layout
        with self.stepper, _explained(self.loop):
            entered = layout.placeholders(self.stepper)
            after = outcome(self.loop.body, *entered)
            after = entered if after is NEVER else after
            nones = retrace_none_state.nones_of(after)
            pairs = zip(layout.names, after, strict=True)
            after = [carried.after_iteration(final) for carried, final in pairs]
            finals = retrace_none_state.finals_of(layout.state, after)
            if finals:
                builders = [self.tester, self.stepper]
                raise RetraceError(retrace_none_state.NoneState(finals, builders, nones))
            late = late_items(layout, after)
            if late:
                raise RetraceError(StartsWith(late=late))
            after = list(map(_as_staged_list, layout.state, after))
            growing = _growing(layout, after, self.outer)
            if growing:
                raise RetraceError(GrowingLists(growing))
            self._add_late_state(after)
            return after, _carried(self.loop, layout, after, self.stepper)

    def _add_late_state(self, after) -> None:
        """Carry what gets its first value in the body, from a placeholder before the loop.

        Code that is not converted may read the names `read_as_is`, so these get no check.
        """
        read_as_is = self.loop.options.get("read_as_is", ())
        position = 0  # among the inputs
        for at, (carried, final) in enumerate(zip(self.layout.names, after, strict=True)):
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
            deferred = self.layout.deferred.get((builder, id(start)))
            if deferred is None:
                deferred = DeferredInLoop(slot, builder, plain(name))
            else:
                deferred.of_type(slot.dtype)
            tensor = deferred.tensor(shape)
            builder.inputs.remove(tensor.graph_value)
            builder.inputs.insert(position, tensor.graph_value)
        return tensor


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


@contextlib.contextmanager
def _explained(loop: Loop):
    """Add to an error about dtypes which one a number got on entering the loop, and why."""
    try:
        yield
    except TypeError as error:
        for name, value in zip(loop.names, loop.state, strict=True):
            dtype = dtype_of_number(value) if type(value) in (bool, int) else None
            if dtype is not None and dtype.name in str(error):
                error.add_note(
                    f"'{name}' enters the loop as the {type(value).__name__} {value}, so it is "
                    f"{dtype.name} in it; start with ag.constant({value}, ...) for another dtype."
                )
        raise


@record()
class GrowingLists:
    """Lists that a function grows which the body calls."""

    names: Sequence[str]

    def adjusted(self, loop: Loop) -> Loop:
        return loop.with_state(_with_staged_lists(loop.state, loop.names, self.names))


def _as_staged_list(value, final):
    """A list that the body makes, in place of one whose length is known when the graph runs."""
    if type(value) is not StagedList or type(final) is not list:
        return final
    staged = StagedList.of(final)
    return final if staged is None else staged


def _growing(layout: LoopState, after, outer: Builder) -> list[str]:
    """The lists of the state that have another length after an iteration, if they may."""
    if not is_on("LISTS"):
        return []
    with outer:
        return [
            carried.name
            for carried, final in zip(layout.names, after, strict=True)
            if type(carried.start) is list
            and (type(final) is StagedList
                 or (type(final) is list and len(final) != len(carried.start)))
            and StagedList.of(carried.start) is not None
        ]  # fmt: skip


def _with_staged_lists(state, names, growing) -> list:
    """The state with a StagedList for each list that may grow in the loop."""
    values = []
    for name, value in zip(names, state, strict=True):
        staged = StagedList.of(value) if name in growing and type(value) is list else None
        values.append(value if staged is None else staged)
    return values


def _carried(loop: Loop, layout: LoopState, after, stepper) -> list[Tensor]:
    """The tensors that the body hands to the next iteration, each checked against what entered."""
    tensors, wider = [], StartsWith()
    inputs = iter(stepper.inputs)
    for carried, final in zip(layout.names, after, strict=True):
        name, leaves = carried.name, nest.flatten(final)
        if carried.is_bound:
            _check_structure(name, carried.start, final)
        starts = carried.leaves if carried.is_bound else leaves
        rows = zip(carried.slots, starts, leaves, strict=True)
        for index, (slot, start, leaf) in enumerate(rows):
            if slot is None:
                if is_replaced(start, leaf):
                    wider.dtypes[name, index] = string
                else:
                    _check_constant(name, start, leaf)
                continue
            enters = next(inputs)
            tensor = adopted(leaf, enters.dtype, name)
            if not _is_widened(loop, layout, (name, index), enters, tensor, wider):
                tensors.append(_check_carried(name, enters, leaf, tensor, stepper))
    if wider.dtypes or wider.shapes:
        raise RetraceError(wider)
    return tensors


def _check_structure(name: str, value, final) -> None:
    if isinstance(final, Undefined):
        raise InconsistentLoopError(
            f"'{name}' has a value before the loop, but may have none after one iteration",
            "Assign a value that stands for none, in place of `del`.",
        )
    if not nest.same_structure(value, final):
        raise InconsistentLoopError(
            changes(name, described(value), described(final)),
            cure_of_structure(name, value, final),
        )


def _is_widened(loop, layout, key: Key, enters, tensor, wider: StartsWith) -> bool:
    """Whether the next trace starts with another dtype or shape; `wider` gets it."""
    if tensor is None:
        return False
    if tensor.dtype is not enters.dtype:
        if not may_start_as(loop, key, tensor.dtype):
            return False
        wider.dtypes[key] = tensor.dtype
    elif is_subshape(tensor.dims, enters.shape) or loop.keeps_shapes or key[0] in layout.declared:
        return False
    else:
        wider.shapes[key] = join(enters.shape, tensor.dims)
    return True


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
            if value is tensor and isinstance(value, Tensor):
                shapes[name] = as_shape(getattr(shape, "shape", shape))  # that of a TensorSpec
    return shapes
