"""Guards: what has to hold of integers before a loop for its indices to be in bounds.

    def scale(a, n):
        for i in range(n):    # guard: n <= len(a)
            a[i] *= 2

Native code leaves at a guard that does not hold, before it has changed anything. Code without
guards, which checks indices one by one, runs then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.dtypes import bool_, int64
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import Scalar
from ...ir.scalar_nodes import ScalarNodes, assertion
from .linear_facts import Facts, Linear
from .scalar_values import Values, is_integer, limits_of

DEEPEST = 4
MOST_GUARDS = 6  # of a loop


def remainder(facts: Facts, form: Linear, outer: int, depth: int = DEEPEST) -> Linear | None:
    """A form of unknowns below number `outer` such that `form` is at most 0 where it is; None where
    none is found that may be.

    >>> facts = Facts()
    >>> n, i = facts.new(0, 1000), facts.new(0, 1 << 40)
    >>> facts.assume(i - n + 1)  # i < n
    >>> remainder(facts, i - 10 + 1, outer=1)  # i < 10, where n is at most 10
    u0 - 10
    """
    inner = [unknown for unknown in form.terms if unknown >= outer]
    if not inner:
        return form if form.terms and facts.interval(form)[0] <= 0 else None
    if depth:
        for combination in facts.combined(form, max(inner)):
            rest = remainder(facts, combination, outer, depth - 1)
            if rest is not None:
                return rest
    return None


def guards_of(values: Values, graph: Graph, forms: Iterable[Linear], where) -> list[Node] | None:
    """The nodes that leave native code unless all forms are at most 0, of integers of a graph; None
    where these are not known, or may overflow.
    """
    known = {
        values.forms[value].unknown: value
        for value in reversed((*graph.inputs, *graph.producers()))  # the first of equal ones stays
        if is_integer(value) and value.dtype is int64 and value in values.forms
    }
    nodes = ScalarNodes()
    nodes.where = where
    for form in dict.fromkeys(forms):
        if not form.terms.keys() <= known.keys():
            return None
        test = _comparison(values, form, known, nodes)
        if test is None:
            return None
        nodes.add(assertion(test, "indices are in bounds", where))
    return nodes.nodes


def _comparison(values: Values, form: Linear, known: dict[int, Value], nodes: ScalarNodes):
    """Whether a form is at most 0, as a scalar; None if that may overflow."""
    (unknown, factor), *others = form.terms.items()
    if not others and abs(factor) == 1:
        limit = form.constant * -factor
        if not limits_of(int64)[0] <= limit <= limits_of(int64)[1]:
            return None
        sides = (known[unknown], limit) if factor == 1 else (limit, known[unknown])
        return nodes.computed("less_equal", *sides, dtype=bool_)
    if not all(_fits(values, form)):
        return None
    total: Scalar = form.constant
    for unknown, factor in form.terms.items():
        term = nodes.arithmetic("multiply", known[unknown], factor)
        total = nodes.arithmetic("add", term, total)
    return nodes.computed("less_equal", total, 0, dtype=bool_)


def _fits(values: Values, form: Linear) -> Iterator[bool]:
    """For each integer that a form is computed by, whether it overflows."""
    total = Linear({}, form.constant)
    for unknown, factor in form.terms.items():
        term = Linear({unknown: factor})
        total += term
        for part in (term, total):
            low, high = values.facts.interval(part)
            yield limits_of(int64)[0] <= low and high <= limits_of(int64)[1]


def with_guards(graph: Graph, guards: list[list[Node]]) -> Graph:
    """The graph with guards, each where the integers are known that it is about."""
    nodes = list(graph.nodes)
    for group in guards:
        read = {value for node in group for value in node.inputs}
        at = max((at for at, node in enumerate(nodes, 1) if read & {*node.outputs}), default=0)
        nodes[at:at] = group
    return graph.replace(nodes=tuple(nodes), has_guards=True)
