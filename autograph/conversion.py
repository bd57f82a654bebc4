"""One function -> its converted form: parsed, rewritten, compiled, and bound to the same world.

The converted function shares globals, closure cells, defaults and annotations with the original.
There are two views of the same conversion: *original* (compiled under the user's own file name and
lines, so breakpoints, tracebacks and coverage are the user's) and *generated* (the emitted text is
a file of its own, which a debugger can step through).
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
import inspect
import itertools
import linecache
import operator
import os
import pathlib
import sys
import threading
import types

import gast

from .analysis.liveness import maybe_unset
from .analysis.names import SUSPENDING, Names, arguments_of, contains, declarations, survey
from .by_identity import ByIdentity
from .converters.control_flow import ControlFlow
from .converters.expressions import OPTIONS, Expressions
from .converters.items import ItemAssignment
from .converters.jumps import Jumps, always_jumps
from .converters.matching import Matching
from .converters.statements import Statements
from .errors import NotConvertibleError
from .finishing import Finish
from .parsing import parse
from .private_names import Mangle
from .shown_names import is_class_body, under_the_users_name
from .source import source_of
from .templates import expression, name, place, quote

FRAME_READERS = ("locals", "eval", "exec", "vars", "dir")

# what `from __future__ import ...` in the user's module asks of the compiler
FUTURE_FEATURES = functools.reduce(
    operator.or_,
    (getattr(__future__, feature).compiler_flag for feature in __future__.all_feature_names),
)
CONVERTED_CODE = ByIdentity()  # code objects that conversion made


class Namer:
    """Fresh names: `get_state`, `get_state_1`, ... that the function itself does not use."""

    def __init__(self, taken: set[str]):
        self.taken = set(taken)
        self.shared: dict[str, str] = {}

    def __call__(self, base: str) -> str:
        found = next(one for one in _numbered(base) if one not in self.taken)
        self.taken.add(found)
        return found

    def once(self, base: str) -> str:
        """The same fresh name each time."""
        if base not in self.shared:
            self.shared[base] = self(base)
        return self.shared[base]


def _numbered(base: str):
    yield base
    for count in itertools.count(1):
        yield f"{base}_{count}"


class Conversion:
    """The converted tree of one function, its text, and the line map from text to source."""

    def __init__(self, node, source, converter: FunctionConverter):
        self.node = node
        self.source = source
        self.helpers = converter.helpers  # the names of functions that conversion made
        self.unset = converter.unset  # the variables that may have no value
        self.mangled = converter.mangled  # private names of functions, as they are written

    def emitted(self, laid_out: bool = True) -> tuple[str, dict[int, int]]:
        """The generated source, and for each of its lines the user's line it came from."""
        from .emit import emit

        with deep_recursion():
            tree = ast.Module(body=[self._standard(self.node)], type_ignores=[])
            return emit(tree, self.source.lines if laid_out else None)

    @functools.cached_property
    def text(self) -> str:
        """The generated source, laid out."""
        return self.emitted()[0]

    def _standard(self, node):
        if isinstance(node, gast.Lambda):
            node = place(gast.Assign([name("tf__lam", gast.Store())], node, None), node)
        return gast.gast_to_ast(gast.Module([node], [])).body[0]


def convert_tree(source, class_name: str | None, converter: FunctionConverter):
    """The converted function or lambda node; NotConvertibleError where meaning would be lost."""
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        raise NotConvertibleError("generators and coroutines run as they are")
    if class_name:
        mangle = Mangle(class_name)
        written = getattr(node, "name", None)
        node = mangle.visit(node)
        node.name = written
        converter.mangled = mangle.functions
    if isinstance(node, gast.Lambda):
        return converter.convert_lambda(node)
    node.decorator_list = []
    return converter.convert(node, top=True)


class FunctionConverter:
    """Converts a function definition and, with it, the definitions inside."""

    def __init__(self, to_read: bool):
        self.helpers: set[str] = set()
        self.unset: set[str] = set()
        self.mangled: dict[str, str] = {}
        self.suspects: set[str] | None = None if to_read else set()

    def convert_lambda(self, node):
        return Expressions("lscope", self.convert, self.suspects)(node)

    def convert(self, node, top: bool = False):
        kinds, called = survey(node.body)
        if not kinds.isdisjoint(SUSPENDING) and contains(node.body, SUSPENDING):
            if top:
                raise NotConvertibleError("generators and coroutines run as they are")
            return node
        for reader in FRAME_READERS:
            if reader in called:
                why = f"it calls {reader}(), which would see the converted code"
                raise NotConvertibleError(why)
        names = Names(node.body)
        parameters = {arg.id for arg in arguments_of(node)}
        declared = declarations(node.body)
        local_names = (set(names.bound) | parameters) - declared["global"] - declared["nonlocal"]
        namer = Namer(set(names.bound) | names.read | names.captured | parameters)
        documentation, body = _split_documentation(node.body)
        for kind, key in ((gast.Global, "global"), (gast.Nonlocal, "nonlocal")):
            body = _without_declarations(body, kind) if declared[key] else body
        if "super" in names.read:
            _explicit_super(body, node)
        transformer = ItemAssignment(local_names, namer)
        if not kinds.isdisjoint((gast.Subscript, gast.Delete)):
            body = _flat(transformer.visit(statement) for statement in body)
        if gast.Match in kinds:
            body = _flat(map(Matching(namer).visit, body))
        body = body or place([gast.Pass()], node)
        if contains(body, gast.Return) and not always_jumps(body):
            body += place(quote("return None"), body[-1])
        jumps = Jumps(namer)
        body = jumps.rewrite(body)
        if self.suspects is not None:
            self.suspects |= maybe_unset(body, parameters) | transformer.deleted
        statements = Statements(Expressions(namer.once("fscope"), self.convert, self.suspects))
        flow = ControlFlow(body, parameters, namer, statements, declared)
        body = flow.rewrite(body)
        self.helpers |= flow.helpers
        self.unset |= flow.unset | transformer.deleted
        node.body = documentation + self._scoped(node, body, declared, jumps, namer.once("fscope"))
        node.body = place(node.body, node)
        if top:
            node.name = "tf__" + node.name
        return node

    def _scoped(self, node, body, declared, jumps: Jumps, scope: str) -> list:
        """The body inside a FunctionScope; what it returns passes through the scope."""
        if isinstance(body[-1], gast.Return):
            value = body[-1].value if body[-1].value is not None else gast.Constant(None, None)
            end = quote(f"return {scope}.ret(value, True)", value=value)
            if jumps.flagged:
                end = quote(f"return {scope}.ret({jumps.retval}, {jumps.do_return})")
            body[-1:] = place(end, body[-1])
        head = [gast.Global(sorted(declared["global"]))] if declared["global"] else []
        head += [gast.Nonlocal(sorted(declared["nonlocal"]))] if declared["nonlocal"] else []
        if self.suspects is not None:  # to be run, not read: functions share their scope
            return [*head, *quote(f"{scope} = ag__.STANDARD"), *body]
        context = expression(f"ag__.FunctionScope({node.name!r}, {scope!r}, {OPTIONS})")
        return [
            *head,
            gast.With([gast.withitem(context, name(scope, gast.Store()))], body, None),
        ]


def _flat(items) -> list:
    return [one for item in items for one in (item if isinstance(item, list) else [item])]


def _split_documentation(body) -> tuple[list, list]:
    first = body[0]
    is_text = (
        isinstance(first, gast.Expr)
        and isinstance(first.value, gast.Constant)
        and isinstance(first.value.value, str)
    )
    return ([first], body[1:]) if is_text else ([], body)


class _DropDeclarations(gast.NodeTransformer):
    def __init__(self, kind):
        self.kind = kind

    def visit(self, node):
        if isinstance(node, self.kind):
            return gast.copy_location(gast.Pass(), node)
        if isinstance(node, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.expr)):
            return node
        return self.generic_visit(node)


def _without_declarations(body, kind) -> list:
    return [_DropDeclarations(kind).visit(one) for one in body if not isinstance(one, kind)]


def _explicit_super(body, node) -> None:
    """`super()` finds its class and instance in the frame; nested functions have to be told."""
    args = [*node.args.posonlyargs, *node.args.args]
    for statement in body:
        for call in gast.walk(statement):
            is_super = (
                isinstance(call, gast.Call)
                and isinstance(call.func, gast.Name)
                and call.func.id == "super"
            )
            if is_super and not call.args and args:
                call.args = place([name("__class__"), name(args[0].id)], call)


# ---- from tree to function -----------------------------------------------------------------

_cache = ByIdentity()  # code -> {view: converted code}
_lock = threading.RLock()


def convert_function(function: types.FunctionType, view: str | None = None) -> types.FunctionType:
    """The converted form of a Python function; conversion happens once for each code object.

    Raises ConversionError where there is no source, or where meaning would be lost.
    """
    view = view or os.environ.get("ALLOGRAPH_VIEW", "original")
    code = function.__code__
    with _lock:
        views = _cache.get(code)
        if views is None:
            views = _cache[code] = {}
        made = views.get(view)
        if made is None:
            with deep_recursion():
                _show(function)
                conversion = conversion_of(function, to_read=view == "generated")
                made = views[view] = _compile(conversion, function, view)
    return _bind(made, function)


def _show(function) -> None:
    """Print generated code when ALLOGRAPH_DEBUG asks for it (see `runtime.debug`)."""
    asked = os.environ.get("ALLOGRAPH_DEBUG", "").replace(" ", "").split(",")
    if {"code", "all"}.intersection(asked):
        text = conversion_of(function).text
        print(f"---- code: {function.__qualname__}\n{text}\n", file=sys.stderr)


def conversion_of(function: types.FunctionType, to_read: bool = True) -> Conversion:
    """The conversion of a function, not compiled; `to_read` writes every check down."""
    with deep_recursion():
        source = source_of(function)
        converter = FunctionConverter(to_read)
        node = convert_tree(source, _class_of(function), converter)
        return Conversion(node, source, converter)


@contextlib.contextmanager
def deep_recursion():
    """Trees may be deep (a long `elif` chain is): a walk over one needs many frames."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 30_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _class_of(function) -> str | None:
    """The innermost class around the definition of a function."""
    parts = function.__qualname__.split(".")
    classes = [
        outer for outer, inner in itertools.pairwise(parts) if "<locals>" not in (outer, inner)
    ]
    return classes[-1] if classes else None


def _compile(conversion: Conversion, function, view: str):
    """The code object of the converted function, found inside the factory that gives it its
    closure.
    """
    node = conversion.node
    free = sorted({*function.__code__.co_freevars, "__class__"} - {"ag__"})
    file = conversion.source.file
    if view == "generated":
        file = _write_file(conversion.text, function.__name__)
        tree = gast.ast_to_gast(parse(conversion.text))
        definition = tree.body[0]
    else:
        definition = node
        if isinstance(node, gast.Lambda):
            definition = place(gast.Assign([name("tf__lam", gast.Store())], node, None), node)
    _plain_defaults(definition if isinstance(definition, gast.FunctionDef) else definition.value)
    title = definition.name if isinstance(definition, gast.FunctionDef) else "tf__lam"
    factory = quote(
        f"def factory(ag__):\n    {' = '.join(free)} = None\n    definition\n    return {title}",
        definition=[definition],
    )
    place(factory, definition)
    module = Finish(conversion.unset)(gast.Module(factory, []))
    scope: dict = {}
    flags = function.__code__.co_flags & FUTURE_FEATURES
    exec(compile(module, file, "exec", flags, dont_inherit=True), scope)
    made = scope["factory"](None).__code__
    code = under_the_users_name(made, function, conversion.helpers, conversion.mangled)
    _note_converted(code)
    return code


def _plain_defaults(definition) -> None:
    """Defaults, annotations and decorators come from the original function or lambda."""
    args = definition.args
    args.defaults = [gast.Constant(None, None) for _ in args.defaults]
    args.kw_defaults = [default and gast.Constant(None, None) for default in args.kw_defaults]
    if isinstance(definition, gast.FunctionDef):
        definition.returns = None
    for arg in arguments_of(definition):
        arg.annotation = None


def _note_converted(code) -> None:
    """A class inside stays as it is written: its methods are converted when they are called."""
    CONVERTED_CODE[code] = True
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and not is_class_body(constant):
            _note_converted(constant)


def _write_file(text: str, title: str) -> str:
    """The generated text as a file, named by its content; reused when it is there already."""
    import hashlib
    import tempfile

    folder = pathlib.Path(
        os.environ.get("ALLOGRAPH_GENERATED_DIR")
        or pathlib.Path(tempfile.gettempdir()) / "allograph-generated"
    )
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = folder / f"{''.join(c if c.isalnum() else '_' for c in title)}_{digest}.py"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    linecache.checkcache(str(path))
    return str(path)


def _bind(code, function: types.FunctionType) -> types.FunctionType:
    """A function of the converted code in the world of the original."""
    from . import operators

    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["ag__"] = types.CellType(operators)
    closure = tuple(cells.get(free) or types.CellType() for free in code.co_freevars)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__module__, made.__doc__ = (
        function.__qualname__,
        function.__module__,
        function.__doc__,
    )
    made.__annotations__ = inspect.get_annotations(function)
    return made
