"""What a decorated function is called through: a function with its parameters, so that Python binds
arguments, keywords and defaults, and says what is wrong as it does of the undecorated function.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from ...runtime.core.tracebacks import hide_internal_frames

MISS: Any = object()  # what a fast call returns for arguments that it does not know
SOURCE = """
def front({parameters}):
    try:
        {keywords}
        {prefix}result = {fast}
        if {prefix}result is not {prefix}MISS:
            return {prefix}result
        return {prefix}general(({values}))
    except {prefix}Exception as {prefix}error:
        {prefix}hide({prefix}error)
        raise
"""


class Called:
    """Base of decorated functions. An instance is called through an attribute of its own, which
    Python finds without a function in between: that takes a quarter of a short call.
    """

    __slots__ = ("__call__", "_latest", "_scope")

    def enter_through(
        self, signature: inspect.Signature, python_function: Callable, general: Callable,
        with_keywords: Callable,
    ) -> None:  # fmt: skip
        """Be called with these parameters. `general` serves a call with the tuple of their values,
        keyword-only ones last; `with_keywords` one with keywords of any name.
        """
        own, self._latest = front(signature, general, with_keywords)
        self._scope = own.__globals__
        own.__name__ = getattr(python_function, "__name__", own.__name__)
        own.__qualname__ = getattr(python_function, "__qualname__", own.__name__)
        self.__call__ = own

    @property
    def latest(self) -> Callable:
        """The fast call that is tried before all others."""
        return self._scope[self._latest]

    @latest.setter
    def latest(self, fast: Callable) -> None:
        self._scope[self._latest] = fast


def misses(*args):
    return MISS


def front(
    signature: inspect.Signature, general: Callable, with_keywords: Callable
) -> tuple[types.FunctionType, str]:
    """The function, and the name of its global variable that holds what is tried first."""
    prefix, source = _source_of(signature)
    names = {
        "MISS": MISS, "general": general, "with_keywords": with_keywords, "len": len,
        "hide": hide_internal_frames, "Exception": Exception, "latest": misses,
    }  # fmt: skip
    scope: dict[str, Any] = {prefix + name: value for name, value in names.items()}
    exec(_compiled(source), scope)
    return with_defaults(scope.pop("front"), signature), f"{prefix}latest"


def parameter_list(signature: inspect.Signature) -> str:
    """The source of the parameters; None stands for the default values, see `with_defaults`."""
    empty = inspect.Parameter.empty
    rows = [
        one.replace(annotation=empty, default=empty if one.default is empty else None)
        for one in signature.parameters.values()
    ]
    return str(inspect.Signature(rows))[1:-1]


def with_defaults(function: types.FunctionType, signature: inspect.Signature):
    """A function that was made with these parameters, with their default values."""
    rows = [row for row in signature.parameters.values() if row.default is not row.empty]
    named = {row.name: row.default for row in rows if row.kind is row.KEYWORD_ONLY}
    function.__defaults__ = tuple(row.default for row in rows if row.name not in named)
    function.__kwdefaults__ = named
    return function


def _source_of(signature: inspect.Signature) -> tuple[str, str]:
    """The prefix of the names that the source reads, and the source."""
    rows = list(signature.parameters.values())
    prefix = "ag__"
    while any(one.name.startswith(prefix) for one in rows):
        prefix += "_"
    by_kind = {kind: [one.name for one in rows if one.kind is kind] for kind in PARAMETERS}
    *positional, others, named, keywords = by_kind.values()
    own = [*positional[0], *positional[1]]
    values = "".join(f"{one}, " for one in (*own, *(f"*{one}" for one in others), *named))
    fast = f"{prefix}latest({values})"
    if others:  # fast calls have a value for each parameter
        fast += f" if {prefix}len({others[0]}) == 1 else {prefix}MISS"
    given = "".join(f"{one}, " for one in (*own, *(f"*{one}" for one in others)))
    given += "".join(f"{one}={one}, " for one in named)
    of_any_name = "".join(
        f"if {one}: return {prefix}with_keywords({given}**{one})" for one in keywords
    )
    return prefix, SOURCE.format(
        parameters=parameter_list(signature), prefix=prefix, fast=fast, values=values,
        keywords=of_any_name,
    )  # fmt: skip


PARAMETERS = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


@functools.lru_cache(maxsize=1024)
def _compiled(source: str) -> types.CodeType:
    return compile(source, "<allograph front>", "exec")
