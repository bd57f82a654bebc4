"""Functions of Python that run the code of `jit/entry/bound_call.py`, which shortens calls.

Its library is compiled once, in a thread of its own. The first result of a process does not wait
for it: until then, these functions call the second item of what they are bound to.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..jit.cache.compilation import Library, entry_library, when_compiled
from ..jit.loader.symbols import BOUND_CALL, OTHERWISE_CALL, TENSOR_CALL

CALLS = (BOUND_CALL, TENSOR_CALL)
IS_COMPILED = threading.Event()  # whether the library is there


def bound(name: str, this: tuple) -> Callable:
    """The function of a name among CALLS, with what it calls a kernel with."""
    from ..jit.loader import load

    if not IS_COMPILED.is_set():
        otherwise = entry_library().address(OTHERWISE_CALL)
        load.define_calls(CALLS, lambda _: otherwise)
        when_compiled("calls", _written, _use)
    return load.bound(name, this)


def _written() -> str:
    from ..jit.entry.bound_call import written  # loads LLVM, which a stored library does without

    return written()


def _use(library: Library) -> None:
    from ..jit.loader import load

    load.define_calls(CALLS, library.address)
    IS_COMPILED.set()
