"""Staged `if`, `while` and `for` in NumPy mode: the state is numbers and arrays.

A name that a statement binds to another array carries which array it is, where all of these are
from outside the statement, else the elements. Arrays that a statement changes in place are cells,
and need no state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...autograph.operators.undefined import Undefined, UndefinedReturnValue
from ...autograph.stager import OPERAND
from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.ir.graph import Graph, Node, Value
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ir.op import WRITES
from ...runtime.tensors.apply import BUILDER, constant_of
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.tensor import SymbolicTensor
from ..control_flow.staged_cond import share_operands
from .lists.traced_list import TracedList
from .refusal import (
    ChangingStateError,
    ItemTypesError,
    RefusedError,
    SharedWriteError,
    StateTypesError,
    TupleStateError,
)
from .storage import OneOf, Reference, Storage
from .traced_array import TracedArray
from .traced_scalar import (
    LARGE,
    PYTHON_DTYPES,
    Alternative,
    TracedScalar,
    as_joined,
    boolean,
    holds_alternative,
    require,
    scalar_of,
)
from .traced_scalar import joined as joined_numbers


class StateType(NamedTuple):
    """What a name holds: a number, or with `shape` an array.

    alternative   it is sometimes a number of Python's of this type: a truth says whether
    is_exchanged  an integer says which of the arrays that names exchange it is
    references    it is one of these storages: an integer, which is all that is carried, says which
    sources       its elements may really be those of one of these storages
    levels        how many lists of lists the array stands for; 0 for an array
    """

    dtype: np.dtype
    python: type | None
    shape: tuple[int, ...] | None = None
    alternative: type | None = None
    is_exchanged: bool = False
    references: tuple[Storage, ...] = ()
    sources: tuple[Storage, ...] = ()
    levels: int = 0

    @property
    def numpy_dtype(self) -> np.dtype:
        return self.dtype

    @property
    def tensors(self) -> list[tuple[np.dtype, tuple[int, ...]]]:
        """The data types and shapes of the tensors that carry it."""
        if self.references:
            return [(np.dtype(np.int64), ())]
        tensors = [(self.dtype, self.shape or ())]
        if self.alternative is not None:
            tensors.append((np.dtype(bool), ()))
        if self.is_exchanged:
            tensors.append((np.dtype(np.int64), ()))
        return tensors


def state_type_of(value) -> StateType | None:
    """How a value can be carried, or None."""
    if type(value) in PYTHON_DTYPES:
        return StateType(PYTHON_DTYPES[type(value)], type(value))
    if isinstance(value, np.generic) and value.dtype in FROM_NUMPY:
        return StateType(value.dtype, None)
    if type(value) is TracedScalar:
        alternative = None if value.alternative is None else value.alternative.python
        return StateType(value.numpy_dtype, value.python, None, alternative)
    if type(value) is TracedArray and not value.computed:
        return StateType(value.dtype, None, value.shape)
    return None


def joined(name: str, one: StateType, other: StateType) -> StateType:
    """How a name is carried that holds values of both types at different times."""
    if one == other:
        return one
    if one.shape is not None and one[:3] == other[:3] and one.levels == other.levels:
        return one._replace(sources=one.sources or other.sources)
    if one.shape is not None or other.shape is not None:
        raise RefusedError(f"'{name}' holds arrays of different shapes or data types, or a number")
    dtype, python, alternative = joined_numbers(one, other)
    return StateType(dtype, python, None, alternative)


def tensors_as(value, state_type: StateType) -> list:
    """The tensors of a value that is carried as `state_type`; zeros for what nobody will read."""
    if isinstance(value, Undefined):
        return [constant_of(np.zeros(shape, dtype)) for dtype, shape in state_type.tensors]
    if state_type.references:
        if type(value.storage) is Reference:
            return [value.storage.index_among(state_type.references)]
        return [constant_of(np.int64(state_type.references.index(value.storage)))]
    if type(value) is TracedArray:
        exchanged = [value.storage.one_of.index] if state_type.is_exchanged else []
        return [value.read(), *exchanged]
    number = scalar_of(value)
    tensors = [as_joined(number, state_type.dtype)]
    if state_type.alternative is not None:
        tensors.append(holds_alternative(number, state_type.alternative))
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
    if state_type.shape is not None:
        return TracedArray(Storage(tensor, copy_of=state_type.sources))
    alternative = None
    if state_type.alternative is not None:
        alternative = Alternative(next(tensors), state_type.alternative)
    return TracedScalar(tensor, state_type.python, LARGE, None, alternative)


def is_same(one, other) -> bool:
    """Whether two values of a name are one object, or equal constants."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is TracedArray:
        return one.is_view_of(other.storage, other.path)
    if isinstance(one, Undefined):
        return True
    if type(one) in (int, float, bool, str, bytes, type(None)):
        return repr(one) == repr(other)
    return type(one) is tuple and len(one) == len(other) and all(map(is_same, one, other))


def retried(record: Callable[[list | None], Any], restructure: Callable | None = None):
    """The result of the last attempt of `record`; arrays that it changes move to cells.

    `restructure` takes note of a name that holds a tuple.
    """
    builder, state_types = BUILDER.get(), None
    checkpoint = builder.checkpoint()
    while True:
        try:
            return record(state_types)
        except StateTypesError as error:
            if error.builder is not builder:
                raise
            state_types = error.state_types
            builder.rollback(checkpoint)
        except ChangingStateError as error:
            if error.builder is builder:
                builder.rollback(checkpoint)
            raise
        except TupleStateError as error:
            if error.builder is not builder:
                raise
            state_types = None
            builder.rollback(checkpoint)
            restructure(error)
        except SharedWriteError as error:
            if error.storage.scope is not builder:
                raise
            builder.rollback(checkpoint)
            error.storage.move_to_cell()
            checkpoint = builder.checkpoint()
        except ItemTypesError as error:
            if error.target.scope is not builder:
                raise
            builder.rollback(checkpoint)
            error.target.allocate(error.types, error.is_guess)
            checkpoint = builder.checkpoint()


def storages_of(*values) -> list[Storage]:
    """The storages that arrays are, or may really be."""
    return [root for value in values if type(value) is TracedArray
            for root in value.storage.roots()]  # fmt: skip


def outside(builder: Builder, storages: list[Storage]) -> list[Storage]:
    """Those that were made in the graph of a builder, or around it."""
    return [one for one in storages if one.scope is builder or builder.encloses(one.scope)]


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
    return result._replace(sources=found)


def _is_reference(builder: Builder, array: TracedArray) -> bool:
    """Whether an array is a whole one from outside, or one of several such."""
    storage = array.storage
    parts = storage.storages if type(storage) is Reference else [storage]
    is_plain = not any(one.one_of or one.places or one.copy_of for one in parts)
    is_whole = not array.path and array.template.flags.c_contiguous
    return is_whole and is_plain and len(outside(builder, parts)) == len(parts)


def is_from_outside(builder: Builder, value) -> bool:
    """Whether a value means the same after a statement as inside it."""
    if type(value) is TracedArray:
        parts = value.storage.storages if type(value.storage) is Reference else [value.storage]
        is_visible = len(outside(builder, [value.storage, *parts])) == len(parts) + 1
        return is_visible and not value.path
    if isinstance(value, TracedList):
        return value.home is builder or builder.encloses(value.home)
    return not isinstance(value, TracedScalar)


# ---- tuples --------------------------------------------------------------------------------
# The parts of tuples are state of their own.

Sizes = Sequence[int | None]  # of the tuple that a name holds; None for anything else


def without_tuples(names, one: tuple, other: tuple) -> tuple[Sizes, list, tuple, tuple]:
    """The sizes of tuples, and names and values with their parts in place of the tuples.

    A name is a tuple where both values are, or one and the other is no result yet.
    """
    sizes = [_size(*pair) for pair in zip(one, other, strict=True)]
    return sizes, named(sizes, names), spread(sizes, one), spread(sizes, other)


def _size(one, other) -> int | None:
    tuples = [value for value in (one, other) if type(value) is tuple]
    others = [value for value in (one, other) if type(value) is not tuple]
    if not tuples or not all(isinstance(value, UndefinedReturnValue) for value in others):
        return None
    return len(tuples[0]) if len(tuples[0]) == len(tuples[-1]) else None


def named(sizes: Sizes, names) -> list:
    """A name for each part."""
    return [part for size, name in zip(sizes, names, strict=True)
            for part in ([name] if size is None else [name] * size)]  # fmt: skip


def spread(sizes: Sizes, values) -> tuple:
    """The values with the parts of tuples in their place."""
    result: list = []
    for size, value in zip(sizes, values, strict=True):
        if size is None:
            result.append(value)
        else:
            result += value if type(value) is tuple else [value] * size
    return tuple(result)


def with_tuples(sizes: Sizes, values) -> tuple:
    """The values with tuples in place of their parts."""
    rest = iter(values)
    return tuple(
        next(rest) if size is None else _made([next(rest) for _ in range(size)]) for size in sizes
    )


def _made(parts: list) -> Any:
    """A tuple; while there is no result yet, that."""
    missing = [one for one in parts if isinstance(one, UndefinedReturnValue)]
    if missing and len(missing) < len(parts):
        raise RefusedError("a tuple is returned of which a statement gives some parts only")
    return missing[0] if missing else tuple(parts)


def body_of_parts(builder: Builder, sizes: list, body: Callable) -> Callable:
    """A loop body whose state has the parts of tuples.

    Raises TupleStateError, for `builder`, if the result of a function becomes a tuple.
    """

    def call(*values):
        count = len(values) - len(spread(sizes, [None] * len(sizes)))
        before = with_tuples(sizes, values[count:])
        after = body(*values[:count], *before)
        for at, (size, old, new) in enumerate(zip(sizes, before, after[count:], strict=True)):
            if size is None and _size(old, new) is not None and old is not new:
                raise TupleStateError(builder, at, len(new))
        return (*after[:count], *spread(sizes, after[count:]))

    return call


class Truth:
    """The value of an `and` or `or` of which an operand is a list: only its truth is known."""

    __slots__ = ("truth",)

    def __init__(self, truth):
        self.truth = truth


# ---- if --------------------------------------------------------------------------------------


def record_if(test, then: Callable, orelse: Callable, names) -> tuple:
    return retried(lambda _: _If(test, then, orelse, names).results())


class _If:
    def __init__(self, test, then, orelse, names):
        self.test = boolean(test)
        self.sides = (then, orelse)
        self.names = names
        self.outer = BUILDER.get()

    def results(self) -> tuple:
        builders, states, errors = [], [], {}
        for at, (name, side) in enumerate(zip(("then", "orelse"), self.sides, strict=True)):
            builder = Builder(f"{self.outer.name}.{name}", self.outer)
            try:
                with builder:
                    states.append(tuple(side()))
            except RecursionError:
                raise RefusedError("a function that calls itself in a computed branch") from None
            except Exception as error:
                errors[at] = error
            builders.append(builder)
        if errors:
            return self._without_the_branch_that_raises(errors)
        truths = self._with_truths(builders, states)
        structure, self.names, *states = without_tuples(self.names, *states)
        carried = self._carried(*states)
        tensors = []
        for builder, state in zip(builders, states, strict=True):
            with builder:
                tensors.append(
                    [
                        tensor
                        for at, state_type in carried.items()
                        for tensor in tensors_as(state[at], state_type)
                    ]
                )
                keep_checks(builder, tensors[-1])
        graphs, operands = share_operands(builders, tensors)
        attrs = {"then": graphs[0], "orelse": graphs[1]}
        outputs = iter(self.outer.record(OPS["if"], [self.test, *operands], attrs, "if"))
        results = []
        for at, (one, other) in enumerate(zip(*states, strict=True)):
            if at in carried:
                results.append(value_from(carried[at], outputs))
            elif isinstance(one, UndefinedReturnValue) and self._is_from_outside(other):
                results.append(other)
            elif is_same(one, other) or (
                isinstance(other, UndefinedReturnValue) and self._is_from_outside(one)
            ):
                results.append(one)
            else:
                results.append(Undefined(self.names[at], "it differs between the branches"))
        results = with_tuples(structure, results)
        return tuple(Truth(one.tensor) if at in truths else one for at, one in enumerate(results))

    def _with_truths(self, builders: list, states: list) -> set[int]:
        """The positions of operands of `and` and `or` that are lists, which are replaced in the
        states by their truth.
        """
        found = {
            at for at, name in enumerate(self.names) for state in states
            if name == OPERAND and hasattr(type(state[at]), "truth")
        }  # fmt: skip
        for side, builder in enumerate(builders):
            with builder:
                states[side] = tuple(
                    TracedScalar(boolean(one), bool, 1) if at in found else one
                    for at, one in enumerate(states[side])
                )
        return found

    def _without_the_branch_that_raises(self, errors: dict[int, Exception]) -> tuple:
        """The state after the other branch: Python runs calls that take the one that raises."""
        if len(errors) == 2:
            raise errors[0]
        require(OPS["logical_not"](self.test) if 0 in errors else self.test)
        return tuple(self.sides[1 if 0 in errors else 0]())

    def _carried(self, first: tuple, second: tuple) -> dict[int, StateType]:
        """The state_types of the names whose values differ, by position."""
        carried = {}
        for at, (one, other) in enumerate(zip(first, second, strict=True)):
            given = [each for each in (one, other) if not isinstance(each, UndefinedReturnValue)]
            state_types = [state_type_of(each) for each in given]
            if None in state_types or is_same(one, other):
                continue
            if len(given) < 2 and self._is_from_outside(*given):  # the flag of the `return` guards
                continue
            carried[at] = joined(self.names[at], state_types[0], state_types[-1])
            if carried[at].shape is not None:
                carried[at] = array_type(self.outer, None, *given)
        return carried

    def _is_from_outside(self, value) -> bool:
        return is_from_outside(self.outer, value)


# ---- values that nobody reads, but whose computation may raise ---------------------------------


def keep_checks(builder: Builder, outputs) -> None:
    """Let an assertion read what would be removed from a graph although it may raise.

    `outputs` are the tensors that the graph will return.
    """
    needed = {builder.value_of(tensor) for tensor in outputs}
    unread = []
    for node in reversed(builder.nodes):
        checked = [value for value in _may_raise(node) if value not in needed]
        unread += checked
        if checked or node.effect == WRITES or not needed.isdisjoint(node.outputs):
            needed.update(node.inputs)
    for value in reversed(unread):
        if value.dtype.is_bool or value.dtype.is_integer or value.dtype.is_floating:
            require(_always_true(SymbolicTensor(value, builder)))


def _may_raise(node: Node) -> list[Value]:
    """The outputs of a node whose computation may raise."""
    if not node.subgraphs:
        is_check = node.may_raise and not node.op.variable_access
        return list(node.outputs) if is_check and node.op is not OPS["ensure_length"] else []
    graphs = [graph for key, graph in node.subgraphs.items() if key != "test"]
    return [
        value
        for index, value in enumerate(node.outputs)
        if any(_cone_may_raise(graph, graph.outputs[index]) for graph in graphs)
    ]


def _cone_may_raise(graph: Graph, output: Value) -> bool:
    """Whether a node that an output of a graph depends on may raise, or holds graphs."""
    needed = {output}
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs):
            if node.subgraphs or (node.may_raise and not node.op.variable_access):
                return True
            needed.update(node.inputs)
    return False


def _always_true(tensor):
    """A condition on all elements of a tensor that holds for every value."""
    condition = OPS["logical_or"](OPS["equal"](tensor, tensor), OPS["not_equal"](tensor, tensor))
    if tensor.dims == ():
        return condition
    return OPS["reduce_all"](condition, axis=None, keepdims=False)
