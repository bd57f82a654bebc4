"""Find the source of a function, and parse it with the line numbers of its file."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import operator
import os
import sys
import textwrap
import time
import types
from importlib.machinery import SourceFileLoader
from typing import Any

from ...runtime.core.parsing import parsed
from ..errors import CHANGED, NoSourceError
from ..pickled_sources import file_of, spelled

COMMAND = "<string>"  # the file of what `python -c` runs, and of what exec() makes
LOADED = time.time()  # files that are older have not changed since they were imported
# compiler flags of `from __future__ import ...` in the user's module
FUTURE = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
COARSENESS = 1.0  # of the clocks of file systems, in seconds


class Source:
    """The tree of one function (a `FunctionDef` or `Lambda` of gast), its source and its file."""

    def __init__(self, statement: ast.stmt, file: str, source: str):
        from .gast_conversion import to_gast  # loads gast, which stored conversions do without

        node = to_gast(statement)
        self.node = node.value if isinstance(statement, ast.Expr) else node
        self.file = file
        self.source = source
        decorators = getattr(node, "decorator_list", [])
        first = min(each.lineno for each in (self.node, *decorators))
        self.lines = dict(enumerate(source.splitlines(), first))  # by their numbers in the file


def source_of(function: types.FunctionType) -> Source:
    """Find the definition of a function; NoSourceError says why there is none."""
    code = function.__code__
    file = file_of(code)
    lines = _lines_of(function, file)
    if code.co_name == "<lambda>":
        return _lambda_source(function, lines, file)
    block, tree = _block_at(lines, code.co_firstlineno, function)
    is_found = isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))
    is_found = is_found and tree.name == code.co_name and _last_line(code) <= tree.end_lineno
    is_found = is_found and _is_current(function, file, lines)
    if not is_found or not _has_constants_of(tree, function):
        raise NoSourceError(function, _without_file(file) or CHANGED)
    return Source(tree, file, block)


def definition_of(function: types.FunctionType) -> tuple[str, str, bool]:
    """The file of a function, the source of its definition, judged by indentation, or of the whole
    file for a lambda, and whether a loader may have made other code of it.

    Raises NoSourceError where there is none.
    """
    code = function.__code__
    file, first = file_of(code), code.co_firstlineno
    lines = _lines_of(function, file)
    if first > len(lines) or not _is_current(function, file, lines):
        raise NoSourceError(function, CHANGED)
    source = "".join(lines) if code.co_name == "<lambda>" else _indented(lines, first)
    return file, source, _may_be_rewritten(function)


def _last_line(code: types.CodeType) -> int:
    """The last line that code was compiled from, that of functions inside included."""
    own = max((line for *_, line in code.co_lines() if line is not None), default=0)
    inner = [_last_line(part) for part in code.co_consts if isinstance(part, type(code))]
    return max([own, *inner])


def _without_file(file: str) -> str | None:
    """Why code has no source that is of no file. `python -c` and exec() share the name <string>."""
    if file == "<dynamic-code>":
        return "cloudpickle left it out; a pickle of the decorated function has it"
    if file.startswith("<frozen "):
        return "it belongs to Python itself, which holds it compiled"
    return "it was typed into an interpreter or made by exec()" if file[:1] == "<" else None


def _lines_of(function, file: str) -> list[str]:
    linecache.checkcache(file)
    if (
        file == COMMAND
    ):  # since Python 3.13 linecache has the lines of `-c`, which code of exec() is not from
        lines = _command_line_of(function.__code__)
    else:
        lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise NoSourceError(function, _without_file(file) or f"{file} cannot be read")
    return lines


def _command_line_of(code: types.CodeType) -> list[str]:
    """The lines of `python -c`, if they are what a code object was compiled from."""
    words = sys.orig_argv
    command = words[words.index("-c") + 1] if "-c" in words[:-1] else ""
    is_from_it = bool(command) and _holds(command, code) is True
    return command.splitlines(keepends=True) if is_from_it else []


def _is_current(function: types.FunctionType, file: str, lines: list[str]) -> bool:
    """Whether a file that may have changed since it was loaded has the source of a function.

    Python runs the old code then, and so must we. Only files that are younger than this process are
    looked at, and none whose loader may have rewritten the module, as that of pytest does.
    """
    try:
        is_old = os.stat(file).st_mtime < LOADED - COARSENESS
    except OSError:  # a notebook cell, or the file of another system
        return True
    if is_old or _may_be_rewritten(function):
        return True
    return _holds("".join(lines), function.__code__) is not False


def _may_be_rewritten(function: types.FunctionType) -> bool:
    loader = function.__globals__.get("__loader__")
    return loader is not None and type(loader) is not SourceFileLoader


def _has_constants_of(definition: ast.stmt, function: types.FunctionType) -> bool:
    """Whether a function has the constants that its definition compiles to: it has not where
    something has replaced its code object.
    """
    code = function.__code__
    tree = ast.Module([definition], [])
    try:
        module = compile(tree, COMMAND, "exec", code.co_flags & FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):  # `nonlocal` needs the function around
        return True
    inner = [part for part in module.co_consts if isinstance(part, types.CodeType)]
    own = next((part for part in inner if part.co_name == code.co_name), code)
    return _plain_constants(own) == _plain_constants(code) or _may_be_rewritten(function)


def _plain_constants(code: types.CodeType) -> list:
    return [spelled(part) for part in code.co_consts if not isinstance(part, types.CodeType)]


def _holds(source: str, code: types.CodeType) -> bool | None:
    """Whether the source of a module compiles to a code object, among others. None if it does not
    compile, as a notebook with magics.
    """
    functions = _functions_in(source)
    if functions is None:
        return None
    return any(_is_same(code, candidate) for candidate in functions.get(code.co_name, ()))


@functools.lru_cache(maxsize=4)
def _functions_in(source: str) -> dict[str, list[types.CodeType]] | None:
    """The code of all functions of a module, by name."""
    functions: dict[str, list[types.CodeType]] = {}
    try:
        todo = [compile(source, COMMAND, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return None
    while todo:
        for part in todo.pop().co_consts:
            if isinstance(part, types.CodeType):
                functions.setdefault(part.co_name, []).append(part)
                todo.append(part)
    return functions


def _is_same(left: types.CodeType, right: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    facts = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    if any(getattr(left, fact) != getattr(right, fact) for fact in facts):
        return False
    return len(left.co_consts) == len(right.co_consts) and all(
        _is_same(a, b)
        if isinstance(a, types.CodeType) and isinstance(b, types.CodeType)
        else spelled(a) == spelled(b)
        for a, b in zip(left.co_consts, right.co_consts, strict=True)
    )


def _block_at(lines: list[str], first: int, function):
    """The lines of the definition that starts at line `first`, and its statement."""
    try:
        block = _indented(lines, first)
        return block, _first_statement(block, first)
    except (IndexError, SyntaxError):
        pass  # a string or a bracket continues below: use Python's own tokenizer
    try:
        block = "".join(inspect.getblock(lines[first - 1 :]))
    except (IndexError, SyntaxError):
        file = function.__code__.co_filename
        raise NoSourceError(function, _without_file(file) or CHANGED) from None
    try:
        return block, _first_statement(block, first)
    except IndexError:  # the file has fewer lines now
        raise NoSourceError(
            function, _without_file(function.__code__.co_filename) or CHANGED
        ) from None
    except SyntaxError as error:
        raise NoSourceError(function, f"its source does not parse: {error}") from None


def _indented(lines: list[str], first: int) -> str:
    """The text of the definition that starts at line `first`, judged by indentation."""
    indent, has_head, end = _indent(lines[first - 1]), False, first - 1
    for number, line in enumerate(lines[first - 1 :], first):
        code = line.strip()
        if not code or code.startswith("#"):
            continue
        if has_head and _indent(line) <= indent and not code.startswith(")"):
            break
        has_head = has_head or code.startswith(("def ", "async "))
        end = number
    return "".join(lines[first - 1 : end])


def _first_statement(block: str, first: int):
    """The statement that a block of lines holds, which starts at line `first` of its file.

    An indented one is parsed below an `if`, since dedenting would change multi-line strings.
    """
    head = "if True:\n" if _indent(block) else ""
    above = "\n" * (first - (2 if head else 1))  # so that the lines are those of the file
    statement: Any = parsed(above + head + block).body[0]
    return statement.body[0] if head else statement


def _indent(block: str) -> int:
    """The width of the white space before a statement. A form feed sets it back to 0."""
    space = block[: len(block) - len(block.lstrip(" \t\f"))]
    return len(space.rpartition("\f")[2])


def _shift_columns(tree, columns: int):
    """Shift columns of dedented source back to those of the file."""
    node: Any
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset += columns
            if node.end_col_offset is not None:
                node.end_col_offset += columns
    return tree


def _lambda_source(function, lines: list[str], file: str) -> Source:
    """Find the lambda that spans the columns of the function's instructions."""
    code = function.__code__
    positions = [position for position in code.co_positions() if None not in position]
    for lambdas, shift in _lambdas_at(lines, code.co_firstlineno):
        fitting = [node for node in lambdas if _fits(node, code, positions, shift)]
        if fitting:
            break
    else:
        raise NoSourceError(function, _without_file(file) or "the lambda is not found in its file")
    if not _is_current(function, file, lines):
        raise NoSourceError(function, CHANGED)
    if not positions and len({ast.unparse(node) for node in fitting}) > 1:
        why = "several lambdas are on its line, and Python runs with -X no_debug_ranges"
        raise NoSourceError(function, why)
    # the bodies of those around span the instructions too: the innermost is the function
    node = copy.deepcopy(min(fitting, key=lambda node: len(ast.unparse(node))))
    statement = ast.Expr(_shift_columns(node, shift))
    ast.copy_location(statement, node)
    return Source(statement, file, ast.unparse(node))


def _lambdas_at(lines: list[str], first: int):
    """The lambdas that start at line `first`, with what shifts their columns.

    They are those of the whole file; if that does not parse (notebook magics), of ever larger
    blocks of it.
    """
    try:
        yield _lambdas_by_line("".join(lines)).get(first, []), 0
        return
    except SyntaxError:
        pass
    for start in range(first, 0, -1):
        for end in range(first, min(len(lines), first + 50) + 1):
            block = "".join(lines[start - 1 : end])
            try:
                tree = parsed(textwrap.dedent(block))
            except SyntaxError:
                continue
            ast.increment_lineno(tree, start - 1)
            yield _lambdas_of(tree).get(first, []), _indent(block)


@functools.lru_cache(maxsize=16)
def _lambdas_by_line(source: str) -> dict[int, list[ast.Lambda]]:
    """The lambdas of a file, which is parsed once for all of them."""
    return _lambdas_of(parsed(source))


def _lambdas_of(tree: ast.Module) -> dict[int, list[ast.Lambda]]:
    """The lambdas of a tree by the lines where they start."""
    lambdas: dict[int, list[ast.Lambda]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            lambdas.setdefault(node.lineno, []).append(node)
    return lambdas


def _fits(node: ast.Lambda, code, positions, shift: int) -> bool:
    """Whether every instruction of the code is in the body of the lambda."""
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    if names != list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]):
        return False
    body: Any = node.body  # what makes a lambda that is all of a body spans its `lambda` too
    begin = (body.lineno, body.col_offset + shift)
    end = (body.end_lineno, body.end_col_offset + shift)
    return all(
        (line, column) >= begin and (end_line, end_column) <= end
        for line, end_line, column, end_column in positions
        if end_column > column or end_line > line
    )
