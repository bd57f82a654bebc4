"""How names are carried through staged statements in NumPy mode: as numbers and arrays.

Each class says by which tensors, its `leaves`, a value is carried: `flatten` gives them, and
`unflatten` makes a value of the next ones. `joined` says how a name is carried that holds values of
two kinds.
A name that a statement binds to another array carries which array it is, where all of these are
from outside the statement, else the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ....autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ....runtime.core.classes import NamedTuple, record
from ....runtime.tensors.apply import constant_of
from ....runtime.tensors.graph_builder import Builder
from ..joined_numbers import INDEX, NOTHING, Leaf, Number, joined_numbers, may_mix, number_type
from ..lists.traced_list import TracedList
from ..refusal import RefusedError
from ..storage import SelectedStorage, Storage, StorageChoice
from ..traced_array import TracedArray
from ..traced_scalar import TracedScalar, require
from ..views import FlatIterator, same_path
from . import changing_sizes


class Array(NamedTuple):
    """The elements of an array are carried, or of what an array stands for.

    python   the type of the numbers of a list
    levels   how many lists of lists the array stands for; 0 for an array
    sources  its elements may really be those of one of these storages
    origins  it is one of these arrays of arguments, or another: an integer says which
    sized    axes along which there may be fewer elements than `shape` says: integers say how many
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    python: type | None = None
    levels: int = 0
    sources: tuple[Storage, ...] = ()
    origins: tuple[Storage, ...] = ()
    sized: tuple[int, ...] = ()
    others = ()

    @property
    def leaves(self) -> list[Leaf]:
        return [(self.dtype, self.shape)] + [INDEX] * (len(self.sized) + bool(self.origins))

    def flatten(self, array, room=None) -> list:
        origin = [origin_among(array, self.origins)] if self.origins else []
        if self.sized:
            return changing_sizes.tensors_of(array, self.shape, self.sized, room) + origin
        return [array.read(), *origin]

    def unflatten(self, tensors: Iterator) -> TracedArray:
        tensor = next(tensors)
        if self.sized:
            lengths = [next(tensors) for _ in self.sized]
            array = changing_sizes.array_of(tensor, self.sized, lengths, self.sources)
        else:
            array = TracedArray(Storage(tensor, copy_of=self.sources))
        array.storage.own_path = array.path
        if self.origins:
            array.storage.origin = StorageChoice(next(tensors), list(self.origins))
        return array


class Exchanged(NamedTuple):
    """Names exchange arrays of these `storages`: the elements are carried, and an integer that says
    which of the arrays it is.
    """

    storages: tuple[Storage, ...]
    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def leaves(self) -> list[Leaf]:
        return [(self.dtype, self.shape), INDEX]

    def flatten(self, array, room=None) -> list:
        storage = array.storage
        is_first = storage in self.storages
        at = constant_of(np.int64(self.storages.index(storage))) if is_first else storage.choice[0]
        return [array.read(), at]

    def unflatten(self, tensors: Iterator) -> TracedArray:
        storage = Storage(next(tensors))
        storage.choice = StorageChoice(next(tensors), list(self.storages))
        return TracedArray(storage)


class Selected(NamedTuple):
    """A name stands for one of these `storages`: an integer, which is all that is carried, says
    which.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    storages: tuple[Storage, ...]
    leaves = property(lambda self: [INDEX])

    def flatten(self, array, room=None) -> list:
        if type(array.storage) is SelectedStorage:
            return [array.storage.index_among(self.storages)]
        return [constant_of(np.int64(self.storages.index(array.storage)))]

    def unflatten(self, tensors: Iterator) -> TracedArray:
        return TracedArray(SelectedStorage(next(tensors), self.storages))


@record(eq=True)
class RowType:
    """A list that is an item of another one: its number among these is carried; None stands for
    those of a list that is not known yet.
    """

    rows: Any = None
    new_rows: ClassVar[Callable[[], Any]]
    dtype, python = INDEX[0], list
    others, shape = (), None
    levels = 0
    leaves = property(lambda self: [INDEX])

    def in_list(self) -> RowType:
        """The same of a known list."""
        return self if self.rows is not None else RowType(RowType.new_rows())

    def flatten(self, row, room=None) -> list:
        return [row.row_number]

    def unflatten(self, tensors: Iterator):
        return self.rows.at(next(tensors))


class Assigned(NamedTuple):
    """A number that some paths alone assign to a name: a truth says whether there is one."""

    name: str
    number: Number
    others, shape = (), None
    leaves = property(lambda self: [*self.number.leaves, (np.dtype(bool), ())])

    def flatten(self, value, room=None) -> list:
        if type(value) is MaybeSet:
            return [*self.number.flatten(value.value), value.is_set]
        is_set = constant_of(np.bool_(not isinstance(value, Undefined)))
        return [*flattened(value, self.number), is_set]

    def unflatten(self, tensors: Iterator) -> MaybeSet:
        number = self.number.unflatten(tensors)
        return MaybeSet(self.name, "it differs between the branches", number, next(tensors), read)


def assigned(name: str, *values) -> Assigned | None:
    """How a name is carried to which some branches assign a number of one type, and some nothing;
    None for other names.
    """
    if not any(isinstance(each, Undefined) for each in values):
        return None
    present = [each.value if type(each) is MaybeSet else each for each in values
               if type(each) is MaybeSet or not isinstance(each, Undefined)]  # fmt: skip
    layouts = set(map(carried_as, present))
    is_result = any(isinstance(each, UndefinedReturnValue) for each in values)
    if is_result or len(layouts) != 1 or not name.isidentifier():
        return None
    (number,) = layouts
    return Assigned(name, number) if type(number) is Number else None


def read(variable: MaybeSet):
    """The value of a name that has one; Python computes what reads another."""
    require(variable.is_set)
    return variable.value


def without_flag(value):
    """The value of a name where an iteration starts or ends: unset, if it may be so."""
    return Undefined(value.name, value.reason) if type(value) is MaybeSet else value


Carried = Number | Array | Exchanged | Selected | RowType | Assigned


def carried_as(value) -> Number | Array | None:
    """How a value can be carried, or None."""
    if type(value) is TracedArray and not value.computed:
        return Array(value.dtype, value.shape)
    return value.row_layout if isinstance(value, TracedList) else number_type(value)


def carried_or_nothing(value) -> Number | Array | None:
    """How a value is carried beside numbers, or None."""
    return NOTHING if value is None and may_mix() else carried_as(value)


def joined(name: str, left: Carried, right: Carried) -> Carried:
    """How a name is carried that holds values of both at different times."""
    if left == right:
        return left
    if RowType in (type(left), type(right)):
        known = [each for each in (left, right) if each != RowType()]
        if len(known) == 1 and type(left) is type(right):
            return known[0]
        raise RefusedError(f"'{name}' is of two lists of lists, or sometimes no list")
    if left.shape is None and right.shape is None:
        return joined_numbers(left, right)
    if NOTHING in (left, right):
        raise RefusedError(f"'{name}' is None at one time, and an array at another")
    if left.shape is None or _elements_of(left) != _elements_of(right):
        raise RefusedError(f"'{name}' holds arrays of different shapes or data types, or a number")
    is_elements = type(left) is Array and type(right) is Array
    return left._replace(sources=left.sources or right.sources) if is_elements else left


def _elements_of(carried: Carried) -> tuple:
    levels = (carried.python, carried.levels) if type(carried) is Array else (None, 0)
    return (carried.dtype, carried.shape, *levels)


def flattened(value, carried: Carried, room=None) -> list:
    """The tensors of a value; zeros for what nobody will read. `room` is memory for an array of a
    computed size, if there is any.
    """
    if type(carried) is Assigned or not (value is None or isinstance(value, Undefined)):
        return carried.flatten(value, room)
    zeros = [constant_of(np.zeros(shape, dtype)) for dtype, shape in carried.leaves]
    return zeros if value is not None else [*zeros[:-1], constant_of(np.bool_(True))]


def is_same(left, right) -> bool:
    """Whether two values of a name are one object, equal constants, or lists of such items."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if type(left) is TracedArray:
        return left.is_view_of(right.storage, right.path)
    if type(left) is FlatIterator:
        return is_same(left.row, right.row)
    if isinstance(left, Undefined):
        return type(left) is not MaybeSet and bool(left.reason) == bool(right.reason)
    if type(left) in (int, float, bool, str, bytes, range, type(None)):
        return repr(left) == repr(right)
    is_sequence = isinstance(left, tuple) or type(left) is list
    return is_sequence and len(left) == len(right) and all(map(is_same, left, right))


def storages_of(*values) -> list[Storage]:
    """The storages that arrays are, or may really be."""
    return [root for value in values if type(value) is TracedArray
            for root in value.storage.roots()]  # fmt: skip


def outside(builder: Builder, storages: list[Storage]) -> list[Storage]:
    """The storages that are visible outside of a builder."""
    return [each for each in storages if each.scope is builder or builder.encloses(each.scope)]


def united(values: Sequence, carried: Iterable[int], states: Sequence[tuple]) -> list:
    """The values of names after a statement that may end in each of `states`.

    Names at the positions `carried` that are one array in each state are one afterwards. Where they
    may share elements, neither array may change any more.
    """
    values = list(values)
    arrays = [at for at in carried if type(values[at]) is TracedArray]
    arrays = [at for at in arrays if type(values[at].storage) is Storage]
    for later, at in enumerate(arrays):
        for before in arrays[:later]:
            if all(is_same(state[before], state[at]) for state in states):
                values[at] = values[before]
                break
            if any(share(state[before], state[at]) for state in states):
                both = [values[before].storage, values[at].storage]
                common = Storage(both[0].tensor)
                common.copies += both
                for storage in both:
                    storage.copy_of.append(common)
    return values


def share(left, right) -> bool:
    """Whether the elements of two arrays are, or may be, in the same memory."""
    return not {*map(id, storages_of(left))}.isdisjoint(map(id, storages_of(right)))


def joined_arrays(
    builder: Builder, known: Carried | None, arrays: Sequence[TracedArray]
) -> Array | Selected:
    """How a name is carried that holds these arrays, and those of `known`, outside of a builder."""
    result, *others = map(carried_as, arrays)
    if any(other != result for other in others):
        raise RefusedError("a name holds arrays of different shapes or data types")
    is_whole = known is None or not known.shape or type(known) is Selected
    storages = _storages_outside(builder, known, arrays)
    if is_whole and all(_is_selected(builder, array) for array in arrays):
        return Selected(result.dtype, result.shape, storages)
    return result._replace(sources=storages, origins=origins_of(known, arrays))


def joined_sizes(
    builder: Builder, known: Carried | None, memory: tuple[int, ...], arrays: Sequence[TracedArray]
) -> Array:
    """As `joined_arrays`, of arrays of several sizes, for which there is some memory."""
    sized = changing_sizes.sized_axes(memory, getattr(known, "sized", ()), *arrays)
    storages = _storages_outside(builder, known, arrays)
    dtype, origins = arrays[0].dtype, origins_of(known, arrays)
    return Array(dtype, memory, sources=storages, origins=origins, sized=sized)


def _storages_outside(builder: Builder, known: Carried | None, arrays) -> tuple[Storage, ...]:
    """The storages outside of a builder that arrays, and those of `known`, may be."""
    before = known.storages if type(known) is Selected else getattr(known, "sources", ())
    return tuple(dict.fromkeys([*before, *outside(builder, storages_of(*arrays))]))


def origins_of(known: Carried | None, arrays: Sequence[TracedArray]) -> tuple[Storage, ...]:
    """The arrays of arguments that these, or those of `known`, may be as a whole; none where one
    may be a part of such an array.
    """
    pairs = [(list(known.origins), known.sources)] if type(known) is Array else []
    for array in arrays:
        is_whole = same_path(array.path, array.storage.own_path)
        pairs.append((array.storage.whole_arguments() if is_whole else [], storages_of(array)))
    for whole, parts in pairs:
        if any(part.argument is not None and part not in whole for part in parts):
            return ()
    return tuple(dict.fromkeys(storage for whole, _ in pairs for storage in whole))


def origin_among(array: TracedArray, origins: tuple[Storage, ...]):
    """0, or the number of the array of an argument that an array is, counted from 1."""
    storage = array.storage
    numbers = {each: constant_of(np.int64(at)) for at, each in enumerate(origins, 1)}
    none = constant_of(np.int64(0))
    if type(storage) is SelectedStorage:
        return storage.chosen([numbers.get(each, none) for each in storage.storages])
    if storage.origin is None:
        return numbers.get(storage, none)
    index, storages = storage.origin
    choice = SelectedStorage(index, [None, *storages])
    return choice.chosen([none, *(numbers[each] for each in storages)])


def _is_selected(builder: Builder, array: TracedArray) -> bool:
    """Whether an array is a whole one from outside, or one of several such."""
    parts = array.storage.parts
    return array.may_be_one_of and len(outside(builder, parts)) == len(parts)


def is_from_outside(builder: Builder, value) -> bool:
    """Whether a value means the same after a statement as inside it."""
    if type(value) is TracedArray:
        parts = value.storage.parts
        is_visible = len(outside(builder, [value.storage, *parts])) == len(parts) + 1
        return is_visible and not value.path
    if isinstance(value, TracedList):
        return value.home is builder or builder.encloses(value.home)
    return not isinstance(value, TracedScalar)
