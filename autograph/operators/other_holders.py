"""Alias check: other references to a container that staging replaces by a new object.

    other = rows
    if x > 0:
        rows.append(x)      # in a graph, `rows` is another list from here on
    return other[-1]        # would be an item from before: refused

A statement writes its outcome into the containers that it found, for all that hold them. It cannot
where a list grows, where a block also binds the name anew, and for NumPy arrays.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..current_trace import TRACE, Notes, unsupported
from . import opaque_content
from .changes_by_calls import rebound_before_read, updated_by
from .containers import Snapshot, children, is_container, kept_around, same_items, shallow
from .forwarding_lists import ForwardingList
from .noted_changes import (
    COPY,
    HELD,
    NOTES,
    Link,
    check_copies,
    class_name,
    held_in,
    note_assigned,
    note_copy,
    note_double_held,
    note_held,
    note_replaced,
)
from .reachable_state import Reachable, name_and_steps
from .shared_containers import (
    arrays_below,
    check_unchanged,
    copied_from,
    is_array,
    is_in_staged_list,
    is_part,
    note_array,
    part_of,
    paths_of,
    related_to,
)


@contextlib.contextmanager
def holding(arguments: dict):
    """A trace of a function whose caller keeps the containers in `arguments`."""
    trace, notes = TRACE.get(), Notes(arguments)
    trace.notes, trace.copies, trace.iterated = notes, [], ()
    try:
        yield
        check_copies()
    finally:
        NOTES.pop(id(notes.read), None)
        NOTES.pop(id(notes.watched), None)


@contextlib.contextmanager
def block(iterators):
    """A block of a staged statement: the copies that statements inside of it make; and the tensors
    that get items in it, with the containers that change. An array of the state may be a tensor in
    it. The `iterators` from outside are not advanced.
    """
    trace = TRACE.get()
    around = outer, *_ = trace.assigned, trace.copies, trace.outside
    assigned, copies = trace.assigned, trace.copies = [], []
    trace.outside = {**trace.outside, **{id(iterator): iterator for iterator in iterators}}
    NOTES[id(assigned)] = assigned
    try:
        yield copies, assigned
    finally:
        NOTES.pop(id(assigned), None)
        trace.assigned, trace.copies, trace.outside = around
        if outer is not None:
            taken = set(map(id, held_in(outer)))
            note_double_held(container for container in held_in(assigned) if id(container) in taken)
            outer += assigned


def note_assignment(target) -> None:
    """Note that an item of a tensor is assigned."""
    note_replaced(target)
    note_assigned(target)


class AliasCheck:
    """The containers in the state of one statement, and who else holds them.

    `names` are those of the state, `before` its values, `contents` what these held. `reachable`
    leads to everything else that holds something.
    """

    def __init__(self, names, before, contents: Snapshot, reachable: Reachable):
        self.names = names
        self.before = before
        self.contents = contents
        self.reachable = reachable
        may_change = contents.rows or contents.others or TRACE.get().notes.arrays
        self.paths = [
            path
            for path in (paths_of(names, before) if may_change else ())
            if is_array(path[-1]) or not TRACE.get().stager.is_tensor(path[-1])
        ]
        self.runs = 0
        # By identity, where one was, and the runs after which it is not there.
        self.left: dict[int, dict[str, set[int]]] = {}
        self.copies: list[tuple] = []  # (position, path, label, other, container)
        self.originals: list[tuple] = []  # (position, path, container that may be copied there)
        self.changed: set[int] = set()
        self.grown: set[int] = set()  # those of them that become other objects
        self.held: dict[int, Any] = {}  # of which a list that grows holds a copy
        self.links: dict[tuple, tuple] = {}  # (position, path, role): label, Link
        self.arrays: set[int] = set()  # positions in the state
        self.same: list[tuple] = []  # two (position, path) of what is one array after a run
        self.replaced_before = len(TRACE.get().notes.replaced)
        self.moves: list[tuple[int, int]] = []  # positions after a run, and before it

    def note(self, begun, after, started: Snapshot, assigned: list) -> None:
        """Note what a run, which has not been undone yet, has changed and has bound anew. It
        `started` with these contents, and has `assigned` items of these objects.
        """
        self._note_links(after, [event for event in assigned if type(event) is Link])
        if not self.paths:
            return
        self.runs += 1
        now = {(at, path): id(part) for _, at, path, part in paths_of(self.names, after)}
        gone = {(at, path) for _, at, path, part in self.paths if now.get((at, path)) != id(part)}
        for position, (start, end) in enumerate(zip(self.before, after, strict=True)):
            if is_array(start) or is_array(end):
                self.arrays.add(position)
            if is_container(end):
                self.moves += [(position, at) for at, part in enumerate(begun) if part is end]
        self._note_same(after)
        for label, position, path, part in self.paths:
            if any((position, path[:end]) in gone for end in range(len(path) + 1)):
                self.left.setdefault(id(part), {}).setdefault(label, set()).add(self.runs)
        touched = set(map(id, assigned))
        for part, items in started.rows:
            if id(part) in touched or not same_items(shallow(part), items):
                self.changed.add(id(part))
        for old, start in zip(self.before, begun, strict=True):
            if is_container(old) and type(start) is not type(old):  # the list grows in a loop
                self.changed.add(id(old))
                self.grown.add(id(old))
        for part, items in started.others:
            if opaque_content.has_changed(part, items):
                self.changed.add(id(part))

    def _note_links(self, after, links: list[Link]) -> None:
        """Note the containers that lists which grow took, or gave, and where a run leaves them."""
        known = {(id(event.container), event.role): event for event in links}
        self.held |= {key: event.container for (key, role), event in known.items() if role == HELD}
        for label, position, path, container in paths_of(self.names, after) if links else ():
            for role in (HELD, COPY):
                link = known.get((id(container), role))
                if link is not None:
                    self.links[position, path, role] = label, link

    def _note_same(self, after) -> None:
        """Note what is one array, or a view of one, at two places of the state after a run."""
        before = {(position, path): value for _, position, path, value in self.paths}
        rows = [
            ((position, path), value)
            for _, position, path, value in paths_of(self.names, after)
            if not is_container(value)
        ]
        for at, value in rows:
            if at in before and is_array(before[at]):
                note_array(value)
        arrays = [(at, value) for at, value in rows if is_array(value)]
        self.same += [
            (at, its)
            for (at, value), (its, other) in itertools.combinations(arrays, 2)
            if is_part(value, other)
        ]

    def note_tensors(self, start_values, after, assigned: list, body) -> None:
        """Note the arrays that are tensors in a loop, and that its body changes in place."""
        is_noted, is_tensor = TRACE.get().notes.are_taken, TRACE.get().stager.is_tensor
        for name, old, start, end in zip(self.names, self.before, start_values, after, strict=True):
            if not (is_noted or isinstance(old, np.ndarray)) or not is_tensor(start):
                continue
            if name not in updated_by(body) and not any(start is value for value in assigned):
                continue
            if isinstance(old, np.ndarray):
                self.changed.add(id(old))
            elif old is not start:
                note_assignment(old)
            end = next(copied_from(end), end)
            if is_array(end):  # and in the next iteration, that would change
                other = self._other(end, self.names) or self._same_after(name, end, after)
                if other is not None:
                    raise refusal(name, other, end)
                note_replaced(end)

    def _same_after(self, name: str, array, after) -> str | None:
        """Another name that has, or may have, an array at the end of a body."""
        for other, value in zip(self.names, after, strict=True):
            values = (value, *copied_from(value))
            if other != name and any(is_part(other_value, array) for other_value in values):
                return other
        return None

    def check_next_iteration(self, outside: list, pairs: list, body) -> None:
        """Refuse that a body changes a container, whose name it then binds to one from `outside`:
        the next iteration would change that one; or a later one, if the names exchange theirs. And
        that it changes one that is at two places at its end, as `pairs` says, unless one of them is
        a variable that each iteration renews before it is read.
        """
        if not (outside or pairs or self.links or self.held):
            return
        renewed = rebound_before_read(body)
        changed = self.changed | set(map(id, TRACE.get().notes.replaced[self.replaced_before :]))
        for _ in self.moves:
            changed |= {
                id(self.before[item]) for to, item in self.moves if id(self.before[to]) in changed
            }
        for position, path, other, container in outside:
            before = part_of(self.before[position], path)
            if before is container and id(container) not in self.grown:
                continue
            left = self.names if is_array(container) else self.left.get(id(container), ())
            if id(before) in changed and self._other(container, left):
                held = other if " " in other else other.strip("'")
                raise refusal(self.names[position], held, container)
            if self._has_parts_in_state(other[1:-1]) and self.names[position] not in renewed:
                raise refusal(self.names[position], other.strip("'"), container)
        self._check_held(changed, renewed)
        for place, path, its_place, its_path in pairs:
            first = part_of(self.before[place], path)
            second = part_of(self.before[its_place], its_path)
            if self.names[place] in renewed or self.names[its_place] in renewed:
                continue
            if first is not second and not {id(first), id(second)}.isdisjoint(changed):
                raise refusal(self.names[place], self.names[its_place], first or second)

    def note_taken_again(self, known: dict, outside: list) -> None:
        """Note the containers that a list may take in each iteration: one that was there before the
        loop, and that the next iteration finds in its place, or what the one before has taken.
        """
        again = {id(container) for *_, container in outside}
        labels: dict[int, set[str]] = {}
        for label, *_, held in self.paths:
            labels.setdefault(id(held), set()).add(label)
        for key, held in self.held.items():
            is_left = key in labels and labels[key] <= self.left.get(key, {}).keys()
            if key in known and (key in again or not is_left):
                note_double_held([held])
        for position, path, role in self.links:
            if role == HELD and id(part_of(self.before[position], path)) in self.held:
                note_double_held([part_of(self.before[position], path)])

    def _has_parts_in_state(self, holder: str) -> bool:
        """Whether the state has items or attributes of a container that has this name."""
        return any(name.startswith((f"{holder}[", f"{holder}.")) for name in self.names)

    def _check_held(self, changed: set[int], renewed: set[str]) -> None:
        """Refuse that a body changes a container that a list took, or gave, in an iteration
        before.
        """
        for (position, path, _), (label, link) in self.links.items():
            before = part_of(self.before[position], path)
            if id(before) in changed and self.names[position] not in renewed:
                raise link.refusal(before, f"'{label}'")
        for label, *_, container in self.paths:
            stays = label not in self.left.get(id(container), ())
            if id(container) in self.held and id(container) in changed and stays:
                raise refusal(label, "the list that took it", container)
        for name, container, *_ in self.reachable.edges if self.held else ():
            if id(container) in self.held and self._has_parts_in_state(name):
                raise refusal(name, "the list that took it", container)

    def refuse_changes(self, lists) -> None:
        """Refuse that a body changes a list that the loop goes through."""
        for label, *_, container in self.paths:
            if id(container) in self.changed and any(container is other for other in lists):
                raise unsupported(
                    f"a loop whose length a tensor decides goes through the list '{label}', which "
                    "its body changes",
                    f"Go through a copy, list({label}), or through indices, range(len({label})).",
                )

    def check(self, kept, after, is_loop: bool) -> tuple[set[tuple[str, tuple]], dict[int, tuple]]:
        """Refuse what another holder would not see. The (name, path) that need containers of their
        own: those that a loop binds anew, while something else still holds what was there. And the
        (label, container) that a branch changes and another binds anew, while something holds it.
        """
        rebound_paths: set[tuple[str, tuple]] = set()
        lost: dict[int, tuple] = {}
        for label, position, path, container in self.paths:
            left = self.left.get(id(container), {})
            is_replaced = self._is_replaced(container, path, kept[position], after[position])
            is_changed = bool(left) and is_container(container) and id(container) in self.changed
            if not is_replaced and not is_changed and label not in left:
                continue
            is_state = any(
                its_container is container
                and kept_around(kept[at], its_path)[0]
                and its_label not in left
                for its_label, at, its_path, its_container in self.paths
            )
            is_lost = is_replaced or (is_changed and (is_loop or not is_state))
            if not is_lost and label not in left:
                continue
            other = self._other(container, {label} if is_loop else (left or {label}))
            other = other or (None if is_state else self._other_around(position, path))
            if is_lost:
                other = other or _argument_that_is(container)
                if other is not None and (is_replaced or is_loop):
                    raise refusal(label, other, container)
                if other is not None:
                    lost[id(container)] = label, container
                else:
                    note_replaced(container)
                continue
            holders = [] if other is None else [(f"'{other}'", container)]
            if is_loop and holders:
                rebound_paths.add((self.names[position], path))
            if is_loop or len(left[label]) < self.runs:
                self.originals.append((position, path, container))
                for pair in (*holders, *related_to(container)):
                    self.copies.append((position, path, label, *pair))
        return rebound_paths, lost

    def _is_replaced(self, part, path: tuple, kept, after) -> bool:
        """Whether a container has another object in its place: an array that changes, and a list of
        others that grows.
        """
        if not is_container(part):
            return id(part) in self.changed
        now, (is_kept, inside) = part_of(after, path), kept_around(kept, path)
        return is_kept and not inside and type(now) is not type(part) and not stays(part, now)

    def bound_anew(self) -> list[list[tuple]]:
        """For each name of the state, the paths where a run leaves another container."""
        paths: list[list[tuple]] = [[] for _ in self.names]
        for label, position, path, container in self.paths:
            if label in self.left.get(id(container), ()):
                paths[position].append(path)
        return paths

    def _other_around(self, position: int, path: tuple) -> str | None:
        """Another reference to a container that a path goes through no longer, or None."""
        for label, its_position, its_path, container in self.paths:
            if its_position == position and its_path == path[: len(its_path)] != path:
                other = self._other(container, {label}) if self.left.get(id(container)) else None
                if other is not None:
                    return other
        return None

    def note_arrays(self, after) -> None:
        """Note the tensors in a state that stand for arrays."""
        for (position, path), (other, its_path) in self.same:
            note_array(part_of(after[other], its_path), part_of(after[position], path))
        for position in self.arrays:
            note_array(after[position])

    def check_copies(self, after) -> None:
        """Refuse later changes of the outcome, and of what it may be for another holder."""
        for held in self.held.values():
            note_held(held)
        for (position, path, role), (label, link) in self.links.items():
            if role == COPY and is_in_staged_list(after[position], path):
                note_double_held([link.container])
            link.note_again(part_of(after[position], path), f"'{label}'")
        self._note_taken(after)
        for position, path, held in self.originals:
            note_copy(part_of(after[position], path), held)
        for position, path, label, other, container in self.copies:
            part = part_of(after[position], path)
            check_unchanged(f"'{label}'", part, other, container)
        for (label, position, path, _), (other, its_position, its_path, _) in self._left_together():
            part, its_part = part_of(after[position], path), part_of(after[its_position], its_path)
            if is_container(its_part) and self._is_live(label) and self._is_live(other):
                check_unchanged(f"'{label}'", part, f"'{other}'", its_part)

    def _note_taken(self, after) -> None:
        """Note the containers of which lists hold copies since they grow, and which others hold."""
        taken = [
            (label, container)
            for label, position, path, container in self.paths
            if is_container(container) and is_in_staged_list(after[position], path)
        ]
        note_double_held(container for _, container in taken if id(container) in self.held)
        names: dict[int, set[str]] = {}
        for name, container in ((row[0], row[-1]) for row in self.paths) if taken else ():
            names.setdefault(id(container), set()).add(name)
        for name, container, *_ in self.reachable.live_edges() if taken else ():
            names.setdefault(id(container), set()).add(name)
        for label, container in taken:
            other = self._other(container, {label}) if names[id(container)] != {label} else None
            if other is not None:
                note_held(container, f"'{other}'")
                for its_label, at, its_path in self.places_of(container):
                    note_held(part_of(after[at], its_path), f"'{its_label}'")

    def _left_together(self) -> Iterator[tuple]:
        """Two paths that have one container after some runs, and others after other runs."""
        at: dict[int, list[tuple]] = {}
        for row in self.paths:
            if row[0] in self.left.get(id(row[-1]), ()):
                at.setdefault(id(row[-1]), []).append(row)
        for identity, rows in at.items():
            for first, second in itertools.combinations(rows, 2):
                if len(self.left[identity][first[0]] | self.left[identity][second[0]]) < self.runs:
                    yield first, second

    def _is_live(self, label: str) -> bool:
        return self.reachable.is_live(name_and_steps(label)[0])

    def places_of(self, container) -> Iterator[tuple]:
        """(label, position, path) where a container was before the statement."""
        for label, position, path, part in self.paths:
            if is_part(part, container):
                yield label, position, path

    def _other(self, container, labels) -> str | None:
        """The name of something that is read later and holds a container, besides the state at
        `labels`.
        """
        own = {key for label in labels for key in self.reachable.keys_of(label, container)}

        def is_other(edge) -> bool:
            return not edge[3] and edge[-1] not in own and is_part(edge[1], container)

        rows = [row for row in self.paths if row[-1] is container and row[0] not in labels]
        if not rows and not any(map(is_other, self.reachable.edges)):
            return None  # without a look at what is live
        live = self.reachable.live_edges()
        for edge in filter(is_other, live):
            return edge[0]
        known = {key for *_, key in live}
        for label, *_ in rows:
            if known.isdisjoint(self.reachable.keys_of(label, container)) and self._is_live(label):
                return label
        return None


def stays(container, now) -> bool:
    """Whether a container can have the content of another one, and stay the object that it is."""
    return isinstance(container, ForwardingList) and isinstance(now, list)


def _argument_that_is(container) -> str | None:
    """The name of the argument of the traced function that is, or holds, a container."""
    for name, value in TRACE.get().notes.arguments.items():
        queue, seen = [value], set()
        for candidate in queue:  # a worklist
            if candidate is container:
                return name
            if id(candidate) not in seen:
                seen.add(id(candidate))
                queue += children(candidate)
    return None


def refusal(label: str, other: str, container) -> Exception:
    """The error for a container that becomes another one at `label`, but not at `other`."""
    cls = "array" if arrays_below(container) else class_name(container)
    whose = other if " " in other else f"'{other}'"
    whose = f"what is {whose}" if whose.startswith("in ") else whose
    whose += ", where the function is called," if other == label else ""
    return unsupported(
        f"a tensor decides what the {cls} '{label}' holds, which becomes another {cls} in the "
        f"graph, and {whose} would stay what it was",
        "Use one name for it, change a copy, or return it and assign the result.",
    )
