"""Staged `if`, `while` and `for` in NumPy mode: the state is numbers and arrays.

Arrays that a statement changes in place are cells, and need no state.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from ....autograph.operators.raising import Retrace, TraceSignal, retraced
from ....autograph.operators.shared_containers import RESULT
from ....autograph.operators.undefined import Undefined, UndefinedReturnValue
from ....autograph.stager import OPERAND
from ....runtime.core.source_locations import user_location
from ....runtime.ir.op import TABLE as OPS
from ....runtime.tensors.apply import BUILDER
from ...control_flow import recorded_statements
from ...control_flow.recorded_statements import kept, on_sides, side_builders
from ..refusal import Fallback, OfStatement, RefusedError, Statement, is_interruption, numpy_trace
from ..traced_array import TracedArray
from ..traced_scalar import TracedScalar, boolean, require, scalar_of
from . import changing_sizes
from .carried_values import (
    Carried,
    Number,
    assigned,
    carried_or_nothing,
    flattened,
    is_from_outside,
    is_same,
    joined,
    joined_arrays,
    joined_sizes,
    outside,
    united,
)
from .tuples import form_of, spread, with_tuples

CONVERTED = f"<{__name__.partition('.')[0]} "  # how files of converted code are called


def retried(record: Callable[[Statement], Any], forms: tuple = (), state: tuple = ()):
    """The outcome of a statement, which is recorded again after each change that it asks for.

    Arrays that it changes move to cells. `forms` are those of names that hold tuples, `state` tells
    loops at one place apart.
    """
    builder, trace, around = BUILDER.get(), numpy_trace(), numpy_trace().learned
    learned = around.of((builder.name, _place(), state))
    before = Statement(builder, builder.checkpoint(), learned.layouts, forms)

    def recorded(statement: Statement):
        learned.passed.clear()
        trace.learned, trace.statements[builder] = learned, statement
        try:
            result = record(statement)
        except (TraceSignal, Exception) as error:
            if not is_interruption(error) and (writes := trace.writes_to_store()):
                raise Retrace(writes) from None
            if isinstance(error, RefusedError) and error.about is builder:
                builder.rollback(statement.checkpoint)
            raise
        finally:
            trace.learned = around
            trace.statements.pop(builder, None)
        trace.check_writes(builder)
        is_known = all(each is None or type(each) is Number for each in statement.layouts or ())
        learned.layouts = statement.layouts if is_known and not any(statement.forms) else None
        return result

    return retraced(recorded, before, OfStatement)


def _place() -> tuple:
    """Where the program is: the lines of the functions that have called one another."""
    frame, place = sys._getframe(1), []
    while frame is not None:
        if frame.f_code.co_filename.startswith(CONVERTED):
            place.append((id(frame.f_code), frame.f_lasti))
        frame = frame.f_back
    return tuple(place)


class Truth:
    """The value of an `and` or `or` of which an operand is a list: only its truth is known."""

    __slots__ = ("truth",)

    def __init__(self, truth):
        self.truth = truth


# ---- if --------------------------------------------------------------------------------------


def record_if(test, then: Callable, orelse: Callable, names, live=None) -> tuple:
    """The state after an `if`, as for the stager."""
    return retried(_If(test, then, orelse, names).results)


def _either(carried: Carried, outputs, left, right, room):
    """The value of a name that two branches leave as one or the other, perhaps in the memory of a
    storage.
    """
    result = carried.unflatten(outputs)
    if type(result) is TracedArray:
        result.storage.grown_from = room
    is_set = not any(isinstance(side, Undefined) for side in (left, right))
    if type(carried) is Number and carried.is_integer and is_set:
        first, second = scalar_of(left), scalar_of(right)
        result.bound = max(first.bound, second.bound)
    return result


def _of_no_type(name: str) -> Undefined:
    """The value of a name that differs between the branches, and is not carried out of them."""
    trace, why = numpy_trace(), "it differs between the branches"
    if name == RESULT:
        reason = "values of different types are returned in different cases"
        return Undefined(name, why, RefusedError(reason, None, user_location()))
    may_help = Fallback.MIXED_NUMBERS in trace.met - trace.options.fallbacks  # in another trace
    return Undefined(name, why, RefusedError(f"'{name}': {why}") if may_help else None)


class _If:
    def __init__(self, condition, then, orelse, names):
        self.condition = condition
        self.sides = (then, orelse)
        self.names = names
        self.outer = BUILDER.get()

    def results(self, statement: Statement) -> tuple:
        self.test, builders, states = boolean(self.condition), side_builders(), []
        for builder, side in zip(builders, self.sides, strict=True):
            try:
                with builder:
                    states.append(tuple(side()))
            except Exception as error:
                if is_interruption(error):
                    raise
                states.append(error)
        if any(isinstance(state, Exception) for state in states):
            return self._without_the_branch_that_raises(states)
        truths = self._with_truths(builders, states)
        forms = list(map(form_of, *states))
        names, *states = (spread(forms, row) for row in (self.names, *states))
        rows = list(zip(names, *states, strict=True))
        layouts = [self._layout(builders, *row) for row in rows]
        pairs = zip(layouts, rows, strict=True)
        merged = [self._merged(builders, layout, *row) for layout, row in pairs]
        on_sides(builders, numpy_trace().indexed.check, builders)
        numpy_trace().check_writes(self.outer)
        results = recorded_statements.record_if(self.test, builders, merged, lambda *_: None)
        numpy_trace().leave(builders)
        carried = [at for at, layout in enumerate(layouts) if layout is not None]
        results = with_tuples(forms, united(results, carried, states))
        return tuple(
            Truth(value.tensor) if at in truths else value for at, value in enumerate(results)
        )

    def _merged(self, builders: list, layout: Carried | None, name, left, right) -> tuple:
        """The pairs of tensors by which a name is carried, and what makes its value of outputs."""
        if layout is not None:
            arrays = [each for each in (left, right) if type(each) is TracedArray]
            (room,) = outside(self.outer, [each.storage for each in arrays])[:1] or [None]
            flatten = partial(flattened, carried=layout, room=room)
            tensors = on_sides(builders, flatten, (left, right))
            return list(zip(*tensors, strict=True)), lambda outputs: _either(
                layout, outputs, left, right, room
            )
        if isinstance(left, UndefinedReturnValue) and is_from_outside(self.outer, right):
            return kept(right)
        is_kept = isinstance(right, UndefinedReturnValue) and is_from_outside(self.outer, left)
        return kept(left if is_kept or is_same(left, right) else _of_no_type(name))

    def _with_truths(self, builders: list, states: list) -> set[int]:
        """The positions of operands of `and` and `or` that are lists, which are replaced in the
        states by their truth.
        """
        positions = {
            at for at, name in enumerate(self.names) for state in states
            if name == OPERAND and hasattr(type(state[at]), "truth")
        }  # fmt: skip
        if positions:
            states[:] = on_sides(builders, lambda state: tuple(
                TracedScalar(boolean(value), bool, 1) if at in positions else value
                for at, value in enumerate(state)
            ), states)  # fmt: skip
        return positions

    def _without_the_branch_that_raises(self, states: list) -> tuple:
        """The state after the other branch: Python runs calls that take the one that raises."""
        first, second = states
        if not isinstance(first, Exception):
            require(self.test)
            return tuple(self.sides[0]())
        if isinstance(second, Exception):
            raise first
        require(OPS["logical_not"](self.test))
        return tuple(self.sides[1]())

    def _layout(self, builders: list, name, left, right) -> Carried | None:
        """How a name is carried whose values differ; None where it is not."""
        if is_same(left, right):
            return None
        if layout := assigned(name, left, right):
            return layout
        if changing_sizes.has_other_size(left, right):
            shapes = on_sides(builders, changing_sizes.memory_of, (left, right))
            return joined_sizes(self.outer, None, changing_sizes.common(*shapes), [left, right])
        values = [each for each in (left, right) if not isinstance(each, UndefinedReturnValue)]
        layouts = list(map(carried_or_nothing, values))
        if None in layouts:
            return None
        if len(values) < 2 and is_from_outside(self.outer, *values):  # a flag guards the `return`
            return None
        layout = joined(name, layouts[0], layouts[-1])
        return layout if layout.shape is None else joined_arrays(self.outer, None, values)
