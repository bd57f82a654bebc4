"""Python's builtins on tensors of a graph being built, in one table."""

from __future__ import annotations

import builtins
import operator
from functools import partial, reduce
from typing import Any

from ...autograph.operators.checked_values import certain
from ...autograph.operators.logical import truth
from ...autograph.operators.raising import raised
from ...runtime.core.dtypes import bool_, float32, int32, string
from ...runtime.core.errors import DTypeError, UnimplementedError
from ...runtime.ir.op import TABLE as OPS
from ...runtime.ops.array.creation import range_
from ...runtime.ops.array.joining import stack, unstack
from ...runtime.ops.array.slicing import refuse_scalar
from ...runtime.tensors.apply import convert_to_tensor, get_static_value
from ...runtime.tensors.python_numbers import (
    counted,
    is_number,
    is_python_value,
    is_range,
    python_type,
    refuse_characters,
)
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..staged_values.iterables import (
    StagedIterable,
    StagedSequence,
    Streamed,
    length_of,
    python_number,
)
from ..staged_values.staged_list import StagedList, require
from ..staged_values.staged_tuple import StagedTuple
from ..structures import nest
from ..structures.leaves import as_test, is_tensor
from .loops_and_comprehensions import as_list, unfiltered
from .numpy_functions import scalar
from .ordering import compared, extreme, sorted_

STAGED = (StagedIterable, StagedList, Streamed)


def _cast(dtype, value=0):
    """`float` and `int`: of a string, the number that it spells."""
    tensor = scalar(convert_to_tensor(value))
    if tensor.dims is None:
        tensor = OPS["ensure_shape"](tensor, shape=())
    op = OPS["to_number" if tensor.dtype is string else "cast"]
    return python_number(op(tensor, dtype=dtype))


def _bool(value=False):
    if isinstance(value, Streamed):
        return True
    test = as_test(value)
    return python_number(OPS["identity"](test) if test is value else test)


def _streamed(sources) -> Streamed | None:
    """The first of the arguments that is a dataset or the like; it knows what the builtin means."""
    return next((source for source in sources if isinstance(source, Streamed)), None)


def _length(value):
    """An int where the length is known while tracing, so that `range` of it is Python's."""
    if isinstance(value, (Streamed, StagedSequence)):
        return value.staged_length()
    if isinstance(value, str) or python_type(value) is str:  # of tensors
        return python_number(OPS["string_length"](value, unit="UTF8_CHAR"))
    if isinstance(value, StagedIterable):
        return len(value.like)  # which is Python's error
    dims = getattr(value, "dims", None)
    if dims and dims[0] is not None:
        return dims[0]
    size = length_of(value) if isinstance(value, Tensor) else unfiltered(value).length()
    return python_number(size)


def _gathered(items):
    """A tensor for anything staged that holds many values; everything else as it is."""
    if isinstance(items, STAGED):
        values = as_list(items)
        return [] if values.has_no_item() else values.stack()
    items = certain(items)
    if type(items) is SymbolicTensor and is_python_value(items):
        refuse_characters(items)
        raise TypeError(f"'{python_type(items).__name__}' object is not iterable")
    return items


def _list(python_type, items):
    """`list` and `tuple`: of a tensor of known length as Python has it, else a growing list."""
    if isinstance(items, Tensor) and items.dims and items.dims[0] is not None:
        return python_type(unstack(items))
    rows = items.again() if isinstance(items, StagedList) else as_list(items)
    return rows.renewed() if python_type is list else StagedTuple(rows.rows, rows.size)


def _require_step(step: Tensor) -> None:
    """Python's error for a step of 0, where it is 0."""
    known, message = get_static_value(step), "range() arg 3 must not be zero"
    if known is None:
        require(step != 0, message, ValueError)
    elif known == 0:
        raise raised(lambda: ValueError(message))


def _range(*bounds):
    for bound in bounds:
        dtype = convert_to_tensor(bound).dtype
        if not (dtype.is_integer or dtype.is_bool):
            raise DTypeError(
                f"range() takes integers, not {dtype.name}",
                "Count in floats with ag.range, or cast the bound: ag.cast(n, ag.int32)",
            )
    if len(bounds) == 3:
        _require_step(convert_to_tensor(bounds[2]))
    result = range_(*map(counted, bounds))
    if type(result) is SymbolicTensor:
        result.builder.ranges.add(result.graph_value)
    return result


def _sum(values, start=None):
    is_staged, values = isinstance(values, STAGED), _gathered(values)
    if is_staged and nest.is_nested(values) and nest.flatten(values):
        raise TypeError("unsupported operand type(s) for +: 'int' and 'tuple'")
    if not isinstance(values, Tensor):
        return reduce(lambda a, b: a + b, values, 0 if start is None else start)
    values = OPS["cast"](values, dtype=int32) if values.dtype is bool_ else values
    total = OPS["reduce_sum"](values, axis=0, keepdims=False)
    return total if start is None else total + start


def _reduced(name: str, values):
    values = as_list(values) if isinstance(values, STAGED) else certain(values)
    rows = values.rows if isinstance(values, StagedList) else values
    dims: tuple = ()
    if isinstance(rows, Tensor):
        refuse_scalar(rows)
        dims = rows.dims or ()
    if (rows is not values and nest.is_nested(rows)) or dims[1:]:
        raise UnimplementedError(
            f"{name.removeprefix('reduce_')}() of tuples or lists, which are true if not empty",
            "Ask of their parts, as in any(value for _, value in pairs).",
        )
    values = _gathered(values)
    if not isinstance(values, Tensor):
        values = convert_to_tensor([truth(value) for value in values])
    result = OPS[name](OPS["cast"](values, dtype=bool_), axis=None, keepdims=False)
    return python_number(result)


def _iter(value, *sentinel):
    if isinstance(value, Streamed):
        return value.staged_iter()
    if isinstance(value, SymbolicTensor) and value.dims and value.dims[0] is not None:
        return iter(unstack(value))  # its items, as those of an eager tensor
    return iter(value, *sentinel)


def _next(value, *default):
    if isinstance(value, Streamed):
        return value.staged_next(*default)
    if isinstance(value, StagedIterable):
        raise UnimplementedError(
            "next() of items that are known only when the graph runs",
            "Read the item: rows[0], or rows[-1] for next(reversed(rows)).",
        )
    return next(value, *default)


def _zip(*iterables, strict=False):
    streamed = _streamed(iterables)
    if streamed is not None:
        return streamed.staged_zip(iterables)
    first, *others = map(unfiltered, iterables)
    return first.zipped(others, OPS["minimum"])


def _enumerate(items, start=0):
    if isinstance(items, Streamed):
        return items.staged_enumerate(start)
    return unfiltered(items).enumerated(start, python_number)


def _map(function, *iterables):
    streamed = _streamed(iterables)
    if streamed is not None:
        return streamed.staged_map(function, iterables)
    return _zip(*iterables).mapped(function)


def _reversed(items):
    if isinstance(items, StagedIterable) and items.like is not None:
        return reversed(items.like)  # which is Python's error
    return unfiltered(items).backward()


def _filter(function, items):
    if isinstance(items, Streamed):
        return items.staged_filter(as_test if function is None else function)
    source = unfiltered(items)
    test = as_test if function is None else function
    return StagedIterable(source.length, source.at, test, source.lists, like=filter(None, ()))


def _method_of_list(name: str, method, items, value):
    """`count` or `index` of a plain list; the method itself where no tensor is compared."""
    tests = [compared(operator.eq, item, value) for item in items]
    if not any(map(is_tensor, tests)):
        return method(value)
    return getattr(StagedList(stack(tests), len(items)), name)(True)


def _round(value, digits=None):
    """`round`: of what stands for a Python number, an integer, as in Python."""
    value = range(0) if is_range(value) else counted(value)  # Python rounds no range
    rounded = round(value) if digits is None else round(value, digits)
    is_whole = digits is None and is_number(value)
    return python_number(OPS["cast"](rounded, dtype=int32)) if is_whole else rounded


def _absolute(value):
    refused: Any = range(0) if is_range(value) else [] if isinstance(value, StagedList) else None
    return OPS["abs"](value) if refused is None else abs(refused)


def _join(separator: str, items) -> Tensor:
    """`str.join` of items known only when the graph runs."""
    from ...runtime.ops.strings.strings import reduce_join

    return reduce_join(_gathered(items), separator=separator)


TABLE = {
    builtins.abs: _absolute,
    builtins.all: partial(_reduced, "reduce_all"),
    builtins.any: partial(_reduced, "reduce_any"),
    builtins.bool: _bool,
    builtins.enumerate: _enumerate,
    builtins.filter: _filter,
    builtins.float: partial(_cast, float32),
    builtins.int: partial(_cast, int32),
    builtins.iter: _iter,
    builtins.len: _length,
    builtins.list: partial(_list, list),
    builtins.map: _map,
    builtins.max: partial(extreme, "max"),
    builtins.min: partial(extreme, "min"),
    builtins.next: _next,
    builtins.range: _range,
    builtins.reversed: _reversed,
    builtins.round: _round,
    builtins.sorted: sorted_,
    builtins.sum: _sum,
    builtins.tuple: partial(_list, tuple),
    builtins.zip: _zip,
    list.count: partial(_method_of_list, "count"),
    list.index: partial(_method_of_list, "index"),
    str.join: _join,
}
