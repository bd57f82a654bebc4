"""Syntax tree -> text, with a map from its lines to the user's."""

from __future__ import annotations

import ast
import inspect
import io
import re

import astunparse

from .line_breaking import laid_out

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CHECK = re.compile(r"ag__\.ld\((\w+)\)")
DECLARATIONS = ("def ", "async def ", "class ", "@", "global ", "nonlocal ", "#")
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Emitter(astunparse.Unparser):
    """Writes a tree and notes, in the same walk, which original line each written line came from.

    Statements with blocks are written here; expressions and plain statements by Python's own
    unparser, which knows the newest syntax. Each statement is one line.
    """

    def __init__(self, tree):
        self.line_map: dict[int, int] = {}
        self.written = 0
        self.star = ""  # after `except`, inside a `try` that handles groups
        self.stream = io.StringIO()
        super().__init__(tree, self.stream)
        self.text = self.stream.getvalue().strip("\n") + "\n"

    def fill(self, text="", origin=None):
        """Write a line of code."""
        self._row(" " * 4 * self._indent + text, origin)

    def _row(self, row: str, origin) -> None:
        self.written += 1
        self.write(row + "\n")
        if origin is not None:
            self.line_map[self.written] = origin

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
        self._write_head(node, getattr(node, "lineno", None))
        for keyword, block in self._blocks(node):
            self._write_block(keyword, block)

    def _write_head(self, node, origin) -> None:
        for line in self._head(node):
            self.fill(line, origin)

    def _write_block(self, keyword: str, block) -> None:
        if keyword:
            self.fill(keyword)
        self._indent += 1
        self.dispatch(block)
        self._indent -= 1

    def _head(self, node) -> list[str]:
        """The lines before the first block: a shallow copy with an empty body, written by `ast`."""
        if not self._has_blocks(node):
            return self._plain(node)
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

    def _plain(self, node) -> list[str]:
        """The lines of a statement without blocks."""
        return ast.unparse(node).splitlines()

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


class LaidOut(Emitter):
    """Lays the code out as black does, and tells the user's lines, given by number."""

    def __init__(self, tree, lines: dict[int, str]):
        self.lines = lines
        self.told: set[int] = set()  # the user's lines that have been shown, or need not be
        self.last = ""  # what was written before: "", "def", "head", "import", "function", ...
        super().__init__(tree)

    def fill(self, text="", origin=None):
        """Write a line of code, or several if it is long."""
        for row in laid_out(text, 4 * self._indent):
            self._row(row, origin)

    def _statement(self, node) -> None:
        if self._wants_a_blank_line(node):
            self._row("", None)
        super()._statement(node)
        if isinstance(node, FUNCTIONS):
            self.last = "function"

    def _wants_a_blank_line(self, node) -> bool:
        """As black has it: around functions, and after imports."""
        if self.last in ("", "def"):
            return False
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        if self.last == "import":
            return not is_import
        return self.last == "function" or isinstance(node, FUNCTIONS)

    def _write_head(self, node, origin) -> None:
        if _is_documentation(node):
            for row in _documentation(node.value.value, " " * 4 * self._indent):
                self._row(row, origin)
        else:
            self._tell(origin, self._head(node))
            super()._write_head(node, origin)
        self.last = _kind(node)

    def _write_block(self, keyword: str, block) -> None:
        if keyword:
            self.last = "head"
        super()._write_block(keyword, block)

    def _tell(self, origin, lines: list[str]) -> None:
        """The user's line as a comment, once, where the code differs from it."""
        if origin is None or origin in self.told:
            return
        self.told.add(origin)
        line = self.lines.get(origin, "").strip()
        if line and not line.startswith(DECLARATIONS) and not _is_same(line, lines):
            self._row(" " * 4 * self._indent + "# " + line, origin)

    def _plain(self, node) -> list[str]:
        """One line; a single target of a tuple stands in brackets."""
        text = ast.unparse(node)
        if not isinstance(node, ast.Assign) or len(node.targets) > 1:
            return [text]
        (target,) = node.targets
        if isinstance(target, ast.Tuple) and len(target.elts) == 1:
            return [f"({ast.unparse(target.elts[0])},) = {ast.unparse(node.value)}"]
        return [text]


def _kind(node) -> str:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return "import"
    if isinstance(node, FUNCTIONS):
        return "def"
    return "head" if hasattr(node, "body") else "statement"


def _is_same(line: str, made: list[str]) -> bool:
    """Whether code reads as the user's line does, apart from spaces, quotes, a comment and checks
    that names have a value.
    """

    def plain(text: str) -> str:
        text = CHECK.sub(r"\1", text)
        return "".join(text.split()).replace("'", '"')

    line, code = plain(line), plain("".join(made))
    return line == code or line.startswith(code + "#")


def _is_documentation(node) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _documentation(text: str, indent: str) -> list[str]:
    """The rows of a text that stands alone, which is written as it is where it can be."""
    if not text.replace("\n", "").isprintable():
        return laid_out(repr(text), len(indent))
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    text = " " * text.startswith('"') + text + " " * text.endswith('"')
    rows = inspect.cleandoc(text).rstrip("\n ").splitlines() or [""]
    rows[-1] += " " * text.endswith('" ')
    made = [f'{indent}"""{rows[0]}', *(f"{indent}{row}".rstrip() for row in rows[1:])]
    if len(rows) > 1 and text.rstrip(" ").endswith("\n"):
        return [*made, indent + '"""']
    return [*made[:-1], made[-1] + '"""']


def emit(tree, lines: dict[int, str] | None) -> tuple[str, dict[int, int]]:
    """The text of a tree, and for each of its lines the original line; laid out if `lines`, the
    user's text by number, is given.
    """
    emitter = Emitter(tree) if lines is None else LaidOut(tree, lines)
    return emitter.text, emitter.line_map
