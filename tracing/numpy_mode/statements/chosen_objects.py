"""Objects of the program's own classes of which a statement chooses one, or makes another one."""

from __future__ import annotations

from contextvars import ContextVar

from ....autograph.operators.containers import COPIES
from ..refusal import RefusedError

MADE: ContextVar[list] = ContextVar("allograph_made_objects")  # those of this trace
# Those that a statement chose or may have replaced, what stands for them afterwards, and the
# attributes of both: other names would not show how these change.
CHOSEN: ContextVar[list] = ContextVar("allograph_chosen_objects")


def chosen_object(cls, attributes, is_chosen: bool):
    """What stands for one of several objects of the trace, or for one that has changed."""
    made = object.__new__(cls)
    vars(made).update(attributes)
    MADE.get().append(made)
    if is_chosen:
        choose(made)
    return made


def choose(*objects) -> None:
    """Take note that a name may be any of these objects."""
    CHOSEN.get().extend((one, dict(vars(one))) for one in map(original_of, objects))


def check_chosen() -> None:
    """Refuse changes of objects that a statement may have given two names."""
    for one, before in CHOSEN.get():
        now = vars(one)
        if now.keys() != before.keys() or any(now[name] is not before[name] for name in now):
            raise RefusedError("an object changes that a statement may have given two names")


def is_chosen(value) -> bool:
    """Whether a value may be the same object as another one."""
    original = original_of(value)
    return any(one is original for one, _ in CHOSEN.get(()))


def is_of_trace(value) -> bool:
    """Whether this trace made an object, or a copy is one of an object that it made."""
    original = original_of(value)
    return any(one is original for one in MADE.get(()))


def original_of(value):
    """The object of which a staged statement has left a copy."""
    copies = COPIES.get() or {}
    while id(value) in copies:
        value = copies[id(value)][1]
    return value
