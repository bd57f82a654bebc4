"""`onnx.export`: the graph of a function as an ONNX model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from ...extend.errors import InvalidArgumentError, UnimplementedError
from ...extend.graphs import Graph
from ...extend.registration import public
from ...extend.tracing import ConcreteFunction
from ..file_io.atomic_files import replace_file
from ..profiling.jit_traces import JitTrace
from .forms.list_types import is_list
from .forms.table import AS_TWO_ARRAYS, COMPLEX

if TYPE_CHECKING:
    import onnx

OPSET = 20
OPSETS = range(18, 23)
IR_VERSION = 10  # of the file format: the oldest that has these operator sets


@public("onnx.export")
def export(
    function, path: str | os.PathLike | None, *args,
    opset: int = OPSET, checks: bool = True, state: bool = False, **kwargs,
):  # fmt: skip
    """Write a function as an ONNX model, which other runtimes execute. Gives the model.

    `function` is a concrete function, or a decorated one with an `input_signature` or with the
    arguments `args` and `kwargs`, as for `get_concrete_function`. The model of a function of `jit`
    gives the arrays that it changes, then its results. With `path` None, no file is
    written. Branches and loops on tensors become `If` and `Loop`; variables are stored with the
    value that they have now. Dimensions that are None stay open.

    opset    the version of ONNX's operators, from 18 on
    checks   False leaves out asserts, exceptions and printing, which ONNX does not have; otherwise
             they are an error
    state    True makes the variables that the function assigns inputs and results of the model.
             The input has the name of the variable, and its present value as default; the result
             `NAME_next` is what to pass in the next call. Otherwise they are an error

    >>> import allograph as ag
    >>> @ag.function
    ... def halvings(n):
    ...     count = 0
    ...     while n > 1:
    ...         n, count = n // 2, count + 1
    ...     return count
    >>> model = ag.onnx.export(halvings, None, ag.TensorSpec([], ag.int32))
    >>> [one.name for one in model.graph.input]
    ['n']

    Raises UnimplementedError at the line of what has no ONNX form.
    """
    concrete = _concrete(function, args, kwargs)
    if opset not in OPSETS:
        raise InvalidArgumentError(
            f"opset={opset!r}: models are written for the operator sets "
            f"{OPSETS.start} to {OPSETS.stop - 1}"
        )
    model = _model(concrete, opset, checks, state)
    if path is not None:
        replace_file(path, [model.SerializeToString()])
    return model


def _concrete(function, args, kwargs) -> ConcreteFunction | JitTrace:
    if isinstance(function, (ConcreteFunction, JitTrace)):
        return function
    if not hasattr(function, "get_concrete_function"):
        raise InvalidArgumentError(
            f"onnx.export takes a decorated function, not {function!r}",
            "Decorate it with @ag.function.",
        )
    return function.get_concrete_function(*args, **kwargs)


def _model(
    concrete: ConcreteFunction | JitTrace, opset: int, checks: bool, state: bool
) -> onnx.ModelProto:
    try:
        import onnx  # an optional package
    except ImportError:
        raise UnimplementedError(
            "onnx.export needs the package onnx", "pip install 'allograph[onnx]'"
        ) from None
    from .forms.every_form import control_forms
    from .forms.writer import Writer  # all of them need onnx

    graph = concrete.frozen
    cells = control_forms.assigned_cells([graph]) if state else []
    writer = Writer(graph, not checks, cells)
    first = len(graph.inputs) - len(concrete.captured_tensors)
    given = [value.name for value in graph.inputs]
    if isinstance(concrete, JitTrace):
        given = concrete.input_names
    inputs = [
        (writer.unique(name), value)
        for name, value in zip(given[:first], graph.inputs[:first], strict=True)
    ]
    names = [name for name, _ in inputs]
    for tensor in concrete.captured_tensors:
        names.append(writer.initializer("captured", tensor.array))
    variables = [control_forms.value_of(cell) for cell in cells]
    for cell, value in zip(cells, variables, strict=True):
        writer.cells[cell] = writer.initializer(value.name, np.asarray(cell.read()))
        inputs.append((writer.cells[cell], value))
    _check_ends(graph, first, bool(cells))
    results = [writer.op("Identity", one) for one in writer.emit(graph, names)]
    following = [writer.unique(f"{name}_next") for name, _ in inputs[first:]]
    for cell, name in zip(cells, following, strict=True):
        writer.nodes.append(onnx.helper.make_node("Identity", [writer.cells[cell]], [name]))
    outputs = zip([*results, *following], [*graph.outputs, *variables], strict=True)
    made = onnx.helper.make_graph(
        writer.nodes, concrete.name.strip("<>"),
        [writer.typed(*one) for one in inputs],
        [writer.typed(*one) for one in outputs],
        writer.used_initializers(kept={name for name, _ in inputs}),
    )  # fmt: skip
    model = onnx.helper.make_model(
        made, opset_imports=[onnx.helper.make_opsetid("", opset)], producer_name="allograph"
    )
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


def _check_ends(graph: Graph, count: int, has_state: bool) -> None:
    """Raise UnimplementedError where an argument or a result has no type in ONNX."""
    if not graph.outputs and not has_state:
        raise UnimplementedError(
            "the function gives no tensor, and a model without results does nothing",
            "Return what the model computes.",
        )
    makers = {value: node for node in graph.nodes for value in node.outputs}
    for value in (*graph.inputs[:count], *graph.outputs):
        where = makers[value].where if value in makers else None
        if is_list(value):
            raise UnimplementedError(
                f"'{value.name}' is no tensor, and ONNX has no type for it",
                "Export a function of tensors: of the elements of a dataset, for example.",
            ).at(where)
        if value.dtype.is_complex:
            uses = (node.where for node in graph.nodes if value in node.inputs)
            raise UnimplementedError(COMPLEX, AS_TWO_ARRAYS).at(where or next(uses, None))
        if value.shape is None:
            raise UnimplementedError(
                f"the number of axes of '{value.name}' is not known, which ONNX needs",
                "Give it in the spec of the argument: ag.TensorSpec([None, None]) for a matrix. Of "
                "a result, state it: ag.ensure_shape(result, [None, None]).",
            ).at(where)
