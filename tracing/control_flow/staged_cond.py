"""`if` into the graph: both sides of a choice become sub-graphs.

`cond` takes and returns *tuples of Python values* (the state of autograph's operators, or of
`ag.cond`). A value may be a tensor, a number, a structure of them, or any other object; what
differs between two branches has to be a tensor.
"""

from __future__ import annotations

from collections.abc import Callable

from ...autograph.operators.checked_values import Checked, MaybeNone, returned
from ...autograph.operators.containers import same_literal
from ...autograph.operators.forwarding_lists import LIST_CLASSES
from ...autograph.operators.raising import StagedRaise
from ...autograph.operators.undefined import MaybeSet, Undefined, UndefinedReturnValue
from ...autograph.stager import BRANCHES, EXIT_FLAGS, OPERAND
from ...runtime.core.dtypes import bool_, string
from ...runtime.ir.op import TABLE
from ...runtime.tensors.python_numbers import (
    as_wider_number,
    common_dtype,
    is_python_number,
    note_types,
)
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..staged_values.iterables import Streamed
from ..staged_values.staged_list import StagedList
from ..staged_values.unknown_rows import kept_rows
from ..structures import nest
from ..structures.errors import InconsistentBranchError
from ..structures.leaves import (
    Deferred,
    as_test,
    blank,
    dtype_of,
    dtype_of_number,
    holds_tensor,
    is_tensor,
)
from . import conditionally_assigned
from .mismatch_messages import RESULT, cure_of_objects, differs, one_sided
from .recorded_statements import kept, on_sides, record_if, side_builders
from .staged_raise import NEVER, leaving_statement, outcome
from .variable_aliases import adopted


def cond(test, then: Callable[[], tuple], orelse: Callable[[], tuple], names, live=None) -> tuple:
    """Trace both branches into an `If`; the tuple of what each name holds afterwards."""
    if isinstance(test, Streamed):
        return then()  # a dataset is true, as most objects are
    with leaving_statement():
        test, sides, results = as_test(test), side_builders(), []
        for builder, branch in zip(sides, (then, orelse), strict=True):
            with builder:
                results.append(outcome(branch))
        merged = _merge_all(names, results, sides, len(names) if live is None else live)
        values = record_if(test, sides, merged, note_types)
        if all(result is NEVER for result in results):
            raise StagedRaise
        return tuple(values)


def _merge_all(names, results, sides, live: int) -> list:
    """For each name the pairs of tensors that it contributes, and a function that rebuilds its
    value from the next outputs. The first `live` of the names are read afterwards.
    """
    if results[0] is NEVER and results[1] is NEVER:
        return []
    if NEVER in results:
        goes = 1 if results[0] is NEVER else 0
        return [
            _passed_on(name, value, sides, goes)
            for name, value in zip(names, results[goes], strict=True)
        ]
    exits = _sides_with_exit(names, results)
    return [
        _merge_with_exit(name, left, right, sides, exits)
        if index < live
        else _either(left, right, name)
        for index, (name, left, right) in enumerate(zip(names, *results, strict=True))
    ]


def _sides_with_exit(names, results) -> list[bool]:
    """For each side, whether it ends with a `return`, `break` or `continue` that the other has not.

    What follows the statement, where that side does not get, reads names that only the other sets.
    """
    exits = [False, False]
    for name, *flags in zip(names, *results, strict=True):
        if name.startswith(EXIT_FLAGS) and (flags[0] is True) != (flags[1] is True):
            exits[flags[1] is True] = True
    return exits


def _merge_with_exit(name, then, orelse, sides, exits):
    """As `_merge`; a name that is unset only where the block was left is checked at run time."""
    pairs, rebuild = _merge(name, then, orelse, sides)
    unset = [isinstance(value, Undefined) for value in (then, orelse)]
    if not any(left and missing for left, missing in zip(exits, unset, strict=True)):
        return pairs, rebuild

    def checked(outputs):
        value = rebuild(outputs)
        is_maybe_set = type(value) is MaybeSet
        return value.checked(conditionally_assigned.read) if is_maybe_set else value

    return pairs, checked


def _either(left, right, name):
    """A name that is not read afterwards: it keeps its value only if both sides agree."""
    if left is right:
        return kept(left)
    return kept(Undefined(name, "it differs between the sides of an `if` on a tensor"))


def _merge(name, left, right, sides):
    """The outputs of a name that is read afterwards."""
    if left is right:
        return kept(left)
    optional = _merge_with_none(name, left, right, sides)
    if optional is not None:
        return optional
    left, right = _checked_inside(left, right, sides)
    if not holds_tensor(left) and not holds_tensor(right) and same_literal(left, right):
        return kept(left)
    gone = [isinstance(left, Undefined), isinstance(right, Undefined)]
    if any(gone):
        if not isinstance(left if gone[0] else right, UndefinedReturnValue):
            return _merge_unset(name, left, right, sides)
        if all(gone):
            return kept(left)
        rows = [(left, not gone[0]), (right, not gone[1])]
        (left, _), (right, _) = _filled(name, rows, sides)
    left, right = _as_staged_lists(left, right, sides)
    if not nest.same_structure(left, right):
        raise _refusal_of_structure(name, left, right)
    return _merge_leaves(name, left, right, sides)


def _merge_with_none(name, left, right, sides, part=""):
    """A value that is None, or may be, on a side: it is carried with a flag. Else None."""
    may_be_none = [conditionally_assigned.optional(each) is not None for each in (left, right)]
    if name in (OPERAND, BRANCHES) and not any(may_be_none):
        return None
    if name == RESULT and any(may_be_none):  # one that is not set is not read
        both = (None if isinstance(each, UndefinedReturnValue) else each for each in (left, right))
        left, right = both
    rows = conditionally_assigned.pairs_of(left, right, or_none=True)
    if rows is None:
        return None
    is_missing = name == RESULT and (left is None or right is None)
    seen = [each.variable.value if type(each) is MaybeNone else each for each in (left, right)]
    refusal = _refusal_of_structure(name, *seen) if is_missing else None
    label = part + ("the return value" if name == RESULT else name)
    pairs, rebuild = _merge_leaves(name, *_filled(name, rows, sides), sides)
    return pairs, lambda outputs: conditionally_assigned.maybe_none(
        label, *rebuild(outputs), refusal
    )


def _refusal_of_structure(name, left, right) -> InconsistentBranchError:
    cure = "Give both sides the same structure."
    if left is None or right is None:
        cure = cure_of_objects(name, left, right)
    return InconsistentBranchError(differs(name, left, right), cure)


def _checked_inside(left, right, sides) -> tuple:
    """The values of both sides; what may be missing is checked on the side that gives it."""
    both = [nest.flatten(left), nest.flatten(right)]
    if not any(isinstance(leaf, Checked) for leaves in both for leaf in leaves):
        return left, right
    shared = set(map(id, both[0])) & set(map(id, both[1]))

    def checked(leaf):
        return returned(leaf) if id(leaf) not in shared else leaf

    return tuple(on_sides(sides, lambda value: nest.map_structure(checked, value), (left, right)))


def _as_staged_lists(left, right, sides) -> tuple:
    """Two lists of different lengths become lists whose length is known at run time."""
    types = {type(left), type(right)}
    grown = types <= {*LIST_CLASSES} and len(left) != len(right)
    if len(types) == 1 and issubclass(*types, StagedList):
        return left.like(right), right.like(left)
    if not grown and (StagedList not in types or not types <= {*LIST_CLASSES, StagedList}):
        return left, right
    lists = on_sides(
        sides,
        lambda value: StagedList.of(value) if type(value) in LIST_CLASSES else value,
        (left, right),
    )
    if any(value is None for value in lists):
        return left, right
    return lists[0].like(lists[1]), lists[1].like(lists[0])


def _merge_unset(name, left, right, sides):
    """A name that is unset on a side: unset afterwards, or conditionally assigned in a loop."""
    reason = one_sided("then" if isinstance(right, Undefined) else "else")
    rows = conditionally_assigned.pairs_of(left, right)
    if rows is None:
        both = isinstance(left, Undefined) and isinstance(right, Undefined)
        return kept(left if both else Undefined(name, reason))
    pairs, rebuild = _merge_leaves(name, *_filled(name, rows, sides), sides)
    return pairs, lambda outputs: conditionally_assigned.after_if(
        name, reason, left, right, rebuild(outputs)
    )


def _filled(name: str, rows: list[tuple], sides) -> list[tuple]:
    """The values and flags of both sides, with a placeholder where a side has no value."""
    filled = list(rows)
    for index, builder in enumerate(sides):
        if rows[index][1] is False:
            like = rows[1 - index][0]
            value = nest.map_structure(lambda leaf, b=builder: blank(leaf, b, name), like)
            filled[index] = (value, False)
    return filled


def _merge_leaves(name, left, right, sides):
    """The pairs of tensors of two values of one structure, and how to rebuild the value."""
    rows = zip(nest.flatten(left), nest.flatten(right), strict=True)
    merged = [_merge_leaf(name, *row, sides) for row in rows]
    pairs = [pair for of_leaf, _ in merged for pair in of_leaf]
    return pairs, lambda outputs: nest.pack_sequence_as(
        left, [rebuild(outputs) for _, rebuild in merged]
    )


def _passed_on(name, value, sides, goes: int):
    """A name after an `if` of which only the side `goes` goes on, as the other always raises."""
    variable = conditionally_assigned.optional(value)
    if variable is not None:
        pairs, rebuild = _passed_on(name, variable, sides, goes)
        return pairs, lambda outputs: conditionally_assigned.as_seen(rebuild(outputs))
    is_variable = isinstance(value, MaybeSet)
    if isinstance(value, Undefined) and not is_variable:
        return kept(value)

    def absent(leaf):
        inside = isinstance(leaf, SymbolicTensor) and leaf.builder is sides[goes]
        return blank(leaf, sides[1 - goes], name) if inside else leaf

    held = conditionally_assigned.value_and_flag(value) if is_variable else value
    both = [held, held]
    both[1 - goes] = nest.map_structure(absent, held)
    pairs, rebuild = _merge_leaves(name, *both, sides)
    return pairs, (lambda outputs: value.holding(*rebuild(outputs))) if is_variable else rebuild


def _merge_leaf(name, a, b, sides):
    a, b = _allocated(a, b, sides[0]), _allocated(b, a, sides[1])
    optional = None if a is b else _merge_with_none(name, a, b, sides, "an item of ")
    if optional is not None:
        return optional
    rows = kept_rows(a, b)
    if rows is not None:
        return kept(rows)
    if a is b or (not is_tensor(a) and not is_tensor(b) and same_literal(a, b)):
        return kept(a)
    if callable(a) and callable(b):
        from ..staged_values import chosen_functions  # few programs choose functions

        functions = chosen_functions.merged(a, b, sides)
        if functions is not None:
            return functions
    return [_as_pair(name, a, b, sides)], next


def _allocated(leaf, other, builder):
    """The leaf; a deferred one becomes a placeholder if only the other side assigns it."""
    if not isinstance(leaf, Deferred) or isinstance(other, Deferred):
        return leaf
    with builder:
        return leaf.of_type(other.dtype).tensor(other.dims)


def _as_pair(name, a, b, sides) -> tuple[Tensor, Tensor]:
    """Two leaves as tensors of one dtype; a Python number adopts the dtype of the other side."""
    hints = [dtype_of(leaf) or dtype_of_number(leaf) for leaf in (b, a)]
    tensors = on_sides(sides, lambda leaf, hint: adopted(leaf, hint, name), (a, b), hints)
    if None in tensors:
        raise InconsistentBranchError(differs(name, a, b), cure_of_objects(name, a, b))
    if name in (OPERAND, BRANCHES):
        tensors = _bools_as_numbers(tensors, sides)
    if tensors[0].dtype is not tensors[1].dtype and all(map(is_python_number, tensors)):
        tensors = _of_one_width(tensors, sides)
    if tensors[0].dtype is not tensors[1].dtype:
        value = name if name.isidentifier() and name != RESULT else "x"
        has_strings = any(tensor.dtype is string for tensor in tensors)
        cast = f"ag.cast({value}, ag.{tensors[0].dtype.name})"
        cast = f"ag.as_string({value})" if has_strings else cast
        error = InconsistentBranchError(
            differs(name, *tensors), f"Give both sides one type, for example with {cast}."
        )
        error.operands = tuple(tensors)  # a loop may widen them
        raise error
    for leaf, tensor in zip((a, b), tensors, strict=True):
        note_types(tensor, leaf)
    return tuple(tensors)


def _of_one_width(tensors, sides) -> list[Tensor]:
    """Two floats of Python with the digits of the wider one; others as they are."""
    wider = common_dtype(tensors)
    if wider is None:
        return tensors
    return on_sides(sides, lambda tensor: as_wider_number(tensor, wider), tensors)


def _bools_as_numbers(tensors, sides) -> list[Tensor]:
    """Operands of `and` and `or`, one a bool and one a number, as numbers: True is 1."""
    dtypes = {tensor.dtype for tensor in tensors}
    number = next(iter(dtypes - {bool_}), None)
    if len(dtypes) != 2 or bool_ not in dtypes or number is string:
        return tensors

    def cast(tensor):
        return tensor if tensor.dtype is number else TABLE["cast"](tensor, dtype=number)

    return on_sides(sides, cast, tensors)
