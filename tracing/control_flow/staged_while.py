"""Loops into the graph: the test and the body become sub-graphs.

The functions here take and return *tuples of Python values*, as `staged_cond.cond` does; what
changes in a loop has to be a tensor or a number.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from ...autograph.operators.undefined import Undefined
from ...runtime.core.dtypes import int32
from ...runtime.core.shapes import as_shape, is_compatible, is_subshape, show
from ...runtime.ir.graph import describe
from ...runtime.ir.op import TABLE
from ...runtime.tensors.apply import BUILDER, convert_to_tensor, tensor_of
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.tensor import Tensor
from ..staged_values.staged_list import StagedList, StructuredItemsError
from ..structures import nest
from ..structures.errors import InconsistentLoopError
from ..structures.leaves import (
    Pending,
    PendingInLoop,
    adopt,
    as_test,
    blank,
    can_be_tensor,
    dtype_of_number,
    kind_text,
    same_literal,
)
from . import (
    conditionally_assigned,
    retrace_none_state,
    retrace_wider_dtypes,
)
from .loop_carried_state import LoopState, plain
from .mismatch_messages import cure_of_structure
from .staged_cond import cond, share_operands
from .staged_raise import NEVER, outcome


def loop(test: Callable, body: Callable, state, names, options: dict) -> tuple:
    """`while_loop` with the options of autograph.

    maximum_iterations   stop after so many
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

    `test(*state)` gives a tensor (or bool), `body(*state)` the next state. Each is traced once, or
    again where the state starts with None, a text that the loop replaces, or a number that is too
    narrow.
    """
    options = options or {}
    state = _with_staged_lists(state, names, options.get("lists", ()))
    mark = len(BUILDER.get().nodes)
    while True:
        try:
            return retrace_wider_dtypes.traced(
                lambda start: _from_start(mark, test, body, start, names, options),
                state,
                mark,
            )
        except StructuredItemsError as found:
            state = found.applied(state)
            if state is None:
                raise
            del BUILDER.get().nodes[mark:]


def _from_start(mark: int, *parts) -> tuple:
    try:
        return _loop(*parts)
    except retrace_none_state.RestartError as first:
        return retrace_none_state.again(first, mark, _loop, *parts)


def _loop(test: Callable, body: Callable, state, names, options) -> tuple:
    outer = BUILDER.get()
    invariants = _invariants(options, names, state)
    layout = LoopState(state, names, invariants)
    tester = Builder(f"{outer.name}.test", outer)
    with tester:
        goes_on = outcome(lambda: as_test(test(*layout.placeholders(tester))))
        goes_on = as_test(False) if goes_on is NEVER else goes_on
    stepper = Builder(f"{outer.name}.body", outer)
    with stepper, _explained(names, state):
        entered = layout.placeholders(stepper)
        after = outcome(body, *entered)
        after = layout.after_turn(entered if after is NEVER else after)
        finals = retrace_none_state.finals_of(layout.state, after)
        if finals:
            raise retrace_none_state.RestartError(finals, [tester, stepper])
        _late_names(layout, after, outer, (tester, stepper), options.get("read_as_is", ()))
        carried = _carried(layout, after, stepper)
    graphs, operands = share_operands([tester, stepper], [[goes_on], carried])
    attrs = {"test": graphs[0], "body": graphs[1], "carried": len(carried)}
    outputs = outer.record(TABLE["while"], [*layout.tensors(), *operands], attrs, "while")
    return layout.rebuild(outputs, after)


@contextlib.contextmanager
def _explained(names, state):
    """Where a number does not fit: say which type the loop gave each name, and why."""
    try:
        yield
    except TypeError as error:
        for name, value in zip(names, state, strict=True):
            dtype = dtype_of_number(value) if type(value) in (bool, int) else None
            if dtype is not None and dtype.name in str(error):
                error.add_note(
                    f"'{name}' enters the loop as the {type(value).__name__} {value}, so it is "
                    f"{dtype.name} in it; start with {float(value)} if it is to be a float."
                )
        raise


def _with_staged_lists(state, names, growing) -> list:
    """The state with lists that may grow in the loop made ready for it, where that is possible."""
    made = []
    for name, value in zip(names, state, strict=True):
        staged = StagedList.of(value) if name in growing and type(value) is list else None
        made.append(value if staged is None else staged)
    return made


def _late_names(layout: LoopState, after, outer, builders, read_as_is) -> None:
    """What got its first value in the body becomes carried state, with a stand-in before the
    loop. Code that is not converted may read the names `read_as_is`, so they get no check.
    """
    position = 0
    for index, (value, final) in enumerate(zip(layout.state, after, strict=True)):
        name, state = layout.names[index], None
        if name not in read_as_is or isinstance(final, Undefined):
            state = conditionally_assigned.as_state(name, value, final)
        if state is not None:
            layout.variables[index] = conditionally_assigned.after_loop(name, final)
            final = state
        leaves = nest.flatten(final)
        if isinstance(value, Undefined) and not isinstance(final, Undefined):
            starts, layout.slots[index] = [value] * len(leaves), [None] * len(leaves)
        else:
            starts = nest.flatten(value)
        entered = []
        for place, (start, leaf) in enumerate(zip(starts, leaves, strict=False)):
            late = isinstance(start, Undefined) or (
                isinstance(start, Pending) and not isinstance(leaf, Pending)
            )
            if late and can_be_tensor(leaf):
                slot = layout.slots[index][place] = _first_value(start, leaf, outer)
                key = (index, position, start)
                entered.append(_late_inputs(layout, key, slot, leaf, builders))
            position += layout.slots[index][place] is not None
        if state is not None:
            after[index] = conditionally_assigned.next_state(name, state, entered, cond)


def _late_inputs(layout: LoopState, key, slot, leaf, builders) -> Tensor:
    """Inputs for what is carried after all, at their place; the last builder's is returned."""
    index, position, start = key
    shape = getattr(tensor_of(leaf), "dims", ())
    for builder in builders:
        known = layout.pending.get((builder, id(start)))
        inside = known or PendingInLoop(slot, builder, plain(layout.names[index]))
        if known is not None:
            known.of_type(slot.dtype)
        made = inside.tensor(shape)
        builder.inputs.remove(made.graph_value)
        builder.inputs.insert(position, made.graph_value)
    return made


def _first_value(start, leaf, outer) -> Tensor:
    if not isinstance(start, Pending):
        return blank(leaf, outer, "")
    with outer:
        return start.of_type(leaf.dtype).tensor(leaf.dims)


def _carried(layout: LoopState, after, stepper) -> list[Tensor]:
    """The tensors that the body hands to the next iteration, each checked against what entered."""
    carried = []
    inputs = iter(stepper.inputs)
    for name, value, slots, final in zip(
        layout.names, layout.state, layout.slots, after, strict=True
    ):
        entered = not isinstance(value, Undefined)
        if entered and not nest.same_structure(value, final):
            raise InconsistentLoopError(
                f"'{name}' enters the loop as {kind_text(value)} but is {kind_text(final)} after "
                "one iteration",
                cure_of_structure(name, value, final),
            )
        leaves = nest.flatten(final)
        for slot, start, leaf in zip(
            slots, nest.flatten(value) if entered else leaves, leaves, strict=True
        ):
            if slot is None:
                _check_constant(name, start, leaf)
            else:
                carried.append(_check_carried(name, next(inputs), leaf, stepper))
    return carried


def _check_constant(name, start, leaf) -> None:
    if isinstance(start, Pending) and isinstance(leaf, Pending):
        return
    if start is not leaf and not same_literal(start, leaf):
        raise InconsistentLoopError(
            f"'{name}' enters the loop as {kind_text(start)} but is {kind_text(leaf)} "
            "after one iteration",
            "What changes in a loop on tensors has to be a tensor or a number.",
        )


def _check_carried(name, enters, leaf, stepper) -> Tensor:
    tensor = adopt(leaf, enters.dtype)
    if tensor is None or tensor.dtype is not enters.dtype:
        raise InconsistentLoopError(
            f"'{name}' enters the loop as {describe(enters)} but is {kind_text(leaf)} after "
            "one iteration",
            f"Start with the type it gets, for example with ag.cast({name}, ...) before the loop.",
        )
    if is_subshape(tensor.dims, enters.shape):
        return tensor
    if is_compatible(tensor.dims, enters.shape):
        return stepper.record(TABLE["ensure_shape"], [tensor], {"shape": enters.shape})
    raise InconsistentLoopError(
        f"'{name}' enters the loop with shape {show(enters.shape)} but has shape "
        f"{show(tensor.dims)} "
        "after one iteration",
        "Declare what may change: ag.autograph.experimental.set_loop_options("
        f"shape_invariants=[({name}, ag.TensorShape([None, ...]))]).",
    )


def _invariants(options: dict, names, state) -> dict:
    """The shapes declared by `shape_invariants`, by name."""
    found = {}
    for tensor, shape in options.get("shape_invariants") or ():
        for name, value in zip(names, state, strict=True):
            if value is tensor:
                found[name] = as_shape(shape)
    return found
