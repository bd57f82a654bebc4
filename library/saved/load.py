"""Loading a saved module: objects, variables and functions, without the Python source."""

from __future__ import annotations

import collections
import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ... import TensorShape, TensorSpec, Variable
from ...backends.numba.functions.numba_functions import NumbaFunction
from ...extend.errors import NotFoundError, boundary, did_you_mean
from ...extend.graphs import Graph, Node, Value
from ...extend.operations import Spec
from ...extend.registration import public
from ...extend.specs import (
    CompositeSpec,
    Container,
    FunctionType,
    TraceType,
    as_shape,
    dtype_named,
    is_subshape,
)
from ...extend.state import Cell
from ...extend.tensors import EagerTensor, SymbolicTensor
from ...extend.tracing import MODES, ConcreteFunction, FuncGraph, with_tensors
from ..file_io.service_errors import PermissionDeniedError
from ..file_io.untrusted_files import file_bytes, inside, reading
from ..module import Module
from .foreign_names import NamedObjects
from .graph_checks import check_given
from .graph_parser import parse_all
from .json_structures import check_names, decode, decode_signature, decode_types
from .manifest import MANIFEST, read_manifest
from .restored_function import RestoredFunction, SignatureFunction
from .tensor_file import read_tensors

OWN_NAMES = {"_name", "_outer_scope", "_observers"}  # of a module, which no file sets
MOST_ITEMS = 10_000_000  # of all lists of a module, and operations of all functions


class LoadedModule(Module):
    """A loaded module: the attributes of the saved module, and `signatures`."""

    __slots__ = ("_saved_class", "_signatures")

    def __init__(self, saved_class: str):
        super().__init__()
        self._saved_class = saved_class
        self._signatures: dict[str, ConcreteFunction] = {}

    @property
    def signatures(self) -> Mapping[str, ConcreteFunction]:
        """The saved signatures: functions by name."""
        return MappingProxyType(self._signatures)

    @boundary
    def __getattr__(self, name: str):
        missing = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name.startswith("_"):  # what Python and libraries ask of any object
            raise AttributeError(missing)
        known = [var for var in vars(self) if not var.startswith("_")]
        raise AttributeError(
            f"{missing}.{did_you_mean(name, known) or f' It has {known}.'} Variables, modules and "
            "decorated functions are saved; other attributes and methods are not"
        )

    def __repr__(self):
        return f"<loaded module {self._saved_class}>"


class CallableModule(LoadedModule):
    """A loaded module with a saved `__call__`."""

    def __call__(self, *args, **kwargs):
        return vars(self)["__call__"](*args, **kwargs)


@public("saved_model.contains_saved_model")
def contains_saved_model(export_dir) -> bool:
    """Whether a folder contains a saved module.

    >>> ag.saved_model.contains_saved_model("/nowhere")
    False
    """
    return (Path(export_dir) / MANIFEST).is_file()


@public("saved_model.load")
def load(
    export_dir, tags=None, options=None, *, allow_files: bool = False, allow_functions: bool = False
) -> LoadedModule:
    """Load the module that `saved_model.save` wrote to a folder, without its Python source.

    Variables and functions have the attribute names of the saved module. Variables are new. A
    function accepts the arguments of its saved traces; other arguments raise a TypeError that lists
    the traces. Named tuples and dataclasses are plain records unless their classes are registered
    with `saved_model.register`. Nothing of the files is executed, so they may come from a stranger.
    Functions that read or write files when they are called are refused unless `allow_files`, and
    those that call functions of Numba unless `allow_functions`, which finds them by their names in
    modules that are imported already.

    >>> import allograph as ag
    >>> import tempfile
    >>> module = ag.Module()
    >>> module.double = ag.function(lambda x: 2 * x, input_signature=[ag.TensorSpec([])])
    >>> folder = tempfile.mkdtemp()
    >>> ag.saved_model.save(module, folder)
    >>> float(ag.saved_model.load(folder).double(1.5))
    3.0

    Raises NotFoundError if the folder has no saved module, DataLossError if a file is damaged,
    PermissionDeniedError for a function that uses files, and UnimplementedError if it was written
    by another version of the format or of an operation.
    """
    folder = Path(export_dir)
    manifest = read_manifest(folder)
    while True:
        try:
            with reading(folder / MANIFEST):
                return _Loader(folder, manifest, allow_files, allow_functions).load()
        except NotFoundError:  # another process may have replaced the files just now
            before, manifest = manifest, read_manifest(folder)
            if manifest == before:
                raise


class _Loader:
    def __init__(self, folder: Path, manifest: dict, allow_files: bool, allow_functions: bool):
        self.entries = manifest["objects"]
        self.signatures = manifest["signatures"]
        self.allow_files = allow_files
        self.room = MOST_ITEMS
        files = manifest["files"]
        self.arrays, _ = read_tensors(inside(folder, files["tensors"]))
        self.objects: dict[int, object] = {}
        self.unfilled: collections.deque = collections.deque()  # what fills an object, to be called
        self.variables: dict[Cell, Variable] = {}
        cells = {
            entry["tensor"]: self.object_at(index).handle
            for index, entry in enumerate(self.entries)
            if entry["kind"] == "variable"
        }
        named = NamedObjects({**self.arrays, **cells})
        named.allow_functions = allow_functions
        self.graphs = self.read_graphs(inside(folder, files["graphs"]), named)
        self.captures: dict[str, EagerTensor] = {}
        self.cells: dict[str, tuple[int, list]] = {}  # of a graph: its nodes, and its variables

    def read_graphs(self, path: Path, named: dict) -> dict[str, Graph]:
        with reading(path):
            content = file_bytes(path).tobytes().decode()
            graphs = parse_all(content, named) if content else {}
            for graph in graphs.values():
                for node in graph.nodes:
                    self.check_node(node)
        return graphs

    def check_node(self, node: Node) -> None:
        """Raise an error for an operation that no file may contain, or not without permission."""
        is_known = node.op.is_foreign and isinstance(node.attrs["function"], NumbaFunction)
        if node.op.runs_python and not (is_known or node.op.always_raises):
            raise ValueError(f"'{node.op.name}' calls Python code, which no file holds")
        if node.uses_files and not self.allow_files:
            raise PermissionDeniedError(
                f"a function of the saved module uses files: the operation '{node.op.name}'",
                "If you trust who saved it: ag.saved_model.load(folder, allow_files=True).",
            )

    def load(self) -> LoadedModule:
        root = self.object_at(0)
        while self.unfilled:
            self.unfilled.popleft()()
        if not isinstance(root, LoadedModule):
            raise ValueError("its first object is not a module")
        signatures = {name: self.signature(entry) for name, entry in self.signatures.items()}
        root._signatures = signatures
        return root

    # ---- objects -------------------------------------------------------------------------

    def object_at(self, index: int):
        """The object with this index, created on first use.

        A module, list or dictionary is filled later: they may be nested to any depth.
        """
        if index not in self.objects:
            entry = self.entries[index]
            LOADERS[entry["kind"]](self, index, entry)
        return self.objects[index]

    def variable(self, index: int, entry: dict) -> None:
        array = self.arrays[entry["tensor"]]
        shape = TensorShape(entry["shape"])
        if not is_subshape(array.shape, as_shape(shape)):
            raise ValueError(f"{entry['tensor']!r} has not the shape of its variable")
        variable = Variable(
            EagerTensor(array),
            entry["trainable"],
            entry["name"],
            dtype_named(entry["dtype"]),
            shape,
        )
        self.objects[index] = self.variables[variable.handle] = variable

    def module(self, index: int, entry: dict) -> None:
        cls = CallableModule if "__call__" in entry["children"] else LoadedModule
        module = self.objects[index] = cls(entry["class"])

        def fill() -> None:
            for name, child in entry["children"].items():
                if name in vars(module) or name in OWN_NAMES:
                    raise ValueError(f"{name!r} is not an attribute of a module")
                vars(module)[name] = self.object_at(child)

        self.unfilled.append(fill)

    def list_(self, index: int, entry: dict) -> None:
        items = self.objects[index] = [None] * self.size_of(entry)

        def fill() -> None:
            for name, child in entry["children"].items():
                items[int(name)] = self.object_at(child)

        self.unfilled.append(fill)

    def tuple_(self, index: int, entry: dict) -> None:
        items = {int(name): self.object_at(child) for name, child in entry["children"].items()}
        self.objects[index] = tuple(items.get(index) for index in range(self.size_of(entry)))

    def size_of(self, entry: dict) -> int:
        """The number of items of a list: those without state are in no file, but take memory."""
        size = entry["size"]
        if type(size) is not int or not len(entry["children"]) <= size <= self.room:
            raise ValueError(f"a list has {size!r} items; all lists may have {MOST_ITEMS:,}")
        self.room -= size
        return size

    def mapping(self, index: int, entry: dict) -> None:
        dict_: dict = {}
        self.objects[index] = dict_

        def fill() -> None:
            for name, child in entry["children"].items():
                dict_[decode(entry["keys"][name])] = self.object_at(child)

        self.unfilled.append(fill)

    # ---- functions -----------------------------------------------------------------------

    def function(self, index: int, entry: dict) -> None:
        traces = [self.trace(one) for one in entry["traces"]]
        signature = decode_signature(entry["parameters"])
        for one in traces:
            check_names(signature, one.function_type.types)
        self.objects[index] = RestoredFunction(entry["name"], signature, traces)

    def concrete(self, index: int, entry: dict) -> None:
        self.objects[index] = self.trace(entry["trace"])

    def trace(self, entry: dict) -> ConcreteFunction:
        """A trace of a function: the concrete function for given types of arguments."""
        graph, results = self.graph(entry)
        function_type = decode_types(decode_signature(entry["parameters"]), entry["types"])
        specs = [spec for type_ in function_type.types.values() for spec in _tensor_specs(type_)]
        _check_inputs(graph, specs)
        packed = with_tensors(decode(entry["outputs"]), results)
        concrete = ConcreteFunction(graph, function_type, packed, entry["jit_compile"])
        return self.keeping_variables(concrete, entry["graph"])

    def signature(self, entry: dict) -> ConcreteFunction:
        """A signature: a function with a tensor by name for each input, and results by name."""
        graph, results = self.graph(entry)
        keyword_only = inspect.Parameter.KEYWORD_ONLY
        _check_inputs(graph, [Spec(value.dtype, value.shape) for value in graph.inputs])
        names = [re.sub(r"\W", "_", value.name) for value in graph.inputs]
        specs = [TensorSpec(value.shape, value.dtype, value.name) for value in graph.inputs]
        parameters = inspect.Signature([inspect.Parameter(name, keyword_only) for name in names])
        types = FunctionType(parameters, dict(zip(names, specs, strict=True)))
        named = dict(zip(entry["outputs"], results, strict=True))
        made = SignatureFunction(graph, types, named)
        made.structured_outputs = {
            name: TensorSpec(spec.shape, spec.dtype, name)
            for name, spec in made.structured_outputs.items()
        }
        return self.keeping_variables(made, entry["graph"])

    def graph(self, entry: dict):
        """The graph of a trace, and its results."""
        title = entry["graph"]
        if title not in self.cells:
            nodes = list(self.graphs[title].walk())
            cells = {value for node in nodes for value in node.attrs.values() if _is_cell(value)}
            self.cells[title] = len(nodes), [self.variables[cell] for cell in cells]
        self.room -= self.cells[title][0]
        if self.room < 0:
            raise ValueError(f"its functions have more than {MOST_ITEMS:,} operations")
        if type(entry["name"]) is not str or entry.get("jit_compile") not in MODES:
            raise ValueError(f"{entry['name']!r} with jit_compile={entry.get('jit_compile')!r}")
        frozen = self.graphs[title].replace(name=entry["name"])
        names = entry["captures"]
        if len(set(names)) < len(names):
            raise ValueError(f"{entry['name']!r} captures a tensor twice")
        graph = FuncGraph.around(frozen, [self.capture(name) for name in names])
        return graph, (SymbolicTensor(value, graph) for value in frozen.outputs)

    def keeping_variables(self, function: ConcreteFunction, title: str) -> ConcreteFunction:
        """The function, with references to the variables that it uses, to keep them alive."""
        function.own_variables = self.cells[title][1]
        return function

    def capture(self, name: str) -> EagerTensor:
        if name not in self.captures:
            self.captures[name] = EagerTensor(self.arrays[name])
        return self.captures[name]


def _is_cell(value) -> bool:
    return isinstance(value, Cell)


def _tensor_specs(type_: TraceType) -> Iterator[Spec]:
    """The types of the tensors that an argument of this type feeds into the graph."""
    if isinstance(type_, TensorSpec):
        yield Spec(type_.dtype, type_.dims)
    elif isinstance(type_, CompositeSpec):
        yield from (Spec(spec.dtype, spec.dims) for spec in type_.component_specs)
    elif isinstance(type_, Container):
        for component in type_.components:
            yield from _tensor_specs(component)


def _check_inputs(graph: FuncGraph, specs: list[Spec]) -> None:
    """Raise ValueError unless the arguments and the captured tensors are what the graph takes."""
    if len(specs) != len(graph.inputs):
        raise ValueError(f"{graph.name} has {len(graph.inputs)} inputs, not {len(specs)}")
    given = [Value(spec.dtype, spec.shape, "an argument") for spec in specs]
    taken = list(graph.inputs)
    tensor: Any
    for tensor, value in graph.captures.values():
        given.append(Value(tensor.dtype, tensor.dims, "a captured tensor", tensor.array))
        taken.append(value)
    check_given(graph.name, given, taken)


LOADERS = {
    "variable": _Loader.variable,
    "module": _Loader.module,
    "list": _Loader.list_,
    "tuple": _Loader.tuple_,
    "dict": _Loader.mapping,
    "function": _Loader.function,
    "concrete": _Loader.concrete,
}
