"""What a block of a staged statement changes through the functions that it calls.

    def add(stats, x):
        stats["sum"] += x

    if x > 0:
        add(stats, x)           # the `if` itself assigns nothing

Nothing in the text of the block tells, so the containers, arrays, objects and closures that are
reachable from the local variables of all functions that are being traced are compared after each
run of it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from ..stager import CURRENT
from .checked_values import Checked
from .containers import Snapshot
from .items import ldu, put_item
from .reachable_state import PACKAGE, Reachable
from .undefined import Undefined

MISSING = object()
UNBOUND = Undefined("a closure variable")


class Place(NamedTuple):
    """A container, or an attribute of an object, that becomes state of a statement."""

    name: str
    get: Callable
    put: Callable
    key: tuple  # what it is, since several may have one name


class Watch:
    """The content of what lies in local variables beside the state of a statement."""

    def __init__(self, lists):
        """`lists` names variables of the statement itself that may change while it is traced."""
        found = Reachable(lists)
        self.containers, self.objects, self.cells = found.containers, found.objects, found.cells
        self.arrays, self.iterators = found.arrays, found.iterators

    def begin(self, state, contents: Snapshot) -> None:
        """Note the content of everything but the values of `state`, which `contents` holds."""
        mine = set(map(id, state))
        self.snapshots = [
            (name, value, Snapshot([value], arrays=False))
            for name, value in self.containers
            if id(value) not in mine
        ]
        self.attributes = [(name, one, dict(vars(one))) for name, one in self.objects]
        self.bound = [(name, cell, _content(cell)) for name, cell in self.cells]
        compared = {id(one) for one, _ in contents.others}
        self.locked = [
            one for one in self.arrays if id(one) not in compared and one.flags.writeable
        ]

    def name_of(self, container) -> str | None:
        """The name of a container that a variable held before the statement."""
        return next((name for name, one in self.containers if one is container), None)

    def lock(self, locked: bool) -> None:
        """Make the arrays read-only: one cannot be compared as fast as it can be locked."""
        for array in self.locked:
            array.flags.writeable = not locked

    def changes(self) -> list[Place]:
        """What was changed."""
        places = [
            Place(name, lambda one=value: one, lambda new: None, (id(value),))
            for name, value, snapshot in self.snapshots
            if snapshot.changed()
        ]
        for name, one, before in self.attributes:
            for key in _changed(before, vars(one)):
                if isinstance(getattr(type(one), key, None), functools.cached_property):
                    del vars(one)[key]  # it is computed again where it is wanted
                else:
                    places.append(_attribute(f"{name}.{key}", vars(one), key))
        places += [
            Place(
                name, functools.partial(_content, cell), functools.partial(_bind, cell), (id(cell),)
            )
            for name, cell, before in self.bound
            if _content(cell) is not before
        ]
        return places

    def restore(self) -> None:
        for _, _, snapshot in self.snapshots:
            snapshot.restore()
        for _, one, before in self.attributes:
            for key in _changed(before, vars(one)):
                if key in before:
                    vars(one)[key] = before[key]
                else:
                    del vars(one)[key]
        for _, cell, before in self.bound:
            _bind(cell, before)


def _content(cell):
    """The value of a closure variable of a function that has returned."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


def _bind(cell, value) -> None:
    if value is UNBOUND:
        del cell.cell_contents
    else:
        cell.cell_contents = value


def _attribute(name: str, attributes: dict, key: str) -> Place:
    return Place(
        name,
        lambda: ldu(lambda: attributes[key], name),
        lambda value: put_item(attributes, key, value),
        (id(attributes), key),
    )


def _changed(before: dict, now: dict) -> list[str]:
    """The attributes that were changed. An object that gets variables or layers builds itself, and
    what it notes about that stays.
    """
    keys = [
        key for key in {**before, **now} if before.get(key, MISSING) is not now.get(key, MISSING)
    ]
    if any(_is_built(now.get(key)) for key in keys):
        return [key for key in keys if CURRENT.stager.is_tensor(now.get(key))]
    return keys


def _is_built(value) -> bool:
    is_ours = type(value).__module__.partition(".")[0] == PACKAGE
    return is_ours and type(value) is not Checked and not CURRENT.stager.is_tensor(value)
