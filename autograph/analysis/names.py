"""The names that a piece of code binds and reads."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator

import gast

from ..syntax.templates import children_of, nested_statements
from .assignment_targets import ASSIGNMENTS, assigned_target, changed_by_call, path_of

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
SCOPES = (*FUNCTIONS, gast.ClassDef)
SUSPENDING = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


def names_of(statement) -> Names:
    """The names of a statement, cached in it. The statement must not change afterwards."""
    names = getattr(statement, "names_of_statement", None)
    if names is None:
        # Not by calling the class: Python 3.12 allows few calls through C in one another.
        names = statement.names_of_statement = object.__new__(_KnownNames)
        names.__init__(statement)  # type: ignore[misc]
    return names


def names_in(*blocks) -> Names:
    """The names of blocks of such statements, and of expressions."""
    names = Names()
    for block in blocks:
        for node in block if isinstance(block, list) else [block]:
            names.merge(names_of(node))
    return names


class Names:
    """`bound`, `read` and `captured` names; `targets` such as `a.b` that are assigned or changed.

    `grown` are the targets whose number of items may change.
    """

    def __init__(self, *nodes):
        self.bound: dict[str, None] = {}
        self.read: set[str] = set()
        self.captured: set[str] = set()  # free in a nested function, which may run at any time
        self.targets: dict[str, gast.AST] = {}
        self.grown: set[str] = set()
        self.calls = False
        for node in nodes:
            for part in node if isinstance(node, list) else [node]:
                self.visit(part)

    def merge(self, other: Names) -> None:
        self.bound.update(other.bound)
        self.read |= other.read
        self.captured |= other.captured
        self.targets.update(other.targets)
        self.grown |= other.grown
        self.calls |= other.calls

    def visit(self, node) -> None:
        if isinstance(node, gast.Name):
            self._name(node)
        elif isinstance(node, SCOPES):
            self._inner(node)
        elif isinstance(node, COMPREHENSIONS):
            self._comprehension(node)
        elif isinstance(node, gast.ExceptHandler):
            self._handler(node)
        elif isinstance(node, (gast.Import, gast.ImportFrom)):
            for alias in node.names:
                self.bound[(alias.asname or alias.name).split(".")[0]] = None
        else:
            self._target(node)
            self._pattern(node)
            for child in children_of(node):
                if isinstance(node, gast.Call) and isinstance(child, gast.GeneratorExp):
                    self._comprehension(child, True)
                elif isinstance(child, gast.Lambda) and _is_operator_call(node):
                    self._called_at_once(child)
                else:
                    self.visit(child)

    def _name(self, node) -> None:
        if isinstance(node.ctx, (gast.Store, gast.Del, gast.Param)):
            self.bound[node.id] = None
        if isinstance(node.ctx, (gast.Load, gast.Del)):
            self.read.add(node.id)

    def _inner(self, node) -> None:
        """A nested scope: its name is bound here, its free names are captured."""
        if not isinstance(node, gast.Lambda):
            self.bound[node.name] = None
        outside = [*getattr(node, "decorator_list", []), *getattr(node, "bases", [])]
        outside += [keyword.value for keyword in getattr(node, "keywords", [])]
        if isinstance(node, FUNCTIONS):
            outside += [
                default for default in (*node.args.defaults, *node.args.kw_defaults) if default
            ]
            outside += [arg.annotation for arg in arguments_of(node) if arg.annotation is not None]
            outside += [node.returns] if getattr(node, "returns", None) is not None else []
        for part in outside:
            self.visit(part)
        free = free_names(node)
        self.captured |= free
        self.read |= free

    def _called_at_once(self, node: gast.Lambda) -> None:
        """An operand of an operator, which runs during the call: `x[i] += v` becomes such a one."""
        inner = Names(node.body)
        own = {arg.id for arg in arguments_of(node)}
        self.read |= inner.read - own
        self.captured |= inner.captured - own
        self.calls |= inner.calls

    def _comprehension(self, node, is_taken=False) -> None:
        """A generator that is not a call's argument may run at any time, as functions do."""
        inner = Names(*gast.iter_child_nodes(node))
        own = set()
        for generator in node.generators:
            own |= set(Names(generator.target).bound)
        self.read |= inner.read - own
        self.captured |= inner.captured - own
        if isinstance(node, gast.GeneratorExp) and not is_taken:
            self.captured |= inner.read - own
        self.bound.update(dict.fromkeys(name for name in inner.bound if name not in own))

    def _handler(self, node) -> None:
        """`except E as e` unbinds `e` again, so it is not state."""
        inner = Names(node.body, *([node.type] if node.type is not None else []))
        own = {node.name.id} if node.name is not None else set()
        self.read |= inner.read - own
        self.captured |= inner.captured
        self.bound.update(dict.fromkeys(name for name in inner.bound if name not in own))
        self.targets.update(inner.targets)
        self.grown |= inner.grown
        self.calls |= inner.calls

    def _target(self, node) -> None:
        """The target of an assignment to an attribute or item, or of `rows.append(x)`."""
        if isinstance(node, (gast.Attribute, gast.Subscript)):
            if isinstance(node.ctx, (gast.Store, gast.Del)):
                self._changed(assigned_target(node), isinstance(node.ctx, gast.Del))
        elif isinstance(node, gast.Call):
            self.calls = True
            self._changed(*changed_by_call(node, False))
        elif isinstance(node, gast.Expr) and isinstance(node.value, gast.Call):
            self._changed(*changed_by_call(node.value, True))
        elif isinstance(node, gast.AugAssign):
            if isinstance(node.target, gast.Name):
                self.read.add(node.target.id)
            if isinstance(node.value, gast.List):
                self._changed(assigned_target(node.target), True)

    def _changed(self, target, grows: bool) -> None:
        if target is not None:
            path = path_of(target) or ""  # a target has a path
            self.targets[path] = target
            if grows:
                self.grown.add(path)

    def _pattern(self, node) -> None:
        """Captures of `match` patterns are plain strings."""
        node_type = type(node).__name__
        if node_type in ("MatchAs", "MatchStar") and node.name:
            self.bound[node.name] = None
        if node_type == "MatchMapping" and node.rest:
            self.bound[node.rest] = None


class _KnownNames(Names):
    """Names merged from those of the statements inside, which are cached too."""

    def __init__(self, statement):
        self.statement = statement
        super().__init__(statement)

    def visit(self, node) -> None:
        if isinstance(node, gast.stmt) and node is not self.statement:
            self.merge(names_of(node))
        else:
            super().visit(node)


def in_scope(nodes, below=nested_statements, scopes=SCOPES) -> Iterator:
    """Nodes and what is below them; of a scope inside, the node that makes it, but not its body."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, scopes):
            waiting += below(node)


def assigned_in_operands(nodes) -> dict[str, None]:
    """The names that `:=` assigns in operands that are evaluated only sometimes."""
    choices = map(operands_of_choice, in_scope(nodes, children_of))
    operands = (operand for choice in choices for operand in choice)
    return dict.fromkeys(name for operand in operands for name in Names(operand).bound)


def bound_in_loops(body) -> set[str]:
    """The names that loops bind."""
    loops = (node for node in in_scope(body) if isinstance(node, (gast.For, gast.While)))
    return {name for node in loops for name in names_of(node).bound}


def caught_names(body, names: Names) -> set[str]:
    """The names of handlers, as `error` in `except E as error`, that are used outside of them, too;
    `names` are those of the body.
    """
    handlers = (node for node in in_scope(body) if isinstance(node, gast.ExceptHandler))
    caught = {handler.name.id for handler in handlers if handler.name is not None}
    return caught & (names.read | names.bound.keys())


def none_before_loops(body) -> set[str]:
    """The names that are assigned None somewhere, and bound in a loop."""
    names: set[str] = set()
    for node in in_scope(body):
        if isinstance(node, gast.Assign) and isinstance(node.value, gast.Constant):
            names |= set(Names(*node.targets).bound) if node.value.value is None else set()
    return names & bound_in_loops(body)


def operands_of_choice(node) -> list:
    """The operands that `and`, `or`, a chained comparison or an `if` expression may skip."""
    if isinstance(node, gast.BoolOp):
        return node.values[1:]
    if isinstance(node, gast.Compare):
        return node.comparators[1:]
    return [node.body, node.orelse] if isinstance(node, gast.IfExp) else []


def arguments_of(node) -> list:
    """All parameters of a function or lambda, as `Name` nodes."""
    args = node.args
    rest = [arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *rest]


def _is_operator_call(node) -> bool:
    """Whether a call is an assignment to an item, as an earlier converter has written it."""
    function = node.func if isinstance(node, gast.Call) else None
    if not isinstance(function, gast.Attribute) or not isinstance(function.value, gast.Name):
        return False
    return function.value.id == "ag__" and function.attr in ASSIGNMENTS


def free_names(node) -> set[str]:
    """The names that a nested function or class takes from outside."""
    body = node.body if isinstance(node.body, list) else [node.body]
    inner = Names(body)
    own = set(inner.bound)
    declared = declarations(body)
    own -= declared["nonlocal"] | declared["global"]
    if isinstance(node, FUNCTIONS):
        own |= {arg.id for arg in arguments_of(node)}
    return (inner.read | inner.captured | declared["nonlocal"]) - own


def declarations(body) -> dict[str, set[str]]:
    """The names that `global` and `nonlocal` statements of this very scope declare."""
    declared: dict[str, set[str]] = {"global": set(), "nonlocal": set()}
    for node in in_scope(body):
        if isinstance(node, gast.Global):
            declared["global"] |= set(node.names)
        elif isinstance(node, gast.Nonlocal):
            declared["nonlocal"] |= set(node.names)
    return declared


def nonlocals_inside(body) -> set[str]:
    """The names that functions defined in a body declare `nonlocal`."""
    nodes = in_scope(body, scopes=())
    functions = (node for node in nodes if isinstance(node, FUNCTIONS))
    return {name for node in functions for name in declarations(node.body)["nonlocal"]}


def read_as_is(body) -> set[str]:
    """The names that classes and generators defined in a body read: their code is not converted."""
    read: set[str] = set()
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (gast.ClassDef, gast.AsyncFunctionDef)) or (
            isinstance(node, gast.FunctionDef) and contains(node.body, SUSPENDING)
        ):
            read |= free_names(node)
        else:
            waiting += nested_statements(node)
    return read


def contains(nodes, node_types) -> bool:
    """Whether a node of `node_types` occurs, nested scopes left out."""
    below = nested_statements if _are_statements(node_types) else children_of
    return any(isinstance(node, node_types) for node in in_scope(nodes, below))


@functools.cache
def _are_statements(node_types) -> bool:
    """Whether no expression holds nodes of these types."""
    return all(
        issubclass(node_type, gast.stmt)
        for node_type in (node_types if type(node_types) is tuple else [node_types])
    )


# With so many arguments, these do not look at the frame that calls them.
NO_FRAME = {"vars": 1, "dir": 1, "eval": 2, "exec": 2}


def survey(body) -> tuple[set, set[str]]:
    """The types of nodes that occur anywhere in a body, and the names that it calls."""
    node_types: set = set()
    called: set[str] = set()
    for node in in_scope(body, children_of, ()):
        node_type = type(node)
        node_types.add(node_type)
        is_named = node_type is gast.Call and type(node.func) is gast.Name
        if is_named and len(node.args) < NO_FRAME.get(node.func.id, sys.maxsize):
            called.add(node.func.id)
    return node_types, called
