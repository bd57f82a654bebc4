"""Whose attributes a function sets, by its source."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import NamedTuple

import gast

from ..syntax.source_recovery import source_of


class Owners(NamedTuple):
    """Where the objects come from whose attributes a function sets or deletes.

    parameters  names of parameters: they are these, or items of these
    classes     names of what the function calls to make them
    """

    parameters: frozenset[str]
    classes: frozenset[str]


@functools.cache
def owners_of_attributes(function: types.FunctionType) -> Owners | None:
    """The objects whose attributes a function sets; None where these may come from elsewhere.

    After `body.x += 1` and `for one in others: one.x -= 1`, they are the parameters `body` and
    `others`, or what the function has given these names.
    """
    search = _Search(source_of(function).node, function.__code__)
    for node in search.stores:
        if isinstance(node, gast.Attribute) and not search.follow(node.value):
            return None
    return Owners(frozenset(search.parameters), frozenset(search.classes))


class _Search:
    def __init__(self, tree, code: types.CodeType):
        self.nodes = list(gast.walk(tree))
        changes = (gast.Store, gast.Del)
        self.stores = [
            each for each in self.nodes if isinstance(getattr(each, "ctx", None), changes)
        ]
        count = code.co_argcount + code.co_kwonlyargcount
        self.own = set(code.co_varnames[:count])
        self.local = {*code.co_varnames, *code.co_cellvars}
        self.parameters: set[str] = set()
        self.classes: set[str] = set()
        self.followed: set[str] = set()

    def follow(self, value) -> bool:
        """Whether it is known where an expression comes from."""
        if isinstance(value, gast.Name):
            return self._follow_name(value.id)
        if isinstance(value, gast.Call) and isinstance(value.func, gast.Name):
            self.classes.add(value.func.id)
            return value.func.id not in self.local
        if isinstance(value, gast.Subscript):
            return self.follow(value.value)
        if isinstance(value, (gast.List, gast.Tuple)):
            return all(map(self.follow, value.elts))
        if isinstance(value, gast.ListComp):
            return self.follow(value.elt)
        return False

    def _follow_name(self, name: str) -> bool:
        if name in self.followed:
            return True
        self.followed.add(name)
        sources = [value for node in self.nodes for value in _bound_to(node, name)]
        stores = sum(isinstance(store, gast.Name) and store.id == name for store in self.stores)
        if name in self.own:
            self.parameters.add(name)
        elif name not in self.local or not sources:
            return False
        return len(sources) == stores and all(map(self.follow, sources))


def _bound_to(node, name: str) -> Iterable:
    """The expressions whose values, or whose items, a statement binds to a name."""
    if isinstance(node, gast.Assign):
        return [node.value for target in node.targets if getattr(target, "id", None) == name]
    if isinstance(node, (gast.For, gast.comprehension)):
        return _items_bound_to(node.target, node.iter, name)
    return []


def _items_bound_to(target, items, name: str) -> list:
    """The expressions whose items the target of a loop binds to a name."""
    if getattr(target, "id", None) == name:
        return [items]
    sources = items.args if isinstance(items, gast.Call) else []
    function = getattr(items.func, "id", None) if isinstance(items, gast.Call) else None
    if isinstance(target, gast.Tuple) and function == "enumerate":
        sources = [gast.Constant(0, None), *sources[:1]]
    if not isinstance(target, gast.Tuple) or function not in ("enumerate", "zip"):
        return []
    pairs = zip(target.elts, sources, strict=False)
    return [item for part, source in pairs for item in _items_bound_to(part, source, name)]
