"""Control flow into the graph: both sides of a choice, and the body of a loop, become sub-graphs.

The functions here take and return *tuples of Python values* (the state of autograph's operators, or
of `ag.cond` and `ag.while_loop`). A value may be a tensor, a number, a structure of them, or any
other object; what differs between two branches, or changes in a loop, has to be a tensor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..runtime.apply import BUILDER, convert_to_tensor, tensor_of
from ..runtime.builder import Builder
from ..runtime.dtypes import FROM_NUMPY, bool_, string
from ..runtime.graph import describe
from ..runtime.op import TABLE
from ..runtime.shapes import as_shape, is_compatible, is_subshape, show
from ..runtime.tensor import SymbolicTensor, Tensor, as_array
from . import nest
from .errors import InconsistentBranchError, InconsistentLoopError

NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


class Pending:
    """A leaf whose tensor is made when its shape is known; `tensor(shape)` makes it."""

    dtype = None

    def tensor(self, shape) -> Tensor:
        raise NotImplementedError


class PendingInLoop(Pending):
    """The same leaf inside a loop: its tensor is carried state, made on first demand."""

    def __init__(self, start: Pending, builder: Builder, name: str):
        self.dtype = start.dtype
        self.builder = builder
        self.name = name
        self.carried: Tensor | None = None

    def tensor(self, shape) -> Tensor:
        if self.carried is None:
            self.carried = self.builder.input(self.dtype, shape, self.name)
        return self.carried


class Missing:
    """A name without a value; `is_result` tells the hidden return value from a user's variable."""

    def __init__(self, is_missing: Callable, is_result: Callable, unset: Callable):
        self.is_missing = is_missing
        self.is_result = is_result
        self.unset = unset  # (missing, reason) -> the value that complains when it is read


def as_test(value) -> Tensor:
    """A boolean scalar from a tensor, by Python's truth: numbers that are not 0, text not empty."""
    tensor = convert_to_tensor(value)
    if tensor._shape not in ((), None):
        raise InconsistentBranchError(
            f"the truth of a tensor of shape {show(tensor._shape)} is ambiguous",
            "Reduce it first, for example with ag.reduce_any(x) or ag.reduce_all(x).",
        )
    if tensor.dtype is bool_:
        return tensor
    return tensor != ("" if tensor.dtype is string else 0)


# ---- if ------------------------------------------------------------------------------------


def cond(
    test, then: Callable[[], tuple], orelse: Callable[[], tuple], names, missing: Missing, live=None
) -> tuple:
    """Trace both branches into an `If`; the tuple of what each name holds afterwards."""
    outer = BUILDER.get()
    test = as_test(test)
    sides, results = [], []
    for name, branch in (("then", then), ("orelse", orelse)):
        builder = Builder(f"{outer.name}.{name}", outer)
        with builder:
            results.append(branch())
        sides.append(builder)
    live = len(names) if live is None else live
    merged = [
        _merge(name, one, other, sides, missing)
        if index < live
        else _either(one, other, missing, name)
        for index, (name, one, other) in enumerate(zip(names, *results, strict=True))
    ]
    graphs, operands = _share_operands(
        sides, [[pair[side] for pairs, _ in merged for pair in pairs] for side in (0, 1)]
    )
    outputs = outer.record(
        TABLE["if"], [test, *operands], {"then": graphs[0], "orelse": graphs[1]}, "if"
    )
    leaves = iter(outputs)
    return tuple(rebuild([next(leaves) for _ in pairs]) for pairs, rebuild in merged)


def _share_operands(builders, results):
    """Finish sibling builders with one list of operands: the captures of all of them."""
    for builder, outputs in zip(builders, results, strict=True):
        with builder:
            for output in outputs:
                builder.value_of(output)
    captures = dict(pair for builder in builders for pair in builder.captured())
    graphs = []
    for builder, outputs in zip(builders, results, strict=True):
        graphs.append(builder.finish(outputs, list(captures.items())))
        builder.close()
    return graphs, list(captures.values())


def _either(one, other, missing: Missing, name):
    """A name that nobody reads afterwards: it keeps a value only where both sides agree."""
    if one is other:
        return [], lambda leaves: one
    value = missing.unset(name, "it differs between the sides of an `if` on a tensor")
    return [], lambda leaves: value


def _merge(name, one, other, sides, missing: Missing):
    """The pairs of tensors that a name contributes, and how to rebuild its value from the
    outputs.
    """
    if one is other or (
        not _holds_tensor(one) and not _holds_tensor(other) and _same_literal(one, other)
    ):
        return [], lambda leaves: one
    gone = [missing.is_missing(one), missing.is_missing(other)]
    if all(gone):
        return [], lambda leaves: one
    if any(gone):
        lacking, given = (one, other) if gone[0] else (other, one)
        if not missing.is_result(lacking):
            value = missing.unset(name, "it is set on one side only of an `if` on a tensor")
            return [], lambda leaves: value
        builder = sides[0] if gone[0] else sides[1]
        filled = nest.map_structure(lambda leaf: _blank(leaf, builder, name), given)
        one, other = (filled, other) if gone[0] else (one, filled)
    if not nest.same_structure(one, other):
        raise InconsistentBranchError(
            f"'{name}' is {_kind(one)} after the `if` but {_kind(other)} after the `else`",
            "Give both sides the same structure.",
        )
    return _merge_leaves(name, one, other, sides)


def _merge_leaves(name, one, other, sides):
    pairs, fixed = [], []
    for a, b in zip(nest.flatten(one), nest.flatten(other), strict=True):
        a, b = _allocated(a, b, sides[0]), _allocated(b, a, sides[1])
        if a is b or (not _is_tensor(a) and not _is_tensor(b) and _same_literal(a, b)):
            fixed.append((True, a))
        else:
            fixed.append((False, None))
            pairs.append(_as_pair(name, a, b, sides))

    def rebuild(leaves):
        made = iter(leaves)
        return nest.pack_sequence_as(one, [value if kept else next(made) for kept, value in fixed])

    return pairs, rebuild


def _allocated(leaf, other, builder):
    """The leaf, or its stand-in where only the other side has given it a value."""
    if not isinstance(leaf, Pending) or isinstance(other, Pending):
        return leaf
    with builder:
        return leaf.tensor(other._shape)


def _as_pair(name, a, b, sides) -> tuple[Tensor, Tensor]:
    """Two leaves as tensors of one type; a number adopts the other's type within its kind."""
    hints = (_dtype(b), _dtype(a))
    made = []
    for leaf, hint, builder in zip((a, b), hints, sides, strict=True):
        with builder:
            made.append(adopt(leaf, hint))
    if None in made:
        raise InconsistentBranchError(
            f"'{name}' is {_kind(a)} after the `if` but {_kind(b)} after the `else`",
            "What differs between the sides of an `if` on a tensor has to be a tensor.",
        )
    if made[0].dtype is not made[1].dtype:
        raise InconsistentBranchError(
            f"'{name}' is {describe(made[0])} after the `if` but {describe(made[1])} "
            "after the `else`",
            f"Give both sides one type, for example with ag.cast({name}, ag.{made[0].dtype.name}).",
        )
    return tuple(made)


def adopt(leaf, hint):
    """A leaf as a tensor, None when it cannot be one; literals adopt `hint` within their kind."""
    tensor = tensor_of(leaf)
    if tensor is not None:
        return tensor
    if not isinstance(leaf, (*NUMBERS, str, bytes)):
        return None
    array = as_array(leaf)
    if (
        hint is not None
        and hint.numpy_dtype.kind == array.dtype.kind
        and not isinstance(leaf, (np.ndarray, np.generic))
    ):
        array = as_array(leaf, hint)
    return convert_to_tensor(array)


def _blank(leaf, builder, name) -> Tensor:
    """A stand-in of the same type for a result that is not used on this side."""
    tensor = tensor_of(leaf)
    dtype = tensor.dtype if tensor is not None else dtype_of_number(leaf)
    if dtype is None:
        return leaf
    shape = () if tensor is None else tuple(size or 0 for size in tensor._shape or ())
    with builder:
        blank = (
            np.full(shape, b"", object) if dtype is string else np.zeros(shape, dtype.numpy_dtype)
        )
        return builder.constant(blank)


def dtype_of_number(leaf):
    """The data type that a Python leaf gets as a tensor, or None."""
    if not isinstance(leaf, (*NUMBERS, str, bytes)):
        return None
    return FROM_NUMPY[as_array(leaf).dtype]


def _dtype(leaf):
    tensor = tensor_of(leaf)
    return None if tensor is None else tensor.dtype


def _is_tensor(leaf) -> bool:
    return tensor_of(leaf) is not None


def _holds_tensor(value) -> bool:
    return any(map(_is_tensor, nest.flatten(value)))


def _same_literal(one, other) -> bool:
    if type(one) is not type(other) or isinstance(one, np.ndarray):
        return False
    return isinstance(one, (bool, int, float, complex, str, bytes, type(None))) and repr(
        one
    ) == repr(other)


def _kind(value) -> str:
    """How messages name a value: `float32 with shape (3,)`, `None`, `a list`."""
    tensor = tensor_of(value)
    if tensor is not None:
        return describe(tensor)
    if value is None:
        return "None"
    return f"the {type(value).__name__} {value!r}"


# ---- while ---------------------------------------------------------------------------------


class LoopState:
    """How the loop-carried state is spread over tensors.

    Numbers and tensors are carried. Other objects stay as they are and must not change. A name
    without a value is carried once the body has given it one.
    """

    def __init__(self, state, names, missing: Missing, invariants: dict):
        self.names = names
        self.missing = missing
        self.invariants = invariants
        self.state = list(state)
        self.pending: dict = {}
        self.slots: list[list] = [
            self._spread(name, value) for name, value in zip(names, state, strict=True)
        ]

    def _spread(self, name, value):
        """For each leaf of a name: the tensor that is carried, or None for an object that stays."""
        if self.missing.is_missing(value):
            return [None]
        return [
            adopt(leaf, None) if not isinstance(leaf, (str, bytes)) else None
            for leaf in nest.flatten(value)
        ]

    def tensors(self) -> list:
        return [tensor for slots in self.slots for tensor in slots if tensor is not None]

    def placeholders(self, builder: Builder) -> tuple:
        """The state as the body sees it."""
        values = []
        for name, value, slots in zip(self.names, self.state, self.slots, strict=True):
            leaves = [value] if self.missing.is_missing(value) else nest.flatten(value)
            made = [
                self._placeholder(builder, name, *pair) for pair in zip(leaves, slots, strict=True)
            ]
            values.append(
                made[0] if self.missing.is_missing(value) else nest.pack_sequence_as(value, made)
            )
        return tuple(values)

    def _placeholder(self, builder: Builder, name, leaf, slot):
        if isinstance(leaf, Pending):
            inside = PendingInLoop(leaf, builder, _plain(name))
            self.pending[builder, id(leaf)] = inside
            return inside
        return (
            leaf
            if slot is None
            else builder.input(slot.dtype, self.shape_of(name, slot), _plain(name))
        )

    def shape_of(self, name, tensor):
        return self.invariants.get(name, tensor._shape)

    def rebuild(self, outputs, after) -> tuple:
        """The state after the loop, from its output tensors."""
        made, values = iter(outputs), []
        for value, slots, final in zip(self.state, self.slots, after, strict=True):
            like = final if self.missing.is_missing(value) else value
            leaves = nest.flatten(like)
            packed = [
                leaf if slot is None else next(made)
                for leaf, slot in zip(leaves, slots, strict=True)
            ]
            values.append(nest.pack_sequence_as(like, packed))
        return tuple(values)


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name).strip("_") or "state"


def while_loop(
    test: Callable, body: Callable, state, names, missing: Missing, options=None
) -> tuple:
    """Trace a loop into a `While`: the state after it.

    `test(*state)` gives a tensor (or bool), `body(*state)` the next state. Each is traced once.
    """
    outer = BUILDER.get()
    layout = LoopState(state, names, missing, _invariants(options or {}, names, state))
    tester = Builder(f"{outer.name}.test", outer)
    with tester:
        goes_on = as_test(test(*layout.placeholders(tester)))
    stepper = Builder(f"{outer.name}.body", outer)
    with stepper:
        after = body(*layout.placeholders(stepper))
        _late_names(layout, after, outer, tester, stepper)
        carried = _carried(layout, after, stepper)
    graphs, operands = _share_operands([tester, stepper], [[goes_on], carried])
    attrs = {"test": graphs[0], "body": graphs[1], "carried": len(carried)}
    outputs = outer.record(TABLE["while"], [*layout.tensors(), *operands], attrs, "while")
    return layout.rebuild(outputs, after)


def _late_names(layout: LoopState, after, outer, tester, stepper) -> None:
    """What got its first value in the body becomes carried state, with a stand-in before the
    loop.
    """
    position = 0
    for index, (value, final) in enumerate(zip(layout.state, after, strict=True)):
        missing = layout.missing.is_missing
        leaves = [] if missing(final) else nest.flatten(final)
        if missing(value):
            starts, layout.slots[index] = [value] * len(leaves), [None] * len(leaves)
        else:
            starts = nest.flatten(value)
        for place, (start, leaf) in enumerate(zip(starts, leaves, strict=False)):
            late = missing(start) or (isinstance(start, Pending) and not isinstance(leaf, Pending))
            if late and _can_be_tensor(leaf):
                slot = _first_value(start, leaf, outer)
                layout.slots[index][place] = slot
                shape = getattr(tensor_of(leaf), "_shape", ())
                for builder in (tester, stepper):
                    known = layout.pending.get((builder, id(start)))
                    inside = known or PendingInLoop(slot, builder, _plain(layout.names[index]))
                    value = inside.tensor(shape)._value
                    builder.inputs.remove(value)
                    builder.inputs.insert(position, value)
            position += layout.slots[index][place] is not None


def _first_value(start, leaf, outer) -> Tensor:
    if not isinstance(start, Pending):
        return _blank(leaf, outer, "")
    with outer:
        return start.tensor(leaf._shape)


def _can_be_tensor(leaf):
    return _is_tensor(leaf) or dtype_of_number(leaf) is not None


def _carried(layout: LoopState, after, stepper) -> list[Tensor]:
    """The tensors that the body hands to the next iteration, each checked against what entered."""
    carried = []
    inputs = iter(stepper.inputs)
    for name, value, slots, final in zip(
        layout.names, layout.state, layout.slots, after, strict=True
    ):
        entered = not layout.missing.is_missing(value)
        if entered and not nest.same_structure(value, final):
            raise InconsistentLoopError(
                f"'{name}' enters the loop as {_kind(value)} but is {_kind(final)} after "
                "one iteration",
                "Keep its structure the same in every iteration.",
            )
        leaves = nest.flatten(final)
        for slot, start, leaf in zip(
            slots, nest.flatten(value) if entered else leaves, leaves, strict=True
        ):
            if slot is None:
                _check_constant(name, start, leaf)
            else:
                carried.append(_check_carried(name, next(inputs), leaf, stepper))
    return carried


def _check_constant(name, start, leaf) -> None:
    if isinstance(start, Pending) and isinstance(leaf, Pending):
        return
    if start is not leaf and not _same_literal(start, leaf):
        raise InconsistentLoopError(
            f"'{name}' enters the loop as {_kind(start)} but is {_kind(leaf)} after one iteration",
            "What changes in a loop on tensors has to be a tensor or a number.",
        )


def _check_carried(name, enters, leaf, stepper) -> Tensor:
    tensor = adopt(leaf, enters.dtype)
    if tensor is None or tensor.dtype is not enters.dtype:
        raise InconsistentLoopError(
            f"'{name}' enters the loop as {describe(enters)} but is {_kind(leaf)} after "
            "one iteration",
            f"Start with the type it gets, for example with ag.cast({name}, ...) before the loop.",
        )
    if is_subshape(tensor._shape, enters.shape):
        return tensor
    if is_compatible(tensor._shape, enters.shape):
        return stepper.record(TABLE["ensure_shape"], [tensor], {"shape": enters.shape})
    raise InconsistentLoopError(
        f"'{name}' enters the loop with shape {show(enters.shape)} but has shape "
        f"{show(tensor._shape)} "
        "after one iteration",
        "Declare what may change: ag.autograph.experimental.set_loop_options("
        f"shape_invariants=[({name}, ag.TensorShape([None, ...]))]).",
    )


def _invariants(options: dict, names, state) -> dict:
    """The shapes declared by `shape_invariants`, by name."""
    found = {}
    for tensor, shape in options.get("shape_invariants") or ():
        for name, value in zip(names, state, strict=True):
            if value is tensor:
                found[name] = as_shape(shape)
    return found


def is_symbolic(value) -> bool:
    return isinstance(value, SymbolicTensor)
