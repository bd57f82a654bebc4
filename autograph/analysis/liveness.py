"""Liveness: the names whose value may still be read, before and after each statement.

The analysis runs after jumps became flags, so control only falls through, or an exception leaves a
block of `try` or `with` anywhere. In other statements with blocks (`match`), every name that they
read is live throughout.
"""

from __future__ import annotations

import gast

from ..syntax.templates import BLOCKS, children_of
from .names import SCOPES, assigned_in_operands, in_scope, names_in, names_of

FrozenNames = frozenset[str]
WITH = (gast.With, gast.AsyncWith)


def live_before(block: list, live_after: FrozenNames) -> FrozenNames:
    """The names live before a block of statements."""
    for statement in reversed(block):
        live_after = _before(statement, live_after)
    return live_after


def live_after_each(block: list, live_after: FrozenNames) -> list[FrozenNames]:
    """For each statement of a block, the names live right after it."""
    live_sets = []
    for statement in reversed(block):
        live_sets.append(live_after)
        live_after = _before(statement, live_after)
    return live_sets[::-1]


def live_in_loop(loop, live_after: FrozenNames) -> FrozenNames:
    """The names live at the start of an iteration (and of the test) of a loop."""
    tested = loop.test if isinstance(loop, gast.While) else getattr(loop, "extra_test", None)
    head = live_after | frozenset(_reads(tested) if tested is not None else ())
    while True:
        inside = live_before(loop.body, head)
        if isinstance(loop, gast.For):
            inside -= frozenset(names_of(loop.target).bound)
        if inside <= head:
            return head
        head |= inside


def live_anywhere(statement, live_after: FrozenNames) -> FrozenNames:
    """The names live throughout a statement with blocks, which an exception may leave anywhere."""
    if isinstance(statement, (gast.Match, *WITH)):  # a context manager may swallow it
        return live_after
    if not isinstance(statement, gast.Try):
        return live_after | _reads(statement)
    finished = live_before(statement.finalbody, live_after)
    handled = [
        live_before(handler.body, finished) | _reads(*filter(None, [handler.type]))
        for handler in statement.handlers
    ]
    return finished.union(*handled)


def _reads(*nodes) -> set[str]:
    names = names_in(*nodes)
    return names.read | names.captured


def _before(statement, after: FrozenNames) -> FrozenNames:
    """The names live before a statement, cached by the names live after it."""
    cache = statement.__dict__.setdefault("live_before_by_live_after", {})
    live = cache.get(after)
    if live is None:
        live = cache[after] = _live_before_statement(statement, after)
    return live


def _live_before_statement(statement, after: FrozenNames) -> FrozenNames:
    if isinstance(statement, gast.If):
        either = live_before(statement.body, after) | live_before(statement.orelse, after)
        return either | _reads(statement.test)
    if isinstance(statement, gast.While):
        return live_in_loop(statement, after)
    if isinstance(statement, gast.For):
        return live_in_loop(statement, after) | _reads(statement.iter, statement.target)
    if isinstance(statement, (gast.Return, gast.Raise)):
        return frozenset(_reads(statement))
    reads = _reads(statement)
    if isinstance(statement, gast.Try):
        anywhere = live_anywhere(statement, after)
        return anywhere | live_before(statement.body + statement.orelse, anywhere)
    if isinstance(statement, WITH):
        inside = after | live_before(statement.body, after)  # its context manager may swallow
        return (inside - _bound_on_entry(statement)) | _reads(*statement.items)
    if isinstance(statement, (gast.Assign, gast.AugAssign, gast.FunctionDef, gast.ClassDef)):
        return (after - frozenset(names_of(statement).bound)) | reads
    return after | reads


def _bound_on_entry(statement) -> FrozenNames:
    """The name that a `with` binds before anything happens that its context manager may swallow."""
    target = statement.items[0].optional_vars
    return frozenset([target.id] if isinstance(target, gast.Name) else [])


def maybe_unset(body: list, parameters: set[str]) -> set[str]:
    """The variables, items and attributes that a block sets before the function itself has
    definitely set them.
    """
    surely, unset = set(parameters), set()
    for statement in body:
        names = names_of(statement)
        paths = {path for path, at in names.targets.items() if not isinstance(at, gast.Name)}
        bound = names.bound.keys() | paths
        has_blocks = hasattr(statement, "body") or hasattr(statement, "cases")
        if has_blocks and not isinstance(statement, SCOPES):
            unset |= bound - surely
        else:
            in_operands = assigned_in_operands([statement]).keys()
            unset |= in_operands - surely
            surely |= bound - in_operands
    return unset


def bound_in_tries(body: list) -> set[str]:
    """The variables that a `try` or a `with` binds, unless an exception ends it before."""
    bound: set[str] = set()
    for statement in body:
        if isinstance(statement, SCOPES):
            continue
        if isinstance(statement, (gast.Try, *WITH)):
            bound |= names_of(statement).bound.keys()
        else:
            bound |= bound_in_tries([inner for block in _blocks(statement) for inner in block])
    return bound


def read_before_bound(body: list, seen: set[str]) -> set[str]:
    """The names that a block reads above every statement that binds them: no value can be there.

    `seen` are the names bound so far, to which those of the block are added.
    """
    unbound: set[str] = set()
    for statement in body:
        bound = names_of(statement).bound.keys()
        blocks = [] if isinstance(statement, SCOPES) else _blocks(statement)
        for node in _heads(statement) if blocks else [statement]:
            in_operands = assigned_in_operands([node]).keys()
            names = names_of(node)
            unbound |= names.read - names.captured - in_operands - seen
            if both := (names.read & names.captured) - in_operands - seen:
                here = in_scope([node], children_of)  # and not in a function inside alone
                unbound |= both & {part.id for part in here if isinstance(part, gast.Name)}
        for index, block in enumerate(blocks):
            known = seen | bound  # in loops by the iteration before, in handlers by what failed
            if isinstance(statement, gast.If) or (isinstance(statement, gast.Try) and index == 0):
                known = set(seen)
            elif isinstance(statement, gast.Try):
                later = [names_in(block).bound.keys() for block in blocks[index:]]
                before = [names_in(block).bound.keys() for block in blocks[:index]]
                known -= set().union(*later) - seen.union(*before)
            elif isinstance(statement, WITH):
                known = seen | names_in(*statement.items).bound.keys()
            unbound |= read_before_bound(block, known)
        seen |= bound
    return unbound


def _heads(statement) -> list:
    heads = [getattr(statement, field, None) for field in ("test", "iter", "subject")]
    return [head for head in heads if head is not None] + getattr(statement, "items", [])


def _blocks(statement) -> list[list]:
    """The blocks of a statement, also those of its handlers and cases, in the order of the text."""
    fields = statement.__dict__
    blocks: list[list] = []
    for field in BLOCKS:
        rows = fields.get(field)
        if type(rows) is list and rows:
            is_rows = field in ("handlers", "cases")
            blocks += [row.body for row in rows] if is_rows else [rows]
    return blocks
