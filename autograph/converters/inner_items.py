"""Comprehensions with tests, with several `for`, and of sets and dictionaries, as those of lists:

[y for x in xs if a for y in x if b]   ->
    [it for x in xs for it in ag__.each(xs, a, lambda: x, lambda items: [... when(b) ...])]
{x: y for x in xs}                     ->   [add(x, y) for x in xs]
"""

from __future__ import annotations

import gast

from ..analysis.names import Names
from ..syntax.templates import children_of, constant, copy_location, expression, name


def free_name(base: str, node) -> str:
    """A name that an expression does not use."""
    names = Names(node)
    while base in names.read | names.captured | names.bound.keys():
        base += "_"
    return base


def shares_variables(node) -> bool:
    """Whether iterations must share the variables of the `for` inside: a function among the items
    has them, as in `[lambda: y for x in xs for y in x]`, or one is read before it has a value.
    """
    _, *others = node.generators
    bound = [Names(loop.target).bound.keys() for loop in node.generators]
    captured = Names(node.elt, *(child for loop in others for child in children_of(loop))).captured
    rows = zip(bound, node.generators, others, strict=False)
    reads = [captured, *(Names(loop.iter, first.ifs).read - own for own, first, loop in rows)]
    later = (set().union(*bound[max(at, 1) :]) for at in range(len(reads)))
    return not all(map(set.isdisjoint, later, reads))


def as_list(node):
    """A list comprehension that adds each item of a set, or each key and value, to what is made."""
    function, parts = name(free_name("add_", node)), [getattr(node, "elt", None)]
    if isinstance(node, gast.DictComp):
        parts = [node.key, node.value]
    function.is_plain = True
    listed = gast.ListComp(gast.Call(function, parts, []), node.generators)
    listed.adds, listed.is_dictionary = function.id, len(parts) == 2
    listed.source = constant(gast.unparse(node).strip())
    return copy_location(listed, node)


def guard(node, first, items: str, source) -> None:
    """Rewrite `x for x in items if test`, whose test may be staged, and what has several `for`:
    the others are one inside.
    """
    item = free_name("item_" + items, node)
    tests = [*first.ifs] or [constant(True)]
    test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
    _, *others = node.generators
    if others:
        inner = type(node)(node.elt, others)
        inner.is_inside, inner.source = True, source
        template = f"ag__.each({items}, test, lambda: rows, build, source)"
        parts = {"rows": others[0].iter, "build": inner}
    else:
        template = f"ag__.when({items}, test, lambda: value, source)"
        parts = {"value": node.elt}
    once = expression(template, test=test, source=source, **parts)
    first.ifs = []
    node.elt = name(item)
    node.elt.is_plain = True
    node.generators = [first, gast.comprehension(name(item, gast.Store()), once, [], 0)]
