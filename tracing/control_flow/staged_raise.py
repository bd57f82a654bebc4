"""`raise` inside staged statements: it is recorded, and ends the body that it stands in."""

from __future__ import annotations

import contextlib
from typing import Any

from ...autograph.operators import raising
from ...autograph.operators.raising import StagedBody, StagedRaise, StagedTestError
from ...autograph.stager import Effect
from ...runtime.core.classes import class_of
from ...runtime.core.deferred_strings import DEFERRED, Forms, Hole, Items, fill
from ...runtime.core.errors import AssertionFailedError
from ...runtime.core.source_locations import SourceLocation, is_internal
from ...runtime.ir.op import WRITES
from ...runtime.ops.control.control_flow import RaiseError
from ...runtime.ops.state.printing import Shown
from ...runtime.tensors.apply import BUILDER, apply, is_symbolic_tensor, tensor_of
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.name_scopes import within
from ..structures import nest
from ..structures.errors import StagedHandlerError, StagingError

NEVER = object()  # the outcome of a body that always raises


def outcome(body, *args):
    """The result of a body of a staged statement; NEVER if it always raises."""
    with StagedBody():
        try:
            result = body(*args)
        except StagedRaise:
            result = NEVER
        check_trace(BUILDER.get())
        return _with_strings(result)


def _with_strings(result):
    """The result of a body; strings that show its tensors are tensors themselves."""
    if result is NEVER or not BUILDER.get().strings:
        return result
    if not any(isinstance(leaf, str) for leaf in nest.flatten(result)):
        return result
    return nest.map_structure(_as_string_tensor, result)


def _as_string_tensor(leaf):
    tensor = tensor_of(leaf) if isinstance(leaf, str) else None
    return leaf if tensor is None else tensor


@contextlib.contextmanager
def leaving_statement():
    """Around a staged statement: an exception that leaves it must reach the caller of the graph."""
    builder = BUILDER.get()
    try:
        yield
    except StagedTestError:  # a request, which this package handles
        raise
    except Exception as error:
        builder.failed = error
        refused = raising.refused(error, refusal_of)
        if refused is not None:
            raise refused from error
        raise


def check_trace(builder: Builder) -> None:
    """Refuse a trace that went on although an exception left one of its staged statements; run its
    last checks.
    """
    if builder.failed is not None:
        raise refusal_of(builder.failed)
    checks, builder.last_checks = builder.last_checks, []
    for check in checks:
        check()


def refusal_of(error: Exception) -> Exception:
    """The error for an exception of a block that is caught outside the staged statement."""
    if isinstance(error, StagingError):
        return error
    what = str(error).partition("\n")[0]
    refusal = StagedHandlerError(
        f"whether this {type(error).__name__} ({what}) happens is known only when the graph runs, "
        "but an `except` or `with` around the staged statement catches it, and handlers run while "
        "the function is traced",
        "Catch it inside the block that raises it, test for it with `if`, or catch it where the "
        "function is called.",
        _raised_at(error),
    )
    refusal.__cause__ = error
    return refusal


def _raised_at(error: Exception) -> SourceLocation | None:
    """The user's innermost line in a traceback."""
    entry, last = error.__traceback__, None
    while entry is not None:
        if not is_internal(entry.tb_frame):
            last = entry
        entry = entry.tb_next
    if last is None:
        return None
    return SourceLocation(last.tb_frame.f_code, last.tb_lasti, last.tb_lineno)


class Quoted:
    """The tensors that strings refer to, formatted while an exception is constructed."""

    def __init__(self):
        self.rows: list = []

    def as_traced(self, error):
        """The exception as tracing raises it: strings name tensors, not their values."""
        if not self.rows:
            return error
        forms = Forms(self.rows, is_symbolic_tensor)
        return fill(forms.of(error), forms.tensors)

    def fail(self, error: BaseException) -> None:
        """Record that the exception is raised here when the graph runs."""
        forms = Forms(self.rows, is_symbolic_tensor)
        form = forms.of(error)
        apply(RaiseError, tuple(forms.tensors), {"form": form})  # type: ignore[arg-type]


def deferred(make) -> tuple:
    """`make()`, with references to tensors in its strings, and the tensors referred to."""
    recording = Quoted()
    with within(DEFERRED, recording.rows):
        return make(), recording


def parts_of(message) -> list:
    """The strings and tensors that the text of `message()` is made of."""

    def string():
        value = message()
        is_shown = class_of(value) in (tuple, list, dict) or is_symbolic_tensor(value)
        return str(value) if is_shown else value

    result, quoted = deferred(string)
    forms = Forms(quoted.rows, is_symbolic_tensor)
    form = forms.of(result) if isinstance(result, str) else result
    if not isinstance(form, Items):
        return [result]
    return [
        Shown(forms.tensors[part.index], part.show)  # type: ignore[arg-type]
        if isinstance(part, Hole)
        else part
        for part in form.parts
    ]


def display_of(value, directive: str) -> str:
    """The string `directive % value`."""
    shown: Any = value if isinstance(value, str) else tensor_of(value)
    is_deferred = is_symbolic_tensor(tensor_of(value)) and DEFERRED.get() is not None
    return shown.formatted("percent", directive) if is_deferred else directive % (value,)


def effect_of(node) -> Effect | None:
    """The effect of a node besides its results, if any."""
    writes, may_raise = node.effect == WRITES, _may_raise(node)
    if not writes and not may_raise:
        return None
    return Effect(node.where, writes, may_raise, writes and _acts(node))


def _may_raise(node) -> bool:
    """Whether a node, or a node in its sub-graphs, raises an exception of the program."""
    return any(each.op.always_raises or each.op.is_check for each in _all_nodes(node))


def _acts(node) -> bool:
    """Whether a node, or a node in its sub-graphs, does more than compute and check: it changes
    state, or is a `raise` or an `assert` of the program.
    """
    return any(
        each.effect == WRITES
        and not (each.op.is_check and not _is_of_program(each))
        and not each.op.supplies_items
        and not _graphs_of(each)
        for each in _all_nodes(node)
    )


def _is_of_program(check) -> bool:
    return check.op.always_raises or check.attrs.get("kind") is AssertionFailedError


def _graphs_of(node) -> list:
    return [*node.subgraphs.values(), *filter(None, [node.attrs.get("graph")])]


def _all_nodes(node) -> list:
    """A node, and the nodes in its sub-graphs."""
    return [node, *(each for graph in _graphs_of(node) for each in graph.walk())]
