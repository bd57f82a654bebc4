"""`onnx.load`: a model in a file as a decorated function."""

from __future__ import annotations

import inspect
import os
import re

from ...runtime.core.errors import UnimplementedError
from ...runtime.core.public_names import public
from ...tracing.functions.polymorphic_function import PolymorphicFunction
from ...tracing.functions.polymorphic_function import function as decorate
from ..file_io.untrusted_files import file_bytes, reading


@public("onnx.load")
def load(path: str | os.PathLike) -> PolymorphicFunction:
    """A model of ONNX as a decorated function of its inputs, in order or by name.

    The result is a tensor, or a tuple if the model has several results. What the function computes
    is a graph as any other: it is compiled, differentiated, called by other functions, and saved.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "double.onnx")
    >>> _ = ag.onnx.export(ag.function(lambda x: x * 2.0), path, ag.TensorSpec([None]))
    >>> ag.onnx.load(path)([1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)

    Raises UnimplementedError that names the operators of the model that cannot be read, and
    DataLossError if the file is no model.
    """
    try:
        import onnx  # an optional package
    except ImportError:
        raise UnimplementedError(
            "onnx.load needs the package onnx", "pip install 'allograph[onnx]'"
        ) from None
    from . import imported_loops, model_function  # need onnx

    with reading(path):
        model = onnx.load_model_from_string(file_bytes(path).tobytes())
        onnx.checker.check_model(model)
    graph = model.graph
    missing = model_function.unsupported(graph)
    if missing:
        raise UnimplementedError(
            f"operators of the model that cannot be read: {', '.join(sorted(missing))}"
        )
    stored = {one.name for one in graph.initializer}
    inputs = [one for one in graph.input if one.name not in stored]

    def run(*tensors):
        results = model_function.run(graph, tensors)
        return results[0] if len(results) == 1 else tuple(results)

    names = [re.sub(r"\W|^(?=\d)", "_", one.name) for one in inputs]
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    run.__name__ = run.__qualname__ = re.sub(r"\W", "_", graph.name) or "model"
    run.__signature__ = inspect.Signature([inspect.Parameter(one, either) for one in names])  # type: ignore[attr-defined]
    specs = [imported_loops.spec_of(one) for one in inputs]
    return decorate(run, input_signature=specs, autograph=False)
