"""Nodes that process elements one by one: map, filter, take, skip, repeat, zip and similar."""

from __future__ import annotations

import itertools

import numpy as np

from ....extend.errors import InvalidArgumentError
from ...progress_bars import watched
from ..elements.nodes import INFINITE, UNKNOWN, Node, unboxed


class Map(Node):
    """`function(*element)` for each element."""

    def __init__(self, source, *captured, function):
        self.source = source
        self.call = function.bound(captured)

    def elements(self):
        return map(self.call, self.source.elements())

    def cardinality(self):
        return self.source.cardinality()


class Watched(Node):
    """The elements, beside a progress bar."""

    def __init__(self, source, *, label):
        self.source = source
        self.label = label

    def elements(self):
        count = self.cardinality()
        return watched(self.source.elements(), self.label, count if count > 0 else None)

    def cardinality(self):
        return self.source.cardinality()


class Filter(Node):
    """The elements for which `function` is true; with `while_`, those before the first other."""

    def __init__(self, source, *captured, function, while_):
        self.source = source
        self.call = function.bound(captured)
        self.walk = itertools.takewhile if while_ else filter

    def elements(self):
        return self.walk(lambda flat: bool(self.call(flat)[0]), self.source.elements())


class Scan(Node):
    """`(state, result) = function(state, element)` for each element; the results."""

    def __init__(self, source, *operands, function, states):
        self.source = source
        self.start = operands[:states]
        self.call = function.bound(operands[states:])

    def elements(self):
        state, count = self.start, len(self.start)
        for flat in self.source.elements():
            results = self.call((*state, *flat))
            state = results[:count]
            yield results[count:]

    def cardinality(self):
        return self.source.cardinality()


class Take(Node):
    """The first `count` elements; all if `count` is negative."""

    def __init__(self, source, count):
        self.source = source
        self.count = int(count)

    def elements(self):
        stop = self.count if self.count >= 0 else None
        return itertools.islice(self.source.elements(), stop)

    def cardinality(self):
        count = self.source.cardinality()
        if self.count < 0 or count == UNKNOWN:
            return 0 if self.count == 0 else count
        return self.count if count == INFINITE else min(self.count, count)


class Skip(Node):
    """The elements after the first `count`; none if `count` is negative."""

    def __init__(self, source, count):
        self.source = source
        self.count = int(count)

    def elements(self):
        if self.count < 0:
            return iter(())
        return itertools.islice(self.source.elements(), self.count, None)

    def cardinality(self):
        count = self.source.cardinality()
        if self.count < 0:
            return 0
        return count if count < 0 else max(count - self.count, 0)


class Shard(Node):
    """Every `count`-th element, starting with element `index`."""

    def __init__(self, source, count, index):
        self.source = source
        self.count, self.index = int(count), int(index)
        if self.count < 1 or not 0 <= self.index < self.count:
            raise InvalidArgumentError(
                f"shard: the index {self.index} must be at least 0 and below {self.count}"
            )

    def elements(self):
        return itertools.islice(self.source.elements(), self.index, None, self.count)

    def cardinality(self):
        count = self.source.cardinality()
        return count if count < 0 else max(0, -(-(count - self.index) // self.count))


class Repeat(Node):
    """`count` passes, one after the other; without end if `count` is negative."""

    def __init__(self, source, count):
        self.source = source
        self.count = int(count)

    def elements(self):
        for _ in itertools.count() if self.count < 0 else range(self.count):
            empty = True
            for flat in self.source.elements():
                empty = False
                yield flat
            if empty and self.count < 0:
                return

    def cardinality(self):
        count = self.source.cardinality()
        if self.count == 0 or count == 0:
            return 0
        if self.count < 0:
            return INFINITE
        return count if count < 0 else count * self.count


class Concatenate(Node):
    """One dataset after the other."""

    def __init__(self, first, second):
        self.datasets = (first, second)

    def elements(self):
        for dataset in self.datasets:
            yield from dataset.elements()

    def cardinality(self):
        counts = [dataset.cardinality() for dataset in self.datasets]
        negative = [count for count in counts if count < 0]
        return max(negative) if negative else sum(counts)


class Zip(Node):
    """Tuples of the elements of several datasets, up to the shortest of them."""

    def __init__(self, *sources):
        self.sources = sources

    def elements(self):
        for elements in zip(*(source.elements() for source in self.sources), strict=False):
            yield tuple(itertools.chain.from_iterable(elements))

    def cardinality(self):
        counts = [source.cardinality() for source in self.sources]
        finite = [count for count in counts if count != INFINITE]
        if not finite:
            return INFINITE
        return UNKNOWN if UNKNOWN in finite else min(finite)


class Enumerate(Node):
    """Each element preceded by its index."""

    def __init__(self, source, start):
        self.source = source
        self.start = int(start)

    def elements(self):
        for index, flat in enumerate(self.source.elements(), self.start):
            yield (np.int64(index), *flat)

    def cardinality(self):
        return self.source.cardinality()


class Interleave(Node):
    """The elements of the datasets of `function`: `block` from each of `cycle` open ones."""

    def __init__(self, source, cycle, block, *captured, function):
        self.source = source
        self.cycle, self.block = int(cycle), int(block)
        if self.cycle < 1 or self.block < 1:
            raise InvalidArgumentError(
                f"interleave: cycle_length {self.cycle} and block_length {self.block} must be "
                "greater than zero"
            )
        self.call = function.bound(captured)

    def elements(self):
        remaining = self.source.elements()
        slots: list = [None] * self.cycle
        slot, open_slots, more = 0, 0, True
        while more or open_slots:
            if slots[slot] is None and more:
                flat = next(remaining, None)
                if flat is None:
                    more = False
                else:
                    slots[slot] = self.elements_of(flat)
                    open_slots += 1
            if slots[slot] is not None:
                received = 0
                for item in itertools.islice(slots[slot], self.block):
                    received += 1
                    yield item
                if received < self.block:
                    slots[slot] = None
                    open_slots -= 1
            slot = (slot + 1) % self.cycle

    def elements_of(self, flat):
        (dataset,) = self.call(flat)
        return unboxed(dataset).elements()


class FlatMap(Interleave):
    """The elements of the datasets that `function` returns, one dataset after the other."""

    def __init__(self, source, *captured, function):
        super().__init__(source, 1, 1, *captured, function=function)

    def elements(self):
        for flat in self.source.elements():
            yield from self.elements_of(flat)
