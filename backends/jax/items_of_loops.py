"""What staged loops go over: arrays and ranges, and `zip`, `enumerate` and `reversed` of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...autograph.current_trace import unsupported


@dataclass(frozen=True)
class Items:
    """`count` items: `item_of(row, index)` gives one for a row of the pytree `rows`, whose arrays
    have one for each index. `is_numbered` says that it asks for the index, a number as Python's.
    """

    count: Any  # an int, or a traced value
    rows: Any = ()
    item_of: Callable = lambda row, index: index
    is_numbered: bool = True

    def at(self, index):
        return self.item_of(jax.tree.map(lambda array: array[index], self.rows), index)

    def first(self, count: int) -> Items:
        """The first of items whose number is known."""
        rows = jax.tree.map(lambda array: array[:count], self.rows)
        return replace(self, count=count, rows=rows)

    def __iter__(self):
        if not isinstance(self.count, int):
            raise unsupported(
                "the items of what is counted by a traced value are taken one by one",
                "Use a `for` loop, or an array and an index.",
            )
        return (self.at(index) for index in range(self.count))


def items_of(value) -> Items:
    if isinstance(value, Items):
        return value
    if isinstance(value, range):
        return Items(len(value), item_of=lambda _, index: value.start + index * value.step)
    rows = jnp.asarray(value)
    if rows.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return Items(rows.shape[0], rows, lambda row, _: row, False)


def counted(*bounds) -> Items:
    """`range`."""
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if isinstance(step, jax.core.Tracer):
        raise unsupported("the step of a `range` is known later", "Use an int of Python.")
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    for bound in (start, stop):
        if jnp.shape(bound) != () or not jnp.issubdtype(jnp.result_type(bound), jnp.integer):
            raise TypeError("range() takes integers, and gets an array of another type or shape")
    start, stop = (bound if isinstance(bound, int) else _signed(bound) for bound in (start, stop))
    is_from_0 = isinstance(start, int) and start == 0
    span = stop if is_from_0 else stop - start  # which may be negative: no loop goes over it then
    count = span if step == 1 else (span + step - (1 if step > 0 else -1)) // step
    if is_from_0 and step == 1:
        return Items(count)
    return Items(count, item_of=lambda _, index: start + index * step)


def _signed(value):
    is_narrow = jnp.iinfo(value.dtype).bits < 32 or value.dtype == jnp.uint32
    return value.astype(jnp.int32) if is_narrow else value


def zipped(*iterables, strict=False):
    """`zip`: beside an iterable of Python, whose items are Python's, an iterator."""
    arrays = (Items, jax.Array, np.ndarray, range)
    if not all(isinstance(source, arrays) for source in iterables):
        lists = (list(source) if isinstance(source, arrays) else source for source in iterables)
        return zip(*lists, strict=strict)
    sources = [items_of(source) for source in iterables]
    counts = [source.count for source in sources]
    if not all(isinstance(count, int) for count in counts):
        if strict:
            raise unsupported("`zip` is strict about lengths that are known later", "Leave it out.")
        count = functools.reduce(jnp.minimum, counts)
        return Items(count, (), lambda _, index: tuple(source.at(index) for source in sources))
    if strict and len(set(counts)) > 1:
        raise ValueError(f"zip() has arguments of lengths {counts}")

    def item_of(rows, index):
        pairs = zip(sources, rows, strict=True)
        return tuple(source.item_of(row, index) for source, row in pairs)

    rows = [source.first(min(counts)).rows for source in sources]
    return Items(min(counts), rows, item_of, any(source.is_numbered for source in sources))


def enumerated(items, start=0):
    """`enumerate`."""
    source = items_of(items)
    is_from_0 = type(start) is int and start == 0
    numbers = Items(source.count, item_of=lambda _, index: index if is_from_0 else index + start)
    return zipped(numbers, source)


def backward(items):
    """`reversed`."""
    source = items_of(items)
    count, last = source.count, source.count - 1
    if not isinstance(count, int):
        return Items(count, item_of=lambda _, index: source.at(last - index))
    rows = jax.tree.map(lambda array: array[::-1], source.rows)
    if source.is_numbered:
        return replace(source, rows=rows, item_of=lambda row, at: source.item_of(row, last - at))
    return replace(source, rows=rows)
