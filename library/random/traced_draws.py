"""Random numbers of NumPy and Python in traced functions: drawn while tracing, and never again."""

from __future__ import annotations

import random
import sys
import warnings
from typing import Any

import numpy as np

from ...extend.errors import depth_of_user, in_users_words, user_location
from ...extend.graphs import BUILDER

_WARNED: set[str] = set()  # the lines that were warned about
_SETTINGS = {"seed", "getstate", "setstate", "get_state", "set_state", "spawn"}
_FORMS = {"random": "ag.random.uniform([])", "rand": "ag.random.uniform([])",
          "uniform": "ag.random.uniform([])", "normal": "ag.random.normal([])",
          "randn": "ag.random.normal([])", "standard_normal": "ag.random.normal([])",
          "gauss": "ag.random.normal([])"}  # fmt: skip


def note_draw(function) -> None:
    """Warn, once for each line, where a traced function draws from a generator that outlives it."""
    name, where = function.__name__, user_location()
    if BUILDER.get() is None or name in _SETTINGS or where is None:
        return
    if str(where) not in _WARNED and _outlives_the_trace(function.__self__):
        _WARNED.add(str(where))
        form = _FORMS.get(name, "the functions of ag.random")
        message = in_users_words(
            f"{name}() runs only while the function is traced, so that every call of the function "
            f"gets the same random numbers. Use {form} to draw in every call"
        )
        warnings.warn_explicit(message, UserWarning, where.file, where.line)


def _outlives_the_trace(generator) -> bool:
    """Whether a generator is that of a module, an argument or an attribute, as far as the frame of
    the user shows it. One that the function makes, with a seed, has the same numbers in each call.
    """
    modules: tuple[Any, ...] = (random.random, np.random.normal)
    if any(generator is function.__self__ for function in modules):
        return True
    frame: Any = sys._getframe(depth_of_user() - 1)
    code, variables = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    arguments = [variables.get(name) for name in code.co_varnames[:count]]
    owners = [getattr(value, "__dict__", {}) for value in variables.values()]
    held = [value for attributes in owners for value in attributes.values()]
    return any(value is generator for value in (*frame.f_globals.values(), *arguments, *held))
