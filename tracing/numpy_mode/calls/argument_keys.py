"""What a trace depends on of the arguments of a call: the keys of the table of a `jit` function."""

from __future__ import annotations

import numpy as np

from ...structures.argument_structures import MOST_PARTS, parts_of
from ..compiled_calls import is_constant, key_of_constant
from ..traced_scalar import ARGUMENT, LARGE, PYTHON_DTYPES
from .random_generators import generator_types, source_of


def is_structure(value) -> bool:
    return not is_constant(value) and parts_of(value) is not None


def keys_of(args: tuple, static: frozenset[int]) -> tuple:
    """The key of the arguments: all of them that a trace depends on."""
    count = 0

    def key(value, depth: int = 0):
        nonlocal count
        if depth <= MOST_PARTS and is_structure(value):
            own = tuple(value) if type(value) is dict else ()
            own = value.dtype.names if isinstance(value, np.ndarray) else own
            return (type(value), own, tuple([key(part, depth + 1) for part in parts_of(value)]))
        count += 1
        return _key_of(value, count - 1 in static)

    return tuple([key(value) for value in args])


def _key_of(value, is_static: bool):
    """The key of one argument of the trace."""
    cls = type(value)
    if cls is np.ndarray:
        dtype = value.dtype  # equal ones may have other classes of numbers
        return (dtype, value.shape, value.flags.c_contiguous or value.strides, dtype.type)
    if cls is int and not is_static and abs(value) > ARGUMENT:
        return (cls, "int of many digits" if abs(value) <= LARGE else "int beyond 62 bits")
    if cls in PYTHON_DTYPES and not is_static:
        return cls
    if isinstance(value, np.generic) and not is_static:
        return (cls,)
    if isinstance(value, np.generic) or is_constant(value):
        return key_of_constant(value)
    if isinstance(value, generator_types()):
        return (cls, source_of(value).__name__)
    return (cls, "not traced")


def differences(key: tuple, other: tuple) -> list[int]:
    """The positions of the arguments in which two traces differ."""
    pairs = enumerate(zip(key, other, strict=False))
    return [at for at, (first, another) in pairs if first != another]


def described_key(key) -> str:
    if isinstance(key, type):
        return key.__name__
    if len(key) == 3 and isinstance(key[2], tuple) and not isinstance(key[0], np.dtype):
        names = [f"{name}: " for name in key[1]] or [""] * len(key[2])
        parts = map(str.__add__, names, map(described_key, key[2]))
        return f"{key[0].__name__}({', '.join(parts)})"
    if isinstance(key[0], np.dtype):
        return f"{key[0]}[{','.join(map(str, key[1]))}]"
    return key[0].__name__ if len(key) == 1 else key[1]
