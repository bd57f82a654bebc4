"""The names that converted code shows in tracebacks, debuggers and profiles: the user's."""

from __future__ import annotations

import inspect
import types


def is_class_body(code) -> bool:
    return not code.co_flags & inspect.CO_NEWLOCALS


def under_the_users_name(code, function, helpers: set[str], written: dict[str, str]):
    """The code object with the names that the function and what it defines have in the source.

    The helpers that conversion made (`loop_body`, ...) appear as the function they are a part of.
    `written` are names that the source spells in another way: private ones.
    """
    parts = code.co_qualname.split(".")

    def renamed(inner, outer: str, inside: str):
        own = inner.co_name
        title, below = outer, inside
        if own not in helpers:
            own = written.get(own, own)
            title = f"{outer}.{inside}{own}"
            below = "" if is_class_body(inner) else "<locals>."
        texts = {inner.co_qualname: title}  # a class body also holds its qualified name as a text
        constants = tuple(
            renamed(one, title, below)
            if isinstance(one, types.CodeType)
            else texts.get(one, one)
            if isinstance(one, str)
            else one
            for one in inner.co_consts
        )
        shown = title.split(".")[-1] if own in helpers else own
        return inner.replace(co_name=shown, co_qualname=title, co_consts=constants)

    helpers = helpers | {parts[-1]}
    made = renamed(code, function.__qualname__, "<locals>.")
    return made.replace(co_name=function.__code__.co_name)
