"""The modules of the package as syntax trees, each parsed once in a process."""

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("autograph", "library", "runtime", "tools", "tracing")


def modules(*folders) -> list[Path]:
    """The Python files in folders of the repository."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file."""
    return tuple(ast.walk(tree_of(path)))
