"""Saving a module: its graphs in source form, its variables as tensors, and a manifest.

The manifest is written last and replaced atomically: a folder contains the old or the new module.
"""

from __future__ import annotations

import contextlib
import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ... import TensorSpec, Variable
from ...backends.numba.functions.numba_functions import NumbaFunction
from ...extend import nest
from ...extend.errors import Error, FailedPreconditionError, InvalidArgumentError, depth_of_user
from ...extend.graphs import BUILDER, Graph, Node, print_graphs, unsavable
from ...extend.registration import public
from ...extend.specs import Reference
from ...extend.state import Cell
from ...extend.tensors import EagerTensor
from ...extend.tracing import BoundFunction, ConcreteFunction, PolymorphicFunction
from ..file_io.atomic_files import replace_file
from ..file_io.untrusted_files import inside
from ..module import Module
from .foreign_names import name_of_function
from .json_structures import NotSavableError, encode, encode_signature, encode_types
from .manifest import FORMAT, MANIFEST, VERSION, manifest_bytes, read_manifest
from .object_graph import children_of, identity, is_leaf, methods_of, named_keys, walk
from .tensor_file import tensor_file_chunks

MAX_INLINE_ELEMENTS = 1024  # larger constants are written to the tensor file
DEFAULT_SIGNATURE = "serving_default"


@public("errors.UntrackedError")
class UntrackedError(FailedPreconditionError, AssertionError):
    """A function uses a variable that does not belong to the saved module."""


@public("saved_model.save")
def save(obj, export_dir, signatures=None, options=None) -> None:
    """Save a module with its variables and functions to a folder, for `saved_model.load`.

    A function is saved with its existing traces. A function with an `input_signature` is traced if
    it has none. `signatures` is an additional function, named "serving_default", or a dict of
    functions by name.

    >>> import allograph as ag
    >>> import tempfile
    >>> class Line(ag.Module):
    ...     def __init__(self):
    ...         self.slope = ag.Variable(3.0)
    ...     @ag.function(input_signature=[ag.TensorSpec([None])])
    ...     def at(self, x):
    ...         return self.slope * x
    >>> folder = tempfile.mkdtemp()
    >>> ag.saved_model.save(Line(), folder)
    >>> ag.saved_model.load(folder).at([1.0, 2.0]).numpy()
    array([3., 6.], dtype=float32)

    Raises InvalidArgumentError if a function calls Python code (`py_function`) or contains an
    object of this process, UntrackedError if it uses a variable that does not belong to `obj`.
    """
    if BUILDER.get() is not None:
        raise FailedPreconditionError(
            "a module cannot be saved while a function is traced", "Save it outside of functions."
        )
    if not isinstance(obj, Module) and (is_leaf(obj) or not hasattr(obj, "__dict__")):
        raise InvalidArgumentError(
            f"saved_model.save takes a module, not {obj!r}",
            "Make the functions and variables attributes of an ag.Module.",
        )
    _Saver(obj, signatures).write(Path(export_dir))


class _Saver:
    """Collects all data of a module before anything is written."""

    def __init__(self, root, signatures):
        self.arrays: dict[str, np.ndarray] = {}
        self.titles: dict[Graph, str] = {}
        self.graph_sources: list[str] = []
        self.captures: dict[int, tuple[EagerTensor, str]] = {}
        self.constants: dict[int, tuple[np.ndarray, str]] = {}
        self.cells: dict[Cell, str] = {}
        self.indices: dict = {}
        self.function = ""
        self.signatures = _named_signatures(root, signatures)
        self.traces = {}
        for _, obj in walk(root):  # tracing may create variables, so it is done first
            if isinstance(obj, (PolymorphicFunction, BoundFunction)):
                self.traces[identity(obj)] = _traces_of(obj)
        self.objects = list(walk(root))
        for index, (path, obj) in enumerate(self.objects):
            self.indices[identity(obj)] = index
            if isinstance(obj, Variable):
                self.cells[obj.handle] = path
        self.manifest = {
            "format": FORMAT,
            "version": VERSION,
            "objects": [self.entry_of(path, obj) for path, obj in self.objects],
            "signatures": {
                name: self.signature(name, signature) for name, signature in self.signatures.items()
            },
        }

    def entry_of(self, path: str, obj) -> dict:
        """The manifest entry of an object."""
        if isinstance(obj, Variable):
            return self.variable(path, obj)
        if isinstance(obj, ConcreteFunction):
            self.function = path
            return {"kind": "concrete", "trace": self.trace(obj, bound=False)}
        if isinstance(obj, (PolymorphicFunction, BoundFunction)):
            return self.polymorphic(path, obj)
        children = children_of(obj)
        name = getattr(obj, "_saved_class", type(obj).__name__)
        entry: dict = {"kind": "module", "class": name}
        if isinstance(obj, (Mapping, list, tuple)):
            entry = {"kind": "tuple" if isinstance(obj, tuple) else "list", "size": len(obj)}
        if isinstance(obj, Mapping):
            keys = {name: key for name, key in named_keys(obj).items() if name in children}
            entry = {"kind": "dict", "keys": {name: encode(key) for name, key in keys.items()}}
        entry["children"] = {name: self.indices[identity(item)] for name, item in children.items()}
        return entry

    def variable(self, path: str, obj: Variable) -> dict:
        self.arrays[path] = np.asarray(obj.handle.read())
        return {
            "kind": "variable",
            "tensor": path,
            "name": obj.name.rsplit(":", 1)[0],
            "dtype": obj.dtype.name,
            "shape": None if obj.dims is None else list(obj.dims),
            "trainable": bool(obj.trainable),
        }

    # ---- functions -----------------------------------------------------------------------

    def polymorphic(self, path: str, obj) -> dict:
        self.function = path
        bound = isinstance(obj, BoundFunction)
        traces = []
        for concrete in self.traces[identity(obj)]:
            try:
                traces.append(self.trace(concrete, bound))
            except NotSavableError as error:
                warnings.warn(
                    f"a trace of '{path}' is left out: {error.message}",
                    UserWarning,
                    stacklevel=depth_of_user(),
                )
        signature = _without_instance(obj.signature) if bound else obj.signature
        return {
            "kind": "function",
            "name": obj.name,
            "parameters": encode_signature(signature),
            "traces": traces,
        }

    def trace(self, concrete: ConcreteFunction, bound: bool) -> dict:
        """The entry of a trace; its graph and captured tensors are recorded for writing."""
        function_type = concrete.function_type
        types = dict(list(function_type.types.items())[1:]) if bound else function_type.types
        signature = _without_instance(function_type.signature) if bound else function_type.signature
        entry = {
            "name": concrete.name,
            "parameters": encode_signature(signature),
            "types": encode_types(types),
            "outputs": encode(concrete.structured_outputs),
            "jit_compile": concrete.jit_compile,
        }
        return {**entry, **self.graph(concrete)}

    def graph(self, concrete: ConcreteFunction) -> dict:
        """The names of the graph of a concrete function and of its captured tensors."""
        for node in concrete.frozen.walk():
            self.check(node)
        captures = [self.capture(tensor) for tensor in concrete.captured_tensors]
        return {"graph": self.title(concrete.frozen), "captures": captures}

    def check(self, node: Node) -> None:
        """Raise an error at the line of an operation that a file cannot hold."""
        reason = None
        if node.op.always_raises:
            reason = unsavable(node.attrs["form"])
            what, cure = f"raises {reason}", "Raise an exception of Python, or use `assert`."
        elif node.op.runs_python and not node.op.is_foreign:
            reason = what = "calls Python code"
            cure = "Use operations instead of py_function or numpy_function."
        if reason is not None:
            raise InvalidArgumentError(
                f"'{self.function}' cannot be saved: it {what}, which a file does not hold", cure
            ).at(node.where)

    def title(self, graph: Graph) -> str:
        """The title of a graph, which is printed once."""
        if graph not in self.titles:
            self.titles[graph] = title = f"f{len(self.titles)}"
            self.graph_sources.append(print_graphs({title: graph}, self.name_of))
        return self.titles[graph]

    def capture(self, tensor) -> str:
        if id(tensor) not in self.captures:
            name = f"%captures/{len(self.captures)}"
            self.captures[id(tensor)] = tensor, name
            self.arrays[name] = np.asarray(tensor.array)
        return self.captures[id(tensor)][1]

    def constant(self, array: np.ndarray) -> str:
        if id(array) not in self.constants:
            name = f"%constants/{len(self.constants)}"
            self.constants[id(array)] = array, name
            self.arrays[name] = array
        return self.constants[id(array)][1]

    def name_of(self, obj) -> str | None:
        """The name by which a graph refers to a variable of the module, or to a large array."""
        if isinstance(obj, np.ndarray):
            return None if obj.size <= MAX_INLINE_ELEMENTS else self.constant(obj)
        if isinstance(obj, NumbaFunction):
            return name_of_function(obj)
        if not isinstance(obj, Cell):
            raise InvalidArgumentError(
                f"'{self.function}' cannot be saved: its graph contains {obj!r}, which exists in "
                "this process only"
            )
        if obj not in self.cells:
            raise UntrackedError(
                f"'{self.function}' uses the variable '{obj.name}', which does not belong to the "
                "saved module",
                "Keep the variable as an attribute of the module.",
            )
        return self.cells[obj]

    def signature(self, name: str, concrete: ConcreteFunction) -> dict:
        """The entry of a signature, a function of tensors by name that returns a dict of them."""
        self.function = f"signatures/{name}"
        outputs = concrete.structured_outputs
        if isinstance(outputs, Mapping):
            names = nest.flatten({key: key for key in outputs})  # in the order of the results
        else:
            names = [f"output_{index}" for index in range(len(concrete.frozen.outputs))]
        return {"name": concrete.name, "outputs": names, **self.graph(concrete)}

    # ---- writing -------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        old_files = _files_of(folder)
        source = "\n".join(self.graph_sources).encode()
        tensors, checksum = tensor_file_chunks(self.arrays, {})
        files = {  # named by their content, so that old files stay until the manifest is replaced
            "graphs": f"graphs-{zlib.crc32(source):08x}.txt",
            "tensors": f"tensors-{checksum:08x}.safetensors",
        }
        replace_file(folder / files["graphs"], [source])
        replace_file(folder / files["tensors"], tensors)
        replace_file(folder / MANIFEST, [manifest_bytes({**self.manifest, "files": files})])
        for name in old_files - set(files.values()):
            with contextlib.suppress(OSError):
                (folder / name).unlink()


def _files_of(folder: Path) -> set[str]:
    """The files that the manifest in a folder names; none if it is unreadable."""
    try:
        return {inside(folder, name).name for name in read_manifest(folder)["files"].values()}
    except (Error, KeyError, AttributeError):
        return set()


def _without_instance(signature):
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _traces_of(obj) -> list[ConcreteFunction]:
    """The traces of a function, or the traces of a method for its instance."""
    if obj.input_signature is not None:
        obj.get_concrete_function()
    traces = [trace for trace in list(obj.traces.values()) if not trace.in_scope_only]
    if isinstance(obj, BoundFunction):
        own = Reference(obj.instance, identity_only=True)
        return [
            trace for trace in traces if next(iter(trace.function_type.types.values()), 0) == own
        ]
    return traces


def _named_signatures(root, signatures) -> dict[str, ConcreteFunction]:
    """Concrete functions by name; by default, the only traced method of the root."""
    if signatures is None:
        methods = [method for method in methods_of(root).values() if _traces_of(method)]
        traces = _traces_of(methods[0]) if len(methods) == 1 else []
        return {DEFAULT_SIGNATURE: traces[0]} if len(traces) == 1 and _is_flat(traces[0]) else {}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SIGNATURE: signatures}
    return {name: _concrete(name, argument) for name, argument in signatures.items()}


def _concrete(name: str, argument) -> ConcreteFunction:
    if not isinstance(argument, ConcreteFunction):
        if not hasattr(argument, "get_concrete_function"):
            raise InvalidArgumentError(
                f"the signature '{name}' is not a function, but {argument!r}"
            )
        try:
            argument = argument.get_concrete_function()
        except TypeError:
            raise InvalidArgumentError(
                f"the signature '{name}' is a function without an input signature",
                "Pass `function.get_concrete_function(...)`, or give it an input_signature.",
            ) from None
    if not _is_flat(argument):
        raise InvalidArgumentError(
            f"the signature '{name}' returns {argument.structured_outputs!r}",
            "Return a tensor, a list of tensors or a dictionary of tensors by name.",
        )
    return argument


def _is_flat(concrete: ConcreteFunction) -> bool:
    """Whether the result is a tensor, or a flat list or dict (with str keys) of tensors."""
    outputs = concrete.structured_outputs
    results = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    if isinstance(outputs, Mapping):
        results = list(outputs.values())
        if not all(isinstance(key, str) for key in outputs):
            return False
    return all(isinstance(result, TensorSpec) for result in results)
