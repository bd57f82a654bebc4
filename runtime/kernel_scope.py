"""What the text of a kernel may call: the globals that it is compiled with."""

from __future__ import annotations

import functools
import importlib
import os
import re

import numpy as np

from .digests import digest

# What a text calls, the module it comes from, and the function there that makes it. What the
# pattern captures, a type or a number, are that function's arguments.
HELPERS = (
    (r"_([fil])(32|64)\(", "native_math", "named"),
    (r"\bdraw_", "philox", "functions"),
    (r"\b(?:run_part|hidden|linger)\(", "part_calls", "functions"),
    (r"\blanes_", "lanes", "functions"),
    (r"\bwindows_", "window_loops", "functions"),
    (r"\bdirect_[a-z]+_(float32|float64)_(\d+)\(", "direct_windows", "functions"),
    (r"\btiled_[a-z]+_(float32|float64)\(", "tiled_matrices", "functions"),
    (r"\bsorted_[a-z]+_([a-z]+\d*)\(", "sort_loops", "functions"),
    (
        r"\b(?:new_array|reshaped|with_room|copy_elements|either|[a-z]+_index)\(",
        "native_arrays",
        "functions",
    ),
    (r"\b(?:product_[a-z_]+|solved|[a-z]+_of)\(", "linear_algebra", "functions"),
)
# What those modules are made of.
BENEATH = (
    "machine_numbers.py",
    "machine_types.py",
    "tile_products.py",
    "processor.py",
    "standing_by.py",
    "threads.py",
)


def scope_of(text: str) -> dict[str, object]:
    """The globals of a kernel: NumPy, and the compiled functions that its text names."""
    scope: dict[str, object] = {"np": np}
    for pattern, name, maker in HELPERS:
        for captured in {found.groups() for found in re.finditer(pattern, text)}:
            module = importlib.import_module(f".{name}", __package__)
            scope.update(getattr(module, maker)(*captured))
    return scope


@functools.cache
def helpers_digest() -> str:
    """A hash of the texts of all these modules: a kernel stored with older ones is another one."""
    here = os.path.dirname(__file__)
    files = ["kernel_cache.py", *BENEATH, *(f"{name}.py" for _, name, _ in HELPERS)]
    for folder in ("formulas", "codegen"):
        names = sorted(os.listdir(f"{here}/{folder}"))
        files += [f"{folder}/{name}" for name in names if name.endswith(".py")]
    texts = []
    for name in files:
        with open(f"{here}/{name}", "rb") as file:
            texts.append(file.read())
    return digest(b"".join(texts)).hex()
