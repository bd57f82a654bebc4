"""Scalars that a loop carries and only reduces: each thread may reduce its own iterations, and
partial results are combined in the order of the iterations.

    total += x              integer sums, products, bits, extremes, `and`, `or`: exact in any order
    if x > best:            a choice: the first iteration with the largest `x` wins, on any thread;
        best, at = x, i     with `>=` it is the last

The walk over a body follows each such scalar through branches and inner loops. A loop in which
anything else reads one is sequential.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE, Op
from .carried_scalars import Findings, Reduction, Reductions, Test, ValueNumbers, negated


def reductions_of(
    loop: Node, indices: list[int], producers: dict[Value, Node]
) -> Reductions | None:
    """How the scalars that a loop carries at these indices are reduced, if that is all that becomes
    of them. `producers` are the nodes around the loop, by their results.
    """
    body, carried, findings = loop.attrs["body"], loop.attrs["carried"], Findings()
    walk = _Walk(body, findings, {body.inputs[index]: index for index in indices})
    outside = ValueNumbers(findings)
    outside.add_from_around(loop.inputs[carried:], producers)
    captured = zip(body.inputs[carried:], loop.inputs[carried:], strict=False)
    walk.value_numbers.update((value, outside[operand]) for value, operand in captured)
    if not walk.run():
        return None
    for index, value in enumerate(body.outputs):
        if index not in indices:
            if value in walk.mixed:
                return None
        elif not walk.is_result(value, index):
            return None
    if not findings.is_consistent():
        return None
    return Reductions(findings.by_index, findings.choices, findings.speculative)


class _Walk:
    """One walk over a graph. Values that depend on a carried number are *mixed*; those that are a
    carried scalar, so far, have an index.
    """

    def __init__(self, graph: Graph, findings: Findings, indices: dict[Value, int]):
        self.graph = graph
        self.findings = findings
        self.indices = dict(indices)
        self.first = {index: value for value, index in indices.items()}
        self.latest = dict(self.first)
        self.mixed = set(indices)
        self.tests: dict[Value, Test] = {}
        self.value_numbers = ValueNumbers(findings)
        self.history: dict[int, list] = {}
        findings.histories.append(self.history)

    def inside(self, graph: Graph, operands, own: int = 0) -> _Walk:
        """The walk over an inner graph with these operands; the first `own` change in there."""
        indices: dict[Value, int] = {}
        for value, operand in zip(graph.inputs, operands, strict=True):
            index = self.indices.get(operand)
            if index is None or index in indices.values():
                continue
            if self.latest[index] is operand:
                indices[value] = index
        walk = _Walk(graph, self.findings, indices)
        for at, (value, operand) in enumerate(zip(graph.inputs, operands, strict=True)):
            if operand in self.mixed:
                walk.mixed.add(value)
            if at >= own:
                walk.value_numbers[value] = self.value_numbers[operand]
        return walk

    def run(self) -> bool:
        """Whether every node leaves the carried numbers alone, or reduces them."""
        for node in self.graph.nodes:
            if not self.mixed.isdisjoint(node.inputs):
                rule = _rule_of(node.op)
                if rule is None or not rule(self, node):
                    return False
            self.value_numbers.add(node)
        return True

    # ---- values --------------------------------------------------------------------------

    def is_result(self, value: Value, index: int) -> bool:
        """Whether a value is the scalar carried at an index, with all that was done to it."""
        reduction = self.findings.by_index.get(index)
        if reduction is None or self.indices.get(value) != index:
            return False
        return reduction.leader is None or self.latest[index] is value

    def becomes(self, index: int, value: Value, reduction: Reduction, cause=None) -> bool:
        """Note that `value` is what the carried number at `index` is now."""
        if not self.findings.add(index, reduction):
            return False
        self.history.setdefault(index, []).append(cause)
        self.stays(index, value)
        return True

    def stays(self, index: int, value: Value) -> None:
        """Note that `value` is another name of the carried number."""
        self.indices[value], self.latest[index] = index, value
        self.mixed.add(value)

    def asks(self, output: Value, test: Test) -> bool:
        """Note that a boolean holds only where a candidate passes a test."""
        self.tests[output] = test
        self.mixed.add(output)
        return True

    def flag(self, value: Value) -> bool | None:
        """The constant that a boolean is."""
        node = self.graph.producers().get(value)
        if node is None or not node.op.is_constant or value.shape or not value.dtype.is_bool:
            return None
        return bool(node.attrs["value"])

    def is_harmless(self, side: _Walk, value: Value) -> bool:
        """Whether a value of one side of a branch comes from the iteration alone, and ends: it may
        be computed in iterations in which the sequential loop would not do so.
        """
        known = set(self.value_numbers.values())
        for node in side.graph.walk():
            if node.op.name == "while":
                return False
            if node.op.element is not None and side.value_numbers[node.output] not in known:
                self.findings.speculative = True  # an index
        return value not in side.mixed

    # ---- numbers -------------------------------------------------------------------------

    def combined(self, node: Node) -> bool:
        """A carried scalar and one of the iteration."""
        x, y = node.inputs
        if node.op.name == "logical_and" and (x in self.tests or y in self.tests):
            return self.guarded(node)
        if x not in self.indices and node.op.combine == node.op.name:  # not a difference
            x, y = y, x
        if x not in self.indices or y in self.mixed or node.output.shape:
            return False
        if not (x.dtype.is_integer or x.dtype.is_bool):
            return False
        assert node.op.combine is not None
        return self.becomes(self.indices[x], node.output, Reduction(node.op.combine))

    def compared(self, node: Node) -> bool:
        """A candidate with a carried scalar."""
        (candidate, carried), op = node.inputs, node.op.name
        if carried not in self.indices:
            candidate, carried = carried, candidate
            op = str(TABLE[op].swapped)
        index = self.indices.get(carried)
        if index is None or candidate in self.mixed or node.output.shape:
            return False
        if self.latest[index] is not carried:
            return False
        test = Test(index, op, self.value_numbers[candidate], carried, True)
        return self.asks(node.output, test)

    def guarded(self, node: Node) -> bool:
        """A test, and something else that the iteration asks."""
        x, y = node.inputs if node.inputs[0] in self.tests else node.inputs[::-1]
        test = self.tests[x]._replace(is_alone=False)
        return y not in self.mixed and self.asks(node.output, test)

    def denied(self, node: Node) -> bool:
        test = self.tests.get(node.inputs[0])
        opposite = None if test is None else negated(test)
        return opposite is not None and self.asks(node.output, opposite)

    # ---- selections ----------------------------------------------------------------------

    def selected(self, node: Node) -> bool:
        test, x, y = node.inputs
        if test in self.tests:
            return self.chosen(node)
        index = self.indices.get(x)
        if test in self.mixed or index is None or self.indices.get(y) != index:
            return False
        reduction = self.findings.by_index.get(index)
        if reduction is None or reduction.leader is not None:
            return False
        return self.becomes(index, node.output, reduction)

    def chosen(self, node: Node) -> bool:
        """A candidate, or what belongs to it, or the carried number."""
        (condition, x, y), side = node.inputs, "then"
        test: Test | None = self.tests[condition]
        if y not in self.indices:
            x, y, side, test = y, x, "orelse", negated(test)
        index = self.indices.get(y)
        if test is None or index is None or self.latest[index] is not y or x in self.mixed:
            return False
        now = self.latest[test.position] is test.version
        if not now and self.history.get(test.position, [None])[-1] is not condition:
            return False
        if index == test.position:
            if self.value_numbers[x] != test.candidate:
                return False
            self.findings.choices[node] = (index, side)
        return self.becomes(index, node.output, Reduction(test.op, test.position), condition)

    # ---- branches ------------------------------------------------------------------------

    def branch(self, node: Node) -> bool:
        test, *operands = node.inputs
        then, orelse = (self.inside(node.attrs[key], operands) for key in ("then", "orelse"))
        if not (then.run() and orelse.run()):
            return False
        if test in self.tests:
            return self.taken_branch(node, then, orelse)
        if test in self.mixed:
            return self.decided(node, then, orelse)
        rows = zip(node.outputs, then.graph.outputs, orelse.graph.outputs, strict=True)
        return all(self.either(node, then, orelse, *row) for row in rows) and self.hands_out(
            node, then, orelse
        )

    def comes_out(self, index: int, output: Value, node: Node, *walks: _Walk) -> bool:
        """Note the result of a branch or loop that is the carried number at `index`."""
        if any(index in walk.history for walk in walks):
            return self.becomes(index, output, self.findings.by_index[index], node)
        self.stays(index, output)
        return True

    def hands_out(self, node: Node, *walks: _Walk) -> bool:
        """Whether what changed in inner graphs is a result of the node."""
        changed = {index for walk in walks for index in walk.history}
        return all(self.latest[index] in node.outputs for index in changed)

    def either(self, node: Node, then: _Walk, orelse: _Walk, output: Value, x, y) -> bool:
        """One result of a branch that the iteration decides alone."""
        if x not in then.mixed and y not in orelse.mixed:
            return True
        index, other = then.indices.get(x), orelse.indices.get(y)
        if index is not None and index == other:
            if then.latest[index] is not x or orelse.latest[index] is not y:
                return False
            return self.comes_out(index, output, node, then, orelse)
        self.mixed.add(output)
        if x in then.tests and self.is_false(node, orelse, y):
            inner = then.tests[x]
            if then.first[inner.position] is inner.version:
                version = self.latest[inner.position]
                self.tests[output] = inner._replace(version=version, is_alone=False)
            return True
        if other is not None:
            return self.switched(other, output, then, x, node)
        if index is not None:
            return self.switched(index, output, orelse, y, node)
        return True

    def switched(self, index: int, output: Value, side: _Walk, value: Value, node: Node) -> bool:
        """A boolean that a branch sets on one side."""
        flag = side.flag(value)
        operands = dict(zip(side.graph.inputs, node.inputs[1:], strict=True))
        if operands.get(value) is node.inputs[0]:  # the test
            flag = side.graph is node.attrs["then"]
        if flag is None:
            return False
        return self.becomes(index, output, Reduction("logical_or" if flag else "logical_and"), node)

    def is_false(self, node: Node, orelse: _Walk, value: Value) -> bool:
        """Whether a value on the other side of a branch is False: the test, or a constant."""
        operands = dict(zip(orelse.graph.inputs, node.inputs[1:], strict=True))
        return operands.get(value) is node.inputs[0] or orelse.flag(value) is False

    def taken_branch(self, node: Node, then: _Walk, orelse: _Walk) -> bool:
        """A branch that replaces a carried number by a candidate, or asks for more."""
        test = self.tests[node.inputs[0]]
        opposite = negated(test)
        return self.choices(node, test, "then", then, orelse) or (
            opposite is not None and self.choices(node, opposite, "orelse", orelse, then)
        )

    def choices(self, node: Node, test: Test, side: str, take: _Walk, keep: _Walk) -> bool:
        replaced = []
        for output, x, y in zip(node.outputs, take.graph.outputs, keep.graph.outputs, strict=True):
            index = keep.indices.get(y)
            if not self.is_harmless(take, x):
                return False
            if index is not None and keep.first[index] is y:
                replaced.append((index, output, x))
            elif side == "then" and self.is_false(node, keep, y):
                self.asks(output, test._replace(is_alone=False))
            else:
                return False
        if not replaced:
            return True
        candidates = [take.value_numbers[x] for index, _, x in replaced if index == test.position]
        if candidates != [test.candidate] or self.latest[test.position] is not test.version:
            return False
        self.findings.choices[node] = (test.position, side)
        reduction = Reduction(test.op, test.position)
        return all(self.becomes(index, output, reduction, node) for index, output, _ in replaced)

    def decided(self, node: Node, then: _Walk, orelse: _Walk) -> bool:
        """`seen or ...` and `all_so_far and ...`, which decide by the carried boolean."""
        index = self.indices.get(node.inputs[0])
        if index is None or len(node.outputs) != 1:
            return False
        (x,), (y,) = then.graph.outputs, orelse.graph.outputs
        if (then.indices.get(x) == index or then.flag(x) is True) and self.is_harmless(orelse, y):
            return self.becomes(index, node.output, Reduction("logical_or"), node)
        if (orelse.indices.get(y) == index or orelse.flag(y) is False) and self.is_harmless(
            then, x
        ):
            return self.becomes(index, node.output, Reduction("logical_and"), node)
        return False

    # ---- loops ---------------------------------------------------------------------------

    def loop(self, node: Node) -> bool:
        """An inner loop, which ends without a look at what it reduces."""
        carried = node.attrs["carried"]
        test = self.inside(node.attrs["test"], node.inputs, carried)
        body = self.inside(node.attrs["body"], node.inputs, carried)
        if any(not test.mixed.isdisjoint(inner.inputs) for inner in test.graph.nodes):
            return False
        if test.graph.outputs[0] in test.mixed or not body.run():
            return False
        rows = zip(node.outputs, body.graph.inputs, body.graph.outputs, strict=False)
        for output, start, result in rows:
            index = body.indices.get(start)
            if index is None:
                if start in body.mixed or result in body.mixed:
                    return False
                continue
            is_latest = body.indices.get(result) == index and body.latest[index] is result
            if not (is_latest and self.comes_out(index, output, node, body)):
                return False
        return self.hands_out(node, body)


def _rule_of(op: Op) -> Callable[[_Walk, Node], bool] | None:
    """What an operation on a carried scalar means."""
    if op.combine is not None:
        return _Walk.combined
    if op.swapped not in (None, op.name):  # an ordering, not `==` or `!=`
        return _Walk.compared
    return RULES.get(op.name)


RULES = {"logical_not": _Walk.denied, "select": _Walk.selected}
RULES |= {"if": _Walk.branch, "while": _Walk.loop}
