"""Functions of C, from `ctypes` and `cffi`, as functions of Numba that call them by address."""

from __future__ import annotations

import ctypes
import types as python_types
from typing import Any

from ....runtime.core.errors import InvalidArgumentError

CTYPES = ctypes._CFuncPtr  # type: ignore[attr-defined] - the base of all functions of ctypes
NEEDS_GIL = 0x4  # the flag of functions of Python's own
CFFI = "_cffi_backend"  # the module of the values of cffi


def is_c_function(function) -> bool:
    """Whether a value is a function of `ctypes`, or a value or a compiled wrapper of `cffi`."""
    owner = getattr(function, "__self__", None)
    is_built = isinstance(function, python_types.BuiltinFunctionType)
    return isinstance(function, CTYPES) or CFFI in (
        type(function).__module__,
        type(owner).__module__ if is_built else "",
    )


def called_by_address(function):
    """A function of `@njit` that calls a function of C. Raises InvalidArgumentError where the types
    of its arguments are not known.
    """
    import numba

    name, count = _named(function) if isinstance(function, CTYPES) else _named_by_cffi(function)
    return numba.njit(calling(function, name, count, [f"x{at}" for at in range(count)], {}))


def calling(function, name: str, count: int, arguments: list[str], constants: dict[str, Any]):
    """A function in Python of this name, of `count` parameters x0, x1, ..., that calls another one
    with the arguments that this source gives. Constants are its globals.
    """
    parameters = ", ".join(f"x{at}" for at in range(count))
    scope = {"function": function, **constants}
    exec(f"def call({parameters}):\n    return function({', '.join(arguments)})", scope)
    scope["call"].__name__ = name
    return scope["call"]


def _named(function) -> tuple[str, int]:
    """The name of a function of ctypes, and the number of its arguments."""
    name = getattr(function, "__name__", "function")
    if function.argtypes is None or function._flags_ & NEEDS_GIL:
        raise InvalidArgumentError(
            f"{name}: the types of its arguments are not stated, or it is Python's own",
            f"{name}.argtypes, {name}.restype = [ctypes.c_double], ctypes.c_double",
        )
    return name, len(function.argtypes)


def _named_by_cffi(function) -> tuple[str, int]:
    """The same for a function of cffi, which has its type for a name."""
    import cffi

    if isinstance(function, python_types.BuiltinFunctionType):
        name = function.__name__
        raise InvalidArgumentError(
            f"{name} is a wrapper that cffi has compiled, whose address it does not tell",
            f'Pass its address: ffi.addressof(lib, "{name}").',
        )
    type_ = cffi.FFI().typeof(function)
    if type_.kind != "function" or type_.ellipsis:
        raise InvalidArgumentError(
            f"{function!r} of cffi is no function with a fixed number of arguments",
            'Declare one: ffi.cdef("double cbrt(double);"), then ffi.dlopen("libm.so.6").cbrt.',
        )
    return type_.cname, len(type_.args)
