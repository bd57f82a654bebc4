"""The processor that kernels are generated for: the one that this process runs on."""

from __future__ import annotations

from ...core import thresholds
from ...jit.backends import backend
from ...jit.cpu import vector_registers
from ...kernels.tile_sizes import tile_columns, tile_rows
from ...lowering.target import Target
from ...parallel.thread_pool import cores


def host_target() -> Target:
    """What schedules depend on, for this processor and the cores that this process may use."""
    if not backend().has_vectors:
        return Target(vector_registers=0)
    size, number = vector_registers()
    shared_by = max(cores(), thresholds.LEAST_CORES)
    return Target(size, number, shared_by, tile_rows(), tile_columns("float32") * 4)
