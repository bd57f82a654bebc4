"""`GradientTape`: records what is done to the tensors it watches, and differentiates it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import contextmanager
from typing import Any, Self

from ...runtime.core.errors import ShapeError, UnimplementedError
from ...runtime.core.public_names import public
from ...runtime.core.source_locations import depth_of_user, user_location
from ...runtime.core.user_source import in_users_words
from ...runtime.gradients.control_flow_gradients import StagedRecord
from ...runtime.gradients.records import OpRecord, ReadRecord, Record, key, record_of
from ...runtime.ir.saved_lists import is_differentiable
from ...runtime.ops.state.recorded_calls import Recorded
from ...runtime.ops.state.variables import Cell, Variable
from ...runtime.tensors import listeners
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ...runtime.tensors.listeners import OBSERVERS
from ...runtime.tensors.operation import ops
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..structures import nest
from ..type_system.composite_specs import container_of
from .block_records import (
    Watched,
    blocks_inside,
    check_in_blocks,
    check_not_used,
    check_targets,
    check_watched,
    check_watched_by_loops,
    handed_on,
    heard,
    is_outside,
    refusal,
)
from .targets_and_sources import (
    UnconnectedGradients,
    as_source,
    as_symbol,
    differentiable_leaves,
    elements,
    fill_unconnected,
    pull_back,
    required_values,
    source_of,
    thing_of,
    unit,
)
from .unconnected import explain_none


@public("GradientTape", "autodiff.GradientTape")
class GradientTape:
    """Records operations on watched tensors and trainable variables, to differentiate them.

    persistent                 whether `gradient` may be called more than once
    watch_accessed_variables   whether trainable variables are watched when they are read

    Tapes may be nested: the outer one differentiates what the inner one computes. Decorated
    functions, and tensor-driven `if`, `while` and `for` inside them, are differentiated too.

    >>> x = ag.constant(3.0)
    >>> with ag.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0

    Reverse accumulation: Griewank and Walther, "Evaluating Derivatives", 2008, chapter 3.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self.persistent = persistent
        self.watch_accessed_variables = watch_accessed_variables
        self.builder: Any = None
        self._recording = False
        self._uses: list = []  # the builders in which gradients were asked for; None: eagerly
        self.reset()

    # ---- recording -----------------------------------------------------------------------

    def __enter__(self) -> Self:
        if self._recording:
            raise ValueError("this tape is already recording")
        self.builder = BUILDER.get()
        self._start()
        return self

    def __exit__(self, *error) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        listeners.start(self)
        self._recording = True

    def _stop(self) -> None:
        listeners.stop(self)
        self._recording = False

    def watch(self, tensor) -> None:
        """Record operations on a tensor, a variable, or a structure of them, from now on."""
        for leaf in differentiable_leaves(required_values(tensor)):
            if source_of(leaf) is None:
                raise ValueError(
                    f"a tape watches tensors, and {type(leaf).__name__} is none: "
                    + in_users_words("x = ag.constant(x) is a tensor of it, to watch and to use")
                )
            thing = thing_of(leaf)
            if not is_differentiable(thing.dtype):
                warnings.warn(
                    f"a tape watches a tensor of {thing.dtype.name}, which has no gradient",
                    stacklevel=depth_of_user(),
                )
            if self._recording and key(thing) not in self._tracked:
                check_watched(thing, self.builder)
            blocks = blocks_inside(self.builder)
            if not blocks:
                self._in_blocks.pop(key(thing), None)
            elif key(thing) not in self._tracked:
                builder: Any = BUILDER.get()
                check_not_used(thing, self.builder)
                if is_outside(thing, blocks):
                    self._in_blocks[key(thing)] = len(self._records)
                self._watched.append(Watched(builder, len(builder.nodes), thing))
            self._tracked[key(thing)] = thing

    def wants(self, things) -> bool:
        """Whether a step on these tensors and cells is to be recorded."""
        return any(self._is_watched(thing) for thing in things)

    def _is_watched(self, thing) -> bool:
        if key(thing) in self._tracked:
            return True
        return isinstance(thing, Cell) and self.watch_accessed_variables and thing.trainable

    def note(self, op, inputs, attrs, outputs) -> None:
        """Record an operation (see `runtime.tensors.listeners`)."""
        if op.variable_access:
            if self._is_watched(attrs["cell"]):
                self.add(ReadRecord(attrs["cell"], outputs[0]))
            return
        if not outputs:
            return
        if op.operands is not None:
            builder = outputs[0].builder
            tensors = [self._as_watched(as_symbol(operand, builder)) for operand in inputs]
            record: Record = StagedRecord(builder, builder.node_of(outputs[0].graph_value), tensors)
            if self.wants(record.inputs):
                self.add(record)
        elif self.wants(inputs):
            operands = tuple(
                each if isinstance(each, Tensor) else convert_to_tensor(each) for each in inputs
            )
            where = user_location(2) if OBSERVERS else None
            self.add(OpRecord(op, operands, attrs, tuple(outputs), where))

    def _as_watched(self, tensor):
        """The tensor from outside that a capture stands for, which is what a tape may watch."""
        if type(tensor) is not SymbolicTensor or key(tensor) in self._tracked:
            return tensor
        return tensor.builder.originals.get(tensor.graph_value, tensor)

    def add(self, record: Record, count: int | None = None) -> None:
        """Append a record to the tape."""
        self._records.append(record)
        self._track(record.outputs)
        for thing in record.inputs:
            if not isinstance(thing, Tensor):
                self._tracked[key(thing)] = thing

    def _track(self, outputs) -> None:
        self._tracked.update((key(out), out) for out in outputs if is_differentiable(out.dtype))

    def follow(self, known, more) -> None:
        """A step that gave `constant` now also gives `more`, which depends on the same."""
        if any(key(out) in self._tracked for out in known):
            self._track(more)

    @contextmanager
    def stop_recording(self) -> Any:
        """A context in which nothing is recorded."""
        if not self._recording:
            raise ValueError("this tape is not recording")
        if self._is_in_block():
            raise UnimplementedError(
                "stop_recording in a staged block, or a function, of a tape that was opened around "
                "it, whose gradient goes through the block as a whole",
                "Stop the gradient of what is computed there: ag.stop_gradient(x).",
            )
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forget everything that was recorded and watched."""
        self._records: list[Record] = []
        self._tracked: dict[int, Any] = {}
        self._watched: list[Watched] = []  # in staged blocks
        self._in_blocks: dict[int, int] = {}  # things that blocks alone watch: the block's record

    def watched_variables(self) -> tuple:
        """The variables that were watched, in the order of their first use."""
        cells = {k: thing for k, thing in self._tracked.items() if not isinstance(thing, Tensor)}
        owners = (cell.owner() for cell in cells.values())
        return tuple(variable for variable in owners if variable is not None)

    # ---- differentiating -----------------------------------------------------------------

    def gradient(
        self,
        target,
        sources,
        output_gradients=None,
        unconnected_gradients=UnconnectedGradients.NONE,
    ) -> Any:
        """The derivative of the sum of `target` with respect to `sources`, in their structure.

        output_gradients        a weight in the shape of each target; ones when left out
        unconnected_gradients   "none" or "zero": the result for sources without influence

        Raises RuntimeError if a tape that is not persistent is used twice, LookupError if an
        operation has no gradient.
        """
        self._use()
        target, sources = required_values(target), required_values(sources)
        targets, flat = differentiable_leaves(target), differentiable_leaves(sources)
        weights = [None] * len(targets)
        if output_gradients is not None:
            weights = differentiable_leaves(output_gradients)
        gradients = self._backpropagate(targets, weights, flat)
        filled = fill_unconnected(gradients, flat, unconnected_gradients)
        leaves = nest.flatten(sources, container_of)
        return nest.pack_sequence_as(sources, list(map(as_source, leaves, filled)), container_of)

    def why_none(self, target, source) -> str:
        """Why `gradient(target, source)` is None: in words, for people.

        The tape has to be persistent, or asked before `gradient`. Raises RuntimeError where the
        records are gone.

        >>> x = ag.constant([3.0, 1.0])
        >>> with ag.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = ag.cast(ag.argmax(x), ag.float32)
        >>> print(tape.why_none(y, x))
        No gradient comes back to the source through
          'argmax' with the result int64 of shape (): its result is of int64, which has no gradient
        """
        if self._uses and not self.persistent:
            raise RuntimeError(
                "the records of this tape are gone: ask before `gradient`, or use "
                "GradientTape(persistent=True)"
            )
        target = self._read(target)
        thing, wanted = source_of(source), thing_of(target)
        if thing is None:
            return f"The source is {type(source).__name__}, not a tensor: use ag.constant(source)."
        records, tracked = self._heard()
        is_watched = key(thing) in tracked
        by_thing = pull_back(records, [target], [None], {key(thing)} if is_watched else set())
        if is_watched and by_thing.get(key(thing)) is not None:
            return "It is not None: the target depends on the source."
        return explain_none(records, wanted, thing, is_watched)

    def _use(self) -> None:
        """Note that a gradient is asked for. One in a staged block is asked for there alone: other
        blocks, and what follows, may ask again.
        """
        builder = BUILDER.get()
        if not self.persistent and any(_is_around(use, builder) for use in self._uses):
            raise RuntimeError(
                "a tape that is not persistent was asked for a gradient twice: use "
                "GradientTape(persistent=True), or a tape for each"
            )
        self._uses.append(builder)
        if self._recording and not self.persistent and not self._is_in_block():
            self._stop()

    def _is_in_block(self) -> bool:
        """Whether this is a staged block, or a function, inside of where the tape was opened."""
        return BUILDER.get() is not self.builder

    def _heard(self, handed=()) -> tuple[list, dict]:
        """The records, and the things that the tape knows by their keys; with those of the staged
        blocks that are being traced, if the tape records.
        """
        blocks = self._blocks()
        if not blocks:
            return self._records, self._tracked
        known = dict(self._tracked)
        more = heard(blocks, known, self._watched, self._is_watched, handed)
        return [*self._records, *more], known

    def _blocks(self) -> list:
        return blocks_inside(self.builder) if self._recording else []

    def _read(self, target):
        """A target; the value of a variable that is one is read here, as far as tapes can tell."""
        if not isinstance(target, Variable):
            return self._unchecked(target)
        value = target.value()
        if self._is_watched(target.handle):
            self.add(ReadRecord(target.handle, value))
        return value

    def _unchecked(self, target):
        """The value of a name, for a checked read of the name that followed the recording."""
        while type(target) is SymbolicTensor and key(target) not in self._tracked:
            value = target.builder.read_from.get(target.graph_value)
            if value is None:
                break
            target = value
        return target

    def _backpropagate(self, targets, weights, sources) -> list:
        targets = list(map(self._read, targets))
        check_targets(targets, self.builder)
        things, blocks = [source_of(source) for source in sources], self._blocks()
        handed = handed_on(blocks) if any(is_outside(thing, blocks) for thing in things) else {}
        records, tracked = self._heard(handed)
        if not self.persistent and not self._is_in_block():
            self._records = []
        wanted = {key(thing) for thing in things if thing is not None and key(thing) in tracked}
        if not blocks:
            check_in_blocks(self._in_blocks, wanted, records)
        if len(wanted) < len(things):
            check_watched_by_loops(self._watched)
        by_thing = pull_back(records, targets, weights, wanted | handed.keys())
        reached = [handed[each] for each in handed if by_thing.get(each) is not None]
        if reached:
            raise refusal(reached[0].graph_value.name)
        keys = [None if thing is None else key(thing) for thing in things]
        return [by_thing.get(each) if each in wanted else None for each in keys]

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ) -> Any:
        """The derivative of each element of `target` with respect to each element of each source.

        Its shape is that of the target, followed by that of the source.

        >>> x = ag.constant([1.0, 2.0])
        >>> with ag.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        self._use()
        target = convert_to_tensor(self._read(required_values(target)))
        sources = required_values(sources)
        flat, count = nest.flatten(sources), elements(target.dims, "jacobian")
        units = (unit(place, count, target.dtype) for place in range(count))
        rows = self._rows(target, flat, (ops.reshape(each, ops.shape(target)) for each in units))
        jacobians: list[Any] = []
        for place, source in enumerate(flat):
            column = [row[place] for row in rows]
            if not column or any(row is None for row in column):
                jacobians.append(None)
                continue
            shape = ops.concat(ops.shape(target), ops.shape(convert_to_tensor(source)), axis=0)
            jacobians.append(ops.reshape(ops.stack(*column, axis=0), shape))
        jacobians = fill_unconnected(jacobians, flat, unconnected_gradients)
        return nest.pack_sequence_as(sources, jacobians)

    def _rows(self, target, sources, weights: Iterable) -> list:
        """The gradients of the target for each of some weights of its elements."""
        kept, self.persistent = self.persistent, True
        try:
            return [self._backpropagate([target], [weight], sources) for weight in weights]
        finally:
            self.persistent = kept
            if not kept and not self._is_in_block():
                self._records = []

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ) -> Any:
        """The derivative of `target[b, ...]` with respect to `source[b, ...]` for every `b`.

        The examples of the batch must not depend on each other.

        Its shape is that of the target, followed by that of the source without its first axis.
        """
        self._use()
        target = convert_to_tensor(self._read(required_values(target)))
        source = required_values(source)
        if not target.dims or not convert_to_tensor(source).dims:
            raise ShapeError("batch_jacobian: target and source need a first axis, the batch")
        count = elements(target.dims[1:], "batch_jacobian")
        units = (unit(place, count, target.dtype) for place in range(count))
        bases = (ops.reshape(each, list(target.dims[1:])) for each in units)
        weights = (ops.broadcast_to(basis, ops.shape(target)) for basis in bases)
        columns = [column for (column,) in self._rows(target, [source], weights)]
        if not columns or any(column is None for column in columns):
            return fill_unconnected([None], [source], unconnected_gradients)[0]
        shape = ops.concat(ops.shape(target), ops.shape(convert_to_tensor(source))[1:], axis=0)
        return ops.reshape(ops.stack(*columns, axis=1), shape)


Recorded.new_tape = GradientTape


def _is_around(outer, builder) -> bool:
    """Whether a builder is another one, or lies in it; None is what is executed at once."""
    return outer is None or outer is builder or (builder is not None and builder.encloses(outer))


@public("gradients")
def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """The derivatives of the sum of `ys` with respect to each of `xs`, inside a graph: a list.

    grad_ys          weights in the shapes of `ys`
    stop_gradients   tensors to take as constants

    Raises RuntimeError outside a graph, where GradientTape serves.

    >>> @ag.function
    ... def slope(x):
    ...     return ag.gradients(x * x, x)[0]
    >>> float(slope(ag.constant(3.0)))
    6.0
    """
    builder = BUILDER.get()
    if builder is None:
        raise RuntimeError("gradients works inside a graph: use GradientTape when running eagerly")
    records = [record_of(builder, node) for node in list(builder.nodes)]
    constants = {key(thing_of(tensor)) for tensor in nest.flatten(stop_gradients or [])}
    records = [row for row in records if not any(key(out) in constants for out in row.outputs)]
    targets, sources = nest.flatten(ys), nest.flatten(xs)
    weights = [None] * len(targets) if grad_ys is None else nest.flatten(grad_ys)
    things = [thing_of(source) for source in sources]
    things = [
        SymbolicTensor(builder.value_of(thing), builder) if isinstance(thing, Tensor) else thing
        for thing in things
    ]
    by_thing = pull_back(records, targets, weights, {key(thing) for thing in things})
    results = [by_thing.get(key(thing)) for thing in things]
    return fill_unconnected(results, sources, unconnected_gradients)
