"""Options of conversion, and directives for loops."""

from __future__ import annotations

import enum
import functools
import inspect

from .api import do_not_convert
from .operators.scopes import DEFAULTS

__all__ = ["Feature", "do_not_convert", "set_default_features", "set_loop_options"]


class Feature(enum.Enum):
    """Optional features of conversion.

    With LISTS, Python lists grow in loops on tensors: `append`, `pop`, indexing and `len` act at
    run time, and `ag.stack(items)` returns all items. Without it, as in the reference, such a list
    is filled once, while the loop is traced, and using it afterwards raises OutOfScopeError. The
    other features are always on.
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
        return tuple(flag for flag in cls if flag not in without and flag is not cls.ALL)


def set_default_features(*features: Feature) -> None:
    """The features of functions that name none in `experimental_autograph_options`.

    It concerns functions that are traced from now on. Without features, the behavior of the
    reference is back.

    >>> ag.autograph.experimental.set_default_features(ag.autograph.experimental.Feature.LISTS)
    >>> @ag.function
    ... def squares(n):
    ...     found = []
    ...     for i in ag.range(n):
    ...         found.append(i * i)
    ...     return found
    >>> squares(ag.constant(4)).numpy()
    array([0, 1, 4, 9], dtype=int32)
    >>> ag.autograph.experimental.set_default_features()
    """
    DEFAULTS.features = features


def _suggests(function):
    """The function, whose error for an unknown parameter names the most similar one."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args, **kwargs):
        for name in kwargs.keys() - known.keys():
            import difflib  # only errors need it

            close = difflib.get_close_matches(name, known, 1)
            question = f". Did you mean {close[0]!r}?" if close else ""
            raise TypeError(
                f"{function.__name__}() got an unexpected keyword argument {name!r}{question}"
            )
        return function(*args, **kwargs)

    return call


@_suggests
def set_loop_options(
    parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None
):
    """Set options of the loop whose body starts with this call.

    maximum_iterations   stop after so many
    shape_invariants     `[(variable, shape), ...]`: shapes that may change from one iteration to
    the next

    Outside converted code, and on plain Python loops, it does nothing.
    """
