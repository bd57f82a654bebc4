"""Digests of texts and files. The module `hashlib` loads OpenSSL first, which takes 3 ms."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # where `hashlib` has it from
except ImportError:
    from hashlib import blake2b

SIZE = 32  # bytes


def digest(content: bytes) -> bytes:
    """32 bytes that are others for any other content."""
    return blake2b(content, digest_size=SIZE).digest()
