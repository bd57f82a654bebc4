"""How names are carried through staged statements in NumPy mode: as numbers and arrays.

A name that a statement binds to another array carries which array it is, where all of these are
from outside the statement, else the elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....autograph.operators.undefined import Undefined
from ....runtime.core.dtypes import FROM_NUMPY
from ....runtime.ir.op import TABLE as OPS
from ....runtime.ops.array.masking import where
from ....runtime.tensors.apply import constant_of
from ....runtime.tensors.graph_builder import Builder
from ..joined_numbers import as_joined, holds_alternative, may_mix
from ..joined_numbers import joined as joined_numbers
from ..lists.traced_list import TracedList
from ..refusal import RefusedError
from ..storage import OneOf, Reference, Storage
from ..traced_array import TracedArray
from ..traced_scalar import (
    LARGE,
    PYTHON_DTYPES,
    Alternative,
    TracedScalar,
    scalar_of,
    unsigned,
)
from ..views import FlatIterator, same_path
from . import changing_sizes


class StateType(NamedTuple):
    """What a name holds: a number, or with `shape` an array.

    alternative   it is sometimes a number of Python's of this type: a truth says whether
    is_exchanged  an integer says which of the arrays that names exchange it is
    references    it is one of these storages: an integer, which is all that is carried, says which
    sources       its elements may really be those of one of these storages
    levels        how many lists of lists the array stands for; 0 for an array
    sized         axes along which there may be fewer elements than `shape` says: integers say how
                  many
    origins       it is one of these arrays of arguments, or another: an integer says which
    may_be_none   it is a number or None: a truth says which
    bound         a limit of the absolute value of an integer of Python's, where that is known
    """

    dtype: np.dtype
    python: type | None
    shape: tuple[int, ...] | None = None
    alternative: type | None = None
    is_exchanged: bool = False
    references: tuple[Storage, ...] = ()
    sources: tuple[Storage, ...] = ()
    levels: int = 0
    sized: tuple[int, ...] = ()
    origins: tuple[Storage, ...] = ()
    may_be_none: bool = False
    bound: int | None = None

    @property
    def numpy_dtype(self) -> np.dtype:
        return self.dtype

    @property
    def is_integer(self) -> bool:
        """Whether it is always an integer of Python's, of less than 64 bits."""
        return (
            self.python is int
            and self.dtype == np.int64
            and self.alternative is None
            and not self.may_be_none
        )

    @property
    def tensors(self) -> list[tuple[np.dtype, tuple[int, ...]]]:
        """The data types and shapes of the tensors that carry it."""
        if self.references:
            return [(np.dtype(np.int64), ())]
        tensors = [(self.dtype, self.shape or ())]
        if self.alternative is not None:
            tensors.append((np.dtype(bool), ()))
        if self.may_be_none:
            tensors.append((np.dtype(bool), ()))
        if self.is_exchanged:
            tensors.append((np.dtype(np.int64), ()))
        return tensors + [(np.dtype(np.int64), ())] * (len(self.sized) + bool(self.origins))


def state_type_of(value) -> StateType | None:
    """How a value can be carried, or None."""
    if type(value) is int and value >= LARGE:
        return StateType(np.dtype(np.uint64), int)
    if type(value) in PYTHON_DTYPES:
        return StateType(PYTHON_DTYPES[type(value)], type(value))
    if isinstance(value, np.generic) and value.dtype in FROM_NUMPY:
        return StateType(value.dtype, None)
    if type(value) is TracedScalar:
        alternative = None if value.alternative is None else value.alternative.python
        dtype = np.dtype(np.uint64) if value.is_large else value.numpy_dtype
        made = StateType(dtype, value.python, None, alternative)
        return made if value.none is None else made._replace(may_be_none=True)
    if type(value) is TracedArray and not value.computed:
        return StateType(value.dtype, None, value.shape)
    return None


NOTHING = StateType(np.dtype(bool), type(None))  # of None


def type_or_nothing(value) -> StateType | None:
    """How a value is carried beside numbers, or None."""
    return NOTHING if value is None and may_mix() else state_type_of(value)


def joined(name: str, one: StateType, other: StateType) -> StateType:
    """How a name is carried that holds values of both types at different times."""
    if one == other:
        return one
    if NOTHING in (one, other):
        number = one if other == NOTHING else other
        if number.shape is not None:
            raise RefusedError(f"'{name}' is None at one time, and an array at another")
        return number._replace(may_be_none=True)
    if one.shape is not None and one[:3] == other[:3] and one.levels == other.levels:
        return one._replace(sources=one.sources or other.sources)
    if one.shape is not None or other.shape is not None:
        raise RefusedError(f"'{name}' holds arrays of different shapes or data types, or a number")
    dtype, python, alternative = joined_numbers(one, other)
    may_be_none = one.may_be_none or other.may_be_none
    return StateType(dtype, python, None, alternative, may_be_none=may_be_none)


def tensors_as(value, state_type: StateType, room=None) -> list:
    """The tensors of a value that is carried as `state_type`; zeros for what nobody will read.

    `room` is memory for an array of a computed size, if there is any.
    """
    if value is None or isinstance(value, Undefined):
        zeros = [constant_of(np.zeros(shape, dtype)) for dtype, shape in state_type.tensors]
        return zeros if value is not None else [*zeros[:-1], constant_of(np.bool_(True))]
    if state_type.references:
        if type(value.storage) is Reference:
            return [value.storage.index_among(state_type.references)]
        return [constant_of(np.int64(state_type.references.index(value.storage)))]
    if type(value) is TracedArray:
        origin = [origin_among(value, state_type.origins)] if state_type.origins else []
        if state_type.sized:
            memory, sized = state_type.shape, state_type.sized
            return changing_sizes.tensors_of(value, memory, sized, room) + origin
        exchanged = [value.storage.one_of.index] if state_type.is_exchanged else []
        return [value.read(), *exchanged, *origin]
    given = scalar_of(value)
    number = given.or_zero() if state_type.may_be_none else given
    tensors = [as_joined(number, state_type.dtype)]
    if state_type.alternative is not None:
        tensors.append(holds_alternative(number, state_type.alternative))
    if state_type.may_be_none:
        tensors.append(constant_of(np.bool_(False)) if given.none is None else given.none)
    return tensors


def value_from(state_type: StateType, tensors, exchanged=()) -> Any:
    """The value that the next of these tensors carry; `exchanged` are the storages of the names
    that exchange arrays.
    """
    tensor = next(tensors)
    if state_type.references:
        return TracedArray(Reference(tensor, state_type.references))
    if state_type.is_exchanged:
        storage = Storage(tensor)
        storage.one_of = OneOf(next(tensors), list(exchanged))
        return TracedArray(storage)
    if state_type.sized:
        lengths = [next(tensors) for _ in state_type.sized]
        value = changing_sizes.array_of(tensor, state_type.sized, lengths, state_type.sources)
    elif state_type.shape is not None:
        value = TracedArray(Storage(tensor, copy_of=state_type.sources))
    if state_type.shape is not None:
        value.storage.own_path = value.path
        if state_type.origins:
            value.storage.origin = OneOf(next(tensors), list(state_type.origins))
        return value
    alternative = None
    if state_type.alternative is not None:
        alternative = Alternative(next(tensors), state_type.alternative)
    bound = LARGE if state_type.bound is None else state_type.bound
    number = TracedScalar(tensor, state_type.python, bound, None, alternative)
    if state_type.python is int and state_type.dtype == np.uint64 and alternative is None:
        number = unsigned(tensor)
    return number.or_none(next(tensors)) if state_type.may_be_none else number


def is_same(one, other) -> bool:
    """Whether two values of a name are one object, equal constants, or lists of such items."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is TracedArray:
        return one.is_view_of(other.storage, other.path)
    if type(one) is FlatIterator:
        return is_same(one.row, other.row)
    if isinstance(one, Undefined):
        return True
    if type(one) in (int, float, bool, str, bytes, type(None)):
        return repr(one) == repr(other)
    is_sequence = isinstance(one, tuple) or type(one) is list
    return is_sequence and len(one) == len(other) and all(map(is_same, one, other))


def storages_of(*values) -> list[Storage]:
    """The storages that arrays are, or may really be."""
    return [root for value in values if type(value) is TracedArray
            for root in value.storage.roots()]  # fmt: skip


def outside(builder: Builder, storages: list[Storage]) -> list[Storage]:
    """Those that were made in the graph of a builder, or around it."""
    return [one for one in storages if one.scope is builder or builder.encloses(one.scope)]


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
            if any(_share(state[before], state[at]) for state in states):
                both = [values[before].storage, values[at].storage]
                common = Storage(both[0].tensor)
                common.copies += both
                for one in both:
                    one.copy_of.append(common)
    return values


def _share(one, other) -> bool:
    """Whether the elements of two arrays are, or may be, in the same memory."""
    return not {*map(id, storages_of(one))}.isdisjoint(map(id, storages_of(other)))


def array_type(builder: Builder, known: StateType | None, *values) -> StateType:
    """How a name is carried that holds these arrays, and those of `known`, outside of a builder."""
    arrays = [value for value in values if type(value) is TracedArray]
    result = state_type_of(arrays[0])
    if any(state_type_of(one)[:3] != result[:3] for one in arrays):
        raise RefusedError("a name holds arrays of different shapes or data types")
    stored = list(known.references or known.sources) if known else []
    stored += outside(builder, storages_of(*arrays))
    found = tuple(dict.fromkeys(stored))
    is_whole = known is None or known.references or not known.shape
    if is_whole and all(_is_reference(builder, one) for one in arrays):
        return result._replace(references=found)
    return result._replace(sources=found, origins=origins_of(known, arrays))


def origins_of(known: StateType | None, arrays: Sequence[TracedArray]) -> tuple[Storage, ...]:
    """The arrays of arguments that these, or those of `known`, may be as a whole; none where one
    may be a part of such an array.
    """
    pairs = [(list(known.origins), known.sources)] if known else []
    for one in arrays:
        is_whole = same_path(one.path, one.storage.own_path)
        pairs.append((one.storage.whole_arguments() if is_whole else [], storages_of(one)))
    for whole, parts in pairs:
        if any(one.argument is not None and one not in whole for one in parts):
            return ()
    return tuple(dict.fromkeys(one for whole, _ in pairs for one in whole))


def origin_among(array: TracedArray, origins: tuple[Storage, ...]):
    """0, or the number of the array of an argument that an array is, counted from 1."""
    storage = array.storage
    numbers = {one: constant_of(np.int64(at)) for at, one in enumerate(origins, 1)}
    none = constant_of(np.int64(0))
    if type(storage) is Reference:
        return storage.chosen([numbers.get(one, none) for one in storage.storages])
    if storage.origin is None:
        return numbers.get(storage, none)
    number = none
    for at, one in enumerate(storage.origin.storages, 1):
        is_it = OPS["equal"](storage.origin.index, constant_of(np.int64(at)))
        number = where(is_it, numbers[one], number)
    return number


def _is_reference(builder: Builder, array: TracedArray) -> bool:
    """Whether an array is a whole one from outside, or one of several such."""
    storage = array.storage
    parts = storage.storages if type(storage) is Reference else [storage]
    return array.may_be_one_of and len(outside(builder, parts)) == len(parts)


def is_from_outside(builder: Builder, value) -> bool:
    """Whether a value means the same after a statement as inside it."""
    if type(value) is TracedArray:
        parts = value.storage.storages if type(value.storage) is Reference else [value.storage]
        is_visible = len(outside(builder, [value.storage, *parts])) == len(parts) + 1
        return is_visible and not value.path
    if isinstance(value, TracedList):
        return value.home is builder or builder.encloses(value.home)
    return not isinstance(value, TracedScalar)
