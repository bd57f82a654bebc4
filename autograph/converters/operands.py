"""Operands that assign become functions before the statement, and what they assign is state.

if a and (n := f()) > 3:        def operand():
    ...                             nonlocal n
                                    return (n := f()) > 3
                          ->    def get_state(): ...
                                def set_state(vars_): ...
                                ag__.and_(lambda: a, operand, (get_state, set_state, ('n',)))
"""

from __future__ import annotations

import gast

from ..analysis.names import Names
from ..syntax.templates import expression, names_tuple, quote


class Scope:
    """One Python function of the generated code: which names it owns, and which may be unset."""

    def __init__(self, outer_names: set[str], definite: set[str]):
        self.outer_names = outer_names  # names that belong to an enclosing function
        self.definite = set(definite)
        self.unset: dict[str, None] = {}

    def needs(self, names) -> None:
        """Make the names variables of this function; unset ones get a marker at its top."""
        for name in names:
            if name not in self.outer_names and name not in self.definite:
                self.unset[name] = None

    def header(self) -> list:
        return [row for name in self.unset for row in quote(f"{name} = ag__.Undefined({name!r})")]


class Operands:
    """Functions for operands that assign, made for the present statement of a function."""

    def __init__(self, flow):
        self.flow = flow

    def names(self, operands) -> list[str]:
        """The names that operands may assign: by `:=`, or by calling a function inside this one."""
        names = Names(*operands)
        by_calls = self.flow.rebound_by_calls if names.calls else []
        return list(dict.fromkeys([*names.bound, *by_calls]))

    def function(self, value, names: list[str]) -> str:
        """The name of a function that returns a value, and assigns the names."""
        title = self.flow.namer("operand")
        self.flow.scope.needs([name for name in names if name not in self.flow.global_names])
        self.flow.before += self.flow.function(title, [], [gast.Return(value)], names)
        return title

    def state(self, names: list[str]):
        """The functions that get and set the names, and the names."""
        flow = self.flow
        outside = flow.getter, flow.setter
        flow.before += flow.state_functions(names, {}, flow.scope)
        getter, setter = flow.getter, flow.setter
        flow.getter, flow.setter = outside
        return expression(f"({getter}, {setter}, names)", names=names_tuple(names))
