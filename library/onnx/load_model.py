"""`onnx.load`: a model in a file as a decorated function."""

from __future__ import annotations

import inspect
import os
import re

from ... import function as decorate
from ...extend.errors import UnimplementedError
from ...extend.registration import public
from ...extend.tracing import PolymorphicFunction
from ..file_io.untrusted_files import file_bytes, reading


@public("onnx.load")
def load(path: str | os.PathLike) -> PolymorphicFunction:
    """A model of ONNX as a decorated function of its inputs, in order or by name.

    The result is a tensor, or a tuple if the model has several results. A stored input NAME is a
    parameter with a default if there is a result `NAME_next`, and a constant otherwise.

    What the function computes is a graph as any other: it is compiled, differentiated, called by
    other functions, and saved.

    >>> import allograph as ag, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "double.onnx")
    >>> _ = ag.onnx.export(ag.function(lambda x: x * 2.0), path, ag.TensorSpec([None]))
    >>> ag.onnx.load(path)([1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)

    Raises UnimplementedError that names the operators of the model that cannot be read, or where it
    keeps arrays in other files, and DataLossError if the file is no model.
    """
    try:
        import onnx  # an optional package
    except ImportError:
        raise UnimplementedError(
            "onnx.load needs the package onnx", "pip install 'allograph[onnx]'"
        ) from None
    with reading(path):
        content = file_bytes(path).tobytes()
        model = onnx.load_model_from_string(content)
        _check_that_it_is_whole(model.graph, os.fspath(path))
        onnx.checker.check_model(model)
    function = LoadedModel(content)
    return decorate(function, input_signature=function.specs, autograph=False)  # type: ignore[return-value]


def _check_that_it_is_whole(graph, path: str) -> None:
    """Raise UnimplementedError where an array of a graph lies in another file."""
    tensors = list(graph.initializer)
    for node in graph.node:
        for attribute in node.attribute:
            tensors += [attribute.t, *attribute.tensors]
            for inner in (attribute.g, *attribute.graphs):
                _check_that_it_is_whole(inner, path)
    for tensor in tensors:
        if tensor.data_location == tensor.EXTERNAL:
            named = {item.key: item.value for item in tensor.external_data}
            whole = f"{os.path.splitext(path)[0]}_whole.onnx"
            raise UnimplementedError(
                f"the array {tensor.name!r} of the model is in the file "
                f"{named.get('location')!r}, which onnx.load does not open",
                f"If you trust it: import onnx; onnx.save(onnx.load({path!r}), {whole!r})",
            )


class LoadedModel:
    """The Python function that calls the operators of a model. Its pickle holds the model."""

    def __init__(self, content: bytes):
        import onnx  # an optional package

        from .imported import loop_operators, model_function, operator_table  # need onnx

        model = onnx.load_model_from_string(content)
        self.content, self.graph = content, model.graph
        missing = model_function.unsupported(model.graph)
        if missing:
            raise UnimplementedError(
                f"operators of the model that cannot be read: {', '.join(sorted(missing))}"
            )
        opsets = {one.domain: one.version for one in model.opset_import}
        self.calls = model_function.ModelFunction(opsets.get("", opsets.get("ai.onnx", 1)))
        stored = {one.name: one for one in model.graph.initializer}
        results = {one.name for one in model.graph.output}
        inputs = [one for one in model.graph.input if one.name not in stored]
        inputs += [
            one for one in model.graph.input if one.name in stored and f"{one.name}_next" in results
        ]
        self.names = [one.name for one in inputs]
        self.specs = [loop_operators.spec_of(one) for one in inputs]
        self.__name__ = self.__qualname__ = re.sub(r"\W", "_", model.graph.name) or "model"
        self.__signature__ = inspect.Signature(
            [
                _parameter(one, operator_table.array_of(stored[one]) if one in stored else EMPTY)
                for one in self.names
            ]
        )

    def __call__(self, *tensors):
        from .imported import sequence_operators  # needs onnx

        inputs = dict(zip(self.names, tensors, strict=True))
        results = sequence_operators.tensors_of(self.calls.run(self.graph, inputs))
        return results[0] if len(results) == 1 else tuple(results)

    def __reduce__(self):
        return LoadedModel, (self.content,)


EMPTY = inspect.Parameter.empty


def _parameter(name: str, default) -> inspect.Parameter:
    name = re.sub(r"\W|^(?=\d)", "_", name)
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
