"""Plain statements: assertions become calls, everything else keeps its form.

assert x > 0, "no"         ->   ag__.assert_stmt(ag__.ld(x) > 0, lambda: 'no')
"""

from __future__ import annotations

import gast

from ..templates import constant, expression, place
from .expressions import Expressions


class Statements:
    """Rewrites one statement without blocks."""

    def __init__(self, expressions: Expressions):
        self.expressions = expressions

    def __call__(self, node) -> list:
        rewrite = getattr(self, "on_" + type(node).__name__, None)
        made = rewrite(node) if rewrite is not None else self.expressions(node)
        return place(made if isinstance(made, list) else [made], node)

    def head(self, node):
        """The expressions in the head of `with`, `try` or `match`; the blocks are done already."""
        for item in getattr(node, "items", []):
            item.context_expr = self.expressions(item.context_expr)
        for handler in getattr(node, "handlers", []):
            handler.type = handler.type and self.expressions(handler.type)
        for case in getattr(node, "cases", []):
            case.guard = case.guard and self.expressions(case.guard)
        if hasattr(node, "subject"):
            node.subject = self.expressions(node.subject)
        return node

    def on_Assert(self, node):
        message = constant(None)
        if node.msg is not None:
            message = expression("lambda: message", message=self.expressions(node.msg))
        return gast.Expr(
            expression(
                "ag__.assert_stmt(test, message)", test=self.expressions(node.test), message=message
            )
        )

    def on_AnnAssign(self, node):
        """Annotations of variables are not evaluated in functions."""
        if node.value is not None:
            node.value = self.expressions(node.value)
        return node
