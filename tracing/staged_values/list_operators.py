"""The operators of lists, of a list that grows at run time: `==`, `+` and `*`."""

from __future__ import annotations

from typing import Any

from ...autograph.operators.logical import not_
from ...autograph.operators.noted_changes import note_copied
from ...runtime.core.deferred_strings import DEFERRED
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
    class_in_python: type

    def _is_like(self, other) -> bool:
        """Whether another value is a list too, or a tuple too."""
        cls = getattr(type(other), "class_in_python", type(other))
        return issubclass(cls, self.class_in_python)

    def _other(self, other):
        """Another list as one that grows."""
        if isinstance(other, ListOperators):
            return other
        converted = type(self).of(other)  # type: ignore[attr-defined]
        if converted is None:
            raise UnimplementedError(
                "a list that grows in a staged statement beside one whose items are no numbers, "
                "tensors or structures of them of one type",
                "Compare or join the parts that are.",
            )
        return converted

    def __eq__(self, other):
        if not self._is_like(other):  # a list equals nothing else; what stands for one is a list
            return False if isinstance(other, list) else NotImplemented
        other = self._other(other)
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
        return same if same is NotImplemented else not_(same)

    def __repr__(self):
        if DEFERRED.get() is not None:  # for a string of the graph
            raise UnimplementedError(
                "the text of a list that grows in a staged statement",
                "Make a string of its items in a loop, or show them with ag.print.",
            )
        return "(...)" if self.class_in_python is tuple else "[...]"

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

    def __add__(self, other):
        if not self._is_like(other):
            return _unlike(self, other)
        note_copied(self.rows)
        joined = self.renewed()
        joined.extend(other)
        return self.of_class(joined)

    def __radd__(self, other):
        if not self._is_like(other):
            return _unlike(other, self)
        joined = self.renewed() if self._has_items() else type(self).of([])
        joined.clear()
        joined.extend(other)  # whose items take the form of those that are appended
        joined = joined.like(self)
        joined.extend(self)
        return self.of_class(joined)

    def __mul__(self, count):
        new = self.again()
        if self.has_no_item():
            return new
        order = TABLE["floor_mod"](
            range_(TABLE["maximum"](self.size * count, 0)), TABLE["maximum"](self.size, 1)
        )
        new._take(nest.map_structure(lambda rows: gather(rows, order), self.rows))
        return new

    __rmul__ = __mul__


def _unlike(left, right):
    """Python's error for a list and a tuple; what else is added has a method for it."""
    if not isinstance(left, (list, tuple)) or not isinstance(right, (list, tuple)):
        return NotImplemented
    name, other = type(left).__name__, type(right).__name__
    raise TypeError(f'can only concatenate {name} (not "{other}") to {name}')
