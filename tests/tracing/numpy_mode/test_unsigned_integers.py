"""`jit`: Python's integers of 64 bits without a sign, as hashes and random generators have them."""

import numpy as np
import pytest
from test_jit import check

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)
DATA = random.integers(0, 256, 200).astype(np.uint8)
MASK = 0xFFFFFFFFFFFFFFFF


def fnv(data):
    state = 14695981039346656037
    for byte in data:
        state = ((state ^ int(byte)) * 1099511628211) & MASK
    return state


def fnv_by_remainders(data):
    state = 14695981039346656037
    for byte in data:
        state ^= int(byte)
        state *= 1099511628211
        state %= 2**64
    return state


def fractions(seed, count):
    out, state = np.empty(count), seed
    for i in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        out[i] = (state >> 11) / (1 << 53)
    return out, state


def shifted(state, count):
    out = np.zeros(count)
    for i in range(count):
        state ^= (state << 13) & MASK
        state ^= state >> 7
        state ^= (state << 17) & MASK
        out[i] = state / 2**64
    return out, state


def mixed(seed, count):
    state, out = seed, np.zeros(count, dtype=np.uint64)
    for i in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        out[i] = word ^ (word >> 31)
    return out, state


def rotated(word, count):
    return ((word << count) | (word >> (64 - count))) & MASK


def in_lists(seed, count):
    one, other, found = seed + 1, 12345678912345678912, []
    for _ in range(count):
        found.append((rotated((one * 5) & MASK, 7) * 9) & MASK)
        other ^= one
        one = rotated(one, 24) ^ other ^ ((other << 16) & MASK)
    return found


def other_uses(seed, count):
    state, total, large, most = seed, 0.0, 0, 0
    for i in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        total += float(state) * 1e-20 + state / 2**64
        large += state > 9223372036854775807
        most = max(most, state)
        word = state if i % 2 else state >> 3
        total += word % 1000000007 + word // 10**12 + (~word & MASK) % 10 + (-i & MASK) % 7
    return state, total, large, most, np.uint64(state)


def of_words(words):
    state = 0
    for word in words:
        state = (state * 31 + int(word)) & MASK
    return state


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (fnv, (DATA,)),
        (fnv_by_remainders, (DATA,)),
        (fractions, (12345, 100)),
        (shifted, (88172645463325252, 100)),
        (mixed, (0, 100)),
        (in_lists, (7, 100)),
        (other_uses, (2**40, 100)),
        (of_words, (random.integers(0, 2**63, 50, dtype=np.uint64) * 2,)),
    ],
)
def test_integers_of_64_bits_are_native_where_masks_keep_them(function, args):
    check(function, *args)


def beyond(seed, count):
    state = seed
    for _ in range(count):
        state = (state * 2862933555777941757) & MASK
        other = state + count
    return other, state - 5, state * 3, -state, state ^ (count - 100)


def test_of_larger_and_negative_results_python_computes():
    for seed in (1, 3, 2**50):
        check(beyond, seed, 60)
