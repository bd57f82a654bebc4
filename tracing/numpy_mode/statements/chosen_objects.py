"""Objects of the program's own classes of which a statement chooses one, or makes another one."""

from __future__ import annotations

from ....autograph.current_trace import TRACE
from ....autograph.operators.noted_changes import AT_CHANGES, NOTES, is_among
from ..refusal import RefusedError, numpy_trace


def chosen_object(cls, attributes, is_chosen: bool):
    """The stand-in for one of several objects of the trace, or for one that has changed."""
    chosen = object.__new__(cls)
    vars(chosen).update(attributes)
    numpy_trace().made.append(chosen)
    if is_chosen:
        choose(chosen)
    return chosen


def choose(*objects) -> None:
    """Take note that a name may be any of these objects. None of them may change from here on."""
    trace = numpy_trace()
    for chosen in map(original_of, objects):
        trace.chosen.append(chosen)
        trace.notes.watched |= {id(each): each for each in (chosen, vars(chosen))}
    NOTES[id(trace.notes.watched)] = trace.notes.watched


def _refuse_change(owner) -> None:
    """Refuse changes of objects that a statement may have given two names."""
    for chosen in getattr(TRACE.get(), "chosen", ()):
        if original_of(owner) is chosen or owner is vars(chosen):
            raise RefusedError("an object changes that a statement may have given two names")


AT_CHANGES.append(_refuse_change)


def is_chosen(value) -> bool:
    """Whether a value may be the same object as another one."""
    return is_among(original_of(value), numpy_trace().chosen)


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
