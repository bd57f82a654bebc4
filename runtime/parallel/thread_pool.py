"""The threads that share the work of a large loop, and their number.

A parallel region takes chunk after chunk from a counter until none is left. The kernel wakes some
threads of the pool, takes chunks itself, and waits for the threads that have started. Threads that
spin-wait need not be woken (`spinning_workers.py`). The chunks do not depend on the number of
threads, so results do not either.
"""

from __future__ import annotations

import _thread
import ctypes
import itertools
import os
import queue
import threading
import time
import warnings

import numpy as np

from ..core.errors import InvalidArgumentError
from ..core.public_names import public
from . import mailbox, spinning_workers
from .mailbox import COUNT


class _Job:
    """A run of a parallel region that threads may join until it is closed."""

    def __init__(self, region: int, arguments: int):
        self.run = _prototype(region)
        self.arguments = arguments
        self.lock = threading.Lock()
        self.open = True
        self.inside = 0
        self.done = threading.Event()

    def join(self) -> None:
        """Take chunks, unless the job is closed."""
        with self.lock:
            if not self.open:
                return
            self.inside += 1
        self.run(self.arguments)
        with self.lock:
            self.inside -= 1
            if not (self.open or self.inside):
                self.done.set()

    def close(self) -> None:
        """Let no more threads in, and wait for those inside."""
        with self.lock:
            self.open = False
            if not self.inside:
                return
        self.done.wait()


class _Pool:
    """Threads that wait for jobs. They are started when first needed."""

    def __init__(self):
        self.waiting: queue.SimpleQueue = queue.SimpleQueue()
        self.size = 0
        self.lock = threading.Lock()
        self.jobs: dict[int, _Job] = {}
        self.numbers = itertools.count(2, 2)  # kernels add 1 where the mailbox has it too

    def start(self, job: _Job, helpers: int) -> int:
        number = next(self.numbers)
        self.jobs[number] = job
        spinning = mailbox.word(mailbox.SPINNING)
        if self.size < helpers + spinning:
            self.grow(helpers + spinning)
        for _ in range(helpers):
            self.waiting.put(job)
        return number

    def grow(self, size: int) -> None:
        with self.lock:
            for number in range(self.size, size):
                name = f"allograph worker {number + 1}"
                threading.Thread(target=self.work, name=name, daemon=True).start()
                self.size = number + 1

    def work(self) -> None:
        while True:
            self.waiting.get().join()
            spinning_workers.spin_wait()


_POOL = _Pool()
_prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64)


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
def _wake(region: int, arguments: int, threads: int) -> int:
    """Start a job with so many threads, the caller included; gives its number."""
    return _POOL.start(_Job(region, arguments), min(int(CONTROL[COUNT]), threads) - 1)


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
def _wait(number: int) -> int:
    """Wait for the threads inside a job. The number 0 only lets other threads run."""
    job = _POOL.jobs.get(number)
    if not number:
        _pause()
    elif job is not None:
        try:
            job.close()
        except KeyboardInterrupt:  # arrives again when the kernel has returned
            _thread.interrupt_main()
            job.close()
        _POOL.jobs.pop(number, None)
    return 1


def _pause() -> None:
    """Let other threads run."""
    try:
        time.sleep(2e-5)
    except KeyboardInterrupt:
        _thread.interrupt_main()


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _address(callback) -> int:
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def _wanted() -> int:
    """The number in ALLOGRAPH_THREADS; 0, and a warning where it is no number, for all cores."""
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
    """The numbers that the user set; 0 is one thread for each core."""

    intra_op = 0
    inter_op = 0


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


# The control block of kernels: two functions, the number of threads, and the mailbox.
CONTROL = np.array(
    [_address(_wake), _address(_wait), cores(), mailbox.MAILBOX.ctypes.data], np.int64
)


def _after_fork() -> None:
    """A child process has none of its parent's threads."""
    mailbox.clear()
    _POOL.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _checked(num_threads) -> int:
    number = int(num_threads)
    if number < 0:
        raise InvalidArgumentError(
            f"{number} threads", "Give a positive number, or 0 for one thread on each core."
        )
    return number


@public("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Set the number of threads that share one large operation or loop; 0 is one for each core.

    It takes effect at once, for functions that are compiled already too. Small kernels always run
    on the calling thread, and results do not depend on the number. The environment variable
    ALLOGRAPH_THREADS sets it from the start.

    With the package threadpoolctl, matrix products of NumPy and SciPy use as many threads, and 0
    restores their own number. The last digits of such a product may depend on it.
    ALLOGRAPH_THREADS reaches BLAS when native code is first loaded. OPENBLAS_NUM_THREADS has the
    number meanwhile, for libraries that are loaded later.

    Raises InvalidArgumentError for a negative number.

    >>> import allograph as ag
    >>> ag.config.threading.set_intra_op_parallelism_threads(2)
    >>> ag.config.threading.get_intra_op_parallelism_threads()
    2
    >>> ag.config.threading.set_intra_op_parallelism_threads(0)
    """
    before, _Chosen.intra_op = _Chosen.intra_op, _checked(num_threads)
    CONTROL[COUNT] = _Chosen.intra_op or cores()
    if before or _Chosen.intra_op:
        _Blas.limit(_Chosen.intra_op, before)


@public("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """The number that `set_intra_op_parallelism_threads` was given; 0 if the machine decides."""
    return _Chosen.intra_op


@public("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepted for programs that were written for TensorFlow: operations run one after another.

    Raises InvalidArgumentError for a negative number.

    >>> import allograph as ag
    >>> ag.config.threading.set_inter_op_parallelism_threads(2)
    >>> ag.config.threading.get_inter_op_parallelism_threads()
    2
    >>> ag.config.threading.set_inter_op_parallelism_threads(0)
    """
    _Chosen.inter_op = _checked(num_threads)


@public("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """The number that `set_inter_op_parallelism_threads` was given."""
    return _Chosen.inter_op


if wanted := _wanted():
    set_intra_op_parallelism_threads(wanted)
