"""Slices whose bounds are computed, for native code: arrays of a computed size get memory for the
most elements that they may have, and the number that there is is a scalar of the graph.

    y = x[:n] * 2        with x of shape (40,)

becomes a window of `x` and a product of shape (<=40,), whose size is `Extent(40, length)`. Loop
nests run over the length. Where two sizes have to be equal, an assertion compares them; where it
fails, the NumPy program broadcasts, or raises the error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...core.dtypes import bool_
from ...core.shapes import is_static, normal_axes, normal_axis
from ...ir.constant_values import full_constant
from ...ir.extents import Extent, capacities, has_extents, length_of
from ...ir.graph import Graph, Node, Value
from ...ir.indexing import Along, IndexMap, Pick, Scalar, Slot, expanded, whole
from ...ir.node_properties import has_computed_bounds
from ...ir.op import PURE, TABLE
from ...ir.rewrite import nodes_read
from ...ir.scalar_nodes import ScalarNodes
from ..not_native import NotNativeError
from . import computed_statements, joined_sizes, masked_sizes
from .growing_arrays import all_rows, is_growing, is_kept
from .slice_bounds import HUGE, bounds_of, limit_of


def with_computed_sizes(graph: Graph, may_limit: bool = False) -> Graph:
    """A graph with computed sizes (`has_computed_sizes`), with windows and extents for them. With
    `may_limit`, Python runs calls in which an array of rows without a limit is read that has many.

    Raises NotNativeError for what has no native form with such sizes.
    """
    for value in graph.inputs:
        if not is_static(value.shape):
            raise NotNativeError(f"the shape of '{value.name}' is not known before it runs")
    rewriter = _Rewriter(graph, graph.inputs, may_limit)
    rewriter.rewrite_all()
    return rewriter.graph()


def _without_form(node: Node) -> str:
    """Why an operation has no native form with computed sizes."""
    if node.op.is_foreign and not all(is_static(value.shape) for value in node.outputs):
        name = node.attrs["function"].own_name
        return f"the shape that '{name}' returns is not known before it runs: ag.numba_op(shape=)"
    return f"'{node.op.name}' of arrays whose size is computed"


class _Sizes(tuple):
    """The value of a vector of sizes, element by element."""


Rewritten = Value | IndexMap | _Sizes


class _Rewriter(ScalarNodes):
    """One graph: `values` holds what takes the place of each of its values."""

    def __init__(self, graph: Graph, inputs: tuple[Value, ...], may_limit: bool):
        super().__init__()
        self.may_limit = may_limit
        self.source = graph
        self.inputs = inputs
        self.values: dict[Value, Rewritten] = dict(zip(graph.inputs, inputs, strict=False))

    def rewrite_all(self) -> None:
        for node in self.source.nodes:
            self.where = node.where
            self.rewrite(node)

    def graph(self, with_memory: Sequence = ()) -> Graph:
        """The graph; results are given with all their memory where `with_memory` is true."""
        outputs = tuple(
            self.with_memory(output) if any(with_memory[at : at + 1]) else self.value(output)
            for at, output in enumerate(self.source.outputs)
        )
        for value in outputs:
            if has_extents(value.shape):
                raise NotNativeError("the size of a result is computed", self.where)
        nodes = nodes_read(self.nodes, outputs, lambda node: node.effect != PURE or node.subgraphs)
        return self.source.replace(inputs=self.inputs, nodes=nodes, outputs=outputs)

    def rewrite(self, node: Node) -> None:
        if node.subgraphs:
            computed_statements.rewrite(self, node)
            return
        if not self.has_computed_sizes(node):
            self.keep(node)
            return
        if is_kept(self, node):
            return
        for new in map(self.values.__getitem__, node.inputs):
            if not isinstance(new, _Sizes) and new.shape is None:
                raise NotNativeError("a size that is not known before the call", node.where)
        form = _FORMS.get(node.op.name)
        if form is not None:
            rewritten = form(self, node)
            news = rewritten if isinstance(rewritten, list) else [rewritten]
            self.values.update(zip(node.outputs, news, strict=True))
        elif node.op.scalar:
            self.values[node.output] = self.elementwise(node)
        elif not node.op.several and (node.op.takes_any_length(node) or self.is_settled(node)):
            inputs = tuple(self.stored(self.map_of(value)) for value in node.inputs)
            self.values[node.output] = self.result(node, inputs)
        else:
            raise NotNativeError(_without_form(node), node.where)

    def keep(self, node: Node) -> None:
        """Add a node as it is."""
        self.add(replace(node, inputs=tuple(map(self.value, node.inputs))))
        self.values.update(zip(node.outputs, node.outputs, strict=True))

    def has_computed_sizes(self, node: Node) -> bool:
        if not all(is_static(value.shape) for value in node.outputs) or has_computed_bounds(node):
            return True
        return any(_is_computed(self.values[value]) for value in node.inputs)

    def is_settled(self, node: Node) -> bool:
        """Whether all sizes turned out to be known."""
        is_known = not any(_is_computed(self.values[value]) for value in node.inputs)
        return is_known and not has_computed_bounds(node) and len(node.outputs) == 1

    def outer_value(self, value: Value) -> Value:
        """The value of the graph around that an input is."""
        if value not in self._captured:
            raise NotNativeError("the size of an array is computed in a statement", self.where)
        return self._captured[value]

    # ---- nodes ---------------------------------------------------------------------------

    def result(self, node: Node, inputs: tuple[Value, ...]) -> Value:
        """The result of the operation of a node on other operands."""
        spec = node.op.result(*inputs, **node.attrs)
        output = Value(spec.dtype, spec.shape, node.output.name)
        self.add(replace(node, inputs=inputs, outputs=(output,)))
        return output

    def value(self, old: Value) -> Value:
        new = self.values[old]
        if isinstance(new, _Sizes):
            return self.vector(new, old)
        return self.stored(new) if isinstance(new, IndexMap) else new

    def scalar(self, old: Value) -> Scalar:
        """The value of an integer scalar of the graph."""
        value = self.value(old)
        known = full_constant(value)
        if known is not None:
            return int(known)
        return self.as_int64(value)

    def map_of(self, old: Value) -> IndexMap:
        """What a value is a view of: other views are followed to their source."""
        new = self.values[old]
        if isinstance(new, IndexMap):
            return new
        if isinstance(new, _Sizes):
            return whole(self.vector(new, old))
        node = self.made.get(new)
        if node is not None and node.op.name == "strided_slice":
            source = node.inputs[0]
            if is_static(new.shape) and is_static(source.shape):
                return self.sliced(whole(source), node.attrs["index"], node.inputs[1:])
        return all_rows(self, new)

    def vector(self, sizes: _Sizes, old: Value) -> Value:
        """A vector of sizes, as an array."""
        return self.added("stack", *(_as(self, size, old) for size in sizes), axis=0)

    def stored(self, view: IndexMap) -> Value:
        """A view as a value."""
        if view.is_identity:
            return view.source
        if view not in self.known:
            index, scalars = view.template()
            lengths = [size.length for size in view.shape if isinstance(size, Extent)]
            operands = (view.source, *scalars, *lengths)
            self.known[view] = self.added("window", *operands, index=index, sizes=view.shape)
        return self.known[view]

    def with_memory(self, old: Value) -> Value:
        """A value of a computed size as all elements that there is memory for."""
        view = self.map_of(old)
        if computed_statements.has_first_elements(view):
            return view.source
        return self.memory_of(self.stored(view))

    def memory_of(self, x: Value) -> Value:
        if not has_extents(x.shape):
            return x
        memory = Value(x.dtype, capacities(x.shape), "memory")
        self.add(Node(TABLE["memory_of"], (x,), {}, (memory,), self.where, "memory"))
        return memory

    # ---- views ---------------------------------------------------------------------------

    def sliced(self, view: IndexMap, index: tuple, scalars) -> IndexMap:
        """The view of a view by an index template."""
        fill = [part if isinstance(part, int) else self.scalar(part) for part in scalars]

        def known(entry):
            return fill[entry.position] if type(entry) is Slot else entry

        along: list[tuple] = []  # by axis of the view: an Along, whose axis is None for one index
        shape: list = []
        axis = 0
        for row in expanded(index, len(view.shape)):
            if row is None:
                shape.append(1)
                continue
            size, axis = view.shape[axis], axis + 1
            if type(row) is tuple:
                bounds = tuple(map(known, row))
                start, count, step = bounds_of(self, bounds, size)
                along.append((len(shape), start, step))
                limit = limit_of(self.source_of, *bounds[:2]) if step == 1 else None
                shape.append(_size_of(count, size, step, limit))
            else:
                along.append((None, known(row), 1))
        return self.composed(view, along, tuple(shape))

    def composed(self, view: IndexMap, along: list[tuple], shape: tuple) -> IndexMap:
        """The view of a view: `along` says what each axis of the view follows."""
        entries: list[Pick | Along] = []
        for entry in view.entries:
            if isinstance(entry, Pick):
                entries.append(entry)
                continue
            axis, start, step = along[entry.axis]
            if axis is None and _covers(view, entry):
                entries.append(Pick(start))
                continue
            if axis is None:
                start = self.inside(start, view.shape[entry.axis])
            start = self.arithmetic("multiply", start, entry.step)
            start = self.arithmetic("add", start, entry.start)
            step = self.arithmetic("multiply", step, entry.step)
            entries.append(Pick(start) if axis is None else Along(axis, start, step))
        used = {entry.axis for entry in view.entries if isinstance(entry, Along)}
        for own, (axis, start, _) in enumerate(along):
            if axis is None and own not in used:
                self.inside(start, view.shape[own])
        return IndexMap(view.source, tuple(entries), shape)

    def inside(self, index: Scalar, size) -> Scalar:
        """An index of an axis, from the start; an assertion fails where there is no such one."""
        length = length_of(size)
        if isinstance(index, int) and isinstance(length, int) and -length <= index < length:
            return index % length
        at = self.from_start(index, length)
        self.require(self.computed("less", -1, at, dtype=bool_))
        self.require(self.computed("less", at, length, dtype=bool_))
        return at

    # ---- sizes that have to be equal -----------------------------------------------------

    def together(self, sizes: list) -> int:
        """The size to which sizes broadcast."""
        large = [size for size in sizes if isinstance(size, Extent) or size != 1]
        fixed = {size for size in large if not isinstance(size, Extent)}
        if len(fixed) > 1:
            raise NotNativeError(f"sizes {fixed} do not broadcast together", self.where)
        computed = sorted((size for size in large if isinstance(size, Extent)), key=int)
        result: int = next(iter(fixed or computed), 1)
        for other in computed:
            self.require_equal(other, result)
        return result

    def require_equal(self, own, other) -> None:
        first, second = map(length_of, (own, other))
        if first is not second:
            self.require(self.computed("equal", first, second, dtype=bool_))

    def broadcast(self, views: list[IndexMap]) -> tuple:
        rank = max(len(view.shape) for view in views)
        padded = [(1,) * (rank - len(view.shape)) + tuple(view.shape) for view in views]
        return tuple(self.together(list(sizes)) for sizes in zip(*padded, strict=True))

    def fitted(self, view: IndexMap, shape: tuple) -> Value:
        """A view with the sizes of a shape that it broadcasts to."""
        own = shape[len(shape) - len(view.shape) :]
        sizes = zip(view.shape, own, strict=True)
        shape = tuple(old if old == 1 else new for old, new in sizes)
        return self.stored(IndexMap(view.source, view.entries, shape))

    # ---- operations ----------------------------------------------------------------------

    def elementwise(self, node: Node) -> Value:
        views = [self.map_of(value) for value in node.inputs]
        shape = self.broadcast(views)
        return self.result(node, tuple(self.fitted(view, shape) for view in views))

    def set_item(self, node: Node) -> Value | IndexMap:
        target, value, *scalars = node.inputs
        first = self.values[target]
        if not isinstance(first, IndexMap) or not computed_statements.has_first_elements(first):
            first = all_rows(self, self.value(target), HUGE)
        view = self.sliced(first, node.attrs["index"], scalars)
        new = self.map_of(value)
        rank = len(view.shape) - len(new.shape)
        if rank < 0:
            raise NotNativeError("a value of more axes than it is assigned to", node.where)
        for size_of_value, other in zip(new.shape, view.shape[rank:], strict=True):
            if isinstance(size_of_value, Extent) or size_of_value != 1:
                self.require_equal(size_of_value, other)
        pairs = zip(view.shape, (1,) * rank + tuple(new.shape), strict=True)
        sizes = (a if not isinstance(a, Extent) or int(b) == 1 else b for a, b in pairs)
        view = view._replace(shape=tuple(sizes))
        changed = self.assigned(view, self.fitted(new, view.shape))
        return changed if is_growing(changed) else first._replace(source=changed)

    def assigned(self, view: IndexMap, value: Value) -> Value:
        """The array of a view after a value of the same sizes was assigned to that."""
        index, positions = view.template()
        lengths = [size.length for size in view.shape if isinstance(size, Extent)]
        operands = (view.source, value, *positions, *lengths)
        return self.added("set_window", *operands, index=index, sizes=view.shape)

    def product(self, node: Node, axes: tuple) -> Value:
        """The sums of products over pairs of axes, as a loop nest."""
        left, right = map(self.map_of, node.inputs)
        own, others = (normal_axes(pair_axes, len(view.shape)) for pair_axes, view in
                       zip(axes, (left, right), strict=True))  # fmt: skip
        free = [axis for axis in range(len(left.shape)) if axis not in own]
        rest = [axis for axis in range(len(right.shape)) if axis not in others]
        shape = [left.shape[axis] for axis in free]
        shape += [self.equal_sizes(left.shape[i], right.shape[j])
                  for i, j in zip(own, others, strict=True)]  # fmt: skip
        shape += [right.shape[axis] for axis in rest]
        space, reduced = tuple(shape), tuple(range(len(free), len(free) + len(own)))
        sides = (left, [*free, *own]), (right, [*others, *rest])
        places = list(range(len(free) + len(own))), list(range(len(free), len(space)))
        operands = []
        for (view, order), where in zip(sides, places, strict=True):
            moved = [where[order.index(axis)] for axis in range(len(view.shape))]
            operands.append(self.stored(view.moved(moved, space)))
        products = self.added("multiply", *operands)
        return self.added("reduce_sum", products, axis=reduced, keepdims=False)

    def equal_sizes(self, first, second):
        self.require_equal(first, second)
        return second if isinstance(first, Extent) and not isinstance(second, Extent) else first


# ---- views and sizes ---------------------------------------------------------------------------


def _is_computed(new: Rewritten) -> bool:
    """Whether a size of what takes the place of a value is computed, or is the value."""
    return isinstance(new, _Sizes) or has_extents(new.shape) or is_growing(new)


def _size_of(count: Scalar, size, step: Scalar, limit: int | None = None):
    """The size of an axis of `count` elements, which are among `size`."""
    least = abs(step) if isinstance(step, int) else 1
    return int(count) if isinstance(count, int) else Extent(-(-int(size) // least), count, limit)


def _covers(view: IndexMap, entry: Along) -> bool:
    """Whether an axis of a view is an axis of its source, in full and in order."""
    own = (view.source.shape or ())[view.entries.index(entry)]
    return view.shape[entry.axis] == own and (entry.start, entry.step) == (0, 1)


def _getitem(rewriter: _Rewriter, node: Node) -> Rewritten:
    source = rewriter.values[node.inputs[0]]
    if isinstance(source, _Sizes):
        (entry,) = node.attrs["index"]
        if not isinstance(entry, int):
            raise NotNativeError("a part of a shape", node.where)
        return _as(rewriter, source[entry], node.output)
    return rewriter.sliced(rewriter.map_of(node.inputs[0]), node.attrs["index"], node.inputs[1:])


def _as(rewriter: _Rewriter, scalar: Scalar, output: Value) -> Value:
    """A size, in the dtype of a result."""
    value = rewriter.as_value(scalar)
    if value.dtype is output.dtype:
        return value
    return rewriter.computed("cast", value, dtype=output.dtype)


def _shape(rewriter: _Rewriter, node: Node) -> _Sizes:
    return _Sizes(map(length_of, rewriter.map_of(node.inputs[0]).shape))


def _size(rewriter: _Rewriter, node: Node) -> Value:
    total: Scalar = 1
    for length in map(length_of, rewriter.map_of(node.inputs[0]).shape):
        total = rewriter.arithmetic("multiply", total, length)
    return _as(rewriter, total, node.output)


def _reshape(rewriter: _Rewriter, node: Node) -> IndexMap:
    view = rewriter.map_of(node.inputs[0])
    if len(view.shape) == 1 and len(node.output.shape or ()) == 1:
        return view  # the same number of elements along the only axis
    if len(node.output.shape or ()) == 1:
        return whole(joined_sizes.flattened(rewriter, node))
    raise NotNativeError("another shape of an array whose size is computed", node.where)


def _transpose(rewriter: _Rewriter, node: Node) -> IndexMap:
    view = rewriter.map_of(node.inputs[0])
    order = node.attrs["perm"]
    order = list(range(len(view.shape)))[::-1] if order is None else list(order)
    shape = tuple(view.shape[axis] for axis in order)
    return view.moved([order.index(axis) for axis in range(len(order))], shape)


def _squeeze(rewriter: _Rewriter, node: Node) -> IndexMap:
    view, axis = rewriter.map_of(node.inputs[0]), node.attrs["axis"]
    ones = [at for at, size in enumerate(view.shape) if size == 1]
    axes = normal_axes(axis, len(view.shape)) if axis else ones
    if not set(axes) <= set(ones):
        raise NotNativeError("an axis of computed size is removed", node.where)
    kept = [at for at in range(len(view.shape)) if at not in axes]
    moved = [kept.index(at) if at in kept else None for at in range(len(view.shape))]
    return view.moved(moved, tuple(view.shape[at] for at in kept))


def _expand_dims(rewriter: _Rewriter, node: Node) -> IndexMap:
    view = rewriter.map_of(node.inputs[0])
    position = node.attrs["axis"] % (len(view.shape) + 1)
    axes = [at + (at >= position) for at in range(len(view.shape))]
    shape = (*view.shape[:position], 1, *view.shape[position:])
    return view.moved(axes, shape)


def _gather(rewriter: _Rewriter, node: Node) -> Rewritten:
    view, indices = rewriter.map_of(node.inputs[0]), node.inputs[1]
    if indices.shape == () and not node.attrs["batch_dims"]:
        axis = normal_axis(node.attrs["axis"], len(view.shape))
        return rewriter.sliced(view, (*((None,) * 3,) * axis, Slot(0)), (indices,))
    if not node.op.takes_any_length(node):
        raise NotNativeError(_without_form(node), node.where)
    return rewriter.result(node, tuple(map(rewriter.value, node.inputs)))


def _tensordot(rewriter: _Rewriter, node: Node) -> Value:
    axes, rank = node.attrs["axes"], len(rewriter.map_of(node.inputs[0]).shape)
    if isinstance(axes, int):
        axes = (tuple(range(rank - axes, rank)), tuple(range(axes)))
    return rewriter.product(node, axes)


def _matmul(rewriter: _Rewriter, node: Node) -> Value:
    if any(len(rewriter.map_of(value).shape) != 2 for value in node.inputs):
        raise NotNativeError("products of batches of matrices of computed size", node.where)
    return rewriter.product(node, ((1,), (0,)))


_FORMS: dict[str, Callable[[_Rewriter, Node], Rewritten | list[Value]]] = {
    "strided_slice": _getitem,
    "set_item": _Rewriter.set_item,
    "shape": _shape,
    "size": _size,
    "reshape": _reshape,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "expand_dims": _expand_dims,
    "gather": _gather,
    "tensordot": _tensordot,
    "matmul": _matmul,
    "boolean_mask": masked_sizes.picked_by_mask,
    "nonzero": masked_sizes.nonzero,
    "places_under": masked_sizes.places_under,
    "replaced_by_mask": masked_sizes.replaced_by_mask,
    "memory_of": lambda rewriter, node: rewriter.with_memory(node.inputs[0]),
    "concat": joined_sizes.concatenated,
    "sort": joined_sizes.in_order,
    "argsort": joined_sizes.in_order,
}
