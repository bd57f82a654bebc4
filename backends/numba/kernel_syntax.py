"""Rewrites the syntax tree of a kernel, or of a function that it calls, so that Numba compiles it
with the meaning that `docs/grammar.md` gives it.

Most of the source stays as it is. What differs is written as calls of intrinsics: operators with a
literal, which adopts the type of the other operand; operators on vectors; polls; results.
"""

from __future__ import annotations

import ast
import copy

import numpy as np

from ...runtime.core.parsing import parsed
from ...runtime.jit.kernel_types import ArrayType
from ...runtime.jit.loop_facts import Polling, is_range, polling_of
from ...runtime.jit.loop_hints import is_one_by_one
from ...runtime.jit.polls import ITERATIONS
from ...runtime.kernel_ir.nodes import For, While
from ...runtime.kernel_ir.reader import expression_of, statement_of

PREFIX = "numba__"  # of the intrinsics that only rewritten source calls
TICK, LEFT = f"{PREFIX}seen", f"{PREFIX}left"  # variables of functions that poll
# Replaced by functions of arrays whose memory Numba counts. Those of NumPy are replaced too: Numba
# compiles each as a function of its own, which takes a tenth of a second.
GROWING = ("ensure_capacity", "with_length", "copy_rows", "first_rows")
REPLACED = {"new_array": "empty", "empty": "empty", "zeros": "zeros"} | {
    name: name for name in GROWING
}
VIEWS = ("reshape", "view")  # methods that hide sizes from LLVM where Numba writes them
_CLASSES = (each for each in np.sctypeDict.values() if issubclass(each, np.number))
NUMBERS = {"bool_", *(each.__name__ for each in _CLASSES)}
NEW_ARRAYS = ("full", "copy", f"{PREFIX}empty", f"{PREFIX}zeros")


def rewritten(tree: ast.FunctionDef) -> ast.FunctionDef:
    """A function that kernels call, for Numba."""
    tree = copy.deepcopy(tree)
    tree.decorator_list, tree.returns = [], None
    for argument in tree.args.args:
        argument.annotation = None
    tree.body = _keeping_arrays(_statements(tree.body, _Rewriter(_has_vectors(tree))))
    return ast.fix_missing_locations(tree)


def rewritten_region(tree: ast.FunctionDef) -> ast.FunctionDef:
    """A parallel region. It polls by the table whose address is its argument."""
    tree = copy.deepcopy(tree)
    rewriter = _Rewriter(_has_vectors(tree), ast.Name(tree.args.args[0].arg, ast.Load()))
    tree.body = rewriter.with_tick(_keeping_arrays(_statements(tree.body, rewriter)))
    return ast.fix_missing_locations(tree)


def rewritten_kernel(
    tree: ast.FunctionDef, types: tuple, results: tuple
) -> tuple[ast.FunctionDef, bool]:
    """A kernel as a function of addresses and scalars, which stores its results at addresses, and
    whether it polls.
    """
    tree = copy.deepcopy(tree)
    rewriter = _Rewriter(_has_vectors(tree), ast.Constant(0), results)
    body = rewriter.with_tick(_keeping_arrays(_statements(tree.body, rewriter)))
    names, arrays = [], []
    for argument, type_ in zip(tree.args.args, types, strict=True):
        names.append(argument.arg)
        if isinstance(type_, ArrayType):
            arrays.append(_array_line(argument.arg, type_))
            unknown = (axis for axis, size in enumerate(type_.shape) if size is None)
            names += [f"{argument.arg}_{axis}" for axis in unknown]
    names += [name for row in _slots(results) for name in row]
    tree.args.args = [ast.arg(name) for name in names]
    tree.body = [*parsed("\n".join(arrays)).body, *body]
    return ast.fix_missing_locations(tree), rewriter.polls


def _array_line(name: str, type_: ArrayType) -> str:
    sizes = (f"{name}_{axis}" if n is None else str(n) for axis, n in enumerate(type_.shape))
    shape = f"({''.join(f'{size}, ' for size in sizes)})"
    return f"{name} = {PREFIX}array_from({name}, {shape}, np.{type_.dtype.name})"


def _slots(results: tuple) -> list[list[str]]:
    """The parameters for the addresses of the components of each result."""
    return [
        [f"{PREFIX}result_{index}_{at}" for at in range(_components(type_))]
        for index, type_ in enumerate(results)
    ]


def _components(type_) -> int:
    return 1 + (type_.shape.count(None) if isinstance(type_, ArrayType) else 0)


def _has_vectors(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id.startswith("vector_") for node in ast.walk(tree)
    )


def _statements(body: list[ast.stmt], rewriter: ast.NodeTransformer) -> list[ast.stmt]:
    results: list[ast.stmt] = []
    for statement in body:
        given = rewriter.visit(statement)
        results += given if isinstance(given, list) else [given]
    return results


def _keeping_arrays(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body, in which new arrays live until the function returns: Numba frees them after their
    last use, and an address is none.
    """
    keeper = _Keeper()
    kept = _statements([*body, ast.Return(None)], keeper)
    return kept if keeper.names else body


def _new_arrays(node: ast.Assign) -> list[str]:
    """The names to which new arrays are assigned."""
    result, target, value = [], node.targets[0], node.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=True))
    for one, source in pairs:
        function = getattr(source, "func", None)
        name = getattr(function, "attr", getattr(function, "id", ""))
        if isinstance(one, ast.Name) and name in NEW_ARRAYS:
            result.append(one.id)
    return result


class _Keeper(ast.NodeTransformer):
    """Uses the arrays that exist so far wherever the function returns."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}  # in order

    def visit_Assign(self, node):
        self.names |= dict.fromkeys(_new_arrays(node))
        return node

    def visit_Return(self, node):
        result, returned = f"{PREFIX}returned", node.value
        keep = [ast.Expr(_call("keep", ast.Name(name, ast.Load()))) for name in self.names]
        if returned is None:
            return [*keep, node]
        first = ast.Assign([ast.Name(result, ast.Store())], returned, lineno=0)
        return [first, *keep, ast.Return(ast.Name(result, ast.Load()))]


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(PREFIX + name, ast.Load()), list(arguments), [])


class _Rewriter(ast.NodeTransformer):
    """`table` is the address by which loops poll; without it they do not."""

    def __init__(self, has_vectors: bool, table: ast.expr | None = None, results=None):
        self.has_vectors, self.table, self.results = has_vectors, table, results
        self.polls = False
        self.strips = 0

    def with_tick(self, body: list[ast.stmt]) -> list[ast.stmt]:
        first = f"{TICK}, {LEFT} = {PREFIX}tick(), {ITERATIONS}"
        return [*parsed(first).body, *body] if self.polls else body

    # ---- operators -----------------------------------------------------------------------

    def is_special(self, *operands: ast.expr) -> bool:
        """Whether an operator means something else than in Numba."""
        return self.has_vectors or any(map(_is_literal, operands)) != all(
            map(_is_literal, operands)
        )

    def visit_BinOp(self, node):
        if not self.is_special(node.left, node.right):
            return self.generic_visit(node)
        self.generic_visit(node)
        return _call(type(node.op).__name__, node.left, node.right)

    def visit_Compare(self, node):
        if len(node.ops) > 1 or not self.is_special(node.left, *node.comparators):
            return self.generic_visit(node)
        self.generic_visit(node)
        return _call(type(node.ops[0]).__name__, node.left, node.comparators[0])

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if self.has_vectors and not _is_literal(node):
            return _call(type(node.op).__name__, node.operand)
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        reads = any(isinstance(one, ast.Subscript) for one in ast.walk(node))
        if not self.has_vectors or reads:
            return node
        result, *rest = node.values
        for one in rest:  # both are computed
            result = _call(type(node.op).__name__, result, one)
        return result

    def visit_IfExp(self, node):
        self.generic_visit(node)
        if self.has_vectors:  # both sides are computed
            return _call("select", node.test, node.body, node.orelse)
        return node

    def visit_Subscript(self, node):
        """Numba adds the size to negative indices. Those of kernels are not negative, unless they
        are literals.
        """
        self.generic_visit(node)
        parts = getattr(node.slice, "elts", [node.slice])
        found = [part if _is_plain(part) else _call("index", part) for part in parts]
        node.slice = ast.Tuple(found, ast.Load()) if len(found) > 1 else found[0]
        return node

    def visit_Attribute(self, node):
        """`x.ctypes.data`, which is a signed number in kernels."""
        if node.attr == "data" and isinstance(node.value, ast.Attribute):
            return _call("address_of", self.visit(node.value.value))
        return self.generic_visit(node)

    def visit_Call(self, node):
        node.args = [
            part
            for given in node.args
            for part in (
                given.value.elts
                if isinstance(given, ast.Starred) and isinstance(given.value, ast.Tuple)
                else [given]
            )
        ]
        function = node.func
        self.generic_visit(node)
        name = _replaced(function)
        if name:
            node.func = ast.Name(PREFIX + REPLACED[name], ast.Load())
            if len(node.args) == 1:
                node.args.append(parsed("np.float64", mode="eval").body)
        if isinstance(function, ast.Attribute) and function.attr in VIEWS:
            return _call(function.attr, function.value, *node.args)
        if isinstance(function, ast.Name) and function.id in ("min", "max"):
            return self.least(function.id, node.args)
        if self.has_vectors and getattr(function, "attr", "") in NUMBERS:
            return _call("cast", node.args[0], function)
        if self.has_vectors and isinstance(function, ast.Name) and function.id == "abs":
            return _call("abs", *node.args)
        if self.has_vectors and isinstance(function, ast.Name) and function.id == "bool":
            return _call("cast", node.args[0], parsed("np.bool_", mode="eval").body)
        return node

    def least(self, name: str, given: list[ast.expr]) -> ast.expr:
        first, *rest = given
        for other in rest:
            first = _call(name, first, other)
        return first

    # ---- statements ----------------------------------------------------------------------

    def visit_Assign(self, node):
        """`a[:] = b`, for which Numba compiles the message of an error that no kernel has; and
        `a = ensure_capacity(a, n)`, whose call counts references of `a` also where there is room.
        """
        self.generic_visit(node)
        (target,) = node.targets[:1]
        if getattr(getattr(node.value, "func", None), "id", "") == f"{PREFIX}ensure_capacity":
            rows, number = map(ast.unparse, node.value.args[:2])
            (result,) = parsed(f"if not 0 < {number} < {rows}.shape[0]:\n    pass").body
            assert isinstance(result, ast.If)
            result.body = [node]
            return result
        if not (isinstance(target, ast.Subscript) and _has_slice(target.slice)):
            return node
        part = ast.Subscript(target.value, target.slice, ast.Load())
        return ast.Expr(_call("copied", part, node.value))

    def visit_Raise(self, node):
        """Which error a kernel raises does not matter, and Numba does not know all of them."""
        return ast.Raise(ast.Name("ArithmeticError", ast.Load()), None)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and self.is_special(node.target, node.value):
            old = ast.Name(node.target.id, ast.Load())
            return ast.Assign([node.target], _call(type(node.op).__name__, old, node.value))
        return node

    def visit_Return(self, node):
        self.generic_visit(node)
        if self.results is None:
            return node
        found: list[ast.stmt] = []
        values = node.value.elts if isinstance(node.value, ast.Tuple) else []
        for value, type_, slots in zip(values, self.results, _slots(self.results), strict=True):
            found += self.stored(value, type_, slots)
        return [*found, ast.Return(None)]

    def stored(self, value: ast.expr, type_, slots: list[str]) -> list[ast.stmt]:
        """The statements that store one result."""
        name = f"{slots[0]}_value"
        lines = [f"{name} = 0"]
        if not isinstance(type_, ArrayType):
            lines.append(f"{PREFIX}array_at({slots[0]}, (1,), np.{type_.name})[0] = {name}")
        else:
            unknown = [axis for axis, size in enumerate(type_.shape) if size is None]
            if unknown:
                lines.append(f"{name}_kept = {PREFIX}kept({name})")
            sources = [f"{PREFIX}address_of({name}{'_kept' if unknown else ''})"]
            sources += [f"{name}.shape[{axis}]" for axis in unknown]
            for slot, source in zip(slots, sources, strict=True):
                lines.append(f"{PREFIX}array_at({slot}, (1,), np.int64)[0] = {source}")
        first, *rest = parsed("\n".join(lines)).body
        assert isinstance(first, ast.Assign)
        first.value = value
        return [first, *rest]

    def visit_For(self, node):
        if isinstance(node.iter, ast.Tuple):
            found = []
            for part in node.iter.elts:
                found.append(ast.Assign([copy.deepcopy(node.target)], part))
                found += copy.deepcopy(node.body)
            return _statements(found, self)
        polling = self.polling_of(node)
        if not is_range(iterable := expression_of(node.iter)):
            return self.generic_visit(node)
        apart = is_one_by_one(iterable)
        ends = list(map(self.visit, node.iter.args))
        ends = [*([ast.Constant(0)] if len(ends) == 1 else []), *ends, ast.Constant(1)][:3]
        is_down = isinstance(ends[2], ast.UnaryOp)
        node.iter = _call("range", *ends, *map(ast.Constant, (_bound(*ends[:2]), is_down, apart)))
        node.body = _statements(node.body, self)
        if polling is Polling.SELDOM and not is_down:
            return self.in_strips(node)
        if polling is not Polling.NEVER:
            node.body = [*self.poll(polling), *node.body]
        return node

    def in_strips(self, node: ast.For) -> list[ast.stmt]:
        """A long loop as a loop over strips, which polls: LLVM can still vectorize each strip."""
        self.strips += 1
        one, counted = f"{PREFIX}strip_{self.strips}", f"{PREFIX}range"
        assert isinstance(node.iter, ast.Call)
        start, stop, step, _, _, apart = map(ast.unparse, node.iter.args)
        lines = f"""
{one}_stop, {one}_step = {stop}, {step}
for {one} in {counted}({start}, {one}_stop, {one}_step * {ITERATIONS}, 0, 0, 0):
    {one}_end = min({one} + {one}_step * {ITERATIONS}, {one}_stop)
    for unused in {counted}({one}, {one}_end, {one}_step, 0, 0, {apart}):
        pass
    else:
        {ast.unparse(ast.Module(self.poll(Polling.ALWAYS), []))}
        continue
    break
"""
        result = parsed(lines).body
        around = result[1]
        assert isinstance(around, ast.For)
        inner = around.body[1]
        assert isinstance(inner, ast.For)
        inner.target, inner.body = node.target, node.body
        return result

    def visit_While(self, node):
        polling = self.polling_of(node)
        node.test, node.body = self.visit(node.test), _statements(node.body, self)
        if polling is not Polling.NEVER:
            node.body = [*self.poll(polling), *node.body]
        return node

    def polling_of(self, node) -> Polling:
        loop = statement_of(node)
        assert isinstance(loop, (For, While))
        if self.table is None or (isinstance(loop, For) and not is_range(loop.iterable)):
            return Polling.NEVER
        return polling_of(loop)

    def poll(self, polling: Polling) -> list[ast.stmt]:
        """A poll, in each iteration or in one of many."""
        assert self.table is not None
        self.polls = True
        poll = f"{TICK} = {PREFIX}polled({TICK}, {ast.unparse(self.table)})"
        if polling is Polling.ALWAYS:
            return parsed(poll).body
        return parsed(f"{LEFT} -= 1\nif {LEFT} == 0:\n    {LEFT} = {ITERATIONS}\n    {poll}").body


def _replaced(function: ast.expr) -> str:
    """The name of a function, of kernels or of NumPy, that is replaced; empty for others."""
    if isinstance(function, ast.Attribute):
        is_numpy = isinstance(function.value, ast.Name) and function.value.id == "np"
        return function.attr if is_numpy and function.attr in REPLACED else ""
    name = getattr(function, "id", "")
    return name if name in ("new_array", *GROWING) else ""


def _bound(start: ast.expr, stop: ast.expr) -> int:
    """The difference of the ends of a range; 0 if literals do not say it."""
    ends = [one.value for one in (start, stop) if isinstance(one, ast.Constant)]
    first, *last = [one for one in ends if isinstance(one, int)] or [0]
    return last[0] - first if last else 0


def _has_slice(index: ast.expr) -> bool:
    return any(isinstance(one, ast.Slice) for one in getattr(index, "elts", [index]))


def _is_plain(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice) or _is_literal(index)


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
