"""Plain statements: assertions become calls, everything else keeps its form.

assert x > 0, "no"         ->   ag__.assert_stmt(ag__.ld(x) > 0, lambda: 'no')
(a, *b), c = x             ->   (a, *b), c = ag__.unpack(ag__.ld(x), ((None, '*'), None))
raise Error(x) from y      ->   raise ag__.raised(lambda: Error(ag__.ld(x)), lambda: ag__.ld(y))
with m() as x:             ->   with ag__.entered(ag__.ld(m)()) as x:

The handlers of a `try` are registered while its body runs. The signals of staged exceptions pass
through them. A `finally` that may have effects runs in `with cleanup_:`, which is made before the
`try`.
"""

from __future__ import annotations

import copy

import gast

from ..analysis.names import contains
from ..syntax.templates import constant, copy_location, expression, name, quote
from .expressions import BOUND_TO_FRAME, Expressions
from .unpacking_patterns import unpacking

MAY_RAISE = (
    gast.Call, gast.Raise, gast.Assert,  # and what may be staged:
    gast.If, gast.While, gast.For, gast.IfExp, gast.BoolOp, gast.Compare, gast.ListComp,
    gast.GeneratorExp, gast.BinOp, gast.UnaryOp, gast.Subscript, gast.AugAssign,
)  # fmt: skip

MAY_ACT = (gast.Call, gast.Raise, gast.Assert)


def may_clean_up(statement) -> bool:
    """Whether a `finally` may have effects of the graph after what may raise."""
    if not isinstance(statement, gast.Try):
        return False
    before = [*statement.body, *statement.handlers, *statement.orelse]
    return contains(statement.finalbody, MAY_ACT) and contains(before, MAY_RAISE)


def noting_effects_of_finally(statement: gast.Try, cleanup: str) -> list:
    """A `try`, and before it the `cleanup` that its `finally` enters."""
    block = gast.With([gast.withitem(name(cleanup), None)], statement.finalbody, None)
    statement.finalbody = copy_location([block], statement.finalbody[0])
    statements = quote(f"{cleanup} = ag__.Cleanup('`finally`')")
    return [*copy_location(statements, statement), statement]


class Statements:
    """Rewrites one statement without blocks."""

    def __init__(self, expressions: Expressions):
        self.expressions = expressions

    def __call__(self, node) -> list:
        rewrite = getattr(self, "on_" + type(node).__name__, None)
        rewritten = rewrite(node) if rewrite is not None else self.expressions(node)
        return copy_location(rewritten if isinstance(rewritten, list) else [rewritten], node)

    def head(self, node):
        """The expressions in the head of `with`, `try` or `match`; the blocks are done already."""
        for item in getattr(node, "items", []):
            item.context_expr = self.expressions(item.context_expr)
            item.optional_vars = item.optional_vars and self.expressions(item.optional_vars)
            entered = expression("ag__.entered(it)", it=item.context_expr)
            item.context_expr = copy_location(entered, item.context_expr)
        for handler in getattr(node, "handlers", []):
            handler.type = handler.type and self.expressions(handler.type)
            if hasattr(handler, "end"):  # however the handler is left
                handler.body = copy_location([gast.Try(handler.body, [], [], handler.end)], handler)
        if isinstance(node, gast.Try) and node.handlers:
            self._guard_handlers(node)
        for case in getattr(node, "cases", []):
            case.guard = case.guard and self.expressions(case.guard)
        if hasattr(node, "subject"):
            node.subject = self.expressions(node.subject)
        return node

    def _guard_handlers(self, node) -> None:
        types = [copy.deepcopy(handler.type) for handler in node.handlers if handler.type]
        if len(types) < len(node.handlers):  # the last one has no type, and catches everything
            types = [expression("BaseException")]
        caught = expression("ag__.handled(lambda: types)", types=gast.Tuple(types, gast.Load()))
        node.body = copy_location([gast.With([gast.withitem(caught, None)], node.body, None)], node)
        passing = gast.ExceptHandler(expression("ag__.TraceSignal"), None, quote("raise"))
        node.handlers.insert(0, copy_location(passing, node))

    def on_Assert(self, node):
        message = constant(None)
        if node.msg is not None:
            message = expression("lambda: message", message=self.expressions(node.msg))
        return gast.Expr(
            expression(
                "ag__.assert_stmt(test, message)", test=self.expressions(node.test), message=message
            )
        )

    def on_Raise(self, node):
        if node.exc is None or contains([node], BOUND_TO_FRAME):
            return self.expressions(node)
        error = self.expressions(node.exc)
        call = expression("ag__.raised(lambda: error)", error=error)
        if node.cause is not None:
            call.args.append(expression("lambda: cause", cause=self.expressions(node.cause)))
        return gast.Raise(call, None)

    def on_Assign(self, node):
        return unpacking(self.expressions(node))

    def on_AugAssign(self, node):
        """The object that a name holds may be changed in place."""
        rewritten = self.expressions(node)
        if self.expressions.suspects is None or not isinstance(node.target, gast.Name):
            return rewritten
        return [rewritten, *quote("if ag__.NOTES:\n    ag__.changed(it)", it=name(node.target.id))]

    def on_AnnAssign(self, node):
        """One without a value, whose annotation is not evaluated."""
        return node
