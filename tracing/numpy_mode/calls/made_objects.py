"""Objects of the program's own classes that a traced function makes: their attributes are values of
the graph, and nothing outside the function sees them.
"""

from __future__ import annotations

from ....autograph.operators.calls import callee
from ....autograph.operators.containers import initialize_record
from ..refusal import numpy_trace
from ..statements.chosen_objects import is_of_trace
from ..statements.plain_classes import is_plain_class, named


def made_record(cls, /, *args, **kwargs):
    """`cls(*args, **kwargs)` of a data class, whose `__post_init__` is converted."""
    record = object.__new__(cls)
    numpy_trace().made.append(record)
    post = getattr(cls, "__post_init__", None)
    if post is None:
        record.__init__(*args, **kwargs)
    else:
        initialize_record(record, callee(post, None), args, kwargs)
    return record


def note_made(function, args: tuple) -> None:
    """Take note of a new object, whose `__init__` is called."""
    if getattr(function, "__name__", "") != "__init__" or not args:
        return
    record = args[0]
    if is_plain_class(type(record)) and not vars(record) and not is_of_trace(record):
        numpy_trace().made.append(record)


def sets_own_attributes(function, args: tuple, kwargs: dict) -> bool:
    """Whether this trace made the objects whose attributes a function sets."""
    from ....autograph.conversion.attribute_changes import owners_of_attributes  # loads gast

    owners = owners_of_attributes(getattr(function, "__func__", function))
    if owners is None:
        return False
    code = function.__code__
    values = {**dict(zip(code.co_varnames, args, strict=False)), **kwargs}
    classes = (named(function, name) for name in owners.classes)
    return all(_is_own(values.get(name)) for name in owners.parameters) and all(
        map(is_plain_class, classes)
    )


def _is_own(value) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_own, value))
    return is_of_trace(value)
