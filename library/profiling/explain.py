"""What becomes of each operation: native or NumPy and why, fused with what, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...extend.graphs import (
    Branch,
    Graph,
    Loop,
    NativeForm,
    Nest,
    Node,
    Program,
    Step,
    Value,
    backend,
    choice,
    inner_programs,
    native_form,
    nodes_of,
    planned_memory,
    why_not,
)
from ...extend.kernels import NotNativeError
from ...extend.specs import is_static, size_of
from ...extend.tensors import RichDisplay
from .step_times import StepTime, Work, program_seconds, rates_in_words, step_times


@dataclass(frozen=True)
class Row:
    """One operation. `group` is the number of its step: operations of one loop nest are fused.

    `why` is the reason why it runs on NumPy, and None in native code. `flops` and `moved`, the
    bytes read from and written to memory, are those of one run. They are None where a shape is
    unknown or the operation does not count them.
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


@dataclass(frozen=True, repr=False)
class Explanation(RichDisplay):
    """The rows of a graph. It is shown as a table.

    `memory` is the size of the arrays that its native code allocates, in bytes; None where some of
    it is not native. `compiler` says what compiles the kernels and why. After a run, `times` has
    the time and the limit of each outer step, by the number of its group, and `seconds` is the time
    of the whole graph, if every step was run. `device` says what a device other than the CPU runs.
    """

    name: str
    rows: tuple[Row, ...]
    memory: int | None = None
    times: dict[int, StepTime] = field(default_factory=dict)
    seconds: float | None = None
    compiler: str = ""
    device: tuple[str, ...] = ()

    @property
    def native_share(self) -> float:
        """The fraction of the operations that is native."""
        return sum(row.is_native for row in self.rows) / max(len(self.rows), 1)

    def __repr__(self):
        return str(self)

    def __str__(self):
        share = f"{self.name}: {self.native_share:.0%} of {len(self.rows)} operations are native"
        if self.memory is not None:
            share += f"; their arrays take {self.memory:,} bytes"
        head = [share, self.compiler] if self.native_share and self.compiler else [share]
        head += [*self.device, *([self._in_all()] if self.times else [])]
        blocks = [head, aligned(self.table()), self.notes()]
        if self.times:
            blocks.append([rates_in_words()])
        return "\n\n".join("\n".join(block) for block in blocks if block)

    def notes(self) -> list[str]:
        """Why operations run on NumPy, each reason once, and why steps were not timed."""
        whys = {row.why for row in self.rows}
        reasons = [f"all operations: {why}" for why in whys if why]
        if len(whys) > 1:
            reasons = [f"{row.node.op.name}: {row.why}" for row in self.rows if row.why]
        untimed = [f"step {group}: {time.why}" for group, time in self.times.items() if time.why]
        return [*dict.fromkeys(reasons), *untimed]

    def _in_all(self) -> str:
        limits = [time.limit for time in self.times.values() if time.limit is not None]
        if self.seconds is None:
            return "all of it: not timed"
        if len(limits) < len(self.times):
            return f"all of it: {_duration(self.seconds)}"
        least = sum(limits)
        ratio = f", {_ratio(self.seconds, least)} of that" if least else ""
        return f"all of it: at best {_duration(least)}, took {_duration(self.seconds)}{ratio}"

    def table(self) -> list[tuple[str, ...]]:
        """The cells, line by line. The time of a step stands in its first line."""
        timed = ("at best", "bound by", "took", "ratio", "share") if self.times else ()
        table = [("step", "runs on", "operation", "result", "flops", "bytes", *timed, "line")]
        total = sum(time.seconds or 0.0 for time in self.times.values())
        shown = set()
        for row in self.rows:
            *cells, where = _cells(row)
            if self.times:
                time = None if row.group in shown else self.times.get(row.group)
                cells += _time_cells(time, total)
                shown.add(row.group)
            table.append((*cells, where))
        return table


def explain(
    graph: Graph, arrays: list | None = None, form: NativeForm | None = None
) -> Explanation:
    """Explain a graph after the passes. With arrays for its inputs, steps are timed too.

    `form` is the native form of the graph, where there is one already.
    """
    form = form or native_form(graph)
    program, functionalized = form.program, form.functionalized
    try:
        memory = None if backend().missing() else planned_memory(program)
    except NotNativeError:
        memory = None
    compiler, explainer = _compiler(), _Explainer()
    chosen: Any = backend()  # one of a device explains itself
    device = chosen.explained(graph, arrays) if chosen.has_devices else ()
    if device:
        compiler = ""
        device += ("of the steps below, the CPU was timed",) if arrays is not None else ()
    rows = tuple(explainer.rows(program, 0, memory is not None))
    if arrays is None:
        return Explanation(graph.name, rows, memory, compiler=compiler, device=device)
    if functionalized is not None:
        arrays = [*arrays, *(cell.read() for cell in functionalized.cells)]
    found = step_times(program, arrays, _work, explainer.kernels)
    times = {explainer.groups[step]: found[step] for step in found if step in explainer.groups}
    is_whole = all(time.why is None for time in times.values())
    seconds = program_seconds(program, arrays) if is_whole else None
    return Explanation(graph.name, rows, memory, times, seconds, compiler, device)


def _compiler() -> str:
    """What compiles the kernels, and why."""
    chosen, why = choice()
    return f"kernels are {chosen.description} ({why})"


class _Explainer:
    def __init__(self):
        self.count = 0
        self.groups: dict[Step, int] = {}
        self.kernels: set[Step] = set()  # the steps that are native, or contain native steps

    def rows(self, program: Program, depth: int, is_native: bool):
        for step in program.steps:
            nodes = [node for node in nodes_of(step) if not node.op.is_constant]
            if not nodes:
                continue
            self.count += 1
            why = None if is_native else why_not(step)
            group = self.groups[step] = self.count
            if why is None or inner_programs(step):
                self.kernels.add(step)
            for node in nodes:
                yield Row(node, depth, group, why, _flops(node), _moved(step, node))
            for inner in inner_programs(step):
                yield from self.rows(inner, depth + 1, why is None)


def _work(step: Step) -> Work | None:
    """The work of one run of a step; None where it is unknown."""
    nodes = [node for node in nodes_of(step) if not node.op.is_constant]
    flops = total(_flops(node) for node in nodes)
    moved = total(_moved(step, node) for node in nodes)
    if flops is None or moved is None:
        return None
    is_double = any(value.dtype.size >= 8 for node in nodes for value in node.outputs)
    return Work(flops, moved, "float64" if is_double else "float32")


def total(numbers: Iterable[int | None]) -> int | None:
    """The sum; None where a number is unknown."""
    sum_so_far = 0
    for number in numbers:
        if number is None:
            return None
        sum_so_far += number
    return sum_so_far


def _flops(node: Node) -> int | None:
    """Scalar operations: one for each element computed, or read by a reduction."""
    values = (*node.inputs, *node.outputs)
    if node.subgraphs or not all(is_static(value.shape) for value in values):
        return 0 if node.subgraphs else None
    if node.op.flops:
        return node.op.flops(*(value.shape for value in (*node.outputs, *node.inputs)))
    if node.op.reduce:
        return size_of(node.inputs[0].shape)
    return size_of(node.output.shape) if node.op.scalar else 0


def _moved(step: Step, node: Node) -> int | None:
    """The bytes that a node reads from and writes to memory, registers of a nest excluded."""
    if isinstance(step, (Branch, Loop)):
        return 0
    made = {value for one in nodes_of(step) for value in one.outputs}
    earlier = step.nodes[: step.nodes.index(node)] if isinstance(step, Nest) else ()
    known = {value for one in earlier for value in one.inputs}
    read = [value for value in node.inputs if value not in made and value not in known]
    stored = step.stores if isinstance(step, Nest) else node.outputs
    return _bytes([*read, *(value for value in node.outputs if value in stored)])


def _bytes(values: list[Value]) -> int | None:
    return total(value.size_in_bytes for value in values if value.shape != ())


def aligned(table: list[tuple[str, ...]]) -> list[str]:
    """Lines of columns. Numbers are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    to_the_left = {"runs on", "operation", "result", "bound by", "line", "pass", "module", "change"}
    justify = [str.ljust if name in to_the_left else str.rjust for name in table[0]]
    lines = (
        "  ".join(side(cell, width) for side, cell, width in zip(justify, row, widths, strict=True))
        for row in table
    )
    return [line.rstrip() for line in lines]


def _time_cells(time: StepTime | None, total: float) -> list[str]:
    if time is None:
        return [""] * 5
    least = "?" if time.limit is None else _duration(time.limit)
    if time.seconds is None:
        return [least, time.bound, "-", "", ""]
    ratio = _ratio(time.seconds, time.limit) if time.limit else ""
    return [least, time.bound, _duration(time.seconds), ratio, f"{time.seconds / total:.0%}"]


def _ratio(seconds: float, least: float) -> str:
    ratio = seconds / least
    return f"{ratio:.1f}x" if ratio < 100 else f"{ratio:,.0f}x"


def _duration(seconds: float) -> str:
    """Three digits, with a suitable unit.

    >>> _duration(0.0123), _duration(4.5e-8)
    ('12.3 ms', '45 ns')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _cells(row: Row) -> tuple[str, ...]:
    node = row.node
    result = ", ".join(repr(value).partition(": ")[2] for value in node.outputs)
    numbers = ("?" if number is None else f"{number:,}" for number in (row.flops, row.moved))
    where = "" if node.where is None else f"{node.where.file_name}:{node.where.line}"
    name = "  " * row.depth + node.op.name
    return (str(row.group), "native" if row.is_native else "NumPy", name, result, *numbers, where)
