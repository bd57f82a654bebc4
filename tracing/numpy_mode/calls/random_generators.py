"""The graph draws from the random generators of NumPy, and so gives NumPy's own numbers.

Where Python runs a call that has drawn, the generators are first set back to their states before.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable

import numpy as np

from ..refusal import RefusedError
from .called_functions import call_on_host

LEGACY = np.random.normal.__self__  # what np.random.normal and the like draw from
GENERATORS = (np.random.Generator, np.random.RandomState)
MAKERS = {np.random.default_rng, np.random.RandomState}
_REFUSED_METHODS = {"bit_generator", "bytes", "get_state", "set_state", "spawn"}


class _Running(threading.local):
    """What the call that runs in this thread draws from.

    generators   by slot: those that it was given, or has made
    states       those that it has drawn from, and their states before the call
    """

    def __init__(self):
        self.generators: dict[object, object] = {}
        self.states: dict[int, tuple] = {}

    def begin(self, generators: dict) -> None:
        self.generators, self.states = generators, {}

    def drawing(self, generator):
        """The generator, whose state before the call is kept."""
        if id(generator) not in self.states:
            self.states[id(generator)] = (generator, _state_of(generator))
        return generator

    def undo(self) -> None:
        for generator, state in self.states.values():
            if isinstance(generator, np.random.RandomState):
                generator.set_state(state)
            else:
                generator.bit_generator.state = state
        self.begin({})


RUNNING = _Running()


def _state_of(generator):
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.bit_generator.state


class TracedGenerator:
    """A generator of the graph, which is in a slot while the graph runs."""

    def __init__(self, slot, cls: type):
        self._slot = slot
        self._cls = cls

    def __getattr__(self, name: str):
        if name.startswith("_") or not hasattr(self._cls, name):
            raise AttributeError(name)
        slot = self._slot
        return _drawing(lambda: RUNNING.generators[slot], self._cls, name)


def staged_random(function) -> Callable | None:
    """What a trace calls in place of a function or method of NumPy's generators; None for others.

    Raises RefusedError for those that read or set the state of a generator.
    """
    if function in MAKERS:
        return functools.partial(_made, function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, GENERATORS):
        return _drawing(lambda: owner, type(owner), function.__name__)
    if function is np.random.seed:
        return _drawing(lambda: LEGACY, np.random.RandomState, "seed")
    return None


def _made(maker, *args, **kwargs) -> TracedGenerator:
    slot = object()

    def make(*args, **kwargs):
        RUNNING.generators[slot] = maker(*args, **kwargs)

    make.__name__ = maker.__name__
    call_on_host(make, args, kwargs, lambda *args, **kwargs: None)
    cls = np.random.RandomState if maker is np.random.RandomState else np.random.Generator
    return TracedGenerator(slot, cls)


def _drawing(source: Callable, cls: type, name: str) -> Callable:
    """The method of a generator, as a trace calls it."""
    if name in _REFUSED_METHODS:
        raise RefusedError(f"{cls.__name__}.{name}")
    draw = _shuffled if name == "shuffle" else functools.partial(_drawn, name)

    def run(*args, **kwargs):
        return draw(RUNNING.drawing(source()), *args, **kwargs)

    def sampled(*args, **kwargs):
        return draw(np.random.RandomState(0) if cls is np.random.RandomState
                    else np.random.default_rng(0), *args, **kwargs)  # fmt: skip

    run.__name__ = sampled.__name__ = f"random.{name}"

    def call(*args, **kwargs):
        result = call_on_host(run, args, kwargs, sampled)
        if name == "shuffle":
            args[0][...] = result
            return None
        return result

    return call


def _drawn(name: str, generator, *args, **kwargs):
    return getattr(generator, name)(*args, **kwargs)


def _shuffled(generator, x, *args, **kwargs):
    copy = x.copy()
    generator.shuffle(copy, *args, **kwargs)
    return copy
