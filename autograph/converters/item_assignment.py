"""Assignment to items and deletion of local names become assignments of the name.

    x[i] = v                   ->   x = ag__.set_item(v, x, i)
    x[i] += v                  ->   x = ag__.update_item(x, i, '+=', lambda: v)
    del x                      ->   x = ag__.delete(x, 'x')

A tensor has no items to assign in place; lists, dictionaries and arrays are still changed in place.
Only names of this function are rewritten, others stay Python.
"""

from __future__ import annotations

import gast

from ..analysis.names import SCOPES, contains
from ..templates import constant, expression, name, place, quote
from .expressions import BOUND_TO_FRAME

UPDATES = {
    gast.Add: "+=",
    gast.Sub: "-=",
    gast.Mult: "*=",
    gast.Div: "/=",
    gast.FloorDiv: "//=",
    gast.Mod: "%=",
    gast.Pow: "**=",
    gast.MatMult: "@=",
    gast.BitAnd: "&=",
    gast.BitOr: "|=",
    gast.BitXor: "^=",
    gast.LShift: "<<=",
    gast.RShift: ">>=",
}


class ItemAssignment(gast.NodeTransformer):
    """Rewrites the statements of one function; `local_names` are its variables."""

    def __init__(self, local_names: set[str]):
        self.local_names = local_names

    def visit(self, node):
        if isinstance(node, SCOPES):
            return node
        return super().visit(node)

    def visit_Assign(self, node):
        target = node.targets[0]
        if len(node.targets) > 1 or not self._is_local_item(target):
            return node
        call = expression(
            "ag__.set_item(value, target, key)",
            value=node.value, target=name(target.value.id), key=as_key(target.slice),
        )  # fmt: skip
        return place(gast.Assign([name(target.value.id, gast.Store())], call, None), node)

    def visit_AugAssign(self, node):
        if not self._is_local_item(node.target) or contains([node.value], BOUND_TO_FRAME):
            return node
        call = expression(
            "ag__.update_item(target, key, operator, lambda: value)",
            target=name(node.target.value.id), key=as_key(node.target.slice),
            operator=constant(UPDATES[type(node.op)]), value=node.value,
        )  # fmt: skip
        return place(gast.Assign([name(node.target.value.id, gast.Store())], call, None), node)

    def visit_Delete(self, node):
        made: list = []
        for target in node.targets:
            if isinstance(target, gast.Name) and target.id in self.local_names:
                made += quote(f"{target.id} = ag__.delete({target.id}, {target.id!r})")
            else:
                made.append(gast.Delete([target]))
        return place(made, node)

    def _is_local_item(self, target) -> bool:
        if not isinstance(target, gast.Subscript) or not isinstance(target.value, gast.Name):
            return False
        return target.value.id in self.local_names and not contains([target.slice], BOUND_TO_FRAME)


def as_key(node):
    """A subscript as an expression: `1:n` is `slice(1, n)`."""
    if isinstance(node, gast.Slice):
        parts = [
            part if part is not None else constant(None)
            for part in (node.lower, node.upper, node.step)
        ]
        return expression("ag__.slice_(a, b, c)", **dict(zip("abc", parts, strict=True)))
    if isinstance(node, gast.Tuple):
        return gast.Tuple([as_key(item) for item in node.elts], gast.Load())
    return node
