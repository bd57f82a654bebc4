"""The HTML of each class of objects. It shows what there is, and computes or compiles nothing."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from ... import Variable
from ...extend import nest
from ...extend.errors import Error
from ...extend.graphs import Graph
from ...extend.specs import CompositeTensor, as_shape
from ...extend.tensors import EagerTensor, SymbolicTensor
from ...extend.tracing import (
    BoundFunction,
    ConcreteFunction,
    FuncGraph,
    JitFunction,
    PolymorphicFunction,
    to_code,
)
from ..data.datasets.dataset import Dataset
from ..keras.models.model import Model
from ..profiling.explain import Explanation
from ..short_types import parameters_of, short_type
from ..tensorboard.profiler import Profile, Recording
from .array_pictures import picture
from .html_elements import Html, block, code, details, table, title

MOST_PRINTED = 200  # elements of an array, above which only its ends are printed
MOST_LINES = 20  # of a profile


@functools.singledispatch
def html_of(thing) -> Html | None:
    """The HTML of an object; None if it has none, and `repr` is shown."""
    return None


@html_of.register
def _(tensor: EagerTensor) -> Html:
    return _array("Tensor", tensor.dtype.name, tensor.numpy())


@html_of.register
def _(tensor: SymbolicTensor) -> Html:
    return title("Tensor", tensor.dtype.name, _shape(tensor.dims), "computed by a graph")


@html_of.register
def _(variable: Variable) -> Html:
    facts = [] if variable.trainable else ["not trainable"]
    return _array(f"Variable {variable.name}", variable.dtype.name, variable.numpy(), *facts)


@html_of.register
def _(composite: CompositeTensor) -> Html:
    """A ragged or a sparse tensor."""
    tensor: Any = composite  # its class has the attributes
    shape = as_shape(tensor.shape)
    return block(title(type(tensor).__name__, tensor.dtype.name, _shape(shape)), code(str(tensor)))


def _array(name: str, dtype: str, content, *facts) -> Html:
    array = np.asarray(content)
    with np.printoptions(threshold=MOST_PRINTED, edgeitems=3):
        printed = code(str(content))
    shown = picture(array)
    if shown is not None:
        printed = details("values", printed, is_open=array.size <= MOST_PRINTED)
    return block(title(name, dtype, _shape(array.shape), *facts), shown, printed)


def _shape(shape) -> str:
    if shape is None:
        return "any shape"
    return "shape (" + ", ".join("?" if size is None else str(size) for size in shape) + ")"


# ---- functions and graphs ------------------------------------------------------------------------


@html_of.register
def _(function: PolymorphicFunction) -> Html:
    return _function(function, function.traces)


@html_of.register
def _(method: BoundFunction) -> Html:
    return _function(method.function, method.traces)


def _function(function: PolymorphicFunction, traces_by_type: dict) -> Html:
    traces = list(traces_by_type.values())
    rows = [
        (parameters_of(trace), short_type(trace.function_type.output), len(trace.frozen.nodes))
        for trace in traces
    ]
    graphs = [
        details(f"graph of {parameters_of(trace)}", code(trace.frozen.as_text()))
        for trace in traces
    ]
    retraces = code(function.explain_retraces()) if function.retraces else None
    return block(
        _function_title("function", function),
        table(("trace", "result", "operations"), rows) if rows else "not traced yet",
        *_sources(function),
        *graphs,
        retraces and details("why it was traced again", retraces),
    )


@html_of.register
def _(function: JitFunction) -> Html:
    return block(
        _function_title("jit function", function), code(function.inspect()), *_sources(function)
    )


def _function_title(what: str, function) -> Html:
    plain = function.python_function
    name = getattr(plain, "__name__", type(plain).__name__)
    about = (inspect.getdoc(plain) or "").partition("\n")[0]
    return title(f"{name}{inspect.signature(function)}", what, *([about] if about else []))


def _sources(function) -> list[Html]:
    """The source and the generated code, as far as there are any."""
    results = []
    try:
        source = textwrap.dedent(inspect.getsource(function.python_function))
        results.append(details("source", code(source)))
        results.append(details("generated code", code(to_code(function, laid_out=True))))
    except (Error, OSError, TypeError):  # no source
        pass
    return results


@html_of.register
def _(concrete: ConcreteFunction) -> Html:
    graph = concrete.frozen
    head = title(
        f"{concrete.name}{parameters_of(concrete)}", short_type(concrete.function_type.output)
    )
    return block(head, details(_counted(len(graph.nodes)), code(graph.as_text())))


@html_of.register
def _(graph: Graph) -> Html:
    shown = details(_counted(len(graph.nodes)), code(graph.as_text()), is_open=True)
    return block(title(graph.name, "graph"), shown)


@html_of.register
def _(graph: FuncGraph) -> Html:
    return block(title(graph.name, "graph"), code(graph.as_text()))


def _counted(operations: int) -> str:
    return f"{operations:,} operation" + ("" if operations == 1 else "s")


# ---- tables --------------------------------------------------------------------------------------


@html_of.register
def _(explanation: Explanation) -> Html:
    head, *rows = explanation.table()
    notes = explanation.notes()
    facts = f"{explanation.native_share:.0%} of {_counted(len(explanation.rows))} native"
    return block(
        title(explanation.name, facts),
        table(head, rows),
        code("\n".join(notes)) if notes else None,
    )


@html_of.register
def _(recording: Recording) -> Html:
    rows = [
        (f"{line.seconds * 1e3:.3f}", line.count, f"{line.file}:{line.line}",
         ", ".join(line.operations))
        for line in recording.lines()[:MOST_LINES]
    ]  # fmt: skip
    return block(title("profile"), table(("ms", "count", "line", "operations"), rows))


@html_of.register
def _(profile: Profile) -> Html | None:
    return html_of(profile.recording) if profile.recording else None


@html_of.register
def _(dataset: Dataset) -> Html:
    rows = [(path or "whole", short_type(spec)) for path, spec in _leaves(dataset.element_spec, "")]
    return block(title("Dataset", *_cardinality(dataset)), table(("element", "spec"), rows))


def _leaves(structure, path: str) -> Iterator[tuple[str, object]]:
    """The leaves of a structure with their indices, such as `[0]['image']`."""
    container = nest.user_container_type(structure)
    if container is None:
        yield path, structure
        return
    keys = container.keys(structure)
    children = container.children(structure, keys)
    if isinstance(structure, (list, tuple)):
        keys = tuple(range(len(children)))
    for key, child in zip(keys, children, strict=True):
        yield from _leaves(child, f"{path}[{key!r}]")


def _cardinality(dataset: Dataset) -> list[str]:
    count = int(dataset.cardinality())
    return [f"{count:,} elements"] if count >= 0 else ["endless"] if count == -1 else []


@html_of.register
def _(model: Model) -> Html:
    rows = [(layer.name, type(layer).__name__, layer.count_params()) for layer in model.layers]
    facts = f"{model.count_params():,} parameters"
    return block(title(model.name, facts), table(("layer", "class", "parameters"), rows))
