"""Unpacking to names, and items at a staged index."""

from __future__ import annotations

from ..stager import CURRENT
from .comprehensions import walked


def unpack(value, pattern: tuple):
    """`value`, ready to be unpacked: tensors of static length in it become lists of their rows.

    The pattern has None for a name, "*" for a starred one and a tuple for nested names.
    """
    value = walked(value)
    cls = type(value)
    if cls is not tuple and cls is not list:
        if not CURRENT.stager.is_staged(value):
            return value
        value = CURRENT.stager.rows(value, len(pattern), "*" in pattern)
        if type(value) is not list:
            return value
    if not any(type(one) is tuple for one in pattern):
        return value
    if "*" in pattern:
        before = pattern.index("*")
        missing = len(value) - len(pattern) + 1
        pattern = (*pattern[:before], *([None] * missing), *pattern[before + 1 :])
    if len(value) != len(pattern):
        return value  # Python raises its own error
    return [
        unpack(item, part) if type(part) is tuple else item
        for item, part in zip(value, pattern, strict=True)
    ]


def unpack_each(items, pattern: tuple):
    """The items of a comprehension, each ready to be unpacked."""
    return (unpack(item, pattern) for item in items)


def get_item(target, key):
    """`target[key]`; with a staged index, a list, tuple or array is converted to a tensor."""
    if isinstance(key, int):
        return target[key]
    stager = CURRENT.stager
    if stager.is_staged(key) and not stager.is_staged(target):
        return stager.get_item(target, key)
    return target[key]
