"""Assignments to items of what other names share: arrays that become tensors, items of lists."""

from __future__ import annotations

from .containers import content
from .other_holders import refusal
from .reachable_state import Reachable
from .shared_containers import arrays_below, held, is_part, refusal_of_changed_item, related_to


def refuse_shared_array(array, put) -> None:
    """Refuse that an array becomes a tensor, or a tensor that stands for one another one, while
    something that is read later holds it, or a view of it. `put` stores the new tensor in the
    object that holds the array.
    """
    if not arrays_below(array):
        return
    found = Reachable((), lambda values: None, tensors=True)
    own = _key_stored(found.parts(), array, put)
    names = [
        name
        for name, one, _, again, key in found.live_edges()
        if not again and key != own and is_part(one, array)
    ]
    if names:
        names = [name for name in names if "__" not in name] or ["another name"]
        raise refusal(found.assigned or _name_of(found.edges, own), names[0], array)


def refuse_shared_item(is_stored: bool) -> None:
    """Refuse that an item of an item of a list that grows is assigned: what was read is a copy. If
    the change is stored, or the item was taken out, it is right, unless a container that the list
    took is read later.
    """
    taken = [two for one in held() for two in (one, *(other for _, other in related_to(one)))]
    edges = Reachable((), lambda values: None).live_edges() if taken and is_stored else ()
    names = [name for name, one, *_ in edges if any(one is other for other in taken)]
    if not is_stored:
        raise refusal_of_changed_item("a list")
    if names:
        raise refusal(names[0], "the list that took it", [])


def _key_stored(parts: dict, array, put) -> tuple | None:
    """The key of the edge to an array that a function stores anew."""
    queue, seen = [content(cell) for cell in getattr(put, "__closure__", None) or ()], set()
    for one in queue:  # which grows meanwhile
        for _, part, *_, key in parts.get(id(one), ()) if id(one) not in seen else ():
            if part is array:
                return key
            queue.append(part)
        seen.add(id(one))
    return None


def _name_of(edges, own) -> str:
    return next((name for name, *_, key in edges if key == own), "the array")
