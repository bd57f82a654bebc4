"""Switches that hold for the whole process."""

from __future__ import annotations

import os

from ...runtime.core.debug_output import is_on
from ...runtime.core.public_names import public


class Config:
    """The switches, as attributes that the hot path reads."""

    def __init__(self):
        self.run_functions_eagerly = is_on("ALLOGRAPH_EAGER")


CONFIG = Config()


@public("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Run decorated functions as plain Python, for debugging; False turns tracing on again.

    The environment variable ALLOGRAPH_EAGER=1 does the same from the start.

    >>> ag.config.run_functions_eagerly(True)
    >>> ag.function(lambda x: ag.executing_eagerly())(1)
    True
    >>> ag.config.run_functions_eagerly(False)
    """
    CONFIG.run_functions_eagerly = bool(run_eagerly)


@public("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Whether `run_functions_eagerly` is on."""
    return CONFIG.run_functions_eagerly


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
