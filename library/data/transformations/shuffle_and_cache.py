"""Nodes that buffer elements: shuffle, cache and prefetch.

Seeds: a shuffle draws from a Philox stream that is determined by the global seed, its own seed, and
the number of the pass. The order is reproducible if one of the seeds is set. With
`reshuffle_each_iteration=False` every pass has the order of the first.
"""

from __future__ import annotations

import os
import queue
import threading

import numpy as np

from ....extend.state import LIMIT, RANDOM_STATE, Lock, philox
from ..elements.element_storage import Stored, store
from ..elements.nodes import INFINITE, Node, positive_int


class Seeds:
    """The random streams of the passes over one node."""

    def __init__(self, seed: int | None, varies: bool):
        self.seed = seed
        self.varies = varies
        self.passes = 0
        self.lock = Lock()
        self.base = None if seed is None and RANDOM_STATE.seed is None else self._key()

    def _key(self) -> tuple:
        if self.seed is not None:
            return (RANDOM_STATE.seed or 0, self.seed + 1)
        return (RANDOM_STATE.seed, int(RANDOM_STATE.generator(None, 0).integers(2**62)))

    def key(self) -> tuple:
        """The two numbers that determine the streams of all passes, modulo 2**64."""
        with self.lock:
            if self.base is None:
                self.base = tuple(np.random.SeedSequence().generate_state(2, np.uint64).tolist())
            return tuple(number % LIMIT for number in self.base)

    def set(self, passes: int, key: tuple) -> None:
        """Continue with a pass of the streams of a key."""
        with self.lock:
            self.passes = passes
            if self.base is None or tuple(number % LIMIT for number in self.base) != key:
                self.base = key

    def generator(self) -> np.random.Generator:
        """The stream of the next pass."""
        self.key()
        with self.lock:
            generator = philox(self.base, self.passes)
            self.passes += self.varies
            return generator


class Shuffle(Node):
    """Elements in random order, each drawn from a buffer that is then refilled."""

    def __init__(self, source, size, *seed, reshuffle):
        self.source = source
        self.size = positive_int(size, "buffer_size")
        self.seeds = Seeds(int(seed[0]) if seed else None, reshuffle)

    def elements(self):
        generator = self.seeds.generator()
        draws = _fractions(generator)
        buffer: list = []
        for flat in self.source.elements():
            if len(buffer) < self.size:
                buffer.append(flat)
                continue
            index = int(next(draws) * self.size)
            drawn, buffer[index] = buffer[index], flat
            yield drawn
        for index in generator.permutation(len(buffer)):
            yield buffer[index]

    def cardinality(self):
        return self.source.cardinality()


def _fractions(generator):
    """Random floats, 0 <= x < 1, drawn in blocks."""
    while True:
        yield from generator.random(256).tolist()


class Random(Node):
    """Random 32-bit integers without end, as int64."""

    def __init__(self, *seed, reshuffle):
        self.seeds = Seeds(int(seed[0]) if seed else None, reshuffle)

    def elements(self):
        generator = self.seeds.generator()
        while True:
            for value in generator.integers(0, 2**32, 256, np.int64):
                yield (value,)

    def cardinality(self):
        return INFINITE


class Cache(Node):
    """The elements; the first complete pass keeps them in memory for the later ones."""

    def __init__(self, source):
        self.source = source
        self.stored: list | None = None

    def elements(self):
        return iter(self.stored) if self.stored is not None else self._filling()

    def _filling(self):
        items = []
        for flat in self.source.elements():
            items.append(flat)
            yield flat
        self.stored = items

    def cardinality(self):
        return self.source.cardinality()


class FileCache(Node):
    """The elements, kept in a file, which later processes read too."""

    def __init__(self, source, path, *, spec):
        self.source = source
        self.stored = Stored(path, spec=spec)
        self.stored.path += ".cache"

    def elements(self):
        if os.path.exists(self.stored.path):
            return self.stored.elements()
        return store(self.source.elements(), self.stored.path, self.source.cardinality())

    def cardinality(self):
        return self.source.cardinality()


class Prefetch(Node):
    """Elements computed ahead by a thread, at most `size` of them; it ends with the pass."""

    def __init__(self, source, size):
        self.source = source
        self.size = int(size)

    def elements(self):
        if self.size == 0:
            yield from self.source.elements()
            return
        ready: queue.Queue = queue.Queue(self.size if self.size > 0 else 2)
        stop = threading.Event()
        worker = threading.Thread(target=_fill, args=(self.source, ready, stop), daemon=True)
        worker.start()
        try:
            while True:
                flat, error = ready.get()
                if error is not None:
                    raise error
                if flat is None:
                    return
                yield flat
        finally:
            stop.set()

    def cardinality(self):
        return self.source.cardinality()


def _fill(source, ready: queue.Queue, stop: threading.Event) -> None:
    """Put each element into the queue as `(element, None)`, then `(None, error or None)`."""
    error = None
    try:
        for flat in source.elements():
            if not _put(ready, (flat, None), stop):
                return
    except BaseException as raised:
        error = raised
    _put(ready, (None, error), stop)


def _put(ready: queue.Queue, item, stop: threading.Event) -> bool:
    while not stop.is_set():
        try:
            ready.put(item, timeout=0.1)
        except queue.Full:
            continue
        return True
    return False
