"""Loops of a user's module that may run as native code, and their source as functions.

A loop that is chosen runs in parts. After each part it may ask for the rest as native code. The
source of the rest keeps the numbers of its lines.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from typing import NamedTuple

from ..runtime.core.parsing import parsed

RECORDS = "__allograph__"  # the global name of the records of a module's loops
LOOP, PART, STATE = "__allograph_loop", "__allograph_part", "__allograph_state"
FIRST, END, STEP, BEGUN = "first__", "end__", "step__", "begun__"  # parameters of the rest
# What a function must not have: code that sees its variables, or that the rest could not stand for.
OF_FUNCTIONS = (
    ast.AsyncFunctionDef, ast.Await, ast.ClassDef, ast.Delete, ast.FunctionDef, ast.Global,
    ast.Lambda, ast.Nonlocal, ast.Yield, ast.YieldFrom,
)  # fmt: skip
OF_LOOPS = (
    ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Match, ast.Raise, ast.Return,
    ast.Try, ast.With,
)  # fmt: skip
SEEING = {"breakpoint", "dir", "eval", "exec", "globals", "input", "locals", "super", "vars"}
EFFECTS = {"format", "input", "open", "print", "repr", "str"}
PURE_MODULES = {"math", "np", "numpy"}


class LoopSource(NamedTuple):
    """A loop: its line, the function that it is in (empty for the module), its first line of
    source, the names that it carries, and the source of the rest as a function.
    """

    line: int
    function: str
    head: str
    names: tuple[str, ...]
    rest: str


def instrumented(source: str, path: str) -> tuple[ast.Module, list[LoopSource]]:
    """The module with its loops in parts, and these loops. Raises SyntaxError as Python does."""
    try:
        tree = parsed(source)
    except SyntaxError as error:
        error.filename = path
        raise
    chooser = _Chooser(source)
    tree.body = chooser.statements(tree.body, None)
    for holder, prefix in _holders(tree):
        for function in holder.body:
            if isinstance(function, ast.FunctionDef):
                chooser.in_function(function, f"{prefix}{function.name}")
    return ast.fix_missing_locations(tree), chooser.loops


def _holders(tree: ast.Module) -> list[tuple[ast.Module | ast.ClassDef, str]]:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return [(tree, ""), *((cls, f"{cls.name}.") for cls in classes)]


class _Chooser:
    """Puts loops in parts: of nested ones the outermost that may run as native code."""

    def __init__(self, source: str):
        self.lines = source.splitlines()
        self.loops: list[LoopSource] = []

    def in_function(self, function: ast.FunctionDef, name: str) -> None:
        inside = [node for statement in function.body for node in ast.walk(statement)]
        if any(isinstance(node, (*OF_FUNCTIONS, ast.Try)) for node in inside):
            return
        names = {node.id for node in inside if isinstance(node, ast.Name)}
        if names & SEEING or any(name.startswith("__") for name in names):
            return
        arguments = function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        local = {one.arg for one in parameters} | _stored(inside)
        function.body = self.statements(function.body, (name, local))

    def statements(self, body: list[ast.stmt], place: tuple[str, set[str]] | None) -> list:
        result: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, (ast.For, ast.While)) and self.is_chosen(statement, place):
                result += self.in_parts(statement, place)
                continue
            if isinstance(statement, (ast.For, ast.While, ast.If, ast.With)):
                statement.body = self.statements(statement.body, place)
            if isinstance(statement, ast.If):
                statement.orelse = self.statements(statement.orelse, place)
            result.append(statement)
        return result

    def is_chosen(self, loop: ast.For | ast.While, place) -> bool:
        inside = list(ast.walk(loop))
        if loop.orelse or any(isinstance(node, (*OF_FUNCTIONS, *OF_LOOPS)) for node in inside):
            return False
        if any(isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
               for node in inside):  # fmt: skip
            return False
        calls = [node.func for node in inside if isinstance(node, ast.Call)]
        names = {call.id for call in calls if isinstance(call, ast.Name)}
        if names & (EFFECTS | SEEING):
            return False
        if place is None and not all(map(_is_known, calls)):  # it may read what the loop assigns
            return False
        if isinstance(loop, ast.While):  # a short body would notice the counter
            return any(isinstance(node, (ast.For, ast.While, ast.Call)) for node in inside[1:])
        calls_range = isinstance(loop.iter, ast.Call) and not loop.iter.keywords
        is_range = calls_range and getattr(loop.iter.func, "id", "") == "range"  # type: ignore[attr-defined]
        return is_range and isinstance(loop.target, ast.Name)

    def in_parts(self, loop: ast.For | ast.While, place) -> list[ast.stmt]:
        inside = list(ast.walk(loop))
        read = {node.id for node in inside if isinstance(node, ast.Name)}
        carried = _stored(inside) if place is None else read & place[1]
        target = loop.target.id if isinstance(loop, ast.For) else None  # type: ignore[attr-defined]
        names = tuple(sorted(carried - {target}))
        head = self.lines[loop.lineno - 1].strip()
        rest = self.rest(loop, names, target)
        number = len(self.loops)
        self.loops.append(LoopSource(loop.lineno, place[0] if place else "", head, names, rest))
        results = ", ".join([*names, *([target] if target else [])])
        given = "".join(f"{name}, " for name in names)
        template = _FOR if isinstance(loop, ast.For) else _WHILE
        result = parsed(template.format(
            records=RECORDS, number=number, loop=LOOP, part=PART, state=STATE, given=given,
            results=f"({results},)" if results else "_", target=target,
        )).body  # fmt: skip
        self.fill(result, loop)
        for statement in result:
            for node in ast.walk(statement):
                if not hasattr(node, "is_users") and hasattr(node, "lineno"):
                    ast.copy_location(node, loop)
        return result

    def fill(self, made: list, loop: ast.For | ast.While) -> None:
        """Put the range, or the test, and the body where the template has them."""
        for node in ast.walk(loop):
            node.is_users = True  # type: ignore[attr-defined]
        if isinstance(loop, ast.For):
            made[0].value.args = [loop.iter]
            made[1].body[1].body = loop.body
        else:
            made[1].test = loop.test
            made[1].body += loop.body

    def rest(self, loop: ast.For | ast.While, names: tuple[str, ...], target: str | None) -> str:
        """The source of a function that runs the rest of a loop, on the same lines."""
        first, last = loop.body[0].lineno, loop.end_lineno or 0
        own = self.lines[first - 1 : last]
        if first == loop.body[0].lineno == loop.lineno:  # all of it in one line
            own = [ast.unparse(one) for one in loop.body]
        body = textwrap.indent(textwrap.dedent("\n".join(own)), " " * 8)
        if isinstance(loop, ast.For):
            parameters = ", ".join([*names, FIRST, END, STEP])
            head = f"for {target} in range({FIRST}, {END}, {STEP}):"
        else:
            parameters = ", ".join([*names, BEGUN])
            head = f"while {BEGUN} or ({ast.unparse(loop.test)}):"
            body = f"        {BEGUN} = False\n{body}"
            first -= 1
        results = ", ".join([*names, *([target] if target else [])])
        source = f"def rest({parameters}):\n    {head}\n{body}\n    return ({results},)\n"
        return "\n" * max(first - 3, 0) + source


def _stored(nodes: list[ast.AST]) -> set[str]:
    """The names that are assigned, those of comprehensions left out."""
    inner = {
        id(name)
        for node in nodes if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
    }  # fmt: skip
    return {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inner
    }


def _is_known(called: ast.expr) -> bool:
    """Whether what is called is a builtin, or a function of a module without state."""
    if isinstance(called, ast.Name):
        return hasattr(builtins, called.id)
    is_member = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
    return is_member and called.value.id in PURE_MODULES  # type: ignore[attr-defined]


_FOR = """
{loop} = {records}[{number}].parts(RANGE)
for {part} in {loop}:
    if {part} is None:
        try:
            {state} = ({given})
        except NameError:
            {loop}.postpone()
            continue
        {results} = {loop}.rest({state})
        break
    for {target} in {part}:
        pass
    else:
        continue
    break
"""
_WHILE = """
{loop} = {records}[{number}].rounds()
while TEST:
    if not {loop}.left:
        if {loop}.is_hot():
            try:
                {state} = ({given})
            except NameError:
                {loop}.postpone()
            else:
                {results} = {loop}.rest({state})
                break
    {loop}.left -= 1
"""
