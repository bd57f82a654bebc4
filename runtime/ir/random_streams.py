"""The state of random numbers: the seed of the process, and its Philox streams."""

from __future__ import annotations

import os

import numpy as np

from ..core.dtypes import int64
from ..core.locks import Lock

LIMIT = 2**64


class State:
    """The seed of the process, and how many streams were drawn from it.

    A draw without a seed of its own takes the next stream of the process. A draw with one takes the
    next stream of that seed, counted apart for every operation of a graph and for all eager ones.
    """

    def __init__(self):
        self.lock = Lock()
        self.reset(None)

    def reset(self, seed: int | None) -> None:
        self.seed = seed
        self.drawn: dict = {}

    def generator(self, seed: int | None, place: int) -> np.random.Generator:
        """The stream for one draw: repeatable once either seed is set."""
        if self.seed is None and seed is None:
            return np.random.default_rng()
        with self.lock:
            stream = None if seed is None else (seed, place)
            count = self.drawn.get(stream, 0)
            self.drawn[stream] = count + 1
            return philox(self.key(seed), count)

    def key(self, seed: int | None) -> tuple[int, int]:
        return self.seed or 0, 0 if seed is None else seed + 1


STATE = State()


EAGER = 0  # the place of all draws outside graphs


def philox(key, counter: int = 0) -> np.random.Generator:
    """The stream that belongs to a key of two integers and a counter."""
    words = np.array([int(part) % LIMIT for part in key], np.uint64)
    return np.random.Generator(np.random.Philox(key=words, counter=[0, 0, 0, counter]))


class Stream:
    """The streams of one place as a variable of three words: a key, and how many were drawn.

    Native code reads it before it runs, and assigns it when it is done.
    """

    dtype, shape, name = int64, (3,), "stream"

    def __init__(self, seed: int | None, place: int):
        self.seed = seed
        self.stream = None if seed is None else (seed, place)

    def read(self) -> np.ndarray:
        if STATE.seed is None and self.seed is None:
            return np.frombuffer(os.urandom(24), np.int64)
        words = (*STATE.key(self.seed), STATE.drawn.get(self.stream, 0))
        return np.array([word % LIMIT for word in words], np.uint64).view(np.int64)

    @property
    def array(self):
        return self.read()

    @array.setter
    def array(self, words) -> None:
        if STATE.seed is not None or self.seed is not None:
            with STATE.lock:
                STATE.drawn[self.stream] = int(words[2])

    def __eq__(self, other):
        return isinstance(other, Stream) and self.stream == other.stream

    def __hash__(self):
        return hash(self.stream)
