"""Variables that a loop on tensors may have set: the value and a boolean are carried together.

    for x in xs:
        if x == wanted:
            found = x
            break
    return found        # right when there was one; an UnboundLocalError otherwise

Inside the body, and after an `if` outside of loops, reading `found` is an error of tracing. After
the loop it is read together with a check.
"""

from __future__ import annotations

from collections.abc import Callable

from ..autograph.operators.undefined import MaybeSet
from ..runtime.apply import convert_to_tensor, tensor_of
from ..runtime.op import TABLE
from ..runtime.ops.loops import SetByLoop
from . import nest
from .leaves import Missing, adopt


def parts(value, missing: Missing) -> tuple:
    """What a name holds if it is set, and whether it is."""
    if isinstance(value, MaybeSet):
        return value.value, value.is_set
    return (None, False) if missing.is_missing(value) else (value, True)


def pair_of(one, other, missing: Missing) -> list[tuple] | None:
    """The parts of a name after both sides of an `if`; None where it just has no value."""
    rows = [parts(value, missing) for value in (one, other)]
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


def as_state(name: str, value, final, missing: Missing):
    """The state to carry, (value, is set), of a name that a turn of a loop may set; else None."""
    if final is value or not missing.is_missing(value) or missing.is_result(value):
        return None
    completed = isinstance(value, MaybeSet) and not missing.is_missing(final)
    if not isinstance(final, MaybeSet) and not completed:
        return None
    state = parts(final, missing)
    if isinstance(value, MaybeSet) and not nest.same_structure(value.value, state[0]):
        return None
    return state if _can_be_carried(state[0]) else None


def starts(value) -> list | None:
    """The tensors that enter a loop for a name which may be set before it."""
    if not isinstance(value, MaybeSet):
        return None
    return [adopt(leaf, None) for leaf in nest.flatten((value.value, value.is_set))]


def next_state(name: str, state, entered: list, cond: Callable, missing: Missing):
    """The state after a turn: what the turn gave, else what entered it."""
    *before, was_set = entered
    value, is_set = state
    before = nest.pack_sequence_as(value, before)
    if is_set is True:
        return value, True
    (value,) = cond(is_set, lambda: (value,), lambda: (before,), (name,), missing)
    return value, TABLE["logical_or"](convert_to_tensor(is_set), was_set)


def after_loop(name: str, value, final, made) -> MaybeSet:
    """The variable after a loop, from the state that was carried; it may be read, with a check."""
    reason = next(v.reason for v in (final, value) if isinstance(v, MaybeSet))
    return MaybeSet(name, reason, *made, _read)


def _read(variable: MaybeSet):
    reason = f"no iteration that ran set it; {variable.reason}"

    def check(leaf):
        return SetByLoop(leaf, variable.is_set, variable=variable.name, reason=reason)

    return nest.map_structure(check, variable.value)


def _can_be_carried(value) -> bool:
    leaves = nest.flatten(value)
    return bool(leaves) and all(
        tensor_of(leaf) is not None or isinstance(leaf, (bool, int, float, complex))
        for leaf in leaves
    )
