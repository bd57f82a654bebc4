"""Changes of containers, noted where they happen: at the end, the content may be the old one again.

    d["k"] = 9          # `chosen`, a copy of `d` that a tensor chose, would have this in Python
    n = chosen["k"]
    d["k"] = 1

Compiled code asks `NOTES` before it assigns an item or an attribute, which costs nothing else where
nothing is noted. What code does that is not converted is compared before and after the call.

A copy, and what it is a copy of, must not change where the graph cannot follow: that is checked at
the end of the block. So it is with the items that a growing list has taken, or has given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..current_trace import TRACE, unsupported
from ..forms import at_end, form_of
from .containers import Snapshot, is_container, same_items, shallow
from .forwarding_lists import LIST_CLASSES

NOTES: dict[int, object] = {}  # the traces and blocks in which changes are noted, by identity
AT_CHANGES: list[Callable] = []  # what is called with each container whose change is noted

CHANGE_NOTHING = {"allograph", "numpy"}  # packages whose functions change no arguments
# Roles in `Notes.read`: a copy; taken out of a list; held by a list; held twice; a copy, and the
# list that gave it.
COPY, TAKEN_OUT, HELD, TWICE, GIVEN = range(5)


def watch(containers: Iterable) -> None:
    """Note from here on what changes containers that another one is a copy of, or that are one."""
    notes = TRACE.get().notes
    if notes.are_taken:
        notes.watched.update((id(container), container) for container in containers)
        NOTES[id(notes.watched)] = notes.watched


def note_role(role: int, items: Iterable) -> None:
    """Note what objects are to a list that grows, as `shared_containers` says."""
    notes = TRACE.get().notes
    if notes.are_taken:
        notes.read += [(role, value) for value in items]
        NOTES[id(notes.read)] = notes.read


def having(role: int) -> list:
    """The objects that have a role to lists that grow."""
    return [value for its_role, value in TRACE.get().notes.read if its_role == role]


def is_among(value, values: Iterable) -> bool:
    """Whether a value is one of some objects."""
    return any(value is candidate for candidate in values)


def is_tracking() -> bool:
    """Whether changes are noted here. There may be notes of other threads."""
    trace = TRACE.get()
    has_notes = bool(trace.notes.watched or trace.notes.read)
    return bool(NOTES) and (has_notes or trace.assigned is not None)


def note_replaced(container) -> None:
    """Note that another object has the content of a container from here on."""
    notes = TRACE.get().notes
    if notes.are_taken:
        notes.replaced.append(container)


def changed(owner):
    """An object that gets an item or an attribute, or loses one."""
    if is_container(owner):
        _note(owner)
    elif TRACE.get().notes.watched and hasattr(owner, "__dict__"):
        _note(vars(owner))
    return owner


def _note(container) -> None:
    for check in AT_CHANGES:
        check(container)
    if id(container) in TRACE.get().notes.watched:
        note_replaced(container)
    note_assigned(container)


def note_assigned(container) -> None:
    """Note that an object gets an item in the present block."""
    assigned = TRACE.get().assigned
    if assigned is not None:
        assigned.append(container)


def changing(container, change: Callable):
    """The result of `change()`; `container` is noted as changed if its own items differ then."""
    if not is_container(container) or not is_tracking():
        return change()
    return _compared([(container, shallow(container))], change)


def tracking_changes(form: Callable) -> Callable:
    """A function that is not converted: it may change its arguments, and what it knows itself."""
    if not is_tracking():
        return form

    def compared(*args, **kwargs):
        held = args if TRACE.get().assigned is not None else ()
        content = Snapshot(
            [*TRACE.get().notes.watched.values(), *held, *kwargs.values()], arrays=False
        )
        return _compared(content.rows, lambda: form(*args, **kwargs))

    return compared


def noting_changes(function, form):
    """The `form` of a function that is not converted; where changes of containers are noted, what
    it changes is.
    """
    if not NOTES or not is_tracking():
        return form
    owner = getattr(function, "__self__", None)
    if is_container(owner):
        return lambda *args, **kwargs: changing(owner, lambda: form(*args, **kwargs))
    root = (getattr(function, "__module__", None) or type(function).__module__).partition(".")[0]
    return form if root in CHANGE_NOTHING else tracking_changes(form)


def _compared(rows: list[tuple], change: Callable):
    """`change()`. Note which of some containers, each with its content, do not hold the same."""
    try:
        return change()
    finally:
        for container, before in rows:
            if not same_items(shallow(container), before):
                _note(container)


# ---- copies, which must not change -----------------------------------------------------


def note_copy(copy, container) -> None:
    """Note what a copy is in Python, for the statement around."""
    copies = TRACE.get().copies
    if copies is not None and is_container(copy):
        copies.append((copy, container, lambda: None))


def check_copies() -> None:
    """Raise if a container was changed since this block copied it. It may be changed back later."""
    for *_, check in TRACE.get().copies or ():
        check()


def refuse_at_end(refusal: Exception, contents, is_meant, copy: tuple | None = None) -> None:
    """Raise, at the end of the block, if one of some contents changed, or if another object has
    that of one that is meant. `copy` is a copy, and what it is in Python.
    """
    before = len(TRACE.get().notes.replaced)

    def check() -> None:
        if any(map(is_meant, TRACE.get().notes.replaced[before:])) or any(
            content.changed() for content in contents
        ):
            raise refusal

    copies = TRACE.get().copies
    if copies is None:
        form_of(at_end)(check)
    else:
        copies.append((*(copy or (check, check)), check))


def class_name(container) -> str:
    """The word of messages for a container: a list that grows in a staged loop is a list."""
    return "list" if TRACE.get().stager.is_staged(container) else type(container).__name__


# ---- what lists that grow take, and give ------------------------------------------------


class Link(NamedTuple):
    """A container that is a copy of an item of a list that grows, or of which one holds a copy."""

    container: Any
    role: int
    refusal: Callable  # the error for one with a name (None: it has no name) that changes

    def note_again(self, container, name: str) -> None:
        """Note that another container is this one after a statement."""
        _refuse_changes(container, self.role, self.refusal, name)


def note_read(item, items: str = "a list", source=None):
    """An item that was read from a list whose items are tensors: a copy, which must not change.
    `source` is the list, if another item of it may be this one.
    """
    if is_container(item):
        note_role(GIVEN, [(item, source)])
    _refuse_changes(item, COPY, lambda container, name: refusal_of_changed_item(items, name))
    return item


def note_held(container, name: str | None = None) -> None:
    """Note that a list that grows takes a copy of a container, which must not change afterwards."""
    _refuse_changes(container, HELD, _refusal_of_changed_operand, name)


def note_taken(item) -> None:
    """Note that a list that grows takes an item; and if one has taken it before, in this block."""
    assigned = TRACE.get().assigned
    taken = having(HELD) if assigned is None else held_in(assigned)
    note_held(item)
    if role_of(item) == COPY:
        note_double_held([item])
    note_double_held(
        part for part, _ in Snapshot([item], arrays=False).rows if is_among(part, taken)
    )


def note_double_held(containers: Iterable) -> None:
    """Note the containers that lists which grow hold at two places. The copies there are several,
    and do not change together.
    """
    held = list(containers)
    if held:
        note_role(TWICE, held)


def note_shared(items: Iterable, before: dict) -> None:
    """Note the containers in the items of a list that grows which it holds twice. `before` has, by
    identity, those that it holds already.
    """
    for item in items:
        held = [part for part, _ in Snapshot([item], arrays=False).rows]
        note_double_held(part for part in held if id(part) in before)
        before.update((id(part), part) for part in held)


def note_copied(rows) -> None:
    """Note that two lists that grow hold these items, if they may be containers."""
    if Snapshot([rows], arrays=False).rows:
        note_role(TWICE, [rows])


def held_in(assigned: list) -> list:
    """The containers of which lists that grow took copies in a block."""
    return [event.container for event in assigned if type(event) is Link and event.role == HELD]


def role_of(item) -> int | None:
    """COPY for an item that was read from a list that grows, TAKEN_OUT for one that was removed."""
    roles = (
        role for role, part in TRACE.get().notes.read if part is item and role in (COPY, TAKEN_OUT)
    )
    return next(roles, None)


def given_by(source) -> list:
    """The copies that a list has given of its items. Lists that grow are other objects later on."""
    stager = TRACE.get().stager
    is_staged = stager.is_staged(source)
    return [
        item
        for item, other in having(GIVEN)
        if other is source or (is_staged and other is not None and stager.is_staged(other))
    ]


def given_from_around(container) -> list:
    """The copies that plain lists have given of their items, if a container is in one of these."""
    return [
        item
        for item, source in having(GIVEN)
        if type(source) in LIST_CLASSES
        and source is not container
        and is_among(container, (row for row, _ in Snapshot([source], arrays=False).rows))
    ]


def _refusal_of_changed_operand(container, name: str | None) -> Exception:
    """The error for a container that changes after a list took it."""
    cls = class_name(container)
    return unsupported(
        f"{f'the {cls} {name}' if name else f'a {cls}'} is changed after it was put into a list "
        "that grows in a staged statement: in a graph, that list holds a copy",
        "Append a new one in each iteration, or change it before.",
    )


def refusal_of_changed_item(items: str, name: str | None = None) -> Exception:
    """The error for an item of such a list that changes."""
    what = f"{name}, an item of {items}," if name else f"an item of {items}"
    return unsupported(
        f"{what} is changed: in a graph, what is read from there is a copy",
        "Assign the whole item, as in rows[i] = [...], or keep the numbers in a tensor.",
    )


def _refuse_changes(value, role: int, refusal: Callable, name: str | None = None) -> None:
    """Raise `refusal(value, name)`, at the end of the block, if a value, or a container in it,
    changed.
    """
    content = Snapshot([value], arrays=False)
    if not content.rows or not TRACE.get().notes.are_taken:
        return
    containers = [container for container, _ in content.rows]
    note_role(role, containers)
    watch(containers)
    assigned = TRACE.get().assigned
    if assigned is not None:
        assigned += [Link(container, role, refusal) for container in containers]
    refuse_at_end(refusal(value, name), [content], lambda part: is_among(part, containers))
