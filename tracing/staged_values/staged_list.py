"""A list that grows at run time: a tensor with spare capacity, and the number of its items."""

from __future__ import annotations

import functools
from typing import Any

from ...autograph.operators.control_flow import if_stmt
from ...autograph.operators.forwarding_lists import (
    LIST_CLASSES,
    ForwardingList,
    InGraph,
    StoredList,
)
from ...autograph.operators.noted_changes import (
    TAKEN_OUT,
    note_copied,
    note_read,
    note_role,
    note_shared,
    note_taken,
)
from ...autograph.operators.raising import Retrace, is_caught, raised, refuse_if_caught
from ...runtime.core.classes import record
from ...runtime.core.dtypes import conversion, int32
from ...runtime.core.errors import DTypeError, Error, ShapeError, UnimplementedError
from ...runtime.core.shapes import is_compatible, show
from ...runtime.ir.op import TABLE
from ...runtime.ops.array.joining import concat, stack
from ...runtime.ops.array.slicing import set_item
from ...runtime.ops.math.casting import cast
from ...runtime.ops.math.reductions import reduce_any, reduce_sum
from ...runtime.ops.state.variables import Variable
from ...runtime.tensors.apply import BUILDER, convert_to_tensor, tensor_of
from ...runtime.tensors.python_numbers import as_number
from ...runtime.tensors.tensor import Tensor
from ..structures import nest
from ..structures.leaves import Deferred, dtype_of_number
from .list_operators import ListOperators
from .unknown_rows import (
    StructuredItems,
    UnknownRows,
    allocated,
    note_reading,
    note_structure,
    unknown,
)

OUT_OF_RANGE = "list index out of range"
NO_SUCH_ITEM = "list assignment index out of range"


def _holding(method):
    """A method after which the list holds what it takes, a variable itself, as Python's list does:
    what it computes reads none (`variable_aliases`).
    """

    @functools.wraps(method)
    def holding(*args):
        builder = BUILDER.get()
        start = builder.checkpoint()
        result = method(*args)
        nodes = (node for node in builder.nodes[start:] if node.op is not TABLE["shape"])
        builder.held.update(value for node in nodes for value in node.outputs)
        return result

    return holding


def _aliased(item):
    """An item, which is another name of it where it is a variable."""
    if not isinstance(item, Variable):
        return item
    tensor = TABLE["identity"](item)
    BUILDER.get().aliases[tensor.graph_value] = ("an item of a list", item.handle)
    return tensor


@record(frozen=False, slots=False)
class StagedList(ListOperators, StoredList):  # type: ignore[misc]
    """Replaces a list that grows in a staged loop. Its items are tensors of one type, or
    structures of them.

    `append`, `extend`, `pop`, `insert`, `clear`, `reverse`, `del`, indexing and slicing mean what
    they do for a list; so do `count`, `index`, `remove` and `sort` where the items are numbers.
    `ag.stack(items)` gives all of them as one tensor, and so does returning the
    list.
    """

    rows: Any  # a tensor (capacity, *item), or Pending; or an item's structure of them
    size: Any  # a scalar int32 tensor
    __repr__ = ListOperators.__repr__  # not that of a record

    def __post_init__(self):
        list.__init__(self, (InGraph(),))

    @classmethod
    @_holding
    def of(cls, items) -> StagedList | None:
        """The items of a list, None when they cannot be rows of one tensor."""
        if not items:
            return StagedList(UnknownRows(), convert_to_tensor(0, int32))
        note_shared(items, {})
        leaves = [list(map(_aliased, nest.flatten(part))) for part in items]
        if not all(nest.same_structure(items[0], part) for part in items) or not all(
            _can_be_item(leaf) for row in leaves for leaf in row
        ):
            return None
        try:
            columns = [TABLE["ensure_length"](stack(part), 0) for part in zip(*leaves, strict=True)]
        except (Error, TypeError, ValueError):
            return None
        rows = nest.pack_sequence_as(items[0], columns)
        return StagedList(rows, convert_to_tensor(len(items), int32))

    def like(self, other: StagedList) -> StagedList:
        """The same list; an empty one gets the structure of another's items."""
        note_structure(self.rows, other.rows)
        if isinstance(self.rows, UnknownRows) and nest.is_nested(other.rows):
            return type(self)(unknown(other.rows), self.size)
        return self

    def __tf_flatten__(self) -> tuple:
        return (), (self.rows, self.size)

    @classmethod
    def __tf_unflatten__(cls, _, parts: tuple) -> StagedList:
        return cls(*parts)

    # ---- reading -------------------------------------------------------------------------

    @property
    def lists(self) -> tuple[StagedList]:
        """The lists whose items a loop over this one takes, as of a StagedIterable."""
        return (self,)

    def has_no_item(self) -> bool:
        if self._has_items():
            return False
        note_reading(self.rows)
        return True

    def stack(self) -> Tensor:
        """All items, along a new first axis."""
        if not self._has_items():
            raise UnimplementedError(
                "the list is empty: nothing says what its items are", "Append to it first."
            )
        return nest.map_structure(lambda rows: rows[: self.size], self.rows)

    def __tf_tensor__(self) -> Tensor:
        return joined(self.stack())

    def __tf_truth__(self) -> Tensor:
        return self.size > 0

    def __tf_stack__(self, axis: int) -> Tensor:
        """The items along a new axis."""
        rows = joined(self.stack())
        rank = len(rows.dims or ())
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        return _transposed(rows, order)

    def __tf_concat__(self, axis: int) -> Tensor:
        """The items one after the other along `axis`."""
        rows = joined(self.stack())
        sizes: list = list((rows.dims or ())[1:])
        rank = len(sizes)
        position = axis % rank
        order = [*range(1, position + 1), 0, *range(position + 1, rank + 1)]
        sizes[position] = self.size * sizes[position] if 0 in sizes else -1
        return TABLE["reshape"](_transposed(rows, order), stack(sizes))

    def __getitem__(self, key):
        if not isinstance(key, slice):
            refuse_if_caught(IndexError(OUT_OF_RANGE), surely=True)
            require_index(key, self.size)
            return note_read(self._at(key), source=self)
        new = self.again()
        if not self.has_no_item():
            new._take(self._at(key))
        return new

    def unpacked(self, count: int) -> list:
        """The items, of which there have to be so many."""
        require(self.size >= count, "not enough values to unpack", ValueError)
        require(self.size <= count, f"too many values to unpack (expected {count})", ValueError)
        return [note_read(self._at(index), source=self) for index in range(count)]

    def at(self, index):
        """The item at an index from 0 on, which the caller has compared with the length."""
        if self.has_no_item():
            raise raised(lambda: IndexError(OUT_OF_RANGE))
        return nest.map_structure(lambda rows: rows[index], self.rows)

    def _at(self, index):
        if self.has_no_item():
            raise raised(lambda: IndexError(OUT_OF_RANGE))
        return nest.map_structure(lambda rows: rows[index], self.stack())

    def __len__(self):
        raise UnimplementedError(
            "the length of a list that grows in a staged loop is known only when the graph runs",
            "Use ag.shape(ag.stack(items))[0].",
        )

    def __bool__(self):
        return bool(self.size > 0)  # which a staged size refuses, with advice

    def __iter__(self):
        return iter(nest.flatten(self.stack())[0])  # which refuses it

    def __contains__(self, item):
        return item in iter(self)

    def again(self) -> StagedList:
        note_copied(self.rows)
        return self.of_class(self)

    copy = __copy__ = again

    def renewed(self) -> StagedList:
        """Another list with the same items, in place of this one."""
        return StagedList(self.rows, self.size)

    def of_class(self, items: StagedList) -> StagedList:
        """Items as a list, or as a tuple where this is one."""
        return type(self)(items.rows, items.size)

    def __deepcopy__(self, memo) -> StagedList:
        return self.of_class(self)

    def count(self, item):
        return 0 if self.has_no_item() else reduce_sum(cast(self._is(item), int32))

    def index(self, item) -> Tensor:  # type: ignore[override]
        return self._index(item, "the item is not in the list")

    def _index(self, item, message: str) -> Tensor:
        if self.has_no_item():
            raise raised(lambda: ValueError(message))
        is_equal = self._is(item)
        require(reduce_any(is_equal), message, ValueError)
        return TABLE["argmax"](cast(is_equal, int32), axis=0, dtype=int32)

    def _is(self, item) -> Tensor:
        """Which items are equal to one."""
        return TABLE["equal"](self._numbers(), convert_to_tensor(item, dtype_hint=self.rows.dtype))

    def _numbers(self) -> Tensor:
        """All items, if they are numbers."""
        rows = self.stack()
        if isinstance(rows, Tensor) and len(rows.dims or ()) == 1:
            return rows
        raise UnimplementedError(
            "a list that grows in a staged statement finds and sorts numbers alone",
            "Compare the items yourself: ag.stack(items) == item.",
        )

    # ---- changing ------------------------------------------------------------------------

    @_holding
    def append(self, item) -> None:
        item = self._item(item)

        def grown(rows, leaf):
            rows = TABLE["ensure_length"](allocated(rows, leaf), self.size + 1)
            return set_item(rows, self.size, leaf)

        self.rows, self.size = nest.map_structure(grown, self.rows, item), self.size + 1

    @_holding
    def extend(self, items) -> None:
        if isinstance(items, (list, tuple)) and not isinstance(items, StagedList):
            for item in items:
                self.append(item)
            return
        if isinstance(items, StagedList) and items.has_no_item():
            note_structure(items.rows, self.rows)
            return
        more = items.stack() if isinstance(items, StagedList) else convert_to_tensor(items)
        if isinstance(items, StagedList):
            note_copied(items.rows)
            self.rows = self.like(items).rows

        def grown(rows, more):
            return concat([allocated(rows, more[0])[: self.size], more], 0)

        self._take(nest.map_structure(grown, self.rows, more))

    def __iadd__(self, items) -> StagedList:
        self.extend(items)
        return self

    def __imul__(self, count) -> StagedList:
        repeated = self * count
        self.rows, self.size = repeated.rows, repeated.size
        return self

    def pop(self, index=-1) -> Any:
        last = isinstance(index, int) and index == -1
        if last:
            require(self.size > 0, "pop from empty list")
        else:
            index = self._from_start(index)
            require((index >= 0) & (index < self.size), "pop index out of range")
        item = self._at(index)
        note_role(TAKEN_OUT, [item])
        if last:
            self.size = self.size - 1
        else:
            self._leave_out(index)
        return item

    def __delitem__(self, index) -> None:
        if isinstance(index, slice):
            raise UnimplementedError(
                "`del` of several items of a list that grows in a staged statement",
                "Keep the other items: items = items[2:].",
            )
        index = self._from_start(index)
        require((index >= 0) & (index < self.size), NO_SUCH_ITEM)
        if self.has_no_item():
            raise raised(lambda: IndexError(NO_SUCH_ITEM))
        self._leave_out(index)

    @_holding
    def _leave_out(self, index) -> None:
        def left(rows):
            return concat([rows[:index], rows[index + 1 :]], 0)

        self._take(nest.map_structure(left, self.stack()))

    @_holding
    def insert(self, index, item) -> None:
        item = self._item(item)
        index = TABLE["maximum"](self._from_start(index), 0)  # one that is too large is at the end

        def grown(rows, leaf):
            rows = allocated(rows, leaf)[: self.size]
            return concat([rows[:index], leaf[None], rows[index:]], 0)

        self._take(nest.map_structure(grown, self.rows, item))

    def clear(self) -> None:
        self.size = convert_to_tensor(0, int32)

    @_holding
    def reverse(self) -> None:
        if self.has_no_item():
            return
        self._take(nest.map_structure(lambda rows: rows[::-1], self.stack()))

    def remove(self, item) -> None:
        self._leave_out(self._index(item, "list.remove(x): x not in list"))

    def sort(self, *, key=None, reverse: bool = False) -> None:
        if key is not None:
            raise UnimplementedError(
                "a list that grows in a staged statement is sorted without a key",
                "Sort the keys: ag.gather(ag.stack(items), ag.argsort(keys)).",
            )
        if self.has_no_item():
            return
        from ...runtime.ops.array.sorting import sort  # most programs sort nothing

        self._take(sort(self._numbers(), direction="DESCENDING" if reverse else "ASCENDING"))

    @_holding
    def __setitem__(self, index, item) -> None:
        if isinstance(index, slice):
            raise UnimplementedError(
                "several items of a list that grows in a staged statement are assigned at once",
                "Put the list together: items = items[:1] + [x, y] + items[3:].",
            )
        refuse_if_caught(IndexError(NO_SUCH_ITEM), surely=True)
        require_index(index, self.size, NO_SUCH_ITEM)
        if self.has_no_item():
            raise raised(lambda: IndexError(NO_SUCH_ITEM))
        item = self._item(item)
        self._take(nest.map_structure(lambda r, leaf: set_item(r, index, leaf), self.stack(), item))

    # ---- helpers -------------------------------------------------------------------------

    def _take(self, rows) -> None:
        self.size = TABLE["shape"](nest.flatten(rows)[0], dtype=int32)[0]
        self.rows = nest.map_structure(lambda leaf: TABLE["ensure_length"](leaf, 0), rows)

    def _from_start(self, index):
        index = convert_to_tensor(index, int32)
        return TABLE["select"](index < 0, index + self.size, index)

    def _item(self, item) -> Any:
        """The item with tensors for leaves, checked against those in the list."""
        note_taken(item)
        if nest.is_nested(item) and all(map(_can_be_item, nest.flatten(item))):
            if isinstance(self.rows, UnknownRows):
                self.rows = unknown(item)
            elif isinstance(self.rows, Deferred):
                raise Retrace(StructuredItems(self.rows, item))
        if not nest.same_structure(self.rows, item):
            raise UnimplementedError(
                f"a list that grows in a staged loop holds items of one structure: {item!r} is "
                "another than those before it",
                "Keep a list for each kind of items.",
            )
        return nest.map_structure(self._leaf, self.rows, item)

    def _leaf(self, rows, item) -> Tensor:
        dtype = rows.dtype
        if not _can_be_item(item):
            raise UnimplementedError(
                f"a list that grows in a staged loop holds tensors, not {item!r} "
                f"(a {type(item).__name__})",
                "Keep a list for each part.",
            )
        leaf = convert_to_tensor(_aliased(item), dtype_hint=dtype)
        leaf = leaf if dtype is None else as_number(leaf, dtype)
        if dtype is not None and leaf.dtype is not dtype:
            raise DTypeError(
                f"an item of {leaf.dtype.name} in a list of {dtype.name}",
                f"Cast it: {conversion('item', leaf.dtype, dtype)}",
            )
        sizes = (rows.dims or ())[1:] if isinstance(rows, Tensor) else None
        if not is_compatible(leaf.dims, sizes):
            raise ShapeError(
                f"an item of shape {show(leaf.dims)} in a list of items of shape {show(sizes)}",
                "Keep a list for each shape, or pad the items, for example with ag.pad(x, ...).",
            )
        return leaf


StagedList.__name__ = "list"  # in Python's errors


def require_index(key, size, message: str = OUT_OF_RANGE) -> None:
    """Raise Python's IndexError when the graph runs, unless a list of this size has such an item.

    The item itself may be a value that nobody reads, which the graph does not compute. Where a
    handler around may catch the error, that is left to the operation that uses the item.
    """
    if not is_caught(IndexError(message)):
        key = convert_to_tensor(key)
        require((key >= -size) & (key < size), message)


def require(holds, message: str, error: type[Exception] = IndexError) -> None:
    """Raise an error when the graph runs, unless `holds`."""

    def fail() -> None:
        raise raised(lambda: error(message))

    if_stmt(holds, _nothing, fail, tuple, _ignored, (), 0)


def _nothing() -> None:
    """The side of an `if` that goes on."""


def _ignored(state: tuple) -> None:
    """Nothing is assigned."""


def stacked(structure):
    """The structure with each staged list in it as one tensor."""
    if isinstance(structure, StagedList):
        return joined(structure.stack())
    if isinstance(structure, ForwardingList):
        return list(map(stacked, structure))
    container = nest.container_type(structure)
    if container is None:
        return structure
    keys = container.keys(structure)
    children = container.children(structure, keys)
    tensors = [stacked(child) for child in children]
    if all(tensor is other for tensor, other in zip(tensors, children, strict=True)):
        return structure
    return container.rebuild(structure, keys, tensors)


def _can_be_item(item) -> bool:
    return tensor_of(item) is not None or dtype_of_number(item) is not None


def joined(rows):
    """The columns of items, as one tensor where all of them are of one type and shape."""
    if type(rows) not in (*LIST_CLASSES, tuple) or not rows:
        return rows
    columns = list(map(joined, rows))
    types = {(column.dtype, column.dims) for column in columns if isinstance(column, Tensor)}
    is_one = len(types) == 1 and all(isinstance(column, Tensor) for column in columns)
    return stack(columns, axis=1) if is_one else rows


def _transposed(tensor, order):
    if order == list(range(len(order))):
        return tensor
    return TABLE["transpose"](tensor, perm=order)
