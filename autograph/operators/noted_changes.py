"""Changes of containers, noted where they happen: at the end, the content may be the old one again.

    d["k"] = 9          # `chosen`, a copy of `d` that a tensor chose, would have this in Python
    n = chosen["k"]
    d["k"] = 1

Compiled code asks `NOTES` before it assigns an item or an attribute, which costs nothing else where
nothing is noted. What code does that is not converted is compared before and after the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar

from .containers import Snapshot, is_container, same_items, shallow

NOTES: dict[int, object] = {}  # the traces and blocks in which changes are noted, by identity
WATCHED: ContextVar[dict | None] = ContextVar("allograph_watched", default=None)  # in a trace
READ: ContextVar[list | None] = ContextVar("allograph_read", default=None)  # in a trace
REPLACED: ContextVar[list | None] = ContextVar("allograph_replaced", default=None)  # in a trace
ASSIGNED: ContextVar[list | None] = ContextVar("allograph_assigned", default=None)  # in a block


def watch(containers: Iterable) -> None:
    """Note from here on what changes containers that another one is a copy of, or that are one."""
    watched = WATCHED.get()
    if watched is not None:
        watched.update((id(one), one) for one in containers)
        NOTES[id(watched)] = watched


def note_role(role: int, items: Iterable) -> None:
    """Note what objects are to a list that grows, as `shared_containers` says."""
    read = READ.get()
    if read is not None:
        read += [(role, one) for one in items]
        NOTES[id(READ.get())] = read


def forget(notes) -> None:
    """A trace or a block ends."""
    NOTES.pop(id(notes), None)


def is_minded() -> bool:
    """Whether changes are noted here. There may be notes of other threads."""
    return bool(NOTES) and (ASSIGNED.get() is not None or bool(WATCHED.get() or READ.get()))


def note_replaced(container) -> None:
    """Note that another object has the content of a container from here on."""
    replaced = REPLACED.get()
    if replaced is not None:
        replaced.append(container)


def changed(owner):
    """An object that gets an item or an attribute, or loses one."""
    if is_container(owner):
        _note(owner)
    elif WATCHED.get() and hasattr(owner, "__dict__"):
        _note(vars(owner))
    return owner


def _note(container) -> None:
    if id(container) in (WATCHED.get() or ()):
        note_replaced(container)
    assigned = ASSIGNED.get()
    if assigned is not None:
        assigned.append(container)


def changing(container, change: Callable):
    """`change()`, which may change a container and nothing in it."""
    if not is_container(container) or not is_minded():
        return change()
    return _compared([(container, shallow(container))], change)


def minding(form: Callable) -> Callable:
    """A function that is not converted: it may change its arguments, and what it knows itself."""
    if not is_minded():
        return form

    def compared(*args, **kwargs):
        watched = (WATCHED.get() or {}).values()
        held = args if ASSIGNED.get() is not None else ()
        content = Snapshot([*watched, *held, *kwargs.values()], arrays=False)
        return _compared(content.rows, lambda: form(*args, **kwargs))

    return compared


def _compared(rows: list[tuple], change: Callable):
    """`change()`. Note which of some containers, each with its content, do not hold the same."""
    try:
        return change()
    finally:
        for container, before in rows:
            if not same_items(shallow(container), before):
                _note(container)
