"""Items: assignment, in place on Python's containers, a new value on staged ones; unpacking."""

from __future__ import annotations

import operator
import types

import numpy as np

from ..current_trace import TRACE, UNTRACED, unsupported
from ..forms import constant, form_of, unpacked, with_item
from .calls import is_user_code
from .checked_values import Checked, stored, with_default
from .comprehensions import Tested, collected, walked
from .containers import Snapshot, attributes_of, content, copied, is_container, written_into
from .forwarding_lists import LIST_CLASSES
from .noted_changes import (
    AT_CHANGES,
    COPY,
    HELD,
    NOTES,
    TAKEN_OUT,
    TWICE,
    changed,
    changing,
    given_by,
    given_from_around,
    having,
    is_among,
    is_tracking,
    note_held,
    note_read,
    refusal_of_changed_item,
    role_of,
)
from .other_holders import note_assignment, refusal
from .reachable_state import Reachable
from .shared_containers import (
    arrays_below,
    check_unchanged,
    is_part,
    note_array,
    note_item,
    related_to,
)
from .undefined import MaybeSet, Undefined

UPDATES = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
}

slice_ = slice
WHOLE = slice(None)
PLAIN = (list, dict, np.ndarray)


def set_item(value, target, key, put=None):
    """The new `target` after `target[key] = value`: tensors are replaced, other objects changed.

    `put` stores a replaced target in the object that held it.
    """
    trace, is_tracked = TRACE.get(), NOTES and is_tracking()
    if trace is UNTRACED and type(target) in PLAIN:
        target[key] = value
        return target
    stager = trace.stager
    role = role_of(target) if is_tracked else None
    if role is not None:
        refuse_shared_item(put is not None or role == TAKEN_OUT)
    tensor = target if stager.is_tensor(target) else form_of(constant)(target, key, value)
    if tensor is not None:
        refuse_shared_array(target, put)
        note_assignment(target)
        stands_for_array = arrays_below(target)
        target = form_of(with_item)(tensor, key, value)
        if stands_for_array:
            note_array(target)
        if put is not None:
            put(target)
    elif type(target) in LIST_CLASSES and stager.is_staged(key):
        items = form_of(with_item)(target, key, value)
        relate_rows(target, items, value)
        if put is not None and role == COPY:
            old, target = target, items
            _store(target, put, old)
        else:
            changing(target, lambda: operator.setitem(target, WHOLE, items))
    elif not is_tracked:
        target[key] = value
    elif put is not None and role == COPY:
        old, target = target, copied(target)
        target[key] = value
        _store(target, put, old)
    else:
        changing(target, lambda: operator.setitem(target, key, value))
    return target


def _store(target, put, old) -> None:
    """Store a new item of a list that grows where the `old` one was, which may be in a tuple."""
    notes = TRACE.get().notes
    notes.changed_copy = old
    try:
        put(target)
    except TypeError as error:
        if type(error) is not TypeError:
            raise
        raise refusal_of_changed_item("a list") from error
    finally:
        notes.changed_copy = None


def update_item(target, key, sign: str, value, put=None):
    """The new `target` after `target[key] += value()`, or another operator."""
    stager = TRACE.get().stager
    if type(target) in LIST_CLASSES and stager.is_staged(key):
        old = form_of(operator.getitem)(target, key)
        return set_item(UPDATES[sign](old, value()), target, key, put)
    tensor = form_of(constant)(target, key)
    old, operand = (target if tensor is None else tensor)[key], value()
    tensor = form_of(constant)(target, operand)  # its items cannot be updated in place
    if tensor is not None:
        old = tensor[key]
    return set_item(UPDATES[sign](old, operand), target, key, put)


def set_inner_item(value, target, key, *inner, put=None):
    """The new `target` after `target[key][inner()] = value`; there may be more inner keys.

    An item that is replaced, as a tensor is, becomes an item of the target in turn.
    """
    return _in_item(target, key, inner, put, lambda *place: set_item(value, *place))


def update_inner_item(target, key, sign: str, value, *inner, put=None):
    """The new `target` after `target[key][inner()] += value()`, or another operator."""

    def update(item, last, to):
        update_item(item, last, sign, value, to)

    return _in_item(target, key, inner, put, update)


def _in_item(target, key, inner, put, assign):
    """The new `target` after `assign(item, last, to)`: `item` is what all keys but the last lead
    to, and `to` stores another one in its place.
    """

    def put_inner(updated):
        nonlocal target
        _refuse_stored_copy(target)
        if TRACE.get().stager.is_tensor(target) and _selects_copies(key):
            raise unsupported(
                "an item of what an array of indices, or a mask, has selected is assigned: NumPy "
                "assigns it in a copy, which is lost",
                "Assign with one subscript: x[indices[0]] = v, or x[mask, 0] = v.",
            )
        is_list = type(target) in LIST_CLASSES and role_of(target) != COPY
        if is_list and TRACE.get().stager.is_staged(key) and is_container(updated):
            write_row(target, key, updated)
        else:
            target = set_item(updated, target, key, put)

    if NOTES and is_tracking():
        refuse_stale_items(target)
    item, (following, *rest) = get_item(target, key), inner
    if rest:
        _in_item(item, following(), rest, put_inner, assign)
    else:
        assign(item, following(), put_inner)
    return target


def _refuse_stored_copy(target) -> None:
    """Refuse that what was read from a list changes where a container of Python's holds it: it is a
    copy, and the item of the list would have to change too.
    """
    copy = TRACE.get().notes.changed_copy
    if copy is None or role_of(target) == COPY:
        return
    items = target.values() if type(target) is dict else ()
    if is_among(copy, list.__iter__(target) if type(target) in LIST_CLASSES else items):
        raise refusal_of_changed_item("a list")


def _selects_copies(key) -> bool:
    """Whether a subscript has an array or a list, so that NumPy returns no view."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(at, list) or np.ndim(at) != 0 for at in parts if at is not None)


# ---- assignments to items of what other names share ---------------------------------------


def refuse_shared_array(array, put) -> None:
    """Refuse that an array becomes a tensor, or a tensor that stands for one another one, while
    something that is read later holds it, or a view of it. `put` stores the new tensor in the
    object that holds the array.
    """
    if not arrays_below(array):
        return
    reachable = Reachable((), lambda values: None, tensors=True)
    own = _key_stored(reachable.parts(), array, put)
    names = [
        name
        for name, value, _, again, key in reachable.live_edges()
        if not again and key != own and is_part(value, array)
    ]
    if names:
        names = [name for name in names if "__" not in name] or ["another name"]
        raise refusal(reachable.assigned or _name_of(reachable.edges, own), names[0], array)


def refuse_shared_item(is_stored: bool) -> None:
    """Refuse that an item of an item of a list that grows is assigned: what was read is a copy. If
    the change is stored, or the item was taken out, it is right, unless a container that the list
    took is read later.
    """
    if not is_stored:
        raise refusal_of_changed_item("a list")
    if having(TWICE):
        raise refusal_of_changed_item("a list that may have it twice")
    taken = [two for own in having(HELD) for two in (own, *(other for _, other in related_to(own)))]
    edges = Reachable((), lambda values: None).live_edges() if taken else ()
    names = [name for name, value, *_ in edges if any(value is other for other in taken)]
    if names:
        raise refusal(names[0], "the list that took it", [])


def write_row(target: list, key, row) -> None:
    """Give the container at a staged index in a list the content of another one. All containers in
    the list stay the objects that they are.
    """
    containers = [container for container, _ in Snapshot([target], arrays=False).rows]
    if len(set(map(id, target))) < len(target):
        raise refusal_of_changed_item("a list that may have it twice")
    items = form_of(with_item)(target, key, row)
    target[:] = map(written_into, target, items)
    if NOTES:
        for container in containers:
            changed(container)


def relate_rows(target: list, items: list, value) -> None:
    """Note that all items of a list become new ones, as where a staged index says which one gets a
    value. What else holds one of them must not change afterwards, nor the new one.
    """
    note_held(value)
    pairs = [(old, new) for old, new in zip(target, items, strict=True) if is_container(old)]
    names = _names_of_rows(target, [old for old, _ in pairs]) if pairs else []
    first: dict[int, object] = {}
    for old, new in pairs:
        held_by = next((f"'{name}'" for name, container in names if container is old), None)
        if held_by is not None:
            check_unchanged("an item of the list", new, held_by, old)
        if first.setdefault(id(old), new) is not new:
            check_unchanged("an item of the list", new, "that is another one", first[id(old)])


def _names_of_rows(target: list, rows) -> list[tuple]:
    """(name, container) for what is read later and holds a container in a list, beside the list."""
    inside = set(map(id, rows))
    edges = Reachable((), lambda values: None).live_edges()
    return [
        (name, value)
        for name, value, *_, key in edges
        if id(value) in inside and key[0] not in inside and key[0] != id(target)
    ]


def refuse_stale_items(target) -> None:
    """Refuse that an item of an item of a list is assigned while an item is kept that was read from
    the list before, as a copy: it may be the same one.
    """
    _refuse_stale(given_by(target))


def _refuse_stale(rows: list) -> None:
    if not rows:
        return
    reachable = Reachable((), lambda values: None)
    own = f"{reachable.assigned}["  # the items of what the assignment gives back
    edges = [edge for edge in reachable.edges if edge[0].startswith(own)]
    edges += reachable.live_edges()
    names = [name for name, value, *_ in edges if is_among(value, rows)]
    if names:
        raise unsupported(
            f"an item of a list is changed, and '{names[0]}', which was read from it before, may "
            "be the same item: in a graph, what is read from there is a copy",
            f"Read '{names[0]}' again after the change, or read its numbers before.",
        )


AT_CHANGES.append(lambda container: _refuse_stale(given_from_around(container)))


def _key_stored(parts: dict, array, put) -> tuple | None:
    """The key of the edge to an array that a function stores anew."""
    queue, seen = [content(cell) for cell in getattr(put, "__closure__", None) or ()], set()
    for holder in queue:  # a worklist
        for _, part, *_, key in parts.get(id(holder), ()) if id(holder) not in seen else ():
            if part is array:
                return key
            queue.append(part)
        seen.add(id(holder))
    return None


def _name_of(edges, own) -> str:
    return next((name for name, *_, key in edges if key == own), "the array")


# ---- the state of a staged statement: reading and storing --------------------------------


def present(owner, key):
    """`owner[key]`, without making a missing item of a dictionary with defaults; or
    SET_BY_FUNCTION.
    """
    if _is_of_program(type(owner), "__setitem__"):
        return SET_BY_FUNCTION
    if isinstance(owner, dict) and key not in owner:
        raise KeyError(key)
    return owner[key]


class SetByFunction:
    """In a state, stands for an item or attribute that a function of the program sets, such as a
    property: what the function changes is state.
    """


SET_BY_FUNCTION = SetByFunction()


def attribute_of(owner, name: str):
    """`owner.name`, for a name that what stands for `owner` may have too."""
    return form_of(getattr)(owner, name)


def attribute(owner, name: str):
    """`owner.name`, or SET_BY_FUNCTION."""
    if isinstance(owner, (type, types.ModuleType)):
        return getattr(owner, name)
    descriptor = next((vars(cls)[name] for cls in type(owner).__mro__ if name in vars(cls)), None)
    is_set = isinstance(descriptor, property) or _is_of_program(type(descriptor), "__set__")
    if is_set or _is_of_program(type(owner), "__setattr__"):
        return SET_BY_FUNCTION
    return getattr(owner, name)


def _is_of_program(cls, name: str) -> bool:
    method = getattr(cls, name, None)
    return type(method) is types.FunctionType and is_user_code(method)


def put_attribute(owner, name: str, value) -> None:
    """`owner.name = value`, unless it is that already; an Undefined value deletes it."""
    if value is SET_BY_FUNCTION:
        return
    if isinstance(value, Undefined) and not value.reason:
        if name in attributes_of(owner):
            delattr(owner, name)
        return
    copy, value = TRACE.get().notes.changed_copy, stored(value)
    if copy is not None and attributes_of(owner).get(name) is copy:
        raise refusal_of_changed_item("a list")
    if getattr(owner, name, put_attribute) is not value:
        setattr(owner, name, value)


def put_item(owner, key, value) -> None:
    """`owner[key] = value`; an Undefined value deletes it."""
    if value is SET_BY_FUNCTION:
        return
    if isinstance(value, Undefined) and not value.reason:
        if key in owner:
            del owner[key]
    else:
        if type(value) is MaybeSet and hasattr(type(owner), "__missing__"):
            value = with_default(value, owner, key)
        value = stored(value)
        _refuse_stored_copy(owner)
        try:
            owner[key] = value
        except TypeError as error:
            if not isinstance(value, Checked):
                raise
            owner_class = type(owner).__name__.strip("_")
            raise unsupported(
                f"the item {key!r} of a {owner_class} would exist only where a tensor decides so",
                "Set the item before the statement, or where the function is called.",
            ) from error


# ---- unpacking, and items at a staged index ----------------------------------------------


def unpack(value, pattern: tuple):
    """`value`, ready to be unpacked: tensors of static length in it become lists of their rows.

    The pattern has None for a name, a tuple for nested names, and "*" for a starred one, or "rest"
    where `rest` takes what it got.
    """
    value = collected(value) if isinstance(value, (Tested, types.GeneratorType)) else walked(value)
    cls = type(value)
    if cls is not tuple and cls not in LIST_CLASSES:
        if not TRACE.get().stager.is_staged(value):
            return value
        value = form_of(unpacked)(value, pattern)
        if type(value) not in LIST_CLASSES:
            return value
    if not any(type(element) is tuple for element in pattern):
        return value
    before = next((at for at, part in enumerate(pattern) if type(part) is str), None)
    if before is not None:
        missing = len(value) - len(pattern) + 1
        pattern = (*pattern[:before], *([None] * missing), *pattern[before + 1 :])
    if len(value) != len(pattern):
        return value  # Python raises its own error
    return [
        unpack(item, part) if type(part) is tuple else item
        for item, part in zip(value, pattern, strict=True)
    ]


class Rest:
    """The rest for a starred name, where its length is known only when the graph runs."""

    def __init__(self, items):
        self.items = items


def rest(items: list):
    """The list of a starred name, which Python makes of what `unpack` gave."""
    return items[0].items if len(items) == 1 and type(items[0]) is Rest else items


def unpack_each(items, pattern: tuple):
    """The items of a comprehension, each ready to be unpacked."""
    return (unpack(item, pattern) for item in items)


def get_item(target, key):
    """`target[key]`; with a staged index, a list, tuple or array is converted to a tensor."""
    if isinstance(key, int):
        return target[key]
    stager = TRACE.get().stager
    if stager.is_staged(key) and not stager.is_staged(target):
        item = form_of(operator.getitem)(target, key)
        if isinstance(target, np.ndarray):
            note_item(item, target)
        return note_read(item, source=target)
    return target[key]
