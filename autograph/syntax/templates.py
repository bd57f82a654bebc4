"""Pieces of syntax tree written as text."""

from __future__ import annotations

import functools

import gast

from .parsing import parse


@functools.cache
def _parsed(text: str):
    body = gast.ast_to_gast(parse(text)).body
    for statement in body:
        for node in gast.walk(statement):  # places come from the user's code, see `place`
            for field in _PLACE:
                node.__dict__.pop(field, None)
    return body


def quote(text: str, /, **parts) -> list:
    """The statements of `text`, names in it replaced by nodes, other names or blocks."""
    return [made for statement in _parsed(text) for made in _filled_statement(statement, parts)]


def _filled_statement(node, parts: dict) -> list:
    """A copy of a statement; a bare name on its own line stands for a block."""
    block = (
        isinstance(node, gast.Expr)
        and isinstance(node.value, gast.Name)
        and parts.get(node.value.id)
    )
    return block if isinstance(block, list) else [_filled(node, parts)]


def _filled(node, parts: dict):
    """A copy of a node, the names in it replaced."""
    kind = type(node)
    if kind is gast.Name:
        part = parts.get(node.id, node.id)
        return gast.Name(part, node.ctx, None, None) if isinstance(part, str) else part
    made = kind.__new__(kind)
    fields = made.__dict__
    for field, value in node.__dict__.items():
        if type(value) is list:
            value = (
                [made for one in value for made in _filled_statement(one, parts)]
                if field in ("body", "orelse")
                else [_filled(one, parts) if isinstance(one, gast.AST) else one for one in value]
            )
        elif isinstance(value, gast.AST) and not isinstance(value, _MARKERS):
            value = _filled(value, parts)
        fields[field] = value
    if kind is gast.FunctionDef:
        fields["name"] = parts.get(node.name, node.name)
    fields["is_template"] = True
    return made


def expression(text: str, /, **parts):
    """The expression that `text` spells, names in it replaced."""
    (statement,) = quote(text, **parts)
    return statement.value


def name(identifier: str, context=None):
    return gast.Name(identifier, context or gast.Load(), None, None)


def constant(value):
    return gast.Constant(value, None)


def names_tuple(identifiers):
    return gast.Tuple([constant(one) for one in identifiers], gast.Load())


@functools.cache
def _fields_with_nodes(kind) -> tuple:
    return tuple(field for field in kind._fields if field not in _WITHOUT_NODES)


def children_of(node) -> list:
    """The nodes right below a node, without the markers of contexts and operators."""
    fields = node.__dict__
    found: list = []
    for field in _fields_with_nodes(type(node)):
        value = fields.get(field)
        if type(value) is list:
            found += [one for one in value if isinstance(one, gast.AST)]
        elif isinstance(value, gast.AST):
            found.append(value)
    return found


def nested_statements(node) -> list:
    """The statements, handlers and cases in the blocks of a statement."""
    fields = node.__dict__
    return [row for block in BLOCKS if type(fields.get(block)) is list for row in fields[block]]


class Rewriter:
    """A walk that replaces nodes: `visit_If` and the like make what takes the place of an `If`."""

    def visit(self, node):
        return _visitor(type(self), type(node))(self, node)

    def generic_visit(self, node):
        """The same node; what is below it is replaced, by several rows where lists come back."""
        fields = node.__dict__
        for field in _fields_with_nodes(type(node)):
            value = fields.get(field)
            if type(value) is list:
                made: list = []
                for one in value:
                    new = self.visit(one) if isinstance(one, gast.AST) else one
                    made += new if type(new) is list else [new]
                value[:] = made
            elif isinstance(value, gast.AST):
                fields[field] = self.visit(value)
        return node


@functools.cache
def _visitor(rewriter, kind):
    return getattr(rewriter, "visit_" + kind.__name__, rewriter.generic_visit)


def place(nodes, like):
    """Give new nodes the place in the user's file of the node they came from."""
    anchor = _one_line(like)
    for node in nodes if isinstance(nodes, list) else [nodes]:
        _place(node, anchor)
    return nodes


def _one_line(like):
    """The head of a compound statement, or the start of a long one: a call takes the last line it
    spans.
    """
    like = getattr(like, "test", None) or getattr(like, "iter", None) or like
    line, end = getattr(like, "lineno", None), getattr(like, "end_lineno", None)
    if line is None or line == end:
        return like
    short = gast.copy_location(gast.Pass(), like)
    short.end_lineno, short.end_col_offset = line, like.col_offset + 1
    return short


def _place(node, like) -> None:
    """What lies below an expression without a place of its own takes that of the expression, when
    the tree is finished.
    """
    fields = node.__dict__
    if "is_placed" in fields:
        return
    fields["is_placed"] = True
    if fields.get("lineno") is None and "lineno" in node._attributes:
        for field in _PLACE:
            if field in like.__dict__:
                fields[field] = like.__dict__[field]
    if isinstance(node, gast.expr):
        return
    inner = node if fields.get("lineno") is not None else like
    for child in children_of(node):
        _place(child, inner)


_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
_WITHOUT_NODES = {"ctx", "op", "ops", "id", "attr", "kind", "type_comment"}
_MARKERS = (gast.expr_context, gast.operator, gast.boolop, gast.unaryop, gast.cmpop)
