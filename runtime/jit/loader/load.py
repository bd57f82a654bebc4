"""Object files to functions of this process: by our own loader, or by LLVM where that cannot.

The environment variable ALLOGRAPH_LOADER=llvm leaves every object file to LLVM.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Callable

from ...core.errors import InvalidArgumentError
from ...core.tracebacks import is_from_handler
from . import elf
from .shared_words import immortal


class _Definition(ctypes.Structure):
    """A `PyMethodDef`: how Python describes a function of C."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


_FASTCALL = 0x0080  # METH_FASTCALL: an array of arguments, and their number
_KEYWORDS = 0x0002  # METH_KEYWORDS: also a tuple with the names of the last ones
_CALLS: dict[str, _Definition] = {}  # the functions of `entry/bound_call.py`
VARIABLE = "ALLOGRAPH_LOADER"
LOADERS = ("auto", "llvm")


def load(code: bytes, name: str, is_new: bool = False) -> tuple[Callable, int, list[int]]:
    """The function that enters the kernel of an object file, its address, and the addresses of the
    parallel regions.

    `is_new` says that the file comes from LLVM in this process: what our own loader does not know
    is left to LLVM then. LLVM ends the process where a file makes no sense, so any other file is
    an ObjectFileError.
    """
    address = addresses(code, is_new)
    entry = address(name)
    if not entry:
        raise elf.ObjectFileError(f"no function {name!r} in the object file")
    function = python_function(_definition(name, entry), None)
    regions = (address(f"{name}_region_{at}") or 0 for at in itertools.count(1))
    return function, entry, list(itertools.takewhile(bool, regions))


def _definition(name: str, address: int, flags: int = _FASTCALL) -> _Definition:
    """How Python describes the function at an address. Python keeps its address, and no more."""
    return immortal(_Definition(name.encode(), address, flags, None))


def bound(name: str, this: tuple) -> Callable:
    """A function of `define_calls`, with what its code gets before the arguments."""
    return python_function(_CALLS[name], this)


def define_calls(names: tuple[str, ...], address: Callable[[str], int | None]) -> None:
    """Let functions, also those that `bound` made before, run the code at these addresses."""
    for name in names:
        place = address(name)
        if not place:
            raise elf.ObjectFileError(f"no function {name!r} in the library")
        if name not in _CALLS:
            own = _definition(name, place, _FASTCALL | _KEYWORDS)
            _CALLS.setdefault(name, own)  # another thread may be faster
        _CALLS[name].function = place


def python_function(definition: _Definition, this: object) -> Callable:
    """A function for Python. Its code gets `this` before the arguments."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(definition), this, None)


def addresses(code: bytes, is_new: bool) -> Callable[[str], int | None]:
    """A function that gives the address of a function of an object file by its name."""
    if _chosen() == "auto" and elf.IS_SUPPORTED:
        try:
            return elf.loaded(code).get
        except OSError as error:  # the system forbids to execute memory of ours
            if is_from_handler(error):
                raise
        except elf.ObjectFileError:
            if not is_new:
                raise
    from . import llvm_backend

    return llvm_backend.loaded(code)


def _chosen() -> str:
    """The loader that the user chose."""
    chosen = os.environ.get(VARIABLE) or LOADERS[0]
    if chosen not in LOADERS:
        known = " or ".join(map(repr, LOADERS))
        raise InvalidArgumentError(f"{VARIABLE}={chosen}: no such loader", f"Set it to {known}.")
    return chosen
