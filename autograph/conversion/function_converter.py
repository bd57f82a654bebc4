"""Rewrites the syntax tree of one function and of the definitions inside it.

The passes run in this order: private names, declarations, annotations, `super()`, item assignment,
`match`, jumps, then control flow with the expressions of each statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import gast

from ..analysis.liveness import maybe_unset, read_before_bound
from ..analysis.names import (
    SUSPENDING,
    Names,
    arguments_of,
    caught_names,
    contains,
    declarations,
    names_in,
    none_before_loops,
    survey,
)
from ..converters.branches_and_loops import ControlFlow
from ..converters.expressions import OPTIONS, Expressions, note_tests
from ..converters.item_assignment import ItemAssignment
from ..converters.jumps import Jumps, always_jumps
from ..converters.statements import Statements
from ..errors import NotConvertibleError, why_suspending
from ..syntax.templates import StatementRewriter, copy_location, expression, name, quote
from .visible_variables import SHARED_SCOPE

FRAME_READERS = ("locals", "eval", "exec", "vars", "dir")


class Namer:
    """Fresh names: `get_state`, `get_state_1`, ... that the function itself does not use."""

    def __init__(self, taken: set[str]):
        self.taken = set(taken)
        self.shared: dict[str, str] = {}
        self.numbered: dict[str, Iterator[str]] = {}  # by base: what was not tried yet

    def __call__(self, base: str) -> str:
        numbered = self.numbered.setdefault(base, _numbered(base))
        free = next(name for name in numbered if name not in self.taken)
        self.taken.add(free)
        return free

    def once(self, base: str) -> str:
        """The same fresh name each time."""
        if base not in self.shared:
            self.shared[base] = self(base)
        return self.shared[base]


def _numbered(base: str) -> Iterator[str]:
    yield base
    for count in itertools.count(1):
        yield f"{base}_{count}"


def convert_tree(source, class_name: str | None, converter: FunctionConverter):
    """The converted function or lambda node; NotConvertibleError if its meaning would change."""
    node = source.node
    if isinstance(node, gast.AsyncFunctionDef):
        raise NotConvertibleError(_suspends(node))
    if class_name:
        from ..syntax.name_mangling import Mangle

        mangle = Mangle(class_name)
        written = getattr(node, "name", None)
        node = mangle.visit(node)
        node.name = written
        converter.mangled = mangle.functions
    note_tests([node])
    if isinstance(node, gast.Lambda):
        return Expressions("lscope", converter.convert, converter.suspects)(node)
    node.decorator_list = []
    return converter.convert(node, top=True)


class FunctionConverter:
    """Converts a function definition and, with it, the definitions inside."""

    def __init__(self, to_read: bool):
        self.helpers: set[str] = set()
        self.unset: set[str] = set()
        self.mangled: dict[str, str] = {}
        self.suspects: set[str] | None = None if to_read else set()

    def convert(self, node, top: bool = False):
        node_types, called = survey(node.body)
        if not node_types.isdisjoint(SUSPENDING) and contains(node.body, SUSPENDING):
            if top:
                raise NotConvertibleError(_suspends(node))
            return node
        for reader in FRAME_READERS:
            if reader in called:
                why = f"it calls {reader}(), which would see the converted code"
                raise NotConvertibleError(why)
        names = Names(node.body)
        parameters = {arg.id for arg in arguments_of(node)}
        declared = declarations(node.body)
        caught = caught_names(node.body, names) if gast.ExceptHandler in node_types else set()
        outside = declared["global"] | declared["nonlocal"]
        local_names = (set(names.bound) | caught | parameters) - outside
        namer = Namer(set(names.bound) | names.read | names.captured | parameters)
        documented = int(gast.get_docstring(node, clean=False) is not None)
        documentation, body = node.body[:documented], node.body[documented:]
        if outside or gast.AnnAssign in node_types:
            rows = (row for row in body if not isinstance(row, (gast.Global, gast.Nonlocal)))
            body = list(map(_WithoutDeclarations().visit, rows))
        if "super" in names.read:
            _explicit_super(body, node)
        transformer = ItemAssignment(local_names, namer, caught - outside)
        if caught or not node_types.isdisjoint((gast.Subscript, gast.Delete)):
            body = _flat(transformer.visit(statement) for statement in body)
        if gast.Match in node_types:
            from ..converters.match_statements import Matching

            body = _flat(map(Matching(namer).visit, body))
        body = body or copy_location([gast.Pass()], node)
        if contains(body, gast.Return) and not always_jumps(body):
            body += copy_location(quote("return None"), body[-1])
        jumps = Jumps(namer)
        body = jumps.rewrite(body)
        early = read_before_bound(body, set(parameters)) & (local_names - parameters)
        declared["local"] = local_names - parameters - early - names_in(body).bound.keys()
        if self.suspects is not None:
            self.suspects |= early | maybe_unset(body, parameters) | transformer.deleted
            self.suspects |= none_before_loops(body)
        # To be run, not read, all functions share one scope.
        scope = namer.once("fscope") if self.suspects is None else SHARED_SCOPE
        statements = Statements(Expressions(scope, self.convert, self.suspects))
        flow = ControlFlow(body, parameters, namer, statements, declared, early)
        body = flow.rewrite(body)
        self.helpers |= flow.helpers
        self.unset |= flow.unset | transformer.deleted
        node.body = documentation + self._scoped(node, body, declared, jumps, scope)
        node.body = copy_location(node.body, node)
        if top:
            node.name = "tf__" + node.name
        return node

    def _scoped(self, node, body, declared, jumps: Jumps, scope: str) -> list:
        """The body inside a FunctionScope, through which its result passes."""
        if isinstance(body[-1], gast.Return):
            value = body[-1].value if body[-1].value is not None else gast.Constant(None, None)
            end = quote(f"return {scope}.ret(value, True)", value=value)
            if jumps.flagged:
                end = quote(f"return {scope}.ret({jumps.retval}, {jumps.do_return})")
            body[-1:] = copy_location(end, body[-1])
        head = [gast.Global(sorted(declared["global"]))] if declared["global"] else []
        head += [gast.Nonlocal(sorted(declared["nonlocal"]))] if declared["nonlocal"] else []
        head += quote("\n".join(f"{each}: None" for each in sorted(declared["local"])))
        if scope == SHARED_SCOPE:
            return [*head, *quote(scope), *body]  # by which code is known to be converted
        context = expression(f"ag__.FunctionScope({node.name!r}, {scope!r}, {OPTIONS})")
        return [*head, gast.With([gast.withitem(context, name(scope, gast.Store()))], body, None)]


def _suspends(node) -> str:
    form = "coroutine" if isinstance(node, gast.AsyncFunctionDef) else "generator"
    return why_suspending(node.name, form)


def _flat(items) -> list:
    return [part for item in items for part in (item if isinstance(item, list) else [item])]


class _WithoutDeclarations(StatementRewriter):
    """Drops declarations, which stand before the statements of a function, and annotations: Python
    evaluates none of its variables, and a block that becomes a function of its own could not assign
    an annotated variable of another.
    """

    def visit_Global(self, node):
        return gast.copy_location(gast.Pass(), node)

    visit_Nonlocal = visit_Global

    def visit_AnnAssign(self, node):
        if node.value is not None:
            return gast.copy_location(gast.Assign([node.target], node.value, None), node)
        return gast.copy_location(gast.Pass(), node) if isinstance(node.target, gast.Name) else node


def _explicit_super(body, node) -> None:
    """Pass `super()` its class and instance, which a nested function does not provide."""
    args = [*node.args.posonlyargs, *node.args.args]
    for statement in body:
        for call in gast.walk(statement):
            is_super = (
                isinstance(call, gast.Call)
                and isinstance(call.func, gast.Name)
                and call.func.id == "super"
            )
            if is_super and not call.args and args:
                call.args = copy_location([name("__class__"), name(args[0].id)], call)
