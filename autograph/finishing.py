"""The last walk over a converted tree: every node gets a place, and needless checks go.

`ag__.ld(x)` complains when `x` has no value. Where that cannot happen, because `x` is a parameter
or certainly assigned, the compiled code reads `x` itself: a debugger steps over it, and it costs
nothing. The value that says "has not returned yet" is one object. The text that `to_code` shows
keeps every check.
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
            if type(node) is ast.Call:
                node = self._simpler(node)
            fields = node.__dict__
            if fields.get("lineno") is None:
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place
            elif fields.get("end_lineno") is None:
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset + 1
            place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        self._children(node, place)
        return node

    def _simpler(self, call: ast.Call):
        function = call.func
        if type(function) is not ast.Attribute or type(function.value) is not ast.Name:
            return call
        if function.value.id != "ag__":
            return call
        if function.attr == "ld" and type(call.args[0]) is ast.Name:
            return call if call.args[0].id in self.unset else call.args[0]
        if function.attr == "UndefinedReturnValue":
            return ast.Attribute(function.value, "NO_RESULT", ast.Load())
        return call
