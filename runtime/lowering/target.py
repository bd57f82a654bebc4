"""What a schedule depends on besides the program: the vector registers and the cores."""

from __future__ import annotations

from ..core.classes import NamedTuple


class Target(NamedTuple):
    """A processor, as far as schedules depend on it.

    The default is what a printed schedule shows where no processor is named: x86-64 with AVX2.
    """

    vector_bytes: int = 32
    vector_registers: int = 16
    cores: int = 2
    tile_rows: int = 6  # of a register tile of a matrix product
    tile_bytes: int = 64  # of a row of such a tile: two vectors
    shares_all: bool = False  # threads share independent iterations, however short they are

    @property
    def shortest_tile(self) -> int:
        """The rows of the shortest tile: the last rows of a matrix are that many, or twice."""
        return self.tile_rows // 3

    def tile_columns(self, item_bytes: int) -> int:
        """The columns of a register tile of a matrix product."""
        return self.tile_bytes // item_bytes
