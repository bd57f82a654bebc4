"""Sets and dictionaries of integers, or of tuples of integers, as lists.

`keys` has the keys in the order in which they came, `values` the values. `slots` says where a key
is: 0 is an empty slot, other numbers count the keys from 1. A key that is in no slot from that of
its hash up to the next empty one is not in the table.
"""

from __future__ import annotations

import numpy as np

from .items import close

MOST_MOVED = 1024  # keys of a table from which one is taken: those behind it move
SLOTS = 64  # of a table at first; a power of two
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15).view(np.int64)


def contains(slots, keys, key):
    place, _ = _found(slots, keys, key)
    return place >= 0


def add(slots, keys, key):
    place, slot = _found(slots, keys, key)
    if place < 0:
        _insert(slots, keys, key, slot)


def set_item(slots, keys, values, key, value):
    place, slot = _found(slots, keys, key)
    if place < 0:
        _insert(slots, keys, key, slot)
        values.append(value)
    else:
        values.set_inside(place, value)


def get_item(slots, keys, values, key):
    place, _ = _found(slots, keys, key)
    assert place >= 0
    return values.inside(place)


def get(slots, keys, values, key, default):
    place, _ = _found(slots, keys, key)
    return values.inside(place) if place >= 0 else default


def setdefault(slots, keys, values, key, default):
    place, slot = _found(slots, keys, key)
    if place < 0:
        _insert(slots, keys, key, slot)
        values.append(default)
        place = len(values) - 1
    return values.inside(place)


def pop(slots, keys, values, key, default):
    value = get(slots, keys, values, key, default)
    take_out(slots, keys, values, key)
    return value


def pop_item(slots, keys, values, key):
    value = get_item(slots, keys, values, key)
    take_out(slots, keys, values, key)
    return value


def remove(slots, keys, key):
    assert contains(slots, keys, key)
    take_out(slots, keys, None, key)


def discard(slots, keys, key):
    take_out(slots, keys, None, key)


def take_out(slots, keys, values, key):
    """Take a key and its value out of a table, if it is there."""
    place, slot = _found(slots, keys, key)
    if place >= 0:
        assert len(keys) <= MOST_MOVED
        _free(slots, keys, slot)
        close(keys, place)
        keys.resize(len(keys) - 1)
        if values is not None:
            close(values, place)
            values.resize(len(keys))
        for at in range(len(slots)):
            number = slots.inside(at)
            slots.set_inside(at, number - 1 if number > place + 1 else number)


def clear(slots, keys):
    keys.resize(0)
    for slot in range(len(slots)):
        slots.set_inside(slot, 0)


def count(table, items):
    for item in items:
        table[item] += 1


def fill(table, pairs):
    for key, value in pairs:
        table[key] = value


def update(table, items):
    for item in items:
        table.add(item)


def select(table, keys, others, is_in_both):
    for key in keys:
        if (key in others) == is_in_both:
            table.add(key)


def _found(slots, keys, key):
    """The place of a key, or -1, and its slot, or the empty one that it would get."""
    last = len(slots) - 1
    slot = _hash(key) & last
    place = slots.inside(slot) - 1
    while place >= 0 and not _are_same(keys.inside(place), key):
        slot = (slot + 1) & last
        place = slots.inside(slot) - 1
    return place, slot


def _insert(slots, keys, key, slot):
    """Take a key that is not there, into its slot."""
    keys.append(key)
    slots.set_inside(slot, len(keys))
    if 2 * len(keys) >= len(slots):
        _grow(slots, keys)


def _free(slots, keys, slot):
    """Empty a slot, and move keys behind it that are not in the slots of their hashes."""
    last = len(slots) - 1
    at = (slot + 1) & last
    while slots.inside(at) > 0:
        own = _hash(keys.inside(slots.inside(at) - 1)) & last
        if (at - own) & last >= (at - slot) & last:
            slots.set_inside(slot, slots.inside(at))
            slot = at
        at = (at + 1) & last
    slots.set_inside(slot, 0)


def _grow(slots, keys):
    slots.resize(2 * len(slots))
    for slot in range(len(slots)):
        slots.set_inside(slot, 0)
    last = len(slots) - 1
    for place in range(len(keys)):
        slot = _hash(keys.inside(place)) & last
        while slots.inside(slot) > 0:
            slot = (slot + 1) & last
        slots.set_inside(slot, place + 1)


def _hash(key):
    hashed = np.int64(0)
    with np.errstate(over="ignore"):
        for part in key if isinstance(key, tuple) else (key,):
            hashed = (hashed ^ np.int64(part)) * MULTIPLIER
            hashed = hashed ^ (hashed >> np.int64(32))
    return hashed


def _are_same(first, other):
    if not isinstance(first, tuple):
        return first == other
    are_same = True
    for left, right in zip(first, other, strict=True):
        are_same = are_same & (left == right)  # without a branch
    return are_same
