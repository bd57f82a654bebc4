"""Options of a process: frames in tracebacks, threads between operations, determinism."""

from __future__ import annotations

import os

from ...extend.errors import InvalidArgumentError
from ...extend.graphs import BUILDER
from ...extend.registration import public


@public("get_default_graph")
def get_default_graph():
    """The graph being built, or None when operations run eagerly."""
    return BUILDER.get()


@public("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Does nothing: operations, and seeded random numbers, are deterministic anyway."""


@public("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Leave the frames of this package out of tracebacks, as from the start."""
    os.environ.pop("ALLOGRAPH_FULL_TRACEBACK", None)


@public("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Show every frame in tracebacks, as the environment variable ALLOGRAPH_FULL_TRACEBACK=1 does.

    >>> ag.debugging.disable_traceback_filtering()
    >>> ag.debugging.is_traceback_filtering_enabled()
    False
    >>> ag.debugging.enable_traceback_filtering()
    """
    os.environ["ALLOGRAPH_FULL_TRACEBACK"] = "1"


@public("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks leave out the frames of this package."""
    return os.environ.get("ALLOGRAPH_FULL_TRACEBACK", "0") in ("", "0")


_THREADS_BETWEEN_OPERATIONS = [0]


@public("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepted for programs that were written for TensorFlow: operations run one after another.

    Raises InvalidArgumentError for a negative number.

    >>> ag.config.threading.set_inter_op_parallelism_threads(2)
    >>> ag.config.threading.get_inter_op_parallelism_threads()
    2
    >>> ag.config.threading.set_inter_op_parallelism_threads(0)
    """
    number = int(num_threads)
    if number < 0:
        raise InvalidArgumentError(
            f"{number} threads", "Give a positive number, or 0 for one thread on each core."
        )
    _THREADS_BETWEEN_OPERATIONS[0] = number


@public("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """The number that `set_inter_op_parallelism_threads` was given."""
    return _THREADS_BETWEEN_OPERATIONS[0]
