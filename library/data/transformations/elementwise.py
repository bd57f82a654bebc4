"""Nodes that take elements one by one: map, filter, take, skip, repeat, zip and the like."""

from __future__ import annotations

import itertools

import numpy as np

from ....runtime.core.errors import InvalidArgumentError
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


class Filter(Node):
    """The elements for which `predicate` holds; up to the first other one, with `while_`."""

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
            made = self.call((*state, *flat))
            state = made[:count]
            yield made[count:]

    def cardinality(self):
        return self.source.cardinality()


class Take(Node):
    """The first elements; all when `count` is negative."""

    def __init__(self, source, count):
        self.source = source
        self.count = int(count)

    def elements(self):
        stop = self.count if self.count >= 0 else None
        return itertools.islice(self.source.elements(), stop)

    def cardinality(self):
        inner = self.source.cardinality()
        if self.count < 0 or inner == UNKNOWN:
            return 0 if self.count == 0 else inner
        return self.count if inner == INFINITE else min(self.count, inner)


class Skip(Node):
    """All but the first elements; none when `count` is negative."""

    def __init__(self, source, count):
        self.source = source
        self.count = int(count)

    def elements(self):
        if self.count < 0:
            return iter(())
        return itertools.islice(self.source.elements(), self.count, None)

    def cardinality(self):
        inner = self.source.cardinality()
        if self.count < 0:
            return 0
        return inner if inner < 0 else max(inner - self.count, 0)


class Shard(Node):
    """Each `count`th element, from the one at `index`."""

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
        inner = self.source.cardinality()
        return inner if inner < 0 else max(0, -(-(inner - self.index) // self.count))


class Repeat(Node):
    """Pass after pass; without end when `count` is negative."""

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
        inner = self.source.cardinality()
        if self.count == 0 or inner == 0:
            return 0
        if self.count < 0:
            return INFINITE
        return inner if inner < 0 else inner * self.count


class Concatenate(Node):
    """One dataset after the other."""

    def __init__(self, first, second):
        self.parts = (first, second)

    def elements(self):
        for part in self.parts:
            yield from part.elements()

    def cardinality(self):
        counts = [part.cardinality() for part in self.parts]
        negative = [count for count in counts if count < 0]
        return max(negative) if negative else sum(counts)


class Zip(Node):
    """The elements of several datasets side by side, as long as all have one."""

    def __init__(self, *sources):
        self.sources = sources

    def elements(self):
        for rows in zip(*(source.elements() for source in self.sources), strict=False):
            yield tuple(itertools.chain.from_iterable(rows))

    def cardinality(self):
        counts = [source.cardinality() for source in self.sources]
        known = [count for count in counts if count != INFINITE]
        if not known:
            return INFINITE
        return UNKNOWN if UNKNOWN in known else min(known)


class Enumerate(Node):
    """Each element behind its number."""

    def __init__(self, source, start):
        self.source = source
        self.start = int(start)

    def elements(self):
        for index, flat in enumerate(self.source.elements(), self.start):
            yield (np.int64(index), *flat)

    def cardinality(self):
        return self.source.cardinality()


class Interleave(Node):
    """The elements of the datasets that `function` gives: `block` from each of `cycle` in turn."""

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
        waiting = self.source.elements()
        slots: list = [None] * self.cycle
        place, open_slots, more = 0, 0, True
        while more or open_slots:
            if slots[place] is None and more:
                flat = next(waiting, None)
                if flat is None:
                    more = False
                else:
                    slots[place] = self.opened(flat)
                    open_slots += 1
            if slots[place] is not None:
                taken = 0
                for item in itertools.islice(slots[place], self.block):
                    taken += 1
                    yield item
                if taken < self.block:
                    slots[place] = None
                    open_slots -= 1
            place = (place + 1) % self.cycle

    def opened(self, flat):
        (made,) = self.call(flat)
        return unboxed(made).elements()


class FlatMap(Interleave):
    """The elements of the datasets that `function` gives, one dataset after the other."""

    def __init__(self, source, *captured, function):
        super().__init__(source, 1, 1, *captured, function=function)

    def elements(self):
        for flat in self.source.elements():
            yield from self.opened(flat)
