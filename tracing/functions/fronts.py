"""What a decorated function is called through: a function with its parameters, so that Python binds
arguments, keywords and defaults, and says what is wrong as it does of the undecorated function.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

from ...runtime.core.tracebacks import hide_internal_frames
from ...runtime.executors.bound_calls import number_of_results, with_otherwise

MISS: Any = object()  # what a fast call returns for arguments that it does not know
MOST_DIRECT = 4  # fast calls that are tried before the general way
SOURCE = """
def front({parameters}):
    try:
        {keywords}
        return {prefix}general(({values}))
    except {prefix}Exception as {prefix}error:
        {prefix}hide({prefix}error)
        raise
"""


class Called:
    """Base of decorated functions. An instance is called through an attribute of its own, which
    Python finds without a function in between: functions of C, one after the other, and then the
    entrance of all other calls.
    """

    __slots__ = ("__call__", "_direct", "_entrance", "_served", "_was_fast")

    def set_entrance(self, entrance: Callable) -> None:
        self._entrance = entrance
        self._direct: list[Any] = []
        self.was_fast = False
        self.enter_directly([])

    @property
    def was_fast(self) -> bool:
        """Whether there was a fast call since this was set to False."""
        return self._was_fast or self.number_served() > self._served

    @was_fast.setter
    def was_fast(self, was_fast: bool) -> None:
        self._was_fast, self._served = was_fast, self.number_served()

    def number_served(self) -> int:
        """How many calls the functions of C have served."""
        return sum(map(number_of_results, self._direct))

    def enter_directly(self, direct: list[Any]) -> None:
        """Call these functions of C first."""
        was_fast, self._direct = self.was_fast, direct
        self.was_fast = was_fast
        self.__call__ = functools.reduce(
            lambda call, table: with_otherwise(table, call), reversed(direct), self._entrance
        )

    def try_first(self, direct: Callable) -> None:
        """Call this function of C before the others; without LLVM it is one of Python."""
        if isinstance(direct, types.BuiltinFunctionType) and direct not in self._direct:
            self.enter_directly([direct, *self._direct][:MOST_DIRECT])


def misses(*_, **__):
    return MISS


def as_called(function: Callable) -> Callable:
    """The function as Python binds its arguments, whatever its decorators say of a signature."""
    if isinstance(function, functools.partial):
        return functools.partial(as_called(function.func), *function.args, **function.keywords)
    if isinstance(function, types.MethodType):
        return types.MethodType(as_called(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType):
        call = type(function).__call__  # of an object, in Python or not
        is_plain = isinstance(call, types.FunctionType)
        return as_called(types.MethodType(call, function)) if is_plain else function
    values: tuple = function.__defaults__, function.__closure__
    plain = types.FunctionType(function.__code__, {}, None, *values)
    plain.__kwdefaults__ = function.__kwdefaults__
    return plain


def takes_each_by_itself(signature: inspect.Signature) -> bool:
    """Whether each parameter has one argument."""
    several = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return all(parameter.kind not in several for parameter in signature.parameters.values())


def parameters_of(signature: inspect.Signature) -> Sequence[inspect.Parameter]:
    """The parameters for a table of a function of C, if each has one argument."""
    return [*signature.parameters.values()] if takes_each_by_itself(signature) else ()


def front(
    signature: inspect.Signature, general: Callable, with_keywords: Callable
) -> types.FunctionType:
    """A function with these parameters. `general` serves a call with the tuple of their values,
    keyword-only ones last; `with_keywords` one with keywords of any name.
    """
    prefix, source = _source_of(signature)
    names = {"general": general, "with_keywords": with_keywords}
    names |= {"hide": hide_internal_frames, "Exception": Exception}
    scope: dict[str, Any] = {prefix + name: value for name, value in names.items()}
    exec(_compiled(source), scope)
    return with_defaults(scope.pop("front"), signature)


def parameter_list(signature: inspect.Signature) -> str:
    """The source of the parameters; None stands for the default values, see `with_defaults`."""
    empty = inspect.Parameter.empty
    rows = [
        parameter.replace(annotation=empty, default=empty if parameter.default is empty else None)
        for parameter in signature.parameters.values()
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
    while any(parameter.name.startswith(prefix) for parameter in rows):
        prefix += "_"
    names = {way: [row.name for row in rows if row.kind is way] for way in PARAMETERS}
    *positional, others, named, keywords = names.values()
    own = [*positional[0], *positional[1]]
    values = "".join(f"{name}, " for name in (*own, *(f"*{name}" for name in others), *named))
    arguments = "".join(f"{name}, " for name in (*own, *(f"*{name}" for name in others)))
    arguments += "".join(f"{name}={name}, " for name in named)
    of_any_name = "".join(
        f"if {name}: return {prefix}with_keywords({arguments}**{name})" for name in keywords
    )
    return prefix, SOURCE.format(
        parameters=parameter_list(signature), prefix=prefix, values=values, keywords=of_any_name
    )


PARAMETERS = (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
)  # fmt: skip


@functools.lru_cache(maxsize=1024)
def _compiled(source: str) -> types.CodeType:
    return compile(source, "<allograph front>", "exec")
