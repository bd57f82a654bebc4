"""The sizes of the tiles of matrix products, which the registers of the processor determine.

Schedules depend on them. The instructions of a tile are in `matmul_microkernel.py`.
"""

from __future__ import annotations

import numpy as np

from ..jit.cpu import vector_registers


def tile_rows() -> int:
    """The number of rows of a tile."""
    return 12 if vector_registers()[1] == 32 else 6


def tile_heights() -> tuple[int, ...]:
    """The rows of whole and of shorter tiles: of the last tile of a block, few are not used."""
    whole = tile_rows()
    return whole, 2 * whole // 3, whole // 3


def tile_columns(dtype: str) -> int:
    """The number of columns of a tile: two vectors."""
    return 2 * vector_registers()[0] // np.dtype(dtype).itemsize
