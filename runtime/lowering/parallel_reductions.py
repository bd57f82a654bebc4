"""Numbers that a loop carries and only reduces: each thread may reduce its own turns, and what they
leave is put together in the order of the turns.

    total += x              integer sums, products, bits, extremes, `and`, `or`: exact in any order
    if x > best:            a choice: the first turn with the largest `x` wins, whoever looks; with
        best, at = x, i     `>=` it is the last

The walk over a body follows each such number through branches and inner loops. Whatever else reads
one makes the loop one of those whose turns depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.graph import Graph, Node, Value
from ..ir.node_properties import attribute_key
from ..ir.op import TABLE, Op
from .carried_scalars import Found, Reduction, Reductions, Test, negated


def reductions_of(body: Graph, places: list[int]) -> Reductions | None:
    """How the numbers carried at these places are reduced, if that is all that becomes of them."""
    found = Found()
    walk = _Walk(body, found, {body.inputs[place]: place for place in places})
    if not walk.run():
        return None
    for place, value in enumerate(body.outputs):
        if place not in places:
            if value in walk.mixed:
                return None
        elif not walk.is_result(value, place):
            return None
    if not found.is_consistent():
        return None
    return Reductions(found.by_place, found.takes, found.speculative)


class _Walk:
    """One walk over a graph. Values that depend on a carried number are *mixed*; those that are a
    carried number, so far, have a place.
    """

    def __init__(self, graph: Graph, found: Found, places: dict[Value, int]):
        self.graph = graph
        self.found = found
        self.places = dict(places)
        self.first = {place: value for value, place in places.items()}
        self.latest = dict(self.first)
        self.mixed = set(places)
        self.tests: dict[Value, Test] = {}
        self.numbers: dict[Value, int] = {}  # equal for the same expression, in all graphs
        self.history: dict[int, list] = {}
        found.histories.append(self.history)

    def inside(self, graph: Graph, operands, own: int = 0) -> _Walk:
        """The walk over an inner graph with these operands; the first `own` change in there."""
        places: dict[Value, int] = {}
        for value, operand in zip(graph.inputs, operands, strict=True):
            place = self.places.get(operand)
            is_latest = place is not None and self.latest[place] is operand
            if is_latest and place not in places.values():
                places[value] = place
        walk = _Walk(graph, self.found, places)
        for at, (value, operand) in enumerate(zip(graph.inputs, operands, strict=True)):
            if operand in self.mixed:
                walk.mixed.add(value)
            if at >= own:
                walk.numbers[value] = self.number(operand)
        return walk

    def run(self) -> bool:
        """Whether every node leaves the carried numbers alone, or reduces them."""
        for node in self.graph.nodes:
            if not self.mixed.isdisjoint(node.inputs):
                rule = _rule_of(node.op)
                if rule is None or not rule(self, node):
                    return False
            self.take_number(node)
        return True

    # ---- values --------------------------------------------------------------------------

    def number(self, value: Value) -> int:
        if value not in self.numbers:
            self.numbers[value] = self.found.number(value)
        return self.numbers[value]

    def take_number(self, node: Node) -> None:
        """Give the result of a node the number of its expression."""
        if node.subgraphs or len(node.outputs) != 1:
            return
        attrs = tuple((name, attribute_key(value)) for name, value in node.attrs.items())
        key = (node.op, attrs, tuple(map(self.number, node.inputs)))
        try:
            self.numbers[node.output] = self.found.number(key)
        except TypeError:  # an attribute that cannot be compared
            return

    def is_result(self, value: Value, place: int) -> bool:
        """Whether a value is the number carried at a place, with all that was done to it."""
        reduction = self.found.by_place.get(place)
        if reduction is None or self.places.get(value) != place:
            return False
        return reduction.leader is None or self.latest[place] is value

    def becomes(self, place: int, value: Value, reduction: Reduction, cause=None) -> bool:
        """Note that `value` is what the carried number at `place` is now."""
        if not self.found.add(place, reduction):
            return False
        self.history.setdefault(place, []).append(cause)
        self.stays(place, value)
        return True

    def stays(self, place: int, value: Value) -> None:
        """Note that `value` is another name of the carried number."""
        self.places[value], self.latest[place] = place, value
        self.mixed.add(value)

    def flag(self, value: Value) -> bool | None:
        """The constant that a boolean is."""
        node = self.graph.producers().get(value)
        if node is None or not node.op.is_constant or value.shape or not value.dtype.is_bool:
            return None
        return bool(node.attrs["value"])

    def is_harmless(self, side: _Walk, value: Value) -> bool:
        """Whether a value of one side of a branch comes from the turn alone, and ends: it may be
        computed in turns in which the loop as it stands would not do so.
        """
        known = set(self.numbers.values())
        for node in side.graph.walk():
            if node.op.name == "while":
                return False
            if node.op.element is not None and side.number(node.output) not in known:
                self.found.speculative = True  # an index
        return value not in side.mixed

    # ---- numbers -------------------------------------------------------------------------

    def combined(self, node: Node) -> bool:
        """A carried number and one of the turn."""
        x, y = node.inputs
        if node.op.name == "logical_and" and (x in self.tests or y in self.tests):
            return self.guarded(node)
        if x not in self.places and node.op.combine == node.op.name:  # not a difference
            x, y = y, x
        if x not in self.places or y in self.mixed or node.output.shape:
            return False
        if not (x.dtype.is_integer or x.dtype.is_bool):
            return False
        return self.becomes(self.places[x], node.output, Reduction(node.op.combine))

    def compared(self, node: Node) -> bool:
        """A candidate with a carried number."""
        (candidate, carried), op = node.inputs, node.op.name
        if carried not in self.places:
            candidate, carried, op = carried, candidate, TABLE[op].swapped
        place = self.places.get(carried)
        if place is None or candidate in self.mixed or node.output.shape:
            return False
        if self.latest[place] is not carried:
            return False
        self.tests[node.output] = Test(place, op, self.number(candidate), carried, True)
        self.mixed.add(node.output)
        return True

    def guarded(self, node: Node) -> bool:
        """A test, and something else that the turn asks."""
        x, y = node.inputs if node.inputs[0] in self.tests else node.inputs[::-1]
        if y in self.mixed:
            return False
        self.tests[node.output] = self.tests[x]._replace(is_alone=False)
        self.mixed.add(node.output)
        return True

    def denied(self, node: Node) -> bool:
        test = self.tests.get(node.inputs[0])
        if test is None or (opposite := negated(test)) is None:
            return False
        self.tests[node.output] = opposite
        self.mixed.add(node.output)
        return True

    # ---- selections ----------------------------------------------------------------------

    def selected(self, node: Node) -> bool:
        test, x, y = node.inputs
        if test in self.tests:
            return self.chosen(node)
        place = self.places.get(x)
        if test in self.mixed or place is None or self.places.get(y) != place:
            return False
        reduction = self.found.by_place.get(place)
        if reduction is None or reduction.leader is not None:
            return False
        return self.becomes(place, node.output, reduction)

    def chosen(self, node: Node) -> bool:
        """A candidate, or what belongs to it, or the carried number."""
        (condition, x, y), side = node.inputs, "then"
        test: Test | None = self.tests[condition]
        if y not in self.places:
            x, y, side, test = y, x, "orelse", negated(test)
        place = self.places.get(y)
        if test is None or place is None or self.latest[place] is not y or x in self.mixed:
            return False
        now = self.latest[test.place] is test.version
        if not now and self.history.get(test.place, [None])[-1] is not condition:
            return False
        if place == test.place:
            if self.number(x) != test.candidate:
                return False
            self.found.takes[node] = (place, side)
        return self.becomes(place, node.output, Reduction(test.op, test.place), condition)

    # ---- branches ------------------------------------------------------------------------

    def branch(self, node: Node) -> bool:
        test, *operands = node.inputs
        then, orelse = (self.inside(node.attrs[key], operands) for key in ("then", "orelse"))
        if not (then.run() and orelse.run()):
            return False
        if test in self.tests:
            return self.taken(node, then, orelse)
        if test in self.mixed:
            return self.decided(node, then, orelse)
        rows = zip(node.outputs, then.graph.outputs, orelse.graph.outputs, strict=True)
        return all(self.either(node, then, orelse, *row) for row in rows) and self.hands_out(
            node, then, orelse
        )

    def comes_out(self, place: int, made: Value, node: Node, *walks: _Walk) -> bool:
        """Note the result of a branch or loop that is the carried number at `place`."""
        if any(place in walk.history for walk in walks):
            return self.becomes(place, made, self.found.by_place[place], node)
        self.stays(place, made)
        return True

    def hands_out(self, node: Node, *walks: _Walk) -> bool:
        """Whether what changed in inner graphs is a result of the node."""
        changed = {place for walk in walks for place in walk.history}
        return all(self.latest[place] in node.outputs for place in changed)

    def either(self, node: Node, then: _Walk, orelse: _Walk, made: Value, x, y) -> bool:
        """One result of a branch that the turn decides alone."""
        if x not in then.mixed and y not in orelse.mixed:
            return True
        place, other = then.places.get(x), orelse.places.get(y)
        if place is not None and place == other:
            if then.latest[place] is not x or orelse.latest[place] is not y:
                return False
            return self.comes_out(place, made, node, then, orelse)
        self.mixed.add(made)
        if x in then.tests and self.is_false(node, orelse, y):
            inner = then.tests[x]
            if then.first[inner.place] is inner.version:
                version = self.latest[inner.place]
                self.tests[made] = inner._replace(version=version, is_alone=False)
            return True
        if other is not None:
            return self.switched(other, made, then, x, node)
        if place is not None:
            return self.switched(place, made, orelse, y, node)
        return True

    def switched(self, place: int, made: Value, side: _Walk, value: Value, node: Node) -> bool:
        """A boolean that a branch sets on one side."""
        flag = side.flag(value)
        operands = dict(zip(side.graph.inputs, node.inputs[1:], strict=True))
        if operands.get(value) is node.inputs[0]:  # the test
            flag = side.graph is node.attrs["then"]
        if flag is None:
            return False
        return self.becomes(place, made, Reduction("logical_or" if flag else "logical_and"), node)

    def is_false(self, node: Node, orelse: _Walk, value: Value) -> bool:
        """Whether a value on the other side of a branch is False: the test, or a constant."""
        operands = dict(zip(orelse.graph.inputs, node.inputs[1:], strict=True))
        return operands.get(value) is node.inputs[0] or orelse.flag(value) is False

    def taken(self, node: Node, then: _Walk, orelse: _Walk) -> bool:
        """A branch that replaces a carried number by a candidate, or asks for more."""
        test = self.tests[node.inputs[0]]
        opposite = negated(test)
        return self.takes(node, test, "then", then, orelse) or (
            opposite is not None and self.takes(node, opposite, "orelse", orelse, then)
        )

    def takes(self, node: Node, test: Test, side: str, take: _Walk, keep: _Walk) -> bool:
        replaced = []
        for made, x, y in zip(node.outputs, take.graph.outputs, keep.graph.outputs, strict=True):
            place = keep.places.get(y)
            if not self.is_harmless(take, x):
                return False
            if place is not None and keep.first[place] is y:
                replaced.append((place, made, x))
            elif side == "then" and self.is_false(node, keep, y):
                self.tests[made] = test._replace(is_alone=False)
                self.mixed.add(made)
            else:
                return False
        if not replaced:
            return True
        candidates = [take.number(x) for place, _, x in replaced if place == test.place]
        if candidates != [test.candidate] or self.latest[test.place] is not test.version:
            return False
        self.found.takes[node] = (test.place, side)
        reduction = Reduction(test.op, test.place)
        return all(self.becomes(place, made, reduction, node) for place, made, _ in replaced)

    def decided(self, node: Node, then: _Walk, orelse: _Walk) -> bool:
        """`seen or ...` and `all_so_far and ...`, which decide by the carried boolean."""
        place = self.places.get(node.inputs[0])
        if place is None or len(node.outputs) != 1:
            return False
        (x,), (y,) = then.graph.outputs, orelse.graph.outputs
        if (then.places.get(x) == place or then.flag(x) is True) and self.is_harmless(orelse, y):
            return self.becomes(place, node.output, Reduction("logical_or"), node)
        if (orelse.places.get(y) == place or orelse.flag(y) is False) and self.is_harmless(then, x):
            return self.becomes(place, node.output, Reduction("logical_and"), node)
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
        for made, given, result in rows:
            place = body.places.get(given)
            if place is None:
                if given in body.mixed or result in body.mixed:
                    return False
                continue
            is_latest = body.places.get(result) == place and body.latest[place] is result
            if not (is_latest and self.comes_out(place, made, node, body)):
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
