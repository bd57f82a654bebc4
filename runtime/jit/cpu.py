"""Which processor this is, and what it can do.

On x86-64 with Linux the processor says so itself, by its instruction CPUID, asked what LLVM asks it
too. Elsewhere LLVM is asked, which has to be loaded first.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import sys

from .loader import executable_memory

EAX, EBX, ECX, EDX = range(4)
# Questions, with the registers of the answer that LLVM looks at: others depend on the core.
ASKED = {
    (0x0, 0): (EAX, EBX, ECX, EDX),
    (0x1, 0): (EAX, ECX, EDX),
    (0x7, 0): (EBX, ECX, EDX),
    (0x7, 1): (EAX, EBX, ECX, EDX),
    (0xD, 1): (EAX,),
    (0x14, 0): (EBX,),
    (0x19, 0): (EBX,),
    (0x1E, 1): (EAX,),
    (0x24, 0): (EBX,),
    (0x80000001, 0): (ECX, EDX),
    (0x80000008, 0): (EBX,),
}
KEPT = "kept"  # the key of the registers that the system keeps for each thread
HALVES, WHOLES = 0b110, 0b11100110  # of them: vectors of 32 bytes, and of 64
# Of a few features: the bit of an answer, and what the system has to keep for it.
BITS = {
    "avx": ((0x1, 0), ECX, 28, HALVES),
    "fma": ((0x1, 0), ECX, 12, HALVES),
    "avx512f": ((0x7, 0), EBX, 16, WHOLES),
}
SAVING = (0x1, 0), ECX, 27  # whether the instruction XGETBV is there

CPUID = bytes.fromhex(  # a function of C: (question, part of it, address of four results)
    "53"  # push rbx
    "4989d0"  # mov r8, rdx
    "89f8"  # mov eax, edi
    "89f1"  # mov ecx, esi
    "0fa2"  # cpuid
    "418900"  # mov [r8], eax
    "41895804"  # mov [r8 + 4], ebx
    "41894808"  # mov [r8 + 8], ecx
    "4189500c"  # mov [r8 + 12], edx
    "5b"  # pop rbx
    "c3"  # ret
)
XGETBV = bytes.fromhex("31c9 0f01d0 c3")  # xor ecx, ecx; xgetbv; ret


@functools.cache
def is_arm() -> bool:
    """Whether it is an ARM processor of 64 bits."""
    return platform.machine().lower() in ("arm64", "aarch64")


@functools.cache
def identity() -> str:
    """What machine code depends on, besides its text: code runs where this is the same."""
    answers = _answers()
    if answers is None:
        from .loader import llvm_backend

        return llvm_backend.processor()
    return repr((getattr(sys.implementation, "_multiarch", ""), answers))


@functools.cache
def has(feature: str) -> bool:
    """Whether there are instructions of a kind in BITS, by LLVM's name for it."""
    answers = _answers()
    if answers is None:
        try:
            from llvmlite import binding
        except ImportError:  # a program is only explained, not compiled
            return False
        return bool(binding.get_host_cpu_features().get(feature, False))
    question, register, bit, kept = BITS[feature]
    return answers[KEPT] & kept == kept and _bit(answers, question, register, bit)


@functools.cache
def has_fused_multiply_add() -> bool:
    """Whether the processor multiplies and adds with one rounding; else that is a slow call."""
    return is_arm() or has("fma")


@functools.cache
def vector_registers() -> tuple[int, int]:
    """The bytes of a vector, and how many of them the processor holds."""
    if is_arm():
        return 16, 32
    if has("avx512f"):
        return 64, 32
    return 32 if has("avx") else 16, 16


@functools.cache
def _answers() -> dict | None:
    """What the processor says; None where it cannot be asked."""
    if platform.machine() != "x86_64" or sys.maxsize < 2**32:
        return None
    try:
        ask = _function(CPUID, None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)
        kept = _function(XGETBV, ctypes.c_uint32)
    except OSError:  # another system, or one that does not let us run it
        return None
    answer = (ctypes.c_uint32 * 4)()
    made: dict = {}
    last: dict = {}  # the greatest question of each family
    for (question, part), registers in ASKED.items():
        family = question & 0x80000000
        if family not in last:
            ask(family, 0, answer)
            last[family] = answer[EAX]
        if question <= last[family]:
            ask(question, part, answer)
            made[question, part] = {register: answer[register] for register in registers}
    made[KEPT] = kept() if _bit(made, *SAVING) else 0
    return made


def _bit(answers: dict, question: tuple[int, int], register: int, bit: int) -> bool:
    return bool(answers.get(question, {}).get(register, 0) >> bit & 1)


def _function(code: bytes, result, *arguments):
    """Machine code as a function."""
    address = executable_memory.reserved(len(code))
    executable_memory.fill(address, code)
    return ctypes.CFUNCTYPE(result, *arguments)(address)
