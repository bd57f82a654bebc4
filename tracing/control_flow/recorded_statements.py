"""`if` and `while` as nodes of the graph: both modes say how names are carried as tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...runtime.ir.op import TABLE
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.graph_builder import Builder


def side_builders() -> list[Builder]:
    """Where the two sides of an `if` are recorded: by the caller, since branches in branches of
    branches reach Python's limit of calls.
    """
    outer: Any = BUILDER.get()
    return [Builder(f"{outer.name}.{name}", outer) for name in ("then", "orelse")]


def on_sides(builders: list[Builder], function: Callable, *rows: Sequence) -> list:
    """The results of a function for the values of each side, while it records there."""
    results = []
    for builder, *values in zip(builders, *rows, strict=True):
        with builder:
            results.append(function(*values))
    return results


def kept(value) -> tuple[list, Callable]:
    """How a name is merged that no tensor carries."""
    return [], lambda outputs: value


def record_if(test, builders: list[Builder], merged: list[tuple], note: Callable) -> list:
    """The values of names after an `if`. `merged` has for each the pairs of tensors by which the
    sides carry it, and a function that makes its value of the next outputs. `note(output, *pair)`
    takes note of what an output is.
    """
    pairs = [pair for of_name, _ in merged for pair in of_name]
    results = [[pair[side] for pair in pairs] for side in (0, 1)]
    (then, orelse), operands = _share_operands(builders, results)
    attrs = {"then": then, "orelse": orelse}
    builder: Any = BUILDER.get()
    outputs = builder.record(TABLE["if"], [test, *operands], attrs, "if")
    for output, pair in zip(outputs, pairs, strict=True):
        note(output, *pair)
    rest = iter(outputs)
    return [rebuild(rest) for _, rebuild in merged]


class StagedLoop:
    """A loop to be recorded. `names` says of each name of its state how it is carried:

    slots                       the tensors of its value before the loop; None for what is constant
    placeholder(builder)        its value inside a graph, made of inputs
    after_loop(outputs, final)  its value after the loop, made of the next outputs; `final` is that
                                of an iteration

    A mode gives `names`, `traced_test` and `traced_body`.
    """

    names: list

    def __init__(self):
        self.outer = BUILDER.get()
        self.tester = Builder(f"{self.outer.name}.test", self.outer, repeats=True)
        self.stepper = Builder(f"{self.outer.name}.body", self.outer, repeats=True)

    def traced_test(self, state: tuple):
        """The truth of the test."""
        raise NotImplementedError

    def traced_body(self, state: tuple) -> tuple[Sequence, list]:
        """The state after an iteration, and its tensors."""
        raise NotImplementedError

    def traced(self) -> tuple:
        """The truth of the test, the state after an iteration, and its tensors."""
        with self.tester:
            goes_on = self.traced_test(self._entered(self.tester))
        with self.stepper:
            return goes_on, *self.traced_body(self._entered(self.stepper))

    def after_loop(self, goes_on, after: Sequence, carried: list) -> list:
        """The state after the loop, whose node is recorded in the graph around it."""
        starts = [slot for name in self.names for slot in name.slots if slot is not None]
        outputs = iter(self.record(starts, goes_on, carried))
        pairs = zip(self.names, after, strict=True)
        return [name.after_loop(outputs, final) for name, final in pairs]

    def _entered(self, builder: Builder) -> tuple:
        return tuple([name.placeholder(builder) for name in self.names])

    def record(self, starts: list, goes_on, carried: list) -> Sequence:
        """The outputs of the node."""
        builders = [self.tester, self.stepper]
        (test, body), operands = _share_operands(builders, [[goes_on], carried])
        attrs = {"test": test, "body": body, "carried": len(carried)}
        return self.outer.record(TABLE["while"], [*starts, *operands], attrs, "while")


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
