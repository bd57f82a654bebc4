"""A weak mapping by the identity of its keys, and functions of one object that are cached by it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any


class IdentityMap:
    """Maps by identity, since code objects with the same instructions are equal to each other.

    >>> class Key: ...
    >>> table, key = IdentityMap(), Key()
    >>> table[key] = 1
    >>> table.get(key), table.get(Key())
    (1, None)
    >>> del key
    >>> len(table)
    0
    """

    def __init__(self):
        self._entries: dict[int, tuple[Callable, Any]] = {}

    def __setitem__(self, key, value) -> None:
        key_id = id(key)
        held: Callable
        try:
            held = weakref.ref(key, lambda _: self._entries.pop(key_id, None))
        except TypeError:  # it cannot be referred to weakly, None among others
            held = lambda: key  # noqa: E731
        self._entries[key_id] = held, value

    def get(self, key, default=None):
        entry = self._entries.get(id(key))
        return entry[1] if entry is not None and entry[0]() is key else default

    def __contains__(self, key) -> bool:
        return self.get(key, self) is not self

    def __len__(self) -> int:
        return len(self._entries)


def cached_per_object(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that computes its result once for each object. To look a code object up by its
    content takes as long as the function is, with all that are defined in it.
    """
    results = IdentityMap()

    @functools.wraps(function)
    def cached(key):
        result = results.get(key, results)
        if result is results:
            result = results[key] = function(key)
        return result

    return cached
