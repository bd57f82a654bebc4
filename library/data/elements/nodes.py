"""The run-time objects of datasets, and the operations that use them in graphs.

A dataset consists of *nodes*: Python objects whose method `elements()` starts a new pass over the
elements. An element is a flat tuple of arrays. A `Cursor` is a pass in progress, the run-time
object of an iterator.

Inside a graph a node or cursor is a scalar of the dtype `variant`: an array of rank 0 that contains
the object. Thus a dataset is an ordinary operand. As an argument it is passed on each call; in a
closure it is captured; loops and branches can carry it. A dataset that is created inside a function
is created on each call, by the operation `make_dataset`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .... import bool as bool_
from .... import int64, variant
from ....extend.errors import InvalidArgumentError, OutOfRangeError
from ....extend.graphs import BUILDER
from ....extend.operations import ANYTHING, OPERATIONS, READS, WRITES, Spec, hidden_op
from ....extend.registration import expose, public
from ....extend.state import RLock
from ....extend.tensors import EagerTensor

INFINITE = -1
UNKNOWN = -2
expose(INFINITE, "data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")
expose(-1, "data.AUTOTUNE", "data.experimental.AUTOTUNE")
expose(UNKNOWN, "data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")

HANDLES = {variant}
HANDLE = Spec(variant, ())


@public("errors.NoLengthError")
class NoLengthError(InvalidArgumentError, TypeError):
    """`len` of a dataset that is infinite, or whose number of elements is unknown."""


class Node:
    """One stage of a dataset."""

    seeds: Any = None  # the random streams of its passes, where it draws some

    def elements(self) -> Iterator[tuple]:
        """A new pass over the elements, each a flat tuple of arrays."""
        raise NotImplementedError

    def cardinality(self) -> int:
        """The number of elements of a pass, or INFINITE or UNKNOWN."""
        return UNKNOWN


class Cursor:
    """A pass in progress; several threads may take elements from it."""

    def __init__(self, elements: Iterator[tuple]):
        self._elements = elements
        self._lock = RLock()  # a generator that advances itself gets an error, no deadlock
        self.item: tuple | None = None

    def __iter__(self):
        return self

    def __next__(self) -> tuple:
        with self._lock:
            return next(self._elements)

    def __reduce__(self):
        raise TypeError(
            "an iterator over a dataset cannot be pickled: it is a pass in progress. Pickle the "
            "dataset, and iterate over it in the other process"
        )

    def advance(self) -> bool:
        """Store the next element in `item`; returns False at the end."""
        self.item = next(self, None)
        return self.item is not None


class Remaining(Node):
    """The remaining elements of an iterator, which advances with this node."""

    def __init__(self, cursor: Cursor):
        self.cursor = cursor

    def elements(self):
        return iter(self.cursor)


# ---- objects as tensors ----------------------------------------------------------------------


class Handle(EagerTensor):
    """A tensor that contains a node or a cursor."""

    __slots__ = ()
    dtype = variant

    def numpy(self):
        raise TypeError("a dataset is not an array: iterate over it, or use as_numpy_iterator()")


def boxed(node_or_cursor) -> np.ndarray:
    """An array of rank 0 that contains one object."""
    array = np.empty((), object)
    array[()] = node_or_cursor
    return array


def unboxed(array):
    """The node or cursor in an array; other arrays are returned unchanged."""
    if array.dtype == object and array.ndim == 0:
        node_or_cursor = array[()]
        return node_or_cursor if isinstance(node_or_cursor, (Node, Cursor)) else array
    return array


def reboxed(operand):
    """The inverse of `unboxed`: an operand as an array."""
    return boxed(operand) if isinstance(operand, (Node, Cursor)) else operand


def handle_of(tensor):
    """The result of a function as a `Handle`, which has the dtype `variant`."""
    if type(tensor) is EagerTensor:
        return Handle(tensor.array)
    return tensor


@hidden_op
class MakeDataset:
    """A node, created whenever the graph runs."""

    effect = READS
    accepts = {"operands": ANYTHING}
    inputs = ("*operands",)
    runs_python = True

    def kernel(*operands, factory, fixed):
        return boxed(factory(*map(unboxed, operands), **fixed))

    def result(*operands, factory, fixed):
        return HANDLE


def make(factory: Callable[..., Node], operands: list, fixed: dict):
    """The tensor of `factory(*operands, **fixed)`, created now or when the graph runs."""
    builder = BUILDER.get()
    if builder is not None:
        return builder.record(
            OPERATIONS["make_dataset"], operands, {"factory": factory, "fixed": fixed}
        )
    arrays = [
        operand.array if isinstance(operand, EagerTensor) else np.asarray(operand)
        for operand in operands
    ]
    return Handle(boxed(factory(*map(unboxed, arrays), **fixed)))


def run(name: str, handle, *operands, **attrs):
    """Apply one of the operations below to a handle and further tensors."""
    builder = BUILDER.get()
    if builder is not None:
        return builder.record(OPERATIONS[name], [handle, *operands], attrs)
    arrays = [operand.array for operand in (handle, *operands)]
    results = OPERATIONS[name].kernel(*arrays, **attrs)
    return tuple(map(EagerTensor, results)) if type(results) is tuple else EagerTensor(results)


# ---- iterating inside graphs -----------------------------------------------------------------


@hidden_op
class MakeIterator:
    """A new pass over a dataset; for an iterator, the same pass with a separate `item`."""

    effect = READS
    accepts = HANDLES
    runs_python = True

    def kernel(source):
        node_or_cursor = source[()]
        return boxed(
            Cursor(
                node_or_cursor.elements() if isinstance(node_or_cursor, Node) else node_or_cursor
            )
        )

    def result(source):
        return HANDLE


@hidden_op
class IteratorAdvance:
    """Take the next element; the result is whether there was one."""

    effect = WRITES
    supplies_items = True
    accepts = HANDLES
    runs_python = True

    def kernel(cursor):
        return np.bool_(cursor[()].advance())

    def result(cursor):
        return Spec(bool_, ())


@hidden_op
class IteratorItem:
    """The element that `iterator_advance` took."""

    effect = READS
    several = True
    accepts = HANDLES

    def kernel(cursor, *, specs):
        return tuple(cursor[()].item)  # of a placed one, which is of a class of its own, the arrays

    def result(cursor, *, specs):
        return specs


@hidden_op
class IteratorNext:
    """The next element. Raises OutOfRangeError at the end."""

    effect = WRITES
    supplies_items = True
    several = True
    accepts = HANDLES
    runs_python = True

    def kernel(cursor, *, specs):
        item = next(cursor[()], None)
        if item is None:
            raise OutOfRangeError("End of sequence: the iterator has no more elements")
        return tuple(item)

    def result(cursor, *, specs):
        return specs


@hidden_op
class OptionalValue:
    """The element that `iterator_advance` took. Raises InvalidArgumentError if there was none."""

    effect = READS
    several = True
    accepts = HANDLES

    def kernel(cursor, *, specs):
        item = cursor[()].item
        if item is None:
            raise InvalidArgumentError("the optional has no value", "Check has_value() first.")
        return tuple(item)

    def result(cursor, *, specs):
        return specs


@hidden_op
class DatasetElement:
    """The only element of a dataset. Raises InvalidArgumentError if there is none or several."""

    effect = WRITES
    several = True
    accepts = HANDLES
    runs_python = True

    def kernel(dataset, *, specs):
        elements = dataset[()].elements()
        item = next(elements, None)
        if item is None or next(elements, None) is not None:
            count = "no" if item is None else "more than one"
            raise InvalidArgumentError(f"get_single_element: the dataset has {count} element")
        return tuple(item)

    def result(dataset, *, specs):
        return specs


@hidden_op
class DatasetCardinality:
    """The number of elements of a dataset."""

    effect = READS
    accepts = HANDLES

    def kernel(dataset):
        return np.int64(dataset[()].cardinality())

    def result(dataset):
        return Spec(int64, ())


@hidden_op
class DatasetLength:
    """The number of elements of a dataset. Raises TypeError if it is unknown or infinite."""

    effect = READS
    accepts = HANDLES
    runs_python = True

    def kernel(dataset):
        count = dataset[()].cardinality()
        if count == INFINITE:
            raise NoLengthError("len() of an infinite dataset", "Limit it, as with ds.take(n).")
        if count == UNKNOWN:
            raise NoLengthError(
                "len() of a dataset whose number of elements only a pass over it tells",
                "Declare the number with ds.assert_cardinality(n), or count the elements with "
                "ds.reduce(0, lambda count, _: count + 1).",
            )
        return np.int64(count)

    def result(dataset):
        return Spec(int64, ())


@hidden_op
class ReduceDataset:
    """The last state of a function of state and element; inputs: dataset, state, captures."""

    effect = WRITES
    accepts = {"operands": ANYTHING}
    inputs = ("*operands",)
    several = True
    runs_python = True

    def kernel(dataset, *operands, function, states, specs):
        state = operands[:states]
        call = function.bound(operands[states:])
        for flat in dataset[()].elements():
            state = call((*state, *flat))
        return state

    def result(dataset, *operands, function, states, specs):
        return specs


# ---- helpers of nodes ------------------------------------------------------------------------


def positive_int(value, name: str) -> int:
    """The value as an int. Raises InvalidArgumentError if it is below 1."""
    count = int(value)
    if count < 1:
        raise InvalidArgumentError(f"{name} must be greater than zero, not {count}")
    return count
