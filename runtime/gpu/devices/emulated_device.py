"""A device that the CPU emulates: slow and exact, and it sees threads that race for an element."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

import numpy as np

from ...core.locks import Lock
from ..emulator import BLOCKS, LANES, launch, multiply
from ..grid_kernel import GridKernel, Product
from .device import Device, Loaded, Memory, Properties


class EmulatedDevice(Device):
    """GPU:0 where ALLOGRAPH_DEVICE is "emulated". Its memory is arrays of bytes."""

    name = "GPU:0"
    description = "emulated by the CPU"

    def __init__(self) -> None:
        super().__init__()
        self._is_stopped = False
        self._lock = Lock()  # kernels run one after the other, as on a stream

    def properties(self) -> Properties:
        from ...parallel.thread_pool import COUNT

        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return Properties("emulated", "sm_90", pages, COUNT, LANES, 48 * 1024)

    def _allocated(self, size: int) -> np.ndarray:
        return np.full(size, 1, np.uint8)  # unlikely results, and booleans where they are read so

    def _copy_in(self, handle: np.ndarray, array: np.ndarray) -> None:
        handle[: array.nbytes] = array.reshape(-1).view(np.uint8)

    def _copy_out(self, handle: np.ndarray, array: np.ndarray) -> None:
        array.reshape(-1).view(np.uint8)[:] = handle[: array.nbytes]

    def _copy(self, target: np.ndarray, source: np.ndarray, size: int) -> None:
        target[:size] = source[:size]

    def address(self, memory: Memory) -> int:
        return memory.handle.ctypes.data

    def _handle_at(self, address: int, size: int) -> np.ndarray:
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))

    def load(self, kernel: GridKernel) -> Loaded:
        return Loaded(kernel)

    def products_by(self) -> str:
        return "NumPy"

    def multiply(self, product: Product, arguments: Sequence[Memory]) -> None:
        arrays = [memory.handle.view(product.dtype) for memory in arguments]
        with self._lock:
            multiply(product, arrays)

    def grid(self, loaded: Loaded) -> tuple[int, int]:
        return loaded.kernel.grid(BLOCKS, LANES)

    def launch(self, loaded: Loaded, arguments: Sequence[Memory]) -> None:
        pairs = zip(arguments, loaded.kernel.parameters, strict=True)
        arrays = [
            memory.handle[: buffer.bytes].view(buffer.dtype).reshape(buffer.shape)
            for memory, buffer in pairs
        ]
        with self._lock:
            self._is_stopped = False
            try:
                launch(loaded.kernel, arrays, poll=self._poll)
            except KeyboardInterrupt:
                self.lose_results()
                raise

    def stop(self) -> None:
        """End the kernel that runs, as Ctrl-C does."""
        self._is_stopped = True

    def _poll(self) -> None:
        if self._is_stopped:
            raise KeyboardInterrupt
