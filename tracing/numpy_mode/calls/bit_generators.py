"""Random generators whose state is in arrays of the graph: loops that draw numbers are native.

The arrays are read when the generator becomes known and written back at the end.
"""

from __future__ import annotations

import ctypes
import random

import numpy as np

from ....python_library import random_numbers
from ....python_library.random_numbers import LENGTH

_SAME_NAMES = ("random", "uniform", "standard_normal", "normal", "standard_exponential",
               "exponential")  # fmt: skip


class OfGenerator(random_numbers.PermutedCongruential):
    """The generator of `np.random.default_rng`."""

    drawn_by = {name: name for name in (*_SAME_NAMES, "integers")}

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = generator.bit_generator.state
        if state["bit_generator"] != "PCG64":
            raise ArithmeticError(f"a generator of numbers of {state['bit_generator']}")
        words = [half for key in ("state", "inc") for half in divmod(state["state"][key], 2**64)]
        return (np.array([*words, state["has_uint32"], state["uinteger"]], np.uint64),)

    @staticmethod
    def write(generator, words: np.ndarray) -> None:
        high, low, increment_high, increment_low, has, left = words.tolist()
        generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": high << 64 | low, "inc": increment_high << 64 | increment_low},
            "has_uint32": has,
            "uinteger": left,
        }


class OfRandomState(random_numbers.MersenneTwister):
    """The generator of `np.random.rand` and the like, for functions that draw no normal numbers."""

    drawn_by = {
        **{name: name for name in _SAME_NAMES}, "rand": "random", "random_sample": "random",
        "randint": "randrange", "randn": "standard_normal",
    }  # fmt: skip

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        memory = _memory(generator)
        return memory[:LENGTH].copy(), memory[LENGTH:].astype(np.int64)

    @staticmethod
    def write(generator, key: np.ndarray, used: np.ndarray) -> None:
        memory = _memory(generator)
        memory[:LENGTH], memory[LENGTH:] = key, used


def _memory(generator: np.random.RandomState) -> np.ndarray:
    """The memory of the state: its words, and how many are used up."""
    source = generator._bit_generator
    if not isinstance(source, np.random.MT19937):
        raise ArithmeticError(f"a generator of numbers of {type(source).__name__}")
    words = ctypes.c_uint32 * (LENGTH + 1)
    return np.frombuffer(words.from_address(source.ctypes.state_address), np.uint32)


class WithNormalNumbers(OfRandomState):
    """The same, for functions that draw pairs of normal numbers, of which one may be left over."""

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = generator.get_state(legacy=False)
        kept, left = np.array([state["has_gauss"]]), np.array([state["gauss"]])
        return *OfRandomState.read(generator), kept, left

    @staticmethod
    def write(generator, key, used, kept, left) -> None:
        state = {"bit_generator": "MT19937", "state": {"key": key, "pos": used.item()}}
        generator.set_state({**state, "has_gauss": kept.item(), "gauss": left.item()})


class OfRandom(random_numbers.OfPython):
    """The generator of Python's `random`."""

    drawn_by = {
        name: name for name in ("random", "uniform", "randint", "randrange", "expovariate", "gauss")
    }

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        _, words, left = generator.getstate()
        key, used = np.array(words[:-1], np.uint32), np.array(words[-1:])
        return key, used, np.array([int(left is not None)]), np.array([left or 0.0])

    @staticmethod
    def write(generator, key, used, kept, left) -> None:
        gauss = left.item() if kept.item() else None
        generator.setstate((3, (*key.tolist(), used.item()), gauss))


ALGORITHMS = {
    np.random.Generator: OfGenerator, np.random.RandomState: OfRandomState, random.Random: OfRandom,
}  # fmt: skip
