"""The walls between the rooms, read from the import statements, and what an import costs."""

import ast
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAY_IMPORT = {
    "runtime": set(),
    "autograph": set(),
    "tracing": {"runtime", "autograph"},
    "library": {"runtime", "tracing"},
    "tools": {"allograph"},  # the public names at the root, and nothing behind them
}
FILES = [path for room in MAY_IMPORT for path in sorted((ROOT / room).rglob("*.py"))]
HEAVY = {"astunparse", "click", "gast", "llvmlite", "matplotlib", "rich", "scipy"}


def imported_rooms(path):
    """Rooms that a file of the package imports, at any depth; `allograph` for the root itself.

    To `tools`, a name at the root is a public name, `from .. import autograph` too; to the other
    rooms it is the room behind it.
    """
    package = ("allograph", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (room_of(tuple(row.name.split("."))) for row in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = base + tuple((node.module or "").split(".") if node.module else ())
            if module == ("allograph",) and package[1:2] == ("tools",):
                yield "allograph"
                continue
            yield from (room_of((*module, row.name)) for row in node.names)


def room_of(module):
    """`runtime` for ("allograph", "runtime", "op"); None for a module of somebody else."""
    if module[0] != "allograph":
        return None
    return module[1] if len(module) > 1 and module[1] in MAY_IMPORT else "allograph"


def short(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=short)
def test_a_room_imports_only_the_rooms_below_it(path):
    room = path.relative_to(ROOT).parts[0]
    found = set(imported_rooms(path)) - {None, room}
    assert found <= MAY_IMPORT[room]


@pytest.mark.parametrize("path", FILES, ids=short)
def test_imports_inside_the_package_are_relative(path):
    """Except that a tool may say `import allograph`, as a user does."""
    allowed = {"allograph"} if path.parent.name == "tools" else set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            absolute = [row.name for row in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            absolute = [node.module]
        else:
            continue
        own = {name for name in absolute if name.split(".")[0] == "allograph"}
        assert own <= allowed


@pytest.mark.parametrize("path", [path for path in FILES if path.name == "__init__.py"], ids=short)
def test_an_init_file_of_a_room_holds_no_logic(path):
    allowed = (ast.Import, ast.ImportFrom, ast.Expr, ast.Assign)
    assert all(isinstance(node, allowed) for node in ast.parse(path.read_text("utf-8")).body)


@pytest.mark.parametrize("path", FILES, ids=short)
def test_a_file_compiles_without_a_warning(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile(path.read_text(encoding="utf-8"), str(path), "exec")


def test_importing_the_package_leaves_the_heavy_modules_alone():
    code = "import sys, allograph; print(*sorted({n.split('.')[0] for n in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_a_name_below_a_namespace_leaves_what_comes_after_it_alone():
    code = "import sys, allograph as ag; ag.nn.relu; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "allograph.library.nn" in loaded
    assert not loaded & {"allograph.library.data", "allograph.library.keras"}
