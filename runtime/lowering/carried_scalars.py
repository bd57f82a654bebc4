"""How scalars that a loop carries may be reduced: the records of `parallel_reductions.py`."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.classes import NamedTuple
from ..ir.graph import Node, Value
from ..ir.indexing import Slot
from ..ir.node_properties import attribute_key
from ..ir.op import PURE, TABLE


class Reduction(NamedTuple):
    """How two partial results of one carried number become one.

    `op` is the operation on both; or, of a choice, the comparison that a candidate has to pass
    against the scalar carried at the index `leader`.
    """

    op: str
    leader: int | None = None


class Reductions(NamedTuple):
    """What a loop reduces, by index among the carried values.

    `choices` are the branches and selections where a candidate replaces the scalar at an index,
    each with the side that does so, "then" or "orelse". Where iterations are `speculative`, one may
    evaluate an index out of range that the sequential loop never reaches.
    """

    by_index: dict[int, Reduction]
    choices: dict[Node, tuple[int, str]]
    speculative: bool


class Test(NamedTuple):
    """A boolean that holds only where a candidate passes a comparison with a carried number."""

    position: int
    op: str
    candidate: int  # the number of its expression
    version: Value  # the carried number as it was then
    is_alone: bool  # whether nothing else is asked


class Findings:
    """What walks over a body and the graphs inside it have found."""

    def __init__(self):
        self.by_index: dict[int, Reduction] = {}
        self.choices: dict[Node, tuple[int, str]] = {}
        self.histories: list[dict[int, list]] = []  # of each graph: what replaced each number
        self.expressions: dict[object, int] = {}
        self.speculative = False

    def add(self, index: int, reduction: Reduction) -> bool:
        """Whether a number is reduced in one way only."""
        return self.by_index.setdefault(index, reduction) == reduction

    def value_number(self, expression) -> int:
        return self.expressions.setdefault(expression, len(self.expressions))

    def is_consistent(self) -> bool:
        """Whether what belongs to a choice was always replaced together."""
        for index, reduction in self.by_index.items():
            if reduction.leader is None:
                continue
            if reduction.leader not in self.by_index:
                return False
            for history in self.histories:
                if history.get(index) != history.get(reduction.leader):
                    return False
        return True


def _key_of(attribute):
    """An attribute as a key of value numbering; checked and unchecked indices are equal."""
    if isinstance(attribute, tuple):
        attribute = tuple(Slot(row.position) if type(row) is Slot else row for row in attribute)
    return attribute_key(attribute)


class ValueNumbers(dict[Value, int]):
    """Numbers of values, which are equal for the same expression of the same values."""

    def __init__(self, findings: Findings):
        super().__init__()
        self.findings = findings

    def __missing__(self, value: Value) -> int:
        self[value] = self.findings.value_number(value)
        return self[value]

    def add(self, node: Node) -> None:
        """Give the result of a node the number of its expression."""
        if node.subgraphs or len(node.outputs) != 1 or node.effect is not PURE:
            return
        attrs = tuple((name, _key_of(value)) for name, value in node.attrs.items())
        key = (node.op, attrs, tuple(self[value] for value in node.inputs))
        try:
            self[node.output] = self.findings.value_number(key)
        except TypeError:  # an attribute that cannot be compared
            return

    def add_from_around(self, values: Iterable[Value], producers: dict[Value, Node]) -> None:
        """Number values by their expressions, as far as these are of scalars. `producers` are the
        nodes around a loop, by their results.
        """
        pending = list(values)
        while pending:
            value = pending[-1]
            node = None if value.shape else producers.get(value)
            operands = () if node is None else node.inputs
            waiting = [operand for operand in operands if operand not in self]
            if value not in self and waiting:
                pending += waiting
                continue
            pending.pop()
            if node is not None and value not in self:
                self.add(node)
            _ = self[value]  # a number of its own where its expression has none


def negated(test: Test | None) -> Test | None:
    """The test that holds where this one does not; floats have none, because of NaN."""
    if test is None or not test.is_alone or test.version.dtype.is_floating:
        return None
    return test._replace(op=str(TABLE[test.op].negation))
