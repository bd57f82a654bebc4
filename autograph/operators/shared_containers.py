"""Containers that two names share, and that a staged statement makes two.

    if x > 0:
        found = {"rows": rows}      # in a graph, the choice is a copy of `rows`
    else:
        found = {"rows": []}
    rows[0] = x                     # would change `found` too: refused

A merged container is a copy. What it shares with other containers in Python is noted after each run
of a block, and it is refused to change one of them afterwards.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from ..stager import CURRENT
from .containers import Snapshot, is_container, shallow
from .undefined import MaybeSet

RESULT = "retval_"  # the variable that holds what a function returns
COPIES: ContextVar[list | None] = ContextVar("allograph_copies", default=None)  # of this block


class Shared:
    """What the outcomes of the runs of one statement share.

    `names` are those of its state, `before` its values, and `watch` knows what else is reachable.
    """

    def __init__(self, names, before, contents: Snapshot, watch):
        self.names = names
        self.before = before
        self.contents = {id(one): content for one, content in contents.rows}
        self.watch = watch
        self.outside: list[tuple] = []  # (position, path, name, container before the statement)
        self.pairs: list[tuple] = []  # (position, path, position, path)
        self._known: dict[int, tuple] | None = None

    def note(self, given, after, copies: list) -> None:
        """Note what the outcome of a run shares, where `given` was the state before it."""
        same = {id(copy): one for copy, one, *_ in copies}
        seen: dict[int, tuple] = {}
        for position, values in enumerate(zip(after, given, strict=True)):
            for path, container in self._new(*values, (), seen):
                container = same.get(id(container), container)
                if id(container) in self.known:
                    self.outside.append((position, path, *self.known[id(container)]))
                elif id(container) in seen:
                    self.pairs.append((*seen[id(container)], position, path))
                else:
                    seen[id(container)] = (position, path)

    def _new(self, value, old, path: tuple, seen) -> Iterator[tuple]:
        """The containers in a value that `old` does not have at the same path."""
        value, old = (one.value if type(one) is MaybeSet else one for one in (value, old))
        if not is_container(value) and not isinstance(value, tuple):
            return
        before: dict = {}
        if value is old:
            before = _items(self.contents.get(id(value), value))
        elif is_container(value):
            is_seen = id(value) in seen
            yield path, value
            if is_seen or id(value) in self.known:
                return
        for key, part in _items(value).items():
            yield from self._new(part, before.get(key), (*path, key), seen)

    @property
    def known(self) -> dict[int, tuple]:
        """The containers that there were before the statement, with their names, by identity."""
        if self._known is None:
            found: dict[int, tuple] = {}
            rows = [(name, value, Snapshot([value], arrays=False)) for name, value in self._state()]
            for name, value, snapshot in (*rows, *self.watch.snapshots):
                for one, _ in snapshot.rows:
                    label = f"'{name}'" if one is value else f"in '{name}'"
                    found.setdefault(id(one), (label, one))
            for name, one in self.watch.objects:
                if hasattr(one, "__dict__"):
                    found[id(vars(one))] = (f"'{name}.__dict__'", vars(one))
            self._known = found
        return self._known

    def _state(self):
        return zip(self.names, self.before, strict=True)

    def check(self, names, after) -> None:
        """Have it refused that a container of the merged state, or what it shares, changes."""
        for position, path, name, container in self.outside:
            check_unchanged(_label(names[position]), _part(after[position], path), name, container)
        for position, path, other, its_path in self.pairs:
            one, two = _part(after[position], path), _part(after[other], its_path)
            if is_container(one):
                check_unchanged(_label(names[other]), two, _label(names[position]), one)


def _label(name: str) -> str:
    if name == RESULT:
        return "the return value"
    return name if " " in name else f"'{name}'"


def _items(value) -> dict:
    if is_container(value):
        value = shallow(value)
    return value if isinstance(value, dict) else dict(enumerate(value))


def _part(value, path: tuple):
    """What lies at a path in a merged value; None if that is no container of Python's."""
    for key in path:
        value = value.value if type(value) is MaybeSet else value
        if not is_container(value) and not isinstance(value, tuple):
            return None
        value = _items(value).get(key)
    return value.value if type(value) is MaybeSet else value


def check_unchanged(name: str, merged, other: str, container) -> None:
    """Refuse, at the end of the block, if one of two containers that Python has as one changed."""
    if not is_container(merged) or merged is container:
        return
    cls = type(container).__name__
    refusal = CURRENT.stager.refusal_of_construct(
        f"a tensor chooses whether {name} is, or holds, the {cls} {other}, and one of the two is "
        "changed afterwards: in a graph, the choice is a copy",
        f"Change the {cls} before, or let both sides of the choice hold copies, such as "
        f"{cls}(...) of it.",
    )
    contents = Snapshot([merged], arrays=False), Snapshot([container], arrays=False)

    def check() -> None:
        if any(one.changed() for one in contents):
            raise refusal

    copies = COPIES.get()
    if copies is None:
        CURRENT.stager.check_at_end(check)
    else:
        copies.append((merged, container, check))


@contextlib.contextmanager
def block():
    """A block of a staged statement: the copies that statements inside of it make."""
    copies: list[tuple] = []
    token = COPIES.set(copies)
    try:
        yield copies
    finally:
        COPIES.reset(token)


def check_block(copies: list) -> None:
    """Raise if a container was changed since it was copied, before the block is undone."""
    for *_, check in copies:
        check()
