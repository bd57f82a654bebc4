"""Words of memory that kernels and Python share: the tick that loops poll, and running services.

A kernel may need a *service*, such as a thread that Python starts. The word of a service is 0 while
it does not run. The entry of a kernel that needs it then calls the function of the service, with
the GIL. All words are written with the GIL; kernels read TICK without it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from ...core.classes import NamedTuple


def immortal(value):
    """The value, which lives as long as the process: machine code has its address. While Python
    ends, it empties one module after another, and what still runs may call kernels.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return value


WORDS = immortal(np.zeros(64, np.int64))
TICK = 0  # grows while kernels run; alone in its cache line
RUNNING = 16  # the number of kernels that run
MAIN_THREAD = 17  # the identity of Python's main thread


class Service(NamedTuple):
    """The indices of its word, and of the address of the Python function that starts it."""

    word: int
    function: int


CLOCK, WORKERS = Service(18, 19), Service(20, 21)


def provide(service: Service, start: Callable[[], object]) -> None:
    """Set the function that starts a service. It sets the word of the service to 1."""
    WORDS[service.function] = id(immortal(start))
