"""What the page shows, as plain data for JSON: each thing once, referred to by its number."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...extend.errors import SourceLocation, is_internal_module, user_location
from ...extend.graphs import (
    Callee,
    Graph,
    Node,
    Value,
    compiling_with,
    derivative_of,
    show_attribute,
)
from ...extend.operations import PURE
from ...extend.tracing import TraceMade, line_map, plain_function, to_code
from ..profiling.explain import Explanation
from ..profiling.stages import (
    Listing,
    Stages,
    assembly_of,
    machine_code_of,
    simplified,
    stages_of,
)
from ..short_types import signature_in_short
from .intel_syntax import intel
from .source_blocks import lines_around
from .time_by_line import run_on_numpy, totals

MOST_NODES = 10_000  # with more, the steps between the first and the last are left out
MOST_LINES = 12_000  # of one listing
MOST_TRACES = 200  # of the function, the latest ones
LONGEST_ATTRIBUTES = 160  # characters


def page_data(
    function: Any, concrete: Any, arrays: list | None = None, since: float = math.inf
) -> dict[str, Any]:
    """The data of a trace of a function. With arrays for its inputs, its steps are timed.

    Traces that began at the time `since` or later were made for the page.
    """
    with compiling_with(getattr(concrete, "kernel_compiler", None)):
        stages = stages_of(concrete.frozen, arrays)
    tables = Tables()
    plain = users_function(function)
    left_out, steps = _steps(stages, tables)
    data: dict[str, Any] = {
        "title": concrete.name,
        "signature": getattr(concrete, "signature", None) or signature_in_short(concrete),
        "steps": steps,
        "gradient": _gradient_steps(stages.graphs[0][1], tables),
        "left_out": left_out,
        "generated": generated_code(plain, stages, tables),
        "program": tables.listing(stages.program),
        "numpy": tables.listing(stages.plan),
        "kernels": [],
        "why_no_kernels": stages.why_no_kernels,
    }
    for one in stages.kernels:
        source = tables.listing(one.listing)
        assembly = tables.listing(without_directives(assembly_of(one)))
        is_of_device = hasattr(one.kernel, "device")
        if not is_of_device and any("%" in line for line in assembly["lines"]):  # that of AT&T
            assembly["others"] = [intel(line) for line in assembly["lines"]]
        data["kernels"].append({"name": one.kernel.name, **source, "assembly": assembly})
        code = machine_code_of(one)
        if code is not None:  # of a device, whose assembly is not yet what runs
            name = f"{one.kernel.name}: PTX and machine code"
            machine = tables.listing(without_directives(code))
            data["kernels"].append({"name": name, **assembly, "assembly": machine})
    data |= _explained(stages.explanation, tables)
    data["flame"], data["why_no_flame"] = _flame(concrete, arrays, tables)
    made = getattr(function, "traces_made", ())[-MOST_TRACES:]
    data["traces"] = [_trace_made(one, one.began - made[0].began, since, tables) for one in made]
    data |= tables.content()
    data["sources"] = lines_around(list(tables.spots), plain and plain.__code__)
    return data


def without_directives(assembly: Listing) -> Listing:
    """The instructions of a listing, and the labels before them: no directives, and no data."""
    kept, labels = [], []
    for index, line in enumerate(assembly.lines):
        if line.rstrip().endswith(":"):
            labels.append(index)
        elif line.strip().startswith("."):
            labels = labels if line.strip().startswith((".p2align", ".cfi", ".type")) else []
        elif not line.strip().startswith("#"):
            kept += [*labels, index]
            labels = []
    lines = [assembly.lines[index] for index in kept]
    return Listing(lines, [assembly.nodes[index] for index in kept])


def users_function(entity: Any) -> FunctionType | None:
    """The Python function that the user wrote; for a layer, its `call`. None if there is none."""
    owner = getattr(entity, "python_function", entity)
    for candidate in (owner, getattr(owner, "call", None)):
        with contextlib.suppress(TypeError):
            plain = plain_function(candidate)
            if not is_internal_module(plain.__globals__.get("__name__")):
                return plain
    return None


def _trace_made(one: TraceMade, began: float, since: float, tables: Tables) -> dict[str, Any]:
    """A trace that `began` so many seconds after the first one that is shown."""
    where = one.where if one.began < since else None
    return {
        "number": one.number,
        "began": began,
        "seconds": one.seconds,
        "where": str(where or ""),
        "spot": tables.spot_of(where),
        "isForPage": one.began >= since,
        "changes": [change._asdict() for change in one.changes],
    }


def _steps(stages: Stages, tables: Tables) -> tuple[int, list[dict[str, Any]]]:
    """How many steps were left out, and the graphs with what each pass changed."""
    graphs = stages.graphs
    count = sum(1 for _, graph in graphs for _ in graph.walk())
    shown = graphs if count <= MOST_NODES else [graphs[0], graphs[-1]][-len(graphs) :]
    steps, before = [], None
    for title, graph in shown:
        step = {"title": title, "graph": tables.graph(graph)}
        if before is not None:
            step |= _changes(before, graph, tables)
        steps.append(step)
        before = graph
    return len(graphs) - len(shown), steps


def _gradient_steps(graph: Graph, tables: Tables) -> list[dict[str, Any]]:
    """The forward graph that saves what the gradient needs, and the backward graph.

    Empty where nothing is differentiable, where an operation has no gradient, and for large graphs.
    """
    if sum(1 for _ in graph.walk()) > MOST_NODES // 4:
        return []
    try:
        derivative = derivative_of(graph)
        pair = derivative.finish()
    except Exception:  # a gradient that nobody asked for is no error; asking for it says why
        return []
    if not derivative.reached:
        return []
    forward = {"title": "gradient: forward pass", "graph": tables.graph(pair.forward)}
    backward = {"title": "gradient: backward pass", "graph": tables.graph(pair.backward)}
    steps = [forward | _changes(graph, pair.forward, tables), backward]
    after = simplified(pair.backward)
    if after is not pair.backward:
        last = {"title": "gradient: backward pass, simplified", "graph": tables.graph(after)}
        steps.append(last | _changes(pair.backward, after, tables))
    return steps


def _changes(before: Graph, after: Graph, tables: Tables) -> dict[str, list[int]]:
    """The nodes that are new, gone, or have other operands for the same results."""
    old, new = (dict.fromkeys(graph.walk()) for graph in (before, after))
    outputs = {value for node in old if node not in new for value in node.outputs}
    fresh = [node for node in new if node not in old]
    rewired = [node for node in fresh if node.outputs and outputs.issuperset(node.outputs)]
    kept = {value for node in rewired for value in node.outputs}
    gone = [node for node in old if node not in new and kept.isdisjoint(node.outputs)]
    added = [node for node in fresh if kept.isdisjoint(node.outputs)]
    changes = {"added": added, "removed": gone, "rewired": rewired}
    return {key: [tables.node(node) for node in nodes] for key, nodes in changes.items()}


def generated_code(
    plain: FunctionType | None, stages: Stages, tables: Tables
) -> list[dict[str, Any]]:
    """The generated source of the function, and of those it calls, with the user's lines.

    Each has the reason instead, where there is no generated source.
    """
    if plain is None:
        return []
    functions = dict.fromkeys([plain, *_called(plain, stages.graphs[0][1])])
    return [_generated(function, tables) for function in functions]


def _called(plain: Any, graph: Graph) -> Iterator[FunctionType]:
    """The functions of the same module whose lines the graph has."""
    places = {(node.where.function, node.where.file): None for node in graph.walk() if node.where}
    for name, file in places:
        found = plain.__globals__.get(name)
        found = getattr(found, "python_function", found)
        if isinstance(found, FunctionType) and found.__code__.co_filename == file:
            yield found


def _generated(plain: Any, tables: Tables) -> dict[str, Any]:
    name = plain.__name__
    try:
        code, lines = to_code(plain, laid_out=True), line_map(plain, laid_out=True)
    except Exception as error:  # whatever conversion refuses is shown in its place
        problem = f"{type(error).__name__}: {error}"
        return {"name": name, "lines": [], "spots": [], "problem": problem}
    file = plain.__code__.co_filename
    numbers = range(1, len(code.splitlines()) + 1)
    spots = [tables.spot(file, lines[number]) if number in lines else None for number in numbers]
    return {"name": name, "lines": code.splitlines(), "spots": spots, "problem": None}


def _flame(concrete: Any, arrays: list | None, tables: Tables) -> tuple[list[dict], str | None]:
    operations, problem = run_on_numpy(concrete, arrays)
    keys = ("spot", "function", "op", "seconds", "count")
    own = [operation for operation in operations if str(operation.where) != str(tables.caller)]
    rows = [(tables.spot(file, line), *rest) for file, line, *rest in totals(own)]
    return [dict(zip(keys, row, strict=True)) for row in rows], problem


def _explained(explanation: Explanation, tables: Tables) -> dict[str, Any]:
    rows = {
        tables.node(row.node): {
            "step": row.group,
            "why": row.why,
            "flops": row.flops,
            "bytes": row.moved,
        }
        for row in explanation.rows
    }
    times = {
        step: {"seconds": time.seconds, "limit": time.limit, "bound": time.bound, "why": time.why}
        for step, time in explanation.times.items()
    }
    return {
        "rows": rows,
        "times": times,
        "share": explanation.native_share,
        "memory": explanation.memory,
        "seconds": explanation.seconds,
    }


class Tables:
    """Numbers for nodes, values, graphs and locations, so that the page has each of them once."""

    def __init__(self) -> None:
        self.nodes: dict[Node, int] = {}
        self.values: dict[Value, int] = {}
        self.graphs: dict[Graph, int] = {}
        self.spots: dict[tuple[str, int], int] = {}
        self.caller = user_location()  # of `explore`: operations that passes make have no other
        self.node_rows: list[dict[str, Any] | None] = []
        self.graph_rows: list[dict[str, Any] | None] = []

    def spot(self, file: str, line: int) -> int:
        return self.spots.setdefault((file, line), len(self.spots))

    def spot_of(self, where: SourceLocation | None) -> int | None:
        """The number of a location; None where there is none but the call of `explore`."""
        if where is None or str(where) == str(self.caller):
            return None
        return self.spot(where.file, where.line)

    def value(self, value: Value) -> int:
        return self.values.setdefault(value, len(self.values))

    def graph(self, graph: Graph) -> int:
        if graph not in self.graphs:
            number = self.graphs[graph] = len(self.graphs)
            self.graph_rows.append(None)
            self.graph_rows[number] = {
                "name": graph.name,
                "in": [self.value(value) for value in graph.inputs],
                "nodes": [self.node(node) for node in graph.nodes],
                "out": [self.value(value) for value in graph.outputs],
            }
        return self.graphs[graph]

    def node(self, node: Node) -> int:
        if node not in self.nodes:
            number = self.nodes[node] = len(self.nodes)
            self.node_rows.append(None)
            self.node_rows[number] = {
                "op": node.op.name,
                "attrs": _attributes(node),
                "in": [self.value(value) for value in node.inputs],
                "out": [self.value(value) for value in node.outputs],
                "spot": self.spot_of(node.where),
                "subs": [[key, self.graph(inner)] for key, inner in node.subgraphs.items()],
                "effect": int(node.effect != PURE),
                "constant": int(node.op.is_constant),
            }
        return self.nodes[node]

    def listing(self, listing: Listing) -> dict[str, Any]:
        """The lines, the nodes of each, and how many lines were left out."""
        shown = range(min(MOST_LINES, len(listing.lines)))
        return {
            "lines": [listing.lines[index] for index in shown],
            "nodes": [[self.node(node) for node in listing.nodes[index]] for index in shown],
            "left_out": len(listing.lines) - len(shown),
        }

    def content(self) -> dict[str, Any]:
        files = {
            file: number for number, file in enumerate(dict.fromkeys(f for f, _ in self.spots))
        }
        return {
            "nodes": self.node_rows,
            "graphs": self.graph_rows,
            "values": [_described(value) for value in self.values],
            "spots": [[files[file], line] for file, line in self.spots],
            "files": list(files),
        }


def _described(value: Value) -> list[str]:
    """Name and type."""
    name, _, type_ = repr(value).rpartition(": ")
    return [name, type_]


def _attributes(node: Node) -> str:
    shown = (
        f"{key}={f'&{value.name}' if isinstance(value, Callee) else show_attribute(value)}"
        for key, value in node.attrs.items()
        if key not in node.subgraphs and value is not None
    )
    line = "  ".join(shown)
    return line if len(line) <= LONGEST_ATTRIBUTES else line[: LONGEST_ATTRIBUTES - 3] + "..."
