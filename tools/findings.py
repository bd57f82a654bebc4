"""What `allograph check` finds in a file, whose functions it converts and traces."""

from __future__ import annotations

import ast
import contextlib
import inspect
import linecache
import re
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import autograph, errors
from .. import types as public_types
from .command_support import is_jit_function
from .targets import TargetError, arrays_of, load_file, parse_arguments

CODES = {
    "AG001": "not checked",
    "AG101": "runs as plain Python, without conversion",
    "AG102": "cannot be traced",
    "AG201": "a loop is unrolled",
    "AG301": "was traced again",
    "AG302": "will be traced again",
    "AG401": "runs on NumPy",
}
NOT_TRACED = "{} was not traced: write the types of its arguments above it, such as `# check: {}`"
WITHOUT_FORM = "has no native form"
NOTES = {"AG001"}  # they do not count as findings
TYPES = re.compile(r"#\s*check:\s*(\S.*)")
SILENCED = re.compile(r"#\s*noqa(?::\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*))?", re.IGNORECASE)


class Finding(NamedTuple):
    """One finding; line and column count from 1."""

    path: str
    line: int
    column: int
    code: str
    message: str

    @property
    def is_note(self) -> bool:
        return self.code in NOTES

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"


def findings_of(path: str) -> list[Finding]:
    """The findings of a Python file, by line; those that a `# noqa` comment names are left out.

    Raises TargetError where the file cannot be imported.
    """
    with contextlib.redirect_stdout(sys.stderr):  # what the file prints
        module = load_file(path)
        checker = _Checker(path, module)
        checker.check()
    found = dict.fromkeys(one for one in checker.found if not _is_silenced(one, checker.file))
    return sorted(found, key=lambda one: (one.line, one.column, one.code))


def _is_silenced(finding: Finding, file: str) -> bool:
    comment = SILENCED.search(linecache.getline(file, finding.line))
    return comment is not None and (not comment["codes"] or finding.code in comment["codes"])


class _Checker:
    def __init__(self, path: str, module: types.ModuleType):
        self.path = path
        self.module = module
        self.file = str(module.__file__)
        self.lines = linecache.getlines(self.file)
        self.found: list[Finding] = []

    def add(self, code: str, message: str, line: int, column: int = 1) -> None:
        """Add a finding; `column` counts the bytes of UTF-8, and editors count characters."""
        if 0 < line <= len(self.lines):
            column = len(self.lines[line - 1].encode()[: column - 1].decode(errors="ignore")) + 1
        self.found.append(Finding(self.path, line, column, code, " ".join(message.split())))

    def check(self) -> None:
        for jitted in self.jitted():
            self.check_jitted(jitted)
        decorated = dict(self.decorated())
        for function in decorated.values():
            if not self.is_refused(function.python_function):
                self.check_traces(function)
        for plain in vars(self.module).values():  # what they call
            if isinstance(plain, types.FunctionType) and self.is_own(plain):
                failure = autograph.conversion_failure(plain)
                if failure is not None:
                    self.add("AG101", str(failure), plain.__code__.co_firstlineno)
        for line, column, message in _retracing_calls(ast.parse("".join(self.lines)), decorated):
            self.add("AG302", message, line, column)

    def is_own(self, plain: Any) -> bool:
        return getattr(getattr(plain, "__code__", None), "co_filename", None) == self.file

    def decorated(self) -> Iterator[tuple[str, Any]]:
        """The functions of tensors of the module, and of its classes, by their names."""
        for name, thing in self.members():
            is_decorated = isinstance(thing, public_types.experimental.PolymorphicFunction)
            if is_decorated and self.is_own(thing.python_function):
                yield name, thing

    def jitted(self) -> list[Any]:
        """The functions of `jit` of the module and of its classes."""
        members = dict.fromkeys(thing for _, thing in self.members() if is_jit_function(thing))
        return [member for member in members if self.is_own(member.python_function)]

    def members(self) -> Iterator[tuple[str, Any]]:
        """What the module and its classes hold, by name."""
        classes = [one for one in vars(self.module).values() if isinstance(one, type)]
        own = [one for one in classes if one.__module__ == self.module.__name__]
        for holder in (self.module, *own):
            yield from vars(holder).items()

    def is_refused(self, plain: Any) -> bool:
        """Whether a function cannot be converted, which is a finding."""
        try:
            autograph.to_code(plain)
        except Exception as error:  # as `function` does, which then runs it as it is
            self.add("AG101", str(error), plain.__code__.co_firstlineno)
            return True
        return False

    # ---- functions of `jit` ----------------------------------------------------------------

    def check_jitted(self, function: Any) -> None:
        """What NumPy runs of a function of `jit`: in the calls that the file makes, and for the
        types that comments name.
        """
        line = function.python_function.__code__.co_firstlineno
        given, entries = self.given_types(line), list(function.jit_table.values())
        if not given and not entries:
            self.add("AG001", NOT_TRACED.format(function.__name__, "float64[100] 3"), line)
        for words in given:
            try:
                positional, keywords = arrays_of(*parse_arguments(words))
                entries.append(function.entry_for(*positional, **keywords))
            except (TargetError, TypeError) as error:
                self.add("AG001", str(error), line)
        for entry in entries:
            if entry.reason is not None:
                where = entry.where if entry.where and entry.where.file == self.file else None
                message = f"{function.__name__} runs on NumPy: {entry.reason}"
                self.add("AG401", message, where.line if where else line, _column(where))
            else:
                self.explain(public_types.experimental.JitTrace(function, entry, ""), True)

    # ---- traces --------------------------------------------------------------------------

    def check_traces(self, function: Any) -> None:
        """The findings of the traces that exist, and of those that the types given ask for."""
        retraces: dict[tuple, list[Any]] = {}  # those of a line for the same arguments: one finding
        for retrace in function.retraces:
            where = retrace.where if retrace.where and retrace.where.file == self.file else None
            line = where.line if where else function.python_function.__code__.co_firstlineno
            changed = tuple(change.place for change in retrace.changes)
            retraces.setdefault((line, changed), []).append(retrace)
        for (line, _), alike in retraces.items():
            reasons = "; ".join(map(str, alike[0].changes))
            others = f" {len(alike) - 1} more such traces follow." if len(alike) > 1 else ""
            self.add("AG301", f"{function.name}: {reasons}{others}", line)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            traces = [*function.traces.values(), *self.new_traces(function)]
        for warning in caught:
            is_unrolled = issubclass(warning.category, errors.UnrolledLoopWarning)
            if is_unrolled and warning.filename == self.file:
                self.add("AG201", str(warning.message), warning.lineno)
        for concrete in traces:
            self.explain(concrete)

    def new_traces(self, function: Any) -> Iterator[Any]:
        line = function.python_function.__code__.co_firstlineno
        given = self.given_types(line)
        if not given and function.input_signature is not None:
            given = [()]
        if not given and not function.traces:
            self.add("AG001", NOT_TRACED.format(function.name, "float32[?,3] int32[]"), line)
        for words in given:
            try:
                positional, keywords = parse_arguments(words)
                yield function.get_concrete_function(*positional, **keywords)
            except TargetError as error:
                self.add("AG001", str(error), line)
            except Exception as error:  # what the user's code raises while it is traced
                self.add("AG102", _in_words(error), *self.place(error, line))

    def given_types(self, line: int) -> list[tuple[str, ...]]:
        """The arguments in the comments above a function, a call a comment."""
        found = []
        for above in reversed(self.lines[: line - 1]):
            if not above.lstrip().startswith("#"):
                break
            if comment := TYPES.match(above.strip()):
                found.append(tuple(comment[1].split()))
        return found[::-1]

    def place(self, error: Exception, line: int) -> tuple[int, int]:
        """The line and column of this file where an error came from."""
        column, entry = 1, error.__traceback__
        while entry is not None:
            if entry.tb_frame.f_code.co_filename == self.file:
                frame = inspect.getframeinfo(entry)
                line = entry.tb_lineno
                start = frame.positions.col_offset if frame.positions else None
                column = 1 if start is None else start + 1
            entry = entry.tb_next
        return line, column

    def explain(self, concrete: Any, is_of_jit: bool = False) -> None:
        """What runs on NumPy in a trace, and why."""
        for row in concrete.explain().rows:
            where = row.node.where
            called = row.node.attrs.get("function")  # of NumPy's, in `jit`
            if is_of_jit and called is None and WITHOUT_FORM not in (row.why or ""):
                continue  # NumPy computes numbers between kernels
            if row.why is not None and where is not None and where.file == self.file:
                name = getattr(called, "name", row.node.op.name)
                why = "it is a call of NumPy's" if called is not None else row.why
                message = f"{name} runs on NumPy: {why}"
                self.add("AG401", message, where.line, _column(where))


def _column(where: Any) -> int:
    return where.columns[0] + 1 if where is not None and where.columns else 1


def _in_words(error: Exception) -> str:
    """The message and its cure, without the excerpt of the source between them."""
    message = getattr(error, "message", None) or str(error)
    return f"{type(error).__name__}: {message} {getattr(error, 'cure', None) or ''}"


# ---- calls ---------------------------------------------------------------------------------------


def _retracing_calls(tree: ast.AST, decorated: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """Calls of decorated functions with the Python number of a loop, and functions made in loops.

    Loops inside decorated functions are left out: there, a call is part of the trace.
    """
    plain = [node for node in ast.iter_child_nodes(tree) if not _is_decorated(node, decorated)]
    for node in plain:
        if isinstance(node, (ast.For, ast.While)):
            yield from _in_loop(node, decorated)
        else:
            yield from _retracing_calls(node, decorated)


def _is_decorated(node: ast.AST, decorated: dict[str, Any]) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in decorated


def _in_loop(loop: ast.AST, decorated: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    numbers = {name for node in ast.walk(loop) for name in _numbers_of(node)}
    for node in ast.walk(loop):
        if isinstance(node, ast.FunctionDef):
            for decorator in filter(_names_function, node.decorator_list):
                yield _at(
                    decorator,
                    "a function decorated in a loop is traced in each iteration. Decorate it once, "
                    "before the loop",
                )
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) in decorated:
            arguments = (*node.args, *(row.value for row in node.keywords))
            for name in (getattr(argument, "id", None) for argument in arguments):
                if name in numbers:
                    yield _at(
                        node,
                        f"each value of the Python number '{name}' makes a trace of "
                        f"{ast.unparse(node.func)}. Pass ag.constant({name})",
                    )


def _numbers_of(loop: ast.AST) -> set[str]:
    """The names that a loop over a Python range binds."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return set()
    name = getattr(loop.iter.func, "id", "")
    if name == "range" and isinstance(loop.target, ast.Name):
        return {loop.target.id}
    if name == "enumerate" and isinstance(loop.target, ast.Tuple):
        return {loop.target.elts[0].id} if isinstance(loop.target.elts[0], ast.Name) else set()
    return set()


def _names_function(decorator: ast.AST) -> bool:
    """Whether a decorator is `ag.function`, plain or with options."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    is_attribute = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    return is_attribute and ast.unparse(target) in ("ag.function", "allograph.function")


def _at(node: Any, message: str) -> tuple[int, int, str]:
    return node.lineno, node.col_offset + 1, message
