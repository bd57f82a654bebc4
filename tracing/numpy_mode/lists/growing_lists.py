"""Lists of numbers, or of arrays of one shape, that a loop appends to or takes from.

Each is a Python object that all its names share. The items are in arrays that grow, one for each
part of an item, and their number is an integer of the graph. Both are storages, as arrays have.
"""

from __future__ import annotations

import functools
import operator
import sys

import numpy as np

from ....autograph.operators.calls import callee
from ....autograph.operators.raising import Retrace
from ....python_library.items import METHODS, close, copy_part, table
from ....python_library.sorting import sort
from ....runtime.core.numpy_dtypes import is_exact
from ....runtime.core.source_locations import user_location
from ....runtime.ir.graph import Node
from ....runtime.ir.op import TABLE as OPS
from ....runtime.ops.array.masking import where
from ....runtime.ops.array.slicing import getitem, set_item
from ....runtime.tensors.apply import BUILDER, constant_of
from ..calls.library_calls import call_library
from ..iteration import Items, TracedRange, items_of, mapped
from ..new_arrays import column_of, holds_traced
from ..python_builtins import BUILTINS
from ..refusal import How, ItemTypes, ListTypes, OfCode, RefusedError, numpy_trace
from ..statements.carried_values import Array, Number, RowType, carried_as, flattened, joined
from ..statements.staged_loops import record_for
from ..storage import Storage
from ..traced_array import MOST_ELEMENTS, TracedArray, fresh
from ..traced_scalar import TracedScalar, as_index, require, scalar_of
from .traced_list import TracedList

MOST_PLAIN = 16  # elements of an array of which `list` makes a list of Python's


def place_of(index, count):
    """The place of an item of a list of so many, as a tensor; Python raises where there is none."""
    number = scalar_of(index)
    if not is_exact(number.numpy_dtype):
        raise TypeError("list indices must be integers or slices")
    place = as_index(number)
    place = where(OPS["less"](place, constant_of(np.int64(0))), place + count, place)
    require(OPS["less_equal"](constant_of(np.int64(0)), place))
    require(OPS["less"](place, count))
    return place


class GrowingList(TracedList):
    """A list of numbers of one type, of arrays of one shape, or of tuples of as many of these.

    types     those of the parts of an item; None before the first item
    columns   the storages of the parts
    made      the last node of what allocates the columns
    is_guess  whether the types are guessed, since items are read before the first is appended
    is_tuple  whether items are tuples
    loop      the code of the loop that it was made for, or None
    key       the place in the program where it was made
    unaliased_in  the options of a loop at whose start one name alone led to it, or None
    """

    made: Node | None = None

    def __init__(self, items: list, loop=None, key=None, unaliased_in=None):
        self.scope, self.loop, self.unaliased_in = BUILDER.get(), loop, unaliased_in
        self.key = key or place_of_list()
        self.initial = items
        self.types: tuple[Number | Array, ...] | None = None
        self.columns: list[Storage] = []
        self.held = Storage(None, loop=loop)
        self.filled = Storage(constant_of(np.int64(len(items))))
        self.initial_count = self.filled.tensor
        for item in items:
            self._hold(item)
        known = numpy_trace().options.list_types.get(self.key)
        if items or known:
            types = [known] if known else []
            self.allocate(functools.reduce(joined_types, [*types, *map(types_of, items)]))

    def _initial_columns(self) -> list:
        if holds_traced(self.initial):
            self.initial = list(map(self._with_rows, self.initial))
            rows = [self._tensors(item) for item in self.initial]
            return [column_of(column) for column in zip(*rows, strict=True)]
        arrays = []
        for at, type_ in enumerate(self.types):
            parts = [item[at] if self.is_tuple else item for item in self.initial]
            arrays.append(np.array(parts, type_.dtype).reshape(len(parts), *(type_.shape or ())))
            for other in type_.others:
                arrays.append(np.array([type(part) is other for part in parts], bool))
        return list(map(constant_of, arrays))

    home = property(lambda self: self.scope)

    def allocate(self, types: tuple, is_guess: bool = False) -> None:
        """Memory for items of these types, in the graph where the list was made."""
        if BUILDER.get() is not self.scope:
            raise Retrace(ItemTypes(self, types, is_guess))
        if self._has_changed():
            self._require_at_start(types)
        self.is_tuple, self.is_guess = types[0], is_guess
        self.types = tuple(each.in_list() if type(each) is RowType else each for each in types[1])
        columns = self._initial_columns()
        none = constant_of(np.int64(0))
        self.columns = [Storage(OPS["ensure_length"](column, none)) for column in columns]
        self.made = self.scope.nodes[-1]

    def _require_at_start(self, types: tuple) -> None:
        """Trace the function again with a list for items of these types: it has items already."""
        known = numpy_trace().options.list_types
        types = types[0], tuple(RowType() if type(x) is RowType else x for x in types[1])
        has_arrays = any(item_type.shape is not None for item_type in types[1])
        if has_arrays or known.get(self.key) == types:
            raise RefusedError("a list of items of several types grows in several loops")
        raise Retrace(ListTypes(self.key, types))

    def guess_types(self) -> None:
        """Items are read in a staged statement, maybe before the first is appended."""
        self.restore_columns()
        if self.types is None:
            numpy_trace().has_guessed = True
            self.allocate((False, (carried_as(0),)), is_guess=True)  # there is no item

    def restore_columns(self) -> None:
        """Allocate again what was dropped with the nodes of the test of a loop."""
        if self.types is None or any(node is self.made for node in self.scope.nodes):
            return
        types, is_guess = (self.is_tuple, self.types), self.is_guess
        self.types = None
        self._restart()
        self.allocate(types, is_guess)

    def _restart(self) -> None:
        """Count the items anew that the list was made with."""
        self.filled = Storage(self.initial_count)

    @property
    def counters(self) -> tuple[Storage, ...]:
        """The numbers that say which places of the columns have items."""
        return (self.filled,)

    def _has_changed(self) -> bool:
        """Whether the graph where the list was made changes it."""
        cells = {variable.cell for variable in (*self.counters, *self.columns)} - {None}
        nodes = (inner for node in self.scope.nodes
                 for inner in (node, *(inner_node for graph in node.subgraphs.values()
                                       for inner_node in graph.walk())))  # fmt: skip
        writes = (node for node in nodes if node.op.variable_access == "write")
        is_written = any(node.attrs["cell"] in cells for node in writes)
        return is_written or self.filled.tensor is not self.initial_count

    # ---- items -------------------------------------------------------------------------------

    @property
    def item_limits(self) -> tuple:
        """The first place of the columns that has an item, None for 0, and the one behind the
        last.
        """
        return None, self.filled.read()

    @property
    def item_count(self):
        """The number of items, as a tensor."""
        first, end = self.item_limits
        return end if first is None else end - first

    @property
    def length(self) -> TracedScalar:
        return TracedScalar(self.item_count, int, MOST_ELEMENTS)

    @property
    def truth(self):
        """Whether there are items, as a tensor."""
        return OPS["less"](constant_of(np.int64(0)), self.item_count)

    def _place(self, index):
        first, place = self.item_limits[0], place_of(index, self.item_count)
        return place if first is None else first + place

    def at(self, index):
        is_part = isinstance(index, slice)
        return self._part(index) if is_part else self.item_at(self._place(index))

    __getitem__ = at

    def _part(self, key: slice) -> GrowingList:
        """A new list of the items of a slice."""
        self.guess_types()
        step = 1 if key.step is None else key.step
        if type(step) is not int or not step:
            raise RefusedError("a slice with a computed step of a list that grows in a loop")
        selected = GrowingList([])
        selected.allocate((self.is_tuple, self.types), self.is_guess)
        call_library(copy_part, self, selected, key.start, key.stop, step)
        if self.has_arrays:
            selected.held.copy_of.append(self.held)
            selected.is_known = self.is_known  # it has each array once
        return selected

    copy = functools.partialmethod(_part, slice(None))

    def item_at(self, place):
        self.guess_types()
        tensors = (getitem(column.read(), place) for column in self.columns)
        parts = tuple(self._part_of(item_type, tensors) for item_type in self.types)
        return parts if self.is_tuple else parts[0]

    def _part_of(self, type_: Number | Array, tensors):
        """The part of an item that the next of these tensors carry."""
        if type_.shape is None:
            return type_.unflatten(tensors)
        array = type_._replace(sources=(self.held,)).unflatten(tensors)
        return TracedList(array, type_.python, type_.levels - 1) if type_.levels else array

    def inside(self, place):
        return self.item_at(scalar_of(place).tensor)  # a place that needs no check

    def set_inside(self, place, item) -> None:
        self.set_at(scalar_of(place).tensor, item)

    def make_room(self, count) -> None:
        for column in self.columns:
            column.write(OPS["ensure_length"](column.read(), scalar_of(count).tensor))

    def resize(self, count) -> None:
        """Have so many items. The new ones have no values yet."""
        self.make_room(count)
        self.filled.write(scalar_of(count).tensor)
        self.changes += 1

    def _hold(self, item) -> None:
        for part in item if type(item) is tuple else (item,):
            self.hold(part)

    def __setitem__(self, index, item):
        self.set_at(self._place(index), item)

    def set_at(self, place, item) -> None:
        item = self.require_types(item)
        self._hold(item)
        for column, tensor in zip(self.columns, self._tensors(item), strict=True):
            column.write(set_item(column.read(), place, tensor))

    def _tensors(self, item) -> list:
        """The tensors of an item, one for each column."""
        parts = zip(item if self.is_tuple else (item,), self.types, strict=True)
        arrays = ((part.stacked if type_.levels else part, type_) for part, type_ in parts)
        return [tensor for part, type_ in arrays for tensor in flattened(part, type_)]

    def _with_rows(self, item):
        """An item in which lists that become items of this one are such."""
        pairs = zip(item if self.is_tuple else (item,), self.types, strict=True)
        parts = tuple(type_.rows.taken(part) if type(type_) is RowType else part
                      for part, type_ in pairs)  # fmt: skip
        return parts if self.is_tuple else parts[0]

    def require_types(self, item):
        """Have memory for an item, which is returned as it is stored."""
        self.restore_columns()
        try:
            types = types_of(item)
            if self.types is not None and not self.is_guess:
                types = joined_types((self.is_tuple, self.types), types)
        except RefusedError:
            if self.loop is None or BUILDER.get() is not self.scope:
                raise
            raise Retrace(OfCode(How.PLAIN, self.loop)) from None
        if types != (self.is_tuple, self.types):
            self.allocate(types)  # an item of the guessed types may be one that was read
        return self._with_rows(item)

    # ---- methods of lists --------------------------------------------------------------------

    def append(self, item) -> None:
        item, place = self.require_types(item), self.length
        self.resize(place + 1)
        self.set_inside(place, item)

    def extend(self, items) -> None:
        if type(items) not in (list, tuple):
            is_new = self.types is None or self.is_guess
            copy_items(items, self)
            self.is_guess = is_new and isinstance(items, TracedList) and items.is_guess
            return
        for item in items:
            self.append(item)

    def __iadd__(self, items):
        self.extend(items)
        return self

    def __imul__(self, count):
        items = self * count
        self.clear()
        return self.__iadd__(items)

    def __delitem__(self, index):
        if isinstance(index, slice):
            raise RefusedError("a slice of a list that grows in a loop is deleted")
        self.pop(index)

    def pop(self, index=-1):
        if isinstance(index, float):
            raise TypeError("'float' object cannot be interpreted as an integer")
        place = TracedScalar(place_of(index, self.item_count), int, MOST_ELEMENTS)
        item = self.inside(place)
        if type(index) is not int or index != -1:
            call_library(close, self, place)
        self.resize(self.length - 1)
        return item

    def _missing(self, name: str):
        if self._noun == "list" and name in (*METHODS, "sort"):
            method = METHODS.get(name)
            return functools.partial(call_library, method, self) if method else self._sort
        return super()._missing(name)

    def _sort(self, *, key=None, reverse=False) -> None:
        items = self.copy()
        self.clear()  # as the key finds it
        ordered = in_order(items, key=key and callee(key, None), reverse=reverse)
        require(OPS["logical_not"](self.truth))
        self.extend(ordered)

    def clear(self) -> None:
        self.resize(0)

    def note_names(self, loop) -> None:
        """Take note of the loop at whose start one name alone leads here, or of None."""
        self.unaliased_in = loop

    def may_take(self, other, loop) -> bool:
        return loop is not None and type(other) is type(self) and self.unaliased_in is loop

    def adopt(self, other: GrowingList) -> None:
        """Have the items of another list in place of those that are there."""
        self.clear()
        if other.types is not None:
            if self.has_arrays or other.has_arrays:
                raise RefusedError("a list of arrays gets the name of another list in a loop")
            copy_items(other, self)

    # ---- all items ---------------------------------------------------------------------------

    @property
    def arrays(self) -> list[TracedArray]:
        """The parts of the items, each as an array."""
        return list(map(self._elements_of, self.columns))

    def _elements_of(self, column: Storage) -> TracedArray:
        return fresh(getitem(column.read(), slice(*self.item_limits)))

    @property
    def has_arrays(self) -> bool:
        return self.types is not None and any(type_.shape is not None for type_ in self.types)

    def _refuse_rows(self) -> None:
        if RowType in map(type, self.types or ()):
            raise RefusedError("an array of a list of lists")

    @property
    def stacked(self) -> TracedArray:
        self.guess_types()
        self._refuse_rows()
        return self._elements_of(self.columns[0])

    def to_array(self) -> TracedArray:
        self.restore_columns()
        self._refuse_rows()
        if self.types is None:
            return fresh(constant_of(np.zeros(0)))
        dtypes = {type_.dtype for type_ in self.types}
        if any(type_.python is int and type_.dtype == np.uint64 for type_ in self.types):
            raise RefusedError("an array of Python's integers of 64 bits")
        mixed = len(dtypes) > 1 and self.has_arrays
        if mixed or any(type_.python and type_.others for type_ in self.types):
            raise RefusedError("an array of a list of numbers of several types")
        if self.is_tuple or self.has_arrays or dtypes != {np.dtype(np.float64)}:
            require(self.truth)  # of no items, NumPy makes another array
        if not self.is_tuple:
            return self.stacked
        if self.has_arrays:
            raise RefusedError("an array of tuples of arrays")
        return call_library(table, self, np.result_type(*dtypes), len(self.types))

    @property
    def python(self) -> type | None:
        return None if self.types is None else self.types[0].python

    def __len__(self) -> int:
        return operator.index(self.length)


def place_of_list() -> tuple | None:
    where = user_location()
    return where and (where.file, where.line, where.columns)


def types_of(item) -> tuple:
    """Whether an item is a tuple, and the types of its parts."""
    is_tuple = type(item) is tuple
    return is_tuple, tuple(map(_type_of, item if is_tuple else (item,)))


def joined_types(first: tuple, second: tuple) -> tuple:
    """The types for items of both of these types."""
    if first[0] != second[0] or len(first[1]) != len(second[1]):
        raise RefusedError("a list of numbers and tuples, or tuples of several lengths")
    return first[0], tuple(joined("item", *pair) for pair in zip(first[1], second[1], strict=True))


def item_type_of(value) -> Number | Array | None:
    """How a list has a value as an item, or as a part of a tuple; None if it cannot."""
    if type(value) is GrowingList:
        return RowType()
    if type(value) is not TracedList:
        carried = carried_as(value)
        return carried._replace(may_be_none=False) if type(carried) is Number else carried
    if value.stacked.computed:
        return None
    return Array(value.stacked.dtype, value.stacked.shape, value.python, value.levels + 1)


def _type_of(value) -> Number | Array:
    numpy_trace().let_change(value)  # a list becomes an item of a list
    if (item_type := item_type_of(value)) is None:
        raise RefusedError("a list of other things than numbers and arrays grows in a loop")
    return item_type


# ---- lists of Python's -----------------------------------------------------------------------


def listed(items=()):
    """`list(items)`, of the graph where a loop goes over the items."""
    is_vector = type(items) is TracedArray and items.ndim == 1 and len(items) > MOST_PLAIN
    if not (is_vector or isinstance(items, (TracedRange, TracedList, Items))):
        return list(iter(items))
    result = GrowingList([])
    copy_items(items, result)
    return result


def copy_items(items, target: GrowingList) -> None:
    """Append all items, which a loop of the graph goes over."""

    def append(item):
        target.append(item)
        return ()

    record_for(items, append, None, (), ())


def in_order(items, *, key=None, reverse=False):
    """`sorted`."""
    source, keys, order, merged, target = (
        GrowingList([], key=(place_of_list(), at)) for at in range(5)
    )
    parts = items_of(items)
    if parts is None:
        items = list(items)
        source.extend(items)
        keys.extend([key(item) for item in items] if key else items)
    else:
        source.extend(parts)
        copy_items(mapped(key, source) if key else source, keys)
    call_library(sort, source, keys, target, bool(reverse), order, merged)
    return target


BUILTINS[list] = listed
BUILTINS[sorted] = in_order


def has_one_name(items) -> bool:
    """Whether a list, of which the caller has a tuple and a name, has one name besides."""
    return sys.getrefcount(items) <= references()


@functools.cache
def references() -> int:
    """The number of references to a list of one name: versions of Python differ."""
    name: list = []
    values = (name,)
    count = lambda items: sys.getrefcount(items)  # noqa: E731, PLW0108 - as `has_one_name`
    (references,) = [count(value) for _, value in zip(("name",), values, strict=True)]
    return references
