"""Functions that call themselves while they are traced.

A call that an unfinished trace would serve becomes an operation that refers to the graph to come.
What it gives has to be declared, since nothing is traced yet that could tell.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections import Counter
from collections.abc import Iterator

from ...runtime.core.locks import after_fork_in_child
from ...runtime.core.shapes import as_python, is_compatible, is_subshape
from ...runtime.core.source_locations import SourceLocation, user_location
from ...runtime.ir.callee import Callee
from ...runtime.ir.op import TABLE, Spec
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.tensor import EagerTensor, SymbolicTensor
from ..structures import nest
from ..structures.errors import DeclaredResultError, RetracingLimitError
from ..type_system.function_type import FunctionType
from ..type_system.trace_types import TensorSpec
from .error_notes import user_locations

UNDECLARED = object()
MANY_LEVELS = 10  # nested traces that explain why Python's recursion limit is reached


def declared_result(function, signature: inspect.Signature, output_signature):
    """The structure of specs that a function is declared to return, or UNDECLARED.

    It is `output_signature`, else the annotation of the result where that consists of specs.
    """
    if output_signature is not None:
        if not _is_specs(output_signature):
            raise TypeError(
                f"output_signature is a TensorSpec or a structure of them, not {output_signature!r}"
            )
        return output_signature
    declared = getattr(function, "__annotations__", {}).get("return", UNDECLARED)
    if isinstance(declared, str):
        try:
            declared = inspect.get_annotations(function, eval_str=True).get("return", UNDECLARED)
        except Exception:  # an annotation may say anything at all
            return UNDECLARED
    return declared if declared is None or _is_specs(declared) else UNDECLARED


def _is_specs(structure) -> bool:
    leaves = nest.flatten(structure)
    return bool(leaves) and all(isinstance(leaf, TensorSpec) for leaf in leaves)


def _declaration(tensors) -> str:
    """The decorator that declares a result like the first argument."""
    dims, dtype = "[]", "int32"
    if tensors:
        dims, dtype = as_python(tensors[0].dims), tensors[0].dtype.name
    return f"@ag.function(output_signature=ag.TensorSpec({dims}, ag.{dtype}))"


def refuse_endless_calls(error: RecursionError) -> None:
    """Raise RetracingLimitError if a function that is not decorated called itself to the limit."""
    locations = user_locations(error.__traceback__)
    ((name, count),) = Counter(place.function for place in locations).most_common(1) or [("", 0)]
    if count > MANY_LEVELS:
        calls = [place for place in locations if place.function == name]
        raise RetracingLimitError(
            f"'{name}' calls itself while it is traced, up to Python's recursion limit; a tensor "
            "cannot end that",
            f"Decorate it and declare its result, for example {_declaration(())}",
            calls[0],
        ) from None


class Unfinished:
    """A trace that is being made. Calls that it will serve are recorded as calls of it."""

    in_scope_only = True
    captured_tensors = ()
    guards = None

    def __init__(self, name: str, function_type: FunctionType, declared, enforced: bool):
        self.name = name
        self.function_type = function_type
        self.declared = declared
        self.depth = 1  # nested traces of the function, this one included
        self.where: SourceLocation | None = None  # the call that made the second of them
        self._enforced = enforced
        self._captured: list[SymbolicTensor] = []  # of the enclosing graph, passed on by each call
        self.callee: Callee | None = None
        self.begin()

    def begin(self) -> None:
        """Start an attempt at the trace; calls of an earlier attempt are forgotten."""
        self.abandon()
        specs = [] if self.declared is UNDECLARED else nest.flatten(self.declared)
        outputs = tuple(Spec(spec.dtype, spec.dims) for spec in specs if spec is not None)
        self.callee = Callee(self.name, outputs)
        self._called = False

    def abandon(self) -> None:
        """Mark the callee as abandoned if its trace was not completed."""
        if self.callee is not None and self.callee.graph is None:
            self.callee.abandoned = True

    def run(self, tensors: list, captures):
        """Record the call; RetracingLimitError if no result type is declared."""
        builder = BUILDER.get()
        if self.declared is UNDECLARED or builder is None:
            raise RetracingLimitError(
                f"'{self.name}' is recursive: it calls itself with arguments of the same types "
                "while it is traced, which would not end",
                f"Declare what it returns, for example {_declaration(tensors)}",
            )
        self._called = True
        operands = [*tensors, *self._captured]
        outputs = builder.record(TABLE["recur"], operands, {"callee": self.callee}, self.name)
        return None if self.declared is None else nest.pack_sequence_as(self.declared, outputs)

    def conform(self, result):
        """The result in its declared form; DeclaredResultError if it does not match."""
        if self.declared is UNDECLARED or not (self._enforced or self._called):
            return result
        if not nest.same_structure(self.declared, result):
            raise DeclaredResultError(
                f"'{self.name}' returns {result!r}; declared is {self.declared!r}"
            )
        leaves = zip(nest.flatten(self.declared), nest.flatten(result), strict=True)
        return nest.pack_sequence_as(self.declared, [self._leaf(*pair) for pair in leaves])

    def _leaf(self, spec, leaf):
        if spec is None and leaf is None:
            return None
        try:
            tensor = TensorSpec(None, spec.dtype).cast(leaf)
        except (AttributeError, TypeError, ValueError):
            tensor = None
        if tensor is None or not is_compatible(tensor.dims, spec.dims):
            raise DeclaredResultError(
                f"'{self.name}' returns {leaf!r}; declared is {spec!r}",
                "Return what is declared, or declare what is returned.",
            )
        if is_subshape(tensor.dims, spec.dims):
            return tensor
        return TABLE["ensure_shape"](tensor, shape=spec.dims)

    def inside(self, outermost: Unfinished, depth: int) -> None:
        """Note that this trace is made inside `outermost`."""
        if depth == 2:
            outermost.where = user_location(3)
        outermost.depth = max(outermost.depth, depth)

    def explain_overflow(self, error: RecursionError) -> None:
        """Raise RetracingLimitError if recursion with ever new types has caused the overflow."""
        if self.depth > MANY_LEVELS and not isinstance(error, RetracingLimitError):
            raise RetracingLimitError(
                f"'{self.name}' is recursive: it calls itself with ever new types of arguments "
                f"while it is traced; Python's recursion limit ends that after {self.depth} traces",
                "Pass a tensor in place of the Python value that changes, and declare the result: "
                "@ag.function(output_signature=...).",
                self.where,
            ) from None
        if not isinstance(error, RetracingLimitError):
            refuse_endless_calls(error)

    def finish(self, concrete) -> bool:
        """Give the recorded calls the graph of the finished trace.

        False if the function has to be traced once more, because it captured tensors of the
        enclosing graph that its recorded calls do not pass on yet.
        """
        if not self._called:
            return True
        graph, known = concrete.frozen, {t.graph_value: t for t in self._captured}
        first = len(graph.inputs) - len(concrete.captured_tensors)
        pairs = list(zip(concrete.captured_tensors, graph.inputs[first:], strict=True))
        symbolic = {t.graph_value: value for t, value in pairs if isinstance(t, SymbolicTensor)}
        if symbolic.keys() - known.keys():
            self._captured = [t for t, _ in pairs if isinstance(t, SymbolicTensor)]
            return False
        arrays = [(value, t.array) for t, value in pairs if isinstance(t, EagerTensor)]
        assert self.callee is not None
        self.callee.resolve(
            graph, [*graph.inputs[:first], *(symbolic[value] for value in known)], arrays
        )
        return True


_BEING_MADE: list[tuple[int, list[Unfinished], Unfinished]] = []  # by which thread, among which


@contextlib.contextmanager
def being_made(unfinished: Unfinished, others: list[Unfinished]) -> Iterator[None]:
    """Meanwhile a trace is the innermost of the traces of its function that are being made."""
    row = threading.get_ident(), others, unfinished
    _BEING_MADE.append(row)
    others.append(unfinished)
    unfinished.inside(others[0], len(others))
    try:
        yield
    finally:
        _BEING_MADE.remove(row)
        others.remove(unfinished)
        unfinished.abandon()


@after_fork_in_child
def _abandon_others() -> None:
    """A child process does not have the threads that were making traces."""
    for row in [row for row in _BEING_MADE if row[0] != threading.get_ident()]:
        _, others, unfinished = row
        _BEING_MADE.remove(row)
        if unfinished in others:
            others.remove(unfinished)
        unfinished.abandon()
