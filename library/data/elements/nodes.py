"""What a dataset is while the program runs, and how it travels through graphs.

A dataset is made of *nodes*: small Python objects that start a new pass over their elements on each
`elements()`. An element is a flat tuple of arrays. A `Cursor` is one such pass, under way; it is
what an iterator holds.

Inside a graph a node or a cursor is a scalar of the data type `variant`: an array of rank 0 that
holds the object. So a dataset is an ordinary operand. As an argument it is passed on each call,
in a closure it is captured, a loop or a branch carries it, and one that is made inside a function
is made anew on each call, by the operation `make_dataset`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np

from ....runtime.core.dtypes import ANYTHING, bool_, int64, variant
from ....runtime.core.errors import InvalidArgumentError, OutOfRangeError
from ....runtime.core.public_names import expose
from ....runtime.ir.op import READS, TABLE, WRITES, Spec
from ....runtime.tensors.apply import BUILDER
from ....runtime.tensors.operation import op
from ....runtime.tensors.tensor import EagerTensor

INFINITE = -1
UNKNOWN = -2
expose(INFINITE, "data.INFINITE_CARDINALITY", "data.experimental.INFINITE_CARDINALITY")
expose(-1, "data.AUTOTUNE", "data.experimental.AUTOTUNE")
expose(UNKNOWN, "data.UNKNOWN_CARDINALITY", "data.experimental.UNKNOWN_CARDINALITY")

HANDLES = {variant}
HANDLE = Spec(variant, ())


class Node:
    """One stage of a dataset."""

    def elements(self) -> Iterator[tuple]:
        """A new pass: the elements, each a flat tuple of arrays."""
        raise NotImplementedError

    def cardinality(self) -> int:
        """How many elements a pass has; INFINITE or UNKNOWN are negative."""
        return UNKNOWN


class Cursor:
    """A pass that is under way; several threads may pull from it."""

    def __init__(self, elements: Iterator[tuple]):
        self._elements = elements
        self._lock = threading.RLock()  # a generator that pulls from itself is told so
        self.item: tuple | None = None

    def __iter__(self):
        return self

    def __next__(self) -> tuple:
        with self._lock:
            return next(self._elements)

    def advance(self) -> bool:
        """Take the next element as `item`; False when there is none."""
        self.item = next(self, None)
        return self.item is not None


class Remaining(Node):
    """What an iterator has not given yet; taking it here is taking it there."""

    def __init__(self, cursor: Cursor):
        self.cursor = cursor

    def elements(self):
        return iter(self.cursor)


# ---- objects as tensors ----------------------------------------------------------------------


class Handle(EagerTensor):
    """A tensor that holds a node or a cursor."""

    __slots__ = ()
    dtype = variant

    def numpy(self):
        raise TypeError("a dataset is not an array: iterate over it, or use as_numpy_iterator()")


def boxed(thing) -> np.ndarray:
    """An array of rank 0 that holds one object."""
    array = np.empty((), object)
    array[()] = thing
    return array


def unboxed(array):
    """The node or cursor in an array; other arrays stay as they are."""
    if array.dtype == object and array.ndim == 0:
        thing = array[()]
        return thing if isinstance(thing, (Node, Cursor)) else array
    return array


def reboxed(operand):
    """The array of an operand that `unboxed` may have opened."""
    return boxed(operand) if isinstance(operand, (Node, Cursor)) else operand


def handle_of(tensor):
    """The tensor of a node as it came out of a function, with its own data type."""
    if type(tensor) is EagerTensor:
        return Handle(tensor.array)
    return tensor


@op
class MakeDataset:
    """A node, made anew whenever the graph runs."""

    hidden = True
    effect = READS
    accepts = {"operands": ANYTHING}
    inputs = ("*operands",)
    runs_python = True

    def kernel(*operands, factory, fixed):
        return boxed(factory(*map(unboxed, operands), **fixed))

    def result(*operands, factory, fixed):
        return HANDLE


def make(factory: Callable[..., Node], operands: list, fixed: dict):
    """The tensor that holds `factory(*operands, **fixed)`: made now, or when the graph runs."""
    builder = BUILDER.get()
    if builder is not None:
        return builder.record(TABLE["make_dataset"], operands, {"factory": factory, "fixed": fixed})
    arrays = [one.array if isinstance(one, EagerTensor) else np.asarray(one) for one in operands]
    return Handle(boxed(factory(*map(unboxed, arrays), **fixed)))


def run(name: str, handle, *operands, **attrs):
    """Apply one of the operations below to a handle and further tensors."""
    builder = BUILDER.get()
    if builder is not None:
        return builder.record(TABLE[name], [handle, *operands], attrs)
    arrays = [one.array for one in (handle, *operands)]
    made = TABLE[name].kernel(*arrays, **attrs)
    return tuple(map(EagerTensor, made)) if type(made) is tuple else EagerTensor(made)


# ---- iterating inside graphs -----------------------------------------------------------------


@op
class MakeIterator:
    """A new pass over a dataset; over an iterator, the same pass with an `item` of its own."""

    hidden = True
    effect = READS
    accepts = HANDLES
    runs_python = True

    def kernel(source):
        thing = source[()]
        return boxed(Cursor(thing.elements() if isinstance(thing, Node) else thing))

    def result(source):
        return HANDLE


@op
class IteratorAdvance:
    """Take the next element; whether there was one."""

    hidden = True
    effect = WRITES
    accepts = HANDLES
    runs_python = True

    def kernel(cursor):
        return np.bool_(cursor[()].advance())

    def result(cursor):
        return Spec(bool_, ())


@op
class IteratorItem:
    """The element that `iterator_advance` took."""

    hidden = True
    effect = READS
    accepts = HANDLES

    def kernel(cursor, *, specs):
        return cursor[()].item

    def result(cursor, *, specs):
        return specs


@op
class IteratorNext:
    """The next element; OutOfRangeError when there is none."""

    hidden = True
    effect = WRITES
    accepts = HANDLES
    runs_python = True

    def kernel(cursor, *, specs):
        item = next(cursor[()], None)
        if item is None:
            raise OutOfRangeError("End of sequence: the iterator has no more elements")
        return item

    def result(cursor, *, specs):
        return specs


@op
class OptionalValue:
    """The element that `iterator_advance` took; InvalidArgumentError when there was none."""

    hidden = True
    effect = READS
    accepts = HANDLES

    def kernel(cursor, *, specs):
        item = cursor[()].item
        if item is None:
            raise InvalidArgumentError("the optional has no value", "Ask has_value() first.")
        return item

    def result(cursor, *, specs):
        return specs


@op
class DatasetElement:
    """The only element of a dataset; InvalidArgumentError when there are none, or several."""

    hidden = True
    effect = WRITES
    accepts = HANDLES
    runs_python = True

    def kernel(dataset, *, specs):
        elements = dataset[()].elements()
        item = next(elements, None)
        if item is None or next(elements, None) is not None:
            count = "no" if item is None else "more than one"
            raise InvalidArgumentError(f"get_single_element: the dataset has {count} element")
        return item

    def result(dataset, *, specs):
        return specs


@op
class DatasetCardinality:
    """How many elements a dataset has."""

    hidden = True
    effect = READS
    accepts = HANDLES

    def kernel(dataset):
        return np.int64(dataset[()].cardinality())

    def result(dataset):
        return Spec(int64, ())


@op
class ReduceDataset:
    """The last state of a function of state and element; inputs: dataset, state, captures."""

    hidden = True
    effect = WRITES
    accepts = {"operands": ANYTHING}
    inputs = ("*operands",)
    runs_python = True

    def kernel(dataset, *operands, function, states, specs):
        state = operands[:states]
        call = function.bound(operands[states:])
        for flat in dataset[()].elements():
            state = call((*state, *flat))
        return state

    def result(dataset, *operands, function, states, specs):
        return specs


# ---- help for nodes --------------------------------------------------------------------------


def positive(value, what: str) -> int:
    """An int of at least 1, or InvalidArgumentError."""
    number = int(value)
    if number < 1:
        raise InvalidArgumentError(f"{what} must be greater than zero, not {number}")
    return number
