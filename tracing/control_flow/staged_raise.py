"""`raise` inside staged statements: recorded, and the part that raises ends there."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar

from ...autograph.operators.raising import StagedRaise
from ...autograph.operators.undefined import MaybeSet, Undefined
from ...runtime.core import deferred_strings
from ...runtime.core.deferred_strings import QUOTES, Forms, fill
from ...runtime.ops.control.raise_error import RaiseError
from ...runtime.tensors.apply import apply, is_symbolic_tensor, tensor_of
from ...runtime.tensors.tensor import SymbolicTensor
from ..structures import nest
from ..structures.leaves import blank
from . import conditionally_assigned

DEPTH: ContextVar[int] = ContextVar("allograph_staged_depth", default=0)
NEVER = object()  # the outcome of a part that always raises


@contextlib.contextmanager
def staged_part():
    """What is traced inside runs or not: only the graph can tell."""
    token = DEPTH.set(DEPTH.get() + 1)
    try:
        yield
    finally:
        DEPTH.reset(token)


def outcome(part, *args):
    """`part(*args)`, traced as a part of a staged statement; NEVER where it always raises."""
    with staged_part():
        try:
            return part(*args)
        except StagedRaise:
            return NEVER


def passed_on(name, value, sides, goes: int):
    """A name after an `if` of which only the side `goes` goes on: the other always raises."""
    if isinstance(value, Undefined) and not isinstance(value, MaybeSet):
        return [], lambda leaves: value
    held = conditionally_assigned.parts(value) if isinstance(value, Undefined) else value
    pairs, kept = [], []
    for leaf in nest.flatten(held):
        inside = isinstance(leaf, SymbolicTensor) and leaf.builder is sides[goes]
        kept.append(not inside)
        if inside:
            pair = [leaf, leaf]
            pair[1 - goes] = blank(leaf, sides[1 - goes], name)
            pairs.append(tuple(pair))

    def rebuild(leaves):
        made = iter(leaves)
        rows = zip(kept, nest.flatten(held), strict=True)
        packed = nest.pack_sequence_as(held, [one if keep else next(made) for keep, one in rows])
        if held is value:
            return packed
        return value.holding(*packed)

    return pairs, rebuild


class Quoted:
    """The tensors whose texts were asked for while an exception was made."""

    def __init__(self):
        self.rows: list = []

    def as_traced(self, error):
        """The exception as it is without a graph to run: texts name tensors, not values."""
        if not self.rows:
            return error
        forms = Forms(self.rows, is_symbolic_tensor)
        return fill(forms.of(error), forms.tensors)


def quoted(make) -> tuple:
    """`make()`, with marks for tensors in texts, and what the marks mean."""
    made = Quoted()
    token = QUOTES.set(made.rows)
    try:
        return make(), made
    finally:
        QUOTES.reset(token)


def display_of(value, show) -> str:
    tensor = tensor_of(value)
    mark = deferred_strings.quoted(tensor, show) if is_symbolic_tensor(tensor) else None
    return show(value) if mark is None else mark


def may_raise(node) -> bool:
    """Whether a node, or what is inside of it, raises an exception of the program."""
    graphs = [*node.subgraphs.values(), *filter(None, [node.attrs.get("graph")])]
    inner = (each for graph in graphs for each in graph.walk())
    return any(each.op.always_raises for each in (node, *inner))


def fail(error: BaseException, quoted: Quoted) -> None:
    """Record that an exception is raised here."""
    forms = Forms(quoted.rows, is_symbolic_tensor)
    form = forms.of(error)
    apply(RaiseError, tuple(forms.tensors), {"form": form})
