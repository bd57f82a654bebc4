"""Containers that two names share, and that a staged statement makes two.

    if x > 0:
        found = {"rows": rows}      # in a graph, the choice is a copy of `rows`
    else:
        found = {"rows": []}
    rows[0] = x                     # would change `found` too: refused

A merged container is a copy. What it shares with other containers in Python is noted after each run
of a block, and it is refused to change one of them afterwards.

Tensors that stand for NumPy arrays are shared as well: in Python, those would be one object that
has several names, and whose parts are views.

    grid[i] = x             # from here on, `grid` is a tensor
    row = grid[0]           # a copy in the graph
    row[1] = 0.0            # in Python, `grid` would see this: refused if it is read later
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from ..stager import CURRENT
from .containers import Snapshot, is_container, is_fixed, item_at, items_of
from .noted_changes import ASSIGNED, READ, REPLACED, note_role, watch
from .undefined import MaybeSet

RESULT = "retval_"  # the variable that holds what a function returns
RELATED: ContextVar[list | None] = ContextVar("allograph_related", default=None)  # in a trace
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
        self.carried: dict[int, tuple] = {}  # as `known`, for what a loop carries instead
        self._known: dict[int, tuple] | None = None

    def note(self, given, after, copies: list, started: Snapshot | None = None) -> None:
        """Note what the outcome of a run shares, where `given` was the state before it. That of
        an iteration `started` with these contents.
        """
        copied: dict[int, list] = {}
        for copy, one, *_ in copies:
            copied.setdefault(id(copy), []).append(one)
        seen: dict[int, list] = {}  # where each container is
        if started is not None:
            self._note_carried(given, after, seen, started)
        for position, values in enumerate(zip(after, given, strict=True)):
            for path, container in self._new(*values, (), seen, copied):
                for origin in _origins(container, copied):
                    self._note(position, path, origin, seen)

    def _note_carried(self, given, after, seen: dict, started: Snapshot) -> None:
        """Note the containers of an iteration that it leaves where they were; and those that a loop
        carries in place of others, lists that grow and copies, by the names that they begin with.
        """
        self.carried = {}
        contents = {id(one): items for one, items in started.rows}
        for position, (old, start) in enumerate(zip(self.before, given, strict=True)):
            label = f"'{self.names[position]}'"
            for path, before, one in self._at_start(old, start, (), contents, ()):
                if before is not one:
                    self.carried[id(one)] = self.known.get(id(before), (label, before))
                if part_of(after[position], path) is one:
                    seen.setdefault(id(one), []).append((position, path))

    def _at_start(self, old, start, path: tuple, contents: dict, around: tuple) -> Iterator[tuple]:
        """(path, container before the statement, container there at the start of an iteration)"""
        old, start = (one.value if type(one) is MaybeSet else one for one in (old, start))
        if not all(is_container(one) or is_fixed(one) for one in (old, start)):
            return
        if _is_in(start, around):
            return
        if is_container(start) and is_container(old):
            yield path, old, start
        if type(old) is type(start):
            before = items_of(self.contents.get(id(old), old))
            for key, part in items_of(contents.get(id(start), start)).items():
                if key in before:
                    inner = (*path, key), contents, (*around, start)
                    yield from self._at_start(before[key], part, *inner)

    def _note(self, position: int, path: tuple, container, seen) -> None:
        if is_array(container):
            holder = self._holder_of(container)
            self.outside += [(position, path, holder, container)] if holder else []
            return
        found = self.known.get(id(container)) or self.carried.get(id(container))
        if found:
            self.outside.append((position, path, *found))
        places = seen.setdefault(id(container), [])
        self.pairs += [(*place, position, path) for place in places]
        places.append((position, path))

    def _new(self, value, old, path: tuple, seen, copied) -> Iterator[tuple]:
        """The containers in a value that `old` does not have at the same path, and the arrays."""
        value, old = (one.value if type(one) is MaybeSet else one for one in (value, old))
        if value is not old and any(map(is_array, _origins(value, copied))):
            yield path, value
        if not is_container(value) and not is_fixed(value):
            return
        before: dict = {}
        if value is old:
            before = items_of(self.contents.get(id(value), value))
        elif is_container(value):
            is_seen = id(value) in seen
            yield path, value
            if is_seen or id(value) in self.known or CURRENT.stager.is_staged(value):
                return
        for key, part in items_of(value).items():
            yield from self._new(part, before.get(key), (*path, key), seen, copied)

    def _holder_of(self, array) -> str | None:
        """The name of an array that there was before, and that has the memory of one."""
        edges = self.watch.reachable.edges
        return next((f"'{name}'" for name, one, *_ in edges if is_part(one, array)), None)

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

    def check(self, names, after, places_of=lambda container: ()) -> None:
        """Have it refused that a container of the merged state, or what it shares, changes."""
        for position, path, name, container in self.outside:
            label, merged = _label(names[position]), part_of(after[position], path)
            is_taken = is_in_staged_list(after[position], path)

            def check(now, label=label, merged=merged, is_taken=is_taken, name=name) -> None:
                note_held(now, name) if is_taken else check_unchanged(label, merged, name, now)

            check(container)
            for _, other, its_path in places_of(container):  # where another may be now
                now = part_of(after[other], its_path)
                is_new = is_container(now) or CURRENT.stager.is_tensor(now)
                if is_new and now is not container:
                    check(now)
        for position, path, other, its_path in self.pairs:
            one, two = part_of(after[position], path), part_of(after[other], its_path)
            name, its_name = _label(names[position]), _label(names[other])
            if is_in_staged_list(after[position], path):
                note_held(two, its_name)
            elif is_in_staged_list(after[other], its_path):
                note_held(one, name)
            if id(two) in self.known:  # an original: the other one is the copy
                one, two, name, its_name = two, one, its_name, name
            if is_container(one):
                check_unchanged(its_name, two, name, one)


def _origins(value, copied: dict[int, list]) -> list:
    """What a value may be in Python: those of which it is a copy, or else itself."""
    if id(value) not in copied:
        return [value]
    queue = list(copied[id(value)])
    for one in queue:  # which grows meanwhile
        queue += [other for other in copied.get(id(one), ()) if not _is_in(other, queue)]
    return [one for one in queue if id(one) not in copied]


def _is_in(value, values: list) -> bool:
    return any(value is one for one in values)


def class_name(container) -> str:
    """What a message calls a container: a list that grows in a staged loop is a list."""
    return "list" if CURRENT.stager.is_staged(container) else type(container).__name__


def _label(name: str) -> str:
    if name == RESULT:
        return "the return value"
    return name if " " in name else f"'{name}'"


def part_of(value, path: tuple):
    """What lies at a path in a merged value; None if that is no container of Python's."""
    for key in path:
        value = value.value if type(value) is MaybeSet else value
        if not is_container(value) and not is_fixed(value):
            return None
        value = item_at(value, key)
    return value.value if type(value) is MaybeSet else value


def is_in_staged_list(value, path: tuple) -> bool:
    """Whether a list, or what else lies on the way to a path, has become a value of the graph."""
    for key in path:
        value = value.value if type(value) is MaybeSet else value
        if CURRENT.stager.is_staged(value):
            return True
        value = part_of(value, (key,))
    return False


def check_unchanged(name: str, merged, other: str, container) -> None:
    """Refuse, at the end of the block, if one of two containers that Python has as one changed."""
    is_array = isinstance(container, np.ndarray) or CURRENT.stager.is_tensor(container)
    if merged is container or not (is_array or is_container(merged)):
        return
    cls = "array" if is_array else class_name(container)
    copy = "a copy of it" if is_array else f"{cls}(...) of it"
    refusal = CURRENT.stager.refusal_of_construct(
        f"a tensor chooses whether {name} is, or holds, the {cls} {other}, and one of the two is "
        "changed afterwards: in a graph, the choice is a copy",
        f"Change the {cls} before, or let both sides of the choice hold copies, such as {copy}.",
    )
    contents = Snapshot([merged], arrays=False), Snapshot([container], arrays=is_array)

    related = RELATED.get()
    if related is not None:
        related.append((merged, name, container, other))

    inside = [one for content in contents for one, _ in content.rows]
    ids = set(map(id, inside))

    def is_meant(one) -> bool:
        return id(one) in ids or is_part(one, merged) or is_part(one, container)

    watch(inside)
    _refuse_at_end(refusal, contents, is_meant, (merged, container))


def _refuse_at_end(refusal: Exception, contents, is_meant, copy: tuple | None = None) -> None:
    """Raise, at the end of the block, if one of some contents changed, or if another object has
    that of one that is meant. `copy` is a copy, and what it is in Python.
    """
    before = len(REPLACED.get() or ())

    def check() -> None:
        replaced = (REPLACED.get() or [])[before:]
        if any(map(is_meant, replaced)) or any(one.changed() for one in contents):
            raise refusal

    copies = COPIES.get()
    if copies is None:
        CURRENT.stager.check_at_end(check)
    else:
        copies.append((*(copy or (check, check)), check))


# Roles in READ: some items were lists; a copy; taken out of a list; held by a list.
LISTS, COPY, TAKEN_OUT, HELD = range(4)


class Link(NamedTuple):
    """A container that is a copy of an item of a list that grows, or of which one holds a copy."""

    container: Any
    role: int
    refusal: Callable  # the error for one with a name (None: it has no name) that changes

    def note_again(self, container, name: str) -> None:
        """Note that another container is this one after a statement."""
        _refuse_changes(container, self.role, self.refusal, name)


def note_read(item, items: str = "a list"):
    """An item that was read from a list whose items are tensors: a copy, which must not change."""
    if CURRENT.stager.is_tensor(item):
        if any(role == LISTS for role, _ in READ.get() or ()):
            note_role(COPY, [item])
    elif REPLACED.get() is not None:
        _refuse_changes(item, COPY, lambda one, name: refusal_of_changed_item(items, name))
    return item


def note_held(container, name: str | None = None) -> None:
    """Note that a list that grows takes a copy of a container, which must not change afterwards."""
    if REPLACED.get() is None or CURRENT.stager.is_tensor(container):
        return
    _refuse_changes(container, HELD, _refusal_of_changed_operand, name)
    if type(container) is list:
        note_role(LISTS, [None])


def note_taken_out(item):
    """An item that was removed from a list that grows. What the list took may be read elsewhere."""
    note_role(TAKEN_OUT, [item])
    return item


def role_of(item) -> int | None:
    """COPY for an item that was read from a list that grows, TAKEN_OUT for one that was removed."""
    roles = (role for role, one in READ.get() or () if one is item and role in (COPY, TAKEN_OUT))
    return next(roles, None)


def held() -> list:
    """The containers of which lists that grow hold copies."""
    return [one for role, one in READ.get() or () if role == HELD]


def _refusal_of_changed_operand(container, name: str | None) -> Exception:
    """The error for a container that changes after a list took it."""
    cls = class_name(container)
    return CURRENT.stager.refusal_of_construct(
        f"{f'the {cls} {name}' if name else f'a {cls}'} is changed after it was put into a list "
        "that grows in a staged statement: in a graph, that list holds a copy",
        "Append a new one in each iteration, or change it before.",
    )


def refusal_of_changed_item(items: str, name: str | None = None) -> Exception:
    """The error for an item of such a list that changes."""
    what = f"{name}, an item of {items}," if name else f"an item of {items}"
    return CURRENT.stager.refusal_of_construct(
        f"{what} is changed: in a graph, what is read from there is a copy",
        "Assign the whole item, as in rows[i] = [...], or keep the numbers in a tensor.",
    )


def _refuse_changes(value, role: int, refusal: Callable, name: str | None = None) -> None:
    """Raise `refusal(value, name)`, at the end of the block, if a value, or a container in it,
    changed.
    """
    content = Snapshot([value], arrays=False)
    if not content.rows or READ.get() is None:
        return
    containers = [one for one, _ in content.rows]
    note_role(role, containers)
    watch(containers)
    assigned = ASSIGNED.get()
    if assigned is not None:
        assigned += [Link(one, role, refusal) for one in containers]
    _refuse_at_end(refusal(value, name), [content], lambda one: _is_in(one, containers))


def related_to(container) -> list[tuple]:
    """(name, container) of what one may be the same as in Python."""
    found = RELATED.get() or ()
    return [(other, two) for one, _, two, other in found if one is container] + [
        (name, one) for one, name, two, _ in found if two is container
    ]


@contextlib.contextmanager
def block():
    """A block of a staged statement: the copies that statements inside of it make."""
    copies: list[tuple] = []
    token = COPIES.set(copies)
    try:
        yield copies
    finally:
        COPIES.reset(token)


def note_copy(copy, container) -> None:
    """Note what a copy is in Python, for the statement around."""
    copies = COPIES.get()
    if copies is not None and is_container(copy):
        copies.append((copy, container, lambda: None))


def check_copies() -> None:
    """Raise if a container was changed since this block copied it. It may be changed back later."""
    for *_, check in COPIES.get() or ():
        check()


# ---- tensors that stand for arrays ---------------------------------------------------


class Arrays(dict[int, tuple]):
    """By identity: what stands for an array, and the arrays of which it may be a view."""

    def __init__(self) -> None:
        self.others: dict[int, tuple] = {}  # what does not


ARRAYS: ContextVar[Arrays | None] = ContextVar("allograph_arrays", default=None)  # in a trace


def note_array(tensor, base=None) -> None:
    """Note that a tensor stands for an array, or for a view of `base`."""
    arrays = ARRAYS.get()
    if arrays is not None:
        for value in CURRENT.stager.memory_of(tensor)[:1]:
            known = arrays.setdefault(id(value), (value,))
            if base is not None and not _is_in(base, known):
                arrays[id(value)] = (*known, base)


def note_item(item, array) -> None:
    """Note that an item of an array, at an index that is known later, is a view where it can be."""
    arrays = ARRAYS.get()
    if arrays is not None:
        for value in CURRENT.stager.memory_of(item)[1:]:
            arrays.setdefault(id(value), (value, array))


def row_of(items, item):
    """An item of a loop, which is a view if the loop is over an array."""
    note_read(item, "what a loop goes through")
    if is_array(items):
        note_array(item, items)
    return item


def is_array(value) -> bool:
    """Whether a value is an array, or a tensor that stands for one or for a view of one."""
    return bool(arrays_below(value))


def arrays_below(value) -> list:
    """The arrays, and what stands for them in graphs, whose memory a value would share."""
    arrays, found, queue = ARRAYS.get(), [], [value]
    for one in queue:  # which grows meanwhile
        if isinstance(one, np.ndarray):
            found.append(one)
            continue
        for inside in _noted(one, arrays) if arrays else ():
            if not _is_in(inside, found):
                found.append(inside)
                queue += arrays[id(inside)][1:]
    return found


def _noted(tensor, arrays: Arrays) -> list:
    """What of the memory of a tensor stands for arrays. What is computed from one is another."""
    memory = CURRENT.stager.memory_of(tensor)
    found = [one for one in memory if id(one) in arrays]
    if memory and not found and CURRENT.stager.is_computed_from(tensor, arrays, arrays.others):
        arrays[id(memory[-1])] = (memory[-1],)
        return memory[-1:]
    return found


def is_part(one, other) -> bool:
    """Whether two values are one object, or arrays that share memory."""
    return one is other or any(
        _share_memory(array, below) for array in arrays_below(one) for below in arrays_below(other)
    )


def _share_memory(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.may_share_memory(one, other)
    return one is other
