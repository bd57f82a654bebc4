"""Statements of a long kernel that differ in names and numbers become calls of one function: LLVM
compiles it once. An unrolled program has a loop nest for each of its sizes, for example.

The numbers in which they differ are arguments, as those of kernels that several shapes share
(`shared_kernels.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from ..core import thresholds
from ..core.classes import NamedTuple
from ..jit.loop_facts import Polling
from ..kernel_ir import nodes as ir
from ..kernel_ir.kernels import (
    DISJOINT,
    PART,
    Function,
    KernelIR,
    memory_groups,
    names_exposed,
    names_written,
    statements_in,
)  # fmt: skip
from ..kernel_ir.nodes import Name, Statement, named, transformed
from .kernel_numbers import Numbers, numbers_of

NESTS = 3  # loops in a loop whose body has parts, rather than being one


class Part(NamedTuple):
    """A statement, the names that it has from outside, and what its function needs."""

    statement: Statement
    names: tuple[str, ...]
    results: tuple[str, ...]
    numbers: Numbers


def with_functions(code: KernelIR) -> KernelIR:
    """The kernel with functions for statements that are alike, if it is long."""
    if (
        _length(part for function in code.functions for part in function.body)
        < thresholds.CALLS_FROM
    ):
        return code
    alike: dict[tuple, list[Part]] = defaultdict(list)
    for function in code.functions:
        for key, part in _parts(function):
            alike[key].append(part)
    functions: list[Function] = []
    calls: dict[int, Statement] = {}
    for (prefix, *_), parts in alike.items():
        if (len(parts) - 1) * _length([parts[0].statement]) >= thresholds.SAVED_BY_CALLS:
            functions.append(_function(f"{prefix}{len(functions)}", parts, calls))

    def called(part: Any) -> Any:
        if isinstance(part, ir.Expression):
            return part
        return calls.get(id(part)) or part.with_parts(called)

    return KernelIR((*functions, *map(called, code.functions)))


def _function(name: str, parts: list[Part], calls: dict[int, Statement]) -> Function:
    """The function of such statements. Their calls go to `calls`."""
    columns = [
        (type(column[0]), *column)
        for column in zip(*(part.numbers.numbers for part in parts), strict=True)
    ]
    differing = list(dict.fromkeys(column for column in columns if len({*column[1:]}) > 1))
    (code,) = parts[0].numbers.code.functions

    def number(node: ir.Part) -> ir.Part:
        if type(node) is not ir.Param:
            return node
        column = columns[node.number]
        if column not in differing:
            return ir.Const(column[1])
        return ir.Param(node.number, f"number_{differing.index(column)}")

    for at, part in enumerate(parts, 1):
        value = named(name)(*part.names, *(column[at] for column in differing))
        results = ir.Tuple(tuple(map(Name, part.results)))
        calls[id(part.statement)] = ir.Let(results, value) if part.results else ir.Evaluate(value)
    numbers = (f"number_{k}" for k in range(len(differing)))
    body = tuple(transformed(statement, number) for statement in code.body)
    return Function(name, (*code.parameters, *numbers), body)


# ---- parts -------------------------------------------------------------------------------------


def _parts(function: Function) -> Iterator[tuple[tuple, Part]]:
    """The statements that may be calls, each with what those of one function have in common."""
    statements = [*_outermost(function.body)]
    exposed = [names_exposed([each]) for each in statements]
    readers = Counter(name for names in exposed for name in names)
    variables = names_written(function.body) | {*function.parameters}
    group_of = memory_groups(function)
    for statement, names in zip(statements, exposed, strict=True):
        if not _may_be_called(statement):
            continue
        names, written = names & variables, names_written([statement])
        results = {name for name in written if readers[name]}
        groups = {group_of.get(name, name) for name in names}
        if results <= names and not results & group_of.keys():
            is_disjoint = function.name == "kernel" and len(groups) == len(names)
            if is_disjoint or function.name != "kernel":
                prefix = DISJOINT if is_disjoint else PART
                part = _part(statement, names, results, variables)
                if {*part.numbers.polling} == {Polling.NEVER}:
                    types = tuple(map(type, part.numbers.numbers))
                    yield (prefix, part.numbers.key, types), part


def _outermost(block: Iterable[Statement]) -> Iterator[Statement]:
    """The statements of a block, and of loops with many nests inside, which come without these."""
    for statement in block:
        is_around = sum(map(_has_loops, statement.body)) >= NESTS
        if type(statement) is ir.While or (type(statement) is ir.For and is_around):
            yield ir.Evaluate(statement.reads()[0])
            yield from _outermost(statement.body)
        else:
            yield statement


def _has_loops(statement: Statement) -> bool:
    return any(type(part) is ir.For for part in statements_in([statement]))


def _may_be_called(statement: Statement) -> bool:
    left = {part.word for part in statements_in([statement]) if type(part) is ir.Leave}
    stays = {"raise", "pass"} | ({"break", "continue"} if type(statement) is ir.For else set())
    return left <= stays and _has_loops(statement)


def _part(statement: Statement, names: set[str], results: set[str], variables: set[str]) -> Part:
    order = dict.fromkeys(
        node.id for node in ir.walk([statement]) if type(node) is Name and node.id in variables
    )
    short = {name: f"p{at}" for at, name in enumerate(order)}

    def renamed(node: ir.Part) -> ir.Part:
        return Name(short.get(node.id, node.id)) if type(node) is Name else node

    outside = tuple(name for name in order if name in names)
    left = tuple(name for name in order if name in results)
    body: tuple[Statement, ...] = (transformed(statement, renamed),)
    if left:
        body += (ir.Leave("return", ir.Tuple(tuple(Name(short[name]) for name in left))),)
    function = Function("part", tuple(short[name] for name in outside), body)
    return Part(statement, outside, left, numbers_of(KernelIR((function,))))


def _length(block: Iterable[Statement]) -> int:
    return sum(1 for _ in statements_in(block))
