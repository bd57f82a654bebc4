"""`min`, `max` and `sorted` of tensors, and of tuples and lists that hold them.

Python compares tuples and lists by the first items that differ. Where the values are rows of
tensors, each item of a tuple is a column: a row is less than another if it is in the first column
in which they differ.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable

from ...autograph.compared_sequences import SequenceOrder
from ...autograph.operators.checked_values import required
from ...autograph.operators.containers import is_container
from ...autograph.operators.noted_changes import is_among, note_copied, note_held, note_read
from ...autograph.operators.raising import raised
from ...runtime.core.dtypes import int64
from ...runtime.core.errors import UnimplementedError
from ...runtime.core.shapes import show
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.array.gathering import gather
from ...runtime.ops.array.joining import stack, unstack
from ...runtime.ops.array.masking import where
from ...runtime.tensors.apply import convert_to_tensor, get_static_value
from ...runtime.tensors.python_numbers import (
    is_python_value,
    is_range,
    never_equal,
    note_types,
    refuse_characters,
)
from ...runtime.tensors.tensor import Tensor
from ..control_flow.conditionally_assigned import optional
from ..control_flow.retrace_none_state import is_none
from ..control_flow.staged_cond import cond
from ..staged_values.iterables import StagedIterable, Streamed, length_of
from ..staged_values.staged_list import StagedList, require
from ..structures import nest
from ..structures.errors import InconsistentBranchError
from ..structures.leaves import as_test, can_be_tensor, is_tensor
from .loops_and_comprehensions import as_list, collect

COMPARISONS = {
    operator.lt: "less", operator.gt: "greater", operator.le: "less_equal",
    operator.ge: "greater_equal",
}  # fmt: skip


BETTER: dict[str, tuple[Callable, float]] = {  # what compares as better, and the worst number
    "max": (operator.gt, float("-inf")),
    "min": (operator.lt, float("inf")),
}


def extreme(name: str, /, *args, key=None, **default):
    """`min`/`max`: of the arguments, or of what one argument holds.

    Python takes an item only if it compares as better: a NaN stays where it comes first, and is
    passed over elsewhere; of equal ones the first is taken.
    """
    if len(args) > 1 and default:
        raise TypeError(f"Cannot specify a default for {name}() with multiple positional args")
    if len(args) == 1 and _is_empty(args[0]):
        if default:
            return default["default"]
        message = _nothing(getattr(builtins, name))
        raise raised(lambda: ValueError(message))
    rows = rows_of(args[0]) if len(args) == 1 else None
    if rows is None:
        return _best_of(name, args[0] if len(args) == 1 else args, key)
    if key is None:
        _refuse_matrix(args[0], name)
    length = length_of(nest.flatten(rows)[0])
    if not default:
        if get_static_value(length) is None:
            require(length > 0, _nothing(getattr(builtins, name)), ValueError)
        return _best_row(name, rows, key)
    sides = (lambda: (_best_row(name, rows, key),), lambda: (default["default"],))
    return cond(length > 0, *sides, (f"the result of {name}()",))[0]


def _best_row(name: str, rows, key):
    note_copied(rows)
    if key is None and _is_vector(rows) and not rows.dtype.is_floating:
        return OPS["reduce_" + name](rows, axis=0, keepdims=False)
    at = _best_position(name, rows if key is None else _keys(rows, key, name))
    row = nest.map_structure(lambda column: gather(column, at), rows)
    return note_read(row, f"what {name}() gives")


def _best_position(name: str, keys):
    columns = columns_of(keys)
    if len(columns) > 1:
        return order_of(keys, name == "max")[0]
    (column,) = columns
    if not column.dtype.is_floating:
        return OPS["arg" + name](column, axis=0, dtype=int64)
    worst = convert_to_tensor(BETTER[name][1], column.dtype)
    best = OPS["arg" + name](where(OPS["is_nan"](column), worst, column), axis=0, dtype=int64)
    return where(OPS["is_nan"](column[0]), convert_to_tensor(0, int64), best)


def _best_of(name: str, values, key):
    """The best of some values. A container that a tensor chose is a copy, which must not change."""
    _refuse_objects(values, name)
    best, best_key = values[0], values[0] if key is None else key(values[0])
    for value in values[1:]:
        value_key = value if key is None else key(value)
        keys = value_key, best_key
        has_range = any(isinstance(each, range) or is_range(each) for each in keys)
        test = BETTER[name][0](*keys) if has_range else compared(BETTER[name][0], *keys)
        best = _selected(test, value, best, name)
        best_key = best if key is None else _selected(test, value_key, best_key, name)
    if not is_container(best) or is_among(best, values):
        return best
    for value in values:
        note_held(value)
    return note_read(best, f"what {name}() gives")


def _is_empty(items) -> bool:
    if isinstance(items, StagedList):
        return items.has_no_item()
    if isinstance(items, Tensor):
        return (items.dims or ())[:1] == (0,)
    return isinstance(items, (list, tuple)) and not items


def _nothing(function) -> str:
    """What the error says of `min` or `max` of nothing."""
    try:
        return function(())
    except ValueError as error:
        return str(error)


def rows_of(items):
    """The values of anything staged that holds many: a tensor, or a structure of tensors. None for
    others.
    """
    if isinstance(items, (StagedIterable, StagedList, Streamed)):
        return as_list(items).stack()
    return items if isinstance(items, Tensor) else None


def _refuse_matrix(items, name: str) -> None:
    """Python asks for the truth of a comparison of two rows."""
    if isinstance(items, Tensor) and items.dims and len(items.dims) > 1:
        raise InconsistentBranchError(
            f"{name}() compares the items of a tensor of shape {show(items.dims)}, which are no "
            "numbers",
            f"Say what to compare: {name}(x, key=lambda row: row[0]). The smallest and largest "
            "numbers of each column: ag.reduce_min(x, axis=0), ag.reduce_max(x, axis=0).",
        )


def _refuse_objects(items, name: str) -> None:
    """A tensor cannot choose between objects that are none."""
    for first, *others in zip(*map(nest.flatten, items), strict=False):
        wrong = next((leaf for leaf in (first, *others) if not _is_value(leaf)), None)
        if wrong is not None and any(leaf is not first for leaf in others):
            raise UnimplementedError(
                f"{name}() chooses between objects by what is known only when the graph runs, and "
                f"an object of {type(wrong).__name__} is no tensor",
                "Choose the index, as in i = max(range(len(items)), key=lambda i: ...), and "
                "take a tensor at it: ag.stack([one.value for one in items])[i].",
            )


def _is_value(leaf) -> bool:
    return leaf is None or isinstance(leaf, (str, bytes)) or can_be_tensor(leaf)


def _is_vector(rows) -> bool:
    return isinstance(rows, Tensor) and rows.dims is not None and len(rows.dims) == 1


def _equal(left, right):
    if left is None or right is None:
        return is_none(right if left is None else left)
    for value, other in ((left, right), (right, left)):
        variable = optional(value)
        if variable is not None:
            same, is_set = compared(operator.eq, variable.value, other), variable.is_set
            return _selected(is_set, same, is_none(other), "the order")
        is_sequence = isinstance(value, (tuple, list)) and is_python_value(other)
        if is_sequence or isinstance(value, StagedIterable):  # which is equal to itself alone
            return False
        if never_equal(value, other):
            return False
        if isinstance(value, dict):
            return required(left) == required(right)  # Python may ask for the truth of a tensor
    same = left == right
    return as_test(same) if is_tensor(same) else same


def _ordered(compare: Callable, left, right):
    if _holds_tensors(left, right):
        refuse_characters(left)
        refuse_characters(right)
        return as_test(OPS[COMPARISONS[compare]](left, right))
    return compare(left, right)


def _holds_tensors(*values) -> bool:
    return any(map(is_tensor, nest.flatten(values)))


def _selected(test, then, orelse, name: str):
    """`then if test else orelse`, of values or structures."""
    if not is_tensor(test):
        return then if test else orelse
    if any(value is None or nest.is_nested(value) for value in (then, orelse)):
        names = (f"the result of {name}()",)
        return cond(test, lambda: (then,), lambda: (orelse,), names)[0]
    chosen = where(test, then, orelse)
    note_types(chosen, then, orelse)
    return chosen


compared = SequenceOrder(_equal, _ordered, functools.partial(_selected, name="the order")).compared


# ---- order -----------------------------------------------------------------------------------


def sorted_(items, *, key=None, reverse=False):
    """`sorted`: a list of the items of a list, a staged list of others; of a tensor, a tensor."""
    if isinstance(items, (tuple, list)) and not isinstance(items, StagedList):
        return _sorted_list(items, key, reverse)
    if _is_empty(items):
        return items if isinstance(items, Tensor) else items.renewed()
    rows = rows_of(items)
    if rows is None:
        return sorted(items, key=key, reverse=reverse)  # Python's own error
    if key is None:
        _refuse_matrix(items, "sorted")
    if key is None and _is_vector(rows):
        from ...runtime.ops.array.sorting import sort

        ordered = sort(rows, axis=0, direction="DESCENDING" if reverse else "ASCENDING")
    else:
        order = order_of(rows if key is None else _keys(rows, key, "sorted"), reverse)
        ordered = nest.map_structure(lambda column: gather(column, order), rows)
    if isinstance(items, StagedList) or nest.is_nested(ordered):
        return _list_of(ordered)
    return ordered


def _list_of(rows) -> StagedList:
    note_copied(rows)
    size = length_of(nest.flatten(rows)[0])
    columns = nest.map_structure(lambda column: OPS["ensure_length"](column, 0), rows)
    return StagedList(columns, size)


def _sorted_list(items, key, reverse) -> list:
    """A plain list, sorted to a list; by Python where the keys are plain."""
    keys = items if key is None else [key(item) for item in items]
    order = _known_order(keys, reverse)
    if order is not None:
        return [items[index] for index in order]
    _refuse_objects(items, "sorted")
    order = order_of(_stacked(keys, "the keys of sorted()"), reverse)
    rows = _stacked(items, "the items of sorted()")
    columns = [unstack(gather(column, order), num=len(items)) for column in nest.flatten(rows)]
    for item in items:
        note_held(item)
    copies = [nest.pack_sequence_as(items[0], row) for row in zip(*columns, strict=True)]
    return [note_read(copy, "what sorted() gives") for copy in copies]


class _UnknownOrderError(Exception):
    """A tensor decides which of two keys comes first."""


class _Key:
    """A key that Python sorts by, as long as no tensor decides."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        before = compared(operator.lt, self.value, other.value)
        if is_tensor(before):
            raise _UnknownOrderError
        return before


def _known_order(keys, reverse) -> list[int] | None:
    """The positions of keys in their order, if no tensor decides it: strings in front of tensors,
    as in the items of a dictionary, may.
    """
    if not _holds_tensors(*keys):
        return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
    try:
        return sorted(range(len(keys)), key=lambda index: _Key(keys[index]), reverse=reverse)
    except _UnknownOrderError:
        return None


def _stacked(values, what: str):
    """Values of one structure as a structure of rows."""
    if any(not nest.same_structure(values[0], value) for value in values):
        raise UnimplementedError(
            f"{what} have several structures, and tensors decide about their order",
            "Give all of them one form: tuples of one length, of numbers and tensors.",
        )
    columns = [stack(column) for column in zip(*map(nest.flatten, values), strict=True)]
    return nest.pack_sequence_as(values[0], columns)


def _keys(rows, key: Callable, name: str):
    """`key(row)` for each row."""
    rows = rows if isinstance(rows, Tensor) else _list_of(rows)
    keys = collect(rows, lambda each: [key(row) for row in each]).stack()
    _refuse_matrix(keys, name)
    return keys


def columns_of(keys) -> list:
    """The columns of keys in the order in which they decide, each for all keys."""
    if not isinstance(keys, Tensor):
        return [column for part in nest.flatten(keys) for column in columns_of(part)]
    if keys.dims is None or len(keys.dims) < 2:
        return [keys]
    return [column for part in unstack(keys, axis=1) for column in columns_of(part)]


def order_of(keys, reverse: bool):
    """The positions of keys in their order; equal ones stay in theirs."""
    order = None
    for column in reversed(columns_of(keys)):
        step = _order(column if order is None else gather(column, order), reverse)
        order = step if order is None else gather(order, step)
    return order


def _order(column, reverse: bool):
    from ...runtime.ops.array.sorting import argsort

    refuse_characters(column)
    if not reverse:
        return argsort(column, axis=0, stable=True)
    # equal ones keep their order: turn the rows around before and after
    return (length_of(column) - 1 - argsort(column[::-1], axis=0, stable=True))[::-1]
