"""Kernels of a grid as LLVM's assembly language, compiled for the CPU and run by a single thread.

What is translated for a device runs so, but for NVIDIA's back end of LLVM: registers that tell a
thread where it is are numbers, and barriers are left out.
"""

import ctypes
import re

import numpy as np
from llvmlite import binding

from allograph.runtime.gpu.emulator import unwritten
from allograph.runtime.gpu.grid_kernel import CONSTANT, INPUT, OUTPUT, STATUS, SUCCESS
from allograph.runtime.gpu.ptx import llvm_assembly

REGISTER = re.compile(r"call i32 @\"?llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.x\"?\(\)")
CHANGES = [
    (re.compile(r"define ptx_kernel "), "define "),
    (re.compile(r" addrspace\((1|3)\)"), ""),
    (re.compile(r"addrspacecast"), "bitcast"),
    (re.compile(r".*call void @\"?llvm\.nvvm\.barrier0\"?\(\)\n"), ""),
    (re.compile(r".*call void @\"?llvm\.nvvm\.bar\.warp\.sync\"?\(.*\)\n"), ""),
    (re.compile(r".*call void asm sideeffect .*\n"), ""),
    (re.compile(r"call i32 asm sideeffect \"atom.*"), "add i32 0, 0"),
    (re.compile(r"call i32 asm sideeffect \"ld.*"), "add i32 0, -2147483648"),
]


def as_one_thread(assembly: str) -> str:
    """The assembly language for the CPU."""
    text = REGISTER.sub(lambda found: f"add i32 0, {int(found[1].startswith('n'))}", assembly)
    for pattern, instead in CHANGES:
        text = pattern.sub(instead, text)
    return text


def run_by_one_thread(program, inputs) -> tuple[list[np.ndarray], int]:
    """The outputs of a grid program for these inputs, and its status word."""
    memory = [_allocated(buffer, inputs) for buffer in program.buffers]
    for kernel in program.kernels:
        engine = _compiled(as_one_thread(llvm_assembly(kernel)))
        pointers = [ctypes.c_void_p(memory[at].ctypes.data) for at in kernel.arguments]
        type_ = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))
        type_(engine.get_function_address("kernel"))(*pointers)
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
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(opt=2)
    module = binding.parse_assembly(assembly)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=2)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine
