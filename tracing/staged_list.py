"""A list that grows while the graph runs: the rows of a tensor, and how many of them are used."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..runtime.apply import convert_to_tensor, tensor_of
from ..runtime.dtypes import int32
from ..runtime.errors import DTypeError, Error, ShapeError, UnimplementedError
from ..runtime.op import TABLE
from ..runtime.ops.creation import zeros
from ..runtime.ops.joining import concat, stack
from ..runtime.ops.slicing import set_item
from ..runtime.shapes import is_compatible, is_static, show
from ..runtime.tensor import Tensor
from . import nest
from .leaves import Pending, dtype_of_number


class UnknownRows(Pending):
    """The rows of a list that nothing has been appended to: their type comes with the first."""

    def tensor(self, shape) -> Tensor:
        if not is_static(shape[1:]):
            raise ShapeError(
                f"the shape {show(shape[1:])} of the items of a list in a staged loop is not fully "
                "known",
                "Use a TensorArray with element_shape.",
            )
        return TABLE["ensure_length"](zeros((0, *shape[1:]), self.dtype), 0)


@dataclasses.dataclass(eq=False)
class StagedList:
    """What a list becomes that grows in a staged loop; its items are tensors of one type.

    `append`, `extend`, `pop`, `insert`, `clear`, `reverse`, indexing and slicing mean what they do
    for a list. `ag.stack(items)` gives all of them as one tensor, and so does returning the list.
    """

    rows: Any  # a tensor (capacity, *item), or Pending
    size: Any  # a scalar int32 tensor

    @classmethod
    def of(cls, items) -> StagedList | None:
        """The items of a list, None when they cannot be rows of one tensor."""
        if not items:
            return cls(UnknownRows(), convert_to_tensor(0, int32))
        if any(nest.is_nested(one) for one in items) or not all(map(_can_be_item, items)):
            return None
        try:
            rows = stack(items)
        except (Error, TypeError, ValueError):
            return None
        return cls(TABLE["ensure_length"](rows, 0), convert_to_tensor(len(items), int32))

    # ---- reading -------------------------------------------------------------------------

    def stack(self) -> Tensor:
        """All items, along a new first axis."""
        if not isinstance(self.rows, Tensor):
            raise ShapeError(
                "the list is empty: nothing says what its items are", "Append to it first."
            )
        return self.rows[: self.size]

    def __tf_tensor__(self) -> Tensor:
        return self.stack()

    def __tf_truth__(self) -> Tensor:
        return self.size > 0

    def __tf_stack__(self, axis: int) -> Tensor:
        """The items along a new axis."""
        rows = self.stack()
        rank = len(rows._shape)
        order = list(range(1, rank))
        order.insert(axis % rank, 0)
        return _transposed(rows, order)

    def __tf_concat__(self, axis: int) -> Tensor:
        """The items one after the other along `axis`."""
        rows = self.stack()
        rank = len(rows._shape) - 1
        place = axis % rank
        order = [*range(1, place + 1), 0, *range(place + 1, rank + 1)]
        sizes = [-1 if index == place else rows._shape[index + 1] for index in range(rank)]
        return TABLE["reshape"](_transposed(rows, order), sizes)

    def __getitem__(self, key):
        if isinstance(key, slice):
            rows = self.stack()[key]
            return StagedList(TABLE["ensure_length"](rows, 0), TABLE["shape"](rows, dtype=int32)[0])
        return self.stack()[key]

    def __len__(self):
        raise UnimplementedError(
            "the length of a list that grows in a staged loop is known only when the graph runs",
            "Use ag.shape(ag.stack(items))[0].",
        )

    def __bool__(self):
        return bool(self.size > 0)  # which a staged size refuses, with advice

    def __iter__(self):
        return iter(self.stack())

    def __add__(self, other) -> StagedList:
        made = self.copy()
        made.extend(other)
        return made

    def copy(self) -> StagedList:
        return StagedList(self.rows, self.size)

    # ---- changing ------------------------------------------------------------------------

    def append(self, item) -> None:
        item = self._item(item)
        rows = self._allocated(item)
        rows = TABLE["ensure_length"](rows, self.size + 1)
        self.rows, self.size = set_item(rows, self.size, item), self.size + 1

    def extend(self, items) -> None:
        if isinstance(items, (list, tuple)):
            for one in items:
                self.append(one)
            return
        more = convert_to_tensor(items)
        rows = self._allocated(more[0])[: self.size]
        self._take(concat([rows, more], 0))

    def __iadd__(self, items) -> StagedList:
        self.extend(items)
        return self

    def pop(self, index=-1) -> Tensor:
        rows = self.stack()
        item = rows[index]
        if isinstance(index, int) and index == -1:
            self.size = self.size - 1
        else:
            index = self._from_start(index)
            self._take(concat([rows[:index], rows[index + 1 :]], 0))
        return item

    def insert(self, index, item) -> None:
        item = self._item(item)
        rows = self._allocated(item)[: self.size]
        index = self._from_start(index)
        self._take(concat([rows[:index], item[None], rows[index:]], 0))

    def clear(self) -> None:
        self.size = convert_to_tensor(0, int32)

    def reverse(self) -> None:
        self._take(self.stack()[::-1])

    def __setitem__(self, index, item) -> None:
        self._take(set_item(self.stack(), index, self._item(item)))

    # ---- parts ---------------------------------------------------------------------------

    def _take(self, rows) -> None:
        size = TABLE["shape"](rows, dtype=int32)[0]
        self.rows, self.size = TABLE["ensure_length"](rows, 0), size

    def _from_start(self, index):
        index = convert_to_tensor(index, int32)
        return TABLE["select"](index < 0, index + self.size, index)

    def _item(self, item) -> Tensor:
        dtype = self.rows.dtype
        item = _row(item)
        if not _can_be_item(item):
            raise UnimplementedError(
                f"a list that grows in a staged loop holds tensors, not {item!r} "
                f"(a {type(item).__name__})",
                "Keep a list for each part.",
            )
        made = convert_to_tensor(item, dtype_hint=dtype)
        if dtype is not None and made.dtype is not dtype:
            raise DTypeError(
                f"an item of {made.dtype.name} in a list of {dtype.name}",
                f"Cast it: ag.cast(item, ag.{dtype.name})",
            )
        if isinstance(self.rows, Tensor) and not is_compatible(made._shape, self.rows._shape[1:]):
            raise ShapeError(
                f"an item of shape {show(made._shape)} in a list of items of shape "
                f"{show(self.rows._shape[1:])}"
            )
        return made

    def _allocated(self, item: Tensor) -> Tensor:
        if isinstance(self.rows, Tensor):
            return self.rows
        return self.rows.of_type(item.dtype).tensor((None, *item._shape))


def stacked(structure):
    """The structure with each staged list in it as one tensor."""
    if isinstance(structure, StagedList):
        return structure.stack()
    kind = nest.kind_of(structure)
    if kind is None:
        return structure
    keys = kind.keys(structure)
    children = kind.children(structure, keys)
    made = [stacked(child) for child in children]
    if all(one is other for one, other in zip(made, children, strict=True)):
        return structure
    return kind.rebuild(structure, keys, made)


def _can_be_item(item) -> bool:
    return tensor_of(item) is not None or dtype_of_number(item) is not None


def _row(item):
    """An item that is a list of numbers and tensors of one type as a tensor of its own."""
    if type(item) not in (list, tuple) or not item:
        return item
    parts = [_row(one) for one in item]
    if not all(map(_can_be_item, parts)):
        return item
    try:
        return stack(parts)
    except (Error, TypeError, ValueError):
        return item


def _transposed(tensor, order):
    return TABLE["transpose"](tensor, perm=order)
