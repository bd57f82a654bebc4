"""Random generators of NumPy and Python: the same numbers of the same states, which are arrays.

Sources: O'Neill, "PCG: A family of simple fast space-efficient statistically good algorithms for
random number generation", 2014. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
Matsumoto and Nishimura, "Mersenne Twister", 1998. Lemire, "Fast random integer generation in an
interval", 2019. Marsaglia and Bray, "A convenient method for generating normal variables", 1964.
"""

from __future__ import annotations

import math

import numpy as np

from ..runtime.kernels.random import ziggurat_tables
from ..runtime.kernels.random.philox_parameters import MULTIPLIERS as PHILOX
from ..runtime.kernels.random.philox_parameters import WEYL
from ..runtime.kernels.random.ziggurat_tables import EXPONENTIAL_START, MULTIPLIER, START

U32, U64 = np.uint32, np.uint64
WORD, HALF = U64(0xFFFFFFFF), U64(32)
MULTIPLIER_HIGH, MULTIPLIER_LOW = U64(MULTIPLIER >> 64), U64(MULTIPLIER & (2**64 - 1))
LENGTH, DISTANCE = 624, 397  # of the state of the Mersenne Twister, and between words that meet
UPPER, LOWER, TWIST = U32(0x80000000), U32(0x7FFFFFFF), U32(0x9908B0DF)


def _constants(tables) -> list[np.ndarray]:
    tables = [table.view() for table in tables]
    for table in tables:
        table.flags.writeable = False
    return tables


# For each layer: the integers below which a point is under the density, the width, the density.
LIMITS, WIDTHS, DENSITIES = _constants(ziggurat_tables.ziggurat())
TAIL_LIMITS, TAIL_WIDTHS, TAIL_DENSITIES = _constants(ziggurat_tables.exponential_ziggurat())


class Draws:
    """The methods of generators, by `_unit`, `_below`, `_normal` and `_exponential` of a subclass.

    An `assert` fails for what the generator raises an error of.
    """

    def random(self):
        return float(self._unit())

    def uniform(self, low=0.0, high=1.0):
        extent = np.float64(high) - np.float64(low)
        assert (extent >= 0.0) & (extent < np.inf)
        return float(np.float64(low) + extent * self._unit())

    def integers(self, low, high=None):
        return np.int64(self.randrange(low, high))

    def randrange(self, low, high=None):
        low, high = (0, low) if high is None else (low, high)
        most = int(high) - int(low) - 1
        assert (most >= 0) & (most < 2**32 - 1)
        return int(low) + int(U32(self._below(U64(most))))

    def standard_normal(self):
        return float(self._normal())

    def normal(self, loc=0.0, scale=1.0):
        assert scale >= 0.0
        return float(np.float64(loc) + np.float64(scale) * self._normal())

    def standard_exponential(self):
        return float(self._exponential())

    def exponential(self, scale=1.0):
        assert scale >= 0.0
        return float(np.float64(scale) * self._exponential())


class WordsOf64(Draws):
    """The draws of a generator of 64 bits. The words 4 and 5 of `state` have whether 32 bits are
    left over, and these.

    Uniform numbers take one draw each, so many are computed at once: `units(count, constant)` gives
    a function of no arguments that draws them, with `constant(table)` for each table.
    """

    at_once = {"random": "randoms", "uniform": "uniforms"}

    def __init__(self, state):
        self.arrays = (state,)

    def randoms(self, units):
        return units()

    def uniforms(self, units, low=0.0, high=1.0):
        extent = np.float64(high) - np.float64(low)
        assert (extent >= 0.0) & (extent < np.inf)
        return np.float64(low) + extent * units()

    def _next32(self):
        """32 bits, as an integer of 64."""
        (state,) = self.arrays
        if state[4] > U64(0):
            bits = state[5]
            state[4] = U64(0)
        else:
            both = self._next64()
            bits = both & WORD
            state[4] = U64(1)
            state[5] = both >> HALF
        return bits

    def _unit(self):
        return _unit_of(self._next64())

    def _below(self, most):
        """An integer up to `most`, which is less than 2**32 - 1, without bias: Lemire's method."""
        drawn = U64(0)
        if most > U64(0):
            count = most + U64(1)
            threshold = (WORD - most) % count
            product = self._next32() * count
            while (product & WORD) < threshold:
                product = self._next32() * count
            drawn = product >> HALF
        return drawn

    def _normal(self):
        """By the ziggurat method."""
        is_inside, x = self._normal_attempt()
        while not is_inside:
            is_inside, x = self._normal_attempt()
        return x

    def _normal_attempt(self):
        """Whether a point is under the density, and its number."""
        bits = self._next64()
        layer, whole = np.int64(bits & U64(255)), (bits >> U64(9)) & U64(2**52 - 1)
        sign = 1.0 - 2.0 * np.float64((bits >> U64(8)) & U64(1))
        x = np.float64(whole) * WIDTHS[layer] * sign
        is_inside = whole < LIMITS[layer]
        if not is_inside:
            if layer == 0:
                is_inside, x = layer >= 0, self._normal_tail(whole)
            else:
                low, high = DENSITIES[layer], DENSITIES[layer - 1]
                is_inside = (high - low) * self._unit() + low < np.exp(-0.5 * x * x)
        return is_inside, x

    def _normal_tail(self, whole):
        x, y = self._tail_point()
        while y + y <= x * x:
            x, y = self._tail_point()
        return (x + START) * (1.0 - 2.0 * np.float64((whole >> U64(8)) & U64(1)))

    def _tail_point(self):
        x = np.log1p(-self._unit()) * (-1.0 / START)
        return x, -np.log1p(-self._unit())

    def _exponential(self):
        """By the ziggurat method."""
        is_inside, x = self._exponential_attempt()
        while not is_inside:
            is_inside, x = self._exponential_attempt()
        return x

    def _exponential_attempt(self):
        """Whether a point is under the density, and its number."""
        bits = self._next64() >> U64(3)
        layer, whole = np.int64(bits & U64(255)), bits >> U64(8)
        x = np.float64(whole) * TAIL_WIDTHS[layer]
        is_inside = whole < TAIL_LIMITS[layer]
        if not is_inside:
            if layer == 0:
                is_inside, x = layer >= 0, EXPONENTIAL_START - np.log1p(-self._unit())
            else:
                low, high = TAIL_DENSITIES[layer], TAIL_DENSITIES[layer - 1]
                is_inside = (high - low) * self._unit() + low < np.exp(-x)
        return is_inside, x


class PermutedCongruential(WordsOf64):
    """`PCG64`, from which `np.random.default_rng` draws.

    `state` has the two halves of the state, those of the increment, and 32 bits that are left over
    after whether they are.
    """

    def _next64(self):
        (state,) = self.arrays
        high, low, increment_high, increment_low = state[0], state[1], state[2], state[3]
        new_low = low * MULTIPLIER_LOW + increment_low
        carry = U64(new_low < increment_low)
        new_high = _high_product(low, MULTIPLIER_LOW) + low * MULTIPLIER_HIGH
        new_high = new_high + high * MULTIPLIER_LOW + increment_high + carry
        state[0] = new_high
        state[1] = new_low
        return _output(new_high, new_low)

    def units(self, count, constant):
        """A step multiplies and adds, so any number of steps do: `far` ones for each row of the
        numbers, and `near` ones in it.
        """
        width = math.isqrt(count - 1) + 1
        near = list(map(constant, _steps(1, 1, width)))
        rows = _steps(0, width, -(-count // width))
        far = [constant(table.reshape(-1, 1)) for table in rows]
        last = [U64(table[0]) for table in _steps(count, 1, 1)]

        def draw():
            (state,) = self.arrays
            begin, increment = (state[0], state[1]), (state[2], state[3])
            high, low = _moved(_moved(begin, far, increment), near, increment)
            state[0], state[1] = _moved(begin, last, increment)
            return _unit_of(_output(high, low)).reshape(-1)[:count]

        return draw


def _output(high, low):
    mixed, rotation = high ^ low, high >> U64(58)
    return (mixed >> rotation) | (mixed << ((U64(64) - rotation) & U64(63)))


def _unit_of(word):
    return (word >> U64(11)) * np.float64(2.0**-53)


def _steps(first: int, by: int, count: int) -> list[np.ndarray]:
    """What `first` steps, and `by` more again and again, multiply the state by, and the increment:
    the upper and the lower halves of both.
    """
    powers, sums = [pow(MULTIPLIER, first, 2**128)], [_sum_of_powers(first)]
    power, total = pow(MULTIPLIER, by, 2**128), _sum_of_powers(by)
    for _ in range(count - 1):
        powers.append(powers[-1] * power % 2**128)
        sums.append((sums[-1] * power + total) % 2**128)
    halves = [[half(n) for n in ns] for ns in (powers, sums) for half in (_upper, _lower)]
    return [np.array(words, U64) for words in halves]


def _upper(number: int) -> int:
    return number >> 64


def _lower(number: int) -> int:
    return number % 2**64


def _sum_of_powers(count: int) -> int:
    """That of the first powers of the multiplier."""
    return (pow(MULTIPLIER, count, (MULTIPLIER - 1) << 128) - 1) // (MULTIPLIER - 1) % 2**128


def _moved(state, steps, increment):
    """The halves of a state after steps of a table."""
    high, low = _product(state, steps[:2])
    plus_high, plus_low = _product(increment, steps[2:])
    new = low + plus_low
    return high + plus_high + _as_word(new < low), new


def _product(one, other):
    """The lower 128 bits of a product of numbers of two halves."""
    (high, low), (other_high, other_low) = one, other
    return _high_product(low, other_low) + low * other_high + high * other_low, low * other_low


def _as_word(condition):
    return np.where(condition, U64(1), U64(0))


class Philox(WordsOf64):
    """Blocks of four words, which follow from a counter of four words and a key of two.

    `state` has the counter, 32 bits that are left over after whether they are, the key, how many
    words of the block of the counter are used, and that block.
    """

    def _next64(self):
        (state,) = self.arrays
        used = np.int64(state[8])
        if used >= 4:
            self._go_to(U64(1))
            used = np.int64(0)
        state[8] = U64(used + 1)
        return state[9 + used]

    def _go_to(self, distance):
        """Make the block of so many blocks later the present one."""
        (state,) = self.arrays
        state[0], state[1], state[2], state[3] = self._counter(distance)
        counter = state[0], state[1], state[2], state[3]
        state[9], state[10], state[11], state[12] = _block(*counter, state[6], state[7])

    def _counter(self, distance):
        """The counter of a later block."""
        (state,) = self.arrays
        a = state[0] + distance
        b = state[1] + _as_word(a < distance)
        c = state[2] + _as_word((a < distance) & (b == U64(0)))
        d = state[3] + _as_word((a < distance) & (b == U64(0)) & (c == U64(0)))
        return a, b, c, d

    def units(self, count, constant):
        def draw():
            (state,) = self.arrays
            places = np.arange(count).astype(U64) + state[8]
            words = _block(*self._counter(places >> U64(2)), state[6], state[7])
            column = places & U64(3)
            even = np.where(column == U64(0), words[0], words[2])
            odd = np.where(column == U64(1), words[1], words[3])
            numbers = _unit_of(np.where((column & U64(1)) == U64(0), even, odd))
            end = state[8] + U64(count)
            blocks = (end - U64(1)) >> U64(2)
            if blocks > U64(0):
                self._go_to(blocks)
            state[8] = end - (blocks << U64(2))
            return numbers

        return draw


def _block(a, b, c, d, key0, key1):
    for _ in range(10):
        upper, lower = _high_product(a, PHILOX[0]), a * PHILOX[0]
        high, low = _high_product(c, PHILOX[1]), c * PHILOX[1]
        a, b, c, d = high ^ b ^ key0, low, upper ^ d ^ key1, lower
        key0, key1 = key0 + WEYL[0], key1 + WEYL[1]
    return a, b, c, d


def _high_product(one, other):
    """The upper 64 bits of a product of 128 bits."""
    low, high, other_low, other_high = one & WORD, one >> HALF, other & WORD, other >> HALF
    first = high * other_low + ((low * other_low) >> HALF)
    second = low * other_high + (first & WORD)
    return high * other_high + (first >> HALF) + (second >> HALF)


class MersenneTwister(Draws):
    """`MT19937`, from which functions of `np.random` draw.

    The arrays are the state, and the number of its words that are used up.
    """

    def __init__(self, *arrays):
        self.arrays = arrays

    def _twist(self):
        """New words. Those beyond the end of the state are at its beginning: no loop meets both."""
        key, used = self.arrays[:2]
        near = LENGTH - DISTANCE
        for at in range(near):
            key[at] = key[at + DISTANCE] ^ _twisted(key[at], key[at + 1])
        for at in range(near, LENGTH - 1):
            key[at] = key[at - near] ^ _twisted(key[at], key[at + 1])
        key[LENGTH - 1] = key[DISTANCE - 1] ^ _twisted(key[LENGTH - 1], key[0])
        used[0] = 0

    def _next32(self):
        """32 bits, as an integer of 64."""
        key, used = self.arrays[:2]
        if used[0] >= LENGTH:
            self._twist()
        bits = key[used[0]]
        used[0] += 1
        bits = bits ^ (bits >> U32(11))
        bits = bits ^ ((bits << U32(7)) & U32(0x9D2C5680))
        bits = bits ^ ((bits << U32(15)) & U32(0xEFC60000))
        return U64(bits ^ (bits >> U32(18)))

    def _unit(self):
        high, low = self._next32() >> U64(5), self._next32() >> U64(6)
        return (np.float64(high) * 67108864.0 + np.float64(low)) / 9007199254740992.0

    def _below(self, most):
        """An integer up to `most`, which is less than 2**32 - 1: bits until they are few enough."""
        mask = most
        for shift in (1, 2, 4, 8, 16):
            mask = mask | (mask >> U64(shift))
        bits = U64(0)
        if most > U64(0):
            bits = self._next32() & mask
            while bits > most:
                bits = self._next32() & mask
        return bits

    def _normal(self):
        """By the polar method, of which a number of a pair is kept with whether it is."""
        kept, left = self.arrays[2:]
        if kept[0] > 0:
            kept[0] = 0
            number = left[0]
            left[0] = 0.0  # as NumPy leaves it
        else:
            x, y = self._point()
            while (x * x + y * y >= 1.0) | (x * x + y * y == 0.0):
                x, y = self._point()
            square = x * x + y * y
            factor = np.sqrt(np.log(square) * -2.0 / square)
            kept[0] = 1
            left[0] = factor * x
            number = factor * y
        return number

    def _point(self):
        x = self._unit() * 2.0 - 1.0
        return x, self._unit() * 2.0 - 1.0

    def _exponential(self):
        return np.log(1.0 - self._unit()) * -1.0


def _twisted(word, after):
    mixed = (word & UPPER) | (after & LOWER)
    odd = U32(0) - (mixed & U32(1))  # all bits, or none
    return (mixed >> U32(1)) ^ (odd & TWIST)


class OfPython(MersenneTwister):
    """The generator of Python's `random`."""

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def expovariate(self, lambd):
        assert lambd != 0.0
        return float(self._exponential() / np.float64(lambd))

    def gauss(self, mu=0.0, sigma=1.0):
        return self.normal(mu, sigma)

    def _below(self, most):
        """An integer up to `most`: the upper bits of draws until they are few enough."""
        count = most + U64(1)
        length = U64(1)
        while (count >> length) > U64(0):
            length = length + U64(1)
        bits = self._next32() >> (HALF - length)
        while bits >= count:
            bits = self._next32() >> (HALF - length)
        return bits

    def _normal(self):
        kept, left = self.arrays[2:]
        if kept[0] > 0:
            kept[0] = 0
            number = left[0]
        else:
            angle = self._unit() * (2.0 * np.pi)
            radius = np.sqrt(np.log(1.0 - self._unit()) * -2.0)
            kept[0] = 1
            left[0] = np.sin(angle) * radius
            number = np.cos(angle) * radius
        return number
