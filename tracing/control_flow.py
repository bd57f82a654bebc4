"""Control flow into the graph: both sides of a choice, and the body of a loop, become sub-graphs.

The functions here take and return *tuples of Python values* (the state of autograph's operators, or
of `ag.cond` and `ag.while_loop`). A value may be a tensor, a number, a structure of them, or any
other object; what differs between two branches, or changes in a loop, has to be a tensor.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from ..autograph.operators.raising import StagedRaise
from ..runtime.apply import BUILDER, tensor_of
from ..runtime.builder import Builder
from ..runtime.dtypes import bool_, string
from ..runtime.graph import describe
from ..runtime.op import TABLE
from ..runtime.shapes import as_shape, is_compatible, is_subshape, show
from ..runtime.tensor import Tensor
from . import late_start, maybe_set, nest, wide_start
from .differences import OPERAND, RESULT, cure_of_objects, cure_of_structure, differs, one_sided
from .errors import InconsistentBranchError, InconsistentLoopError
from .leaves import (
    Missing,
    Pending,
    PendingInLoop,
    adopt,
    as_test,
    blank,
    can_be_tensor,
    dtype_of,
    dtype_of_number,
    holds_tensor,
    is_tensor,
    kind_text,
    same_literal,
)
from .loop_state import LoopState, plain
from .staged_list import StagedList, StructuredItemsError
from .staged_raise import NEVER, outcome, passed_on

# ---- if ------------------------------------------------------------------------------------


def cond(
    test, then: Callable[[], tuple], orelse: Callable[[], tuple], names, missing: Missing, live=None
) -> tuple:
    """Trace both branches into an `If`; the tuple of what each name holds afterwards."""
    outer = BUILDER.get()
    test = as_test(test)
    sides, results = [], []
    for name, branch in (("then", then), ("orelse", orelse)):
        builder = Builder(f"{outer.name}.{name}", outer)
        with builder:
            results.append(outcome(branch))
        sides.append(builder)
    merged = _merge_all(names, results, sides, missing, len(names) if live is None else live)
    graphs, operands = _share_operands(
        sides, [[pair[side] for pairs, _ in merged for pair in pairs] for side in (0, 1)]
    )
    outputs = outer.record(
        TABLE["if"], [test, *operands], {"then": graphs[0], "orelse": graphs[1]}, "if"
    )
    if all(result is NEVER for result in results):
        raise StagedRaise
    leaves = iter(outputs)
    return tuple(rebuild([next(leaves) for _ in pairs]) for pairs, rebuild in merged)


def _merge_all(names, results, sides, missing: Missing, live: int) -> list:
    """What each name contributes; the first `live` of them are read afterwards."""
    if results[0] is NEVER and results[1] is NEVER:
        return []
    if NEVER in results:
        goes = 1 if results[0] is NEVER else 0
        return [
            passed_on(name, value, sides, goes, missing)
            for name, value in zip(names, results[goes], strict=True)
        ]
    return [
        _merge(name, one, other, sides, missing)
        if index < live
        else _either(one, other, missing, name)
        for index, (name, one, other) in enumerate(zip(names, *results, strict=True))
    ]


def _share_operands(builders, results):
    """Finish sibling builders with one list of operands: the captures of all of them."""
    for builder, outputs in zip(builders, results, strict=True):
        with builder:
            for output in outputs:
                builder.value_of(output)
    captures = dict(pair for builder in builders for pair in builder.captured())
    graphs = []
    for builder, outputs in zip(builders, results, strict=True):
        graphs.append(builder.finish(outputs, list(captures.items())))
        builder.close()
    return graphs, list(captures.values())


def _either(one, other, missing: Missing, name):
    """A name that nobody reads afterwards: it keeps a value only where both sides agree."""
    if one is other:
        return [], lambda leaves: one
    value = missing.unset(name, "it differs between the sides of an `if` on a tensor")
    return [], lambda leaves: value


def _merge(name, one, other, sides, missing: Missing):
    """The pairs of tensors that a name contributes, and how to rebuild its value from the
    outputs.
    """
    if one is other or (
        not holds_tensor(one) and not holds_tensor(other) and same_literal(one, other)
    ):
        return [], lambda leaves: one
    gone = [missing.is_missing(one), missing.is_missing(other)]
    if any(gone):
        lacking, given = (one, other) if gone[0] else (other, one)
        if not missing.is_result(lacking):
            return _merge_unset(name, one, other, sides, missing)
        if all(gone):
            return [], lambda leaves: one
        builder = sides[0] if gone[0] else sides[1]
        filled = nest.map_structure(lambda leaf: blank(leaf, builder, name), given)
        one, other = (filled, other) if gone[0] else (one, filled)
    one, other = _as_staged_lists(one, other, sides)
    if not nest.same_structure(one, other):
        cure = "Give both sides the same structure."
        if one is None or other is None:
            cure = cure_of_objects(name, one, other)
        raise InconsistentBranchError(differs(name, one, other), cure)
    return _merge_leaves(name, one, other, sides)


def _as_staged_lists(one, other, sides) -> tuple:
    """Two lists that differ in length are lists whose length is known when the graph runs."""
    kinds = {type(one), type(other)}
    grown = kinds == {list} and len(one) != len(other)
    if kinds == {StagedList}:
        return one.like(other), other.like(one)
    if not grown and kinds != {list, StagedList}:
        return one, other
    made = []
    for value, builder in zip((one, other), sides, strict=True):
        with builder:
            made.append(StagedList.of(value) if isinstance(value, list) else value)
    if any(value is None for value in made):
        return one, other
    return made[0].like(made[1]), made[1].like(made[0])


def _merge_unset(name, one, other, sides, missing: Missing):
    """A name without a value on some side: none afterwards, or in a loop one that may be set."""
    reason = one_sided("then" if missing.is_missing(other) else "else")
    rows = maybe_set.pair_of(one, other, missing)
    if rows is None:
        both = missing.is_missing(one) and missing.is_missing(other)
        value = one if both else missing.unset(name, reason)
        return [], lambda leaves: value
    for index, (builder, row) in enumerate(zip(sides, rows, strict=True)):
        if row[1] is False:
            like = rows[1 - index][0]
            filled = nest.map_structure(lambda leaf, b=builder: blank(leaf, b, name), like)
            rows[index] = (filled, False)
    pairs, rebuild = _merge_leaves(name, *rows, sides)
    return pairs, lambda leaves: maybe_set.after_if(name, reason, one, other, rebuild(leaves))


def _merge_leaves(name, one, other, sides):
    pairs, fixed = [], []
    for a, b in zip(nest.flatten(one), nest.flatten(other), strict=True):
        a, b = _allocated(a, b, sides[0]), _allocated(b, a, sides[1])
        if a is b or (not is_tensor(a) and not is_tensor(b) and same_literal(a, b)):
            fixed.append((True, a))
        else:
            fixed.append((False, None))
            pairs.append(_as_pair(name, a, b, sides))

    def rebuild(leaves):
        made = iter(leaves)
        return nest.pack_sequence_as(one, [value if kept else next(made) for kept, value in fixed])

    return pairs, rebuild


def _allocated(leaf, other, builder):
    """The leaf, or its stand-in where only the other side has given it a value."""
    if not isinstance(leaf, Pending) or isinstance(other, Pending):
        return leaf
    with builder:
        return leaf.of_type(other.dtype).tensor(other._shape)


def _as_pair(name, a, b, sides) -> tuple[Tensor, Tensor]:
    """Two leaves as tensors of one type; a number adopts the other's type within its kind."""
    hints = (dtype_of(b), dtype_of(a))
    made = []
    for leaf, hint, builder in zip((a, b), hints, sides, strict=True):
        with builder:
            made.append(adopt(leaf, hint))
    if None in made:
        raise InconsistentBranchError(differs(name, a, b), cure_of_objects(name, a, b))
    if name == OPERAND:
        made = _truths_as_numbers(made, sides)
    if made[0].dtype is not made[1].dtype:
        value = name if name.isidentifier() and name != RESULT else "x"
        cast = f"ag.cast({value}, ag.{made[0].dtype.name})"
        raise InconsistentBranchError(
            differs(name, *made), f"Give both sides one type, for example with {cast}."
        )
    return tuple(made)


def _truths_as_numbers(made, sides) -> list[Tensor]:
    """What `and` and `or` give, a truth or a number, as numbers: Python's True is 1."""
    kinds = {one.dtype for one in made}
    number = next(iter(kinds - {bool_}), None)
    if len(kinds) != 2 or bool_ not in kinds or number is string:
        return made
    numbers = []
    for one, builder in zip(made, sides, strict=True):
        with builder:
            numbers.append(one if one.dtype is number else TABLE["cast"](one, dtype=number))
    return numbers


# ---- while ---------------------------------------------------------------------------------


def while_loop(
    test: Callable, body: Callable, state, names, missing: Missing, options=None
) -> tuple:
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
            return wide_start.traced(
                lambda start: _from_start(mark, test, body, start, names, missing, options),
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
    except late_start.RestartError as first:
        return late_start.again(first, mark, _loop, cond, *parts)


def _loop(test: Callable, body: Callable, state, names, missing: Missing, options) -> tuple:
    outer = BUILDER.get()
    invariants = _invariants(options, names, state)
    layout = LoopState(state, names, missing, invariants)
    tester = Builder(f"{outer.name}.test", outer)
    with tester:
        goes_on = outcome(lambda: as_test(test(*layout.placeholders(tester))))
        goes_on = as_test(False) if goes_on is NEVER else goes_on
    stepper = Builder(f"{outer.name}.body", outer)
    with stepper, _explained(names, state):
        entered = layout.placeholders(stepper)
        after = outcome(body, *entered)
        after = layout.after_turn(entered if after is NEVER else after)
        finals = late_start.finals_of(layout.state, after, missing)
        if finals:
            raise late_start.RestartError(finals, [tester, stepper])
        _late_names(layout, after, outer, (tester, stepper), options.get("read_as_is", ()))
        carried = _carried(layout, after, stepper)
    graphs, operands = _share_operands([tester, stepper], [[goes_on], carried])
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
    missing = layout.missing.is_missing
    for index, (value, final) in enumerate(zip(layout.state, after, strict=True)):
        name, state = layout.names[index], None
        if name not in read_as_is or missing(final):
            state = maybe_set.as_state(name, value, final, layout.missing)
        if state is not None:
            layout.variables[index] = maybe_set.after_loop(name, final)
            final = state
        leaves = nest.flatten(final)
        if missing(value) and not missing(final):
            starts, layout.slots[index] = [value] * len(leaves), [None] * len(leaves)
        else:
            starts = nest.flatten(value)
        entered = []
        for place, (start, leaf) in enumerate(zip(starts, leaves, strict=False)):
            late = missing(start) or (isinstance(start, Pending) and not isinstance(leaf, Pending))
            if late and can_be_tensor(leaf):
                slot = layout.slots[index][place] = _first_value(start, leaf, outer)
                key = (index, position, start)
                entered.append(_late_inputs(layout, key, slot, leaf, builders))
            position += layout.slots[index][place] is not None
        if state is not None:
            after[index] = maybe_set.next_state(name, state, entered, cond, layout.missing)


def _late_inputs(layout: LoopState, key, slot, leaf, builders) -> Tensor:
    """Inputs for what is carried after all, at their place; the last builder's is returned."""
    index, position, start = key
    shape = getattr(tensor_of(leaf), "_shape", ())
    for builder in builders:
        known = layout.pending.get((builder, id(start)))
        inside = known or PendingInLoop(slot, builder, plain(layout.names[index]))
        if known is not None:
            known.of_type(slot.dtype)
        made = inside.tensor(shape)
        builder.inputs.remove(made._value)
        builder.inputs.insert(position, made._value)
    return made


def _first_value(start, leaf, outer) -> Tensor:
    if not isinstance(start, Pending):
        return blank(leaf, outer, "")
    with outer:
        return start.of_type(leaf.dtype).tensor(leaf._shape)


def _carried(layout: LoopState, after, stepper) -> list[Tensor]:
    """The tensors that the body hands to the next iteration, each checked against what entered."""
    carried = []
    inputs = iter(stepper.inputs)
    for name, value, slots, final in zip(
        layout.names, layout.state, layout.slots, after, strict=True
    ):
        entered = not layout.missing.is_missing(value)
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
    if is_subshape(tensor._shape, enters.shape):
        return tensor
    if is_compatible(tensor._shape, enters.shape):
        return stepper.record(TABLE["ensure_shape"], [tensor], {"shape": enters.shape})
    raise InconsistentLoopError(
        f"'{name}' enters the loop with shape {show(enters.shape)} but has shape "
        f"{show(tensor._shape)} "
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
