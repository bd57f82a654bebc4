"""Syntax tree -> text, with a map from its lines to the user's."""

from __future__ import annotations

import ast
import io

import astunparse

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Emitter(astunparse.Unparser):
    """Writes a tree and notes, in the same walk, which original line each written line came from.

    Statements with blocks are laid out here; every expression and plain statement is one line,
    which Python's own unparser writes: it knows the newest syntax.
    """

    def __init__(self, tree):
        self.line_map: dict[int, int] = {}
        self.written = 0
        self.stream = io.StringIO()
        super().__init__(tree, self.stream)
        self.text = self.stream.getvalue().strip("\n") + "\n"

    def fill(self, text=""):
        """Start a line."""
        self.written += 1
        self.write("    " * self._indent + text + "\n")

    def dispatch(self, tree):
        if isinstance(tree, list):
            for node in tree:
                self.dispatch(node)
            return
        if isinstance(tree, ast.Module):
            self.dispatch(tree.body)
            return
        self._statement(tree)

    def _statement(self, node) -> None:
        origin = getattr(node, "lineno", None)
        for line in self._head(node):
            self.fill(line)
            if origin is not None:
                self.line_map[self.written] = origin
        for keyword, block in self._blocks(node):
            if keyword:
                self.fill(keyword)
            self._indent += 1
            self.dispatch(block)
            self._indent -= 1

    def _head(self, node) -> list[str]:
        """The lines before the first block: a shallow copy with an empty body, written by `ast`."""
        if not self._has_blocks(node):
            return ast.unparse(node).splitlines()
        hollow = type(node)(**{field: getattr(node, field, None) for field in node._fields})
        for field in BLOCKS:
            if isinstance(getattr(hollow, field, None), list):
                setattr(hollow, field, [])
        hollow.body = [ast.Pass()] if not isinstance(node, ast.Match) else []
        if isinstance(node, (ast.Try, getattr(ast, "TryStar", ast.Try))):
            return ["try:"]
        if isinstance(node, ast.Match):
            return [f"match {ast.unparse(node.subject)}:"]
        if isinstance(node, ast.match_case):
            guard = f" if {ast.unparse(node.guard)}" if node.guard else ""
            return [f"case {ast.unparse(node.pattern)}{guard}:"]
        if isinstance(node, ast.ExceptHandler):
            kind = f" {ast.unparse(node.type)}" if node.type else ""
            return [f"except{self.star}{kind}{f' as {node.name}' if node.name else ''}:"]
        lines = ast.unparse(ast.fix_missing_locations(hollow)).strip().splitlines()
        return lines[:-1] if lines[-1].strip() == "pass" else lines

    star = ""

    def _has_blocks(self, node) -> bool:
        return any(
            isinstance(getattr(node, field, None), list) for field in BLOCKS
        ) and not isinstance(node, ast.Lambda)

    def _blocks(self, node):
        if not self._has_blocks(node):
            return
        if isinstance(node, ast.Match):
            yield "", node.cases
            return
        yield "", node.body
        self.star = "*" if type(node).__name__ == "TryStar" else ""
        for handler in getattr(node, "handlers", []):
            self._statement(handler)
        orelse = getattr(node, "orelse", [])
        if orelse:
            yield "else:", orelse
        if getattr(node, "finalbody", []):
            yield "finally:", node.finalbody


def emit(tree) -> tuple[str, dict[int, int]]:
    """The text of a tree, and for each of its lines the original line."""
    emitter = Emitter(tree)
    return emitter.text, emitter.line_map
