"""The state of one staged statement, whose blocks run as pure functions of it.

The variables are set, the block runs, the variables are read. If it raises, the old state is
restored.
"""

from __future__ import annotations

import sys

from ..conversion.display_names import OUTLINED
from ..stager import CURRENT
from .containers import Snapshot, copied, is_container, is_replaced, written_into
from .undefined import MaybeSet

PACKAGE = __name__.partition(".")[0]
OUTSIDE = (f"{PACKAGE}.autograph.api", f"{PACKAGE}.tracing.functions")  # a trace begins in these


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
        self.others = _containers_beside(dict(options).get("lists", ()))
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
        try:
            body()
        except BaseException:  # a staged `raise`, or a request to retrace
            self._restore()
            raise
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
        after = tuple(written_into(old, new) if kept else new for kept, old, new in rows)
        for name, old, new in zip(self.names, self.containers, after, strict=False):
            if old is not new:
                raise CURRENT.stager.refusal_of_construct(
                    f"the {type(old).__name__} '{name}' is changed by a function that a staged "
                    "statement calls, and a tensor decides how many items it has",
                    f"Return the new items, and assign '{name}' in the statement itself.",
                )
        self.set_state(after)

    def _undo(self) -> None:
        self._restore()
        self.set_state(self.before)

    def _add(self, changed: list) -> None:
        names, containers = zip(*changed, strict=True)
        self.names = (*names, *self.names)
        self.containers = [*containers, *self.containers]
        self._begin()


def check_when_read(get_state, set_state) -> None:
    """Have reads of conditionally assigned variables checked when the graph runs, as after a staged
    loop.
    """
    values = get_state()
    if any(type(value) is MaybeSet for value in values):
        check = CURRENT.stager.checked_when_read
        set_state(tuple(check(value) if type(value) is MaybeSet else value for value in values))


class _ChangedByCallError(BaseException):
    """A block has changed containers that are not state; they come with their names."""

    def __init__(self, containers: list[tuple]):
        super().__init__(", ".join(name for name, _ in containers))
        self.containers = containers


def _containers_beside(lists) -> list[tuple]:
    """The containers in local variables of the functions that are being traced, with their names.

    `lists` names those of the statement itself that are not state: they change while it is traced.
    """
    found: dict[int, tuple] = {}
    frame, is_own = sys._getframe(2), True
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.startswith(OUTSIDE):
            break
        if module.split(".")[0] != PACKAGE:
            code = frame.f_code
            local = {*code.co_varnames, *code.co_cellvars}.difference(lists if is_own else ())
            for name, value in frame.f_locals.items():
                if name in local and (is_container(value) or is_replaced(value)):
                    found.setdefault(id(value), (name, value))
            is_own = is_own and bool(OUTLINED.get(code))
        frame = frame.f_back
    return list(found.values())
