"""Variables that a loop on tensors may have set: the value and a boolean are carried together.

    for x in xs:
        if x == wanted:
            found = x
            break
    return found        # right when there was one; an UnboundLocalError otherwise

So is what every iteration sets, since the loop may not run. Inside the body, and after an `if`
outside of loops, reading `found` is an error of tracing. After the loop it is read together with a
check, where the program reads it and nowhere else.
"""

from __future__ import annotations

from ...autograph.operators.containers import children, is_container, is_record
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ...runtime.ops.control.loop_results import (
    ONLY_BY_THE_BODY,
    SetByLoop,
    UnsetError,
    unset_message,
)
from ...runtime.ops.state.python_calls import assert_
from ..structures import nest
from ..structures.leaves import can_be_tensor


def parts(value) -> tuple:
    """What a name holds if it is set, and whether it is."""
    if isinstance(value, MaybeSet):
        return value.value, value.is_set
    return (None, False) if isinstance(value, Undefined) else (value, True)


def pair_of(one, other) -> list[tuple] | None:
    """The parts of a name after both sides of an `if`; None where it just has no value."""
    rows = [parts(value) for value in (one, other)]
    given = [value for value, is_set in rows if is_set is not False]
    if not given or not all(map(_can_be_carried, given)):
        return None
    if not nest.same_structure(given[0], given[-1]):
        return None
    return rows


def after_if(name: str, reason: str, one, other, made) -> MaybeSet:
    """The variable after an `if`, from its value and whether it is set."""
    read = next((v.read for v in (one, other) if isinstance(v, MaybeSet) and v.read), None)
    told = next((v.reason for v in (one, other) if isinstance(v, MaybeSet)), reason)
    return MaybeSet(name, told, *made, read)


def as_state(name: str, value, final) -> tuple | None:
    """The state to carry, (value, is set), of a name that only the body of a loop sets."""
    if not isinstance(value, Undefined) or isinstance(value, UndefinedReturnValue):
        return None
    if not isinstance(final, Undefined):
        if not name.isidentifier() or _has_places(final):  # Python reads `a.b`, without a check
            return None
        return (final, True) if any(map(can_be_tensor, nest.flatten(final))) else None
    state = parts(final)
    return state if _can_be_carried(state[0]) else None


def as_before(before: MaybeSet, final) -> tuple:
    """The state to carry of a variable that may be set before the loop, after a turn of it."""
    value, is_set = parts(final)
    return (before.value, False) if is_set is False else (value, is_set)


def after_loop(name: str, final) -> MaybeSet:
    """The variable after a loop whose turns leave `final` in it: it may be read, with a check."""
    reason = ONLY_BY_THE_BODY
    if isinstance(final, MaybeSet):
        first = "" if final.read else "no iteration that ran set it; "
        reason = first + final.reason
    return MaybeSet(name, reason, None, False, _read)


def _read(variable: MaybeSet):
    """The value behind a check; a container stays the one that it is."""
    name, reason = variable.name, variable.reason
    if _holds_container(variable.value):
        assert_(variable.is_set, [unset_message(name, reason)], kind=UnsetError)
        return variable.value

    def check(leaf):
        if not can_be_tensor(leaf):
            return leaf
        return SetByLoop(leaf, variable.is_set, variable=name, reason=reason)

    return nest.map_structure(check, variable.value)


def _holds_container(value) -> bool:
    return is_container(value) or any(map(_holds_container, children(value)))


def _has_places(value) -> bool:
    """Whether a part of a value may be assigned by its name."""
    return isinstance(value, dict) or is_record(value) or any(map(_has_places, children(value)))


def _can_be_carried(value) -> bool:
    leaves = nest.flatten(value)
    return bool(leaves) and all(map(can_be_tensor, leaves))
