"""LLVM: its assembly language to object code for this processor, and object code to addresses."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from llvmlite import binding

from ...core.locks import LLVM
from . import elf, int128_division
from .symbols import PREFIX, address_of

# Features that LLVM detects and /proc/cpuinfo leaves out (see `jit/cpu.py`). Kernels do not use
# them: processors that differ in nothing else share their machine code.
UNLISTED = (
    "avx10.1", "avx10.1-256", "avx10.1-512", "avx10.2", "avx10.2-256", "avx10.2-512", "avxifma",
    "avxneconvert", "avxvnniint16", "avxvnniint8", "ccmp", "cf", "cmpccxadd", "egpr", "movrs",
    "ndd", "nf", "ppx", "prefetchi", "push2pop2", "sha512", "sm3", "sm4", "zu",
)  # fmt: skip

# On x86, a gather instruction is slower than a load of each element: loops with short rows took up
# to 4 times as long where LLVM expected it to be fast, which it does for AVX-512.
NO_GATHERS = ("prefer-no-gather", "prefer-no-scatter")

# The named metadata of a module with loops that LLVM unrolls before it vectorizes: vectors of what
# they become are left to the pass for straight code.
HAS_SHORT_LOOPS = "allograph.short_loops"

# That of a module whose functions wait for others: code for it is made fast, and need not be fast.
IS_WAITING = "allograph.waiting"


@functools.cache
def target_machine(level: int = 3):
    """The code generator for this processor."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    is_x86 = target.name.startswith("x86")
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=features(),
        opt=level,
        jit=True,
        reloc="pic" if elf.IS_SUPPORTED else "static" if is_x86 else "default",
        codemodel="small" if elf.IS_SUPPORTED else "jitdefault",
    )


def features() -> str:
    """The features of this processor that code may use, in LLVM's notation: `+avx2,-sse4a`."""
    host = binding.get_host_cpu_features()
    host.update({name: False for name in UNLISTED if name in host})
    if "sse2" in host:
        host.update(dict.fromkeys(NO_GATHERS, True))
    return host.flatten()


def processor() -> str:
    """What object code depends on besides its source, where the system does not tell."""
    machine = target_machine()
    name = binding.get_host_cpu_name()
    return f"{name} {machine.triple} {machine.target_data} {features()}"


def optimized(
    source: str, is_library: bool = False, before_passes: Callable[[], None] = lambda: None
) -> binding.ModuleRef:
    """A module after LLVM's passes. `before_passes` may start other threads: the passes run without
    the GIL, and all that comes before them takes it again for each step.
    """
    machine = target_machine()
    module = binding.parse_assembly(source)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.loop_unrolling = True
    # Of chains of scalars, it would put few into vectors, which then wait for one another.
    options.slp_vectorization = HAS_SHORT_LOOPS in source
    builder = binding.create_pass_builder(machine, options)
    passes = _library_passes() if is_library else builder.getModulePassManager()
    before_passes()
    passes.run(module, builder)
    _free(passes)
    return module


def _library_passes():
    """Passes for the functions that kernels share. Their loops are written as they should run: the
    passes for loops would take eight times as long, and give code that runs no faster.
    """
    passes = binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_new_gvn_pass()
    return passes


def _free(passes) -> None:
    """Free passes that have run. llvmlite forgets to: one base class hides `_dispose` of the other,
    and each compilation would keep 80 KB.
    """
    if type(passes)._dispose is binding.ffi.ObjectRef._dispose:
        binding.newpassmanagers.NewPassManager._dispose(passes)
        passes.detach()


def object_code(
    source: str, is_library: bool = False, before_passes: Callable[[], None] = lambda: None
) -> bytes:
    """The object file of a module. `before_passes` is that of `optimized`."""
    with LLVM:
        machine = target_machine(0 if IS_WAITING in source else 3)
        code = machine.emit_object(optimized(source, is_library, before_passes))
        if not int128_division.is_called(code):
            return code
        module = optimized(source, is_library)  # once more: emitting a module changes it
        module.link_in(binding.parse_assembly(int128_division.source_for(machine.triple)))
        return machine.emit_object(module)


def assembly(source: str) -> str:
    """The machine instructions of a module, to be read."""
    with LLVM:
        return target_machine().emit_assembly(optimized(source))


# ---- loading ---------------------------------------------------------------------------------


@functools.cache
def _engine():
    """The owner of machine code that LLVM loads. It lives as long as the process."""
    # In LLVM's own memory, sections may lie further apart than distances of 32 bits reach.
    near = True if elf.IS_SUPPORTED else None
    return binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine(), near)


def loaded(code: bytes) -> Callable[[str], int]:
    """A function that gives the address of a function of an object file; 0 if it has none."""
    names = {
        symbol.decode() for symbol in re.findall(re.escape(PREFIX).encode() + rb"[\w.]+", code)
    }
    # Without the lock: another thread may have to compile what these kernels share.
    addresses = {name: address_of(name) for name in names}
    with LLVM:
        for name, address in addresses.items():
            binding.add_symbol(name, address)
        engine = _engine()
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return engine.get_function_address
