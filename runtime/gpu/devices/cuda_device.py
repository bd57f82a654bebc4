"""An NVIDIA GPU, by its driver: memory from a pool, kernels from PTX, launches on one stream."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any

import numpy as np

from ...core.classes import cached_property
from ...core.debug_output import log
from ...core.errors import InternalError, ResourceExhaustedError
from ...core.locks import Lock
from ..grid_kernel import LANES, STOP, GridKernel, Product
from ..stored_ptx import stored_ptx
from . import conditional_graphs, cublas
from .cuda_driver import call, driver, failure
from .device import Device, Loaded, Memory, Properties

LOG_BYTES = 8192  # of what the driver's compiler says of PTX that it refuses
SPINS = 2000  # questions whether a kernel has ended, before the processor is left to others
PAUSE = 20e-6  # seconds between later questions
KEPT_SIZE, MOST_KEPT = 1 << 20, 64 << 20  # bytes of a block that is kept for the next calls; of all
MOST_BLOCKS = 1 << 20  # of a kernel whose blocks need not run at the same time


class CudaDevice(Device):
    """One card. It works in the primary context, which CuPy, PyTorch and JAX use too.

    Its stream waits for the default stream and the other way round, so work of those libraries on
    the default stream is in order with ours.
    """

    def __init__(self, index: int):
        super().__init__()
        self.name = f"GPU:{index}"
        self.card = call("cuDeviceGet", index)
        self.process = os.getpid()
        self.context = call("cuDevicePrimaryCtxRetain", self.card)
        self._thread = _OfThread()
        self._kept: dict[int, list[int]] = {}  # blocks of memory that are free again, by their size
        self._kept_bytes = 0
        self.enter()
        self.stream = call("cuStreamCreate", 0)
        self._modules: dict[str, Any] = {}
        self._asks_host = False  # whether loops of launches do after each group, in all calls
        self._keep_pooled_memory()

    def enter(self) -> None:
        """Make the context the one of this thread."""
        if _INSIDE.device is self:
            return
        if os.getpid() != self.process:
            raise InternalError(
                "a process that was forked cannot use the GPU of its parent",
                'Start it with the method "spawn", or ask for the GPU in the child alone.',
            )
        _INSIDE.device = None  # as when memory of another device is freed inside of a call
        call("cuCtxSetCurrent", self.context)

    def within(self) -> AbstractContextManager[None]:
        self.enter()
        _INSIDE.device = self
        return _INSIDE

    def _keep_pooled_memory(self) -> None:
        """Let the driver keep memory that is free again: asking the system takes longer."""
        api = driver()
        pool = call("cuDeviceGetDefaultMemPool", self.card)
        attribute = api.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
        call("cuMemPoolSetAttribute", pool, attribute, api.cuuint64_t(2**64 - 1))

    @cached_property
    def description(self) -> str:  # type: ignore[override]
        """The card's name, and its generation."""
        about = self.properties()
        return f"{about.name}, {about.architecture}"

    @cached_property
    def _properties(self) -> Properties:
        attribute = driver().CUdevice_attribute

        def number(name: str) -> int:
            code = getattr(attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
            return int(call("cuDeviceGetAttribute", code, self.card))

        major = number("COMPUTE_CAPABILITY_MAJOR")
        return Properties(
            call("cuDeviceGetName", 128, self.card).split(b"\0")[0].decode(),
            f"sm_{major}{number('COMPUTE_CAPABILITY_MINOR')}",
            int(call("cuDeviceTotalMem", self.card)),
            number("MULTIPROCESSOR_COUNT"),
            number("MAX_THREADS_PER_BLOCK"),
            number("MAX_SHARED_MEMORY_PER_BLOCK"),
            number("MAX_THREADS_PER_MULTIPROCESSOR"),
            number("MAX_REGISTERS_PER_MULTIPROCESSOR"),
            2e3 * number("MEMORY_CLOCK_RATE") * number("GLOBAL_MEMORY_BUS_WIDTH") / 8,
        )

    def properties(self) -> Properties:
        return self._properties

    # ---- memory --------------------------------------------------------------------------------

    def _allocated(self, size: int) -> int:
        """A block that is free again, or one of the driver's pool. What was launched with the block
        runs before all that will be, on the same stream.
        """
        try:
            handle = self._kept[size].pop()
        except (KeyError, IndexError):
            self.enter()
        else:
            self._kept_bytes -= size
            return handle
        try:
            return int(call("cuMemAllocAsync", max(size, 1), self.stream))
        except ResourceExhaustedError:
            self._give_back()
            return int(call("cuMemAllocAsync", max(size, 1), self.stream))

    def _free(self, handle: int, size: int) -> None:
        if os.getpid() != self.process:  # the memory is the parent's
            return
        if size <= KEPT_SIZE and self._kept_bytes + size <= MOST_KEPT:
            self._kept_bytes += size
            self._kept.setdefault(size, []).append(handle)
            return
        self.enter()
        call("cuMemFreeAsync", handle, self.stream)

    def _give_back(self) -> None:
        """Give all blocks that are kept to the driver, each of which other threads may take."""
        for size, handles in list(self._kept.items()):
            with suppress(IndexError):
                while True:
                    call("cuMemFreeAsync", handles.pop(), self.stream)
                    self._kept_bytes -= size

    def _copy_in(self, handle: int, array: np.ndarray) -> None:
        if array.nbytes:
            self.enter()
            call("cuMemcpyHtoDAsync", handle, array.ctypes.data, array.nbytes, self.stream)

    def _copy_out(self, handle: int, array: np.ndarray) -> None:
        self.synchronize()
        if array.nbytes:
            call("cuMemcpyDtoHAsync", array.ctypes.data, handle, array.nbytes, self.stream)
            call("cuStreamSynchronize", self.stream)

    def _copy(self, target: int, source: int, size: int) -> None:
        if size:
            self.enter()
            call("cuMemcpyDtoDAsync", target, source, size, self.stream)

    def address(self, memory: Memory) -> int:
        return memory.handle

    def _handle_at(self, address: int, size: int) -> int:
        return address

    def wait_for(self, stream: int) -> None:
        self.enter()
        call("cuStreamSynchronize", stream)

    # ---- kernels -------------------------------------------------------------------------------

    def load(self, kernel: GridKernel) -> Loaded:
        self.enter()
        ptx = stored_ptx(kernel, self.properties().architecture)
        if ptx not in self._modules:
            self._modules[ptx] = module = module_of(ptx)
            if STOP in ptx:  # its long loops read the word
                address, size = call("cuModuleGetGlobal", module, STOP.encode())
                call("cuMemcpyHtoD", address, self._word[1].ctypes.data, size)
        function = call("cuModuleGetFunction", self._modules[ptx], b"kernel")
        attribute = driver().CUfunction_attribute
        registers = call("cuFuncGetAttribute", attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, function)
        local = attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
        spilled = call("cuFuncGetAttribute", local, function)
        blocks = call("cuOccupancyMaxActiveBlocksPerMultiprocessor", function, LANES, 0)
        most = MOST_BLOCKS  # a block that ends early leaves its place to another
        if kernel.is_cooperative:
            most = self.properties().multiprocessors * (int(blocks) or 1)
        launch = Launch(function, kernel, kernel.grid(most))
        return Loaded(kernel, launch, int(registers), int(spilled), int(blocks))

    def grid(self, loaded: Loaded) -> tuple[int, int]:
        return loaded.function.grid

    def launch(self, loaded: Loaded, arguments: Sequence[Memory]) -> None:
        self.enter()
        loaded.function(self._current(), arguments)

    # ---- products --------------------------------------------------------------------------------

    @cached_property
    def _products(self) -> cublas.Products | None:
        loaded = cublas.library()
        if loaded is None:
            return None
        self.enter()
        self._workspace = self.allocate(cublas.WORKSPACE)
        return cublas.Products(loaded, self._workspace.handle)

    def products_by(self) -> str:
        return "" if self._products is None else self._products.version

    def without_library(self) -> str:
        return cublas.MISSING

    def multiply(self, product: Product, arguments: Sequence[Memory]) -> None:
        self.enter()
        assert self._products is not None
        left, right, result = (argument.handle for argument in arguments)
        self._products.multiply(product, left, right, result, int(self._current()))

    @property
    def library_stream(self) -> int:
        return int(self.stream)

    # ---- graphs ------------------------------------------------------------------------------

    def _current(self) -> Any:
        """The stream that this thread launches on: that of the device, or one that is recorded."""
        return self._thread.stream or self.stream

    def recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        """What `run` launches, as a graph of the driver: one launch takes the place of many."""
        if self._current() is not self.stream:
            return run  # a part of what is recorded now
        return LaunchGraph(self, self._captured(run))

    def repeated(self, words: Sequence[Memory], run: Callable[[], None]) -> bool:
        if self._current() is not self.stream or self._asks_host or self._telling is None:
            return False
        addresses = [*(memory.handle for memory in words), int(self._word[1][0])]

        def capture(graph: Any, last: Callable[[Any], None]) -> None:
            def iteration() -> None:
                run()
                last(self._current())

            self._captured(iteration, graph)

        make = conditional_graphs.loop_graph
        try:
            launch = LaunchGraph(self, make(self.context, self._telling, addresses, capture))
        except InternalError as error:
            log("fallback", "loops of launches ask the host: %s", error)
            self._asks_host = True
            return False
        launch()
        return True

    @cached_property
    def _telling(self) -> Any:
        self.enter()
        return conditional_graphs.telling_kernel()

    def _captured(self, run: Callable[[], None], graph: Any = None) -> Any:
        """A graph of the launches of `run`: this one, or a new one."""
        self.enter()
        stream = self._thread.stream = call("cuStreamCreate", 0)
        mode = driver().CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        try:
            if graph is None:
                call("cuStreamBeginCapture", stream, mode)
            else:
                call("cuStreamBeginCaptureToGraph", stream, graph, None, None, 0, mode)
            try:
                run()
            finally:
                graph = call("cuStreamEndCapture", stream)
        finally:
            self._thread.stream = None
            call("cuStreamDestroy", stream)
        return graph

    def timed(self, run: Callable[[], None]) -> float:
        """By events on the stream: what the host takes to launch is in it only where it is late."""
        self.enter()
        start, end = call("cuEventCreate", 0), call("cuEventCreate", 0)
        try:
            call("cuEventRecord", start, self.stream)
            run()
            call("cuEventRecord", end, self.stream)
            self.synchronize()
            return float(call("cuEventElapsedTime", start, end)) / 1e3
        finally:
            for event in (start, end):
                call("cuEventDestroy", event)

    @cached_property
    def _word(self) -> tuple[np.ndarray, np.ndarray]:
        """A word of the host that kernels read, and its address on the device."""
        api = driver()
        flags = api.CU_MEMHOSTALLOC_DEVICEMAP | api.CU_MEMHOSTALLOC_PORTABLE
        address = int(call("cuMemHostAlloc", 4, flags))
        mapped = memoryview((ctypes.c_uint32 * 1).from_address(address))
        word = np.frombuffer(mapped, np.uint32)
        word[0] = 0
        return word, np.array([int(call("cuMemHostGetDevicePointer", address, 0))], np.uint64)

    def synchronize(self) -> None:
        """Wait so that Ctrl-C is seen: the driver's own wait would end with the kernel. Ctrl-C ends
        the kernels that run, and what they were to compute is lost.
        """
        launched = self.launched
        try:
            self._wait()
        except KeyboardInterrupt:
            word, _ = self._word
            word[0] = 1
            try:
                self._wait()
            finally:
                word[0] = 0
                self.lose_results()
            raise
        self.finished = max(self.finished, launched)

    def _wait(self) -> None:
        self.enter()
        query, stream = driver().cuStreamQuery, self.stream
        running = driver().CUresult.CUDA_ERROR_NOT_READY
        for number in range(2**62):
            (error,) = query(stream)
            if error != running:
                break
            if number > SPINS:
                time.sleep(PAUSE)
        if error.value:
            raise failure("a kernel", error)


class _OfThread(threading.local):
    """The state of a thread on a device: the stream that it records."""

    stream: Any = None


class _Inside(threading.local):
    """The device of whose `within` a thread is inside, if its context is still the current one."""

    device: CudaDevice | None = None

    def __enter__(self) -> None:
        """The device is known."""

    def __exit__(self, *error: object) -> None:
        self.device = None


_INSIDE = _Inside()


class LaunchGraph:
    """A graph of launches, which is launched as a whole."""

    def __init__(self, device: CudaDevice, graph: Any):
        self.device = device
        self.executable = call("cuGraphInstantiate", graph, 0)
        call("cuGraphDestroy", graph)

    def __call__(self) -> None:
        self.device.enter()
        call("cuGraphLaunch", self.executable, self.device.stream)

    def __del__(self, is_finalizing=sys.is_finalizing) -> None:
        if not is_finalizing():
            call("cuGraphExecDestroy", self.executable)


class Launch:
    """Launches a kernel. The parameters are in memory that is made once: their values, which the
    driver copies, and the addresses of these.
    """

    def __init__(self, function: Any, kernel: GridKernel, grid: tuple[int, int]):
        self.function, self.grid = function, grid
        blocks, lanes = grid
        self.shape = blocks, 1, 1, lanes, 1, 1, 0
        is_together = kernel.is_cooperative and blocks > 1
        self.name = "cuLaunchCooperativeKernel" if is_together else "cuLaunchKernel"
        self.values = (ctypes.c_uint64 * len(kernel.parameters))()
        first, size = ctypes.addressof(self.values), ctypes.sizeof(ctypes.c_uint64)
        addresses = range(first, first + ctypes.sizeof(self.values), size)
        self.addresses = (ctypes.c_uint64 * len(addresses))(*addresses)
        self.more = (ctypes.addressof(self.addresses), *([] if is_together else [0]))
        self._lock = Lock()  # until the driver has copied the values

    def __call__(self, stream: Any, arguments: Sequence[Memory]) -> None:
        with self._lock:
            self.values[:] = [argument.handle for argument in arguments]
            call(self.name, self.function, *self.shape, stream, *self.more)


def module_of(ptx: str) -> Any:
    """A module of PTX, compiled by the driver. InternalError has what its compiler says."""
    option = driver().CUjit_option
    log = bytearray(LOG_BYTES)
    options = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    error, module = driver().cuModuleLoadDataEx(
        ptx.encode() + b"\0", len(options), options, [log, LOG_BYTES]
    )
    if error.value:
        said = bytes(log).split(b"\0")[0].decode(errors="replace").strip()
        raise failure("cuModuleLoadDataEx", error, f"\n{said}" if said else "")
    return module
