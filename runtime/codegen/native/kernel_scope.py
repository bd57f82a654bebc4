"""The functions that a kernel may call: the globals that its source is compiled with.

They follow from the names that the source calls, and from nothing else: source that was stored, or
written by hand, is compiled as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from ...core.parsing import parsed
from ...jit.backends import foreign

# Each loads a module only for a kernel that calls it: these load LLVM, which stored kernels do
# without.


def _math_functions() -> Callable:
    from ...kernels import math_functions

    return math_functions.named


def _random_philox() -> Callable:
    from ...kernels.random import draws

    return draws.functions


def _variates() -> Callable:
    from ...kernels.random import variates

    return variates.functions


def _parallel_for() -> Callable:
    from ...parallel import parallel_for

    return parallel_for.functions


def _vectors() -> Callable:
    from ...kernels import vectors

    return vectors.functions


def _convolution_im2col() -> Callable:
    from ...kernels import convolution_im2col

    return convolution_im2col.functions


def _convolution_direct() -> Callable:
    from ...kernels import convolution_direct

    return convolution_direct.functions


def _convolution_depthwise() -> Callable:
    from ...kernels import convolution_depthwise

    return convolution_depthwise.functions


def _matmul_blocked() -> Callable:
    from ...kernels import matmul_blocked

    return matmul_blocked.functions


def _matvec() -> Callable:
    from ...kernels import matvec

    return matvec.functions


def _sorting() -> Callable:
    from ...kernels import long_rows

    return long_rows.functions


def _arrays() -> Callable:
    from ...kernels import arrays

    return arrays.functions


def _saved_blocks() -> Callable:
    from ...kernels import saved_blocks

    return saved_blocks.functions


def _numba_functions() -> Callable:
    return foreign().functions


def _blas() -> Callable:
    from ...kernels import blas

    return blas.functions


def _lapack() -> Callable:
    from ...kernels import lapack

    return lapack.functions


# The functions behind names, by their first word: the number of their last words that say for which
# data types, or which numbers, the functions are made, and the function that gives them.
FAMILIES = {
    "depthwise": (2, _convolution_depthwise),
    "direct": (2, _convolution_direct),
    "draw": (0, _random_philox),
    "variate": (0, _variates),
    "vector": (0, _vectors),
    "matrix": (0, _lapack),
    "matvec": (1, _matvec),
    "numba": (1, _numba_functions),
    "product": (0, _blas),
    "sorted": (1, _sorting),
    "tiled": (1, _matmul_blocked),
    "windows": (0, _convolution_im2col),
}
NAMES = {
    **dict.fromkeys(("run_region", "opaque", "one_by_one", "short"), _parallel_for),
    **dict.fromkeys(("new_array", "reshaped", "with_room", "copy_elements", "either"), _arrays),
    **dict.fromkeys(("with_length", "own_rows", "first_rows"), _arrays),
    **dict.fromkeys(("size_at", "wrapped_index", "checked_index"), _arrays),
    **dict.fromkeys(("save_block", "save_blocks"), _saved_blocks),
}
NUMBERS = ("f32", "f64", "i32", "i64", "l32", "l64")  # the last words of functions of numbers


def scope_of(source: str) -> dict[str, object]:
    """The globals of a kernel: NumPy, and the compiled functions that its source calls."""
    scope: dict[str, object] = {"np": np}
    for name in sorted(called_functions(source)):
        if name not in scope:
            scope.update(_with_function(name))
    return scope


def _with_function(name: str) -> dict[str, object]:
    """The function of a name, and those that are made with it."""
    family, _, rest = name.partition("_")
    if name in NAMES:
        return NAMES[name]()()
    if family in FAMILIES:
        count, load = FAMILIES[family]
        return load()(*([rest] if load is _numba_functions else rest.split("_")[-count:][:count]))
    number = name.rpartition("_")[2]
    return {name: _math_functions()(name)} if number in NUMBERS else {}


def called_functions(source: str) -> set[str]:
    """The names of what a kernel calls."""
    return {
        node.func.id
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
