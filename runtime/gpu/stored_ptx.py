"""PTX of kernels, in memory and on disk beside the kernels of the CPU, with the same safety.

Its file is read only if this user's programs wrote it; where the folder is not writable, or others
control it, PTX is written again in each process.
"""

from __future__ import annotations

import functools

from ..core import thresholds
from ..core.debug_output import log
from ..core.file_content import digest
from ..core.places import PACKAGE
from ..jit.cache.compilation import COMPILED_FOR
from ..jit.cache.files import home, source_file, sources_digest, with_origin
from ..jit.routines import digest_of_package, sources_of
from ..storage.stored_files import read, write
from .grid_kernel import GridKernel


@functools.lru_cache(1024)
def stored_ptx(kernel: GridKernel, architecture: str) -> str:
    """The PTX of a kernel. Raises NotNativeError where it needs what a device does not have."""
    name = name_of(kernel)
    path = home() / f"{name}.{architecture}.ptx"
    code = read(path)
    if code is None:
        from .ptx import ptx  # loads LLVM, which stored PTX does without

        log("cache", "%s is neither in memory nor on disk", name)
        code = ptx(kernel, architecture).encode()
        write(source_file(name), with_origin(kernel.code.source, COMPILED_FOR.get()), False)
        write(path, code)
    return code.decode()


def name_of(kernel: GridKernel) -> str:
    """The name of a kernel on disk: a hash of all that its PTX depends on, but the architecture."""
    types = [(parameter.dtype, parameter.shape, parameter.role) for parameter in kernel.parameters]
    own = digest_of_package(f"{PACKAGE}.runtime.gpu")  # which writes PTX
    called = (sources_digest(), own, *sources_of(kernel.code.calls))
    facts = kernel.one_block, kernel.is_cooperative, bool(kernel.failures)
    key = repr((kernel.code.source, types, facts, *called, *thresholds.changed()))
    return f"kernel_{digest(key.encode()).hex()[:20]}"
