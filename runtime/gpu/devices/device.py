"""The devices that kernels of a grid run on: what each of them does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.errors import CancelledError
from ...lowering.not_native import NotNativeError
from ..stored_ptx import stored_ptx

if TYPE_CHECKING:
    from ..grid_kernel import GridKernel, Product


NOTHING = nullcontext()


class Properties(NamedTuple):
    """What the schedule of a kernel and its reader want to know of a device."""

    name: str
    architecture: str  # as LLVM and ptxas name it, such as sm_90
    memory: int  # bytes
    multiprocessors: int
    threads_of_a_block: int  # at most
    shared_memory_of_a_block: int  # bytes
    threads_at_once: int = 2048  # of one multiprocessor, at most, and the registers that they share
    registers: int = 1 << 16
    bytes_per_second: float = 0.0  # that its memory can move; 0 where nobody knows

    def occupancy(self, registers: int, lanes: int, blocks: int | None = None) -> float:
        """The part of the threads of a multiprocessor that run at once, of a kernel whose threads
        need so many registers: so many blocks of it, if that is known.
        """
        if blocks is None:
            of_a_warp = 32 * -(-max(registers, 1) // 8) * 8  # registers come in eights
            most = self.registers // of_a_warp * 32 // lanes
            blocks = min(most, self.threads_at_once // lanes)
        return min(1.0, blocks * lanes / self.threads_at_once)


class Memory:
    """A part of the memory of a device, which is free again when this object is gone. What somebody
    else owns, its `owner` frees, whom it keeps alive.
    """

    __slots__ = ("__weakref__", "device", "handle", "owner", "size", "writer")

    def __init__(self, device: Device, handle, size: int, owner=None):
        self.writer = 0  # the number of the call that writes it
        self.device = device
        self.handle = handle
        self.size = size
        self.owner = owner

    def __del__(self, is_finalizing=sys.is_finalizing) -> None:
        if self.owner is None and not is_finalizing():  # the end of the process frees all
            self.device.release(self.handle, self.size)


class Loaded(NamedTuple):
    """A kernel that a device can launch. Of an emulated one nothing more is known."""

    kernel: GridKernel
    function: Any = None
    registers: int | None = None  # of a thread
    spilled: int | None = None  # bytes of a thread that do not fit into registers
    blocks_at_once: int | None = None  # of one multiprocessor


class Device:
    """A device. Each does what these methods say; the numbers of bytes are counted here.

    name         by which users choose it, such as GPU:0
    description  what it is, for people
    """

    name = ""
    description = ""

    def __init__(self) -> None:
        self.in_use = self.peak = 0  # bytes
        self.copied_in = self.copied_out = 0  # bytes, since the process began
        self.launched = self.finished = 0  # calls, and how many of them are known to have ended
        self._lost: list[range] = []  # the numbers of calls that were ended

    def properties(self) -> Properties:
        raise NotImplementedError

    def allocate(self, size: int) -> Memory:
        """Memory of so many bytes, with arbitrary content. Raises ResourceExhaustedError."""
        memory = Memory(self, self._allocated(size), size)
        self.in_use += size
        self.peak = max(self.peak, self.in_use)
        return memory

    def borrow(self, address: int, size: int, owner) -> Memory:
        """Memory that belongs to somebody else."""
        return Memory(self, self._handle_at(address, size), size, owner)

    def wait_for(self, stream: int) -> None:
        """Wait for what somebody else has launched on a stream."""

    def release(self, handle, size: int) -> None:
        self.in_use -= size
        self._free(handle, size)

    def within(self) -> AbstractContextManager[None]:
        """Calls of these methods inside are of this thread alone, one after the other, so that what
        each needs is done once.
        """
        return NOTHING

    def copy_in(self, memory: Memory, array: np.ndarray) -> None:
        """Copy a contiguous array to the start of memory."""
        self.copied_in += array.nbytes
        self._copy_in(memory.handle, array)

    def copy_out(self, memory: Memory, array: np.ndarray) -> None:
        """Copy the start of memory to a contiguous array, when what was launched has run."""
        if self._lost:
            self.check(memory)
        self.copied_out += array.nbytes
        self._copy_out(memory.handle, array)

    def note_call(self, results: Iterable[Memory]) -> None:
        """Number the call that has been launched, which writes these results."""
        self.launched += 1
        for memory in results:
            memory.writer = self.launched

    @property
    def has_lost_results(self) -> bool:
        return bool(self._lost)

    def lose_results(self) -> None:
        """Nobody shall read what the calls that may still run were to compute: they were ended."""
        self._lost.append(range(self.finished + 1, self.launched + 1))
        self.finished = self.launched

    def check(self, memory: Memory) -> None:
        """Raise CancelledError where the call that was to compute the content has been ended."""
        if any(memory.writer in numbers for numbers in self._lost):
            raise CancelledError("Ctrl-C ended the kernel that computes this value")

    def copy(self, target: Memory, source: Memory) -> None:
        """Copy all of `source` to the start of another memory of the device."""
        target.writer = source.writer
        self._copy(target.handle, source.handle, source.size)

    def address(self, memory: Memory) -> int:
        """The address that others read memory at."""
        raise NotImplementedError

    def load(self, kernel: GridKernel) -> Loaded:
        """The kernel, compiled for this device. Raises NotNativeError where it needs what the
        device does not have.
        """
        raise NotImplementedError

    def assembly(self, kernel: GridKernel) -> str:
        """The PTX of a kernel, to be read; empty where it has none."""
        try:
            return stored_ptx(kernel, self.properties().architecture)
        except (ImportError, NotNativeError):
            return ""

    def grid(self, loaded: Loaded) -> tuple[int, int]:
        """The blocks that a launch of a kernel has, and the threads of a block."""
        raise NotImplementedError

    def launch(self, loaded: Loaded, arguments: Sequence[Memory]) -> None:
        """Run a kernel on memory, one for each of its parameters.

        It may return before the kernel has run; what is launched later runs later.
        """
        raise NotImplementedError

    def products_by(self) -> str:
        """What computes products between kernels; empty where nothing does."""
        return ""

    def without_library(self) -> str:
        """Why no library computes products, and what helps."""
        return ""

    @property
    def library_stream(self) -> int | None:
        """The stream on which libraries of NVIDIA's may launch; None where they cannot."""
        return None

    def multiply(self, product: Product, arguments: Sequence[Memory]) -> None:
        """Launch a product, as `launch` does a kernel."""
        raise NotImplementedError

    def recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        """A function that launches what `run` launches, which the device has recorded."""
        return run

    def repeated(self, words: Sequence[Memory], run: Callable[[], None]) -> bool:
        """Launch what `run` launches again and again, until a truth value is false or a status word
        tells of a failure: `words` are that value and two such words. False where a device needs
        the host for it, and then nothing is launched.
        """
        return False

    def timed(self, run: Callable[[], None]) -> float:
        """The seconds that the device takes for what `run` launches."""
        self.synchronize()
        start = time.perf_counter()
        run()
        self.synchronize()
        return time.perf_counter() - start

    def synchronize(self) -> None:
        """Wait until what was launched has run."""

    def reset_peak(self) -> None:
        self.peak = self.in_use

    def _allocated(self, size: int) -> Any:
        raise NotImplementedError

    def _handle_at(self, address: int, size: int) -> Any:
        raise NotImplementedError

    def _copy(self, target, source, size: int) -> None:
        raise NotImplementedError

    def _free(self, handle, size: int) -> None:
        """Give memory back."""

    def _copy_in(self, handle, array: np.ndarray) -> None:
        raise NotImplementedError

    def _copy_out(self, handle, array: np.ndarray) -> None:
        raise NotImplementedError
