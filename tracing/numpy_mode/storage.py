"""The memory of arrays while a function is traced: a value that assignments replace.

An assignment in the graph where an array was made replaces its value. Where a staged statement
assigns to an array from outside, the array moves to a cell, which the graph declares, reads and
assigns. A pass turns cells into loop-carried state and results.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograph.operators.raising import Retrace
from ...runtime.core.classes import NamedTuple
from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.numpy_dtypes import is_floating, is_integer, is_narrow, is_unsigned
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.array.masking import where
from ...runtime.tensors.apply import BUILDER, apply, constant_of
from .refusal import SHARED, How, OfCode, RefusedError, Statement, numpy_trace
from .traced_scalar import (
    NATIVE,
    TracedScalar,
    cast,
    is_mixed,
    may_be_python,
    member_as_number,
    require,
    require_in,
    scalar_of,
)

_CELLS, _STORAGES = itertools.count(), itertools.count()


class ArrayCell:
    """The cell of an array, to which nodes of a graph refer."""

    trainable = False

    def __init__(self, dtype: np.dtype, shape: tuple[int, ...]):
        self.dtype = FROM_NUMPY[dtype]
        self.shape = shape
        self.name = f"array_{next(_CELLS)}"


class StorageChoice(NamedTuple):
    """Which of several storages a name stands for, by an integer of the graph."""

    index: Any
    storages: list[Storage]


class ExchangedElements(NamedTuple):
    """Where the elements of array number `index` are after a loop that exchanges arrays."""

    index: int
    storages: list[Storage]

    def read(self):
        first, *others = self.storages
        result = first.read()
        for storage in others:
            is_here = OPS["equal"](storage.choice.index, constant_of(np.int64(self.index)))
            result = where(is_here, storage.read(), result)
        return result


class Storage:
    """The elements of one array and of all its views.

    number     its place in the order in which they are made
    argument   its position among the arguments of the function, or None
    copy_of    storages whose elements these may really be: neither may change any more
    choice     after a loop in which names exchange arrays: which array this is
    exchanged  after such a loop: the storages one of which has the elements
    is_exchanged_in_loop  during the trace of such a loop: the elements are elsewhere
    origin     after a statement: which array of an argument this is, from 1, or 0 for none
    loop       of what stands for the items of a list: the code of the loop that it was made for
    own_path   the steps to all elements that are there, where there is memory for more
    grown_from  the storage in whose memory it is as far as possible, if any
    read_in     the last statement around which it is, and that has read it
    """

    def __init__(self, tensor, argument: int | None = None, copy_of=(), loop=None):
        self.tensor = tensor
        self.loop = loop
        self.number = next(_STORAGES)
        self.scope = BUILDER.get()
        self.cell: ArrayCell | None = None
        self.argument = argument
        self.is_written = False
        self.choice: StorageChoice | None = None
        self.exchanged: ExchangedElements | None = None
        self.is_exchanged_in_loop = False
        self.origin: StorageChoice | None = None
        self.own_path: tuple = ()
        self.grown_from: Storage | None = None
        self.read_in: Statement | None = None
        self.copy_of = list(copy_of)
        self.copies: list[Storage] = []
        for storage in self.copy_of:
            storage.copies.append(self)

    parts = property(lambda self: [self])

    @property
    def dtype(self) -> np.dtype:
        return self.tensor.dtype.numpy_dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensor.dims

    @property
    def has_changed(self) -> bool:
        others = () if self.exchanged is None else self.exchanged.storages
        return self.is_written or any(other.has_changed for other in others)

    def read(self):
        if self.is_exchanged_in_loop:
            raise RefusedError("an array is used under another name where a loop exchanges it")
        numpy_trace().note_use(self)
        return self.memory if self.exchanged is None else self.exchanged.read()

    @property
    def memory(self):
        """The tensor of the elements, which may be out of date."""
        if self.cell is None:
            return self.tensor
        return apply(OPS["read_variable"], (), {"cell": self.cell})

    def is_in_memory_of(self, room: Storage | None) -> bool:
        """Whether this is `room`, or has grown out of its memory; so has each of none."""
        storage: Storage | None = self
        while storage is not None and storage is not room:
            storage = storage.grown_from
        return storage is room

    @property
    def has_live_copies(self) -> bool:
        """Whether a copy can still be read: one that was made here, or in a graph around."""
        builder = BUILDER.get()
        return any(each.scope is builder or builder.encloses(each.scope) for each in self.copies)

    def write(self, tensor) -> None:
        if self.is_exchanged_in_loop or self.exchanged is not None:
            raise RefusedError("an array changes under another name than where a loop exchanges it")
        for held in self.copy_of:
            if held.loop is not None:
                raise Retrace(OfCode(How.PLAIN, held.loop))
        if self.copy_of or self.has_live_copies:
            self._take_elements()
        if self.cell is not None:
            apply(OPS["assign_variable"], (tensor,), {"cell": self.cell})
        elif BUILDER.get() is self.scope:
            self.tensor = tensor
        else:  # the statement is recorded again with a cell; until its end, others may need one
            numpy_trace().without_cells.setdefault(self)
        self.is_written = True
        numpy_trace().written.append(self)

    def roots(self) -> list[Storage]:
        """This storage, and those whose elements it may really be."""
        return self._reached(lambda storage: storage.copy_of)

    def _reached(self, following: Callable) -> list[Storage]:
        """This storage, those that follow it, and so on."""
        reached, left = {self: None}, [self]
        while left:
            new = [storage for storage in following(left.pop()) if storage not in reached]
            reached.update(dict.fromkeys(new))
            left += new
        return list(reached)

    def _take_elements(self) -> None:
        """Refuse all that may be the same array from here on, since this one changes. Arrays of
        arguments, and items of lists, are used elsewhere.
        """
        _, *others = self._reached(lambda storage: [*storage.copy_of, *storage.copies])
        if any(other.tensor is None for other in others):
            raise RefusedError("an array or a list changes that is an item of a list")
        if any(other.argument is not None for other in (self, *others)):
            raise RefusedError(SHARED)
        numpy_trace().outdated.setdefault(BUILDER.get(), set()).update(others)

    def whole_arguments(self) -> list[Storage]:
        """The arrays of arguments that this may be."""
        if self.origin is not None:
            return self.origin.storages
        return [] if self.argument is None else [self]

    def hold(self, held: Storage) -> None:
        """Mark the array as an item of a list: later writes to it are refused.

        The list has a copy of it. `held` stands for all items of the list.
        """
        is_changed = self.cell is not None and not is_of_this_iteration(self.scope)
        if self.choice or self.exchanged or self.is_exchanged_in_loop or is_changed:
            raise RefusedError("a list holds an array that changes, or has another name")
        if held not in self.copy_of:
            self.copy_of.append(held)

    def is_known_elsewhere(self) -> bool:
        """Whether something else may have the array, before a list holds it."""
        is_old = self.argument is not None or not is_of_this_iteration(self.scope)
        return is_old or any(other.tensor is None for other in self.copy_of)  # of any list

    def foresee_write(self) -> None:
        """Move to a cell what a statement changes and has not read, so that it is recorded once."""
        statement = numpy_trace().statements.get(self.scope)
        is_unread = statement is not None and self.read_in is not statement
        if is_unread and self.cell is None and BUILDER.get() is not self.scope:
            around = BUILDER.set(self.scope)
            self.move_to_cell()
            BUILDER.reset(around)

    def move_to_cell(self) -> None:
        """From now on staged statements may change the array, until this is rolled back."""
        self.cell, scope = ArrayCell(self.dtype, self.shape), BUILDER.get()
        scope.undone.append((len(scope.nodes), lambda: setattr(self, "cell", None)))
        apply(OPS["declare_cell"], (self.tensor,), {"cell": self.cell})


def is_of_this_iteration(scope) -> bool:
    """Whether no loop is between the graph `scope` and the one that is being recorded."""
    builder = BUILDER.get()
    while builder is not scope and builder is not None:
        if builder.outer is not None and builder.name.rpartition(".")[2] in ("body", "test"):
            return False
        builder = builder.outer
    return builder is scope


def is_in_loop() -> bool:
    """Whether what is recorded runs in the iterations of a loop."""
    return not is_of_this_iteration(None)


class Checkpoint(int):
    """The number of nodes that are recorded, and what is written by then."""

    def __init__(self, nodes: int):
        self.number = next(_STORAGES)
        self.start = len(numpy_trace().written)

    def has_written(self) -> bool:
        """Whether a storage that was there has been written since."""
        return any(storage.number < self.number for storage in numpy_trace().written[self.start :])


class SelectedStorage:
    """One of several storages: the integer `index` of the graph says which.

    It has no elements of its own. What it is asked for otherwise is what a storage that nothing has
    happened to answers.
    """

    argument = choice = exchanged = origin = None
    copies = copy_of = own_path = ()
    has_changed = is_written = is_exchanged_in_loop = False

    def __init__(self, index, storages):
        self.index = index
        self.storages = list(storages)
        self.scope = BUILDER.get()

    parts = property(lambda self: self.storages)
    dtype = property(lambda self: self.storages[0].dtype)
    shape = property(lambda self: self.storages[0].shape)

    def is_at(self, position: int):
        """Whether it is the storage of this number, as a tensor."""
        return OPS["equal"](self.index, constant_of(np.int64(position)))

    def chosen(self, tensors: list):
        """The tensor that belongs to the storage that it is, one of each given."""
        result = tensors[0]
        for position, tensor in enumerate(tensors[1:], 1):
            result = where(self.is_at(position), tensor, result)
        return result

    def index_among(self, storages) -> Any:
        """The number of the storage that it is among others."""
        numbers = map(storages.index, self.storages)
        return self.chosen([constant_of(np.int64(number)) for number in numbers])

    def whole_arguments(self) -> list[Storage]:
        return [root for storage in self.storages for root in storage.whole_arguments()]

    def roots(self) -> list[Storage]:
        return [root for storage in self.storages for root in storage.roots()]

    def hold(self, held: Storage) -> None:
        raise RefusedError("a list holds one of several arrays")


# ---- the memory of arrays that are given -----------------------------------------------------


def check_array(array: np.ndarray) -> None:
    """Refuse an array whose memory native code cannot take."""
    if array.dtype not in NATIVE:
        raise RefusedError(f"an array of {array.dtype}")
    if _overlaps_itself(array):
        raise RefusedError("an array whose elements share memory")


def _overlaps_itself(array: np.ndarray) -> bool:
    """Whether elements of an array may have the same address."""
    if array.flags.c_contiguous or not array.size:
        return False
    reach = array.itemsize
    for stride, size in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if size > 1:
            if stride < reach:
                return True
            reach += stride * (size - 1)
    return False


# ---- numbers as elements ---------------------------------------------------------------------


def stored(value, dtype: np.dtype):
    """A number as the elements of an array of this dtype, or as an operand beside such an array."""
    value = member_as_number(value)
    if type(value) is int and is_integer(dtype):
        return constant_of(np.array(value, dtype))  # raises NumPy's own errors
    scalar = scalar_of(value)
    if scalar.is_large and (is_floating(dtype) or dtype == np.uint64):
        return cast(scalar.as_uint64, dtype)
    if is_floating(scalar.numpy_dtype) and is_integer(dtype):  # NumPy warns, or raises
        limits = np.iinfo(dtype)
        number = cast(scalar.tensor, np.dtype(np.float64))
        require(OPS["less"](constant_of(np.float64(limits.min) - 1), number))
        require(OPS["less"](number, constant_of(np.float64(limits.max))))
    elif may_not_fit(scalar, dtype):
        limits = np.iinfo(dtype)
        for test, limit in (("greater_equal", limits.min), ("less_equal", limits.max)):
            if np.iinfo(scalar.numpy_dtype).min <= limit <= np.iinfo(scalar.numpy_dtype).max:
                require(OPS[test](scalar.tensor, constant_of(scalar.numpy_dtype.type(limit))))
    elif scalar.python is int or (is_mixed(scalar) and is_integer(scalar.numpy_dtype)):
        if is_narrow(dtype):
            require_in(scalar.as_int64(), dtype)
        elif is_unsigned(dtype):
            require(OPS["less_equal"](constant_of(np.int64(0)), scalar.as_int64().tensor))
    return cast(scalar.tensor, dtype)


def may_not_fit(scalar: TracedScalar, dtype: np.dtype) -> bool:
    """Whether NumPy raises for some of NumPy's integers that an array of a signed type holds."""
    if may_be_python(scalar) or not (is_integer(scalar.numpy_dtype) and is_integer(dtype)):
        return False
    return not is_unsigned(dtype) and not np.can_cast(scalar.numpy_dtype, dtype)
