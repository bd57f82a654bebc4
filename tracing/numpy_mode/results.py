"""What a traced function returns, as outputs of its graph."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from ...autograph.operators.undefined import Undefined
from ...runtime.core.dtypes import int64
from ...runtime.ir.op import TABLE as OPS
from ..structures.argument_structures import containers_in, is_named_tuple_class
from .lists.deques import GrowingDeque
from .lists.growing_lists import GrowingList
from .lists.row_lists import Row, RowLists
from .lists.traced_list import TracedList
from .lists.traced_tables import TracedDict, TracedSet
from .refusal import RefusedError, noun, numpy_trace
from .statements.chosen_objects import check_chosen, is_chosen, is_of_trace
from .storage import Reference, Storage
from .traced_array import TracedArray
from .traced_scalar import TracedScalar
from .views import Item


class Result(NamedTuple):
    """Where a part of the result comes from."""

    argument: int | None  # the position of the argument that it is a view of
    output: int | None  # the position among the outputs of the graph
    path: tuple = ()  # the steps to the view
    python: type | None = None  # the type of a number of Python's
    alternative: tuple[int, type] | None = None  # the output that says whether it is of this type
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

    columns   for each part of an item: the numbers, and whether they are of the alternative type
    types     for each part: its type of Python's, None for NumPy's, the alternative, and how many
              lists of lists it is
    """

    columns: tuple[Result, ...]
    types: tuple[tuple[type | None, type | None, int], ...]
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


def is_named_tuple(value) -> bool:
    """Whether a part of the result is a named tuple of parts."""
    is_part = type(value) in (Result, ListResult, DictResult, ObjectResult)
    return not is_part and is_named_tuple_class(type(value))


def described(result, outputs: list, given: tuple):
    """The structure of a result, with its tensors appended to `outputs`; `given` are the arguments
    of the call, and the containers from outside the function.
    """
    copies = numpy_trace().copied
    made: dict[int, int] = {}  # the outputs by storage
    chosen: dict[int, int] = {}  # storages that a reference may be, by what returns them
    held: list = []
    objects: list = []

    def original_of(container):
        while id(container) in copies:  # a staged statement leaves a copy
            container = copies[id(container)][1]
        return container

    seen = {id(original_of(one)) for one in containers_in(given)}  # these have an identity

    def describe(value):
        if type(value) is tuple:
            return tuple(map(describe, value))
        if type(value) in (list, dict):
            original = original_of(value)
            if id(original) in seen:
                raise RefusedError("a list or a dictionary is returned that has another name")
            seen.add(id(original))
            if type(value) is list:
                return [describe(one) for one in value]
            return {constant(key): describe(one) for key, one in value.items()}
        if is_named_tuple(value):
            return type(value)._make(map(describe, value))
        if type(value) is TracedScalar:
            outputs.append(value.word if value.is_large else value.or_zero().tensor)
            result = Result(None, len(outputs) - 1, (), value.python)
            if value.none is not None:
                outputs.append(value.none)
                result = result._replace(none=len(outputs) - 1)
            if value.alternative is not None:
                outputs.append(value.alternative.holds)
                result = result._replace(alternative=(len(outputs) - 1, value.alternative.python))
            return result
        if type(value) is TracedArray:
            return array(value)
        if type(value) is GrowingList:
            return growing(value)
        if type(value) is TracedDict:
            return dictionary(value)
        if isinstance(value, TracedSet):
            raise RefusedError("a set is returned")
        if isinstance(value, (Row, RowLists)):
            raise RefusedError("a list of lists that grow is returned")
        if type(value) is GrowingDeque:
            raise RefusedError("a deque is returned")
        if isinstance(value, TracedList):
            return of_comprehension(value)
        if value is None or isinstance(
            value, (bool, int, float, complex, str, np.generic, np.dtype)
        ):
            return value
        if isinstance(value, Undefined):
            raise RefusedError("values of different types are returned in different cases")
        if is_of_trace(value):
            return made_object(value)
        raise RefusedError(f"{noun(value)} is returned")

    def made_object(value) -> ObjectResult:
        original = original_of(value)
        if id(original) in seen:
            raise RefusedError("an object is returned under two names")
        seen.add(id(original))
        objects.append(value)
        alike = [one for one in objects if type(one) is type(value)]
        if len(alike) > 1 and any(map(is_chosen, alike)):
            raise RefusedError("an object is returned that may have two names")
        names, values = tuple(vars(value)), vars(value).values()
        return ObjectResult(type(value), names, tuple(map(describe, values)))

    def require_alone(value: TracedList) -> None:
        """Nothing else may be this list, or one of the arrays in it."""
        if id(value) in seen:
            raise RefusedError("a list is returned under two names")
        seen.add(id(value))
        if value.is_known:
            raise RefusedError("a list is returned with an array that something else may have")
        if id(value.held) in chosen:
            raise RefusedError("an array is returned, and a list that may hold it")
        chosen[id(value.held)] = id(value)

    def growing(value: GrowingList):
        require_alone(value)
        if value.types is None:
            return []
        if not value.types:
            raise RefusedError("a list of empty tuples is returned")
        columns = tuple(map(array, arrays := value.arrays))
        held.extend(arrays)  # outputs are known by the identity of storages
        types = tuple((one.python, one.alternative, one.levels) for one in value.types)
        return ListResult(columns, types, value.is_tuple)

    def dictionary(value: TracedDict) -> DictResult:
        if value.cls is defaultdict:
            raise RefusedError("a defaultdict is returned")
        return DictResult(value.cls, growing(value.keys_of), growing(value.values_of))

    def of_comprehension(value: TracedList):
        require_alone(value)
        return ListResult((array(value.array),), ((value.python, None, value.levels),), False)

    def constant(key):
        if type(key) not in (str, int, float, bool, type(None)):
            raise RefusedError(f"a dictionary is returned with {noun(key)} as a key")
        if type(key) is float and not math.isfinite(key):
            raise RefusedError(f"a dictionary is returned with {key} as a key")
        return key

    def array(value: TracedArray) -> Result:
        storage = value.storage
        numpy_trace().indexed.use(value.path)
        path = tuple(map(known, value.path))
        if not value.template.flags.writeable:
            path = (*path, ReadOnly())
        if storage.argument is not None:
            return Result(storage.argument, None, path)
        if type(storage) is Reference:
            return reference(storage, path)
        if None in storage.shape:
            return of_computed_size(storage, path)
        if chosen.get(id(storage)):
            raise RefusedError("an array is returned twice, once as one of several")
        one_of = None
        if storage.one_of is not None:
            if any(one.one_of is not None for one in storage.one_of.storages):
                raise RefusedError("an array is returned that several loops exchange")
            arguments = tuple(one.argument for one in storage.one_of.storages)
            if set(arguments) != {None}:
                outputs.append(storage.one_of.index)
                one_of = (len(outputs) - 1, arguments)
        origins: list[Storage] = []
        if storage.origin is not None:
            origins = storage.origin.storages
            outputs.append(storage.origin.index)
            one_of = (len(outputs) - 1, (None, *(one.argument for one in origins)))
        if id(storage) not in made:
            for one in storage.roots()[1:]:
                if one not in origins:
                    choose(one, storage)
            made[id(storage)] = len(outputs)
            outputs.append(storage.read())
        made_of = Result(None, made[id(storage)], path, one_of=one_of, is_rank_0=not storage.shape)
        return made_of._replace(own_steps=len(storage.own_path))

    def known(step):
        """A step with outputs in place of the numbers that the graph computes."""
        return Item(tuple(map(entry, step.key))) if type(step) is Item else step

    def entry(one):
        if type(one) is TracedScalar:
            outputs.append(one.tensor)
            return Output(len(outputs) - 1)
        if isinstance(one, slice):
            return slice(*map(entry, (one.start, one.stop, one.step)))
        return one

    def of_computed_size(storage: Storage, path: tuple) -> Result:
        if id(storage) in made:
            raise RefusedError("an array whose size is computed is returned twice")
        tensor = storage.read()
        made[id(storage)] = len(outputs)
        outputs.extend([OPS["memory_of"](tensor), OPS["shape"](tensor, dtype=int64)])
        return Result(None, made[id(storage)], path, sizes=made[id(storage)] + 1)

    def choose(one: Storage, storage) -> None:
        """Take note that what is returned may be `one`, which nothing else may then be."""
        if one.argument is not None:
            raise RefusedError("an array is returned that may be one of the arguments")
        if id(one) in made or chosen.get(id(one), id(storage)) != id(storage):
            raise RefusedError("an array is returned twice, once as one of several")
        chosen[id(one)] = id(storage)

    def reference(storage: Reference, path: tuple) -> Result:
        if id(storage) not in made:
            for one in storage.storages:
                if one.one_of or one.copy_of:
                    raise RefusedError("an array is returned that several statements exchange")
                if one.argument is None:
                    choose(one, storage)
            made[id(storage)] = len(outputs)
            outputs.extend([storage.index, TracedArray(storage).read()])
        at = made[id(storage)]
        arguments = tuple(one.argument for one in storage.storages)
        is_rank_0 = not storage.shape
        return Result(None, at + 1, path, one_of=(at, arguments), is_rank_0=is_rank_0)

    check_chosen()
    return describe(result)
