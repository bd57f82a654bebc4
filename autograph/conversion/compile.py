"""Convert a function: parse, rewrite and compile it.

The converted function shares globals, closure cells, defaults and annotations with the original.
There are two views of the same conversion: *original* (compiled under the user's own file name and
lines, so breakpoints, tracebacks and coverage are the user's) and *generated* (the emitted text is
a file of its own, which a debugger can step through).
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import linecache
import os
import pathlib
import sys
import types
import warnings

import gast

from ...runtime.core.parsing import parsed
from ..analysis.names import arguments_of
from ..debuggers import is_debugged, is_measured
from ..syntax.gast_conversion import ToAst
from ..syntax.source_recovery import FUTURE, source_of
from ..syntax.templates import copy_location, expression, name, quote
from .display_names import under_the_users_name
from .function_converter import FunctionConverter, convert_tree
from .visible_variables import ShowVariables, user_variables

MOST_LETTERS = 100  # of the name of a function, in that of a file


class Conversion:
    """The converted tree of one function, its generated source, and the map between lines."""

    def __init__(self, node, source, converter: FunctionConverter):
        self.node = node
        self.source = source
        self.helpers = converter.helpers  # the names of generated functions
        self.unset = converter.unset  # the variables that may have no value
        self.mangled = converter.mangled  # private names of functions, as the user wrote them
        self._generated: str | None = None

    def set_options(self, **options: str) -> None:
        """Write these options of conversion, as source, into every scope."""
        for node in gast.walk(self.node):
            if getattr(getattr(node, "func", None), "attr", None) == "ConversionOptions":
                for keyword in filter(lambda keyword: keyword.arg in options, node.keywords):
                    keyword.value = expression(options[keyword.arg])

    def emitted(self, laid_out: bool = True) -> tuple[str, dict[int, int]]:
        """The generated source, and for each of its lines the user's line it came from."""
        from ..printing.unparse import emit  # loads astunparse (10 ms), only to show the code

        with deep_recursion():
            tree = ast.Module(body=[self._standard(self.node)], type_ignores=[])
            return emit(tree, self.source.lines if laid_out else None)

    @property
    def generated(self) -> str:
        """The generated source, laid out."""
        if self._generated is None:
            self._generated = self.emitted()[0]
        return self._generated

    def _standard(self, node):
        if isinstance(node, gast.Lambda):
            node = copy_location(gast.Assign([name("tf__lam", gast.Store())], node, None), node)
        return gast.gast_to_ast(gast.Module([node], [])).body[0]


def conversion_of(function: types.FunctionType, to_read: bool = True) -> Conversion:
    """The conversion of a function, not compiled; `to_read` keeps every check."""
    with deep_recursion():
        source = source_of(function)
        converter = FunctionConverter(to_read)
        node = convert_tree(source, _class_of(function), converter)
        return Conversion(node, source, converter)


@contextlib.contextmanager
def deep_recursion():
    """Raise the recursion limit: walking a deep tree (a long `elif` chain) needs many frames."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 30_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _class_of(function) -> str | None:
    """The innermost class around the definition of a function."""
    outer_names = function.__qualname__.split(".")
    pairs = itertools.pairwise(outer_names)
    classes = [outer for outer, inner in pairs if "<locals>" not in (outer, inner)]
    return classes[-1] if classes else None


def converted_code(function, view: str) -> tuple[types.CodeType, str]:
    """The code of a converted function, and the source of its definition."""
    with deep_recursion():
        conversion = conversion_of(function, to_read=view == "generated")
        return _compile(conversion, function, view), conversion.source.source


def _compile(conversion: Conversion, function, view: str) -> types.CodeType:
    """The code object of the converted function, found inside the factory that gives it its
    closure.
    """
    node = conversion.node
    free = sorted({*function.__code__.co_freevars, "__class__"} - {"ag__"})
    file = conversion.source.file
    if view == "generated":
        try:
            file = _write_file(conversion.generated, function.__name__)
        except OSError as error:
            warnings.warn(
                f"no file for the generated code, so it has no lines: {error}", stacklevel=2
            )
            file = "<allograph generated>"
        tree = gast.ast_to_gast(parsed(conversion.generated))
        definition = tree.body[0]
    else:
        definition = node
        if isinstance(node, gast.Lambda):
            assignment = gast.Assign([name("tf__lam", gast.Store())], node, None)
            definition = copy_location(assignment, node)
    _plain_defaults(definition if isinstance(definition, gast.FunctionDef) else definition.value)
    code = function.__code__
    variables = user_variables(code) if is_debugged(code) else []
    if variables or is_measured():
        definition = ShowVariables(conversion.helpers, variables, is_measured()).visit(definition)
    title = definition.name if isinstance(definition, gast.FunctionDef) else "tf__lam"
    factory = quote(
        f"def factory(ag__):\n    {' = '.join(free)} = None\n    definition\n    return {title}",
        definition=[definition],
    )
    copy_location(factory, definition)
    module = _WithoutNeedlessChecks(conversion.unset)(gast.Module(factory, []))
    flags = function.__code__.co_flags & FUTURE
    compiled = compile(module, file, "exec", flags, dont_inherit=True)
    # It is not executed to find the function: debuggers would stop at the `def`.
    is_lambda = isinstance(definition, gast.Assign)
    named = _code_named("<lambda>" if is_lambda else title, compiled)
    keeps_lines = view == "original"
    return under_the_users_name(
        named, function, conversion.helpers, conversion.mangled, keeps_lines
    )


def _code_named(title: str, code: types.CodeType) -> types.CodeType | None:
    """The first code object of this name among those that a code object makes functions of."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = constant if constant.co_name == title else _code_named(title, constant)
            if inner is not None:
                return inner
    return None


class _WithoutNeedlessChecks(ToAst):
    """Reads a variable without `ag__.ld(x)`, which checks that `x` has a value, where it surely has
    one; `unset` names the variables that may have none. `to_code` shows every check.
    """

    def __init__(self, unset: set[str]):
        self.unset = unset

    def call(self, node: gast.Call):
        function = node.func
        if type(function) is not gast.Attribute or type(function.value) is not gast.Name:
            return node
        if function.value.id != "ag__":
            return node
        if function.attr == "ld" and type(node.args[0]) is gast.Name:
            return node if node.args[0].id in self.unset else node.args[0]
        if function.attr == "UndefinedReturnValue":
            return gast.Attribute(function.value, "NO_RESULT", gast.Load())
        return node


def _plain_defaults(definition) -> None:
    """Defaults, annotations and decorators come from the original function or lambda."""
    args = definition.args
    args.defaults = [gast.Constant(None, None) for _ in args.defaults]
    args.kw_defaults = [default and gast.Constant(None, None) for default in args.kw_defaults]
    if isinstance(definition, gast.FunctionDef):
        definition.returns = None
    for arg in arguments_of(definition):
        arg.annotation = None


def _write_file(source: str, title: str) -> str:
    """The path of a file with the generated source, named by its hash and reused if it exists."""
    import hashlib  # these two take 15 ms to load, and the original view needs neither
    import tempfile

    folder = pathlib.Path(
        os.environ.get("ALLOGRAPH_GENERATED_DIR")
        or pathlib.Path(tempfile.gettempdir()) / "allograph-generated"
    )
    digest = hashlib.sha256(source.encode()).hexdigest()[:12]
    letters = (c if c.isalnum() and c.isascii() else "_" for c in title[:MOST_LETTERS])
    path = folder / f"{''.join(letters)}_{digest}.py"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with contextlib.suppress(FileExistsError), open(path, "x", encoding="utf-8") as file:
            file.write(source)  # a link that somebody else has put there is not followed
    except OSError:
        path.unlink(missing_ok=True)  # of a full disk
        raise
    linecache.checkcache(str(path))
    return str(path)
