"""A list of lists that grow, as `[[] for _ in range(n)]` makes it: the neighbors of nodes, say.

The items of all rows are in one list of the graph. Each row has a block of places there; where that
is full, the row moves to a block of twice the size at the end.
"""

from __future__ import annotations

import numpy as np

from ....runtime.ir.op import TABLE as OPS
from ....runtime.ops.array.slicing import getitem, set_item
from ....runtime.tensors.apply import BUILDER, constant_of
from ..iteration import TracedRange
from ..refusal import RefusedError
from ..statements.staged_loops import record_for
from ..statements.staged_statements import record_if
from ..storage import Storage
from ..traced_array import MOST_ELEMENTS, TracedArray
from ..traced_scalar import TracedScalar
from .growing_lists import GrowingList, place_of
from .traced_list import ListWithoutArray, TracedList

ROOM = 4  # places of a row at first


class _Rows(ListWithoutArray):
    """The base of the lists of this module."""

    called = "an array of a list of lists that grow"


class RowLists(_Rows):
    """A list of `count` lists. Its rows stay what they are, and get items.

    elements  the items of all rows
    starts    the first place of each row
    sizes     the number of items in each row
    rooms     the number of places that it has
    """

    def __init__(self, count: TracedScalar):
        self.scope = BUILDER.get()
        self.count = count
        self.elements = GrowingList([])
        none = constant_of(np.zeros(1, np.int64))
        self.starts, self.sizes, self.rooms = (
            Storage(OPS["ensure_length"](none, count.tensor)) for _ in range(3)
        )

    home = property(lambda self: self.scope)
    length = property(lambda self: self.count)

    def at(self, index) -> Row:
        return Row(self, _place(index, self.count.tensor))


class Row(_Rows):
    """The list at a place."""

    def __init__(self, rows: RowLists, place):
        self.rows = rows
        self.place = place
        self.scope = BUILDER.get()  # where the place is known

    home = property(lambda self: self.scope)
    changes = property(lambda self: self.rows.elements.changes)

    @property
    def is_tuple(self) -> bool:  # type: ignore[override]
        return self.rows.elements.is_tuple

    @property
    def row_length(self):
        return getitem(self.rows.sizes.read(), self.place)

    @property
    def row_start(self):
        return getitem(self.rows.starts.read(), self.place)

    @property
    def length(self) -> TracedScalar:
        return TracedScalar(self.row_length, int, MOST_ELEMENTS)

    @property
    def truth(self):
        return OPS["less"](constant_of(np.int64(0)), self.row_length)

    def at(self, index):
        return self.rows.elements.item_at(self.row_start + _place(index, self.row_length))

    def __setitem__(self, index, item):
        _check(item)
        self.rows.elements.set_at(self.row_start + _place(index, self.row_length), item)

    def append(self, item) -> None:
        _check(item)
        rows, size = self.rows, self.row_length
        rows.elements.require_types(item)
        is_full = OPS["less_equal"](getitem(rows.rooms.read(), self.place), size)

        def moved() -> tuple:
            self._move(size)
            return ()

        record_if(TracedScalar(is_full, bool, 1), moved, tuple, ())
        rows.elements.set_at(self.row_start + size, item)
        self._set(rows.sizes, size + constant_of(np.int64(1)))
        rows.elements.changes += 1

    def extend(self, items) -> None:
        if type(items) not in (list, tuple):
            raise RefusedError("a row is extended by other things than items")
        for item in items:
            self.append(item)

    def pop(self, index=-1):
        if type(index) is not int or index != -1:
            raise RefusedError("an item in the middle of a row is taken away")
        item = self.at(-1)
        self._set(self.rows.sizes, self.row_length - constant_of(np.int64(1)))
        self.rows.elements.changes += 1
        return item

    def _move(self, size) -> None:
        """Move the row to a block of twice the size."""
        rows, start = self.rows, self.row_start
        least = constant_of(np.int64(ROOM))
        room, end = OPS["maximum"](size + size, least), rows.elements.filled.read()
        for column in rows.elements.columns:
            column.write(OPS["ensure_length"](column.read(), end + room))

        def move(index):
            for column in rows.elements.columns:
                item = getitem(column.read(), start + index.tensor)
                column.write(set_item(column.read(), end + index.tensor, item))
            return ()

        record_for(TracedRange(TracedScalar(size, int, MOST_ELEMENTS)), move, None, (), ())
        rows.elements.filled.write(end + room)
        self._set(rows.starts, end)
        self._set(rows.rooms, room)

    def _set(self, numbers: Storage, value) -> None:
        numbers.write(set_item(numbers.read(), self.place, value))


def _place(index, count):
    if isinstance(index, slice):
        raise RefusedError("a slice of a list of lists that grow")
    return place_of(index, count)


def _check(item) -> None:
    for part in item if type(item) is tuple else (item,):
        if isinstance(part, (TracedArray, TracedList)):
            raise RefusedError("a list of lists with arrays in them")
