"""The operations that fewer programs use. Importing this module registers them."""

from .array import (
    affine_windows,
    compressed,
    counting,
    diagonals,
    scattering,
    segments,
    sorting,
    statistics,
    tile_pad_flip,
)
from .linalg import banded, decompositions, eigenvalues, lu, solvers
from .math import bessel, scans, special
from .nn import convolution, pooling
from .state import host_calls, random
from .strings import compression, encodings, fingerprints, regex_and_templates, strings, unicode

__all__ = [
    "affine_windows", "banded", "bessel", "compressed", "compression", "convolution", "counting",
    "decompositions", "diagonals", "eigenvalues", "encodings", "fingerprints", "host_calls", "lu",
    "pooling", "random", "regex_and_templates", "scans", "scattering", "segments",
    "solvers", "sorting", "special", "statistics", "strings", "tile_pad_flip", "unicode",
]  # fmt: skip
