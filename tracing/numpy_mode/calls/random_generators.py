"""The graph draws from the random generators of NumPy, and so gives NumPy's own numbers.

Where Python runs a call that has drawn, the generators are first set back to their states before.
Where a loop draws single numbers, the state of the generator is in arrays of the graph.
"""

from __future__ import annotations

import contextlib
import math
import random
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ....autograph.operators.raising import Retrace
from ....autograph.replacements import accepts
from ....runtime.core.classes import NamedTuple
from ....runtime.jit.backends import backend
from ..iteration import TracedRange
from ..new_arrays import zeros
from ..refusal import DrawnInLoop, RefusedError, WithoutText, numpy_trace
from ..statements.staged_loops import record_for
from ..storage import is_in_loop
from ..traced_scalar import TracedScalar, scalar_of
from .called_functions import call_on_host, constant
from .library_calls import call_library

NORMAL = {"normal", "randn", "standard_normal"}  # methods of RandomState, which keeps such a number
FEW_DRAWN = 4  # numbers of an array, without a loop
_REFUSED_METHODS = {"bit_generator", "bytes", "get_state", "set_state", "spawn"}


class _Running(threading.local):
    """The generators from which the call that runs in this thread draws.

    generators   by slot: those that it was given, or has made
    before       those that it has drawn from, and what sets back their states
    read         the states that were read into arrays, by generator
    """

    generators: dict[object, Any]
    before: dict[int, tuple]
    read: dict[int, tuple[np.ndarray, ...]]

    def __init__(self):
        self.end(({}, {}, {}))

    def begin(self, generators: dict) -> tuple:
        """Begin a call with these generators; what `end` takes when it ends. The handler of a
        signal may call a function while another one runs.
        """
        outer = self.generators, self.before, self.read
        self.end((generators, {}, {}))
        return outer

    def end(self, outer: tuple) -> None:
        self.generators, self.before, self.read = outer

    def drawing(self, generator):
        """The generator, whose state before the call is kept."""
        if id(generator) not in self.before:
            self.before[id(generator)] = (generator, _restoring(generator))
        return generator

    def undo(self) -> None:
        for _, restore in self.before.values():
            restore()

    def state_of(self, generator, algorithm) -> tuple[np.ndarray, ...]:
        """The state as arrays."""
        self.read[id(generator)] = arrays = algorithm.read(generator)
        return arrays

    def set_state(self, generator, algorithm, arrays) -> None:
        """Write back arrays that began as the state that was read."""
        before = self.read[id(generator)]
        restore = partial(algorithm.write, generator, *before)
        bits = getattr(generator, "_bit_generator", None)  # none of Python's
        with contextlib.nullcontext() if bits is None else bits.lock:
            if not all(map(np.array_equal, before, algorithm.read(generator))):
                raise ArithmeticError("another thread has drawn from the generator")
            self.before.setdefault(id(generator), (generator, restore))
            algorithm.write(generator, *arrays)


RUNNING = _Running()


def _restoring(generator) -> Callable:
    """A function that sets the generator back to its present state."""
    if isinstance(generator, np.random.RandomState):
        return partial(generator.set_state, generator.get_state(legacy=False))
    return partial(setattr, generator.bit_generator, "state", generator.bit_generator.state)


class Source(NamedTuple):
    """Where a graph finds a generator: `find()`. Its key is the same in all traces.

    source        what it gets its bits from: an object of this class, or itself
    keeps_normal  whether its state has a normal number that is left over
    """

    key: tuple
    cls: type
    find: Callable
    source: type
    keeps_normal: bool = False

    @property
    def algorithm(self):
        from ....python_library import bit_generators  # loads tables of the ziggurat

        if self.keeps_normal:
            return bit_generators.WithNormalNumbers
        return bit_generators.ALGORITHMS.get(self.source, bit_generators.Unknown)


class Drawn:
    """The generators of a trace whose states are in arrays: those of the keys of `wanted`, of which
    there are none where it is None.
    """

    def __init__(self, wanted: dict[tuple, Source] | None):
        self.wanted = wanted
        self.states: dict[tuple, tuple[Source, Any]] = {}
        self.made = 0

    def begin(self) -> None:
        """Read the states of the generators that there are before the function runs."""
        for source in (self.wanted or {}).values():
            if source.key[0] != "made":
                self.read(source)

    def read(self, source: Source) -> None:
        algorithm, find = source.algorithm, source.find

        def state_of():
            return RUNNING.state_of(find(), algorithm)

        def sampled():
            return algorithm.read(algorithm.another(0))

        state_of.__name__ = "random.state"
        arrays = call_on_host(state_of, (), {}, sampled)
        if source.key not in self.states:
            self.states[source.key] = source, algorithm(*arrays)
            return
        for array, new in zip(self.states[source.key][1].arrays, arrays, strict=True):
            array[...] = new

    def write(self, source: Source) -> None:
        algorithm, find = source.algorithm, source.find

        def set_state(*arrays):
            RUNNING.set_state(find(), algorithm, arrays)

        set_state.__name__ = "random.set_state"
        arrays = self.states[source.key][1].arrays
        call_on_host(set_state, arrays, {}, lambda *arrays: None)

    def finish(self) -> None:
        """Write the states back."""
        for source, _ in self.states.values():
            self.write(source)


class TracedGenerator(WithoutText):
    """A generator of the graph, which is in a slot while the graph runs."""

    _noun = "generator of random numbers"

    def __init__(self, source: Source):
        self._source = source

    def __getattr__(self, name: str):
        if name.startswith("_") or not hasattr(self._source.cls, name):
            raise AttributeError(name)
        return _drawing(self._source, name)


def given_generator(position: int, generator) -> TracedGenerator:
    """A generator that is an argument."""
    return TracedGenerator(_in_slot(("given", position), generator, position))


def source_of(generator) -> type:
    """The class of what gives a generator its bits."""
    return type(getattr(generator, "bit_generator", generator))


def _in_slot(key: tuple, generator, slot) -> Source:
    cls, source = type(generator), source_of(generator)
    return Source(key, cls, lambda: RUNNING.generators[slot], source)


def staged_random(function) -> Callable | None:
    """The staged form of a function or method of NumPy's generators; None for others.

    Raises RefusedError for those that read or set the state of a generator.
    """
    types, owner = generator_types(), getattr(function, "__self__", None)
    if types and (function is np.random.default_rng or function is np.random.RandomState):
        return partial(_made, function)
    if types and function is np.random.seed:
        owner = np.random.normal.__self__  # what np.random.normal and the like draw from
    if isinstance(owner, types) or type(owner) is random.Random:
        key = "outer", id(owner)
        source = Source(key, type(owner), lambda: owner, source_of(owner))
        return _drawing(source, function.__name__)
    return None


def generator_types() -> tuple:
    """The classes of NumPy's generators, if `numpy.random` is imported: it takes 11 ms."""
    module: Any = sys.modules.get("numpy.random")
    return (module.Generator, module.RandomState) if hasattr(module, "RandomState") else ()


def _made(maker, *args, **kwargs) -> TracedGenerator:
    slot = object()

    def make(*args, **kwargs):
        RUNNING.generators[slot] = maker(*args, **kwargs)

    make.__name__ = maker.__name__
    call_on_host(make, args, kwargs, lambda *args, **kwargs: None)
    drawn = numpy_trace().random
    drawn.made += 1
    source = _in_slot(("made", drawn.made), maker(0), slot)
    wanted = (drawn.wanted or {}).get(source.key)
    if wanted is not None:
        drawn.read(source._replace(keeps_normal=wanted.keeps_normal))
    return TracedGenerator(source)


def _drawing(source: Source, name: str) -> Callable:
    """The method of a generator, as a trace calls it."""
    if name in _REFUSED_METHODS:
        raise RefusedError(f"{source.cls.__name__}.{name}")

    def call(*args, **kwargs):
        drawn = numpy_trace().random
        form = getattr(source.algorithm, source.algorithm.drawn_by.get(name, ""), None)
        kwargs = {key: value for key, value in kwargs.items() if key != "size" or value is not None}
        if source.cls is random.Random and form is None:
            raise RefusedError(f"a call of random.{name}")
        known, state = drawn.states.get(source.key, (None, None))
        shape, numbers, named = _without_shape(source.cls, name, args, kwargs)
        many = getattr(source.algorithm, "at_once", {}).get(name)
        many = many if shape is not None and backend().has_devices else None
        is_near = many or is_in_loop() or (known is not None and shape is None)
        is_native = drawn.wanted is not None and form is not None and is_near
        if not is_native or not _is_of_numbers(form, numbers, named):
            return _drawn_on_host(drawn, source, name, args, kwargs)
        keeps = source.cls is np.random.RandomState and name in NORMAL
        if known is None or keeps > known.keeps_normal:
            raise Retrace(DrawnInLoop(source._replace(keeps_normal=keeps)))
        if many:
            units = state.units(math.prod(shape), constant)
            return call_library(getattr(state, many), units, *numbers, **named).reshape(shape)
        if form.__name__ in ("integers", "randint", "randrange"):
            _check_integers(*numbers, *named.values())
        draw = partial(call_library, form, state, *numbers, **named)
        return draw() if shape is None else _array_of(draw, shape, _DTYPES.get(name, np.float64))

    return call


# The positions of the parameter `size`, or the first one of the sizes.
_SIZE_AT = {"random": 0, "random_sample": 0, "standard_normal": 0, "rand": 0, "randn": 0,
            "standard_exponential": 0, "exponential": 1, "normal": 2, "uniform": 2, "randint": 2,
            "integers": 2}  # fmt: skip
_DTYPES = {"randint": np.int64, "integers": np.int64}


def _without_shape(cls: type, name: str, args: tuple, kwargs: dict) -> tuple:
    """The shape of the array that a method draws, or None, and its other arguments; those are as
    they are where the shape is computed, or none that has elements.
    """
    at = _SIZE_AT.get(name, len(args))
    passed, many = args[at:], name in ("rand", "randn")
    if cls is random.Random or bool(passed) == ("size" in kwargs) or (len(passed) > 1 and not many):
        return None, args, kwargs
    size = kwargs["size"] if not passed else passed if many else passed[0]
    shape = size if isinstance(size, tuple) else (size,)
    if not shape or not all(type(size) is int and size > 0 for size in shape):
        return None, args, kwargs
    return shape, args[:at], {key: value for key, value in kwargs.items() if key != "size"}


def _array_of(draw: Callable, shape: tuple, dtype):
    """An array of numbers that are drawn one by one, as NumPy draws them."""
    count = math.prod(shape)
    array = zeros(count, dtype)

    def step(at) -> tuple:
        array[at] = draw()
        return ()

    if count <= FEW_DRAWN:
        for at in range(count):
            step(at)
    else:
        record_for(TracedRange(0, count, 1), step, None, (), ())
    return array.reshape(shape)


def _check_integers(*bounds) -> None:
    for bound in map(scalar_of, bounds):
        is_numpy = bound.python is None and bound.numpy_dtype == np.int64
        if bound.python is not int and not is_numpy:
            raise RefusedError("a random integer between other numbers than integers")


def _is_of_numbers(form: Callable, args, kwargs) -> bool:
    """Whether a method with these arguments draws a single number as `form` does."""
    return accepts(form, (None, *args), kwargs) and all(
        isinstance(value, (int, float, np.number, TracedScalar))
        for value in (*args, *kwargs.values())
    )


def _drawn_on_host(drawn: Drawn, source: Source, name: str, args, kwargs):
    draw = _shuffled if name == "shuffle" else getattr(source.cls, name)

    def run(*args, **kwargs):
        return draw(RUNNING.drawing(source.find()), *args, **kwargs)

    def sampled(*args, **kwargs):
        return draw(source.algorithm.another(0), *args, **kwargs)

    run.__name__ = sampled.__name__ = f"random.{name}"
    known, _ = drawn.states.get(source.key, (None, None))
    if known is not None:
        drawn.write(known)
    result = call_on_host(run, args, kwargs, sampled)
    if known is not None:
        drawn.read(known)
    if name == "shuffle":
        args[0][...] = result
        return None
    return result


def _shuffled(generator, x, *args, **kwargs):
    copy = x.copy()
    generator.shuffle(copy, *args, **kwargs)
    return copy
