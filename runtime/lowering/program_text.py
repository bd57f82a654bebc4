"""The text form of programs: steps in order, what is fused, whose memory is used again, and the
schedule of steps that native code does not run as they stand.

program f(x: float32[2000,1000]) -> (exp):
  1 nest over [2000,1000], stores exp:
      schedule: one loop over all elements, parallel: 11 chunks of 181824
      exp: float32[2000,1000] = exp(x)
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir.graph import Node, Value
from ..ir.graph_printer import show_attribute
from .elementwise_loops import RegisterTiling
from .program import Branch, Invoke, Loop, Nest, Program, Step
from .schedule import schedules_of
from .schedule_text import is_region, schedule_text
from .target import Target


def program_text(program: Program, target: Target | None = None) -> str:
    """The text of a program and of the programs inside it, with its schedule for a processor."""
    title = f"program {program.name}({_specs(program.inputs)}) -> ({_names(program.outputs)}):"
    return "\n".join([title, *_block(program, "  ", target or Target())]) + "\n"


class _Inner(NamedTuple):
    """How the programs inside a step are printed: `in_region` where threads run them, without a
    target where they have no schedule of their own.
    """

    target: Target | None
    in_region: bool

    def block(self, title: str, program: Program) -> list[str]:
        head = f"{title} ({_names(program.inputs)}) -> ({_names(program.outputs)}):"
        return [head, *_block(program, "  ", self.target, self.in_region)]


def _block(
    program: Program, margin: str, target: Target | None, in_region: bool = False
) -> list[str]:
    lines = []
    schedules = {} if target is None else schedules_of(program, target)
    for index, step in enumerate(program.steps):
        schedule = schedules.get(step)
        is_tiled = isinstance(schedule, RegisterTiling)
        inner = _Inner(None if is_tiled else target, is_region(schedule, in_region))
        first, *more = _step(step, program, inner)
        lines.append(f"{margin}{index + 1} {first}")
        words = schedule_text(step, schedule, in_region)
        if words:
            lines.append(f"{margin}    schedule: {words}")
        lines += [f"{margin}    {line}" for line in more]
        dead = program.dies[index] if index < len(program.dies) else ()
        large = sorted(value.name for value in dead if value.shape != ())
        if large:
            lines.append(f"{margin}    free {', '.join(large)}")
    return lines


def _step(step: Step, program: Program, inner: _Inner) -> list[str]:
    if isinstance(step, Nest):
        stored = f"stores {_names(step.stores)}" if step.stores else "stores nothing"
        sizes = ",".join("?" if size is None else str(size) for size in step.space.shape or ())
        return [f"nest over [{sizes}], {stored}:", *(_call(node, program) for node in step.nodes)]
    node = step.node
    if isinstance(step, Branch):
        head = f"branch on {node.inputs[0].name} -> ({_specs(node.outputs)}):"
        return [head, *inner.block("then", step.then), *inner.block("else", step.orelse)]
    if isinstance(step, Loop):
        carried = _names(node.inputs[: node.attrs["carried"]])
        head = f"loop ({carried}) -> ({_specs(node.outputs)}):"
        return [head, *inner.block("test", step.test), *inner.block("body", step.body)]
    if isinstance(step, Invoke):
        return [f"invoke {step.program.name}: {_call(node, program)}"]
    return [f"call {_call(node, program)}"]


def _call(node: Node, program: Program) -> str:
    attrs = [
        f" {key}={show_attribute(value)}"
        for key, value in node.attrs.items()
        if key not in node.subgraphs
    ]
    over = [program.reuse[value].name for value in node.outputs if value in program.reuse]
    made = f"{_specs(node.outputs)} = " if node.outputs else ""
    target = f" over {', '.join(over)}" if over else ""
    return f"{made}{node.op.name}({_names(node.inputs)}){''.join(attrs)}{target}"


def _specs(values: tuple[Value, ...]) -> str:
    return ", ".join(map(repr, values))


def _names(values: tuple[Value, ...]) -> str:
    return ", ".join(value.name for value in values)


Program.__str__ = program_text  # type: ignore[assignment, method-assign]
