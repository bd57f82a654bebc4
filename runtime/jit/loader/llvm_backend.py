"""LLVM: text to object code for this processor, and object code to addresses in this process."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from llvmlite import binding

from .. import cpu
from . import int128_division
from .symbols import OURS, address_of


@functools.cache
def target_machine():
    """This processor; and what makes machine code for it."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=features(),
        opt=3,
        jit=True,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
    )


def features() -> str:
    """The features of this processor that code may use, in LLVM's notation: `+avx2,-sse4a`."""
    found = binding.get_host_cpu_features()
    found.update({name: False for name in cpu.UNLISTED if name in found})
    return found.flatten()


def processor() -> str:
    """What object code depends on besides its source, where the system does not tell."""
    machine = target_machine()
    name = binding.get_host_cpu_name()
    return f"{name} {machine.triple} {machine.target_data} {features()}"


def optimized(text: str) -> binding.ModuleRef:
    """A module after LLVM's passes."""
    machine = target_machine()
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.loop_unrolling = True
    options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def object_code(text: str) -> bytes:
    """The machine code of a module, to be kept on disk or loaded."""
    machine = target_machine()
    code = machine.emit_object(optimized(text))
    if not int128_division.is_called(code):
        return code
    module = optimized(text)  # once more: to emit a module changes it
    module.link_in(binding.parse_assembly(int128_division.text_for(machine.triple)))
    return machine.emit_object(module)


def assembly(text: str) -> str:
    """The same for people."""
    return target_machine().emit_assembly(optimized(text))


# ---- in this process -------------------------------------------------------------------------


@functools.cache
def _engine():
    """Where machine code lives; it stays as long as the process."""
    return binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())


def placed(code: bytes) -> Callable[[str], int]:
    """The address of each function of an object file by its name, 0 if it has none."""
    for found in set(re.findall(re.escape(OURS).encode() + rb"[\w.]+", code)):
        binding.add_symbol(found.decode(), address_of(found.decode()))
    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine.get_function_address
