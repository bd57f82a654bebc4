"""The modules of the package as syntax trees, each parsed once in a process."""

import ast
import functools
import gc
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = (
    "autograph",
    "backends",
    "extend",
    "library",
    "python_library",
    "runtime",
    "tools",
    "tracing",
)


def modules(*folders) -> list[Path]:
    """The Python files in folders of the repository."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The tree lives as long as the run: the garbage collector, which it would cost, looks away."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        gc.enable()


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, in the order of `ast.walk`."""
    found: list[ast.AST] = [tree_of(path)]
    for node in found:  # it grows
        for field in node._fields:
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                found += [one for one in inner if isinstance(one, ast.AST)]
            elif isinstance(inner, ast.AST):
                found.append(inner)
    return tuple(found)
