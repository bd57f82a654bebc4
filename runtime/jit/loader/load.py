"""Machine code as functions of this process: placed by ourselves, or by LLVM where we cannot."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable

from .elf import UnknownObjectError, placed


class _Definition(ctypes.Structure):
    """How Python knows a function of C."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    ]


_FASTCALL = 0x0080  # METH_FASTCALL: an array of arguments, and their number
_KEPT: list[_Definition] = []


def addresses(code: bytes) -> Callable[[str], int | None]:
    """Where the functions of an object file are by their names, in this process."""
    try:
        return placed(code).get
    except UnknownObjectError:
        from . import llvm_backend

        return llvm_backend.placed(code)


def load(code: bytes, name: str) -> tuple[Callable, list[int]]:
    """The function that enters a kernel, and the addresses of its parts."""
    address = addresses(code)
    definition = _Definition(name.encode(), address(name), _FASTCALL, None)
    _KEPT.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    function = make(ctypes.addressof(definition), None, None)
    parts = (address(f"{name}_part_{at}") for at in itertools.count(1))
    return function, list(itertools.takewhile(bool, parts))
