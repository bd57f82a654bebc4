"""Lists that grow and are items of others: the neighbors of nodes, say, or groups in a dictionary.

The items of all of them are in one list of the graph, in blocks. The list or dictionary around has
the numbers of their blocks, so that a list is the same under all its names.
"""

from __future__ import annotations

from ....python_library import rows
from ....runtime.ops.array.slicing import getitem
from ....runtime.tensors.apply import BUILDER
from ..calls.library_calls import call_library
from ..refusal import RefusedError
from ..statements.carried_values import RowType
from ..storage import is_of_this_iteration
from ..traced_array import MOST_ELEMENTS, TracedArray
from ..traced_scalar import TracedScalar, scalar_of
from .growing_lists import GrowingList, place_of_list
from .traced_list import TracedList


class Rows:
    """The lists that are items of a list or of a dictionary.

    elements  the items of all lists
    blocks    for each list: the first place, the number of items, and the number of places
    """

    def __init__(self):
        place = place_of_list()
        self.elements, self.blocks = (GrowingList([], key=(place, at)) for at in ("items", "rows"))
        self.blocks.require_types((0, 0, 0))

    def at(self, number) -> Row:
        return Row(self, number)

    def taken(self, items) -> Row:
        """The item of the list around for a list that becomes one. One that was made before the
        present statement is not used any more where either changes.
        """
        if type(items) is Row:
            return items
        if RowType in map(type, items.types or ()) or items.has_arrays:
            raise RefusedError("a list of lists of lists, or of lists of arrays")
        if items.is_known or not is_of_this_iteration(items.scope):
            raise RefusedError("a list becomes an item of a list again, or in a later iteration")
        number, start = self.blocks.filled.read(), self.elements.length
        if items.types is not None:
            self.elements.extend(items)
        count = self.elements.length - start
        self.blocks.append((start, count, count))
        if items.scope is BUILDER.get():
            vars(items).clear()
            items.__class__ = Row
            items.__init__(self, number)
            return items
        items.is_known = True
        own = (*items.counters, *items.columns)
        for column in (*self.elements.columns, *self.blocks.columns):
            column.copies += own
            for storage in own:
                storage.copy_of.append(column)
        return Row(self, number)


RowType.new_rows = Rows


def _of_elements(name: str) -> property:
    """An attribute of all lists that are items."""
    return property(
        lambda self: getattr(self.rows.elements, name),
        lambda self, value: setattr(self.rows.elements, name, value),
    )


class Row(GrowingList):
    """The list with a number."""

    loop = key = unaliased_in = None
    is_known = False
    changes, columns, held, is_guess, is_tuple, types, guess_types, restore_columns = map(
        _of_elements,
        ("changes", "columns", "held", "is_guess", "is_tuple", "types", "guess_types",
         "restore_columns"),
    )  # fmt: skip

    def __init__(self, of: Rows, number):
        self.rows = of
        self.row_number = number
        self.scope = BUILDER.get()  # where the number is known

    @property
    def row_layout(self) -> RowType:
        return RowType(self.rows)

    @property
    def item_limits(self) -> tuple:
        parts = (getitem(part.read(), self.row_number) for part in self.rows.blocks.columns)
        start, size, _ = parts
        return start, start + size

    def require_types(self, item):
        for part in item if type(item) is tuple else (item,):
            if isinstance(part, TracedArray) or type(part) is TracedList:
                raise RefusedError("a list of lists with arrays in them")
        return self.rows.elements.require_types(item)

    def inside(self, place):
        return self.item_at(self.item_limits[0] + scalar_of(place).tensor)

    def set_inside(self, place, item) -> None:
        self.set_at(self.item_limits[0] + scalar_of(place).tensor, item)

    def append(self, item) -> None:
        item, number = self.require_types(item), TracedScalar(self.row_number, int, MOST_ELEMENTS)
        call_library(rows.append, self.rows.elements, self.rows.blocks, number, item)
        self.changes += 1

    def resize(self, count) -> None:
        number = TracedScalar(self.row_number, int, MOST_ELEMENTS)
        call_library(rows.resize, self.rows.blocks, number, count)
        self.changes += 1

    def note_names(self, loop) -> None:
        """Another list may take its name: it is known by its number."""
