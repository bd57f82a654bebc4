"""Complex numbers on a device: their memory is that of pairs of real numbers.

Inside of a program, complex numbers are pairs of real ones already. Its complex inputs and outputs
become real arrays, whose last axis has the real part and the imaginary one.

    z: complex64[3]              z: float32[3, 2]
    x = real(z)                  x = z[..., 0]
    w = complex(x, y)            w = stack([x, y], -1)
"""

from __future__ import annotations

from dataclasses import replace

from ..core.dtypes import FROM_NUMPY, DType
from ..executors.compile_pipeline import NativeForm
from ..ir.graph import Graph, Node, Value, dims
from ..ir.op import TABLE
from ..ir.rewrite import rewrite
from ..lowering.fuse_loop_nests import lower
from ..passes.pipeline import ORDERING, after, optimize
from .grid.grid_program import DEVICE

COMPONENTS = {"real": 0, "imag": 1}
WHOLE = (None, None, None)  # an axis, in an index


def with_real_views(form: NativeForm) -> NativeForm:
    """The form whose inputs and outputs are real; the form itself if they are."""
    if not any(value.dtype.is_complex for value in (*form.graph.inputs, *form.graph.outputs)):
        return form
    graph = after(ORDERING, optimize(_on_views(form.graph)), DEVICE)
    return form._replace(graph=graph, program=lower(graph))


def _on_views(graph: Graph) -> Graph:
    inputs = tuple(map(_view, graph.inputs))
    values = dict(zip(graph.inputs, inputs, strict=True))

    pairs = set(inputs)  # and what is a part of them

    def part(node: Node) -> Node:
        if node.inputs[0] not in pairs or not node.output.dtype.is_complex:
            return node
        index = node.attrs["index"]
        index = (*index, WHOLE) if ... in index else index
        values[node.output] = view = _view(node.output)
        pairs.add(view)
        return replace(node, attrs={**node.attrs, "index": index}, outputs=(view,))

    def component(node: Node) -> Node:
        (whole,) = node.inputs
        if whole not in pairs:
            return node
        index = (..., COMPONENTS[node.op.name])
        return replace(node, op=TABLE["strided_slice"], attrs={"index": index})

    def together(node: Node) -> Node:
        if node.output not in graph.outputs:
            return node
        values[node.output] = view = _view(node.output)
        return replace(node, op=TABLE["stack"], attrs={"axis": -1}, outputs=(view,))

    visits = {"real": component, "imag": component, "complex": together, "strided_slice": part}
    rewritten = rewrite(graph, lambda node: visits.get(node.op.name, _itself)(node), values)
    return rewritten.replace(inputs=inputs)


def _itself(node: Node) -> Node:
    return node


def _view(value: Value) -> Value:
    """A value; a real one with the same memory for a complex one."""
    if not value.dtype.is_complex:
        return value
    return Value(_component_type(value.dtype), (*dims(value), 2), value.name)


def _component_type(dtype: DType) -> DType:
    return FROM_NUMPY[dtype.numpy_dtype.type().real.dtype]
