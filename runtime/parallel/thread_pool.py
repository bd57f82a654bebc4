"""How many threads share the work of a large loop.

A parallel region takes chunk after chunk from a counter until none is left. The kernel posts the
region to worker threads (`workers.py`), takes chunks itself, and waits for the threads that have
started. The chunks do not depend on the number of threads, so results do not either.
"""

from __future__ import annotations

import os
import warnings

import numpy as np

from ..core.errors import InvalidArgumentError
from ..core.public_names import public
from . import mailbox
from .mailbox import COUNT
from .workers import POOL


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads() -> int:
    """The number of threads where the user has chosen none: that of the cores, or less where
    OMP_NUM_THREADS says so, as joblib, Dask and batch systems set it for each of their workers.
    """
    setting = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    limit = int(setting) if setting.isascii() and setting.isdigit() else 0
    return min(cores(), limit or cores())


def _wanted() -> int:
    """The number in ALLOGRAPH_THREADS; 0, and a warning where it is no number, for the default."""
    value = os.environ.get("ALLOGRAPH_THREADS", "").strip()
    if value and not (value.isascii() and value.isdigit()):
        warnings.warn(
            f"ALLOGRAPH_THREADS={value!r} is not a number of threads, such as 2; all cores are "
            "used",
            stacklevel=2,
        )
        return 0
    return int(value or 0)


class _Chosen:
    """The numbers that the user set; 0 is the default."""

    intra_op = 0


class _Blas:
    """The threads of BLAS libraries, if `threadpoolctl` is installed.

    NumPy and SciPy each bring their own library. SciPy's is loaded with the first kernel that needs
    it, and then reads its number of threads from an environment variable.
    """

    variable = "OPENBLAS_NUM_THREADS"
    original: str | None = None  # its value before we set it
    defaults: dict[str, int] = {}  # the threads of each library before we set them, by its file

    @classmethod
    def limit(cls, number: int, before: int) -> None:
        """Set their number of threads; 0 restores it. `before` is the number that was set."""
        try:
            from threadpoolctl import ThreadpoolController
        except ImportError:
            return
        for library in ThreadpoolController().select(user_api="blas").lib_controllers:
            known = max(cls.defaults.values(), default=cores()) if before else library.num_threads
            default = cls.defaults.setdefault(library.filepath, known)
            library.set_num_threads(number or default)
        if not before:
            cls.original = os.environ.get(cls.variable)
        if number:
            os.environ[cls.variable] = str(number)
        elif cls.original is None:
            os.environ.pop(cls.variable, None)
        else:
            os.environ[cls.variable] = cls.original


# The control block of kernels with parallel regions.
CONTROL = np.array([default_threads(), mailbox.MAILBOX.ctypes.data], np.int64)
POOL.want(default_threads() - 1)


@public("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads that share one large operation or loop; 0 is one for each core, or
    as many as OMP_NUM_THREADS allows, which joblib and Dask set for their workers.

    It takes effect at once, for functions that are compiled already too. Small kernels always run
    on the calling thread, and results do not depend on the number. The environment variable
    ALLOGRAPH_THREADS sets it from the start.

    With the package threadpoolctl, matrix products of NumPy and SciPy use as many threads, and 0
    restores their own number. The last digits of such a product may depend on it.
    ALLOGRAPH_THREADS reaches BLAS when native code is first loaded. OPENBLAS_NUM_THREADS has the
    number meanwhile, for libraries that are loaded later.

    Raises InvalidArgumentError for a negative number.

    >>> ag.config.threading.set_intra_op_parallelism_threads(2)
    >>> ag.config.threading.get_intra_op_parallelism_threads()
    2
    >>> ag.config.threading.set_intra_op_parallelism_threads(0)
    """
    number = int(num_threads)
    if number < 0:
        raise InvalidArgumentError(
            f"{number} threads", "Give a positive number, or 0 for one thread on each core."
        )
    before, _Chosen.intra_op = _Chosen.intra_op, number
    CONTROL[COUNT] = _Chosen.intra_op or default_threads()
    POOL.want(int(CONTROL[COUNT]) - 1)
    if before or _Chosen.intra_op:
        _Blas.limit(_Chosen.intra_op, before)


@public("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """The number that `set_intra_op_parallelism_threads` was given; 0 if the machine decides."""
    return _Chosen.intra_op


if wanted := _wanted():
    set_intra_op_parallelism_threads(wanted)
