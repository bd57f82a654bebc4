"""Mangle private names: `__x` in class C becomes `_C__x`.

Converted code is compiled outside its class, where Python does not mangle names.
"""

from __future__ import annotations

import gast


class Mangle(gast.NodeTransformer):
    """Rewrites a function of a class; `functions` are the new names of functions inside it."""

    def __init__(self, class_name: str):
        self.prefix = "_" + class_name.lstrip("_")
        self.functions: dict[str, str] = {}

    def mangled(self, name):
        """The name that Python gives to one written in the class; None stays None."""
        private = name and name.startswith("__") and not name.endswith("__") and "." not in name
        return self.prefix + name if private and self.prefix != "_" else name

    def visit_Name(self, node):
        node.id = self.mangled(node.id)
        return self.generic_visit(node)

    def visit_Attribute(self, node):
        node.attr = self.mangled(node.attr)
        return self.generic_visit(node)

    def visit_Global(self, node):
        node.names = [self.mangled(name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global

    def visit_alias(self, node):
        node.asname = self.mangled(node.asname or node.name)
        if node.asname == node.name:
            node.asname = None
        return node

    def visit_MatchAs(self, node):
        node.name = self.mangled(node.name)
        return self.generic_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node):
        node.rest = self.mangled(node.rest)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        written, node.name = node.name, self.mangled(node.name)
        if written != node.name:
            self.functions[node.name] = written
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        """Mangle only the head of an inner class, which mangles the names in its body itself."""
        node.name = self.mangled(node.name)
        node.bases = [self.visit(base) for base in node.bases]
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        for keyword in node.keywords:
            self.visit(keyword.value)
        return node
