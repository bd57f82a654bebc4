"""The last walk over a converted tree: Python's own nodes, each with a place, needless checks gone.

`ag__.ld(x)` complains when `x` has no value. Where that cannot happen, because `x` is a parameter
or certainly assigned, the compiled code reads `x` itself: a debugger steps over it, and it costs
nothing. The value that says "has not returned yet" is one object. The text that `to_code` shows
keeps every check.
"""

from __future__ import annotations

import ast
import functools

import gast

MARKERS = (gast.expr_context, gast.operator, gast.boolop, gast.unaryop, gast.cmpop)


@functools.cache
def _class_of(kind) -> tuple:
    """Python's class of nodes for one of gast, its fields, and whether it has a place."""
    made = getattr(ast, kind.__name__)
    return made, made._fields, "lineno" in made._attributes


@functools.cache
def _marker(kind):
    """`Load`, `Add`, ...: nodes without content, of which one is enough."""
    return getattr(ast, kind.__name__)()


class Finish:
    """Makes a tree of `ast` from one of `gast`; `unset` are the names that may have no value."""

    def __init__(self, unset: set[str]):
        self.unset = unset

    def __call__(self, tree):
        return self._finished(tree, (1, 0, 1, 0))

    def _finished(self, node, place):
        kind = type(node)
        if kind is gast.Call:
            node = self._simpler(node)
            kind = type(node)
        elif issubclass(kind, MARKERS):
            return _marker(kind)
        elif kind is gast.arguments:
            return self._arguments(node, place)
        made_class, names, has_place = _class_of(kind)
        given, made = node.__dict__, made_class.__new__(made_class)
        fields = made.__dict__
        if has_place:
            place = _place_of(given, place)
            (fields["lineno"], fields["col_offset"],
             fields["end_lineno"], fields["end_col_offset"]) = place  # fmt: skip
        for field in names:
            if field not in given:
                continue
            value = given[field]
            if type(value) is list:
                value = [
                    self._finished(one, place) if isinstance(one, gast.AST) else one
                    for one in value
                ]
            elif isinstance(value, gast.AST):
                value = self._finished(value, place)
            fields[field] = value
        if kind is gast.ExceptHandler and made.name is not None:
            made.name = made.name.id
        return made

    def _arguments(self, node, place):
        """gast writes parameters as names."""

        def parameter(one):
            annotation = one.annotation and self._finished(one.annotation, place)
            made = ast.arg(one.id, annotation)
            (made.lineno, made.col_offset,
             made.end_lineno, made.end_col_offset) = _place_of(one.__dict__, place)  # fmt: skip
            return made

        def value(one):
            return one and self._finished(one, place)

        return ast.arguments(
            list(map(parameter, node.posonlyargs)),
            list(map(parameter, node.args)),
            node.vararg and parameter(node.vararg),
            list(map(parameter, node.kwonlyargs)),
            list(map(value, node.kw_defaults)),
            node.kwarg and parameter(node.kwarg),
            list(map(value, node.defaults)),
        )

    def _simpler(self, call: gast.Call):
        function = call.func
        if type(function) is not gast.Attribute or type(function.value) is not gast.Name:
            return call
        if function.value.id != "ag__":
            return call
        if function.attr == "ld" and type(call.args[0]) is gast.Name:
            return call if call.args[0].id in self.unset else call.args[0]
        if function.attr == "UndefinedReturnValue":
            return gast.Attribute(function.value, "NO_RESULT", gast.Load())
        return call


def _place_of(given: dict, around: tuple) -> tuple:
    """The place of a node, or that of the node around it."""
    line, column = given.get("lineno"), given.get("col_offset")
    if line is None:
        return around
    end = given.get("end_lineno")
    return (line, column, line, column + 1) if end is None else (
        line, column, end, given["end_col_offset"],
    )  # fmt: skip
