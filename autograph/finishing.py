"""The last walk over a converted tree: every node gets a place, and needless checks go.

`ag__.ld(x)` complains when `x` has no value. Where that cannot happen, because `x` is a parameter
or certainly assigned, the compiled code reads `x` itself: a debugger steps over it, and it costs
nothing. The text that `to_code` shows keeps every check.
"""

from __future__ import annotations

import ast


class Finish:
    """Walks a tree of `ast`; `unset` are the names that may have no value."""

    def __init__(self, unset: set[str]):
        self.unset = unset

    def __call__(self, tree):
        self._children(tree, (1, 0, 1, 0))
        return tree

    def _children(self, node, place) -> None:
        fields = node.__dict__
        for field in node._fields:
            value = fields.get(field)
            if type(value) is list:
                for index, child in enumerate(value):
                    if isinstance(child, ast.AST):
                        value[index] = self._finished(child, place)
            elif isinstance(value, ast.AST):
                fields[field] = self._finished(value, place)

    def _finished(self, node, place):
        attributes = node._attributes
        if attributes:
            if type(node) is ast.Call and self._is_needless(node):
                node = node.args[0]
            fields = node.__dict__
            if fields.get("lineno") is None:
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
            elif fields.get("end_lineno") is None:
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset + 1
            place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        self._children(node, place)
        return node

    def _is_needless(self, call: ast.Call) -> bool:
        function = call.func
        return (
            type(function) is ast.Attribute
            and function.attr == "ld"
            and type(function.value) is ast.Name
            and function.value.id == "ag__"
            and type(call.args[0]) is ast.Name
            and call.args[0].id not in self.unset
        )
