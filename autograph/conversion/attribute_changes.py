"""Whose attributes a function sets, by its source."""

from __future__ import annotations

import functools
import types

import gast

from ..syntax.source_recovery import source_of


@functools.cache
def changes_only_self(function: types.FunctionType) -> bool:
    """Whether the attributes that a function sets or deletes are those of its first argument, and
    its first parameter keeps that name.
    """
    code = function.__code__
    name = code.co_varnames[0] if code.co_argcount else None
    for node in gast.walk(source_of(function).node):
        if not isinstance(getattr(node, "ctx", None), (gast.Store, gast.Del)):
            continue
        if isinstance(node, gast.Name) and node.id == name:
            return False
        if isinstance(node, gast.Attribute) and getattr(node.value, "id", None) != name:
            return False
    return True
