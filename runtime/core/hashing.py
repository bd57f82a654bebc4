"""Digests of strings and files. `hashlib` loads OpenSSL, which takes 3 to 5 ms at start-up."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # the module behind `hashlib.blake2b`
except ImportError:
    from hashlib import blake2b

SIZE = 32  # bytes


def digest(content: bytes, key: bytes = b"") -> bytes:
    """32 bytes that are others for any other content; with a key, only who has it computes them."""
    return blake2b(content, digest_size=SIZE, key=key).digest()
