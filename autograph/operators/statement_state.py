"""The state of one staged statement, whose blocks run as pure functions of it.

The variables are set, the block runs, the variables are read. If it raises, the old state is
restored.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar

from ..stager import CURRENT
from .containers import Snapshot, copied, is_container, is_replaced, written_into

OPERATORS = __name__.partition(".")[0]


class State:
    """The variables of one staged statement: set, run, read, put back.

    The content of lists, dictionaries and records is state as the variables are: whatever a run
    changes in them is part of its outcome and is undone. When every run kept the object it was
    given, the outcome of the statement is written into that object.

    A function that a block calls may change containers in other variables. They are compared after
    each run, and what was changed is `added` in front of the state, with which everything runs
    again.
    """

    def __init__(self, get_state, set_state, names, options=()):
        self.get_variables = get_state
        self.set_variables = set_state
        self.names = tuple(names)
        self.others = _containers_beside({*names, *dict(options).get("lists", ())})
        self.containers: list = []  # those of `others` that are state
        self._begin()

    def _begin(self) -> None:
        self.before = self.get_state()
        self.contents = Snapshot(self.before)
        self.kept = [is_container(value) for value in self.before]
        mine = set(map(id, self.before))
        self.snapshots = [
            (name, value, Snapshot([value], arrays=False))
            for name, value in self.others
            if id(value) not in mine
        ]

    @property
    def added(self) -> int:
        return len(self.containers)

    def get_state(self) -> tuple:
        return (*self.containers, *self.get_variables())

    def set_state(self, values) -> None:
        self.set_variables(tuple(values[self.added :]))

    def run(self, body, values=None) -> tuple:
        """The state after `body`, started from `values`, or from the state before the statement."""
        given = self._set(self.before if values is None else values)
        token = _AROUND.set(self)
        try:
            body()
        except BaseException:  # a staged `raise`, or a request to retrace
            self._restore()
            raise
        finally:
            _AROUND.reset(token)
        after = self.get_state()
        self.kept = [
            kept and one is other for kept, one, other in zip(self.kept, given, after, strict=True)
        ]
        outcome = self.contents.copies(after)
        self.contents.restore()
        self._check_others()
        return outcome

    def _check_others(self) -> None:
        if not self.snapshots:
            return
        self.set_state(self.before)  # some variables are items of these containers
        changed = [(name, value) for name, value, first in self.snapshots if first.changed()]
        if changed:
            raise _ChangedByCallError(changed)

    def _restore(self) -> None:
        self.contents.restore()
        for _, _, snapshot in self.snapshots:
            snapshot.restore()

    def _set(self, values) -> tuple:
        given = tuple(map(written_into, self.before, values))
        self.set_state(given)
        return given

    def at(self, values, test):
        """The value of a test in a state; the test must not change it."""
        self._set(values)
        value = copied(test())  # it may be a container, whose content is restored below
        self.contents.restore()
        return value

    def replace(self, staged) -> None:
        """Set the state to the result of the staged statement; on an error, restore the old one."""
        checkpoint = CURRENT.stager.checkpoint()
        try:
            after = staged()
        except _ChangedByCallError as request:
            self._undo()
            CURRENT.stager.rollback(checkpoint)
            self._add(request.containers)
            self.replace(staged)
            return
        except BaseException:
            self._undo()
            raise
        rows = zip(self.kept, self.before, after, strict=True)
        self.set_state(tuple(written_into(old, new) if kept else new for kept, old, new in rows))

    def _undo(self) -> None:
        self._restore()
        self.set_state(self.before)

    def _add(self, changed: list) -> None:
        names, containers = zip(*changed, strict=True)
        self.names = (*names, *self.names)
        self.containers = [*containers, *self.containers]
        self._begin()


_AROUND: ContextVar[State | None] = ContextVar("allograph_statement_around", default=None)


class _ChangedByCallError(BaseException):
    """A block has changed containers that are not state; they come with their names."""

    def __init__(self, containers: list[tuple]):
        super().__init__(", ".join(name for name, _ in containers))
        self.containers = containers


def _containers_beside(names: set[str]) -> list[tuple]:
    """The containers in local variables of the converted code that are not state, and those beside
    the statement around, with their names.
    """
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(OPERATORS):
        frame = frame.f_back
    found: dict[int, tuple] = {}
    around = _AROUND.get()
    if around is not None:
        found.update((id(value), (name, value)) for name, value in around.others)
    if frame is not None:
        local = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars} - names
        for name, value in frame.f_locals.items():
            if name in local and (is_container(value) or is_replaced(value)):
                found[id(value)] = (name, value)
    return list(found.values())
