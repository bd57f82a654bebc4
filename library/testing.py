"""Helpers for tests and debuggers: how often a function was traced, and its code run eagerly."""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..extend.registration import public
from ..extend.state import CONFIG


@public("testing.assert_traces")
def assert_traces(function, count: int) -> None:
    """Raise AssertionError, with the reason for each trace, unless there are `count` traces.

    >>> import allograph as ag
    >>> double = ag.function(lambda x: x * 2)
    >>> _ = double(ag.constant(1)), double(ag.constant(2))
    >>> ag.testing.assert_traces(double, 1)
    >>> _ = double(ag.constant(1.5))
    >>> ag.testing.assert_traces(double, 1)
    Traceback (most recent call last):
        ...
    AssertionError: 2 traces instead of 1
    <lambda>: 2 traces.
    trace 2...:
      x: was int32 with shape (), is float32 with shape (). Cast it before the call: ...

    Raises TypeError where `function` is not decorated.
    """
    if not hasattr(function, "experimental_get_tracing_count"):
        raise TypeError(f"assert_traces takes a function decorated with function, not {function!r}")
    found = function.experimental_get_tracing_count()
    if found != count:
        number = f"{found} {'trace' if found == 1 else 'traces'}"
        raise AssertionError(f"{number} instead of {count}\n{function.explain_retraces()}")


@public("debug")
def debug(function: Callable) -> Callable:
    """`function` as plain Python: loops on tensors run iteration by iteration, with values.

    Breakpoints stop and `print` prints each time, in the function and in the decorated functions
    that it calls. The switch is that of `ag.config.run_functions_eagerly`, and holds for the
    process while the call runs.

    >>> import allograph as ag
    >>> @ag.function
    ... def total(n):
    ...     result = 0
    ...     while n > 0:
    ...         print("n is", int(n))
    ...         result, n = result + n, n - 1
    ...     return result
    >>> int(ag.debug(total)(ag.constant(2)))
    n is 2
    n is 1
    3
    """

    @functools.wraps(function, updated=())
    def run(*args, **kwargs):
        before, CONFIG.run_functions_eagerly = CONFIG.run_functions_eagerly, True
        try:
            return function(*args, **kwargs)
        finally:
            CONFIG.run_functions_eagerly = before

    return run
