"""Iterables of tensors for `for` loops: a length, and the item at an index."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Sequence
from typing import Any

from ...runtime.core.dtypes import int32
from ...runtime.core.errors import ShapeError, SymbolicValueError, UnimplementedError
from ...runtime.ir.op import TABLE
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ...runtime.tensors.python_numbers import is_range, refuse_characters
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from .staged_list import StagedList


class Walk:
    """Items by index, for functions of tensors and of arrays: `length()` of them, of which
    `at(index)` gives one. With the builtins that make a walk of others.

    `like` is an iterator of Python for which it stands: its items are taken once.
    """

    is_taken = False

    def __init__(self, length: Callable, at: Callable, like=None):
        self.length = length
        self.at = at
        self.like, self.builder = like, BUILDER.get()

    def made(self, length: Callable, at: Callable, like, sources: tuple) -> Walk:
        """Another walk, of the items of these."""
        raise NotImplementedError

    def taken(self) -> Any:
        """The items, which no other statement has taken."""
        if self.like is None:
            return self
        builder, around = BUILDER.get(), []
        while builder is not None and builder is not self.builder:
            around.append(builder)
            builder = builder.outer
        if self.is_taken or any(outer.repeats for outer in around):
            raise UnimplementedError(
                f"the items of this {type(self.like).__name__} are taken more than once, and how "
                "many are left is known only when the graph runs",
                "Make it again, or make a list of it.",
            )
        self.is_taken = True
        for outer in (*around, *filter(None, [builder])):
            outer.undone.append((len(outer.nodes), lambda: setattr(self, "is_taken", False)))
        items = object.__new__(type(self))
        vars(items).update(vars(self), like=None)
        return items

    def zipped(self, others: Sequence[Walk], least: Callable) -> Any:
        """`zip(self, *others)`; `least` of two lengths is the smaller one."""
        walks = (self, *others)
        length = functools.reduce(least, [walk.length() for walk in walks])
        return self.made(
            lambda: length, lambda at: tuple(walk.at(at) for walk in walks), zip(), walks
        )

    def enumerated(self, start, number: Callable = lambda number: number) -> Any:
        """`enumerate(self, start)`, whose numbers `number` makes Python's."""
        pair = lambda at: (number(at + start), self.at(at))  # noqa: E731
        return self.made(self.length, pair, enumerate(()), (self,))

    def backward(self) -> Any:
        """`reversed(self)`."""
        return self.made(
            self.length, lambda at: self.at(self.length() - 1 - at), reversed(()), (self,)
        )

    def mapped(self, function: Callable) -> Any:
        """`map(function, ...)` of what was zipped to this."""
        return self.made(self.length, lambda at: function(*self.at(at)), map(function, ()), (self,))


class StagedIterable(Walk):
    """Items of tensors that exist only at run time.

    With `keeps`, items for which `keeps(item)` is false are skipped. `lists` are the lists that the
    items are taken from.
    """

    lists: tuple = ()

    def __init__(self, length: Callable, at: Callable, keeps=None, lists=(), like=None):
        super().__init__(length, at, like)
        self.keeps = keeps
        self.lists = tuple(lists)
        self.__class__ = ITERATORS.get(type(like), StagedIterable)

    def made(self, length, at, like, sources) -> StagedIterable:
        lists = [list_ for source in sources for list_ in source.lists]
        return StagedIterable(length, at, None, lists, like)

    def __tf_truth__(self):
        """Iterators of Python are true, whatever they give."""
        return convert_to_tensor(True)

    def __reduce_ex__(self, protocol):
        raise UnimplementedError("a copy of what a tensor counts", "Make it twice.")

    def __iter__(self):
        raise SymbolicValueError(
            "how many items this has is known only when the graph runs",
            "Go through them with a `for` loop, or make a list of them: list(reversed(rows)).",
        )


GENERATOR: Generator = (item for item in range(0))
# What stands for an iterator is in Python's errors of its class.
ITERATORS = {
    cls: type(cls.__name__, (StagedIterable,), {})
    for cls in (enumerate, filter, map, reversed, zip, type(GENERATOR))
}


class Streamed:
    """Base of objects that produce their items one by one at run time, such as a dataset.

    `for` loops and builtins of converted code call these methods while a graph is built.
    """

    def staged_stream(self) -> tuple[Callable, Callable]:
        """`advance()`, a boolean tensor: whether there is another item; and `item()`, that item."""
        raise NotImplementedError

    def staged_iter(self):
        """What `iter` gives."""
        raise NotImplementedError

    def staged_next(self, *default):
        """What `next` gives."""
        raise TypeError(f"{self!r} is not an iterator: use iter() first")

    def staged_length(self):
        """What `len` gives."""
        raise TypeError(f"{self!r} has no length")

    def staged_enumerate(self, start):
        """What `enumerate` gives; `staged_zip` and those below likewise."""
        raise TypeError(f"enumerate() does not take {self!r}")

    def staged_zip(self, sources):
        raise TypeError(f"zip() does not take {self!r}")

    def staged_map(self, function, sources):
        raise TypeError(f"map() does not take {self!r}")

    def staged_filter(self, function):
        raise TypeError(f"filter() does not take {self!r}")


class StagedSequence:
    """Base of objects with a length and items by index, both perhaps known only at run time."""

    def staged_length(self) -> Any:
        """What `len` gives: an int, or a scalar tensor."""
        raise NotImplementedError

    def read(self, index) -> Any:
        """The item at an index."""
        raise NotImplementedError


def iterable_of(items) -> StagedIterable:
    """Walk over the first axis of a tensor; a range is counted, never stored."""
    if isinstance(items, StagedIterable):
        return items.taken()
    if isinstance(items, StagedSequence):
        return StagedIterable(lambda: convert_to_tensor(items.staged_length(), int32), items.read)
    if isinstance(items, StagedList):
        return StagedIterable(lambda: items.size, items.at, lists=(items,))
    tensor = convert_to_tensor(items)
    if tensor.dims == ():
        refuse_characters(tensor)
        raise ShapeError(
            "a scalar tensor cannot be iterated over", "Use ag.range(n) to count to n."
        )
    node = tensor.op if isinstance(tensor, SymbolicTensor) else None
    if node is not None and node.type == "Range" and tensor.dtype.is_integer:
        counted = _counting(tensor, node)
        if is_range(tensor):
            return StagedIterable(counted.length, lambda index: python_number(counted.at(index)))
        return counted
    if (
        isinstance(items, range)
        or is_range(items)
        or (isinstance(items, (list, tuple)) and {*map(type, items)} <= {int, float, bool})
    ):
        return StagedIterable(lambda: length_of(tensor), lambda index: python_number(tensor[index]))
    return StagedIterable(lambda: length_of(tensor), lambda index: tensor[index])


def taken_once(items: StagedList, origin) -> Any:
    """An iterator over a list that a generator expression has made of the items of another."""
    if items.has_no_item():
        return iter(())
    return StagedIterable(lambda: items.size, items.at, None, (items, origin), GENERATOR)


def python_number(tensor):
    """A tensor that stands for a number of Python, which adopts other data types, or a string."""
    if type(tensor) is SymbolicTensor and tensor.dims == ():
        tensor.builder.numbers[tensor.graph_value] = True
    return tensor


def length_of(tensor: Tensor) -> Tensor:
    """The size of the first axis, as a scalar tensor."""
    if tensor.dims and tensor.dims[0] is not None:
        return convert_to_tensor(tensor.dims[0], int32)
    if tensor.dims == ():
        refuse_characters(tensor)
        raise TypeError("a scalar tensor has no length")
    return TABLE["shape"](tensor, dtype=int32)[0]


def _counting(tensor, node) -> StagedIterable:
    """`start, start + delta, ...` without the vector."""
    start, limit, delta = (SymbolicTensor(value, tensor.builder) for value in node.inputs)
    if delta.graph_value.constant is not None and int(delta.graph_value.constant) == 1:
        count = limit - start
        if start.graph_value.constant is not None and int(start.graph_value.constant) == 0:
            return StagedIterable(lambda: count, lambda index: index)
        return StagedIterable(lambda: count, lambda index: start + index)
    # -((start - limit) // delta) is the ceiling of (limit - start) / delta, for either sign
    return StagedIterable(lambda: -((start - limit) // delta), lambda index: start + index * delta)
