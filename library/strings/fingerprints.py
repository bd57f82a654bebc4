"""Hashes of strings: FarmHash, MurmurHash and SipHash, and strings as numbers of buckets."""

from __future__ import annotations

import struct

import numpy as np

from ... import int64, uint8
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ANY, STRINGS, Spec, hidden_op, map_elements
from ...extend.registration import public

MASK = 2**64 - 1
K0, K1, K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
MURMUR = 0xC6A4A7935BD1E995


def _word(data: bytes, start: int) -> int:
    return struct.unpack_from("<Q", data, start)[0]


def _rotated(value: int, count: int) -> int:
    """The bits of a number of 64 bits, rotated to the right."""
    value &= MASK
    return (value >> count | value << 64 - count) & MASK


def _mixed(value: int) -> int:
    return value ^ value >> 47


def _of_pair(u: int, v: int, factor: int) -> int:
    a = _mixed((u ^ v) * factor & MASK)
    return _mixed((v ^ a) * factor & MASK) * factor & MASK


def fingerprint(data: bytes) -> int:
    """FarmHash's fingerprint of 64 bits (Pike, 2014), which is the same on all machines.

    >>> fingerprint(b"A") % 3
    1
    """
    size = len(data)
    if size <= 16:
        return _of_short(data, size)
    if size <= 64:
        return _of_medium(data, size)
    return _of_long(data, size)


def _of_short(data: bytes, size: int) -> int:
    factor = K2 + size * 2
    if size >= 8:
        a, b = _word(data, 0) + K2, _word(data, size - 8)
        c = _rotated(b, 37) * factor + a
        return _of_pair(c & MASK, (_rotated(a, 25) + b) * factor & MASK, factor)
    if size >= 4:
        first, last = struct.unpack_from("<I", data)[0], struct.unpack_from("<I", data, size - 4)[0]
        return _of_pair(size + (first << 3), last, factor)
    if size:
        y, z = data[0] + (data[size >> 1] << 8), size + (data[-1] << 2)
        return _mixed((y * K2 ^ z * K0) & MASK) * K2 & MASK
    return K2


def _of_medium(data: bytes, size: int) -> int:
    factor = K2 + size * 2
    a, b = _word(data, 0) * (K1 if size <= 32 else K2) & MASK, _word(data, 8)
    c, d = _word(data, size - 8) * factor & MASK, _word(data, size - 16) * K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d & MASK
    z = _of_pair(y, a + _rotated(b + K2, 18) + c & MASK, factor)
    if size <= 32:
        return z
    e, f = _word(data, 16) * factor & MASK, _word(data, 24)
    g = (y + _word(data, size - 32)) * factor & MASK
    h = (z + _word(data, size - 24)) * factor & MASK
    u = _rotated(e + f, 43) + _rotated(g, 30) + h & MASK
    return _of_pair(u, e + _rotated(f + a, 18) + g & MASK, factor)


def _seeded(data: bytes, start: int, a: int, b: int) -> tuple[int, int]:
    """32 bytes hashed with two seeds."""
    w, x, y, z = struct.unpack_from("<4Q", data, start)
    a += w
    b = _rotated(b + a + z, 21)
    c = a
    a += x + y
    return a + z & MASK, b + _rotated(a, 44) + c & MASK


def _of_long(data: bytes, size: int) -> int:
    y = 81 * K1 + 113 & MASK
    z = _mixed(y * K2 + 113 & MASK) * K2 & MASK
    x = 81 * K2 + _word(data, 0) & MASK
    v = w = (0, 0)
    for start in range(0, (size - 1) // 64 * 64, 64):
        x, y, z, v, w = _round(data, start, x, y, z, v, w, K1, 1)
    factor = K1 + ((z & 0xFF) << 1)
    first = w[0] + (size - 1 & 63)
    v = (v[0] + first & MASK, v[1])
    w = (first + v[0] & MASK, w[1])
    x, y, z, v, w = _round(data, size - 64, x, y, z, v, w, factor, 9)
    left = _of_pair(v[0], w[0], factor) + _mixed(y) * K0 + z
    return _of_pair(left & MASK, _of_pair(v[1], w[1], factor) + x & MASK, factor)


def _round(data: bytes, start: int, x, y, z, v, w, factor: int, weight: int) -> tuple:
    """64 bytes taken into the state; `weight` is 9 for the last ones."""
    x = _rotated(x + y + v[0] + _word(data, start + 8), 37) * factor & MASK
    y = _rotated(y + v[1] + _word(data, start + 48), 42) * factor & MASK
    x ^= w[1] * weight & MASK
    y = y + v[0] * weight + _word(data, start + 40) & MASK
    z = _rotated(z + w[0], 33) * factor & MASK
    v = _seeded(data, start, v[1] * factor, x + w[0])
    w = _seeded(data, start + 32, z + w[1], y + _word(data, start + 16))
    return z, y, x, v, w


def joined_fingerprints(one: int, other: int) -> int:
    """The fingerprint of a pair, of those of its parts."""
    made = one ^ MURMUR ^ _mixed(other * MURMUR & MASK) * MURMUR & MASK
    made = _mixed(made * MURMUR & MASK) * MURMUR & MASK
    return _mixed(made)


def murmur_hash(data: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A (Appleby, 2008)."""
    made, whole = seed ^ len(data) * MURMUR & MASK, len(data) // 8 * 8
    for start in range(0, whole, 8):
        word = _mixed(_word(data, start) * MURMUR & MASK) * MURMUR & MASK
        made = (made ^ word) * MURMUR & MASK
    if data[whole:]:
        made = (made ^ int.from_bytes(data[whole:], "little")) * MURMUR & MASK
    return _mixed(_mixed(made) * MURMUR & MASK)


def keyed_hash(data: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 (Aumasson, Bernstein, 2012): nobody finds collisions without the key."""
    k0, k1 = (one & MASK for one in key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]  # fmt: skip
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        _sip_rounds(v, 2)
        v[0] ^= word
    v[2] ^= 255
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_rounds(v: list[int], count: int) -> None:
    for _ in range(count):
        for a, b, shift in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
            v[a] = v[a] + v[b] & MASK
            v[b] = _rotated(v[b], 64 - shift) ^ v[a]
            if shift in (13, 17):
                v[a] = _rotated(v[a], 32)


# ---- operations ------------------------------------------------------------------------------

HASHES = {"fast": fingerprint, "plain": murmur_hash}


@hidden_op
class HashBucket:
    """A bucket for each string: its hash modulo the number of buckets."""

    accepts = STRINGS
    elementwise = True

    def kernel(x, *, num_buckets, how, key):
        hashed = HASHES.get(how) or (lambda data: keyed_hash(data, key))
        return map_elements(lambda data: hashed(data) % num_buckets, x, np.int64)

    def result(x, *, num_buckets, how, key):
        return Spec(int64, x.shape)


def _buckets(strings, num_buckets: int, how: str, key=None):
    if num_buckets < 1:
        raise InvalidArgumentError(f"the number of buckets is positive, not {num_buckets}")
    attrs = {"num_buckets": num_buckets, "how": how, "key": key}
    return HashBucket(strings, **attrs)  # type: ignore[call-arg]


@public("strings.to_hash_bucket_fast")
def to_hash_bucket_fast(input, num_buckets, name=None):
    """A bucket for each string, below `num_buckets`, by FarmHash.

    >>> ag.strings.to_hash_bucket_fast(["A", "B", "A"], 3).numpy()
    array([1, 0, 1])
    """
    return _buckets(input, num_buckets, "fast")


@public("strings.to_hash_bucket")
def to_hash_bucket(input, num_buckets, name=None):
    """A bucket for each string, below `num_buckets`, by MurmurHash.

    >>> ag.strings.to_hash_bucket(["A", "B", "A"], 3).shape
    TensorShape([3])
    """
    return _buckets(input, num_buckets, "plain")


@public("strings.to_hash_bucket_strong")
def to_hash_bucket_strong(input, num_buckets, key, name=None):
    """A bucket for each string, below `num_buckets`, by SipHash with a `key` of two integers.

    Nobody who does not know the key can choose strings that collide.

    >>> ag.strings.to_hash_bucket_strong(["A", "C"], 3, key=[133, 133]).numpy()
    array([0, 2])
    """
    return _buckets(input, num_buckets, "strong", tuple(map(int, key)))


@hidden_op
class Fingerprint:
    """FarmHash's fingerprint of the bytes of each row, as 8 bytes."""

    accepts = ANY

    def kernel(data):
        rows = np.asarray(data)
        if rows.dtype.hasobject:
            rows = rows.reshape(len(rows), -1)
            parts = [_fingerprint_of_strings(row) for row in rows.tolist()]
        else:
            parts = [fingerprint(np.ascontiguousarray(row).tobytes()) for row in rows]
        return np.array(parts, "<u8").view(np.uint8).reshape(len(rows), 8)

    def result(data):
        return Spec(uint8, (None if data.shape is None else data.shape[0], 8))


def _fingerprint_of_strings(row: list[bytes]) -> int:
    """That of one string, or of the fingerprints of several."""
    found = [fingerprint(one) for one in row]
    return found[0] if len(found) == 1 else fingerprint(struct.pack(f"<{len(found)}Q", *found))


@public("fingerprint")
def fingerprint_of_rows(data, method="farmhash64", name=None):
    """A number of 64 bits for the content of each row, as 8 bytes: [rows, 8].

    >>> ag.fingerprint(ag.constant(["a", "b"])).shape
    TensorShape([2, 8])

    Raises ValueError for a method other than "farmhash64".
    """
    if method != "farmhash64":
        raise ValueError(f"fingerprint: the method is 'farmhash64', not {method!r}")
    return Fingerprint(data)
