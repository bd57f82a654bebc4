"""Variables that a loop on tensors may assign: value and assigned-flag are carried together.

    for x in xs:
        if x == wanted:
            found = x
            break
    return found        # right when there was one; an UnboundLocalError otherwise

Variables that every iteration assigns are carried likewise, since the loop may not run at all.
Inside the body, and after an `if` outside of loops, reading `found` is an error of tracing. Each
read after the loop is checked at run time; a variable that is never read is never checked.
"""

from __future__ import annotations

from ...autograph.current_trace import TRACE
from ...autograph.operators.checked_values import MaybeNone
from ...autograph.operators.containers import children, is_container, is_record, part_where
from ...autograph.operators.undefined import Deleted, MaybeSet, Undefined, UndefinedReturnValue
from ...autograph.stager import ENDED
from ...runtime.ops.control.loop_results import (
    NONE_BEFORE,
    NONE_ON_A_SIDE,
    ONLY_BY_THE_BODY,
    SetByLoop,
    UnsetError,
    cure_of,
    unset_message,
)
from ...runtime.ops.state.python_calls import assert_
from ...runtime.tensors.apply import BUILDER
from ..structures import nest
from ..structures.errors import InconsistentLoopError
from ..structures.leaves import can_be_tensor


def optional(value) -> MaybeSet | None:
    """The variable of a value that may be None, in the graph under construction."""
    if type(value) is not MaybeNone or _has_ended(value.variable.is_set):
        return None
    return value.variable


def _has_ended(value) -> bool:
    return TRACE.get().stager.scope_of(value) == ENDED


def value_and_flag(value, or_none: bool = False) -> tuple:
    """The value of a name, and whether it is set, or with `or_none` whether it is not None: a bool,
    or a tensor if known at run time.
    """
    if or_none:
        variable, is_missing = optional(value), value is None
    else:
        variable, is_missing = value, isinstance(value, Undefined)
    if isinstance(variable, MaybeSet):
        return variable.value, variable.is_set
    return (None, False) if is_missing else (value, True)


def pairs_of(left, right, or_none: bool = False) -> list[tuple] | None:
    """The value and flag of a name on both sides of an `if`. None if it simply has no value, or
    with `or_none` if it is None on no side.
    """
    pairs = [value_and_flag(value, or_none) for value in (left, right)]
    values = [value for value, is_set in pairs if is_set is not False]
    if or_none and any(isinstance(value, Undefined) or holds_container(value) for value in values):
        return None
    if not values or (or_none and all(is_set is True for _, is_set in pairs)):
        return None
    if not all(map(can_be_carried, values)) or not nest.same_structure(values[0], values[-1]):
        return None
    return pairs


def maybe_none(name: str, value, is_set, refusal=None) -> MaybeNone:
    return MaybeNone(MaybeSet(name, NONE_ON_A_SIDE, value, is_set, read), refusal)


def after_if(name: str, reason: str, left, right, pair) -> MaybeSet:
    """The variable after an `if`; `pair` is its merged value and flag."""
    read = next((v.read for v in (left, right) if isinstance(v, MaybeSet) and v.read), None)
    why = next((v.reason for v in (left, right) if isinstance(v, MaybeSet)), reason)
    is_deleted = any(
        isinstance(v, Deleted) or (isinstance(v, MaybeSet) and v.is_deleted) for v in (left, right)
    )
    return MaybeSet(name, why, pair[0], pair[1], read, is_deleted)


def as_state(name: str, value, final) -> tuple | None:
    """The state to carry, (value, is set), of a name that only the body of a loop sets."""
    if not isinstance(value, Undefined) or isinstance(value, UndefinedReturnValue):
        return None
    if not isinstance(final, Undefined):
        return final, True
    if isinstance(final, MaybeSet) and final.is_deleted:
        raise InconsistentLoopError(
            f"'{name}' is deleted in some iterations of a loop that sets it",
            "Assign a value that stands for none, in place of `del`.",
        )
    state = value_and_flag(final)
    return state if can_be_carried(state[0]) else None


def as_before(before: MaybeSet, final) -> tuple:
    """The state to carry, after an iteration, of a variable that may be set before the loop."""
    value, is_set = value_and_flag(final, as_seen(before) is not before)
    return (before.value, False) if is_set is False else (value, is_set)


def as_carried(value):
    """The variable of a value that may be None; any other value itself."""
    variable = optional(value)
    return value if variable is None else variable


def as_seen(variable: MaybeSet):
    """The value of a conditionally assigned variable that the user's code gets. Reading parts of
    what is None before a loop may need no tensor, on which a check could depend.
    """
    has_parts = variable.reason == NONE_BEFORE and nest.is_nested(variable.value)
    return MaybeNone(variable) if has_parts or variable.reason == NONE_ON_A_SIDE else variable


def after_loop(name: str, final) -> MaybeSet:
    """The variable after a loop whose iterations end with `final`; reading it is checked."""
    reason = ONLY_BY_THE_BODY
    if isinstance(final, MaybeSet):
        first = "" if final.read else "no iteration that ran set it; "
        reason = first + final.reason
    return MaybeSet(name, reason, None, False, read)


def read(variable: MaybeSet):
    """The value, with a check at run time. A container keeps its identity."""
    name, reason = variable.name, variable.reason
    leaves = nest.flatten(variable.value)
    if holds_container(variable.value) or not any(map(can_be_tensor, leaves)):
        _refuse_part_of_block(name, variable.value)
        require(variable)
        return variable.value

    def check(leaf):
        if not can_be_tensor(leaf):
            return leaf
        key = (name, *(getattr(part, "graph_value", None) for part in (leaf, variable.is_set)))

        def checked():
            return SetByLoop(leaf, variable.is_set, variable=name, reason=reason)

        builder = BUILDER.get()
        if builder is None or None in key:
            return checked()
        for_inner = reason not in (NONE_BEFORE, NONE_ON_A_SIDE)  # else it is not checked out here
        return builder.checked_read(key, leaf, checked, for_inner)

    return nest.map_structure(check, variable.value)


def _refuse_part_of_block(name: str, value) -> None:
    """Refuse an object that a loop made and that holds tensors of its body.

    The attributes of an object that exists before a loop are state of the loop; those of one that
    an iteration makes are known only in that iteration.
    """
    part = _part_of_block(name, value)
    if part is not None:
        raise InconsistentLoopError(
            f"the loop made what '{name}' is, and '{part}' is a tensor that only its body knows",
            "Make the object before the loop, and assign its attributes in the loop.",
        )


def _part_of_block(name: str, value) -> str | None:
    return part_where(name, value, _has_ended)


def require(variable: MaybeSet) -> None:
    """Record a check that the variable has a value."""
    why = variable.name, variable.reason
    assert_(variable.is_set, [f"{unset_message(*why)}. {cure_of(*why)}"], kind=UnsetError)


def settled(variable: MaybeSet):
    """The variable after a loop. One whose items or attributes may be assigned is checked at once,
    since later statements take these for state of their own; one that only the body knows is
    refused when it is read.
    """
    value = variable.value
    if not _is_assignable_inside(value) or _part_of_block(variable.name, value) is not None:
        return variable
    require(variable)
    return variable.value


def holds_container(value) -> bool:
    return is_container(value) or any(map(holds_container, children(value)))


def _is_assignable_inside(value) -> bool:
    """Whether an item or attribute inside a value may be assigned."""
    return (
        isinstance(value, dict)
        or is_record(value)
        or any(map(_is_assignable_inside, children(value)))
    )


def can_be_carried(value) -> bool:
    leaves = nest.flatten(value)
    return bool(leaves) and all(map(can_be_tensor, leaves))
