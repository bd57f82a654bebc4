"""Objects of the program's own classes of which a statement chooses one, or makes another one."""

from __future__ import annotations

from ....autograph.current_trace import TRACE
from ..refusal import RefusedError, numpy_trace


def chosen_object(cls, attributes, is_chosen: bool):
    """What stands for one of several objects of the trace, or for one that has changed."""
    chosen = object.__new__(cls)
    vars(chosen).update(attributes)
    numpy_trace().made.append(chosen)
    if is_chosen:
        choose(chosen)
    return chosen


def choose(*objects) -> None:
    """Take note that a name may be any of these objects."""
    numpy_trace().chosen.extend((each, dict(vars(each))) for each in map(original_of, objects))


def check_chosen() -> None:
    """Refuse changes of objects that a statement may have given two names."""
    for chosen, before in numpy_trace().chosen:
        now = vars(chosen)
        if now.keys() != before.keys() or any(now[name] is not before[name] for name in now):
            raise RefusedError("an object changes that a statement may have given two names")


def is_chosen(value) -> bool:
    """Whether a value may be the same object as another one."""
    original = original_of(value)
    return any(known is original for known, _ in numpy_trace().chosen)


def is_of_trace(value) -> bool:
    """Whether this trace made an object, or a copy is one of an object that it made."""
    original = original_of(value)
    return any(made_object is original for made_object in getattr(TRACE.get(), "made", ()))


def original_of(value):
    """The object of which a staged statement has left a copy."""
    copies = TRACE.get().copied or {}
    while id(value) in copies:
        value = copies[id(value)][1]
    return value
