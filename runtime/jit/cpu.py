"""The processor that kernels are compiled for: its identity, its features, its vector registers.

Linux on x86-64 lists in /proc/cpuinfo the features that the processor has and the system enabled.
Elsewhere LLVM answers, which has to be loaded for it.
"""

from __future__ import annotations

import functools
import os
import platform
import sys

from ..core.tracebacks import is_from_handler

CPUINFO = "/proc/cpuinfo"
MODEL = ("vendor_id", "cpu family", "model", "stepping")  # LLVM tunes code for these


@functools.cache
def is_arm() -> bool:
    """Whether this is a 64-bit ARM processor."""
    return platform.machine().lower() in ("arm64", "aarch64")


@functools.cache
def identity() -> str | None:
    """What machine code depends on besides its source; None where only LLVM knows."""
    entries = _cpuinfo()
    if entries is None:
        return None
    model = [entries.get(name) for name in MODEL]
    return repr((getattr(sys.implementation, "_multiarch", ""), *model, sorted(_flags(entries))))


@functools.cache
def has(feature: str) -> bool:
    """Whether the processor has a feature: "avx", "avx512f" or "fma"."""
    entries = _cpuinfo()
    if entries is not None:
        return feature in _flags(entries)
    try:
        from llvmlite import binding
    except ImportError:  # a program is only explained, not compiled
        return False
    return bool(binding.get_host_cpu_features().get(feature, False))


@functools.cache
def has_fused_multiply_add() -> bool:
    """Whether the processor has fused multiply-add; without it, `fma` is a slow library call."""
    return is_arm() or has("fma")


@functools.cache
def compresses_slowly() -> bool:
    """Whether vectors are stored compressed by microcode: so does AMD's fourth generation."""
    entries = _cpuinfo() or {}
    is_zen = entries.get("vendor_id") == "AuthenticAMD" and entries.get("cpu family") == "25"
    return is_zen and has("avx512f")


@functools.cache
def vector_registers() -> tuple[int, int]:
    """The size of a vector register in bytes, and the number of vector registers."""
    if is_arm():
        return 16, 32
    if has("avx512f"):
        return 64, 32
    return 32 if has("avx") else 16, 16


@functools.cache
def _cpuinfo() -> dict[str, str] | None:
    """The entries of the first processor in /proc/cpuinfo; None on other systems."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or sys.maxsize < 2**32:
        return None
    try:
        lines = _first_block(CPUINFO).splitlines()
    except OSError as error:
        if is_from_handler(error):
            raise
        return None
    pairs = (line.partition(":") for line in lines)
    entries = {name.strip(): value.strip() for name, _, value in pairs}
    return entries if "flags" in entries else None


def _first_block(path: str) -> str:
    """The text up to the first empty line: the system makes the rest only when it is read."""
    read = b""
    handle = os.open(path, os.O_RDONLY)
    try:
        while b"\n\n" not in read and (more := os.read(handle, 4096)):
            read += more
    finally:
        os.close(handle)
    return read.partition(b"\n\n")[0].decode("utf-8", "replace")


def _flags(entries: dict[str, str]) -> list[str]:
    return entries["flags"].split()
