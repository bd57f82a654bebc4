"""Build syntax trees from templates of source code, and walk them."""

from __future__ import annotations

import functools
from typing import Any

import gast

from ...runtime.core.parsing import parsed


@functools.cache
def _parsed(source: str):
    body = gast.ast_to_gast(parsed(source)).body
    for statement in body:
        for node in gast.walk(statement):  # locations are the user's, see `copy_location`
            for field in LOCATION:
                node.__dict__.pop(field, None)
    return body


def quote(source: str, /, **replacements) -> list:
    """The statements of `source` with names in it replaced by nodes, other names or blocks."""
    return [
        new for statement in _parsed(source) for new in _filled_statement(statement, replacements)
    ]


def _filled_statement(node, replacements: dict) -> list:
    """A copy of a statement; a bare name on its own line stands for a block."""
    block = (
        isinstance(node, gast.Expr)
        and isinstance(node.value, gast.Name)
        and replacements.get(node.value.id)
    )
    return block if isinstance(block, list) else [_filled(node, replacements)]


def _filled(node, replacements: dict):
    """A copy of a node, the names in it replaced."""
    node_type: Any = type(node)
    if node_type is gast.Name:
        new = replacements.get(node.id, node.id)
        return gast.Name(new, node.ctx, None, None) if isinstance(new, str) else new
    copy = node_type.__new__(node_type)
    fields = copy.__dict__
    for field, value in node.__dict__.items():
        if type(value) is list and field in ("body", "orelse"):
            value = [new for item in value for new in _filled_statement(item, replacements)]
        elif type(value) is list:
            value = [
                _filled(item, replacements) if isinstance(item, gast.AST) else item
                for item in value
            ]
        elif isinstance(value, gast.AST) and not isinstance(value, _MARKERS):
            value = _filled(value, replacements)
        fields[field] = value
    if node_type is gast.FunctionDef:
        fields["name"] = replacements.get(node.name, node.name)
    fields["is_template"] = True
    return copy


def expression(source: str, /, **replacements):
    """The expression that `source` spells, with names in it replaced."""
    (statement,) = quote(source, **replacements)
    return statement.value


def name(identifier: str, context=None):
    return gast.Name(identifier, context or gast.Load(), None, None)


def constant(value):
    return gast.Constant(value, None)


def names_tuple(identifiers):
    return gast.Tuple([constant(identifier) for identifier in identifiers], gast.Load())


@functools.cache
def _fields_with_nodes(node_type) -> tuple:
    return tuple(field for field in node_type._fields if field not in _WITHOUT_NODES)


def children_of(node) -> list:
    """The child nodes of a node, without those for contexts and operators."""
    fields = node.__dict__
    children: list = []
    node_type: Any = type(node)
    for field in _fields_with_nodes(node_type):
        value = fields.get(field)
        if type(value) is list:
            children += [child for child in value if isinstance(child, gast.AST)]
        elif isinstance(value, gast.AST):
            children.append(value)
    return children


def nested_statements(node) -> list:
    """The statements, handlers and cases in the blocks of a statement."""
    fields = node.__dict__
    return [row for block in BLOCKS if type(fields.get(block)) is list for row in fields[block]]


class Rewriter:
    """A walk that replaces nodes: `visit_If` returns what replaces an `If`, and so on."""

    def visit(self, node):
        return _visitor(type(self), type(node))(self, node)

    def generic_visit(self, node):
        """The same node with its children replaced, by several where a visit returns a list."""
        fields = node.__dict__
        for field in _fields_with_nodes(type(node)):
            value = fields.get(field)
            if type(value) is list:
                children: list = []
                for item in value:
                    new = self.visit(item) if isinstance(item, gast.AST) else item
                    children += new if type(new) is list else [new]
                value[:] = children
            elif isinstance(value, gast.AST):
                fields[field] = self.visit(value)
        return node


class StatementRewriter(Rewriter):
    """A walk of the statements of one function, without those of functions and classes inside."""

    def visit(self, node):
        return node if isinstance(node, (*DEFINITIONS, gast.expr)) else super().visit(node)


@functools.cache
def _visitor(rewriter, node_type):
    return getattr(rewriter, "visit_" + node_type.__name__, rewriter.generic_visit)


def copy_location(nodes, like):
    """Give new nodes the location in the user's file of the node they came from."""
    anchor = _one_line(like)
    for node in nodes if isinstance(nodes, list) else [nodes]:
        _copy_location(node, anchor)
    return nodes


def _one_line(like):
    """The head of a compound statement, or the first line of a long one.

    Python reports a call at the last line that it spans.
    """
    like = getattr(like, "test", None) or getattr(like, "iter", None) or like
    line, end = getattr(like, "lineno", None), getattr(like, "end_lineno", None)
    if line is None or line == end:
        return like
    short = gast.copy_location(gast.Pass(), like)
    short.end_lineno, short.end_col_offset = line, like.col_offset + 1
    return short


def _copy_location(node, like) -> None:
    """Set the location of a statement and the statements inside it.

    Nodes inside an expression get its location later, in the conversion to `ast`.
    """
    fields = node.__dict__
    if "has_location" in fields:
        return
    fields["has_location"] = True
    if fields.get("lineno") is None and "lineno" in node._attributes:
        for field in LOCATION:
            if field in like.__dict__:
                fields[field] = like.__dict__[field]
    if isinstance(node, gast.expr):
        return
    inner = node if fields.get("lineno") is not None else like
    for child in children_of(node):
        _copy_location(child, inner)


LOCATION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
_WITHOUT_NODES = {"ctx", "op", "ops", "id", "attr", "kind", "type_comment"}
_MARKERS = (gast.expr_context, gast.operator, gast.boolop, gast.unaryop, gast.cmpop)
