"""The functions that a kernel may call: the globals that its source is compiled with.

They follow from the names that the source calls, and from nothing else: source that was stored, or
written by hand, is compiled as it is.
"""

from __future__ import annotations

import ast

import numpy as np

from ...core.parsing import parsed
from ...core.places import object_at
from ...jit import extension_routines
from ...jit.backends import foreign

# The functions behind names, by their first word: the number of their last words that say for which
# data types, or which numbers, the functions are made, and the module that has them. It is imported
# for a kernel that calls them: these load LLVM, which stored kernels do without.
FAMILIES = {
    "draw": (0, "kernels.random.draws"),
    "variate": (0, "kernels.random.variates"),
    "vector": (0, "kernels.vectors"),
    "matrix": (0, "kernels.lapack"),
    "matvec": (1, "kernels.matvec"),
    "product": (0, "kernels.blas"),
    "sorted": (1, "kernels.long_rows"),
    "tiled": (1, "kernels.matmul_blocked"),
}
NAMES = {
    "parallel.parallel_for": ("run_region", "opaque", "one_by_one", "short"),
    "kernels.arrays": (
        "new_array", "reshaped", "ensure_capacity", "copy_elements", "select", "with_length",
        "copy_rows", "first_rows", "size_at", "wrapped_index", "checked_index",
    ),
    "kernels.saved_blocks": ("save_block", "save_blocks"),
}  # fmt: skip
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
    for module, names in NAMES.items():
        if name in names:
            return object_at(f"runtime.{module}:functions")()
    family, _, rest = name.partition("_")
    if family == "numba":
        return foreign().functions(rest)
    if family in extension_routines.FAMILIES:
        count, load, _ = extension_routines.FAMILIES[family]
        return load()(*rest.split("_")[-count:][:count])
    if family in FAMILIES:
        count, module = FAMILIES[family]
        return object_at(f"runtime.{module}:functions")(*rest.split("_")[-count:][:count])
    if name.rpartition("_")[2] in NUMBERS:
        return {name: object_at("runtime.kernels.math_functions:named")(name)}
    return {}


def called_functions(source: str) -> set[str]:
    """The names of what a kernel calls."""
    return {
        node.func.id
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
