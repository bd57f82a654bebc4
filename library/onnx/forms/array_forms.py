"""ONNX forms of operations that create, index, join and rearrange arrays."""

from __future__ import annotations

import numpy as np

from ....extend.graphs import Node, Value
from ....extend.operations import Slot, expanded_index, full_constant
from .list_forms import empty_sequence
from .list_types import is_list
from .table import NoFormError, form
from .writer import Writer

FIRST, LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def rank_of(value: Value) -> int:
    if value.shape is None:
        raise NoFormError(f"the rank of '{value.name}' is not known, which ONNX needs here")
    return len(value.shape)


def axis_of(axis: int, value: Value) -> int:
    """An axis counted from the front."""
    return axis if axis >= 0 else axis + rank_of(value)


@form("const")
def const(to: Writer, node: Node):
    """A list is a constant only while nothing is in it."""
    if is_list(node.output):
        return empty_sequence(to, node.output)
    return to.const(node.attrs["value"])


@form("shape")
def shape(to: Writer, node: Node, x: str):
    return to.cast(to.op("Shape", x), node.output.dtype)


@form("size")
def size(to: Writer, node: Node, x: str):
    return to.cast(to.op("Size", x), node.output.dtype)


@form("rank")
def rank(to: Writer, node: Node, x: str):
    return to.cast(to.op("Size", to.op("Shape", x)), node.output.dtype)


@form("reshape")
def reshape(to: Writer, node: Node, x: str, sizes: str):
    known = full_constant(node.inputs[1])
    has_rest = known is not None and bool((known == -1).any())
    return to.op("Reshape", x, to.int64(sizes), allowzero=int(not has_rest))


@form("transpose")
def transpose(to: Writer, node: Node, x: str):
    perm = node.attrs["perm"]
    return to.op("Transpose", x) if perm is None else to.op("Transpose", x, perm=list(perm))


@form("expand_dims")
def expand_dims(to: Writer, node: Node, x: str):
    return to.op("Unsqueeze", x, to.ints(node.attrs["axis"]))


@form("squeeze")
def squeeze(to: Writer, node: Node, x: str):
    axis = node.attrs["axis"]
    if axis is None:
        return to.op("Squeeze", x)
    return to.op("Squeeze", x, to.ints(*np.atleast_1d(np.asarray(axis)).tolist()))


@form("broadcast_to")
def broadcast_to(to: Writer, node: Node, x: str, sizes: str):
    return to.op("Expand", x, to.int64(sizes))


@form("fill")
def fill(to: Writer, node: Node, sizes: str, value: str):
    return to.op("Expand", value, to.int64(sizes))


@form("concat")
def concat(to: Writer, node: Node, *values: str):
    return to.op("Concat", *values, axis=node.attrs["axis"])


@form("stack")
def stack(to: Writer, node: Node, *values: str):
    axis = node.attrs["axis"]
    return to.op(
        "Concat", *(to.op("Unsqueeze", value, to.ints(axis)) for value in values), axis=axis
    )


@form("unstack")
def unstack(to: Writer, node: Node, x: str):
    axis = node.attrs["axis"]
    return [
        to.op("Gather", x, to.const(np.int64(at)), axis=axis) for at in range(len(node.outputs))
    ]


@form("split")
def split(to: Writer, node: Node, x: str, sizes: str):
    """Sizes of -1 share what the others leave."""
    axis, sizes = node.attrs["axis"], to.int64(sizes)
    is_open = to.op("Less", sizes, to.ints(0))
    known = to.op("ReduceSum", to.op("Where", is_open, to.ints(0), sizes))
    length = to.op("Gather", to.op("Shape", x), to.ints(axis))
    count = to.op("Max", to.op("ReduceSum", to.int64(is_open)), to.ints(1))
    rest = to.op("Div", to.op("Sub", length, known), count)
    sizes = to.op("Where", is_open, rest, sizes)
    names = to.op("Split", x, sizes, outputs=len(node.outputs), axis=axis)
    return [names] if len(node.outputs) == 1 else names


@form("range")
def range_(to: Writer, node: Node, start: str, limit: str, delta: str):
    return to.op("Range", start, limit, delta)


@form("eye")
def eye(to: Writer, node: Node, rows: str, columns: str):
    sizes = to.op("Concat", to.dimensions(rows, 1), to.dimensions(columns, 1), axis=0)
    zeros = to.op("Expand", to.like(0, node.output), sizes)
    return to.op("EyeLike", zeros)


@form("nonzero")
def nonzero(to: Writer, node: Node, condition: str):
    places = to.op("Transpose", to.op("NonZero", condition))
    return to.cast(places, node.output.dtype)


@form("boolean_mask")
def boolean_mask(to: Writer, node: Node, x: str, mask: str):
    if rank_of(node.inputs[1]) != 1:
        raise NoFormError("a mask of several axes has no ONNX form")
    return to.op("Compress", x, mask, axis=axis_of(node.attrs["axis"] or 0, node.inputs[0]))


@form("one_hot")
def one_hot(to: Writer, node: Node, indices: str, depth: str, on: str, off: str):
    """By comparing with all classes: indices outside are `off` everywhere."""
    axis, count = node.attrs["axis"], rank_of(node.output)
    at = axis if axis >= 0 else axis + count
    depth = to.op("Squeeze", to.dimensions(depth, 1))
    classes = to.op("Range", to.const(np.int64(0)), depth, to.const(np.int64(1)))
    shape = [1] * count
    shape[at] = -1
    classes = to.op("Reshape", classes, to.ints(*shape))
    indices = to.op("Unsqueeze", to.int64(indices), to.ints(at))
    return to.op("Where", to.op("Equal", indices, classes), on, off)


@form("gather")
def gather(to: Writer, node: Node, x: str, indices: str):
    if node.attrs["batch_dims"]:
        raise NoFormError("gather with batch_dims has no ONNX form")
    return to.op("Gather", x, to.int64(indices), axis=node.attrs["axis"])


@form("gather_nd")
def gather_nd(to: Writer, node: Node, x: str, indices: str):
    return to.op("GatherND", x, to.int64(indices), batch_dims=node.attrs["batch_dims"])


SCATTERED = {
    "tensor_scatter_nd_update": "none",
    "tensor_scatter_nd_add": "add",
    "tensor_scatter_nd_sub": "add",
    "tensor_scatter_nd_max": "max",
    "tensor_scatter_nd_min": "min",
}


@form(*SCATTERED)
def scatter(to: Writer, node: Node, x: str, indices: str, updates: str):
    if node.op.name.endswith("sub"):
        updates = to.op("Neg", updates)
    return to.op("ScatterND", x, to.int64(indices), updates, reduction=SCATTERED[node.op.name])


@form("tile")
def tile(to: Writer, node: Node, x: str, multiples: str):
    return to.op("Tile", x, to.int64(multiples))


@form("pad")
def pad(to: Writer, node: Node, x: str, paddings: str, value: str):
    mode = {"CONSTANT": "constant", "REFLECT": "reflect"}.get(node.attrs["mode"].upper())
    if mode is None:
        raise NoFormError(f"padding with mode={node.attrs['mode']!r} has no ONNX form")
    sides = to.op("Reshape", to.op("Transpose", to.int64(paddings)), to.ints(-1))
    fills = [to.op("Reshape", value, to.const(np.zeros(0, np.int64)))] * (mode == "constant")
    return to.op("Pad", x, sides, *fills, mode=mode)


@form("reverse")
def reverse(to: Writer, node: Node, x: str):
    axes = np.atleast_1d(np.asarray(node.attrs["axis"])).tolist()
    count = len(axes)
    bounds = (to.ints(*[LAST] * count), to.ints(*[FIRST] * count))
    return to.op("Slice", x, *bounds, to.ints(*axes), to.ints(*[-1] * count))


@form("roll")
def roll(to: Writer, node: Node, x: str, shift: str):
    """The rows at the indices that are shifted back, along one axis after the other."""
    axis = node.attrs["axis"]
    axes = [0] if axis is None else np.atleast_1d(np.asarray(axis)).tolist()
    original = x
    if axis is None:
        x = to.op("Reshape", x, to.ints(-1))
    shifts = to.op("Expand", to.dimensions(shift, -1), to.ints(len(axes)))
    for position, one in enumerate(axes):
        by = to.op("Gather", shifts, to.const(np.int64(position)))
        length = to.op("Gather", to.op("Shape", x), to.const(np.int64(one)))
        places = to.op("Range", to.const(np.int64(0)), length, to.const(np.int64(1)))
        x = to.op("Gather", x, to.op("Mod", to.op("Sub", places, by), length), axis=one)
    return to.op("Reshape", x, to.op("Shape", original)) if axis is None else x


@form("ensure_length")
def ensure_length(to: Writer, node: Node, rows: str, length: str):
    sizes = to.op("Shape", rows)
    missing = to.op("Sub", to.dimensions(length, 1), to.op("Slice", sizes, to.ints(0), to.ints(1)))
    missing = to.op("Max", missing, to.ints(0))
    others = to.op("Slice", sizes, to.ints(1), to.ints(LAST))
    zeros = to.op("Expand", to.like(0, node.output), to.op("Concat", missing, others, axis=0))
    return to.op("Concat", rows, zeros, axis=0)


@form("slice")
def slice_(to: Writer, node: Node, x: str, begin: str, size: str):
    begin, size = to.int64(begin), to.int64(size)
    is_rest = to.op("Less", size, to.ints(0))
    end = to.op("Where", is_rest, to.ints(LAST), to.op("Add", begin, size))
    return to.op("Slice", x, begin, end)


@form("strided_slice")
def strided_slice(to: Writer, node: Node, x: str, *scalars: str):
    return picked(to, node, x, scalars)


def picked(to: Writer, node: Node, x: str, scalars) -> str:
    """`x[index]`: slices first, then single indices from behind, then new axes."""
    entries = expanded_index(node.attrs["index"], rank_of(node.inputs[0]))
    axes = [entry for entry in entries if entry is not None]
    rows = [(at, one) for at, one in enumerate(axes) if type(one) is tuple]
    rows = [(at, one) for at, one in rows if one != (None, None, None)]
    if rows:
        bounds = list(zip(*(_bounds(to, one, scalars) for _, one in rows), strict=True))
        starts, ends, steps = (to.op("Concat", *one, axis=0) for one in bounds)
        x = to.op("Slice", x, starts, ends, to.ints(*(at for at, _ in rows)), steps)
    for at, one in reversed(list(enumerate(axes))):
        if type(one) is not tuple:
            x = to.op("Gather", x, to.op("Squeeze", _number(to, one, scalars)), axis=at)
    kept = [entry for entry in entries if entry is None or type(entry) is tuple]
    new = [at for at, entry in enumerate(kept) if entry is None]
    return to.op("Unsqueeze", x, to.ints(*new)) if new else x


def _number(to: Writer, part, scalars) -> str:
    """A bound or an index as a vector of one int64."""
    return to.dimensions(scalars[part.position], 1) if type(part) is Slot else to.ints(part)


def _bounds(to: Writer, row: tuple, scalars) -> tuple[str, str, str]:
    start, end, step = row
    if type(step) is Slot:
        raise NoFormError("a slice whose step is computed has no ONNX form")
    step = 1 if step is None else step
    start = (0 if step > 0 else LAST) if start is None else start
    end = (LAST if step > 0 else FIRST) if end is None else end
    return _number(to, start, scalars), _number(to, end, scalars), to.ints(step)


@form("set_item")
def set_item(to: Writer, node: Node, x: str, value: str, *scalars: str):
    """By the flat indices of the elements that are replaced."""
    sizes, flat = to.op("Shape", x), to.op("Reshape", x, to.ints(-1))
    count = to.op("Size", x)
    places = to.op("Range", to.const(np.int64(0)), count, to.const(np.int64(1)))
    chosen = picked(to, node, to.op("Reshape", places, sizes, allowzero=1), scalars)
    values = to.op("Reshape", to.op("Expand", value, to.op("Shape", chosen)), to.ints(-1))
    updated = to.op("ScatterElements", flat, to.op("Reshape", chosen, to.ints(-1)), values, axis=0)
    return to.op("Reshape", updated, sizes, allowzero=1)


@form("sort")
def sort(to: Writer, node: Node, x: str):
    return _sorted(to, node, x)[0]


@form("argsort")
def argsort(to: Writer, node: Node, x: str):
    return to.cast(_sorted(to, node, x)[1], node.output.dtype)


def _sorted(to: Writer, node: Node, x: str):
    axis = axis_of(node.attrs["axis"], node.inputs[0])
    length = to.op("Slice", to.op("Shape", x), to.ints(axis), to.ints(axis + 1))
    largest = int(node.attrs["descending"])
    return to.op("TopK", x, length, outputs=2, axis=axis, largest=largest)


@form("largest_k")
def largest_k(to: Writer, node: Node, x: str, k: str):
    values, places = to.op("TopK", x, to.dimensions(k, 1), outputs=2, axis=-1)
    return values, to.cast(places, node.outputs[1].dtype)
