"""Convert Python's syntax trees to gast, whose nodes are the same for every version, and back.

The nodes are those of `gast.ast_to_gast` and `gast.gast_to_ast`. One plain walk each way takes a
third off the time of a whole conversion.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import gast

Location = tuple  # lineno, col_offset, end_lineno, end_col_offset
LOCATION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
AST_SINGLETONS = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
GAST_SINGLETONS = (gast.expr_context, gast.operator, gast.boolop, gast.unaryop, gast.cmpop)


@functools.cache
def _gast_class(node_type):
    return getattr(gast, node_type.__name__)


@functools.cache
def _gast_singleton(node_type):
    return getattr(gast, node_type.__name__)()


class _AstClasses(dict):
    """By a class in gast: that in `ast`, its fields, and whether it has a location; or the one node
    of a class without content, such as `Load` and `Add`.
    """

    def __missing__(self, node_type) -> tuple:
        ast_class = getattr(ast, node_type.__name__)
        only = ast_class() if issubclass(node_type, GAST_SINGLETONS) else None
        self[node_type] = ast_class, ast_class._fields, "lineno" in ast_class._attributes, only
        return self[node_type]


_AST_CLASSES = _AstClasses()


def to_gast(node):
    """The gast tree of an `ast` tree."""
    node_type = type(node)
    if issubclass(node_type, AST_SINGLETONS):
        return _gast_singleton(node_type)
    fields = node.__dict__
    if node_type is ast.arg:
        result = gast.Name(
            node.arg, gast.Param(), _value_to_gast(node.annotation), node.type_comment
        )
    elif node_type is ast.Name:
        result = gast.Name(node.id, _gast_singleton(type(node.ctx)), None, None)
    else:
        result = _gast_class(node_type).__new__(_gast_class(node_type))
        result_fields = result.__dict__
        for field in result._fields:
            value = fields.get(field, _default(field))
            result_fields[field] = (
                list(map(_value_to_gast, value)) if type(value) is list else _value_to_gast(value)
            )
        if node_type is ast.ExceptHandler and result.name is not None:
            result.name = gast.Name(result.name, gast.Store(), None, None)
    for field in LOCATION:
        if field in fields:
            result.__dict__[field] = fields[field]
    return result


def _value_to_gast(value):
    return to_gast(value) if isinstance(value, ast.AST) else value


def _default(field: str):
    """The value of a field that this version of Python does not have."""
    return [] if field == "type_params" else None


class ToAst:
    """Makes `ast` trees from gast trees. A node without a location gets its parent's."""

    def __call__(self, tree):
        return self._converted(tree, (1, 0, 1, 0))

    def call(self, node: gast.Call):
        """The gast node to convert in place of a call; for subclasses."""
        return node

    def _converted(self, node, location: Location):
        node_type: Any = type(node)
        if node_type is gast.Call:
            node = self.call(node)
            node_type = type(node)
        elif node_type is gast.arguments:
            return self._arguments(node, location)
        ast_class, names, has_location, only = _AST_CLASSES[node_type]
        if only is not None:
            return only
        fields, result = node.__dict__, ast_class.__new__(ast_class)
        result_fields = result.__dict__
        if has_location:
            location = _location(fields, location)
            (
                result_fields["lineno"],
                result_fields["col_offset"],
                result_fields["end_lineno"],
                result_fields["end_col_offset"],
            ) = location
        for field in names:
            if field not in fields:
                continue
            value = fields[field]
            if type(value) is list:
                value = [
                    self._converted(item, location) if isinstance(item, gast.AST) else item
                    for item in value
                ]
            elif isinstance(value, gast.AST):
                value = self._converted(value, location)
            result_fields[field] = value
        if node_type is gast.ExceptHandler and result.name is not None:
            result.name = result.name.id
        return result

    def _arguments(self, node, location: Location):
        """Parameters, which are names in gast."""

        def parameter(name):
            annotation = name.annotation and self._converted(name.annotation, location)
            arg = ast.arg(name.id, annotation)
            arg.lineno, arg.col_offset, arg.end_lineno, arg.end_col_offset = _location(
                name.__dict__, location
            )
            return arg

        def value(default):
            return default and self._converted(default, location)

        return ast.arguments(
            list(map(parameter, node.posonlyargs)),
            list(map(parameter, node.args)),
            node.vararg and parameter(node.vararg),
            list(map(parameter, node.kwonlyargs)),
            list(map(value, node.kw_defaults)),
            node.kwarg and parameter(node.kwarg),
            list(map(value, node.defaults)),
        )


def _location(fields: dict, parent: Location) -> Location:
    """The location of a node, or that of its parent."""
    line, column = fields.get("lineno"), fields.get("col_offset", 0)
    if line is None:
        return parent
    end = fields.get("end_lineno")
    if end is None:
        return line, column, line, column + 1
    return line, column, end, fields["end_col_offset"]
