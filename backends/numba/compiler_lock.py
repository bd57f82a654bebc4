"""The lock of whoever compiles with Numba.

It is taken before that of LLVM: a function that Numba is compiling may call one of ours, which is
compiled meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from numba.core.compiler_lock import global_compiler_lock

from ...runtime.core.locks import LLVM


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """Numba's lock and LLVM's, which Numba calls: the process forks and ends when it has done."""
    with global_compiler_lock, LLVM:
        yield
