"""Give converted code the user's names, for tracebacks, debuggers and profiles."""

from __future__ import annotations

import inspect
import types

from ..identity_map import IdentityMap

DIRECT_CALLERS: set[types.CodeType] = set()  # of the operators between a caller and what it calls
OUTLINED = IdentityMap()  # code of functions outlined from the user's: their generated names
CONVERTED = {"STANDARD", "FunctionScope", "with_function_scope"}  # names that converted code reads
TYPE_PARAMETERS = "<generic parameters of "  # Python's own scope around `def f[T]`


def is_class_body(code) -> bool:
    return not code.co_flags & inspect.CO_NEWLOCALS


def under_the_users_name(code, function, helpers: set[str], written: dict[str, str]):
    """The code object with the names that the function and what it defines have in the source.

    Outlined functions (`loop_body`, ...) appear as the function that they come from. `written`
    maps mangled private names to the names in the source.
    """

    def renamed(inner, outer: str, inside: str, in_converted: bool):
        own = inner.co_name
        is_outlined = in_converted and _is_outlined(inner, helpers)
        title, below = outer, inside
        if inner is not code and not is_outlined and not own.startswith(TYPE_PARAMETERS):
            own = written.get(own, own)
            title = f"{outer}.{inside}{own}"
            below = "" if is_class_body(inner) else "<locals>."
        strings = {
            inner.co_qualname: title
        }  # a class body also holds its qualified name as a string
        is_converted = is_outlined or inner is code or not CONVERTED.isdisjoint(inner.co_names)
        constants = tuple(
            renamed(one, title, below, is_converted)
            if isinstance(one, types.CodeType)
            else strings.get(one, one)
            if isinstance(one, str)
            else one
            for one in inner.co_consts
        )
        display_name = title.split(".")[-1] if is_outlined else own
        made = inner.replace(co_name=display_name, co_qualname=title, co_consts=constants)
        if is_outlined:
            OUTLINED[made] = inner.co_name
        return made

    made = renamed(code, function.__qualname__, "<locals>.", True)
    return made.replace(co_name=function.__code__.co_name)


def _is_outlined(code, helpers: set[str]) -> bool:
    """Whether a function is outlined; a lambda of the user opens a scope of its own."""
    if code.co_name == "<lambda>":
        return "with_function_scope" not in code.co_names
    return code.co_name in helpers
