"""Nodes that group elements by key or sample from several datasets."""

from __future__ import annotations

import numpy as np

from ....extend.errors import InvalidArgumentError
from ..elements.nodes import INFINITE, UNKNOWN, Node, boxed, unboxed
from .batching import Elements
from .shuffle_and_cache import Seeds


class GroupByWindow(Node):
    """The elements of the datasets that `reduce` returns for windows of equal keys."""

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
            key_value = int(key)
            if key_value not in sizes:
                sizes[key_value] = self.size_of(key)
            groups.setdefault(key_value, []).append(flat)
            if len(groups[key_value]) == sizes[key_value]:
                yield from self.reduced(key, groups.pop(key_value))
        for key_value, window in groups.items():
            yield from self.reduced(np.int64(key_value), window)

    def size_of(self, key) -> int:
        size = int(self.size((key,))[0])
        if size < 1:
            raise InvalidArgumentError(f"group_by_window: the window size {size} is not positive")
        return size

    def reduced(self, key, window):
        (dataset,) = self.reduce((key, boxed(Elements(window))))
        return unboxed(dataset).elements()


class Choose(Node):
    """The next element of the dataset with the index of each choice."""

    def __init__(self, choices, *sources, stop):
        self.choices, self.sources, self.stop = choices, sources, stop

    def elements(self):
        passes = [source.elements() for source in self.sources]
        ended = [False] * len(passes)
        for (choice,) in self.choices.elements():
            index = int(choice)
            if not 0 <= index < len(passes):
                raise InvalidArgumentError(
                    f"choose_from_datasets: the choice {index} is not below {len(passes)}"
                )
            flat = next(passes[index], None)
            if flat is not None:
                yield flat
                continue
            ended[index] = True
            if self.stop or all(ended):
                return


class Sample(Node):
    """The next element of a dataset that is drawn at random; exhausted ones are skipped."""

    def __init__(self, weights, *operands, seeded, varies, stop):
        self.weights = np.asarray(weights, np.float64)
        if np.any(self.weights < 0) or not np.sum(self.weights) > 0:
            raise InvalidArgumentError(
                f"sample_from_datasets: the weights {self.weights.tolist()} must not be negative, "
                "nor all zero"
            )
        self.seeds = Seeds(int(operands[0]) if seeded else None, varies)
        self.sources = operands[seeded:]
        self.stop = stop

    def elements(self):
        generator = self.seeds.generator()
        passes = [source.elements() for source in self.sources]
        weights = self.weights.copy()
        while np.any(weights > 0):
            ends = np.cumsum(weights)
            index = int(np.searchsorted(ends, generator.random() * ends[-1], side="right"))
            flat = next(passes[index], None)
            if flat is not None:
                yield flat
            elif self.stop:
                return
            else:
                weights[index] = 0


class Unique(Node):
    """The distinct elements, in order of first appearance."""

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
    """The elements that can be computed; those that raise are skipped."""

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
        count = self.source.cardinality()
        return count if count == INFINITE else UNKNOWN


class AssertCardinality(Node):
    """The same elements. Raises InvalidArgumentError if their number differs."""

    def __init__(self, source, count):
        self.source, self.count = source, int(count)

    def elements(self):
        count = 0
        for flat in self.source.elements():
            count += 1
            if count > self.count >= 0:
                raise self.wrong("more")
            yield flat
        if count != self.count:
            raise self.wrong(str(count))

    def wrong(self, count: str) -> Exception:
        return InvalidArgumentError(
            f"assert_cardinality: expected {self.count} elements, but there are {count}"
        )

    def cardinality(self):
        return self.count
