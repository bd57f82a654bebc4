"""Objects of the program's own classes that a traced function makes: their attributes are values of
the graph, and nothing outside the function sees them.
"""

from __future__ import annotations

from contextvars import ContextVar

from ....autograph.conversion.attribute_changes import changes_only_self
from ....autograph.operators.calls import callee
from ....autograph.operators.containers import initialize_record
from ..statements.plain_classes import is_plain_class, is_plain_record_class

MADE: ContextVar[list] = ContextVar("allograph_made_objects")  # those of this trace


def made_record(cls, /, *args, **kwargs):
    """`cls(*args, **kwargs)` of a data class, whose `__post_init__` is converted."""
    made = object.__new__(cls)
    MADE.get().append(made)
    post = getattr(cls, "__post_init__", None)
    if post is None:
        made.__init__(*args, **kwargs)
    else:
        initialize_record(made, callee(post, None), args, kwargs)
    return made


def note_made(function, args: tuple) -> None:
    """Take note of a new object, whose `__init__` is called."""
    if getattr(function, "__name__", "") != "__init__" or not args:
        return
    one = args[0]
    if is_plain_class(type(one)) and not vars(one) and not is_made(one):
        MADE.get().append(one)


def is_made(value) -> bool:
    return any(one is value for one in MADE.get())


def sets_own_attributes(function, args: tuple) -> bool:
    """Whether a function sets attributes of its first argument alone, which this trace made, or
    which is a record: the content of these is state of statements.
    """
    is_own = bool(args) and (is_made(args[0]) or is_plain_record_class(type(args[0])))
    return is_own and changes_only_self(function)
