"""`onnx.export`: the graph of a function as an ONNX model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...runtime.core.errors import InvalidArgumentError, UnimplementedError
from ...runtime.core.public_names import public
from ...tracing.functions.concrete_function import ConcreteFunction
from ..file_io.atomic_files import replace_file

if TYPE_CHECKING:
    import onnx

OPSET = 20
OPSETS = range(18, 23)
IR_VERSION = 10  # of the file format: the oldest that has these operator sets


@public("onnx.export")
def export(
    function, path: str | os.PathLike | None, *args, opset: int = OPSET, checks=True, **kwargs
):
    """Write a function as an ONNX model, which other runtimes execute. Gives the model.

    `function` is a concrete function, or a decorated one with an `input_signature` or with the
    arguments `args` and `kwargs`, as for `get_concrete_function`. With `path` None, no file is
    written. Branches and loops on tensors become `If` and `Loop`; variables are stored with the
    value that they have now. Dimensions that are None stay open.

    opset    the version of ONNX's operators, from 18 on
    checks   False leaves out asserts, which ONNX does not have; otherwise they are an error

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
    model = _model(concrete, opset, checks)
    if path is not None:
        replace_file(path, [model.SerializeToString()])
    return model


def _concrete(function, args, kwargs) -> ConcreteFunction:
    if isinstance(function, ConcreteFunction):
        return function
    if not hasattr(function, "get_concrete_function"):
        raise InvalidArgumentError(
            f"onnx.export takes a decorated function, not {function!r}",
            "Decorate it with @ag.function.",
        )
    return function.get_concrete_function(*args, **kwargs)


def _model(concrete: ConcreteFunction, opset: int, checks: bool) -> onnx.ModelProto:
    try:
        import onnx  # an optional package
    except ImportError:
        raise UnimplementedError(
            "onnx.export needs the package onnx", "pip install 'allograph[onnx]'"
        ) from None
    from . import array_forms, control_forms, elementwise_forms, linear_forms  # noqa: F401
    from .writer import Writer, typed

    writer, graph = Writer(drops_checks=not checks), concrete.frozen
    count = len(graph.inputs) - len(concrete.captured_tensors)
    inputs = [(writer.unique(value.name), value) for value in graph.inputs[:count]]
    names = [name for name, _ in inputs]
    for tensor in concrete.captured_tensors:
        names.append(writer.initializer("captured", tensor.array))
    for value in (*graph.inputs[:count], *graph.outputs):
        if value.shape is None:
            raise UnimplementedError(
                f"the number of axes of '{value.name}' is not known, which ONNX needs",
                "Give it in the spec of the argument: ag.TensorSpec([None, None]) for a matrix.",
            )
    results = [writer.op("Identity", one) for one in writer.emit(graph, names)]
    made = onnx.helper.make_graph(
        writer.nodes, concrete.name.strip("<>"),
        [typed(*one) for one in inputs],
        [typed(*one) for one in zip(results, graph.outputs, strict=True)],
        writer.used_initializers(),
    )  # fmt: skip
    model = onnx.helper.make_model(
        made, opset_imports=[onnx.helper.make_opsetid("", opset)], producer_name="allograph"
    )
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model
