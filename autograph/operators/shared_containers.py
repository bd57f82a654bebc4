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

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..current_trace import TRACE, Notes, unsupported
from ..forms import form_of, is_computed_from, memory_of
from . import opaque_content
from .containers import Snapshot, containers_below, is_container, is_fixed, item_at, items_of
from .noted_changes import class_name, is_among, note_held, note_read, refuse_at_end, watch
from .undefined import MaybeSet

RESULT = "retval_"  # the variable that holds what a function returns


class SharedAfterMerge:
    """The containers that the outcomes of the runs of one statement share.

    `names` are those of its state, `before` its values, and `watch` knows what else is reachable.
    """

    def __init__(self, names, before, contents: Snapshot, watch):
        self.names = names
        self.before = before
        self.contents = {id(container): content for container, content in contents.rows}
        self.watch = watch
        self.outside: list[tuple] = []  # (position, path, name, container before the statement)
        self.pairs: list[tuple] = []  # (position, path, position, path)
        self.carried: dict[int, tuple] = {}  # as `known`, for what a loop carries instead
        self._known: dict[int, tuple] | None = None
        _note_outer(watch.reachable.frames)

    def note(self, start_values, after, copies: list, started: Snapshot | None = None) -> None:
        """Note what the outcome of a run shares, where `given` was the state before it. That of
        an iteration `started` with these contents.
        """
        copied: dict[int, list] = {}
        for copy, original, *_ in copies:
            copied.setdefault(id(copy), []).append(original)
        seen: dict[int, list] = {}  # where each container is
        if started is not None:
            self._note_carried(start_values, after, seen, started)
        for position, values in enumerate(zip(after, start_values, strict=True)):
            for path, container in self._new(*values, (), seen, copied):
                for origin in _origins(container, copied):
                    self._note(position, path, origin, seen)

    def _note_carried(self, start_values, after, seen: dict, started: Snapshot) -> None:
        """Note the containers of an iteration that it leaves where they were; and those that a loop
        carries in place of others, lists that grow and copies, by the names that they begin with.
        """
        self.carried = {}
        contents = {id(container): items for container, items in started.rows}
        for position, (old, start) in enumerate(zip(self.before, start_values, strict=True)):
            label = f"'{self.names[position]}'"
            for path, before, container in self._at_start(old, start, (), contents, ()):
                if before is not container:
                    self.carried[id(container)] = self.known.get(id(before), (label, before))
                if part_of(after[position], path) is container:
                    seen.setdefault(id(container), []).append((position, path))

    def _at_start(self, old, start, path: tuple, contents: dict, around: tuple) -> Iterator[tuple]:
        """(path, container before the statement, container there at the start of an iteration)"""
        old, start = (value.value if type(value) is MaybeSet else value for value in (old, start))
        if not all(is_container(value) or is_fixed(value) for value in (old, start)):
            return
        if is_among(start, around):
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
        named = self.known.get(id(container)) or self.carried.get(id(container))
        named = named or TRACE.get().notes.outer.get(id(container))
        if named:
            self.outside.append((position, path, *named))
        places = seen.setdefault(id(container), [])
        self.pairs += [(*place, position, path) for place in places]
        places.append((position, path))

    def _new(self, value, old, path: tuple, seen, copied) -> Iterator[tuple]:
        """The containers in a value that `old` does not have at the same path, and the arrays."""
        value, old = (each.value if type(each) is MaybeSet else each for each in (value, old))
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
            if is_seen or id(value) in self.known or TRACE.get().stager.is_staged(value):
                return
        for key, part in items_of(value).items():
            yield from self._new(part, before.get(key), (*path, key), seen, copied)

    def _holder_of(self, array) -> str | None:
        """The name of an array that there was before, and that has the memory of one."""
        edges = self.watch.reachable.edges
        return next((f"'{name}'" for name, value, *_ in edges if is_part(value, array)), None)

    @property
    def known(self) -> dict[int, tuple]:
        """The containers that there were before the statement, with their names, by identity."""
        if self._known is None:
            known: dict[int, tuple] = {}
            rows = [
                (name, value, Snapshot([value], arrays=False))
                for name, value in zip(self.names, self.before, strict=True)
            ]
            for name, value, snapshot in (*rows, *self.watch.snapshots):
                for part, _ in snapshot.rows:
                    label = f"'{name}'" if part is value else f"in '{name}'"
                    known.setdefault(id(part), (label, part))
            for name, owner in self.watch.objects:
                if hasattr(owner, "__dict__"):
                    known[id(vars(owner))] = (f"'{name}.__dict__'", vars(owner))
            self._known = known
        return self._known

    def check(self, names, after, places_of=lambda container: ()) -> None:
        """Refuse later changes of the containers of the merged state, and of what they share."""
        for position, path, name, container in self.outside:
            label, merged = _label(names[position]), part_of(after[position], path)
            is_taken = is_in_staged_list(after[position], path)

            def check(now, label=label, merged=merged, is_taken=is_taken, name=name) -> None:
                note_held(now, name) if is_taken else check_unchanged(label, merged, name, now)

            check(container)
            for _, other, its_path in places_of(container):  # where another may be now
                now = part_of(after[other], its_path)
                is_new = is_container(now) or TRACE.get().stager.is_tensor(now)
                if is_new and now is not container:
                    check(now)
        for position, path, other, its_path in self.pairs:
            first, second = part_of(after[position], path), part_of(after[other], its_path)
            name, its_name = _label(names[position]), _label(names[other])
            if is_in_staged_list(after[position], path):
                note_held(second, its_name)
            elif is_in_staged_list(after[other], its_path):
                note_held(first, name)
            if id(second) in self.known:  # an original: the other one is the copy
                first, second, name, its_name = second, first, its_name, name
            if is_container(first):
                check_unchanged(its_name, second, name, first)


def _note_outer(frames) -> None:
    """Note the containers in global variables and in the closure of the traced function, as they
    are when the first statement of a trace is reached.
    """
    outer = TRACE.get().notes.outer
    if not TRACE.get().notes.are_taken:
        return
    for code, package, namespace in frames.namespaces_outside(outer):
        outer[code] = namespace
        for name, value in namespace.items():
            for path, container in containers_below(name, value, package):
                outer.setdefault(id(container), (f"'{path}'", container))


def _origins(value, copied: dict[int, list]) -> list:
    """The objects that a value may be in Python: those of which it is a copy, or else itself."""
    if id(value) not in copied:
        return [value]
    queue = list(copied[id(value)])
    for candidate in queue:  # a worklist
        queue += [other for other in copied.get(id(candidate), ()) if not is_among(other, queue)]
    return [candidate for candidate in queue if id(candidate) not in copied]


def _label(name: str) -> str:
    if name == RESULT:
        return "the return value"
    return name if " " in name else f"'{name}'"


def paths_of(names, values) -> Iterator[tuple]:
    """(label, position, path, container) for what lies in the values of a state."""
    for position, (name, value) in enumerate(zip(names, values, strict=True)):
        for label, path, part in _paths_in(name.replace('"', "'"), (), value, ()):
            yield label, position, path, part


def _paths_in(label: str, path: tuple, value, around: tuple) -> Iterator[tuple]:
    value = value.value if type(value) is MaybeSet else value
    if any(value is part for part in around):
        return
    if is_container(value):
        yield label, path, value
        if TRACE.get().stager.is_staged(value):  # what it holds is no object of Python's
            return
    elif TRACE.get().stager.is_tensor(value) or opaque_content.content_of(value) is not None:
        yield label, path, value
        return
    elif not is_fixed(value):
        return
    around = (*around, value)
    has_items = isinstance(value, (list, dict, tuple))
    for key, item in items_of(value).items():
        step = f"[{key!r}]" if has_items else f".{key}"
        yield from _paths_in(f"{label}{step}", (*path, key), item, around)


def part_of(value, path: tuple):
    """The container at a path in a merged value; None if that is none of Python's."""
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
        if TRACE.get().stager.is_staged(value):
            return True
        value = part_of(value, (key,))
    return False


def check_unchanged(name: str, merged, other: str, container) -> None:
    """Refuse, at the end of the block, if one of two containers that Python has as one changed."""
    is_array = isinstance(container, np.ndarray) or TRACE.get().stager.is_tensor(container)
    if merged is container or not (is_array or is_container(merged)):
        return
    cls = "array" if is_array else class_name(container)
    copy = "a copy of it" if is_array else f"{cls}(...) of it"
    refusal = unsupported(
        f"a tensor chooses whether {name} is, or holds, the {cls} {other}, and one of the two is "
        "changed afterwards: in a graph, the choice is a copy",
        f"Change the {cls} before, or let both sides of the choice hold copies, such as {copy}.",
    )
    contents = Snapshot([merged], arrays=False), Snapshot([container], arrays=is_array)

    notes = TRACE.get().notes
    if notes.are_taken:
        notes.related.append((merged, name, container, other))
    inside = [container_inside for content in contents for container_inside, _ in content.rows]
    ids = set(map(id, inside))

    def is_meant(changed) -> bool:
        return id(changed) in ids or is_part(changed, merged) or is_part(changed, container)

    watch(inside)
    refuse_at_end(refusal, contents, is_meant, (merged, container))


def related_to(container) -> list[tuple]:
    """(name, container) of what one may be the same as in Python."""
    relations = TRACE.get().notes.related
    return [(other, second) for first, _, second, other in relations if first is container] + [
        (name, first) for first, name, second, _ in relations if second is container
    ]


def copied_from(container) -> Iterator:
    """The original of a copy, as far as that is noted."""
    return (second for first, _, second, _ in TRACE.get().notes.related if first is container)


# ---- tensors that stand for arrays ---------------------------------------------------


def note_array(tensor, base=None) -> None:
    """Note that a tensor stands for an array, or for a view of `base`."""
    notes = TRACE.get().notes
    if notes.are_taken:
        for value in form_of(memory_of)(tensor)[:1]:
            known = notes.arrays.setdefault(id(value), (value,))
            if base is not None and not is_among(base, known):
                notes.arrays[id(value)] = (*known, base)


def note_item(item, array) -> None:
    """Note that an item of an array, at an index that is known later, is a view where it can be."""
    notes = TRACE.get().notes
    if notes.are_taken:
        for value in form_of(memory_of)(item)[1:]:
            notes.arrays.setdefault(id(value), (value, array))


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
    notes, arrays, queue = TRACE.get().notes, [], [value]
    for part in queue:  # a worklist
        if isinstance(part, np.ndarray):
            arrays.append(part)
            continue
        for inside in _noted(part, notes) if notes.arrays else ():
            if not is_among(inside, arrays):
                arrays.append(inside)
                queue += notes.arrays[id(inside)][1:]
    return arrays


def _noted(tensor, notes: Notes) -> list:
    """The memory of a tensor that stands for arrays. What is computed from one is another."""
    arrays, memory = notes.arrays, form_of(memory_of)(tensor)
    noted = [array for array in memory if id(array) in arrays]
    if memory and not noted and form_of(is_computed_from)(tensor, arrays, notes.no_arrays):
        arrays[id(memory[-1])] = (memory[-1],)
        return memory[-1:]
    return noted


def is_part(first, b) -> bool:
    """Whether two values are one object, or arrays that share memory."""
    return first is b or any(
        _share_memory(array, below) for array in arrays_below(first) for below in arrays_below(b)
    )


def _share_memory(first: Any, second: Any) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.may_share_memory(first, second)
    return first is second
