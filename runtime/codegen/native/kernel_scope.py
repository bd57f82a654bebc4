"""The functions that a kernel may call: the globals that its source is compiled with.

They follow from the names that the source calls, and from nothing else: source that was stored, or
written by hand, is compiled as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import numpy as np

from ...core.parsing import parsed

# Each loads a module only for a kernel that calls it: these load LLVM, which stored kernels do
# without.


def _math_functions() -> Callable:
    from ...kernels import math_functions

    return math_functions.named


def _random_philox() -> Callable:
    from ...kernels import random_philox

    return random_philox.functions


def _parallel_for() -> Callable:
    from ...parallel import parallel_for

    return parallel_for.functions


def _vectors() -> Callable:
    from ...kernels import vector_lanes

    return vector_lanes.functions


def _convolution_im2col() -> Callable:
    from ...kernels import convolution_im2col

    return convolution_im2col.functions


def _convolution_direct() -> Callable:
    from ...kernels import convolution_direct

    return convolution_direct.functions


def _matmul_blocked() -> Callable:
    from ...kernels import matmul_blocked

    return matmul_blocked.functions


def _sorting() -> Callable:
    from ...kernels import sort_kernels

    return sort_kernels.functions


def _arrays() -> Callable:
    from ...kernels import arrays

    return arrays.functions


def _numba_functions() -> Callable:
    from ...jit.numba import user_functions

    return user_functions.functions


def _blas() -> Callable:
    from ...kernels import blas

    return blas.functions


# Which names stand for which functions. What a pattern captures, a data type or a number, are the
# arguments of the function that gives them.
HELPERS = (
    (r"_([fil])(32|64)\(", _math_functions),
    (r"\bdraw_", _random_philox),
    (r"^numba_(\w+)\(", _numba_functions),
    (r"\b(?:run_region|opaque|spin_wait)\(", _parallel_for),
    (r"\blanes_", _vectors),
    (r"\bwindows_", _convolution_im2col),
    (r"\bdirect_[a-z]+_(float32|float64)_(\d+)\(", _convolution_direct),
    (r"\btiled_[a-z]+_(float32|float64)\(", _matmul_blocked),
    (r"\bsorted_[a-z]+_([a-z]+\d*)\(", _sorting),
    (r"\b(?:new_array|reshaped|with_room|copy_elements|either|[a-z]+_index)\(", _arrays),
    (r"\b(?:product_[a-z_]+|solved|[a-z]+_of)\(", _blas),
)


def scope_of(source: str) -> dict[str, object]:
    """The globals of a kernel: NumPy, and the compiled functions that its source names."""
    scope: dict[str, object] = {"np": np}
    called = called_functions(source)
    for pattern, load in HELPERS:
        matches = (re.search(pattern, f"{name}(") for name in called)
        for arguments in sorted({match.groups() for match in matches if match is not None}):
            scope.update(load()(*arguments))
    return scope


def called_functions(source: str) -> set[str]:
    """The names of what a kernel calls."""
    return {
        node.func.id
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
