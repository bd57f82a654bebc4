"""Switches that hold for the whole process."""

from __future__ import annotations

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
