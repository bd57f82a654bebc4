"""What staged loops go over: arrays and ranges, and `zip`, `enumerate` and `reversed` of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ...autograph.current_trace import unsupported

WIDE = ("<i4", "<i8")


@dataclass(frozen=True)
class Items:
    """`count` items, which may be a traced value: a pytree of arrays, and of functions of an index
    that give numbers.
    """

    count: Any
    parts: Any

    def arrays(self) -> list:
        return [part for part in jax.tree.leaves(self.parts) if not callable(part)]

    def at(self, index, rows: list | None = None) -> Any:
        """The item at an index, where the arrays have these rows."""
        rest = iter([array[index] for array in self.arrays()] if rows is None else rows)
        return jax.tree.map(lambda part: part(index) if callable(part) else next(rest), self.parts)

    @property
    def is_numbered(self) -> bool:
        """Whether an item has a number in it, and not only rows."""
        return any(map(callable, jax.tree.leaves(self.parts)))

    def __iter__(self) -> Iterator:
        if not isinstance(self.count, int):
            raise unsupported(
                "the items of what is counted by a traced value are taken one by one",
                "Use a `for` loop, or an array and an index.",
            )
        return map(self.at, range(self.count))


SOURCES = (Items, jax.Array, np.ndarray, range)


def items_of(value) -> Items:
    if isinstance(value, Items):
        return value
    if isinstance(value, range):
        return Items(len(value), numbers(value.start, value.step))
    array = jnp.asarray(value)
    if array.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return Items(len(array), array)


def numbers(start=0, step: int = 1) -> Callable:
    """The function of an index that gives `start + index * step`, without needless operations."""

    def at(index):
        offset = index if step == 1 else index * step
        return offset if isinstance(start, int) and start == 0 else start + offset

    return at


def counted(*bounds) -> Items:
    """`range`."""
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if isinstance(step, jax.core.Tracer):
        raise unsupported("the step of a `range` is known later", "Use an int of Python.")
    range(0, 0, step)  # which may raise
    for bound in (start, stop):
        if jnp.shape(bound) != () or not jnp.issubdtype(jnp.result_type(bound), jnp.integer):
            raise TypeError("range() takes integers, and gets an array of another type or shape")
    start, stop = (
        bound if jax.typeof(bound).dtype.str in WIDE else bound.astype(int)
        for bound in (start, stop)
    )  # as wide as x64 allows, and with a sign: a loop over a negative span has no items
    span = stop if isinstance(start, int) and start == 0 else stop - start
    count = span if step == 1 else (span + step - (1 if step > 0 else -1)) // step
    return Items(count, numbers(start, step))


def zipped(*iterables, strict=False):
    """`zip`: beside an iterable of Python, whose items are Python's, an iterator."""
    if not all(isinstance(source, SOURCES) for source in iterables):
        return zip(*iterables, strict=strict)
    sources = list(map(items_of, iterables))
    counts = [source.count for source in sources]
    are_known = all(isinstance(count, int) for count in counts)
    if strict and not (are_known and len(set(counts)) == 1):
        raise unsupported("`zip` is strict about lengths that differ", "Leave it out.")
    count = min(counts) if are_known else functools.reduce(jnp.minimum, counts)
    return Items(count, tuple(source.parts for source in sources))


def enumerated(items, start=0) -> Items:
    """`enumerate`."""
    source = items_of(items)
    return Items(source.count, (numbers(start), source.parts))


def backward(items) -> Items:
    """`reversed`."""
    source = items_of(items)
    count, part = source.count, source.parts
    if isinstance(part, tuple):
        raise TypeError("what `zip` or `enumerate` gives is not reversible")
    return Items(count, (lambda index: part(count - 1 - index)) if callable(part) else part[::-1])
