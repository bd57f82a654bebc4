"""Variables of one type as arguments share a trace: its graph with their cells substituted.

The Python function is traced for the first variable only. If it can also reach that variable by
another route, such as a global name or an object that it holds, it is traced for each variable.
"""

from __future__ import annotations

import functools
import gc
import operator
import types
from collections.abc import Callable
from dataclasses import replace

from ...runtime.core.dtypes import DType
from ...runtime.ir.graph import Graph, Node
from ...runtime.ir.rewrite import inside_subgraphs, rewrite
from ...runtime.ops.state.variables import Cell, Variable
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..type_system.function_type import FunctionType
from ..type_system.trace_types import Container, Reference, TraceType
from .bound_function import GenericFunction
from .concrete_function import ConcreteFunction
from .func_graph import FuncGraph

PACKAGE = __name__.partition(".")[0]
MOST_OBJECTS = 5000  # that are looked through for a variable
LEAVES = (Tensor, Variable, Cell, DType, type, str, bytes, int, float, complex)


def shared_trace(
    traces: dict[FunctionType, ConcreteFunction], wanted: FunctionType
) -> ConcreteFunction | None:
    """A trace for the variables of `wanted`, derived from one for others; None if there is none."""
    if not any(isinstance(part, Variable) for part in _objects_of_all(wanted)):
        return None
    for traced, concrete in list(traces.items()):
        cells = cell_substitution(traced, wanted)
        if cells and not concrete.knows_its_variables and _is_open(concrete, {*cells}):
            return _with_cells(concrete, wanted, cells)
    return None


def _objects_of_all(function_type: FunctionType) -> list:
    return [part for component in function_type.types.values() for part in _objects_of(component)]


def _objects_of(type_: TraceType) -> list:
    """The objects that a type refers to."""
    if type(type_) is Reference:
        return [type_.placeholder_value()]
    components = type_.components if type(type_) is Container else ()
    return [part for component in components for part in _objects_of(component)]


# ---- types -----------------------------------------------------------------------------------


def cell_substitution(traced: FunctionType, wanted: FunctionType) -> dict[Cell, Cell] | None:
    """Map the cell of each variable in `traced` to the one that `wanted` has there.

    None if the types differ in anything else, or if the mapping would not be one to one.
    """
    if traced.types.keys() != wanted.types.keys():
        return None
    matched: list[tuple[Cell, Cell]] = []
    if not all(_fits(part, traced.types[name], matched) for name, part in wanted.types.items()):
        return None
    cells = dict(matched)
    is_same = all(cells[old] is new for old, new in matched)
    return cells if is_same and len(set(cells.values())) == len(cells) else None


def _fits(wanted: TraceType, traced: TraceType, matched: list[tuple[Cell, Cell]]) -> bool:
    """Whether a type is covered by another, but for its variables, which are noted in pairs."""
    if type(wanted) is Container and type(traced) is Container:
        pairs = wanted.paired(traced)
        return pairs is not None and all(_fits(first, second, matched) for first, second in pairs)
    if type(wanted) is not Reference or type(traced) is not Reference:
        return wanted.is_subtype_of(traced)
    if wanted.cell is None or traced.cell is None:
        return wanted.is_subtype_of(traced)
    matched.append((traced.cell, wanted.cell))
    facts = operator.attrgetter("dtype", "shape", "trainable")
    return wanted.object_type is traced.object_type and facts(wanted.cell) == facts(traced.cell)


# ---- what a function knows -------------------------------------------------------------------


def knows_its_variables(function: Callable, function_type: FunctionType) -> bool:
    """Whether a function can reach a variable among its arguments by another route: closures,
    defaults, global names in its code, attributes or containers.

    True if there are too many objects to search. Must be called before the function is traced,
    since tracing may store an argument anywhere.
    """
    arguments = _objects_of_all(function_type)
    wanted = {argument.handle for argument in arguments if isinstance(argument, Variable)}
    others = [argument for argument in arguments if not isinstance(argument, Variable)]
    return bool(wanted) and _reaches([function, *others], wanted)


def _reaches(things: list, wanted: set[Cell]) -> bool:
    """Whether objects hold one of these cells, or a variable of one; True if it is not known."""
    seen: set[int] = set()
    waiting = list(things)
    while waiting:
        thing = waiting.pop()
        cell = thing.handle if isinstance(thing, Variable) else thing
        if isinstance(cell, Cell) and cell in wanted:
            return True
        if id(thing) in seen or isinstance(thing, LEAVES):
            continue
        seen.add(id(thing))
        if len(seen) > MOST_OBJECTS:
            return True
        waiting += _referents(thing)
    return False


def _referents(thing) -> list:
    """The objects that an object holds."""
    if isinstance(thing, Builder):
        return list(thing.nodes)  # and not the graph around it
    if isinstance(thing, GenericFunction):
        return [thing.python_function]  # type: ignore[attr-defined]
    if isinstance(thing, types.FunctionType):
        named = () if _is_own(thing) else _named(thing)
        return [*(thing.__closure__ or ()), *_defaults(thing), *named]
    if isinstance(thing, types.MethodType):
        return [thing.__self__, thing.__func__]
    if isinstance(thing, functools.partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    is_dead_end = isinstance(thing, (types.ModuleType, types.CodeType))
    return [] if is_dead_end else gc.get_referents(thing)


def _is_own(function: types.FunctionType) -> bool:
    """Whether a function belongs to this package.

    Its globals are tables and caches: too many to search, and none names a user's variable.
    """
    return function.__globals__.get("__name__", "").partition(".")[0] == PACKAGE


def _defaults(function: types.FunctionType) -> list:
    more = function.__kwdefaults__ or {}
    return [*(function.__defaults__ or ()), *more.values(), *vars(function).values()]


def _named(function: types.FunctionType) -> list:
    """The globals that a function names, and attributes of modules among them that it names."""
    names = _names_in(function.__code__)
    values = [function.__globals__[name] for name in names if name in function.__globals__]
    modules = [thing for thing in values if isinstance(thing, types.ModuleType)]
    return [*values, *(vars(module).get(name) for module in modules for name in names)]


def _names_in(code: types.CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


# ---- graphs ----------------------------------------------------------------------------------


def _is_open(concrete: ConcreteFunction, cells: set[Cell]) -> bool:
    """Whether the graph shows every use of the variables of these cells."""
    if concrete.own_variables or concrete.in_scope_only or concrete.callees:
        return False
    if concrete.guards is not None or concrete.is_recursive:
        return False
    return not any(_is_opaque(node, cells) for node in concrete.frozen.walk())


def _is_opaque(node: Node, cells: set[Cell]) -> bool:
    """Whether a node runs Python code that may hold a variable of these cells."""
    held = [key for key in node.attrs.values() if not isinstance(key, (type, DType))]
    return any(map(callable, held)) or (node.op.runs_python and _reaches(held, cells))


def _with_cells(
    concrete: ConcreteFunction, wanted: FunctionType, cells: dict[Cell, Cell]
) -> ConcreteFunction:
    """The trace with other variables."""
    frozen = _replaced(concrete.frozen, cells)
    graph = FuncGraph.around(frozen, concrete.captured_tensors)
    result = concrete.arrange([SymbolicTensor(value, graph) for value in frozen.outputs])
    how = concrete.jit_compile, dict(concrete.attributes), concrete.kernel_compiler
    return ConcreteFunction(graph, wanted, result, *how)


def _replaced(graph: Graph, cells: dict[Cell, Cell]) -> Graph:
    """A graph, including its sub-graphs, with other cells."""

    def visit(node: Node) -> Node:
        cell = cells.get(node.attrs["cell"]) if "cell" in node.attrs else None
        return node if cell is None else replace(node, attrs={**node.attrs, "cell": cell})

    return inside_subgraphs(rewrite(graph, visit), lambda inner: _replaced(inner, cells))
