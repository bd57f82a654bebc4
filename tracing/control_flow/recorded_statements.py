"""`if` and `while` as nodes of the graph: both modes say how names are carried as tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...runtime.ir.op import TABLE
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.graph_builder import Builder


def traced_sides(run: Callable, sides: Sequence) -> tuple[list[Builder], list]:
    """A builder for each side of an `if`, and what `run(side)` gives while it records there."""
    outer, builders, states = BUILDER.get(), [], []
    for name, side in zip(("then", "orelse"), sides, strict=True):
        builder = Builder(f"{outer.name}.{name}", outer)
        with builder:
            states.append(run(side))
        builders.append(builder)
    return builders, states


def record_if(test, builders: list[Builder], results: list[list]) -> Sequence:
    """The outputs of an `if` whose sides give these tensors."""
    graphs, operands = _share_operands(builders, results)
    attrs = {"then": graphs[0], "orelse": graphs[1]}
    return BUILDER.get().record(TABLE["if"], [test, *operands], attrs, "if")


class LoopBuilders:
    """Where the test and the body of a loop are recorded."""

    def __init__(self):
        self.outer = BUILDER.get()
        self.tester = Builder(f"{self.outer.name}.test", self.outer)
        self.stepper = Builder(f"{self.outer.name}.body", self.outer)

    def record(self, start: list, goes_on, carried: list) -> Sequence:
        """The outputs of a loop that starts with tensors; an iteration gives those to carry."""
        builders = [self.tester, self.stepper]
        (test, body), operands = _share_operands(builders, [[goes_on], carried])
        attrs = {"test": test, "body": body, "carried": len(carried)}
        return self.outer.record(TABLE["while"], [*start, *operands], attrs, "while")


def _share_operands(builders: list[Builder], results: list[list]) -> tuple[list, list]:
    """Finish sibling builders with one list of operands: the captures of all of them."""
    for builder, outputs in zip(builders, results, strict=True):
        with builder:
            for output in outputs:
                builder.value_of(output)
    captures = dict(pair for builder in builders for pair in builder.captured())
    graphs = []
    for builder, outputs in zip(builders, results, strict=True):
        graphs.append(builder.finish(outputs, list(captures.items())))
        builder.close()
    return graphs, list(captures.values())


def plain(name: str) -> str:
    """A name for an input of a graph."""
    letters = (letter if letter.isalnum() else "_" for letter in str(name))
    return "".join(letters).strip("_") or "state"
