"""Why a gradient is None: where the path from a source to a target ends."""

from __future__ import annotations

from ...runtime.core.classes import NamedTuple
from ...runtime.gradients.records import OpRecord, Record, key, zeros_of
from ...runtime.ir.op import no_gradient
from ...runtime.ir.saved_lists import is_differentiable
from ...runtime.ops.state.variables import Cell
from ...runtime.tensors.tensor import SymbolicTensor


class _Reach(NamedTuple):
    """The reach of a source: keys of tensors, and the records behind which a gradient ends."""

    tensors: set[int]
    ends: list[str]
    is_used: bool


def explain_none(records: list[Record], target, source, is_watched: bool) -> str:
    """One or more lines for a target and a source of which no gradient was found."""
    if not is_differentiable(source.dtype):
        return f"The source is of {source.dtype.name}, which has no gradient: cast it to a float."
    if not is_differentiable(target.dtype):
        return f"The target is of {target.dtype.name}, which has no gradient."
    if not is_watched:
        if isinstance(source, Cell) and source.trainable:
            return "The variable was not read while the tape recorded."
        return "The tape does not watch the source: call tape.watch(source) before it is used."
    reach = _reached_from(records, source)
    if key(target) in reach.tensors:
        return _lines("The target depends on the source only through", _stopped(records, reach))
    if reach.ends:
        return _lines("No gradient comes back to the source through", reach.ends)
    if not reach.is_used:
        return (
            "No recorded operation takes the source. The target was computed from another tensor, "
            "such as a copy, or outside the `with` block of the tape."
        )
    if not any(key(target) == key(out) for record in records for out in record.outputs):
        return (
            "No recorded operation computed the target: compute it inside the `with` block of the "
            "tape, with operations of this package."
        )
    return "The target does not depend on the source."


def _reached_from(records: list[Record], source) -> _Reach:
    """Follow the source as far as gradients can come back."""
    tensors, ends, is_used = {key(source)}, [], False
    for record in records:
        if not any(key(thing) in tensors for thing in record.inputs):
            continue
        is_used = True
        outputs = [out for out in record.outputs if is_differentiable(out.dtype)]
        if not outputs:
            dtypes = ", ".join(sorted({out.dtype.name for out in record.outputs}))
            ends.append(f"{_name(record)}: its result is of {dtypes}, which has no gradient")
        elif isinstance(record, OpRecord) and record.op.gradient is no_gradient:
            ends.append(f"{_name(record)}: it is a constant for every gradient")
        else:
            tensors.update(map(key, outputs))
    return _Reach(tensors, ends, is_used)


def _stopped(records: list[Record], reach: _Reach) -> list[str]:
    """The operations that give no gradient for the operand that depends on the source."""
    reasons = []
    for record in records:
        operands = [at for at, operand in enumerate(record.inputs) if key(operand) in reach.tensors]
        if not operands or not isinstance(record, OpRecord):
            continue
        cotangents = [zeros_of(out) if is_differentiable(out.dtype) else None
                      for out in record.outputs]  # fmt: skip
        grads = record.pullback(cotangents)
        if all(grads[at] is None for at in operands):
            reasons.append(f"{_name(record)}: it has no gradient for this operand")
    return reasons


def _name(record: Record) -> str:
    """The operation of a record, with its line where a graph knows it."""
    output = record.outputs[0]
    name = record.op.name if isinstance(record, OpRecord) else "control flow"
    if type(output) is not SymbolicTensor:
        return f"'{name}' with the result {output.dtype.name} of shape {output.shape}"
    node = output.builder.node_of(output.graph_value)
    where = None if node is None else node.where
    return f"'{name}'" if where is None else f"'{name}' ({where})"


def _lines(head: str, rows: list[str]) -> str:
    return "\n".join([f"{head}", *(f"  {row}" for row in dict.fromkeys(rows))])
