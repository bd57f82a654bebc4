"""A table by the identity of its keys, which it does not keep alive."""

from __future__ import annotations

import weakref
from typing import Any


class IdentityMap:
    """Code objects that look alike are equal, whatever file they come from: here they differ.

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
        self._rows: dict[int, tuple[weakref.ref, Any]] = {}

    def __setitem__(self, key, value) -> None:
        place = id(key)
        self._rows[place] = (weakref.ref(key, lambda _: self._rows.pop(place, None)), value)

    def get(self, key, default=None):
        row = self._rows.get(id(key))
        return row[1] if row is not None and row[0]() is key else default

    def __contains__(self, key) -> bool:
        return self.get(key, self) is not self

    def __len__(self) -> int:
        return len(self._rows)
