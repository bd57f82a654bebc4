"""Loading a saved module: objects, variables and functions, without its Python source."""

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
    """A module that was loaded: the attributes of the one that was saved, and `signatures`."""

    __slots__ = ("_saved_class", "_signatures")

    def __init__(self, saved_class: str):
        super().__init__()
        self._saved_class = saved_class
        self._signatures: Mapping[str, ConcreteFunction] = {}

    @property
    def signatures(self) -> Mapping[str, ConcreteFunction]:
        """The functions that were saved as signatures, by name."""
        return self._signatures

    def __repr__(self):
        return f"<loaded module {self._saved_class}>"


class CallableModule(LoadedModule):
    """A loaded module with a saved `__call__`."""

    def __call__(self, *args, **kwargs):
        return vars(self)["__call__"](*args, **kwargs)


@public("saved_model.contains_saved_model")
def contains_saved_model(export_dir) -> bool:
    """Whether a folder holds a saved module.

    >>> contains_saved_model("/nowhere")
    False
    """
    return (Path(export_dir) / MANIFEST).is_file()


@public("saved_model.load")
def load(export_dir, tags=None, options=None) -> LoadedModule:
    """The module in a folder that `saved_model.save` wrote; its Python source is not needed.

    Variables and functions are found under the attributes they had; variables are copies. A
    function takes the arguments of its saved traces; anything else is an error that lists them.

    Raises NotFoundError where nothing was saved, DataLossError where a file is damaged,
    UnimplementedError where a newer version wrote it.
    """
    folder = Path(export_dir)
    manifest = read_manifest(folder)
    while True:
        try:
            return _Loader(folder, manifest).load()
        except NotFoundError:  # another process saved anew, and removed the files, just now?
            before, manifest = manifest, read_manifest(folder)
            if manifest == before:
                raise


class _Loader:
    def __init__(self, folder: Path, manifest: dict):
        self.rows = manifest["objects"]
        self.signatures = manifest["signatures"]
        self.arrays, _ = read_tensors(folder / manifest["files"]["tensors"])
        self.things: dict[int, object] = {}
        self.variables: dict[Cell, Variable] = {}
        cells = {
            row["tensor"]: self.thing(place).handle
            for place, row in enumerate(self.rows)
            if row["kind"] == "variable"
        }
        named = {**self.arrays, **cells}
        self.graphs = self.read_graphs(folder / manifest["files"]["graphs"], named)
        self.captures: dict[str, EagerTensor] = {}

    def read_graphs(self, path: Path, named: dict) -> dict[str, Graph]:
        try:
            text = path.read_text(encoding="utf-8")
            graphs = parse_all(text, named) if text else {}
            for graph in graphs.values():
                check(graph)
        except FileNotFoundError:
            raise FileMissingError(f"there is no file {str(path)!r}") from None
        except (ValueError, KeyError, SyntaxError, AttributeError, TypeError) as error:
            raise DataLossError(f"the file {str(path)!r} is damaged: {error}") from error
        return graphs

    def load(self) -> LoadedModule:
        root = self.thing(0)
        found = {name: self.signature(row) for name, row in self.signatures.items()}
        root._signatures = MappingProxyType(found)
        return root

    # ---- objects -------------------------------------------------------------------------

    def thing(self, place: int):
        """The object with this number, made when it is first asked for."""
        if place not in self.things:
            row = self.rows[place]
            MAKERS[row["kind"]](self, place, row)
        return self.things[place]

    def variable(self, place: int, row: dict) -> None:
        array = self.arrays[row["tensor"]]
        shape = TensorShape(row["shape"])
        made = Variable(EagerTensor(array), row["trainable"], row["name"], row["dtype"], shape)
        self.things[place] = self.variables[made.handle] = made

    def module(self, place: int, row: dict) -> None:
        kind = CallableModule if "__call__" in row["children"] else LoadedModule
        made = self.things[place] = kind(row["class"])
        for name, child in row["children"].items():
            vars(made)[name] = self.thing(child)

    def row(self, place: int, row: dict) -> None:
        made = self.things[place] = [None] * row["size"]
        for name, child in row["children"].items():
            made[int(name)] = self.thing(child)

    def fixed_row(self, place: int, row: dict) -> None:
        items = {int(name): self.thing(child) for name, child in row["children"].items()}
        self.things[place] = tuple(items.get(index) for index in range(row["size"]))

    def mapping(self, place: int, row: dict) -> None:
        made = self.things[place] = {}
        for name, child in row["children"].items():
            made[decode(row["keys"][name])] = self.thing(child)

    # ---- functions -----------------------------------------------------------------------

    def function(self, place: int, row: dict) -> None:
        traces = [self.trace(one) for one in row["traces"]]
        signature = decode_signature(row["parameters"])
        self.things[place] = RestoredFunction(row["name"], signature, traces)

    def concrete(self, place: int, row: dict) -> None:
        self.things[place] = self.trace(row["trace"])

    def trace(self, row: dict) -> ConcreteFunction:
        """One trace of a function: a call with the same types of arguments."""
        graph, results = self.graph(row)
        form = decode(row["outputs"])
        leaves = [
            next(results) if isinstance(leaf, TensorSpec) else leaf for leaf in nest.flatten(form)
        ]
        kind = decode_types(decode_signature(row["parameters"]), row["types"])
        packed = nest.pack_sequence_as(form, leaves)
        return self.concrete_function(ConcreteFunction(graph, kind, packed, row["jit_compile"]))

    def signature(self, row: dict) -> ConcreteFunction:
        """A function of tensors by name, one for each input of the graph, with results by name."""
        graph, results = self.graph(row)
        kind = inspect.Parameter.KEYWORD_ONLY
        names = [re.sub(r"\W", "_", value.name) for value in graph.inputs]
        specs = [TensorSpec(value.shape, value.dtype, value.name) for value in graph.inputs]
        parameters = inspect.Signature([inspect.Parameter(name, kind) for name in names])
        types = FunctionType(parameters, dict(zip(names, specs, strict=True)))
        named = dict(zip(row["outputs"], results, strict=True))
        return self.concrete_function(SignatureFunction(graph, types, named))

    def graph(self, row: dict):
        """The open graph of a trace, and its results."""
        frozen = self.graphs[row["graph"]].replace(name=row["name"])
        graph = FuncGraph.around(frozen, [self.capture(name) for name in row["captures"]])
        return graph, (SymbolicTensor(value, graph) for value in frozen.outputs)

    def concrete_function(self, made: ConcreteFunction) -> ConcreteFunction:
        """The function, keeping the variables alive which it uses."""
        cells = {value for node in made.frozen.walk() for value in node.attrs.values()
                 if isinstance(value, Cell)}  # fmt: skip
        made.kept = [self.variables[cell] for cell in cells]
        return made

    def capture(self, name: str) -> EagerTensor:
        if name not in self.captures:
            self.captures[name] = EagerTensor(self.arrays[name])
        return self.captures[name]


MAKERS = {
    "variable": _Loader.variable,
    "module": _Loader.module,
    "list": _Loader.row,
    "tuple": _Loader.fixed_row,
    "dict": _Loader.mapping,
    "function": _Loader.function,
    "concrete": _Loader.concrete,
}
