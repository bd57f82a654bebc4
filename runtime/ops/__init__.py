"""The operations, one family a file. The declaration of an operation holds its types, shape rule,
NumPy kernel, native form, effect and gradient. Importing this package registers all of them.
"""

from .array import (
    affine_windows,
    clipping,
    compressed,
    constants,
    counting,
    creation,
    diagonals,
    gathering,
    joining,
    masking,
    scattering,
    segments,
    shape_ops,
    slicing,
    sorting,
    statistics,
    strided_slice,
    tile_pad_flip,
)
from .control import (
    assertions,
    control_flow,
    loop_results,
    loop_stacks,
    raise_error,
    recursion,
    shape_assertions,
)
from .linalg import banded, decompositions, eigenvalues, lu, matmul, solvers
from .math import (
    bessel,
    bitwise,
    casting,
    comparison,
    elementwise,
    logic,
    reductions,
    safe_division,
    scans,
    special,
    transcendental,
    trigonometry,
)
from .nn import convolution, pooling
from .state import host_calls, numba_calls, printing, python_calls, random
from .strings import compression, encodings, fingerprints, regex_and_templates, strings, unicode
