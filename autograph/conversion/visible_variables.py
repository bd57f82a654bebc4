"""What debuggers and coverage see of converted code: the user's variables in every frame, no scope,
and the jumps between the user's lines.

An outlined function (`loop_body`, ...) has in its frame only the variables that it names. Under a
debugger, code that never runs names the others. No byte code comes of it, but the variables become
free variables.
"""

from __future__ import annotations

import sys
import types

import gast

from ..syntax.templates import Rewriter, copy_location, expression, name

STARTS = {"breakpoint", "set_trace"}
DEBUGGERS = ("debugpy", "pydevd")  # they may watch without a trace function


def user_variables(code: types.CodeType) -> list[str]:
    """The local variables of a function and of the functions inside it."""
    names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars} - {"__class__"}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(user_variables(constant))
    return sorted(name for name in names if name.isidentifier())


def is_debugged(code: types.CodeType) -> bool:
    """Whether a debugger watches this thread, or the code starts one. What it shows keeps objects
    alive a little longer, so code that nobody watches does without.
    """
    if sys.gettrace() is not None or not sys.modules.keys().isdisjoint(DEBUGGERS):
        return True
    return _starts_debugger(code)


def _starts_debugger(code: types.CodeType) -> bool:
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return not STARTS.isdisjoint(code.co_names) or any(map(_starts_debugger, inner))


def is_measured() -> bool:
    """Whether coverage.py measures this program."""
    tracer = sys.gettrace()
    holder = getattr(tracer, "__self__", tracer)
    if type(holder).__module__.split(".")[0] == "coverage":
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.COVERAGE_ID) == "coverage.py"


class ShowVariables(Rewriter):
    """Names `variables` in outlined functions.

    With `jumps`, an outlined function starts at the line of its statement, and the body of a loop
    ends there. Debuggers would stop there more often than in Python.
    """

    def __init__(self, helpers: set[str], variables: list[str], jumps: bool = False):
        self.helpers = helpers
        self.jumps = jumps
        self.variables = variables

    def visit_FunctionDef(self, node):
        node = self.generic_visit(node)
        is_state = node.name.startswith(("get_state", "set_state"))  # where nobody stops
        if node.name in self.helpers and self.variables and not is_state:
            names = gast.Tuple([name(variable) for variable in self.variables], gast.Load())
            ends = [] if isinstance(node.body[-1], gast.Return) else [gast.Return(None)]
            never = gast.If(gast.Constant(False, None), [gast.Expr(names)], [])
            last = node if self.jumps and node.name.startswith("loop_body") else node.body[-1]
            node.body = [*node.body, *copy_location([*ends, never], last)]
        if node.name in self.helpers and self.jumps:
            start = copy_location([gast.Expr(expression("ag__.STANDARD"))], node)
            declared = sum(isinstance(statement, gast.Nonlocal) for statement in node.body)
            node.body[declared:declared] = start
        return node
