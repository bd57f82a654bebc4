"""Targets: attributes and items that a piece of code assigns, and containers that it changes.

    self.total = v         assigns              self.total
    d['k'] = v             assigns              d['k']
    x[i] = v               changes              x
    self.rows.append(v)    changes              self.rows
    list.append(rows, v)   changes              rows
    heappush(heap, v)      changes              heap

A target is a path: a name, then attributes and constant keys.
"""

from __future__ import annotations

import gast

from ..replacements import CHANGE_LISTS

# A whole statement `p.append(v)` changes p; the others do so wherever they are called.
SILENT_CHANGES = {
    "append", "extend", "insert", "remove", "clear", "reverse", "sort", "update", "add", "discard",
}  # fmt: skip
CHANGES = {"pop", "popitem", "setdefault"}
# Operators that assign an item, each with the position of the target among its arguments.
ASSIGNMENTS = {"set_item": 1, "set_inner_item": 1, "update_item": 0, "update_inner_item": 0}
GROWTH = {"append", "extend", "insert", "remove", "clear", "pop"}
UNBOUND = {"append": 2, "extend": 2, "insert": 3, "remove": 2}  # arguments of `list.append`


def path_of(node) -> str | None:
    """`a.b['k']` of a chain of attributes and constant keys on a name, else None."""
    if isinstance(node, gast.Name):
        return node.id
    if isinstance(node, gast.Attribute):
        base = path_of(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
        base = path_of(node.value)
        return None if base is None else f"{base}[{node.slice.value!r}]"
    return None


def root_of(node) -> str | None:
    """The name that a chain of attributes and items starts from."""
    while isinstance(node, (gast.Attribute, gast.Subscript)):
        node = node.value
    return node.id if isinstance(node, gast.Name) else None


def assigned_target(target):
    """The path that an assignment to `target` assigns or changes, or None.

    A string key assigns one item of a dictionary. Any other key may belong to a tensor or a list,
    which changes as a whole.
    """
    while isinstance(target, gast.Subscript) and not has_string_key(target):
        target = target.value
    return target if path_of(target) is not None else None


def has_string_key(node) -> bool:
    return isinstance(node.slice, gast.Constant) and isinstance(node.slice.value, str)


def changed_by_call(node, is_statement: bool):
    """The target that a call such as `rows.append(v)` changes, and whether its length may."""
    function = node.func
    if getattr(function, "attr", getattr(function, "id", None)) in CHANGE_LISTS and node.args:
        return assigned_target(node.args[0]), True
    if not isinstance(function, gast.Attribute):
        return None, False
    if isinstance(function.value, gast.Name) and function.value.id == "ag__":
        target = ASSIGNMENTS.get(function.attr)
        return (None if target is None else assigned_target(node.args[target])), False
    changes = CHANGES | SILENT_CHANGES if is_statement else CHANGES
    if function.attr not in changes:
        return None, False
    owner = function.value
    if isinstance(owner, gast.Name) and owner.id == "list":
        owner = node.args[0] if len(node.args) == UNBOUND.get(function.attr) else owner
    return assigned_target(owner), function.attr in GROWTH
