"""Control flow as functions: `cond`, `while_loop` and friends, eager or in a graph."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

from ...autograph.operators.logical import staged_choice
from ...autograph.operators.undefined import UnsetByBranchError
from ...autograph.stager import BRANCHES
from ...runtime.core.public_names import expose, public
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ...runtime.tensors.name_scopes import CONTROLS, within
from ..control_flow import staged_while
from ..structures import nest
from ..structures.leaves import Deferred
from .graph_stager import STAGER

expose(UnsetByBranchError, "errors.UnsetByBranchError")


@public("cond")
def cond(pred, true_fn=None, false_fn=None, name=None):
    """The result of `true_fn()` if `pred` holds, else of `false_fn()`; both return the same
    structure.

    >>> int(ag.cond(ag.constant(3) > 0, lambda: 1, lambda: 2))
    1

    Raises InconsistentBranchError (a TypeError) where the results differ in type.
    """
    for branch in (true_fn, false_fn):
        if not callable(branch):
            raise TypeError(
                f"cond() takes functions, not {branch!r}: cond(pred, lambda: ..., lambda: ...)"
            )
    if not STAGER.is_staged(pred):
        return (true_fn if pred else false_fn)()
    return staged_choice(pred, true_fn, false_fn, BRANCHES)


@public("while_loop")
def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
):
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; the last loop variables.

    >>> i, total = ag.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0))
    >>> int(total)
    10

    Raises InconsistentLoopError (a TypeError) where a variable changes its type.
    """
    many = isinstance(loop_vars, (list, tuple))
    if many and not loop_vars:
        raise ValueError("while_loop() needs loop variables; what else would end the loop?")
    start = tuple(loop_vars) if many else (loop_vars,)
    state, step = nest.map_structure(_as_tensor, start), partial(_as_step, body)
    if BUILDER.get() is None:
        after = _loop_eagerly(cond, step, state, maximum_iterations)
        return nest.sequence_like(loop_vars, after) if many else after[0]
    options = {}
    if shape_invariants is not None:
        shapes = nest.flatten(tuple(shape_invariants) if many else (shape_invariants,))
        variables = nest.flatten(state, nest.user_container_type)
        options["shape_invariants"] = list(zip(variables, shapes, strict=True))
    names = tuple(f"loop_vars[{index}]" for index in range(len(state)))
    if maximum_iterations is not None:
        limit = convert_to_tensor(maximum_iterations)
        counted = (convert_to_tensor(0, limit.dtype), *state)
        after = staged_while.while_loop(
            lambda count, *values: convert_to_tensor(cond(*values)) & (count < limit),
            lambda count, *values: (count + 1, *step(*values)),
            counted, ("the count", *names), options,
        )[1:]  # fmt: skip
    else:
        after = staged_while.while_loop(cond, step, state, names, options)
    return nest.sequence_like(loop_vars, after) if many else after[0]


def _as_tensor(leaf):
    """A loop variable; the rows of a TensorArray may have no shape yet."""
    return leaf if isinstance(leaf, Deferred) else convert_to_tensor(leaf)


def _as_step(body, /, *values):
    after = body(*values)
    return tuple(after) if isinstance(after, (list, tuple)) else (after,)


def _loop_eagerly(cond, step, state, maximum_iterations):
    count = 0
    while (maximum_iterations is None or count < maximum_iterations) and cond(*state):
        state = nest.map_structure(_as_tensor, step(*state))
        count += 1
    return state


@public("control_dependencies")
@contextmanager
def control_dependencies(control_inputs):
    """Operations inside run after `control_inputs`, as they do anyway: program order is kept.

    It matters where a `Session` runs a part of a graph: the control inputs belong to that part.
    None forgets those of the surrounding blocks.
    """
    inputs = () if control_inputs is None else (*CONTROLS.get(), *nest.flatten(control_inputs))
    with within(CONTROLS, inputs):
        yield
