"""The driver's functions are called with what its bindings take. No card is needed."""

import ctypes
import gc
from dataclasses import replace

import numpy as np
import pytest
from test_cublas import StandIn
from test_grid_program import program_of

import allograph as ag
from allograph.runtime.gpu.devices import cuda_device, cuda_driver
from allograph.runtime.gpu.devices.device import Memory
from allograph.runtime.gpu.grid_kernel import Product

HANDLES = [1 << 40, 7]


def test_parameters_of_a_launch_are_addresses_of_the_values_of_handles(monkeypatch):
    class Owner:
        def release(self, handle, size):
            """Free nothing."""

    def called(name, function, *arguments):
        pointers = (ctypes.c_uint64 * len(HANDLES)).from_address(arguments[8])
        read.append([ctypes.c_uint64.from_address(pointer).value for pointer in pointers])

    read = []
    monkeypatch.setattr(cuda_device, "call", called)
    kernel = program_of(lambda x: x * 2.0, ag.constant(np.ones(3))).kernels[0]
    assert len(kernel.parameters) == len(HANDLES)
    launch = cuda_device.Launch("a function", kernel, (1, 256))
    launch(7, [Memory(Owner(), handle, 8) for handle in HANDLES])
    assert read == [HANDLES]


@pytest.mark.parametrize("name", [
    "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuStreamCreate",
    "cuDeviceGetDefaultMemPool", "cuMemPoolSetAttribute", "cuMemAllocAsync", "cuMemFreeAsync",
    "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuStreamSynchronize", "cuStreamQuery",
    "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuLaunchKernel",
    "cuLaunchCooperativeKernel", "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuDeviceGetAttribute", "cuDeviceGetName", "cuDeviceTotalMem", "cuDeviceGetCount",
    "cuGetErrorString", "cuInit", "cuStreamDestroy", "cuStreamBeginCapture", "cuStreamEndCapture",
    "cuEventCreate", "cuEventRecord", "cuEventElapsedTime", "cuEventDestroy",
    "cuModuleGetGlobal", "cuMemcpyHtoD", "cuMemcpyDtoDAsync", "cuMemHostAlloc",
    "cuMemHostGetDevicePointer",
    "cuGraphInstantiate", "cuGraphDestroy", "cuGraphLaunch", "cuGraphExecDestroy",
])  # fmt: skip
def test_the_bindings_have_each_function_that_is_called(name):
    assert callable(getattr(pytest.importorskip("cuda.bindings.driver"), name))


def test_the_bindings_have_each_constant_that_is_named():
    api = pytest.importorskip("cuda.bindings.driver")
    names = {
        "CUmemPool_attribute": ["CU_MEMPOOL_ATTR_RELEASE_THRESHOLD"],
        "CUjit_option": ["CU_JIT_ERROR_LOG_BUFFER", "CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES"],
        "CUfunction_attribute": [
            "CU_FUNC_ATTRIBUTE_NUM_REGS", "CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES",
        ],
        "CUresult": ["CUDA_SUCCESS", "CUDA_ERROR_NOT_READY", *cuda_driver.NO_CARD,
                     cuda_driver.OUT_OF_MEMORY],
        "CUdevice_attribute": [f"CU_DEVICE_ATTRIBUTE_{name}" for name in (
            "COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR", "MULTIPROCESSOR_COUNT",
            "MAX_THREADS_PER_BLOCK", "MAX_SHARED_MEMORY_PER_BLOCK",
        )],
    }  # fmt: skip
    for owner, members in names.items():
        assert all(hasattr(getattr(api, owner), member) for member in members)


def test_a_failure_has_the_name_that_the_driver_gives_it():
    results = pytest.importorskip("cuda.bindings.driver").CUresult
    error = cuda_driver.failure("cuInit", results.CUDA_ERROR_INVALID_VALUE)
    assert isinstance(error, ag.errors.InternalError)
    assert "cuInit: CUDA_ERROR_INVALID_VALUE" in str(error)


def test_full_memory_is_an_error_of_its_own():
    results = pytest.importorskip("cuda.bindings.driver").CUresult
    error = cuda_driver.failure("cuMemAllocAsync", results.CUDA_ERROR_OUT_OF_MEMORY)
    assert isinstance(error, ag.errors.ResourceExhaustedError)


def test_ptx_that_the_driver_refuses_raises_what_its_compiler_says(monkeypatch):
    api = pytest.importorskip("cuda.bindings.driver")

    class Refusing:
        CUjit_option = api.CUjit_option

        def cuModuleLoadDataEx(self, image, count, options, values):  # noqa: N802
            assert image.endswith(b"\0") and count == len(options) == len(values)
            assert [type(one) for one in options] == [api.CUjit_option] * 2
            values[0][:12] = b"ptxas error:"
            return api.CUresult.CUDA_ERROR_INVALID_PTX, None

        def cuGetErrorString(self, error):  # noqa: N802
            return api.CUresult.CUDA_SUCCESS, b"a PTX JIT compilation failed"

    monkeypatch.setattr(cuda_device, "driver", Refusing)
    monkeypatch.setattr(cuda_driver, "driver", Refusing)
    with pytest.raises(
        ag.errors.InternalError, match="(?s)PTX JIT compilation failed.*ptxas error"
    ):
        cuda_device.module_of("nonsense")


class Marshalling:
    """The bindings without a driver: each call converts its arguments, finds no library, and gives
    a handle or a number of the type that the function has.
    """

    def __init__(self, api):
        self.api, self.calls = api, []
        self.results = {
            "cuDeviceGet": api.CUdevice(0), "cuDevicePrimaryCtxRetain": api.CUcontext(1),
            "cuStreamCreate": api.CUstream(2), "cuDeviceGetDefaultMemPool": api.CUmemoryPool(3),
            "cuMemAllocAsync": api.CUdeviceptr(1 << 40), "cuModuleLoadDataEx": api.CUmodule(4),
            "cuModuleGetFunction": api.CUfunction(5), "cuFuncGetAttribute": 24,
            "cuOccupancyMaxActiveBlocksPerMultiprocessor": 8, "cuDeviceGetAttribute": 9,
            "cuStreamEndCapture": api.CUgraph(6), "cuGraphInstantiate": api.CUgraphExec(7),
            "cuDeviceGetName": b"a card\0\0", "cuDeviceTotalMem": 1 << 30,
        }  # fmt: skip

    def __getattr__(self, name):
        real = getattr(self.api, name)
        if not name.startswith("cu") or isinstance(real, type):
            return real

        def call(*arguments):
            with pytest.raises(RuntimeError):  # no driver: it comes behind the conversions
                real(*arguments)
            self.calls.append((name, arguments))
            result = self.results.get(name)
            if type(result) is tuple:
                return (self.api.CUresult(0), *result)
            return (self.api.CUresult(0),) if result is None else (self.api.CUresult(0), result)

        return call


@pytest.fixture
def bindings(monkeypatch):
    if cuda_driver.missing() is None:
        pytest.skip("the driver is here: tests/gpu runs it")
    made = Marshalling(pytest.importorskip("cuda.bindings.driver"))
    for module in (cuda_device, cuda_driver):
        monkeypatch.setattr(module, "driver", lambda: made)
    return made


def test_launches_are_recorded_on_a_stream_of_their_own(bindings):
    kernel = program_of(lambda x: x * 2.0, ag.constant(np.ones(3))).kernels[0]
    device = cuda_device.CudaDevice(0)
    arguments = [device.allocate(24) for _ in kernel.arguments]
    loaded = device.load(kernel)
    bindings.results["cuStreamCreate"] = bindings.api.CUstream(9)

    def twice():
        for _ in range(2):
            device.recorded(lambda: device.launch(loaded, arguments))()

    del bindings.calls[:]
    launch = device.recorded(twice)
    recorded = [name for name, _ in bindings.calls if name != "cuCtxSetCurrent"]
    assert recorded == [
        "cuStreamCreate", "cuStreamBeginCapture", "cuLaunchKernel", "cuLaunchKernel",
        "cuStreamEndCapture", "cuStreamDestroy", "cuGraphInstantiate", "cuGraphDestroy",
    ]  # fmt: skip
    streams = [int(rest[8]) for name, rest in bindings.calls if name == "cuLaunchKernel"]
    assert streams == [9, 9]
    del bindings.calls[:]
    launch()
    device.launch(loaded, arguments)
    called = {name: rest for name, rest in bindings.calls}
    assert (int(called["cuGraphLaunch"][1]), int(called["cuLaunchKernel"][8])) == (2, 2)
    del launch
    assert bindings.calls[-1][0] == "cuGraphExecDestroy"


def test_products_are_on_the_stream_of_the_device(bindings, monkeypatch):
    library = StandIn()
    monkeypatch.setattr(cuda_device.cublas, "library", lambda: library)
    monkeypatch.setattr(library, "gemm", lambda *_: None, raising=False)
    device = cuda_device.CudaDevice(0)
    product = Product(0, 1, 2, (2, 2, 2), 1, (False, False), (0, 0), np.dtype(np.float32))
    device.multiply(product, [device.allocate(16) for _ in "abc"])
    assert device.products_by() == "cuBLAS 13.1"
    assert "cublasGemmStridedBatchedEx" in library.names
    del device
    gc.collect()


def test_ctrl_c_ends_kernels_and_what_they_compute_is_lost(bindings):
    def endless(x):
        while x > 0.0:
            x = x * 1.0
        return x

    word = np.ones(1, np.uint32)
    bindings.results |= {
        "cuMemHostAlloc": word.ctypes.data,
        "cuMemHostGetDevicePointer": bindings.api.CUdeviceptr(1 << 41),
        "cuModuleGetGlobal": (bindings.api.CUdeviceptr(1 << 42), 8),
    }
    device = cuda_device.CudaDevice(0)
    loaded = device.load(program_of(endless, ag.constant(1.0)).kernels[0])
    (copied,) = (rest for name, rest in bindings.calls if name == "cuMemcpyHtoD")
    assert (int(copied[0]), ctypes.c_uint64.from_address(copied[1]).value) == (1 << 42, 1 << 41)
    before, result = device.allocate(4), device.allocate(4)
    device.note_call([before])
    device.synchronize()
    device.launch(loaded, [before, result])
    device.note_call([result])
    asked = []

    def interrupted(stream):
        asked.append(int(word[0]))
        if len(asked) == 1:
            raise KeyboardInterrupt
        return (bindings.api.CUresult(0),)

    bindings.cuStreamQuery = interrupted
    with pytest.raises(KeyboardInterrupt):
        device.copy_out(result, np.zeros(1, np.float32))
    assert (asked, int(word[0])) == ([0, 1], 0)
    with pytest.raises(ag.errors.CancelledError, match="Ctrl-C ended the kernel"):
        device.copy_out(result, np.zeros(1, np.float32))
    device.copy_out(before, np.zeros(1, np.float32))
    del before, result


def test_small_blocks_of_memory_are_kept_for_the_next_calls(bindings, monkeypatch):
    device = cuda_device.CudaDevice(0)
    del bindings.calls[:]
    for size in (24, 24, 32, cuda_device.KEPT_SIZE + 1):
        device.allocate(size)
    names = [name for name, _ in bindings.calls if name != "cuCtxSetCurrent"]
    assert names == ["cuMemAllocAsync"] * 3 + ["cuMemFreeAsync"]
    assert (device.in_use, device._kept_bytes) == (0, 56)
    full = bindings.api.CUresult.CUDA_ERROR_OUT_OF_MEMORY
    answers = iter([(full, None), (bindings.api.CUresult(0), bindings.api.CUdeviceptr(9))])
    monkeypatch.setattr(bindings, "cuMemAllocAsync", lambda *_: next(answers), raising=False)
    del bindings.calls[:]
    memory = device.allocate(40)
    freed = [name for name, _ in bindings.calls if name != "cuCtxSetCurrent"]
    assert (memory.handle, freed) == (9, ["cuMemFreeAsync"] * 2)


def test_a_call_makes_its_thread_use_the_card_once(bindings):
    device = cuda_device.CudaDevice(0)
    del bindings.calls[:]
    with device.within():
        device.allocate(cuda_device.KEPT_SIZE + 1)
    device.enter()
    names = [name for name, _ in bindings.calls]
    assert names == ["cuCtxSetCurrent", "cuMemAllocAsync", "cuMemFreeAsync", "cuCtxSetCurrent"]


def test_launches_are_timed_by_events_of_the_stream(bindings):
    bindings.results |= {"cuEventCreate": bindings.api.CUevent(8), "cuEventElapsedTime": 2.5}
    device = cuda_device.CudaDevice(0)
    del bindings.calls[:]
    assert device.timed(lambda: bindings.calls.append(("launch", ()))) == 2.5e-3
    assert [name for name, _ in bindings.calls if name != "cuCtxSetCurrent"] == [
        "cuEventCreate", "cuEventCreate", "cuEventRecord", "launch", "cuEventRecord",
        "cuStreamQuery", "cuEventElapsedTime", "cuEventDestroy", "cuEventDestroy",
    ]  # fmt: skip


def test_the_bindings_take_the_arguments_of_all_calls(bindings):
    kernel = program_of(lambda x: x * 2.0, ag.constant(np.ones(3))).kernels[0]
    device = cuda_device.CudaDevice(0)
    array = np.arange(3.0)
    arguments = [device.allocate(array.nbytes) for _ in kernel.arguments]
    device.copy_in(arguments[0], array)
    loaded = device.load(kernel)
    device.launch(loaded, arguments)
    large = replace(kernel, one_block=False, is_cooperative=True, threads=1 << 20)
    device.launch(device.load(large), arguments)
    device.copy_out(arguments[0], array)
    device.allocate(cuda_device.KEPT_SIZE + 1)
    assert (loaded.registers, loaded.blocks_at_once, device.properties().name) == (24, 8, "a card")
    names = [name for name, _ in bindings.calls]
    assert {"cuLaunchKernel", "cuLaunchCooperativeKernel", "cuMemFreeAsync"} <= set(names)
    assert device.description == "a card, sm_99"


def test_what_is_freed_on_another_card_inside_of_a_call_changes_no_later_step(bindings):
    device, other = cuda_device.CudaDevice(0), cuda_device.CudaDevice(0)
    other.context = bindings.api.CUcontext(8)
    memory = other.allocate(cuda_device.KEPT_SIZE + 1)
    del bindings.calls[:]
    with device.within():
        del memory
        device.allocate(8)
    contexts = [int(rest[0]) for name, rest in bindings.calls if name == "cuCtxSetCurrent"]
    assert contexts == [1, 8, 1]


def test_blocks_that_are_given_back_are_taken_by_no_other_thread(bindings):
    device = cuda_device.CudaDevice(0)
    device.allocate(24)
    handles = device._kept[24]
    device._give_back()
    assert (handles, device._kept_bytes) == ([], 0)
