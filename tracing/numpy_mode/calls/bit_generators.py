"""Random generators whose state is in arrays of the graph: loops that draw numbers are native.

The arrays are read when the generator becomes known and written back at the end. The algorithms are
those of NumPy and of Python's `random`, so the numbers are the same.

Sources: O'Neill, "PCG: A family of simple fast space-efficient statistically good algorithms for
random number generation", 2014. Matsumoto and Nishimura, "Mersenne Twister", 1998. Lemire, "Fast
random integer generation in an interval", 2019. Marsaglia and Bray, "A convenient method for
generating normal variables", 1964.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from ....runtime.kernels.random.ziggurat_tables import (
    EXPONENTIAL_START,
    MULTIPLIER,
    START,
    exponential_ziggurat,
    ziggurat,
)
from ....runtime.tensors.apply import constant_of
from ..iteration import TracedRange
from ..refusal import RefusedError
from ..statements.staged_loops import record_for, record_while
from ..statements.staged_statements import record_if
from ..traced_array import TracedArray, fresh
from ..traced_scalar import TracedScalar, cast, require, scalar_of

U64 = np.uint64
WORD, HALF = U64(0xFFFFFFFF), U64(32)
MULTIPLIER_HIGH, MULTIPLIER_LOW = U64(MULTIPLIER >> 64), U64(MULTIPLIER & (2**64 - 1))
LENGTH, DISTANCE = 624, 397  # of the state of the Mersenne Twister, and between words that meet
UPPER, LOWER, TWIST = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)


def _number(value: TracedScalar, python: type) -> TracedScalar:
    """A number of NumPy's as one of Python's."""
    return TracedScalar(value.tensor, python)


def _as(value, dtype) -> TracedScalar:
    return TracedScalar(cast(scalar_of(value).tensor, np.dtype(dtype)))


class PermutedCongruential:
    """`PCG64`, from which `np.random.default_rng` draws.

    `state` has the two halves of the state, those of the increment, and 32 bits that are left over
    with whether they are.
    """

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = generator.bit_generator.state
        if state["bit_generator"] != "PCG64":
            raise ArithmeticError(f"a generator of numbers of {state['bit_generator']}")
        words = [half for key in ("state", "inc") for half in divmod(state["state"][key], 2**64)]
        return (np.array([*words, state["has_uint32"], state["uinteger"]], U64),)

    @staticmethod
    def write(generator, words: np.ndarray) -> None:
        high, low, increment_high, increment_low, has, left = words.tolist()
        generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": high << 64 | low, "inc": increment_high << 64 | increment_low},
            "has_uint32": has,
            "uinteger": left,
        }

    def __init__(self, state: TracedArray):
        self.state = state
        self.arrays = (state,)

    def next64(self) -> TracedScalar:
        high, low, increment_high, increment_low = (self.state[at] for at in range(4))
        new_low = low * MULTIPLIER_LOW + increment_low
        carry = _as(new_low < increment_low, U64)
        new_high = _high_product(low, MULTIPLIER_LOW) + low * MULTIPLIER_HIGH
        new_high = new_high + high * MULTIPLIER_LOW + increment_high + carry
        self.state[0], self.state[1] = new_high, new_low
        mixed, rotation = new_high ^ new_low, new_high >> U64(58)
        return (mixed >> rotation) | (mixed << ((U64(64) - rotation) & U64(63)))

    def next32(self) -> TracedScalar:
        """32 bits, as an integer of 64."""

        def left():
            self.state[4] = U64(0)
            return (self.state[5],)

        def new():
            bits = self.next64()
            self.state[4], self.state[5] = U64(1), bits >> HALF
            return (bits & WORD,)

        return record_if(self.state[4] > U64(0), left, new, ("bits",))[0]

    def unit(self) -> TracedScalar:
        """A float64 in [0, 1)."""
        return _as(self.next64() >> U64(11), np.float64) * np.float64(2.0**-53)

    def below(self, most: TracedScalar) -> TracedScalar:
        """An integer up to `most`, which is less than 2**32 - 1, without bias: Lemire's method."""
        count = _as(most, U64) + U64(1)

        def draw():
            product = self.next32() * count
            threshold = (WORD - _as(most, U64)) % count

            def too_low(product):
                return (product & WORD) < threshold

            return (record_while(
                too_low, lambda product: (self.next32() * count,), (product,), ("product",)
            )[0] >> HALF,)  # fmt: skip

        return _unless_zero(most, draw)

    def normal(self) -> TracedScalar:
        """A float64 of the standard normal distribution, by the ziggurat method."""
        limits, widths, densities = (fresh(constant_of(table)) for table in ziggurat())

        def draw():
            bits = self.next64()
            layer, whole = _number(_as(bits & U64(255), np.int64), int), bits >> U64(9)
            whole = whole & U64(2**52 - 1)
            x = _as(whole, np.float64) * widths[layer]
            sign = _as((bits >> U64(8)) & U64(1), np.float64)
            return layer, whole, x * (1.0 - 2.0 * sign)

        def tail(whole):
            def pair():
                x = np.log1p(-self.unit()) * (-1.0 / START)
                return x, -np.log1p(-self.unit())

            beyond, _ = record_while(
                lambda x, y: y + y <= x * x, lambda x, y: pair(), pair(), ("x", "y")
            )
            sign = _as((whole >> U64(8)) & U64(1), np.float64)
            return (beyond + START) * (1.0 - 2.0 * sign)

        def at_edge(layer, whole, x):
            """Whether a point is under the density, and its number."""

            def in_layer():
                low, high = densities[layer], densities[layer - 1]
                return (high - low) * self.unit() + low < np.exp(-0.5 * x * x), x

            lowest = lambda: (layer >= 0, tail(whole))  # noqa: E731
            return record_if(layer == 0, lowest, in_layer, ("found", "x"))

        def attempt(*_):
            layer, whole, x = draw()
            inside = whole < limits[layer]
            return record_if(
                inside, lambda: (layer >= 0, x), lambda: at_edge(layer, whole, x), ("found", "x")
            )

        missed = lambda found, x: found == False  # noqa: E712, E731
        return record_while(missed, attempt, attempt(), ("found", "x"))[1]

    def exponential(self) -> TracedScalar:
        """A float64 of the standard exponential distribution, by the ziggurat method."""
        limits, widths, densities = (fresh(constant_of(one)) for one in exponential_ziggurat())

        def at_edge(layer, x):
            """Whether a point is under the density, and its number."""

            def in_layer():
                low, high = densities[layer], densities[layer - 1]
                return (high - low) * self.unit() + low < np.exp(-x), x

            lowest = lambda: (layer >= 0, EXPONENTIAL_START - np.log1p(-self.unit()))  # noqa: E731
            return record_if(layer == 0, lowest, in_layer, ("found", "x"))

        def attempt(*_):
            bits = self.next64() >> U64(3)
            layer, whole = _number(_as(bits & U64(255), np.int64), int), bits >> U64(8)
            x = _as(whole, np.float64) * widths[layer]
            inside = whole < limits[layer]
            return record_if(
                inside, lambda: (layer >= 0, x), lambda: at_edge(layer, x), ("found", "x")
            )

        missed = lambda found, x: found == False  # noqa: E712, E731
        return record_while(missed, attempt, attempt(), ("found", "x"))[1]


def _unless_zero(most: TracedScalar, draw: Callable) -> TracedScalar:
    """What `draw` gives; 0, and nothing is drawn, if that is all there is."""
    nothing = lambda: (_as(0, U64),)  # noqa: E731
    return record_if(_as(most, U64) > U64(0), draw, nothing, ("drawn",))[0]


def _high_product(one, other):
    """The upper 64 bits of a product of 128 bits."""
    low, high, other_low, other_high = one & WORD, one >> HALF, other & WORD, other >> HALF
    first = high * other_low + ((low * other_low) >> HALF)
    second = low * other_high + (first & WORD)
    return high * other_high + (first >> HALF) + (second >> HALF)


class MersenneTwister:
    """`MT19937`, from which functions of `np.random` draw.

    `key` is the state, and `used` the number of its words that are used up.
    """

    def __init__(self, key: TracedArray, used: TracedArray):
        self.key, self.used = self.arrays = key, used

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        memory = _memory(generator)
        return memory[:LENGTH].copy(), memory[LENGTH:].astype(np.int64)

    @staticmethod
    def write(generator, key: np.ndarray, used: np.ndarray) -> None:
        memory = _memory(generator)
        memory[:LENGTH], memory[LENGTH:] = key, used

    def _twist(self) -> tuple:
        """New words. Those beyond the end of the state are at its beginning: no loop meets both."""
        key, near = self.key, LENGTH - DISTANCE

        def renew(at, after, other):
            mixed = (key[at] & UPPER) | (key[after] & LOWER)
            odd = np.uint32(0) - (mixed & np.uint32(1))  # all bits, or none
            key[at] = key[other] ^ (mixed >> np.uint32(1)) ^ (odd & TWIST)
            return ()

        first = lambda at: renew(at, at + 1, at + DISTANCE)  # noqa: E731
        second = lambda at: renew(at, at + 1, at - near)  # noqa: E731
        record_for(TracedRange(near), first, None, (), ())
        record_for(TracedRange(near, LENGTH - 1), second, None, (), ())
        renew(LENGTH - 1, 0, DISTANCE - 1)
        self.used[0] = 0
        return ()

    def next32(self) -> TracedScalar:
        """32 bits, as an integer of 64."""
        record_if(self.used[0] >= LENGTH, self._twist, tuple, ())
        at = self.used[0]
        bits = self.key[_number(at, int)]
        self.used[0] = at + 1
        bits = bits ^ (bits >> np.uint32(11))
        bits = bits ^ ((bits << np.uint32(7)) & np.uint32(0x9D2C5680))
        bits = bits ^ ((bits << np.uint32(15)) & np.uint32(0xEFC60000))
        return _as(bits ^ (bits >> np.uint32(18)), U64)

    def unit(self) -> TracedScalar:
        """A float64 in [0, 1)."""
        high, low = self.next32() >> U64(5), self.next32() >> U64(6)
        return (_as(high, np.float64) * 67108864.0 + _as(low, np.float64)) / 9007199254740992.0

    def below(self, most: TracedScalar) -> TracedScalar:
        """An integer up to `most`, which is less than 2**32 - 1: bits until they are few enough."""
        most = _as(most, U64)
        mask = most
        for shift in (1, 2, 4, 8, 16):
            mask = mask | (mask >> U64(shift))

        def draw():
            first = self.next32() & mask
            too_large = lambda bits: bits > most  # noqa: E731
            return record_while(
                too_large, lambda bits: (self.next32() & mask,), (first,), ("bits",)
            )

        return _unless_zero(most, draw)

    def exponential(self) -> TracedScalar:
        """A float64 of the standard exponential distribution."""
        return np.log(1.0 - self.unit()) * -1.0


def bit_generator_of(generator: np.random.RandomState):
    return generator._bit_generator


def _memory(generator: np.random.RandomState) -> np.ndarray:
    """The memory of the state: its words, and how many are used up."""
    source = bit_generator_of(generator)
    if not isinstance(source, np.random.MT19937):
        raise ArithmeticError(f"a generator of numbers of {type(source).__name__}")
    words = ctypes.c_uint32 * (LENGTH + 1)
    return np.frombuffer(words.from_address(source.ctypes.state_address), np.uint32)


class WithNormalNumbers(MersenneTwister):
    """The same, for functions that draw pairs of normal numbers.

    `kept` is whether a number of a pair is left over, and `left` that number.
    """

    def __init__(self, key, used, kept: TracedArray, left: TracedArray):
        super().__init__(key, used)
        self.kept, self.left = kept, left
        self.arrays = key, used, kept, left

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        state = generator.get_state(legacy=False)
        kept, left = np.array([state["has_gauss"]]), np.array([state["gauss"]])
        return *MersenneTwister.read(generator), kept, left

    @staticmethod
    def write(generator, key, used, kept, left) -> None:
        state = {"bit_generator": "MT19937", "state": {"key": key, "pos": used.item()}}
        generator.set_state({**state, "has_gauss": kept.item(), "gauss": left.item()})

    def normal(self) -> TracedScalar:
        """A float64 of the standard normal distribution, by the polar method."""

        def kept():
            self.kept[0] = 0
            return (self.left[0],)

        def pair():
            return tuple(self.unit() * 2.0 - 1.0 for _ in range(2))

        def outside(x, y):
            square = x * x + y * y
            return (square >= 1.0) | (square == 0.0)

        def new():
            x, y = record_while(outside, lambda x, y: pair(), pair(), ("x", "y"))
            square = x * x + y * y
            factor = np.sqrt(np.log(square) * -2.0 / square)
            self.kept[0], self.left[0] = 1, factor * x
            return (factor * y,)

        return record_if(self.kept[0] > 0, kept, new, ("normal",))[0]


class OfPython(WithNormalNumbers):
    """The generator of Python's `random`."""

    @staticmethod
    def read(generator) -> tuple[np.ndarray, ...]:
        _, words, left = generator.getstate()
        key, used = np.array(words[:-1], np.uint32), np.array(words[-1:])
        return key, used, np.array([int(left is not None)]), np.array([left or 0.0])

    @staticmethod
    def write(generator, key, used, kept, left) -> None:
        gauss = left.item() if kept.item() else None
        generator.setstate((3, (*key.tolist(), used.item()), gauss))

    def below(self, most: TracedScalar) -> TracedScalar:
        """An integer up to `most`: the upper bits of draws until they are few enough."""
        count = _as(most, U64) + U64(1)

        def draw():
            length = record_while(
                lambda length: (count >> length) > U64(0),
                lambda length: (length + U64(1),),
                (_as(1, U64),),
                ("length",),
            )[0]
            first = self.next32() >> (HALF - length)
            return record_while(
                lambda bits: bits >= count,
                lambda bits: (self.next32() >> (HALF - length),),
                (first,),
                ("bits",),
            )

        return draw()[0]

    def normal(self) -> TracedScalar:
        """A float64 of the standard normal distribution."""

        def kept():
            self.kept[0] = 0
            return (self.left[0],)

        def new():
            angle = self.unit() * (2.0 * np.pi)
            radius = np.sqrt(np.log(1.0 - self.unit()) * -2.0)
            self.kept[0], self.left[0] = 1, np.sin(angle) * radius
            return (np.cos(angle) * radius,)

        return record_if(self.kept[0] > 0, kept, new, ("normal",))[0]


# ---- methods -----------------------------------------------------------------------------------


def _uniform(state, low=0.0, high=1.0):
    low, high = (_as(one, np.float64) for one in (low, high))
    extent = high - low
    require((extent >= 0.0).tensor)
    require((extent < np.inf).tensor)
    return low + extent * state.unit()


def _between(draw: Callable, low, high) -> TracedScalar:
    """An integer of [low, high), both of Python's, of which `draw` gives the one from 0 on."""
    low, high = (0, low) if high is None else (low, high)
    for one in map(scalar_of, (low, high)):
        is_numpy = one.python is None and one.numpy_dtype == np.int64
        if one.python is not int and not is_numpy:
            raise RefusedError("a random integer between other numbers than integers")
    low, high = (_number(scalar_of(one), int) for one in (low, high))
    most = high - low - 1
    require((most >= 0).tensor)
    require((most < 2**32 - 1).tensor)
    drawn = _number(_as(draw(most), np.int64), int)
    drawn.bound = min(most.bound, 2**32)
    return low + drawn


def _float(value: TracedScalar) -> TracedScalar:
    return _number(value, float)


def _normal(state, loc=0.0, scale=1.0):
    scale = _as(scale, np.float64)
    require((scale >= 0.0).tensor)
    return _float(_as(loc, np.float64) + scale * state.normal())


def _exponential(state, scale=1.0):
    scale = _as(scale, np.float64)
    require((scale >= 0.0).tensor)
    return _float(scale * state.exponential())


def _exponential_of_python(state, lambd):
    rate = _as(lambd, np.float64)
    require((rate != 0.0).tensor)
    return _float(state.exponential() / rate)


OF_GENERATOR: dict[str, Callable] = {
    "random": lambda state: _float(state.unit()),
    "uniform": lambda state, low=0.0, high=1.0: _float(_uniform(state, low, high)),
    "standard_normal": lambda state: _float(state.normal()),
    "normal": lambda state, loc=0.0, scale=1.0: _normal(state, loc, scale),
    "standard_exponential": lambda state: _float(state.exponential()),
    "exponential": _exponential,
    "integers": lambda state, low, high=None: _as(_between(state.below, low, high), np.int64),
}
OF_RANDOM_STATE: dict[str, Callable] = {
    **dict.fromkeys(("rand", "random", "random_sample"), OF_GENERATOR["random"]),
    "uniform": OF_GENERATOR["uniform"],
    "randint": lambda state, low, high=None: _between(state.below, low, high),
    **dict.fromkeys(("randn", "standard_normal"), lambda state: _float(state.normal())),
    "normal": _normal,
    "standard_exponential": OF_GENERATOR["standard_exponential"],
    "exponential": _exponential,
}
OF_RANDOM: dict[str, Callable] = {
    "random": OF_GENERATOR["random"],
    "uniform": lambda state, a, b: _float(_uniform(state, a, b)),
    "randint": lambda state, a, b: _between(state.below, a, b + 1),
    "randrange": lambda state, start, stop=None: _between(state.below, start, stop),
    "expovariate": _exponential_of_python,
    "gauss": lambda state, mu=0.0, sigma=1.0: _normal(state, mu, sigma),
}
