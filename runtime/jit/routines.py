"""The functions that kernels call: those of this package, and of extensions.

What a kernel is compiled with follows from the names that it calls, and from nothing else: a kernel
that was written by hand is compiled as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

import numpy as np

from ..core.classes import NamedTuple
from ..core.file_content import digest
from ..core.places import object_at


class Family(NamedTuple):
    """Functions of kernels whose names begin with one word.

    words    the number of their last words that say for which data types, or which numbers, the
             functions are made
    load     gives the function of these words that gives the functions by name; or its module in
             this package. It is imported for a kernel that calls them: these load LLVM, which
             stored kernels do without
    package  the package of an extension whose files say what the functions compute
    """

    words: int
    load: Callable[[], Callable[..., dict[str, object]]] | str
    package: str = ""


FAMILIES: dict[str, Family] = {  # by first word
    "vector": Family(0, "kernels.vectors"),
    "matvec": Family(1, "kernels.matvec"),
    "product": Family(0, "kernels.blas"),
    "sorted": Family(1, "kernels.long_rows"),
    "tiled": Family(1, "kernels.matmul_blocked"),
}
NAMES = {
    "parallel.parallel_for": ("run_region", "opaque", "one_by_one", "short", "trip_count"),
    "kernels.arrays": (
        "new_array", "reshaped", "ensure_capacity", "copy_elements", "select", "with_length",
        "copy_rows", "first_rows", "size_at", "wrapped_index", "checked_index",
    ),
    "kernels.saved_blocks": ("save_block", "save_blocks"),
}  # fmt: skip
NUMBERS = ("f32", "f64", "i32", "i64", "l32", "l64")  # the last words of functions of numbers
FORMS: dict[str, Callable[[], dict]] = {  # by operation: gives forms of several, by name
    "recur": lambda: {"recur": object_at("library.recursion.native_calls:call_of")},
    "depth": lambda: {"check": object_at("library.recursion.stacks:check_depth")},  # of its calls
}


def native_routines(
    operations: tuple[str, ...], forms: Callable[[], dict], families: dict[str, Family]
) -> None:
    """Give operations native code. `forms()` has a function for each, which writes the code of a
    node, as in `codegen/native/library_calls.py`, and may have one by `NAME on a grid` for devices;
    kernels call the functions of `families`. A program that needs them loads both.
    """
    FORMS.update(dict.fromkeys(operations, forms))
    FAMILIES.update(families)


def scope_of(calls: Iterable[str]) -> dict[str, object]:
    """The globals of a kernel: NumPy, and the compiled functions that it calls by these names."""
    scope: dict[str, object] = {"np": np}
    for name in sorted(calls):
        if name not in scope:
            scope.update(_with_function(name))
    return scope


def _with_function(name: str) -> dict[str, object]:
    """The function of a name, and those that are made with it."""
    for module, names in NAMES.items():
        if name in names:
            return object_at(f"runtime.{module}:functions")()
    word, _, rest = name.partition("_")
    if word == "numba":
        return object_at("runtime.jit.backends:foreign")().functions(rest)
    if word in FAMILIES:
        count, load, _ = FAMILIES[word]
        maker = object_at(f"runtime.{load}:functions") if isinstance(load, str) else load()
        return maker(*rest.split("_")[-count:][:count])
    if name.rpartition("_")[2] in NUMBERS:
        return {name: object_at("runtime.kernels.math_functions:named")(name)}
    return {}


def sources_of(calls: Iterable[str]) -> tuple[str, ...]:
    """Digests of the packages of extensions that have these functions: a part of the key of a
    kernel that calls them.
    """
    words = {name.partition("_")[0] for name in calls if "_" in name}
    packages = {FAMILIES[word].package for word in words & FAMILIES.keys()} - {""}
    return tuple(digest_of_package(package) for package in sorted(packages))


@functools.cache
def digest_of_package(package: str) -> str:
    """A hash of the modules that lie directly in a package."""
    import importlib.resources  # most programs call no functions of extensions

    files = sorted(importlib.resources.files(package).iterdir(), key=lambda file: file.name)
    return digest(b"".join(file.read_bytes() for file in files if file.name.endswith(".py"))).hex()
