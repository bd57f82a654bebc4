"""Iterators of functions of `jit`, each with its item at an index: over the indices of arrays, and
over items in several orders.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...extend.tracing import (
    GrowingList,
    Items,
    RefusedError,
    TracedArray,
    TracedRange,
    TracedScalar,
    Walk,
    call_library,
    combination_of,
    is_iterated,
    items_of,
    known_count,
    noun,
    number_of_combinations,
    require,
    scalar_of,
)

# The most items that Python goes over, and the most of a permutation.
MOST_ITERATIONS, MOST_ITEMS = 16, 12


def _grid(sizes) -> Items:
    """The indices of an array, in the order of its rows."""
    strides: list = [scalar_of(1)]
    for size in reversed(sizes):
        strides.append(strides[-1] * size)
    count, *strides = reversed(strides)

    def at(index):
        pairs = zip(strides, sizes, strict=True)
        return tuple(index // stride % size for stride, size in pairs)

    return Items(count, at)


def indices(*shape: Any) -> Items:
    """`np.ndindex`."""
    sizes: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
    for size in sizes:
        if int not in (type(size), getattr(size, "python", None)):
            raise RefusedError(f"np.ndindex of {noun(size)}")
        if type(size) is TracedScalar:
            require(operator.ge(size, 0).tensor)
    np.ndindex(*(size for size in sizes if type(size) is not TracedScalar))  # which may raise
    grid = _grid(sizes)
    return Items(grid.count, grid.at, np.ndindex())


def with_indices(array) -> Items:
    """`np.ndenumerate`."""
    if type(array) is not TracedArray:
        raise RefusedError("np.ndenumerate of another thing than an array")
    grid = _grid(array.shape)

    def at(index):
        where = grid.at(index)
        return where, array[where]

    return Items(grid.count, at, np.ndenumerate(()))


def product(*sources, repeat=1):
    """`itertools.product`: by index where one of several ranges is long, else of Python's lists."""
    sources *= repeat
    are_ranges = all(isinstance(source, (range, TracedRange)) for source in sources)
    if not (are_ranges and any(map(is_iterated, sources))):
        return itertools.product(*map(list, sources))
    parts = [items_of(source) for source in sources]
    grid = _grid([part.count for part in parts])

    def at(index):
        pairs = zip(parts, grid.at(index), strict=True)
        return tuple(part.at(place) for part, place in pairs)

    return Items(grid.count, at, itertools.product())


class FewItems(Walk):
    """The items of an iterator over few constants. A statement that is recorded again takes them
    again.
    """

    def __init__(self, items: list, like):
        super().__init__(items.__len__, items.__getitem__, like)
        self.items = items

    def __iter__(self):
        return iter(self.taken().items)


def _few_items(function: Callable, source, size) -> FewItems | None:
    """The items of an iterator of `itertools` over few constants, or else None."""
    if is_iterated(source) or not isinstance(source, (range, list, tuple)):
        return None
    items = list(itertools.islice(function(source, size), MOST_ITERATIONS + 1))
    if len(items) <= MOST_ITERATIONS:
        return FewItems(items, function(source, size))
    return None


def combinations(source, r):
    """`itertools.combinations`: of few constants, or by index."""
    few = _few_items(itertools.combinations, source, r)
    if few is not None:
        return few
    parts = _pool(source)
    if type(r) is not int or not 1 <= r <= 4:
        raise RefusedError("itertools.combinations of other things than up to 4 items")

    def at(index):
        return tuple(map(parts.at, call_library(combination_of, index, parts.count, r)))

    count = number_of_combinations(parts.count, r)
    return Items(count, at, itertools.combinations((), r))


def permutations(iterable, r=None):
    """`itertools.permutations`: of few constants, or by index."""
    few = _few_items(itertools.permutations, iterable, r)
    if few is not None:
        return few
    parts = _pool(iterable)
    size = known_count(parts.count) if r is None else r
    if type(size) is not int or not 1 <= size <= MOST_ITEMS:
        raise RefusedError(f"itertools.permutations of other things than up to {MOST_ITEMS} items")
    sizes = [parts.count - taken for taken in range(size)]
    after = [math.prod(sizes[at + 1 :], start=scalar_of(1)) for at in range(size)]

    def at(index):
        places = [index // count % left for count, left in zip(after, sizes, strict=True)]
        for first in range(size - 1, -1, -1):  # each is a place among the items that are left
            for other in range(first + 1, size):
                places[other] = places[other] + (places[other] >= places[first])
        return tuple(map(parts.at, places))

    return Items(after[0] * parts.count, at, itertools.permutations(()))


def _pool(source) -> Items:
    """The items that an iterator takes when it is made."""
    if isinstance(source, TracedArray):  # whose numbers are taken, and views of its rows
        source = source.copy() if source.ndim == 1 else source
    elif not isinstance(source, (range, TracedRange)):
        source = call_library(list, source)
        source = GrowingList(source) if type(source) is list and source else source
    parts = items_of(source)
    if parts is None:
        raise RefusedError(f"an iterator of itertools over {noun(source)}")
    return parts


FORMS: dict[Any, Callable] = {
    np.ndindex: indices, np.ndenumerate: with_indices, itertools.product: product,
    itertools.combinations: combinations, itertools.permutations: permutations,
}  # fmt: skip
iterator_of = FORMS.__getitem__
