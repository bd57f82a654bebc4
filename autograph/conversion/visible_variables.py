"""What debuggers and coverage see of converted code: the user's variables in every frame, no scope,
and the jumps between the user's lines.

An outlined function (`loop_body`, ...) has in its frame only the variables that it names. Under a
debugger, code that never runs names the others. No byte code comes of it, but the variables become
free variables.
"""

from __future__ import annotations

import types

import gast

from ..syntax.templates import Rewriter, copy_location, expression, name

SHARED_SCOPE = "ag__.STANDARD"  # what converted functions read that have no scope of their own


def user_variables(code: types.CodeType) -> list[str]:
    """The local variables of a function and of the functions inside it."""
    names = {*code.co_varnames, *code.co_cellvars, *code.co_freevars} - {"__class__"}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(user_variables(constant))
    return sorted(name for name in names if name.isidentifier())


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
            start = copy_location([gast.Expr(expression(SHARED_SCOPE))], node)
            declared = sum(isinstance(statement, gast.Nonlocal) for statement in node.body)
            node.body[declared:declared] = start
        return node
