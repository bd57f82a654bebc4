"""The decorator for functions on JAX arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ...autograph.api import convert, staged_by
from ...autograph.current_trace import TRACE
from ...autograph.errors import NotStagedError
from ...runtime.core.public_names import public

F = TypeVar("F", bound=Callable[..., Any])


@public("jax.function")
def function(func: F) -> F:
    """A function on JAX arrays and pytrees, whose `if`, `while` and `for` traced values may drive.

    Under `jax.jit`, `grad`, `vmap` and other transformations, they become `lax.cond`,
    `lax.while_loop` and `lax.scan`, which a loop over an array is. Python's own values, and arrays
    outside of transformations, keep Python's behavior. `x[i] = v` gives the name `x` the array
    `x.at[i].set(v)`; other names keep the old one. Data types are joined as `jnp.where` does.

    >>> import allograph as ag
    >>> import jax
    >>> @ag.jax.function
    ... def steps(n):
    ...     count = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         count += 1
    ...     return count
    >>> int(jax.jit(steps)(27))
    111

    Loops with a known number of steps have derivatives in reverse mode; a `while` has them if
    `ag.autograph.experimental.set_loop_options(maximum_iterations=n)` bounds it.

    Raises ModuleNotFoundError where JAX is not installed, and NotStagedError, a
    NotImplementedError, for what cannot be staged: a name that has other shapes or structures on
    other paths, a `raise` or an `assert` that a traced value decides.
    """
    try:
        import jax  # noqa: F401 - which only this decorator needs
    except ModuleNotFoundError as error:
        message = "JAX is not installed: pip install 'allograph[jax]'"
        raise ModuleNotFoundError(message, name=error.name) from None
    form = convert()(func)

    @functools.wraps(func)
    def call(*args, **kwargs):
        from .jax_stager import JaxStager  # which only a call needs

        if isinstance(TRACE.get().stager, JaxStager):
            return form(*args, **kwargs)
        try:
            with staged_by(JaxStager()) as stager:
                return stager.until_raise(lambda: form(*args, **kwargs))
        except RecursionError:
            raise NotStagedError(
                f"'{getattr(func, '__name__', func)}' calls itself without end while it is traced: "
                "a traced value decides when recursion ends. Write it as a loop."
            ) from None

    return call  # type: ignore[return-value]
