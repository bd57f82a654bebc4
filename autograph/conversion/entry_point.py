"""The entry point from plain Python into converted code: one generated line per function.

A debugger passes through it when it steps into a decorated function, and a stack trace shows it.
"""

from __future__ import annotations

import functools
import keyword
import linecache
import types
from collections.abc import Callable

SOURCE = """\
def {name}(*args, **kwargs):
    return ag__.converted_call({name}_function, args, kwargs, fscope)
"""


def entry_of(function: Callable, scope, operators: types.ModuleType) -> Callable:
    """`entry(*args, **kwargs)` calls `function` converted, in a frame of the same name.

    The generated line knows the namespace `operators` as `ag__`.
    """
    name = getattr(function, "__name__", "")
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "call"
    scope = {"__name__": __name__, "ag__": operators, "fscope": scope, f"{name}_function": function}
    return types.FunctionType(_code(name), scope)


@functools.lru_cache(maxsize=1024)
def _code(name: str) -> types.CodeType:
    source, file = SOURCE.format(name=name), f"<allograph entry {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    (code,) = (
        part for part in compile(source, file, "exec").co_consts if isinstance(part, types.CodeType)
    )
    return code
