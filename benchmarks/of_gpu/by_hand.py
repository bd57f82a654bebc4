"""The programs as kernels written in CUDA C++, compiled by `nvcc` and launched by the driver."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

from . import Sizes, Work

SOURCE = Path(__file__).with_suffix(".cu")
COMPILED = "GPU_BY_HAND"  # the variable that names a file of them, compiled elsewhere
LANES = 512
OF_ELEMENTS = 128  # threads of a block where no barrier is


def cubin(target: str | os.PathLike, architecture: str) -> None:
    """Compile the kernels to machine code. Raises RuntimeError where that fails."""
    compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not Path(compiler).exists():
        raise RuntimeError(f"nvcc is not installed; {COMPILED} names a file of compiled kernels")
    command = [compiler, f"-arch={architecture}", "-O3", "-std=c++17", "-cubin", "-o", target]
    told = subprocess.run([*command, SOURCE], capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(f"nvcc: {told.stderr.strip()}")


@cache
def device():
    from allograph.runtime.gpu.devices.device_list import devices, listed

    if not devices():
        raise RuntimeError(listed())
    return devices()[0]


@cache
def module():
    from allograph.runtime.gpu.devices.cuda_driver import call

    if os.environ.get(COMPILED):
        return call("cuModuleLoadData", Path(os.environ[COMPILED]).read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "by_hand.cubin")
        cubin(path, device().properties().architecture)
        return call("cuModuleLoadData", path.read_bytes())


def prepare() -> str:
    """Start the device and load the kernels; what it is."""
    name = device().description
    module()
    return name


def launch(name: str, blocks: int, lanes: int, *parameters, together: bool = False) -> None:
    """Launch a kernel on memory and numbers; `together` says that it has barriers of the grid."""
    from allograph.runtime.gpu.devices.cuda_driver import call

    function = call("cuModuleGetFunction", module(), name.encode())
    slots = np.array([int(getattr(one, "handle", one)) for one in parameters], np.uint64)
    pointers = slots.ctypes.data + 8 * np.arange(len(slots), dtype=np.uint64)
    shape = (blocks, 1, 1, lanes, 1, 1, 0, device().stream, pointers.ctypes.data)
    if together:
        call("cuLaunchCooperativeKernel", function, *shape)
    else:
        call("cuLaunchKernel", function, *shape, 0)


def memory_of(array: np.ndarray):
    """Memory of the device with the elements of an array."""
    memory = device().allocate(array.nbytes)
    device().copy_in(memory, np.ascontiguousarray(array))
    return memory


def waiting(result):
    device().synchronize()
    return result


def rows(sizes: Sizes) -> dict[str, Callable[[], Work]]:
    """What makes the work of each program."""
    random = np.random.default_rng(0)
    side, together = sizes.side, 2 * device().properties().multiprocessors

    def per_element(name, size, item, *operands, repeated=1):
        out = device().allocate(size * item)
        memory = [memory_of(operand()) for operand in operands]
        blocks = -(-size // OF_ELEMENTS)
        return Work(
            lambda: launch(name, blocks, OF_ELEMENTS, size, out, *memory), waiting, repeated
        )

    def tanh(size):
        memory, sums = device().allocate(4 * size), device().allocate(3 * 8)

        def call():
            launch("fill", together, LANES, size, memory, sums)
            if size <= 1024:
                launch("tanh_block", 1, 1024, size, memory)
            else:
                launch("tanh_grid", together, LANES, size, memory, sums, together=True)

        return Work(call, waiting)

    def of_one_number(name, steps):
        memory = memory_of(np.array([0.1]))
        return Work(lambda: launch(name, 1, 1, memory, steps), waiting)

    def heat():
        a, b = memory_of(random.random((side, side), np.float32)), device().allocate(4 * side**2)
        call = partial(launch, "heat", together, LANES, side, sizes.steps, a, b, together=True)
        return Work(call, waiting)

    def pixels():
        columns, rows = np.linspace(-2, 1, side), np.linspace(-1.5, 1.5, side)
        operands = partial(np.tile, columns, side), partial(np.repeat, rows, side)
        return per_element("mandelbrot", side**2, 8, *operands)

    def uniform(size):
        return partial(random.random, size, np.float32)

    return {
        "mandelbrot": pixels,
        "collatz": partial(per_element, "collatz", sizes.starts, 8),
        "newton": partial(
            per_element, "newton", sizes.roots, 8, partial(random.uniform, 1, 1000, sizes.roots)
        ),
        **{f"tanh loop of {size:,}": partial(tanh, size) for size in sizes.tanh},
        "sines of one number": partial(of_one_number, "sines", sizes.sines),
        "quadratic map": partial(of_one_number, "quadratic_map", sizes.quadratic),
        "heat": heat,
        "gelu": partial(per_element, "gelu", sizes.gelu, 4, uniform(sizes.gelu)),
        "small call": partial(
            per_element, "small_call", sizes.small, 4, uniform(sizes.small),
            repeated=sizes.repeated,
        ),
    }  # fmt: skip
