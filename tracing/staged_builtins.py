"""Python's builtins on tensors of a graph being built, in one table."""

from __future__ import annotations

import builtins
import functools

from ..runtime.apply import convert_to_tensor
from ..runtime.dtypes import bool_, float32, int32
from ..runtime.op import TABLE as OPS
from ..runtime.ops.creation import range_
from ..runtime.ops.sorting import sort
from ..runtime.tensor import Tensor
from .control_flow import as_test
from .staged_iterables import StagedIterable, iterable_of, length_of


def _cast(dtype):
    def convert(value=0):
        return OPS["cast"](convert_to_tensor(value), dtype=dtype)

    return convert


def _length(value):
    return length_of(value) if isinstance(value, Tensor) else iterable_of(value).length()


def _range(*bounds):
    return range_(*bounds)


def _extreme(name: str, reduction: str):
    """`min`/`max`: of the arguments, or along the first axis of one tensor."""

    def choose(*args, key=None, **default):
        if key is not None or default:
            raise TypeError(f"{name}() of tensors takes no key or default")
        if len(args) == 1 and isinstance(args[0], Tensor):
            return OPS[reduction](args[0], axis=0, keepdims=False)
        items = args[0] if len(args) == 1 else args
        return functools.reduce(OPS[name + "imum"], items)

    return choose


def _sum(values, start=None):
    if not isinstance(values, Tensor):
        return functools.reduce(lambda a, b: a + b, values, 0 if start is None else start)
    total = OPS["reduce_sum"](values, axis=0, keepdims=False)
    return total if start is None else total + start


def _reduced(name: str):
    def reduce(values):
        if not isinstance(values, Tensor):
            values = convert_to_tensor([as_test(value) for value in values])
        return OPS[name](OPS["cast"](values, dtype=bool_), axis=None, keepdims=False)

    return reduce


def _zip(*iterables, strict=False):
    sources = [iterable_of(source) for source in iterables]
    length = functools.reduce(OPS["minimum"], [source.length() for source in sources])
    return StagedIterable(
        lambda: length, lambda index: tuple(source.at(index) for source in sources)
    )


def _enumerate(items, start=0):
    source = iterable_of(items)
    return StagedIterable(source.length, lambda index: (index + start, source.at(index)))


def _map(function, *iterables):
    rows = _zip(*iterables)
    return StagedIterable(rows.length, lambda index: function(*rows.at(index)))


def _reversed(items):
    source = iterable_of(items)
    return StagedIterable(source.length, lambda index: source.at(source.length() - 1 - index))


def _sorted(values, key=None, reverse=False):
    if key is not None:
        raise TypeError("sorted() of a tensor takes no key")
    return sort(values, direction="DESCENDING" if reverse else "ASCENDING")


def _absolute(value):
    return OPS["abs"](value)


TABLE = {
    builtins.abs: _absolute,
    builtins.all: _reduced("reduce_all"),
    builtins.any: _reduced("reduce_any"),
    builtins.bool: lambda value=False: as_test(value),
    builtins.enumerate: _enumerate,
    builtins.float: _cast(float32),
    builtins.int: _cast(int32),
    builtins.len: _length,
    builtins.map: _map,
    builtins.max: _extreme("max", "reduce_max"),
    builtins.min: _extreme("min", "reduce_min"),
    builtins.range: _range,
    builtins.reversed: _reversed,
    builtins.sorted: _sorted,
    builtins.sum: _sum,
    builtins.zip: _zip,
}
