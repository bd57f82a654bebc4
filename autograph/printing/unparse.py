"""Write a syntax tree as source code, with a map from its rows to the user's lines."""

from __future__ import annotations

import ast
import inspect
import io
import re

import astunparse

from .line_breaking import wrapped

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CHECK = re.compile(r"ag__\.ld\((\w+)\)")
DECLARATIONS = ("def ", "async def ", "class ", "@", "global ", "nonlocal ", "#")
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Emitter(astunparse.Unparser):
    """Writes a tree with one statement a row, and notes the user's line of each row.

    Statements with blocks are written here. Expressions and simple statements are written by
    `ast.unparse`, which knows the newest syntax.
    """

    def __init__(self, tree):
        self.line_map: dict[int, int] = {}
        self.written = 0
        self.star = ""  # after `except`, inside a `try` that handles groups
        self.stream = io.StringIO()
        super().__init__(tree, self.stream)
        self.source = self.stream.getvalue().strip("\n") + "\n"

    def fill(self, code="", origin=None):
        """Write a row of code."""
        self._row(" " * 4 * self._indent + code, origin)

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
        """The rows before the first block, written by `ast` from a copy with an empty body."""
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
            caught = f" {ast.unparse(node.type)}" if node.type else ""
            return [f"except{self.star}{caught}{f' as {node.name}' if node.name else ''}:"]
        lines = ast.unparse(ast.fix_missing_locations(hollow)).strip().splitlines()
        return lines[:-1] if lines[-1].strip() == "pass" else lines

    def _plain(self, node) -> list[str]:
        """The rows of a statement without blocks."""
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
    """Breaks long rows, adds blank lines, and shows user lines, given by number, as comments."""

    def __init__(self, tree, lines: dict[int, str]):
        self.lines = lines
        self.seen: set[int] = set()  # the user's lines that have been shown, or need not be
        self.last = ""  # what was written before: "", "def", "head", "import", "function", ...
        super().__init__(tree)

    def fill(self, code="", origin=None):
        """Write a row of code, or several if it is long."""
        for row in wrapped(code, 4 * self._indent):
            self._row(row, origin)

    def _statement(self, node) -> None:
        if self._wants_a_blank_line(node):
            self._row("", None)
        super()._statement(node)
        if isinstance(node, FUNCTIONS):
            self.last = "function"

    def _wants_a_blank_line(self, node) -> bool:
        """Whether a blank line goes before `node`: around functions, and after imports."""
        if self.last in ("", "def"):
            return False
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        if self.last == "import":
            return not is_import
        return self.last == "function" or isinstance(node, FUNCTIONS)

    def _write_head(self, node, origin) -> None:
        if _is_docstring(node):
            for row in _docstring_rows(node.value.value, " " * 4 * self._indent):
                self._row(row, origin)
        else:
            self._show_user_line(origin, self._head(node))
            super()._write_head(node, origin)
        self.last = _category(node)

    def _write_block(self, keyword: str, block) -> None:
        if keyword:
            self.last = "head"
        super()._write_block(keyword, block)

    def _show_user_line(self, origin, lines: list[str]) -> None:
        """Write the user's line as a comment, once, where the code differs from it."""
        if origin is None or origin in self.seen:
            return
        self.seen.add(origin)
        line = self.lines.get(origin, "").strip()
        if line and not line.startswith(DECLARATIONS) and not _is_same(line, lines):
            self._row(" " * 4 * self._indent + "# " + line, origin)

    def _plain(self, node) -> list[str]:
        """One row. A tuple of one target is parenthesized."""
        row = ast.unparse(node)
        if not isinstance(node, ast.Assign) or len(node.targets) > 1:
            return [row]
        (target,) = node.targets
        if isinstance(target, ast.Tuple) and len(target.elts) == 1:
            return [f"({ast.unparse(target.elts[0])},) = {ast.unparse(node.value)}"]
        return [row]


def _category(node) -> str:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return "import"
    if isinstance(node, FUNCTIONS):
        return "def"
    return "head" if hasattr(node, "body") else "statement"


def _is_same(line: str, rows: list[str]) -> bool:
    """Whether code equals the user's line but for spaces, quotes, a comment, and checks that names
    have a value.
    """

    def normalized(code: str) -> str:
        code = CHECK.sub(r"\1", code)
        return "".join(code.split()).replace("'", '"')

    line, code = normalized(line), normalized("".join(rows))
    return line == code or line.startswith(code + "#")


def _is_docstring(node) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _docstring_rows(content: str, indent: str) -> list[str]:
    """The rows of a string statement, with its own line breaks where it is printable."""
    if not content.replace("\n", "").isprintable():
        return wrapped(repr(content), len(indent))
    content = content.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    content = " " * content.startswith('"') + content + " " * content.endswith('"')
    rows = inspect.cleandoc(content).rstrip("\n ").splitlines() or [""]
    rows[-1] += " " * content.endswith('" ')
    quoted = [f'{indent}"""{rows[0]}', *(f"{indent}{row}".rstrip() for row in rows[1:])]
    if len(rows) > 1 and content.rstrip(" ").endswith("\n"):
        return [*quoted, indent + '"""']
    return [*quoted[:-1], quoted[-1] + '"""']


def emit(tree, lines: dict[int, str] | None) -> tuple[str, dict[int, int]]:
    """The source of a tree, and for each of its rows the user's line.

    It is laid out for reading if `lines`, the user's lines by number, are given.
    """
    emitter = Emitter(tree) if lines is None else LaidOut(tree, lines)
    return emitter.source, emitter.line_map
