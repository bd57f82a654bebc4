"""Nodes that sort elements into groups or draw from several datasets."""

from __future__ import annotations

import numpy as np

from ....runtime.core.errors import InvalidArgumentError
from ..elements.nodes import INFINITE, UNKNOWN, Node, boxed, unboxed
from .batching import Elements
from .shuffle_and_cache import Seeds


class GroupByWindow(Node):
    """The datasets that `reduce` makes of windows of elements with equal keys."""

    def __init__(self, source, *captured, key, size, reduce, counts):
        self.source = source
        ends = np.cumsum(counts)
        self.key = key.bound(captured[: ends[0]])
        self.size = size.bound(captured[ends[0] : ends[1]])
        self.reduce = reduce.bound(captured[ends[1] :])

    def elements(self):
        groups: dict[int, list] = {}
        sizes: dict[int, int] = {}
        for flat in self.source.elements():
            (key,) = self.key(flat)
            place = int(key)
            if place not in sizes:
                sizes[place] = self.size_of(key)
            groups.setdefault(place, []).append(flat)
            if len(groups[place]) == sizes[place]:
                yield from self.reduced(key, groups.pop(place))
        for place, rows in groups.items():
            yield from self.reduced(np.int64(place), rows)

    def size_of(self, key) -> int:
        size = int(self.size((key,))[0])
        if size < 1:
            raise InvalidArgumentError(f"group_by_window: the window size {size} is not positive")
        return size

    def reduced(self, key, rows):
        (made,) = self.reduce((key, boxed(Elements(rows))))
        return unboxed(made).elements()


class Choose(Node):
    """From the dataset that each choice names, its next element."""

    def __init__(self, choices, *sources, stop):
        self.choices, self.sources, self.stop = choices, sources, stop

    def elements(self):
        passes = [source.elements() for source in self.sources]
        ended = [False] * len(passes)
        for (choice,) in self.choices.elements():
            place = int(choice)
            if not 0 <= place < len(passes):
                raise InvalidArgumentError(
                    f"choose_from_datasets: the choice {place} is not below {len(passes)}"
                )
            flat = next(passes[place], None)
            if flat is not None:
                yield flat
                continue
            ended[place] = True
            if self.stop or all(ended):
                return


class Sample(Node):
    """From a dataset drawn at random, its next element; those that end are not drawn again."""

    def __init__(self, weights, *operands, seeded, fresh, stop):
        self.weights = np.asarray(weights, np.float64)
        if np.any(self.weights < 0) or not np.sum(self.weights) > 0:
            raise InvalidArgumentError(
                f"sample_from_datasets: the weights {self.weights.tolist()} must not be negative, "
                "nor all zero"
            )
        self.seeds = Seeds(int(operands[0]) if seeded else None, fresh)
        self.sources = operands[seeded:]
        self.stop = stop

    def elements(self):
        generator = self.seeds.generator()
        passes = [source.elements() for source in self.sources]
        weights = self.weights.copy()
        while np.any(weights > 0):
            ends = np.cumsum(weights)
            place = int(np.searchsorted(ends, generator.random() * ends[-1], side="right"))
            flat = next(passes[place], None)
            if flat is not None:
                yield flat
            elif self.stop:
                return
            else:
                weights[place] = 0


class Unique(Node):
    """Each element when it comes for the first time."""

    def __init__(self, source):
        self.source = source

    def elements(self):
        seen = set()
        for flat in self.source.elements():
            key = tuple((array.shape, tuple(np.asarray(array).reshape(-1).tolist()))
                        for array in flat)  # fmt: skip
            if key not in seen:
                seen.add(key)
                yield flat


class IgnoreErrors(Node):
    """The elements that can be made; those that raise are left out."""

    def __init__(self, source, *, log):
        self.source, self.log = source, log

    def elements(self):
        elements = self.source.elements()
        while True:
            try:
                flat = next(elements, None)
            except Exception as error:
                if self.log:
                    print(f"ignore_errors: {error}")
                continue
            if flat is None:
                return
            yield flat

    def cardinality(self):
        inner = self.source.cardinality()
        return inner if inner == INFINITE else UNKNOWN


class AssertCardinality(Node):
    """The same elements; an error when their number is another one."""

    def __init__(self, source, count):
        self.source, self.count = source, int(count)

    def elements(self):
        found = 0
        for flat in self.source.elements():
            found += 1
            if found > self.count >= 0:
                raise self.wrong("more")
            yield flat
        if found != self.count:
            raise self.wrong(str(found))

    def wrong(self, found: str) -> Exception:
        return InvalidArgumentError(
            f"assert_cardinality: expected {self.count} elements, but there are {found}"
        )

    def cardinality(self):
        return self.count
