"""What the source of a kernel may call: the globals that it is compiled with."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

# Each loads a module only for a kernel that calls it: these load LLVM, which stored kernels do
# without.


def _math_functions() -> Callable:
    from . import native_math

    return native_math.named


def _random_philox() -> Callable:
    from . import philox

    return philox.functions


def _parallel_for() -> Callable:
    from . import part_calls

    return part_calls.functions


def _vector_lanes() -> Callable:
    from . import lanes

    return lanes.functions


def _convolution_im2col() -> Callable:
    from . import window_loops

    return window_loops.functions


def _convolution_direct() -> Callable:
    from . import direct_windows

    return direct_windows.functions


def _matmul_blocked() -> Callable:
    from . import tiled_matrices

    return tiled_matrices.functions


def _sorting() -> Callable:
    from . import sort_loops

    return sort_loops.functions


def _arrays() -> Callable:
    from . import native_arrays

    return native_arrays.functions


def _blas() -> Callable:
    from . import linear_algebra

    return linear_algebra.functions


# What a source calls, and the function that gives it. What the pattern captures, a data type or a
# number, are the arguments of that function.
HELPERS = (
    (r"_([fil])(32|64)\(", _math_functions),
    (r"\bdraw_", _random_philox),
    (r"\b(?:run_part|hidden|linger)\(", _parallel_for),
    (r"\blanes_", _vector_lanes),
    (r"\bwindows_", _convolution_im2col),
    (r"\bdirect_[a-z]+_(float32|float64)_(\d+)\(", _convolution_direct),
    (r"\btiled_[a-z]+_(float32|float64)\(", _matmul_blocked),
    (r"\bsorted_[a-z]+_([a-z]+\d*)\(", _sorting),
    (r"\b(?:new_array|reshaped|with_room|copy_elements|either|[a-z]+_index)\(", _arrays),
    (r"\b(?:product_[a-z_]+|solved|[a-z]+_of)\(", _blas),
)


def scope_of(text: str) -> dict[str, object]:
    """The globals of a kernel: NumPy, and the compiled functions that its source names."""
    scope: dict[str, object] = {"np": np}
    for pattern, load in HELPERS:
        for captured in {found.groups() for found in re.finditer(pattern, text)}:
            scope.update(load()(*captured))
    return scope
