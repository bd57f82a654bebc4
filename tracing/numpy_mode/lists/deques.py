"""`collections.deque` of numbers, or of tuples of numbers, as a list that grows at both ends.

The items lie between two places of the columns.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ....python_library import queues
from ....runtime.tensors.apply import constant_of
from ..calls.library_calls import call_library
from ..iteration import is_iterated, items_of
from ..new_arrays import holds_traced, is_traced
from ..refusal import RefusedError
from ..storage import Storage
from ..traced_array import MOST_ELEMENTS
from ..traced_scalar import TracedScalar, require, scalar_of
from .growing_lists import GrowingList, copy_items


class GrowingDeque(GrowingList):
    """A deque of numbers of one type, or of tuples of as many of these.

    first   the place of the first item
    filled  the place behind the last one
    most    the most items, a number of the graph or of Python's, or None
    """

    _noun = "deque"

    def __init__(self, items: list, most=None, key=None):
        self.first = Storage(constant_of(np.int64(0)))
        self.most = most
        super().__init__(items, None, key)

    def _restart(self) -> None:
        super()._restart()
        self.first = Storage(constant_of(np.int64(0)))

    @property
    def counters(self) -> tuple[Storage, ...]:
        return self.filled, self.first

    @property
    def item_limits(self) -> tuple:
        return self.first.read(), self.filled.read()

    maxlen = property(lambda self: self.most)

    def at(self, index):
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return super().at(index)

    __getitem__ = at

    # ---- methods of deques -------------------------------------------------------------------

    def append(self, item) -> None:
        self._take(queues.append, item)

    def appendleft(self, item) -> None:
        self._take(queues.appendleft, item)

    def _take(self, function, item) -> None:
        self.require_types(item)
        call_library(function, self, item, self.most)
        self.changes += 1

    def popleft(self):
        place = self._place(0)
        item = self.item_at(place)
        self.first.write(place + constant_of(np.int64(1)))
        self.changes += 1
        return item

    def pop(self):
        place = self._place(-1)
        item = self.item_at(place)
        self.filled.write(place)
        self.changes += 1
        return item

    def extendleft(self, items) -> None:
        if type(items) not in (list, tuple):
            raise RefusedError("a deque is extended by other things than items")
        for item in items:
            self.appendleft(item)

    def clear(self) -> None:
        self.first.write(self.filled.read())
        self.changes += 1

    def copy(self) -> GrowingDeque:
        raise RefusedError("deque.copy")

    # ---- all items ---------------------------------------------------------------------------

    # ---- what functions of the Python library ask --------------------------------------------

    def bounds(self) -> tuple:
        return tuple(
            TracedScalar(cell.read(), int, MOST_ELEMENTS) for cell in (self.first, self.filled)
        )

    def set_bounds(self, first, end) -> None:
        self.first.write(scalar_of(first).tensor)
        self.filled.write(scalar_of(end).tensor)


def made_deque(iterable=(), maxlen=None) -> GrowingDeque:
    """`deque(iterable, maxlen)`, as a value of the graph."""
    if type(maxlen) is bool or (is_traced(maxlen) and getattr(maxlen, "python", None) is not int):
        raise RefusedError("a deque whose maxlen is not one of Python's integers")
    if is_traced(maxlen):
        require((maxlen >= 0).tensor)
    elif maxlen is not None:
        deque(maxlen=maxlen)  # which may raise
    is_staged = holds_traced(iterable) or is_iterated(iterable)
    items = items_of(iterable) if is_staged else None
    if items is None and not is_traced(maxlen):
        return GrowingDeque(list(deque(iterable, maxlen)), maxlen)
    result = GrowingDeque([], maxlen)
    if items is None:
        result.extend(list(iterable))
    else:
        copy_items(items, result)
    return result


DEQUES: dict[Any, Any] = {deque: made_deque}
