"""Kernels of a grid as LLVM's assembly language, compiled for the CPU and run as one block.

What is translated for a device runs so, but for NVIDIA's back end of LLVM: each thread of the block
is one of Python's, in machine code, and calls Python where it asks for its number, waits for
others, or exchanges registers with the lanes of its warp.
"""

import ctypes
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from llvmlite import binding

from allograph.runtime.gpu.emulator import unwritten
from allograph.runtime.gpu.grid_kernel import CONSTANT, INPUT, OUTPUT, STATUS, SUCCESS, WARP
from allograph.runtime.gpu.ptx import llvm_assembly

SECONDS = 60  # that a thread waits for others: then one of them is lost
OF_A_THREAD = threading.local()  # its block, and its number there
CHANGES = [
    (re.compile(r"define ptx_kernel "), "define "),
    (re.compile(r" addrspace\((1|3)\)"), ""),
    (re.compile(r"addrspacecast"), "bitcast"),
    (re.compile(r"call i32 @\"?llvm\.nvvm\.read\.ptx\.sreg\.ctaid\.x\"?\(\)"), "add i32 0, 0"),
    (re.compile(r"call i32 @\"?llvm\.nvvm\.read\.ptx\.sreg\.nctaid\.x\"?\(\)"), "add i32 0, 1"),
    (re.compile(r"(declare i32 @\"?)llvm(\.nvvm\.read\S+).*"), r"\1device\2 memory(none)"),
    (re.compile(r"@\"?(?:llvm|device)(\.nvvm\.[\w.]+)\"?"), r'@"device\1"'),
    (re.compile(r".*call void asm sideeffect .*\n"), ""),
    (re.compile(r"call i32 asm sideeffect \"atom.*"), "add i32 0, 0"),
    (re.compile(r"call i32 asm sideeffect \"ld.*"), "add i32 0, -2147483648"),
]


class Block:
    """The threads of one block, and what they wait for."""

    def __init__(self, threads: int):
        self.threads = range(threads)
        self.all = threading.Barrier(threads, timeout=SECONDS)
        self.warps = [
            threading.Barrier(len(self.threads[first : first + WARP]), timeout=SECONDS)
            for first in self.threads[::WARP]
        ]
        self.words = [0] * threads

    def run(self, function, *arguments) -> None:
        """Call a function once in each thread."""

        def call(number):
            OF_A_THREAD.block, OF_A_THREAD.number = self, number
            function(*arguments)

        with ThreadPoolExecutor(len(self.threads)) as pool:
            list(pool.map(call, self.threads))
        assert not any(barrier.broken for barrier in [self.all, *self.warps])


def thread_number() -> int:
    return OF_A_THREAD.number


def thread_count() -> int:
    return len(OF_A_THREAD.block.threads)


def block_barrier() -> None:
    OF_A_THREAD.block.all.wait()


def warp_barrier(mask: int = -1) -> None:
    OF_A_THREAD.block.warps[OF_A_THREAD.number // WARP].wait()


def shuffled_down(mask: int, word: int, distance: int, last: int) -> int:
    """The word of the lane so many further in the warp; its own where there is none."""
    block, number = OF_A_THREAD.block, OF_A_THREAD.number
    block.words[number] = word
    warp_barrier()
    result = block.words[number + distance] if number % WARP + distance <= last else word
    warp_barrier()
    return result


def shuffled_from_first(mask: int, word: int, place: int, last: int) -> int:
    """The word of the first lane of the warp."""
    block, number = OF_A_THREAD.block, OF_A_THREAD.number
    block.words[number] = word
    warp_barrier()
    result = block.words[number - number % WARP]
    warp_barrier()
    return result


I32 = ctypes.c_int32
FUNCTIONS = {  # by the names of the intrinsics behind "llvm.nvvm."
    "read.ptx.sreg.tid.x": ctypes.CFUNCTYPE(I32)(thread_number),
    "read.ptx.sreg.ntid.x": ctypes.CFUNCTYPE(I32)(thread_count),
    "barrier0": ctypes.CFUNCTYPE(None)(block_barrier),
    "bar.warp.sync": ctypes.CFUNCTYPE(None, I32)(warp_barrier),
    "shfl.sync.down.i32": ctypes.CFUNCTYPE(I32, *[I32] * 4)(shuffled_down),
    "shfl.sync.idx.i32": ctypes.CFUNCTYPE(I32, *[I32] * 4)(shuffled_from_first),
}


def of_the_cpu(assembly: str) -> str:
    """The assembly language for the CPU."""
    for pattern, instead in CHANGES:
        assembly = pattern.sub(instead, assembly)
    return assembly


def run_as_one_block(program, inputs) -> tuple[list[np.ndarray], int]:
    """The outputs of a grid program for these inputs, and its status word."""
    memory = [_allocated(buffer, inputs) for buffer in program.buffers]
    for kernel in program.kernels:
        engine = _compiled(of_the_cpu(llvm_assembly(kernel)))
        pointers = [ctypes.c_void_p(memory[at].ctypes.data) for at in kernel.arguments]
        type_ = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))
        Block(2 * kernel.lanes).run(type_(engine.get_function_address("kernel")), *pointers)
    status = [int(memory[at][0]) for at in program.numbers(STATUS)]
    return [memory[at] for at in program.numbers(OUTPUT)], min(status, default=SUCCESS)


def _allocated(buffer, inputs) -> np.ndarray:
    if buffer.role == STATUS:
        return np.full(buffer.shape, SUCCESS)
    if buffer.role == CONSTANT:
        return np.array(buffer.content, buffer.dtype, order="C")
    if buffer.role == INPUT:
        return np.array(inputs[buffer.position], buffer.dtype, order="C").reshape(buffer.shape)
    return unwritten(buffer.dtype, buffer.shape)


def _compiled(assembly: str):
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for name, function in FUNCTIONS.items():
        address = ctypes.cast(function, ctypes.c_void_p).value
        binding.add_symbol(f"device.nvvm.{name}", address)
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(opt=2)
    module = binding.parse_assembly(assembly)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=2)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
