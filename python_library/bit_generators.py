"""Random generators whose state is in arrays of the graph: loops that draw numbers are native.

The arrays are read when the generator becomes known and written back at the end.
"""

from __future__ import annotations

import ctypes
import random
from typing import Any

import numpy as np

from . import random_numbers
from .random_numbers import LENGTH

_SAME_NAMES = ("random", "uniform", "standard_normal", "normal", "standard_exponential",
               "exponential")  # fmt: skip


class OfGenerator(random_numbers.PermutedCongruential):
    """The generator of `np.random.default_rng`."""

    another = np.random.default_rng  # by its seed
    drawn_by = {name: name for name in (*_SAME_NAMES, "integers")}

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = _state_of(generator, "PCG64")
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


class OfPhilox(random_numbers.Philox):
    """A generator of numbers of `np.random.Philox`, whose blocks follow from their numbers."""

    drawn_by = OfGenerator.drawn_by

    @staticmethod
    def another(seed: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(seed))

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = _state_of(generator, "Philox")
        counter, key = state["state"]["counter"], state["state"]["key"]
        used, block = state["buffer_pos"], state["buffer"]
        if used < len(block) and not np.array_equal(block, _block_of(counter, key)):
            raise ArithmeticError("a generator whose block was set")
        others = [state["has_uint32"], state["uinteger"], *key, used, *block]
        return (np.array([*counter, *others], np.uint64),)

    @staticmethod
    def write(generator, words: np.ndarray) -> None:
        generator.bit_generator.state = {
            "bit_generator": "Philox",
            "state": {"counter": words[:4], "key": words[6:8]},
            "has_uint32": int(words[4]),
            "uinteger": int(words[5]),
            "buffer_pos": int(words[8]),
            "buffer": words[9:],
        }


def _state_of(generator, name: str) -> dict:
    state = generator.bit_generator.state
    if state["bit_generator"] != name:
        raise ArithmeticError(f"a generator of numbers of {state['bit_generator']}")
    return state


def _block_of(counter: np.ndarray, key: np.ndarray) -> np.ndarray:
    """The block of a counter. A generator counts before it computes one."""
    number = int.from_bytes(counter.astype("<u8").tobytes(), "little")
    return np.random.Philox(counter=(number - 1) % 2**256, key=key).random_raw(len(counter))


class OfRandomState(random_numbers.MersenneTwister):
    """The generator of `np.random.rand` and the like, for functions that draw no normal numbers."""

    another = np.random.RandomState
    drawn_by = {
        **{name: name for name in _SAME_NAMES}, "rand": "random", "random_sample": "random",
        "randint": "randrange", "randn": "standard_normal",
    }  # fmt: skip

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        memory = _memory(generator)
        return memory[:LENGTH].copy(), memory[LENGTH:].astype(np.int64)

    @staticmethod
    def write(generator, *arrays: np.ndarray) -> None:
        key, used = arrays
        memory = _memory(generator)
        memory[:LENGTH], memory[LENGTH:] = key, used


def _memory(generator: np.random.RandomState) -> np.ndarray:
    """The memory of the state: its words, and how many are used up."""
    source = generator._bit_generator
    if not isinstance(source, np.random.MT19937):
        raise ArithmeticError(f"a generator of numbers of {type(source).__name__}")
    words: Any = ctypes.c_uint32 * (LENGTH + 1)
    return np.frombuffer(words.from_address(source.ctypes.state_address), np.uint32)


class WithNormalNumbers(OfRandomState):
    """The same, for functions that draw pairs of normal numbers, of which one may be left over."""

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = generator.get_state(legacy=False)
        kept, left = np.array([state["has_gauss"]]), np.array([state["gauss"]])
        return *OfRandomState.read(generator), kept, left

    @staticmethod
    def write(generator, *arrays: np.ndarray) -> None:
        key, used, kept, left = arrays
        state = {"bit_generator": "MT19937", "state": {"key": key, "pos": used.item()}}
        generator.set_state({**state, "has_gauss": kept.item(), "gauss": left.item()})


class OfRandom(random_numbers.OfPython):
    """The generator of Python's `random`."""

    another = random.Random
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


class Unknown:
    """Any other generator: the host calls its methods."""

    another = np.random.default_rng
    drawn_by: dict[str, str] = {}


ALGORITHMS = {
    np.random.PCG64: OfGenerator, np.random.Philox: OfPhilox, np.random.RandomState: OfRandomState,
    random.Random: OfRandom,
}  # fmt: skip
