"""What Numba lowers for one kernel: modules of LLVM, which our own back end optimizes and emits."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import binding
from numba.core import cgutils
from numba.core.codegen import CPUCodeLibrary

# The part of Numba's runtime that kernels need: arrays of one thread, counted without locks. With
# it a stored kernel runs without Numba.
RUNTIME = """
%memory = type { i64, ptr, ptr, ptr, i64 }
declare ptr @allograph.PyMem_RawMalloc(i64)
declare void @allograph.PyMem_RawFree(ptr)

define linkonce_odr ptr @NRT_MemInfo_data_fast(ptr %memory) {
  %field = getelementptr %memory, ptr %memory, i32 0, i32 3
  %data = load ptr, ptr %field
  ret ptr %data
}

define linkonce_odr void @NRT_incref(ptr %memory) {
  %none = icmp eq ptr %memory, null
  br i1 %none, label %end, label %count
count:
  %old = load i64, ptr %memory
  %new = add i64 %old, 1
  store i64 %new, ptr %memory
  br label %end
end:
  ret void
}

define linkonce_odr void @NRT_decref(ptr %memory) {
  %none = icmp eq ptr %memory, null
  br i1 %none, label %end, label %count
count:
  %old = load i64, ptr %memory
  %new = sub i64 %old, 1
  store i64 %new, ptr %memory
  %last = icmp eq i64 %new, 0
  br i1 %last, label %free, label %end
free:
  call void @allograph.PyMem_RawFree(ptr %memory)
  br label %end
end:
  ret void
}

define linkonce_odr ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment) {
  %whole = add i64 %size, 128
  %memory = call ptr @allograph.PyMem_RawMalloc(i64 %whole)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %end, label %fill
fill:
  %start = ptrtoint ptr %memory to i64
  %behind = add i64 %start, 127
  %first = and i64 %behind, -64
  %data = inttoptr i64 %first to ptr
  store i64 1, ptr %memory
  %field = getelementptr %memory, ptr %memory, i32 0, i32 3
  store ptr %data, ptr %field
  %length = getelementptr %memory, ptr %memory, i32 0, i32 4
  store i64 %size, ptr %length
  br label %end
end:
  ret ptr %memory
}

define linkonce_odr ptr @NRT_MemInfo_alloc(i64 %size) {
  %memory = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 64)
  ret ptr %memory
}

define linkonce_odr ptr @NRT_Allocate(i64 %size) {
  %memory = call ptr @allograph.PyMem_RawMalloc(i64 %size)
  ret ptr %memory
}

define linkonce_odr void @NRT_Free(ptr %memory) {
  call void @allograph.PyMem_RawFree(ptr %memory)
  ret void
}

define linkonce_odr ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %alignment) {
  %memory = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %alignment)
  ret ptr %memory
}
"""


class KernelLibrary(CPUCodeLibrary):
    """A function that Numba lowers, and the libraries that it calls. Nothing is emitted.

    `prepare` is called with each module of the function before it is written down.
    """

    def __init__(self, codegen, name: str, prepare: Callable):
        super().__init__(codegen, name)
        self.prepare = prepare
        self.parts: list[str] = []
        self.called: dict = {}  # libraries, in order

    def add_ir_module(self, ir_module) -> None:
        self.prepare(ir_module)
        self.parts.append(cgutils.normalize_ir_text(str(ir_module)))

    def add_linking_library(self, library) -> None:
        if isinstance(library, KernelLibrary) or library.name != "nrt":
            self.called[library] = None

    def finalize(self) -> None:
        self._finalized = True

    def _finalize_specific(self) -> None:
        pass


def linked(library: KernelLibrary, names: dict[str, str]):
    """One module of everything that a library needs. The functions in `names` get new names, and
    all others become internal.
    """
    whole = binding.parse_assembly(RUNTIME)
    for module in _modules(library, {}):
        whole.link_in(module)
    for function in whole.functions:
        if function.is_declaration:
            continue
        if function.name in names:
            function.name = names[function.name]
        else:
            function.linkage = "internal"
    for variable in whole.global_variables:
        if variable.name.startswith("_ZN08NumbaEnv"):
            variable.linkage = "internal"
    return whole


def _modules(library, seen: dict) -> list:
    """The modules of a library and of those that it calls, each once."""
    if library in seen:
        return []
    seen[library] = None
    if not isinstance(library, KernelLibrary):
        return [library._get_module_for_linking().clone()]
    own = [binding.parse_assembly(source) for source in library.parts]
    return [*own, *(module for inner in library.called for module in _modules(inner, seen))]
