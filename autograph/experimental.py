"""Options of conversion, and directives for loops."""

from __future__ import annotations

import enum

from .api import do_not_convert

__all__ = ["Feature", "do_not_convert", "set_loop_options"]


class Feature(enum.Enum):
    """Optional features, accepted for compatibility; what they switch on is always on."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def set_loop_options(
    parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None
):
    """Say something about the loop whose body starts with this call.

    maximum_iterations   stop after so many
    shape_invariants     `[(variable, shape), ...]`: shapes that may change from one iteration to
    the next

    Outside converted code, and on plain Python loops, it does nothing.
    """
