"""The text form of programs: steps in order, what is fused, whose memory is used again.

program settle(x: float32[5]) -> (while):
  1 loop (x) -> (while: float32[5]):
      test (x):
        1 nest over [5], all in registers:
            reduce_sum: float32[] = reduce_sum(x) axis=None keepdims=False
"""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..ir.graph_printer import show_attribute
from .program import Branch, Invoke, Loop, Nest, Program, Step


def program_text(program: Program) -> str:
    """The text of a program and of the programs inside it."""
    title = f"program {program.name}({_specs(program.inputs)}) -> ({_names(program.outputs)}):"
    return "\n".join([title, *_block(program, "  ")]) + "\n"


def _block(program: Program, margin: str) -> list[str]:
    lines = []
    for index, step in enumerate(program.steps):
        first, *more = _step(step, program)
        lines.append(f"{margin}{index + 1} {first}")
        lines += [f"{margin}    {line}" for line in more]
        dead = program.dies[index] if index < len(program.dies) else ()
        large = sorted(value.name for value in dead if value.shape != ())
        if large:
            lines.append(f"{margin}    free {', '.join(large)}")
    return lines


def _step(step: Step, program: Program) -> list[str]:
    if isinstance(step, Nest):
        stored = f"stores {_names(step.stores)}" if step.stores else "stores nothing"
        sizes = ",".join("?" if size is None else str(size) for size in step.space.shape or ())
        return [f"nest over [{sizes}], {stored}:", *(_call(node, program) for node in step.nodes)]
    node = step.node
    if isinstance(step, Branch):
        head = f"branch on {node.inputs[0].name} -> ({_specs(node.outputs)}):"
        return [head, *_inner("then", step.then), *_inner("else", step.orelse)]
    if isinstance(step, Loop):
        carried = _names(node.inputs[: node.attrs["carried"]])
        head = f"loop ({carried}) -> ({_specs(node.outputs)}):"
        return [head, *_inner("test", step.test), *_inner("body", step.body)]
    if isinstance(step, Invoke):
        return [f"invoke {step.program.name}: {_call(node, program)}"]
    return [f"call {_call(node, program)}"]


def _inner(title: str, program: Program) -> list[str]:
    head = f"{title} ({_names(program.inputs)}) -> ({_names(program.outputs)}):"
    return [head, *_block(program, "  ")]


def _call(node: Node, program: Program) -> str:
    attrs = [
        f" {key}={show_attribute(value)}"
        for key, value in node.attrs.items()
        if key not in node.subgraphs
    ]
    over = [program.reuse[value].name for value in node.outputs if value in program.reuse]
    made = f"{_specs(node.outputs)} = " if node.outputs else ""
    place = f" over {', '.join(over)}" if over else ""
    return f"{made}{node.op.name}({_names(node.inputs)}){''.join(attrs)}{place}"


def _specs(values: tuple[Value, ...]) -> str:
    return ", ".join(map(repr, values))


def _names(values: tuple[Value, ...]) -> str:
    return ", ".join(value.name for value in values)


Program.__str__ = program_text
