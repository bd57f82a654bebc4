"""Python itself as what runs kernels."""

from __future__ import annotations

from ...runtime.core.file_content import digest
from ...runtime.jit.backends import OWN, Backend
from ...runtime.jit.cache.compilation import Compiled
from ...runtime.jit.cache.files import source_file
from ...runtime.storage.stored_files import write


class Interpreter(Backend):
    """Kernel source runs as Python, so that a debugger steps through its lines."""

    name = "python"
    description = "run as Python"
    has_vectors = False
    has_recursion = True

    def compiled(self, code, types, results, keeps_gil=False) -> Compiled:
        from .interpreted import function_of  # loads LLVM

        name = f"kernel_{digest(code.source.encode()).hex()[:20]}"
        path = source_file(name)
        write(path, code.source.encode(), is_signed=False)
        function, regions = function_of(code, str(path), types, results, OWN.compiled)
        return Compiled(name, function, 0, regions, is_new=False)

    def assembly(self, code, types, results) -> str:
        return ""
