"""Strings of numbers: sieves, checksums, searches and sorts of integers."""

import numpy as np

from .program import program


@program(lambda r, n: (n,), 60, 200_000)
def sieve(limit):
    prime = np.ones(limit, dtype=np.bool_)
    prime[:2] = False
    i = 2
    while i * i < limit:
        if prime[i]:
            prime[i * i :: i] = False
        i += 1
    return prime


@program(lambda r, n: (n,), 30, 5000)
def longest_collatz(limit):
    best, most = 0, 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > most:
            best, most = start, steps
    return best, most


@program(lambda r, n: (r.integers(0, 256, n).astype(np.uint8), 0xEDB88320), 12, 20_000)
def checksum(data, polynomial):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= int(byte)
        for _ in range(8):
            if value & 1:
                value = (value >> 1) ^ polynomial
            else:
                value >>= 1
    return value ^ 0xFFFFFFFF


@program(lambda r, n: (r.integers(0, 2, n), r.integers(0, 2, 5)), 40, 60_000)
def find_pattern(text, pattern):
    m = pattern.shape[0]
    border = np.zeros(m, dtype=np.int64)
    k = 0
    for i in range(1, m):
        while k > 0 and pattern[k] != pattern[i]:
            k = border[k - 1]
        if pattern[k] == pattern[i]:
            k += 1
        border[i] = k
    found = 0
    k = 0
    for i in range(text.shape[0]):
        while k > 0 and pattern[k] != text[i]:
            k = border[k - 1]
        if pattern[k] == text[i]:
            k += 1
        if k == m:
            found += 1
            k = border[k - 1]
    return found


@program(lambda r, n: (np.repeat(r.integers(0, 9, n), 3),), 6, 20_000)
def run_lengths(values):
    heads = np.zeros_like(values)
    lengths = np.zeros(values.shape, dtype=np.int64)
    count = 0
    for i in range(values.size):
        if i > 0 and values[i] == values[i - 1]:
            lengths[count - 1] += 1
        else:
            heads[count] = values[i]
            lengths[count] = 1
            count += 1
    return heads, lengths, count


@program(lambda r, n: (r.integers(0, 1 << 20, n),), 12, 20_000)
def radix_sort(values):
    source, target = values.copy(), np.empty_like(values)
    for shift in range(0, 20, 5):
        counts = np.zeros(33, dtype=np.int64)
        for i in range(source.shape[0]):
            counts[((source[i] >> shift) & 31) + 1] += 1
        for d in range(32):
            counts[d + 1] += counts[d]
        for i in range(source.shape[0]):
            digit = (source[i] >> shift) & 31
            target[counts[digit]] = source[i]
            counts[digit] += 1
        source, target = target, source
    return source


@program(lambda r, n: (r.integers(0, 100, n),), 10, 300)
def insertion_sort(values):
    for i in range(1, len(values)):
        value = values[i]
        j = i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value
    return values


@program(lambda r, n: (r.integers(0, 1 << 40, n).astype(np.uint64),), 9, 200_000)
def count_bits(words):
    words = words - ((words >> np.uint64(1)) & np.uint64(0x5555555555555555))
    two = np.uint64(0x3333333333333333)
    words = (words & two) + ((words >> np.uint64(2)) & two)
    words = (words + (words >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (words * np.uint64(0x0101010101010101)) >> np.uint64(56)
