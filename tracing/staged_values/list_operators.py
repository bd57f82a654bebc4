"""The operators of lists, of a list that grows at run time: `==`, `+` and `*`."""

from __future__ import annotations

from typing import Any

from ...runtime.core.errors import UnimplementedError
from ...runtime.ir.op import TABLE
from ...runtime.ops.array.creation import range_
from ...runtime.ops.array.gathering import gather
from ...runtime.ops.math.reductions import reduce_all
from ...runtime.tensors.tensor import Tensor
from ..structures import nest


class ListOperators:
    """Operators of a list that grows at run time with another one, or with a list of Python."""

    rows: Any
    size: Any

    def _other(self, other):
        """Another list as one that grows; None if it is no list."""
        if isinstance(other, ListOperators):
            return other
        if not isinstance(other, list):
            return None
        converted = type(self).of(other)  # type: ignore[attr-defined]
        if converted is None:
            raise UnimplementedError(
                "a list that grows in a staged statement beside one whose items are no numbers, "
                "tensors or structures of them of one type",
                "Compare or join the parts that are.",
            )
        return converted

    def __eq__(self, other):
        if isinstance(other, tuple):  # of which this may take the place, too
            raise UnimplementedError(
                "a list or tuple that grows in a staged statement beside a tuple",
                "Compare lists: rows == [1, 2].",
            )
        other = self._other(other)
        if other is None:
            return NotImplemented  # as Python: a list equals nothing else
        same = TABLE["equal"](self.size, other.size)
        if self.has_no_item() or other.has_no_item():  # one of them has never had an item
            return same
        if not nest.same_structure(self.rows, other.rows):
            raise UnimplementedError(
                "lists that grow in a staged statement have items of several structures",
                "Compare their parts.",
            )
        most = TABLE["minimum"](self.size, other.size)
        pairs = [*zip(nest.flatten(self.rows), nest.flatten(other.rows), strict=True)]
        if any(rows.dtype is not others.dtype for rows, others in pairs):
            raise UnimplementedError(
                "lists that grow in a staged statement have items of several types",
                "Compare their items in a loop.",
            )
        for rows, others in pairs:
            equal = reduce_all(TABLE["equal"](rows[:most], others[:most]))
            same = TABLE["logical_and"](same, equal)
        return same

    def __ne__(self, other):
        same = self.__eq__(other)
        return same if same is NotImplemented else TABLE["logical_not"](same)

    def __hash__(self):
        raise TypeError("unhashable type: 'list'")

    def __lt__(self, other):
        raise UnimplementedError(
            "lists that grow in a staged statement are ordered", "Compare their items in a loop."
        )

    __le__ = __gt__ = __ge__ = __lt__

    def has_no_item(self) -> bool:
        """Whether no item has been put into the list so far, in this trace."""
        raise NotImplementedError

    def _has_items(self) -> bool:
        return all(isinstance(rows, Tensor) for rows in nest.flatten(self.rows))

    def __radd__(self, other):
        joined = self._other(other)
        if joined is None:
            return NotImplemented
        if isinstance(other, list):  # whose items take the form of those that are appended
            joined = self.renewed() if self._has_items() else type(self).of([])  # type: ignore[attr-defined]
            joined.clear()
            joined.extend(other)
        joined = joined.like(self)
        joined.extend(self)
        return joined

    def __mul__(self, count):
        new = self.copy()  # type: ignore[attr-defined]
        if self.has_no_item():
            return new
        order = TABLE["floor_mod"](
            range_(TABLE["maximum"](self.size * count, 0)), TABLE["maximum"](self.size, 1)
        )
        new._take(nest.map_structure(lambda rows: gather(rows, order), self.rows))
        return new

    __rmul__ = __mul__
