"""Options of conversion, and directives for loops."""

from __future__ import annotations

import enum

from .api import do_not_convert

__all__ = ["Feature", "do_not_convert", "set_loop_options"]


class Feature(enum.Enum):
    """Optional features of conversion.

    With LISTS, Python lists grow in loops on tensors: `append`, `pop`, indexing and `len` act at
    run time, and `ag.stack(items)` returns all items. Without it, such a list is filled once, while
    the loop is traced, and using it afterwards raises OutOfScopeError. The other features are
    always on.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude) -> tuple[Feature, ...]:
        """Every feature but one, or those of a list."""
        without = {exclude} if isinstance(exclude, cls) else set(exclude)
        return tuple(one for one in cls if one not in without and one is not cls.ALL)


def set_loop_options(
    parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None
):
    """Set options of the loop whose body starts with this call.

    maximum_iterations   stop after so many
    shape_invariants     `[(variable, shape), ...]`: shapes that may change from one iteration to
    the next

    Outside converted code, and on plain Python loops, it does nothing.
    """
