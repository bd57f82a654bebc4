"""Assignment to items and deletion of local names become assignments of the name.

    x[i] = v                   ->   x = ag__.set_item(v, x, i)
    x[i] += v                  ->   x = ag__.update_item(x, i, '+=', lambda: v)
    x[0], y = y, x[0]          ->   item, item_1 = (y, x[0]); x = ag__.set_item(item, x, 0); ...
    x[i][j] = v                ->   x = ag__.set_inner_item(v, x, i, lambda: j)
    self.x[i] = v              ->   ag__.set_item(v, self.x, i, lambda made: ag__.put(...))
    except E as x: ...         ->   except E as caught: x = caught; ...; x = ag__.Undefined('x')
    del x                      ->   x = ag__.delete(x, 'x')

Tensors are immutable; lists, dictionaries and arrays are still changed in place. A string key never
belongs to a tensor: `d['k'] = v` stays as it is.
"""

from __future__ import annotations

import ast

import gast

from ..analysis.assignment_targets import has_string_key, path_of
from ..analysis.names import contains
from ..syntax.templates import StatementRewriter, constant, copy_location, expression, name, quote
from .expressions import BOUND_TO_FRAME


class ItemAssignment(StatementRewriter):
    """Rewrites the statements of one function; `local_names` are its variables, `caught` those that
    are names of handlers, too.
    """

    def __init__(self, local_names: set[str], namer, caught: set[str]):
        self.local_names, self.caught = local_names, caught
        self.namer = namer
        self.deleted: set[str] = set()

    def visit_Assign(self, node):
        if not any(_is_item(target) for pattern in node.targets for target in _leaves(pattern)):
            return node
        if len(node.targets) == 1 and _is_item(node.targets[0]):
            return copy_location(self._set(node.targets[0], node.value), node)
        if not any(self._rebinds(leaf) for target in node.targets for leaf in _leaves(target)):
            return node
        return self._one_by_one(node)

    def _one_by_one(self, node):
        """Several targets: first name the values, then assign each target in order."""
        stores: list = []
        if len(node.targets) > 1:
            whole = self.namer("value_")
            stores += quote(f"{whole} = value", value=node.value)
            node.value = name(whole)
        for target in node.targets:
            later: list = []
            stores.append(gast.Assign([self._named(target, later)], node.value, None))
            stores += later
        return copy_location(stores, node)

    def _named(self, target, later: list):
        """The target with a fresh name for each leaf; `later` gets their assignments."""
        if isinstance(target, (gast.Tuple, gast.List)):
            elements = [self._named(element, later) for element in target.elts]
            return gast.Tuple(elements, gast.Store())
        if isinstance(target, gast.Starred):
            return gast.Starred(self._named(target.value, later), gast.Store())
        if isinstance(target, gast.Name):
            return target
        fresh = self.namer("item_")
        later += (
            self._set(target, name(fresh))
            if _is_item(target)
            else [gast.Assign([target], name(fresh), None)]
        )
        return name(fresh, gast.Store())

    def _set(self, target, value) -> list:
        owner, key, *inner = _chain(target)
        call = expression(
            f"ag__.set_{'inner_' if inner else ''}item(value, target, key)",
            value=value, target=as_read(owner), key=as_key(key),
        )  # fmt: skip
        call.args += map(_later, inner)
        return self._stored(owner, call, gast.Assign([target], value, None))

    def visit_AugAssign(self, node):
        if not _is_item(node.target) or contains([node.value], BOUND_TO_FRAME):
            return node
        owner, key, *inner = _chain(node.target)
        printed = ast.unparse(ast.AugAssign(ast.Name("x"), node.op, ast.Constant(0)))  # "x += 0"
        call = expression(
            f"ag__.update_{'inner_' if inner else ''}item(target, key, operator, lambda: value)",
            target=as_read(owner), key=as_key(key),
            operator=constant(printed.split()[1]), value=node.value,
        )  # fmt: skip
        call.args += map(_later, inner)
        return copy_location(self._stored(owner, call, node), node)

    def _stored(self, owner, call, plain) -> list:
        """The call, and the assignment of its result to the owner."""
        if isinstance(owner, gast.Name):
            if owner.id not in self.local_names:
                return [plain]
            return [gast.Assign([name(owner.id, gast.Store())], call, None)]
        if path_of(owner) is None:
            return [plain]
        item = self.namer.once("made")
        put = expression(f"lambda {item}: put", put=put_target(owner, name(item)))
        if call.func.attr in ("set_item", "update_item"):
            call.args.append(put)
        else:
            call.keywords.append(gast.keyword("put", put))
        return [gast.Expr(call)]

    def _rebinds(self, target) -> bool:
        if not _is_item(target):
            return False
        owner = _chain(target)[0]
        return not isinstance(owner, gast.Name) or owner.id in self.local_names

    def visit_ExceptHandler(self, node):
        """A name that is used elsewhere, too, has no value after its handler."""
        node = self.generic_visit(node)
        if node.name is not None and node.name.id in self.caught:
            own, caught = node.name.id, self.namer("caught")
            node.name = name(caught, gast.Store())
            node.body = copy_location(quote(f"{own} = {caught}"), node) + node.body
            node.end = copy_location(quote(f"{own} = ag__.Undefined({own!r})"), node)
            self.deleted.add(own)
        return node

    def visit_Delete(self, node):
        statements: list = []
        for target in node.targets:
            if isinstance(target, gast.Name) and target.id in self.local_names:
                self.deleted.add(target.id)
                statements += quote(f"{target.id} = ag__.delete({target.id}, {target.id!r})")
            else:
                statements += _required(target)
                statements.append(gast.Delete([target]))
        return copy_location(statements, node)


def _required(target) -> list:
    """The statement that requires an attribute or item to exist before it is deleted."""
    is_attribute = isinstance(target, gast.Attribute)
    if path_of(target) is None or not (is_attribute or has_string_key(target)):
        return []
    key = target.attr if is_attribute else target.slice.value
    owner = as_read(target.value)
    return [gast.Expr(expression("ag__.require_item(it, key)", it=owner, key=constant(key)))]


def _is_item(target) -> bool:
    """Whether a target is an item of an object that may be a tensor."""
    if not isinstance(target, gast.Subscript) or has_string_key(target):
        return False
    owner, *keys = _chain(target)
    return path_of(owner) is not None and not contains(keys, BOUND_TO_FRAME)


def _chain(target) -> list:
    """The owner of an item, which has a path, and the subscripts that lead from there to it."""
    keys: list = []
    while isinstance(target, gast.Subscript) and (
        not has_string_key(target) or path_of(target) is None
    ):
        keys.insert(0, target.slice)
        target = target.value
    return [target, *keys]


def _later(key):
    """A subscript that is evaluated after the item before it was read."""
    return expression("lambda: key", key=as_key(key))


def _leaves(target):
    if isinstance(target, (gast.Tuple, gast.List)):
        for element in target.elts:
            yield from _leaves(element)
    else:
        yield target.value if isinstance(target, gast.Starred) else target


def as_key(node):
    """A subscript as an expression: `1:n` is `slice(1, n)`."""
    if isinstance(node, gast.Slice):
        bounds = [
            bound if bound is not None else constant(None)
            for bound in (node.lower, node.upper, node.step)
        ]
        return expression("ag__.slice_(a, b, c)", **dict(zip("abc", bounds, strict=True)))
    if isinstance(node, gast.Tuple):
        return gast.Tuple([as_key(item) for item in node.elts], gast.Load())
    return node


def as_read(node):
    """A fresh copy of a target that loads its value."""
    if isinstance(node, gast.Attribute):
        return gast.Attribute(as_read(node.value), node.attr, gast.Load())
    if isinstance(node, gast.Subscript):
        return gast.Subscript(as_read(node.value), constant(node.slice.value), gast.Load())
    return name(node.id)


def as_state(node):
    """The same; reading an item makes none in a dictionary with defaults, and a property is not
    read: what its functions change is state.
    """
    if isinstance(node, gast.Attribute):
        owner, attribute = as_read(node.value), constant(node.attr)
        return expression("ag__.attribute(owner, name)", owner=owner, name=attribute)
    owner, key = as_read(node.value), constant(node.slice.value)
    return expression("ag__.present(owner, key)", owner=owner, key=key)


def put_target(node, value):
    """The call that stores `value` in a target."""
    operator = "attribute" if isinstance(node, gast.Attribute) else "item"
    key = node.attr if isinstance(node, gast.Attribute) else node.slice.value
    operands = {"owner": as_read(node.value), "key": constant(key)}
    return expression(f"ag__.put_{operator}(owner, key, value)", value=value, **operands)
