"""Loading a saved module: objects, variables and functions, without the Python source."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ...runtime.core.errors import DataLossError, FileMissingError, NotFoundError
from ...runtime.core.public_names import public
from ...runtime.core.shapes import TensorShape
from ...runtime.ir.graph import Graph, check
from ...runtime.ir.graph_parser import parse_all
from ...runtime.ops.state.variables import Cell, Variable
from ...runtime.tensors.tensor import EagerTensor, SymbolicTensor
from ...tracing.functions.concrete_function import ConcreteFunction
from ...tracing.functions.func_graph import FuncGraph
from ...tracing.structures import nest
from ...tracing.type_system.function_type import FunctionType
from ...tracing.type_system.trace_types import TensorSpec
from ..module import Module
from .json_structures import decode, decode_signature, decode_types
from .manifest import MANIFEST, read_manifest
from .restored_function import RestoredFunction, SignatureFunction
from .tensor_file import read_tensors


class LoadedModule(Module):
    """A loaded module: the attributes of the saved module, and `signatures`."""

    __slots__ = ("_saved_class", "_signatures")

    def __init__(self, saved_class: str):
        super().__init__()
        self._saved_class = saved_class
        self._signatures: Mapping[str, ConcreteFunction] = {}

    @property
    def signatures(self) -> Mapping[str, ConcreteFunction]:
        """The saved signatures: functions by name."""
        return self._signatures

    def __repr__(self):
        return f"<loaded module {self._saved_class}>"


class CallableModule(LoadedModule):
    """A loaded module with a saved `__call__`."""

    def __call__(self, *args, **kwargs):
        return vars(self)["__call__"](*args, **kwargs)


@public("saved_model.contains_saved_model")
def contains_saved_model(export_dir) -> bool:
    """Whether a folder contains a saved module.

    >>> contains_saved_model("/nowhere")
    False
    """
    return (Path(export_dir) / MANIFEST).is_file()


@public("saved_model.load")
def load(export_dir, tags=None, options=None) -> LoadedModule:
    """Load the module that `saved_model.save` wrote to a folder, without its Python source.

    Variables and functions have the attribute names of the saved module. Variables are new. A
    function accepts the arguments of its saved traces; other arguments raise a TypeError that lists
    the traces.

    >>> import allograph as ag
    >>> import tempfile
    >>> module = ag.Module()
    >>> module.double = ag.function(lambda x: 2 * x, input_signature=[ag.TensorSpec([])])
    >>> folder = tempfile.mkdtemp()
    >>> ag.saved_model.save(module, folder)
    >>> float(ag.saved_model.load(folder).double(1.5))
    3.0

    Raises NotFoundError if the folder has no saved module, DataLossError if a file is damaged, and
    UnimplementedError if it was written by a newer version of the format.
    """
    folder = Path(export_dir)
    manifest = read_manifest(folder)
    while True:
        try:
            return _Loader(folder, manifest).load()
        except NotFoundError:  # another process may have replaced the files just now
            before, manifest = manifest, read_manifest(folder)
            if manifest == before:
                raise


class _Loader:
    def __init__(self, folder: Path, manifest: dict):
        self.entries = manifest["objects"]
        self.signatures = manifest["signatures"]
        self.arrays, _ = read_tensors(folder / manifest["files"]["tensors"])
        self.objects: dict[int, object] = {}
        self.variables: dict[Cell, Variable] = {}
        cells = {
            entry["tensor"]: self.object_at(index).handle
            for index, entry in enumerate(self.entries)
            if entry["kind"] == "variable"
        }
        named = {**self.arrays, **cells}
        self.graphs = self.read_graphs(folder / manifest["files"]["graphs"], named)
        self.captures: dict[str, EagerTensor] = {}

    def read_graphs(self, path: Path, named: dict) -> dict[str, Graph]:
        try:
            content = path.read_text(encoding="utf-8")
            graphs = parse_all(content, named) if content else {}
            for graph in graphs.values():
                check(graph)
        except FileNotFoundError:
            raise FileMissingError(f"there is no file {str(path)!r}") from None
        except (ValueError, KeyError, SyntaxError, AttributeError, TypeError) as error:
            raise DataLossError(f"the file {str(path)!r} is damaged: {error}") from error
        return graphs

    def load(self) -> LoadedModule:
        root = self.object_at(0)
        signatures = {name: self.signature(entry) for name, entry in self.signatures.items()}
        root._signatures = MappingProxyType(signatures)
        return root

    # ---- objects -------------------------------------------------------------------------

    def object_at(self, index: int):
        """The object with this index, created on first use."""
        if index not in self.objects:
            entry = self.entries[index]
            LOADERS[entry["kind"]](self, index, entry)
        return self.objects[index]

    def variable(self, index: int, entry: dict) -> None:
        array = self.arrays[entry["tensor"]]
        shape = TensorShape(entry["shape"])
        variable = Variable(
            EagerTensor(array), entry["trainable"], entry["name"], entry["dtype"], shape
        )
        self.objects[index] = self.variables[variable.handle] = variable

    def module(self, index: int, entry: dict) -> None:
        cls = CallableModule if "__call__" in entry["children"] else LoadedModule
        module = self.objects[index] = cls(entry["class"])
        for name, child in entry["children"].items():
            vars(module)[name] = self.object_at(child)

    def list_(self, index: int, entry: dict) -> None:
        items = self.objects[index] = [None] * entry["size"]
        for name, child in entry["children"].items():
            items[int(name)] = self.object_at(child)

    def tuple_(self, index: int, entry: dict) -> None:
        items = {int(name): self.object_at(child) for name, child in entry["children"].items()}
        self.objects[index] = tuple(items.get(index) for index in range(entry["size"]))

    def mapping(self, index: int, entry: dict) -> None:
        dict_ = self.objects[index] = {}
        for name, child in entry["children"].items():
            dict_[decode(entry["keys"][name])] = self.object_at(child)

    # ---- functions -----------------------------------------------------------------------

    def function(self, index: int, entry: dict) -> None:
        traces = [self.trace(one) for one in entry["traces"]]
        signature = decode_signature(entry["parameters"])
        self.objects[index] = RestoredFunction(entry["name"], signature, traces)

    def concrete(self, index: int, entry: dict) -> None:
        self.objects[index] = self.trace(entry["trace"])

    def trace(self, entry: dict) -> ConcreteFunction:
        """A trace of a function: the concrete function for given types of arguments."""
        graph, results = self.graph(entry)
        structure = decode(entry["outputs"])
        leaves = [
            next(results) if isinstance(leaf, TensorSpec) else leaf
            for leaf in nest.flatten(structure)
        ]
        function_type = decode_types(decode_signature(entry["parameters"]), entry["types"])
        packed = nest.pack_sequence_as(structure, leaves)
        return self.concrete_function(
            ConcreteFunction(graph, function_type, packed, entry["jit_compile"])
        )

    def signature(self, entry: dict) -> ConcreteFunction:
        """A signature: a function with a tensor by name for each input, and results by name."""
        graph, results = self.graph(entry)
        keyword_only = inspect.Parameter.KEYWORD_ONLY
        names = [re.sub(r"\W", "_", value.name) for value in graph.inputs]
        specs = [TensorSpec(value.shape, value.dtype, value.name) for value in graph.inputs]
        parameters = inspect.Signature([inspect.Parameter(name, keyword_only) for name in names])
        types = FunctionType(parameters, dict(zip(names, specs, strict=True)))
        named = dict(zip(entry["outputs"], results, strict=True))
        return self.concrete_function(SignatureFunction(graph, types, named))

    def graph(self, entry: dict):
        """The graph of a trace, and its results."""
        frozen = self.graphs[entry["graph"]].replace(name=entry["name"])
        graph = FuncGraph.around(frozen, [self.capture(name) for name in entry["captures"]])
        return graph, (SymbolicTensor(value, graph) for value in frozen.outputs)

    def concrete_function(self, function: ConcreteFunction) -> ConcreteFunction:
        """The function, with references to the variables that it uses, to keep them alive."""
        cells = {value for node in function.frozen.walk() for value in node.attrs.values()
                 if isinstance(value, Cell)}  # fmt: skip
        function.kept = [self.variables[cell] for cell in cells]  # type: ignore[attr-defined]
        return function

    def capture(self, name: str) -> EagerTensor:
        if name not in self.captures:
            self.captures[name] = EagerTensor(self.arrays[name])
        return self.captures[name]


LOADERS = {
    "variable": _Loader.variable,
    "module": _Loader.module,
    "list": _Loader.list_,
    "tuple": _Loader.tuple_,
    "dict": _Loader.mapping,
    "function": _Loader.function,
    "concrete": _Loader.concrete,
}
