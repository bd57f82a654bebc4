"""Nodes that hold elements for a while: shuffle, cache and prefetch.

Seeds. A shuffle draws from a Philox stream that belongs to the global seed, its own seed, and the
number of the pass: the same program gives the same orders as soon as one of the seeds is set. With
`reshuffle_each_iteration=False` every pass has the order of the first.
"""

from __future__ import annotations

import os
import queue
import threading

import numpy as np

from ....runtime.ir.random_streams import STATE, philox
from ..elements.element_storage import Stored, store
from ..elements.nodes import INFINITE, Node, positive


class Seeds:
    """The random streams of the passes over one node."""

    def __init__(self, seed: int | None, fresh: bool):
        self.seed = seed
        self.fresh = fresh
        self.passes = 0
        self.lock = threading.Lock()
        self.base = None if seed is None and STATE.seed is None else self._key()

    def _key(self) -> tuple:
        if self.seed is not None:
            return (STATE.seed or 0, self.seed + 1)
        return (STATE.seed, int(STATE.generator(None, 0).integers(2**62)))

    def generator(self) -> np.random.Generator:
        """The stream of the next pass."""
        with self.lock:
            if self.base is None:
                self.base = tuple(np.random.SeedSequence().generate_state(2, np.uint64).tolist())
            made = philox(self.base, self.passes)
            self.passes += self.fresh
            return made


class Shuffle(Node):
    """Elements in random order: each is drawn from a buffer that is then filled up again."""

    def __init__(self, source, size, *seed, reshuffle):
        self.source = source
        self.size = positive(size, "buffer_size")
        self.seeds = Seeds(int(seed[0]) if seed else None, reshuffle)

    def elements(self):
        generator = self.seeds.generator()
        draws = _fractions(generator)
        held: list = []
        for flat in self.source.elements():
            if len(held) < self.size:
                held.append(flat)
                continue
            place = int(next(draws) * self.size)
            chosen, held[place] = held[place], flat
            yield chosen
        for place in generator.permutation(len(held)):
            yield held[place]

    def cardinality(self):
        return self.source.cardinality()


def _fractions(generator):
    """Random numbers from 0 up to 1, drawn many at a time."""
    while True:
        yield from generator.random(256).tolist()


class Random(Node):
    """Endless random 32-bit numbers, as int64."""

    def __init__(self, *seed, reshuffle):
        self.seeds = Seeds(int(seed[0]) if seed else None, reshuffle)

    def elements(self):
        generator = self.seeds.generator()
        while True:
            for number in generator.integers(0, 2**32, 256, np.int64):
                yield (number,)

    def cardinality(self):
        return INFINITE


class Cache(Node):
    """The elements of the first whole pass, kept in memory for the later ones."""

    def __init__(self, source):
        self.source = source
        self.rows: list | None = None

    def elements(self):
        return iter(self.rows) if self.rows is not None else self._filling()

    def _filling(self):
        rows = []
        for flat in self.source.elements():
            rows.append(flat)
            yield flat
        self.rows = rows

    def cardinality(self):
        return self.source.cardinality()


class FileCache(Node):
    """The same, kept in a file: a later process reads it back."""

    def __init__(self, source, path):
        self.source = source
        self.stored = Stored(path)
        self.stored.path += ".cache"

    def elements(self):
        if os.path.exists(self.stored.path):
            return self.stored.elements()
        return store(self.source.elements(), self.stored.path, self.source.cardinality())

    def cardinality(self):
        return self.source.cardinality()


class Prefetch(Node):
    """Elements made ahead by a thread, at most `size` of them; it ends with the pass."""

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
