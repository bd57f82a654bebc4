"""What a traced function returns, as outputs of its graph."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograph.operators.undefined import Undefined
from ...runtime.core.classes import NamedTuple
from ...runtime.core.dtypes import int64
from ...runtime.core.numpy_dtypes import is_complex
from ...runtime.ir.op import TABLE as OPS
from ..structures.argument_structures import containers_in, is_named_tuple_class
from .joined_numbers import number_type
from .lists.deques import GrowingDeque
from .lists.growing_lists import GrowingList
from .lists.record_arrays import TracedRecords
from .lists.row_lists import Row
from .lists.traced_list import TracedList
from .lists.traced_tables import TracedDict, TracedSet
from .refusal import RefusedError, noun, numpy_trace
from .statements.carried_values import RowType
from .statements.chosen_objects import is_chosen, is_of_trace, original_of
from .statements.tuples import Maybe
from .storage import SelectedStorage, Storage
from .traced_array import TracedArray
from .traced_scalar import TracedScalar
from .views import Item


class Result(NamedTuple):
    """Where a part of the result comes from."""

    argument: int | None  # the position of the argument that it is a view of
    output: int | None  # the position among the outputs of the graph
    path: tuple = ()  # the steps to the view
    python: type | None = None  # the type of a number of Python's
    others: tuple[tuple[int, Callable], ...] = ()  # outputs that say whether it is of these types
    one_of: tuple[int, tuple] | None = None  # the output that says which of these arguments it is
    sizes: int | None = None  # the output with the sizes of an array that has memory for more
    own_steps: int = 0  # the first steps of the path, where it is no argument
    is_rank_0: bool = False  # an array that native code gives as a scalar
    none: int | None = None  # the output that says whether it is None

    @property
    def is_new(self) -> bool:
        """Whether it is an output as it is."""
        is_whole = self.one_of is None and self.sizes is None and not self.is_rank_0
        return self.output is not None and not self.path and is_whole and self.none is None


class ListResult(NamedTuple):
    """A list of numbers, or of tuples of them.

    columns   for each part of an item: the numbers, and whether they are of other types,
              or the blocks and the items of the lists that have these numbers
    types     for each part: its type of Python's, None for NumPy's, the others, and how many
              lists of lists it is
    """

    columns: tuple[Any, ...]
    types: tuple[tuple[type | None, tuple, int], ...]
    is_tuple: bool


class DictResult(NamedTuple):
    """A dictionary that the graph made, or another class of such."""

    cls: type
    keys: ListResult | list
    values: ListResult | list


class ObjectResult(NamedTuple):
    """An object that the function made, of a class whose objects are nothing but attributes."""

    cls: type
    names: tuple[str, ...]
    parts: tuple


class ReadOnly:
    """The step to a view through which nothing can change."""


class Output(NamedTuple):
    """In the key of a returned view: the number that is this output."""

    position: int


class RecordsResult(NamedTuple):
    """A structured array that the function made, of these arrays."""

    dtype: np.dtype
    fields: tuple[Result, ...]


class MaybeResult(NamedTuple):
    """A part of the result, or another, None or a number, where an output says so."""

    part: Any
    is_other: int
    other: Any


def is_named_tuple(value) -> bool:
    """Whether a part of the result is a named tuple of parts."""
    is_part = type(value) in (Result, ListResult, DictResult, ObjectResult, MaybeResult,
               RecordsResult)  # fmt: skip
    return not is_part and is_named_tuple_class(type(value))


def result_structure(result, outputs: list, known: tuple):
    """The structure of a result, with its tensors appended to `outputs`; `given` are the arguments
    of the call, and the containers from outside the function.
    """
    return _Description(outputs, known).of(result)


PLAIN = (type(None), bool, int, float, complex, str, np.generic, np.dtype)


class _Description:
    """The state of a result while its parts are described.

    seen    the containers and objects that have an identity, by it
    made    the outputs by storage
    chosen  storages that a reference may be, by what returns them
    """

    def __init__(self, outputs: list, known: tuple):
        self.outputs = outputs
        self.seen = {id(original_of(container)) for container in containers_in(known)}
        self.made: dict[int, int] = {}
        self.chosen: dict[int, int] = {}
        self.held: list = []  # outputs are known by the identity of storages
        self.objects: list = []

    def output(self, tensor) -> int:
        self.outputs.append(tensor)
        return len(self.outputs) - 1

    def of(self, value):
        if type(value) is tuple:
            return tuple(map(self.of, value))
        if is_named_tuple(value):
            return type(value)._make(map(self.of, value))
        if type(value) in FORMS:
            return FORMS[type(value)](self, value)
        if isinstance(value, TracedList) and not isinstance(value, (TracedSet, GrowingDeque)):
            return self.of_comprehension(value)
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, Undefined):
            raise value.error()
        if is_of_trace(value):
            return self.of_object(value)
        raise RefusedError(f"{noun(value)} is returned")

    def require_alone(self, value, reason: str) -> None:
        """Refuse what has been returned before, or has another name outside."""
        if id(value) in self.seen:
            raise RefusedError(reason)
        self.seen.add(id(value))

    # ---- containers ----------------------------------------------------------------------

    def of_container(self, value):
        reason = "a list or a dictionary is returned that has another name"
        self.require_alone(original_of(value), reason)
        if type(value) is list:
            return [self.of(item) for item in value]
        return {_constant(key): self.of(item) for key, item in value.items()}

    def of_object(self, value) -> ObjectResult:
        self.require_alone(original_of(value), "an object is returned under two names")
        self.objects.append(value)
        alike = [each for each in self.objects if type(each) is type(value)]
        if len(alike) > 1 and any(map(is_chosen, alike)):
            raise RefusedError("an object is returned that may have two names")
        names, values = tuple(vars(value)), vars(value).values()
        return ObjectResult(type(value), names, tuple(map(self.of, values)))

    def of_growing(self, value: GrowingList):
        self.require_list_alone(value)
        if value.types is None:
            return []
        if not value.types:
            raise RefusedError("a list of empty tuples is returned")
        arrays, columns = value.arrays, []
        self.held.extend(arrays)
        for each in value.types:
            columns += map(self.of_array, arrays[: len(each.leaves)])
            arrays = arrays[len(each.leaves) :]
            if type(each) is RowType:
                columns += map(self.of_growing, (each.rows.blocks, each.rows.elements))
        types = tuple((each.python, _other_types(each), each.levels) for each in value.types)
        return ListResult(tuple(columns), types, value.is_tuple)

    def of_dictionary(self, value: TracedDict) -> DictResult:
        if value.cls is defaultdict:
            raise RefusedError("a defaultdict is returned")
        keys, values = map(self.of_growing, (value.keys_of, value.values_of))
        return DictResult(value.cls, keys, values)

    def of_comprehension(self, value: TracedList):
        self.require_list_alone(value)
        types = ((value.python, (), value.levels),)
        return ListResult((self.of_array(value.stacked),), types, False)

    def require_list_alone(self, value: TracedList) -> None:
        """Nothing else may be this list, or one of the arrays in it."""
        self.require_alone(value, "a list is returned under two names")
        if value.is_known:
            raise RefusedError("a list is returned with an array that something else may have")
        for held in map(id, value.held.roots()):
            if held in self.chosen:
                raise RefusedError("an array is returned, and a list that may hold it")
            self.chosen[held] = id(value)

    # ---- numbers and arrays --------------------------------------------------------------

    def of_records(self, value: TracedRecords) -> RecordsResult:
        """The fields, which nothing else that is returned may be."""
        storages = [field.storage for field in value.fields.values()]
        is_known = any(each.argument is not None or id(each) in self.made for each in storages)
        if value.key is not None or is_known:
            raise RefusedError("a record, or a structured array of two names, is returned")
        fields = tuple(map(self.of_array, value.fields.values()))
        if any(type(each) is SelectedStorage or id(each) in self.chosen for each in storages):
            raise RefusedError("a structured array is returned that may have two names")
        self.chosen.update((id(storage), id(value)) for storage in storages)
        return RecordsResult(value.dtype, fields)

    def of_either(self, value: Maybe) -> MaybeResult:
        is_other = self.output(value.is_other)
        return MaybeResult(self.of(value.held), is_other, self.of(value.other))

    def of_number(self, value: TracedScalar) -> Result:
        number = value.as_uint64 if value.is_large else value.or_zero().tensor
        result = Result(None, self.output(number), (), value.python)
        if value.none is not None:
            result = result._replace(none=self.output(value.none))
        flags = (self.output(other.holds) for other in value.others)
        types = _other_types(number_type(value))
        return result._replace(others=tuple(zip(flags, types, strict=True)))

    def of_array(self, value: TracedArray) -> Result:
        storage = value.storage
        numpy_trace().indexed.use(value.path)
        path = tuple(map(self.with_outputs, value.path))
        if not value.template.flags.writeable:
            path = (*path, ReadOnly())
        if storage.argument is not None:
            return Result(storage.argument, None, path)
        if type(storage) is SelectedStorage:
            return self.of_selected(storage, path)
        if self.chosen.get(id(storage)):
            raise RefusedError("an array is returned twice, once as one of several")
        one_of = self.arguments_that_are(storage)
        if id(storage) not in self.made:
            origins = () if storage.origin is None else storage.origin.storages
            for root in storage.roots()[1:]:
                if root not in origins:
                    self.choose(root, storage)
            self.made[id(storage)] = self.output(_whole(storage))
        elif None in storage.shape:
            raise RefusedError("an array whose size is computed is returned twice")
        output, own = self.made[id(storage)], len(storage.own_path)
        result = Result(None, output, path, one_of=one_of, own_steps=own)
        if None in storage.shape:
            sizes = self.output(OPS["shape"](storage.read(), dtype=int64))
            return result._replace(sizes=sizes)
        return result._replace(is_rank_0=not storage.shape)

    def arguments_that_are(self, storage: Storage) -> tuple[int, tuple] | None:
        """The output that says which argument an array is, and these arguments."""
        choice = None
        if storage.choice is not None:
            if any(other.choice is not None for other in storage.choice.storages):
                raise RefusedError("an array is returned that several loops exchange")
            arguments = tuple(other.argument for other in storage.choice.storages)
            if set(arguments) != {None}:
                choice = self.output(storage.choice.index), arguments
        if storage.origin is not None:
            arguments = (None, *(other.argument for other in storage.origin.storages))
            choice = self.output(storage.origin.index), arguments
        return choice

    def with_outputs(self, step):
        """A step with outputs in place of the numbers that the graph computes."""
        return Item(tuple(map(self.entry, step.key))) if type(step) is Item else step

    def entry(self, part):
        if type(part) is TracedScalar:
            return Output(self.output(part.tensor))
        if isinstance(part, slice):
            return slice(*map(self.entry, (part.start, part.stop, part.step)))
        return part

    def of_selected(self, storage: SelectedStorage, path: tuple) -> Result:
        if id(storage) not in self.made:
            for other in storage.storages:
                if other.choice or other.copy_of:
                    raise RefusedError("an array is returned that several statements exchange")
                if other.argument is None:
                    self.choose(other, storage)
            self.made[id(storage)] = self.output(storage.index)
            self.output(TracedArray(storage).read())
        at = self.made[id(storage)]
        arguments = tuple(other.argument for other in storage.storages)
        is_rank_0 = not storage.shape
        return Result(None, at + 1, path, one_of=(at, arguments), is_rank_0=is_rank_0)

    def choose(self, other: Storage, storage) -> None:
        """Take note that what is returned may be another storage, which nothing else may be."""
        if other.argument is not None:
            raise RefusedError("an array is returned that may be one of the arguments")
        chosen = self.chosen.setdefault(id(other), id(storage))
        if id(other) in self.made or chosen != id(storage):
            raise RefusedError("an array is returned twice, once as one of several")


FORMS = {
    list: _Description.of_container,
    dict: _Description.of_container,
    TracedScalar: _Description.of_number,
    TracedArray: _Description.of_array,
    GrowingList: _Description.of_growing,
    Row: _Description.of_growing,
    Maybe: _Description.of_either,
    TracedRecords: _Description.of_records,
    TracedDict: _Description.of_dictionary,
}


def _other_types(layout) -> tuple[Callable, ...]:
    """The functions that give a kernel's number its other types."""
    if not layout.others or not is_complex(layout.dtype):
        return layout.others

    def of_real(other):
        return other if is_complex(np.dtype(other)) else lambda value: other(value.real)

    return tuple(map(of_real, layout.others))


def _whole(storage: Storage):
    """The elements of a storage, or the memory that has them, where their number is computed."""
    tensor = storage.read()
    return OPS["memory_of"](tensor) if None in storage.shape else tensor


def _constant(key):
    """A key of a dictionary that is returned."""
    if type(key) not in (str, int, float, bool, type(None)):
        raise RefusedError(f"a dictionary is returned with {noun(key)} as a key")
    if type(key) is float and not math.isfinite(key):
        raise RefusedError(f"a dictionary is returned with {key} as a key")
    return key
