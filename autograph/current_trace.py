"""The trace that is being recorded: converted code asks it what to stage, and operators note in it
what they see.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from .stager import Stager


class Notes:
    """The notes of operators about the containers and arrays of a traced function, whose caller
    keeps the `arguments`; where these are None, nothing is noted.
    """

    def __init__(self, arguments: dict | None):
        self.are_taken = arguments is not None
        self.arguments = arguments or {}
        self.watched: dict[int, Any] = {}  # containers that are copies or were copied, by identity
        self.read: list[tuple] = []  # (role, object): see `noted_changes`
        self.replaced: list = []  # containers whose content another object has
        self.related: list[tuple] = []  # (container, name, container, name): one object in Python
        self.outer: dict = {}  # containers of globals and closures, with their names
        # By identity: what stands for an array, and the arrays of which it may be a view; and what
        # is known to stand for none.
        self.arrays: dict[int, tuple] = {}
        self.no_arrays: dict[int, tuple] = {}
        self.changed_copy: Any = None  # what is read from a list, while a changed one is stored


NO_NOTES = Notes(None)


class Trace:
    """One recording of a function. The front end that makes it chooses the stager.

    It goes on from the trace `around` it, if that of another function calls this one.
    """

    def __init__(self, stager: Any, around: Trace | None = None):
        self.stager = stager
        self.notes = NO_NOTES
        self.guards: Any = None  # what notes the state of Python that guards compare
        self.on_call: Callable | None = None  # takes each call, and may give what runs it
        self.bound: Callable | None = None  # binds converted functions to other globals
        self.copied: dict[int, tuple] | None = None  # by identity: a copy, and its original
        self.copies: list[tuple] | None = None  # made in the present block
        self.assigned: list | None = None  # in the present block
        self.iterated: tuple = ()  # what the loops go through that run in Python
        self.depth = 0  # of staged statements
        self.checks: list[Callable] = []  # at the end
        self.handlers: tuple = ()  # of exceptions, around what is being traced
        self.outside: dict[int, object] = {}  # iterators from outside of the present block, by id
        self.replaced: tuple = ()  # functions whose replacements are being traced
        self.refused: list | None = None  # refusals that no handler of the traced code may catch
        if around is not None and around is not UNTRACED:
            vars(self).update(vars(around), stager=stager)


class PlainPython(Stager):
    """The stager outside of all traces: converted code is plain Python."""


UNTRACED = Trace(PlainPython())
TRACE: ContextVar[Trace] = ContextVar("allograph_trace", default=UNTRACED)  # of this thread


def unsupported(message: str, cure: str) -> Exception:
    """The error for a construct that staged values cannot drive."""
    return TRACE.get().stager.refusal(message, cure)
