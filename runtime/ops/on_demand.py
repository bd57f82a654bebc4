"""The operations that fewer programs use. Importing this module registers them."""

from .array import (
    affine_windows,
    compressed,
    diagonals,
    scattering,
    segments,
    sorting,
    statistics,
    tile_pad_flip,
)
from .math import scans, special
from .state import host_calls, random
from .strings import joining_and_templates, strings

__all__ = [
    "affine_windows", "compressed", "diagonals", "host_calls",
    "joining_and_templates", "random", "scans", "scattering", "segments",
    "sorting", "special", "statistics", "strings", "tile_pad_flip",
]  # fmt: skip
