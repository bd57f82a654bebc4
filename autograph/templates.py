"""Pieces of syntax tree written as text."""

from __future__ import annotations

import copy
import functools

import gast


class _Filler(gast.NodeTransformer):
    def __init__(self, parts: dict):
        self.parts = parts

    def visit_Name(self, node):
        part = self.parts.get(node.id)
        if part is None:
            return node
        if isinstance(part, str):
            node.id = part
            return node
        return part

    def visit_Expr(self, node):
        """A bare name on its own line stands for statements."""
        if isinstance(node.value, gast.Name) and isinstance(self.parts.get(node.value.id), list):
            return self.parts[node.value.id]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        node.name = self.parts.get(node.name, node.name)
        return self.generic_visit(node)


@functools.cache
def _parsed(text: str):
    body = gast.parse(text).body
    for statement in body:
        for node in gast.walk(statement):  # places come from the user's code, see `place`
            for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                node.__dict__.pop(field, None)
    return body


def quote(text: str, /, **parts) -> list:
    """The statements of `text`, names in it replaced by nodes, other names or blocks."""
    filler = _Filler(parts)
    made = []
    for statement in copy.deepcopy(_parsed(text)):
        found = filler.visit(statement)
        made += found if isinstance(found, list) else [found]
    return made


def expression(text: str, /, **parts):
    """The expression that `text` spells, names in it replaced."""
    (statement,) = quote(text, **parts)
    return statement.value


def name(identifier: str, context=None):
    return gast.Name(identifier, context or gast.Load(), None, None)


def constant(value):
    return gast.Constant(value, None)


def names_tuple(identifiers):
    return gast.Tuple([constant(one) for one in identifiers], gast.Load())


def place(nodes, like):
    """Give new nodes the place in the user's file of the node they came from."""
    for node in nodes if isinstance(nodes, list) else [nodes]:
        _place(node, like)
    return nodes


def _place(node, like) -> None:
    if getattr(node, "lineno", None) is None and "lineno" in getattr(node, "_attributes", ()):
        gast.copy_location(node, like)
    inner = node if getattr(node, "lineno", None) is not None else like
    for child in gast.iter_child_nodes(node):
        _place(child, inner)
