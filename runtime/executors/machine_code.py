"""The machine code of kernels: their own, or what traces of one function share."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..core.classes import NamedTuple
from ..core.locks import Lock
from ..core.places import object_at
from ..jit.backends import Backend
from ..jit.cache.compilation import Compiled, provide_library
from ..kernel_ir.kernels import KernelIR
from ..tensors.name_scopes import within
from .alike_parts import with_functions


class Code(NamedTuple):
    """Machine code for a kernel, and what it was compiled from; with `numbers`, it
    takes them behind its constants.
    """

    compiled: Compiled
    code: KernelIR
    types: tuple
    results: tuple
    numbers: np.ndarray | None = None


class SharedKernels:
    """The kernels of one function by what they have in common, and the number of its traces."""

    def __init__(self) -> None:
        self.traces = 0
        self.alike: dict[tuple, Any] = {}
        self.lock = Lock()


_KERNELS: ContextVar[SharedKernels | None] = ContextVar("shared kernels", default=None)


@contextlib.contextmanager
def sharing(kernels: SharedKernels) -> Iterator[None]:
    """What is compiled inside, for one more trace, may share machine code with earlier traces."""
    with within(_KERNELS, kernels):
        yield
        kernels.traces += 1


def machine_code(
    code: KernelIR, types: tuple, results: tuple, backend: Backend, keeps_gil: bool, last: int
) -> Code:
    """The machine code for a kernel: its own, or what it shares. The numbers are the
    argument number `last` then.
    """
    kernels = _KERNELS.get()
    if kernels is not None and backend.shares_kernels:
        from .shared_kernels import shared_code  # few functions have kernels that others may share

        shared = shared_code(kernels, code, types, results, last)
        if shared is not None:
            return Code(*shared)
    own = with_functions(code) if backend.shares_kernels else code
    return Code(backend.compiled(own, types, results, keeps_gil), code, types, results)


def _written(module: str, *dtypes: str) -> str:
    """A library of kernels, in LLVM's assembly language."""
    return object_at(f"runtime.kernels.{module}:written")(*dtypes)  # loads LLVM


provide_library("philox", functools.partial(_written, "random.philox_blocks"))
for _dtype in ("float32", "float64"):
    provide_library(f"matmul_{_dtype}", functools.partial(_written, "matmul_blocked", _dtype))
    provide_library(f"matvec_{_dtype}", functools.partial(_written, "matvec", _dtype))
