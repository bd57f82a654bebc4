"""What each pass changes in a graph: operations that it removes and adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...extend.graphs import (
    BEFORE_NATIVE_CODE,
    OPTIMIZATIONS,
    SUB_GRAPHS,
    Graph,
    Pass,
    optimization_steps,
    preparation_steps,
)
from ...extend.tensors import RichDisplay
from .explain import aligned

_VARIABLES = Pass("passes.functionalize_variables:functionalize_variables")


@dataclass(frozen=True)
class PassEffect:
    """One pass. `removed` and `added` count operations by name, sub-graphs included. Where the pass
    changed other things alone, such as shapes, both are empty.
    """

    name: str
    module: str
    is_changed: bool
    removed: dict[str, int]
    added: dict[str, int]

    @property
    def change(self) -> str:
        """The change in a few words: "-2 reshape, +1 matmul"; empty where there is none."""
        counts = [f"-{count} {name}" for name, count in sorted(self.removed.items())]
        counts += [f"+{count} {name}" for name, count in sorted(self.added.items())]
        return ", ".join(counts) or ("same operations" if self.is_changed else "")


@dataclass(frozen=True, repr=False)
class PassEffects(RichDisplay):
    """The passes in their order, with what each changed in a graph. It is shown as a table."""

    name: str
    rows: tuple[PassEffect, ...]

    def __repr__(self):
        return str(self)

    def __str__(self):
        count = sum(row.is_changed for row in self.rows)
        head = f"{self.name}: {count} of {len(self.rows)} passes change it"
        cells = ((row.name, row.module, row.change) for row in self.rows)
        return "\n".join([head, "", *aligned([("pass", "module", "change"), *cells])])


def pass_effects(graph: Graph) -> PassEffects:
    """What each pass changes in a graph as it was traced: the optimizations, then the passes before
    native code is generated.
    """
    first = dict(optimization_steps(graph))
    optimized = [graph, *first.values()][-1]
    second = dict(preparation_steps(optimized))
    rows = [
        *_effects(graph, first, [*_places(OPTIMIZATIONS), (SUB_GRAPHS, "passes.pipeline")]),
        *_effects(optimized, second, _places((_VARIABLES, *BEFORE_NATIVE_CODE))),
    ]
    return PassEffects(graph.name, tuple(rows))


def _places(rows: Iterable[Pass]) -> list[tuple[str, str]]:
    return [(row.name, row.place.partition(":")[0]) for row in rows]


def _effects(
    graph: Graph, results: dict[str, Graph], places: list[tuple[str, str]]
) -> Iterator[PassEffect]:
    """The effects of passes, from their names and modules and the graphs that some of them give."""
    before = _operations(graph)
    for name, module in places:
        after = _operations(results[name]) if name in results else before
        removed, added = dict(before - after), dict(after - before)
        yield PassEffect(name, f"runtime.{module}", name in results, removed, added)
        before = after


def _operations(graph: Graph) -> Counter[str]:
    return Counter(node.op.name for node in graph.walk())
