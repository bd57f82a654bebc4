"""What becomes of each operation: native or NumPy and why, fused with what, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from .emit_native import planned_memory
from .graph import Graph, Node, Value
from .loop_nests import NotNativeError
from .lower import lower, nodes_of
from .native import why_not
from .passes.pipeline import optimize
from .passes.prepare import prepared
from .passes.thread_variables import thread_variables
from .program import Branch, Loop, Nest, Program, Step, inner_programs
from .shapes import is_static, size_of


@dataclass(frozen=True)
class Row:
    """One operation. `group` numbers the step that it belongs to: operations of one nest are fused.

    `why` says why it runs on NumPy, and is None in native code. `flops` and `moved`, the bytes read
    from and written to memory, are those of one run; None where a shape is not known.
    """

    node: Node
    depth: int
    group: int
    why: str | None
    flops: int | None
    moved: int | None

    @property
    def is_native(self) -> bool:
        return self.why is None


@dataclass(frozen=True)
class Explanation:
    """The rows of a graph; printed, a table.

    `memory` is the bytes of the arrays that its native code makes, results and others; None where
    not all of it is native.
    """

    name: str
    rows: tuple[Row, ...]
    memory: int | None = None

    @property
    def native_share(self) -> float:
        """The part of the operations that runs as native code."""
        return sum(row.is_native for row in self.rows) / max(len(self.rows), 1)

    def __str__(self):
        head = ("step", "runs on", "operation", "result", "flops", "bytes", "line")
        table = [head, *map(_cells, self.rows)]
        widths = [max(len(row[column]) for row in table) for column in range(len(head))]
        lines = []
        for row in table:
            cells = [
                text.rjust(width) if column in (0, 4, 5) else text.ljust(width)
                for column, (text, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
        reasons = dict.fromkeys(f"{row.node.op.name}: {row.why}" for row in self.rows if row.why)
        share = f"{self.name}: {self.native_share:.0%} of {len(self.rows)} operations are native"
        if self.memory is not None:
            share += f"; their arrays take {self.memory:,} bytes"
        return "\n".join([share, "", *lines, *([""] if reasons else []), *reasons])


def explain(graph: Graph) -> Explanation:
    """The explanation of a graph after the passes."""
    threaded = thread_variables(graph)
    program = lower(prepared(graph if threaded is None else optimize(threaded.graph)))
    try:
        memory = planned_memory(program)
    except NotNativeError:
        memory = None
    rows = tuple(_Explainer().rows(program, 0, memory is not None))
    return Explanation(graph.name, rows, memory)


class _Explainer:
    def __init__(self):
        self.count = 0

    def rows(self, program: Program, depth: int, is_native: bool):
        for step in program.steps:
            nodes = [node for node in nodes_of(step) if node.op.name != "const"]
            if not nodes:
                continue
            self.count += 1
            why = None if is_native else why_not(step)
            group = self.count
            for node in nodes:
                yield Row(node, depth, group, why, _flops(node), _moved(step, node))
            for inner in inner_programs(step):
                yield from self.rows(inner, depth + 1, why is None)


def _flops(node: Node) -> int | None:
    """Operations on numbers: one for each element that is made, or taken in by a reduction."""
    values = (*node.inputs, *node.outputs)
    if node.subgraphs or not all(is_static(value.shape) for value in values):
        return 0 if node.subgraphs else None
    if node.op.name == "matmul":
        return 2 * size_of(node.output.shape) * node.inputs[0].shape[-1]
    if node.op.reduce:
        return size_of(node.inputs[0].shape)
    return size_of(node.output.shape) if node.op.scalar else 0


def _moved(step: Step, node: Node) -> int | None:
    """The bytes of arrays that a node reads or writes; what stays in a nest's registers is free."""
    if isinstance(step, (Branch, Loop)):
        return 0
    made = {value for one in nodes_of(step) for value in one.outputs}
    earlier = step.nodes[: step.nodes.index(node)] if isinstance(step, Nest) else ()
    known = {value for one in earlier for value in one.inputs}
    read = [value for value in node.inputs if value not in made and value not in known]
    written = step.stores if isinstance(step, Nest) else node.outputs
    return _bytes([*read, *(value for value in node.outputs if value in written)])


def _bytes(values: list[Value]) -> int | None:
    if not all(is_static(value.shape) for value in values):
        return None
    return sum(size_of(value.shape) * value.dtype.size for value in values if value.shape)


def _cells(row: Row) -> tuple[str, ...]:
    node = row.node
    result = ", ".join(repr(value).partition(": ")[2] for value in node.outputs)
    numbers = ("?" if number is None else f"{number:,}" for number in (row.flops, row.moved))
    where = "" if node.where is None else str(node.where).replace("\\", "/").rsplit("/", 1)[-1]
    name = "  " * row.depth + node.op.name
    return (str(row.group), "native" if row.is_native else "NumPy", name, result, *numbers, where)
