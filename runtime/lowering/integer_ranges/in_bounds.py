"""Finds indices that are never out of range, and divisions by what is never 0. Drops assertions
that always hold.

    for i in range(1, len(a)):
        a[i] += a[i - 1]

Code that cannot fail needs no copy of the arrays that it overwrites, and LLVM makes vectors of it.
What is known of integers comes from the trip counts of loops, the conditions of branches, and the
indices that were checked before (`transfer_functions.py`). What holds of the integers that a loop
carries is found by trial (`invariants.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace

from ...core.dtypes import int64
from ...ir.extents import Extent, length_of
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import Scalar, Slot, expanded
from ...ir.node_properties import is_noreturn
from ...ir.op import PURE, TABLE
from ...ir.rewrite import nodes_read
from ...ir.scalar_nodes import ScalarNodes
from ...ir.trip_counts import induction_variable_of
from ..independent_iterations import asserts_late
from .guards import MOST_GUARDS, guards_of, remainder, with_guards
from .invariants import Loop
from .linear_facts import FEW_FORMS, Linear
from .scalar_values import Truth, Values, is_integer
from .transfer_functions import visit

VISITS = 14  # of each node, on average, before the pass gives up
SEARCHED = 40  # linear forms for each node, on average, that searches for proofs may make
SIMPLIFIED = {TABLE[name] for name in ("maximum", "minimum", "floor_mod", "abs", "wrapped_index")}
INDEXED = {TABLE[name] for name in ("strided_slice", "set_item", "window", "set_window")}
CONTROL_FLOW = {TABLE[name] for name in ("while", "if")}
DIVISIONS = {TABLE[name] for name in ("floor_divide", "floor_mod")}


class TooLongError(Exception):
    """The loops of a graph are nested so deeply that the search takes too long."""


def with_proven_indices(graph: Graph) -> Graph:
    """The graph that says which indices are in bounds, without assertions that hold; the graph
    itself if it has none of both, or no loops and branches.
    """
    inside = {node.op for node in graph.walk()}
    if inside.isdisjoint(CONTROL_FLOW) or inside.isdisjoint(INDEXED | {TABLE["assert"]}):
        return graph
    walk = Walk(graph, graph.may_guard)
    proven = walk.whole()
    return with_guards(proven, walk.guards) if walk.guards else proven


class Walk:
    """One walk over a program, in the order in which it runs.

    `relied` says whether what comes later may rely on assertions: not in loops that check them when
    they have ended. `guards` are those that were found for the loops of the graph. Scalars that are
    `needed` stay: sizes of arrays, and what guards compare.
    """

    def __init__(self, graph: Graph, may_guard: bool) -> None:
        nodes = list(graph.walk())
        self.values = Values(SEARCHED * len(nodes) + 500)
        self.visits = VISITS * len(nodes) + 100
        self.relied = True
        self.graph, self.may_guard = graph, may_guard
        self.guards: list[list[Node]] = []
        self.outer: int | None = None  # in a loop: the unknowns before it
        self.unproven: dict[tuple, tuple[Linear, ...]] = {}  # forms to be at most 0, by indices
        self.needed = {length for node in nodes for length in _lengths(node)}
        for position, limit in graph.limits:
            self.values.forms[graph.inputs[position]] = self.values.facts.new(-limit, limit)

    def whole(self) -> Graph:
        """The graph with what was proven; the graph itself where the search takes too long."""
        try:
            return self.visited(self.graph)
        except TooLongError:
            self.guards.clear()
            return self.graph

    def visited(self, graph: Graph) -> Graph:
        """The graph with what was proven; its values are known then."""
        nodes = ScalarNodes()
        renamed: dict[Value, Value] = {}
        producers = graph.producers()
        for node in graph.nodes:
            self.visits -= 1
            if self.visits < 0:
                raise TooLongError
            nodes.where = node.where
            inputs = tuple(renamed.get(value, value) for value in node.inputs)
            current = node if inputs == node.inputs else replace(node, inputs=inputs)
            proven = self.node(current, nodes, renamed, producers)
            if proven is not None:
                nodes.add(proven)
        outputs = tuple(renamed.get(value, value) for value in graph.outputs)
        same = len(nodes.nodes) == len(graph.nodes) and all(
            new is old for new, old in zip(nodes.nodes, graph.nodes, strict=True)
        )
        if same:
            return graph
        return graph.replace(nodes=self.read(nodes.nodes, outputs), outputs=outputs)

    def read(self, nodes: list[Node], outputs: tuple[Value, ...]) -> tuple[Node, ...]:
        """The nodes without scalars that only assertions and checks read that are not there now."""

        def stays(node: Node) -> bool:
            is_plain = node.effect is PURE and not node.may_raise and not node.subgraphs
            return not is_plain or any(value.shape != () for value in node.outputs)

        return nodes_read(nodes, {*outputs, *self.needed}, stays)

    def node(self, node: Node, nodes: ScalarNodes, renamed: dict, producers) -> Node | None:
        """What takes the place of a node; None for nothing."""
        values = self.values
        if node.op is TABLE["while"]:
            return self.loop(node, producers)
        if node.op is TABLE["if"]:
            return self.branch(node)
        if node.op is TABLE["select"]:
            return self.simplified(node, renamed, self.selection)
        if node.op is TABLE["assert"]:
            if values.decided(node.inputs[0]):
                return None
            if self.relied and node.inputs[0].shape == ():
                values.assume(values.truth(node.inputs[0]).if_true)
            return node
        if node.op in INDEXED:
            node = self.with_proven(node, nodes)
        if node.op in DIVISIONS and is_integer(node.inputs[1]) and self.is_divisor(node.inputs[1]):
            node = replace(node, never_raises=True)
        is_checked = node.op is TABLE["wrapped_index"] and not self.is_in_bounds(*node.inputs)
        if node.op in SIMPLIFIED and not is_checked:
            return self.simplified(node, renamed, functools.partial(visit, values))
        if node.subgraphs:
            values.forget(node.outputs)
        else:
            visit(values, node)
        return node

    def simplified(self, node: Node, renamed: dict, learn: Callable[[Node], None]) -> Node | None:
        """The node, or nothing where its result is one of its operands."""
        values, output = self.values, node.output
        learn(node)
        form = values.forms.get(output)
        for operand in () if form is None or output in self.needed else node.inputs:
            is_same_type = operand.dtype is output.dtype and is_integer(operand)
            if is_same_type and values.form(operand) == form:
                renamed[output] = operand
                return None
        return node

    def is_in_bounds(self, index: Value, size: Value) -> bool:
        if not (is_integer(index) and is_integer(size)):
            return False
        form, length = self.values.form(index), self.values.form(size)
        return self.proves(form * -1, form - length + 1)

    def is_divisor(self, value: Value) -> bool:
        """Whether an integer is not 0."""
        form = self.values.form(value)
        return self.proves(form * -1 + 1) or self.proves(form + 1)

    def proves(self, *forms: Linear) -> bool:
        return all(map(self.values.facts.proves, forms))

    # ---- indices -------------------------------------------------------------------------

    def with_proven(self, node: Node, nodes: ScalarNodes) -> Node:
        """A node that says which of its indices are in bounds."""
        first, shape = len(node.op.inputs) - 1, node.inputs[0].shape
        if shape is None:
            return node
        own = node.attrs["index"]
        index = list(expanded(own, len(shape)) if Ellipsis in own else own)
        inputs = list(node.inputs)
        axis, checked = 0, []
        for at, row in enumerate(index):
            size = shape[axis] if type(row) is Slot and not row.in_bounds else None
            if size is not None:
                position = first + row.position
                length = length_of(size)
                form, count = self.values.form(inputs[position]), self.values.form_of(length)
                checked += [form - count + 1, form * -1 - count]
                proven = self.proven(inputs[position], length, nodes, (node.outputs, at))
                if proven is not None:
                    inputs[position] = proven
                    index[at] = Slot(row.position, in_bounds=True)
            axis += row is not None
        if _checks_all(node):  # so what comes later may rely on that
            self.values.assume(checked)
        if not any(type(row) is Slot and row.in_bounds for row in index):
            return node
        return replace(node, inputs=tuple(inputs), attrs={**node.attrs, "index": tuple(index)})

    def proven(self, index: Value, size: Scalar, nodes: ScalarNodes, key: tuple) -> Value | None:
        """The index, counted from the start of its axis, if it is never out of range."""
        form, length = self.values.form(index), self.values.form_of(size)
        is_below, is_positive = form - length + 1, form * -1
        self.unproven.pop(key, None)
        if self.proves(is_below, is_positive):
            return index
        if index.dtype is int64 and self.proves(is_below, is_positive - length):
            return nodes.as_value(nodes.from_start(index, size))
        if self.outer is not None:
            self.unproven[key] = self.remainders(is_below, is_positive)
        return None

    def remainders(self, *forms: Linear) -> tuple[Linear, ...]:
        """Candidates for guards: facts before the loop that would prove that each form is <= 0."""
        facts, candidates = self.values.facts, []
        for form in forms:
            if not facts.proves(form):
                rest = remainder(facts, form, self.outer or 0)
                if rest is None:
                    return ()
                candidates.append(rest)
        return tuple(candidates)

    # ---- control flow --------------------------------------------------------------------

    def branch(self, node: Node) -> Node:
        """A branch. Each side runs where the condition has one truth."""
        values = self.values
        condition, outer = node.inputs[0], len(values.facts.intervals)
        truth = values.truth(condition)
        sides, results, checkpoint = {}, [], values.facts.checkpoint()
        for key, forms in (("then", truth.if_true), ("orelse", truth.if_false)):
            graph = node.attrs[key]
            values.assume(forms)
            for value, operand in zip(graph.inputs, node.inputs[1:], strict=True):
                values.same(value, operand)
                if operand is condition:
                    values.truths[value] = Truth(known=key == "then")
            sides[key] = self.visited(graph)
            results.append(self.results(sides[key], outer))
            values.facts.undo(checkpoint)
        values.forget(node.outputs)
        ended = [key for key in sides if is_noreturn(sides[key])]
        if not ended:
            for output, first, second in zip(node.outputs, *results, strict=True):
                self.join(output, truth, first, second)
        elif len(ended) == 1:  # what comes later runs where it has not raised
            values.assume(truth.if_false if ended == ["then"] else truth.if_true)
        if all(sides[key] is node.attrs[key] for key in sides):
            return node
        return replace(node, attrs={**node.attrs, **sides})

    def results(self, graph: Graph, outer: int) -> list:
        """For each output of a side of a branch: its interval, or truth, and its linear form if
        that is one of unknowns that are computed outside.
        """
        values = self.values
        results: list = []
        for value in graph.outputs:
            if is_integer(value):
                form = values.form(value)
                is_outer = all(unknown < outer for unknown in form.terms)
                results.append((values.facts.interval(form), form if is_outer else None))
            elif value.shape == () and value.dtype.is_bool:
                truth = values.truth(value)
                results.append(truth._replace(known=values.decided(value, FEW_FORMS)))
            else:
                results.append(None)
        return results

    def join(self, output: Value, condition: Truth, first, other) -> None:
        """An output of a branch is one of two values."""
        values = self.values
        if isinstance(first, Truth):
            values.truths[output] = _joined(condition, first, other)
        elif first is not None:
            (low, high), form = first
            (least, most), second = other
            if form is not None and second is not None:
                values.forms[output] = self.one_of(form, second, min(low, least), max(high, most))
            else:
                values.forms[output] = values.facts.new(min(low, least), max(high, most))

    def one_of(self, first: Linear, second: Linear, low: int, high: int) -> Linear:
        """One of two integers, between two limits."""
        if first == second:
            return first
        facts = self.values.facts
        either = facts.new(low, high)
        facts.largest[either.unknown] = facts.smallest[either.unknown] = first, second
        return either

    def selection(self, node: Node) -> None:
        values = self.values
        condition, first, second = node.inputs
        values.forget(node.outputs)
        if not is_integer(node.output) or not all(map(is_integer, (first, second))):
            return
        known = values.decided(condition) if condition.shape == () else None
        forms = values.form(first), values.form(second)
        if known is not None:
            values.forms[node.output] = forms[not known]
            return
        truth, limits = values.truth(condition), []
        for form, assumed in zip(forms, (truth.if_true, truth.if_false), strict=True):
            checkpoint = values.facts.checkpoint()
            values.assume(assumed)
            limits.append(values.facts.interval(form))
            values.facts.undo(checkpoint)
        low, high = min(interval[0] for interval in limits), max(interval[1] for interval in limits)
        values.forms[node.output] = self.one_of(*forms, low, high)

    def loop(self, node: Node, producers) -> Node:
        """A loop. One that becomes so simple that it checks its assertions when it has ended is
        walked anew, without relying on them.
        """
        checkpoint, guards, outside = self.values.facts.checkpoint(), len(self.guards), self.relied
        self.relied = outside and not _is_late(node, producers)
        proven = self.proven_loop(node, producers)
        if self.relied and _is_late(proven, producers):
            self.values.facts.undo(checkpoint)
            del self.guards[guards:]
            self.relied = False
            proven = self.proven_loop(node, producers)
        self.relied = outside
        return proven

    def proven_loop(self, node: Node, producers) -> Node:
        is_outermost = self.may_guard and producers is self.graph.producers()
        graphs = self.guarded(node) if is_outermost else self.walked(node)
        if all(graphs[key] is node.attrs[key] for key in graphs):
            return node
        return replace(node, attrs={**node.attrs, **graphs})

    def walked(self, node: Node) -> dict[str, Graph]:
        return Loop(node, self.values, self.visited).settled()

    def guarded(self, node: Node) -> dict[str, Graph]:
        """The graphs of a loop, with guards before it if these prove all of its indices."""
        facts = self.values.facts
        checkpoint, self.outer = facts.checkpoint(), len(facts.intervals)
        self.unproven.clear()
        try:
            graphs = self.walked(node)
            forms = [form for sides in self.unproven.values() for form in sides]
            if not (any(map(_may_raise, graphs.values())) and 0 < len(forms) <= MOST_GUARDS):
                return graphs
            facts.undo(checkpoint)  # guards run before what the loop tells of integers around it
            guards = guards_of(self.values, self.graph, forms, node.where)
            if guards is not None:
                self.values.assume(forms)
                graphs = self.walked(node)
                if not any(map(_may_raise, graphs.values())):
                    self.guards.append(guards)
                    self.needed.update(value for guard in guards for value in guard.inputs)
                    return graphs
                facts.undo(checkpoint)
            return self.walked(node)
        finally:
            self.outer = None


def _is_late(node: Node, producers: dict[Value, Node]) -> bool:
    return asserts_late(node, induction_variable_of(node, producers))


def _may_raise(graph: Graph) -> bool:
    return any(node.may_raise and not node.subgraphs for node in graph.walk())


def _lengths(node: Node) -> Iterator[Value]:
    """The scalars that computed sizes of a node are, in shapes and in attributes."""
    shapes = [value.shape or () for value in (*node.inputs, *node.outputs)]
    for inner in node.subgraphs.values():
        shapes += [value.shape or () for value in (*inner.inputs, *inner.outputs)]
    for row in (*shapes, *node.attrs.values()):
        if isinstance(row, tuple):
            yield from (size.length for size in row if isinstance(size, Extent))


def _checks_all(node: Node) -> bool:
    """Whether a node checks its indices whatever sizes arrays have: it is about one element."""
    value = node.inputs[1] if node.op is TABLE["set_item"] else node.output
    rows = node.attrs["index"]
    return value.shape == () and not any(type(row) is tuple for row in rows)


def _joined(condition: Truth, first: Truth, second: Truth) -> Truth:
    """The truth of a branch with these results: `x and y`, `x or y` are such branches."""
    if_true: tuple[Linear, ...] = ()
    if_false: tuple[Linear, ...] = ()
    if second.known is False:
        if_true = (*condition.if_true, *first.if_true)
    elif first.known is False:
        if_true = (*condition.if_false, *second.if_true)
    if first.known is True:
        if_false = (*condition.if_false, *second.if_false)
    elif second.known is True:
        if_false = (*condition.if_true, *first.if_false)
    return Truth(if_true, if_false, first.known if first.known is second.known else None)
