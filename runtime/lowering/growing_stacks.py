"""Which values of a program are stacks: arrays whose number of rows grows while a loop runs."""

from __future__ import annotations

from ..ir.graph import Value
from .program import Branch, Invoke, LibraryCall, Loop, Program


def stacks_of(program: Program, stacks: set[Value] | None = None) -> set[Value]:
    """The stacks of loops among the values of a program: arrays whose number of rows grows."""
    stacks = set() if stacks is None else stacks
    for step in program.steps:
        if isinstance(step, LibraryCall) and step.node.op.name == "stack_push":
            stacks.add(step.node.output)
        for inner, operands in _inner_programs(step):
            pairs = zip(operands, inner.inputs, strict=True)
            stacks |= {value for operand, value in pairs if operand in stacks}
            stacks_of(inner, stacks)
        if isinstance(step, Loop):
            rows = zip(
                step.test.inputs,
                step.body.inputs,
                step.body.outputs,
                step.node.outputs,
                strict=False,
            )
            stacks |= {value for row in rows if row[2] in stacks for value in row}
    return stacks


def _inner_programs(step) -> list:
    """The programs inside a step, each with the operands that it receives."""
    if isinstance(step, Loop):
        return [(step.test, step.node.inputs), (step.body, step.node.inputs)]
    if isinstance(step, Branch):
        return [(step.then, step.node.inputs[1:]), (step.orelse, step.node.inputs[1:])]
    return [(step.program, step.node.inputs)] if isinstance(step, Invoke) else []
