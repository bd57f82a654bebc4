"""Saving a module: its graphs as text, its variables as tensors, and a manifest that joins them.

The manifest is written last and replaced at once, so a folder holds the old or the new module.
"""

from __future__ import annotations

import contextlib
import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...runtime.core.errors import Error, FailedPreconditionError, InvalidArgumentError
from ...runtime.core.public_names import public
from ...runtime.ir.graph import Graph
from ...runtime.ir.graph_printer import as_texts
from ...runtime.ops.state.variables import Cell, Variable
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.tensor import EagerTensor
from ...tracing.functions.concrete_function import ConcreteFunction
from ...tracing.functions.polymorphic_function import BoundFunction, PolymorphicFunction
from ...tracing.structures import nest
from ...tracing.type_system.trace_types import Reference
from ..module import Module
from .json_structures import NotSavableError, encode, encode_signature, encode_types
from .manifest import FORMAT, MANIFEST, VERSION, manifest_text, read_manifest
from .object_graph import children_of, identity, is_leaf, methods_of, named_keys, walk
from .tensor_file import replace_file, tensor_parts

LARGEST_IN_TEXT = 1024  # elements: larger constants go to the file of tensors
DEFAULT_SIGNATURE = "serving_default"
UNSAVED = {  # what an operation may do that a file does not hold, and what to write in its place
    "always_raises": (
        "raises an exception of Python",
        "Check with ag.debugging.Assert or `assert` in place of `raise`.",
    ),
    "runs_python": (
        "calls Python code",
        "Write this part with operations in place of py_function or numpy_function.",
    ),
}


class UntrackedError(FailedPreconditionError, AssertionError):
    """A function uses a variable that the saved module does not hold."""


@public("saved_model.save")
def save(obj, export_dir, signatures=None, options=None) -> None:
    """Save a module with its variables and functions to a folder, for `saved_model.load`.

    A function is saved with the traces it has; one with an `input_signature` is traced if it has
    none. `signatures` names functions in addition: one function (it becomes "serving_default") or
    a dictionary of them.

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

    Raises InvalidArgumentError where a function calls Python code (`py_function`) or holds an
    object of this process, UntrackedError where it uses a variable that is not below `obj`.
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
    """What is collected about a module before anything is written."""

    def __init__(self, root, signatures):
        self.arrays: dict[str, np.ndarray] = {}
        self.titles: dict[Graph, str] = {}
        self.texts: list[str] = []
        self.captures: dict[int, tuple[EagerTensor, str]] = {}
        self.constants: dict[int, tuple[np.ndarray, str]] = {}
        self.cells: dict[Cell, str] = {}
        self.places: dict = {}
        self.function = ""
        self.signatures = _named_signatures(root, signatures)
        self.traces = {}
        for _, thing in walk(root):  # tracing may make variables, so it comes first
            if isinstance(thing, (PolymorphicFunction, BoundFunction)):
                self.traces[identity(thing)] = _traces_of(thing)
        self.things = list(walk(root))
        for place, (path, thing) in enumerate(self.things):
            self.places[identity(thing)] = place
            if isinstance(thing, Variable):
                self.cells[thing.handle] = path
        self.manifest = {
            "format": FORMAT,
            "version": VERSION,
            "objects": [self.classify(path, thing) for path, thing in self.things],
            "signatures": {
                name: self.signature(name, one) for name, one in self.signatures.items()
            },
        }

    def classify(self, path: str, thing) -> dict:
        """The manifest's entry for one object."""
        if isinstance(thing, Variable):
            return self.variable(path, thing)
        if isinstance(thing, ConcreteFunction):
            self.function = path
            return {"kind": "concrete", "trace": self.trace(thing, bound=False)}
        if isinstance(thing, (PolymorphicFunction, BoundFunction)):
            return self.polymorphic(path, thing)
        children = children_of(thing)
        name = getattr(thing, "_saved_class", type(thing).__name__)
        row: dict = {"kind": "module", "class": name}
        if isinstance(thing, (Mapping, list, tuple)):
            row = {"kind": "tuple" if isinstance(thing, tuple) else "list", "size": len(thing)}
        if isinstance(thing, Mapping):
            keys = {name: key for name, key in named_keys(thing).items() if name in children}
            row = {"kind": "dict", "keys": {name: encode(key) for name, key in keys.items()}}
        row["children"] = {name: self.places[identity(item)] for name, item in children.items()}
        return row

    def variable(self, path: str, thing: Variable) -> dict:
        self.arrays[path] = np.asarray(thing.handle.read())
        return {
            "kind": "variable",
            "tensor": path,
            "name": thing.name.rsplit(":", 1)[0],
            "dtype": thing.dtype.name,
            "shape": None if thing.dims is None else list(thing.dims),
            "trainable": bool(thing.trainable),
        }

    # ---- functions -----------------------------------------------------------------------

    def polymorphic(self, path: str, thing) -> dict:
        self.function = path
        bound = isinstance(thing, BoundFunction)
        traces = []
        for concrete in self.traces[identity(thing)]:
            try:
                traces.append(self.trace(concrete, bound))
            except NotSavableError as error:
                warnings.warn(
                    f"a trace of '{path}' is left out: {error.message}", UserWarning, stacklevel=4
                )
        signature = _without_instance(thing.signature) if bound else thing.signature
        return {
            "kind": "function",
            "name": thing._name,
            "parameters": encode_signature(signature),
            "traces": traces,
        }

    def trace(self, concrete: ConcreteFunction, bound: bool) -> dict:
        """The entry for one trace; its graph and captured tensors are noted to be written."""
        kind = concrete.function_type
        types = dict(list(kind.types.items())[1:]) if bound else kind.types
        signature = _without_instance(kind.signature) if bound else kind.signature
        row = {
            "name": concrete.name,
            "parameters": encode_signature(signature),
            "types": encode_types(types),
            "outputs": encode(concrete.structured_outputs),
            "jit_compile": concrete.jit_compile,
        }
        return {**row, **self.graph(concrete)}

    def graph(self, concrete: ConcreteFunction) -> dict:
        """Where the graph of a concrete function and the tensors that it captures are found."""
        for node in concrete.frozen.walk():
            for fact, (reason, cure) in UNSAVED.items():
                if getattr(node.op, fact):
                    raise InvalidArgumentError(
                        f"'{self.function}' cannot be saved: it {reason}, which a file does not "
                        "hold",
                        cure,
                    ).at(node.where)
        captures = [self.capture(tensor) for tensor in concrete.captured_tensors]
        return {"graph": self.title(concrete.frozen), "captures": captures}

    def title(self, graph: Graph) -> str:
        """The title under which a graph is written, once."""
        if graph not in self.titles:
            self.titles[graph] = title = f"f{len(self.titles)}"
            self.texts.append(as_texts({title: graph}, self.name_of))
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

    def name_of(self, thing) -> str | None:
        """The name under which a graph refers to a variable of the module, or to a large array."""
        if isinstance(thing, np.ndarray):
            return None if thing.size <= LARGEST_IN_TEXT else self.constant(thing)
        if not isinstance(thing, Cell):
            raise InvalidArgumentError(
                f"'{self.function}' cannot be saved: its graph holds {thing!r}, which lives in "
                "this process only"
            )
        if thing not in self.cells:
            raise UntrackedError(
                f"'{self.function}' uses the variable '{thing.name}', which is not below the "
                "saved module",
                "Keep the variable as an attribute of the module.",
            )
        return self.cells[thing]

    def signature(self, name: str, concrete: ConcreteFunction) -> dict:
        """A named signature: flat tensors by name in, a dictionary of tensors out."""
        self.function = f"signatures/{name}"
        outputs = concrete.structured_outputs
        if isinstance(outputs, Mapping):
            names = nest.flatten({key: key for key in outputs})  # in the order of the results
        else:
            names = [f"output_{place}" for place in range(len(concrete.frozen.outputs))]
        return {"name": concrete.name, "outputs": names, **self.graph(concrete)}

    # ---- writing -------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        old = _files_of(folder)
        text = "\n".join(self.texts).encode()
        tensors, checksum = tensor_parts(self.arrays, {})
        files = {  # named by their content: the old ones stay as they are until they are replaced
            "graphs": f"graphs-{zlib.crc32(text):08x}.txt",
            "tensors": f"tensors-{checksum:08x}.safetensors",
        }
        replace_file(folder / files["graphs"], [text])
        replace_file(folder / files["tensors"], tensors)
        replace_file(folder / MANIFEST, [manifest_text({**self.manifest, "files": files})])
        for name in old - set(files.values()):
            with contextlib.suppress(OSError):
                (folder / name).unlink()


def _files_of(folder: Path) -> set[str]:
    """The files that the manifest in a folder names; a broken one names none."""
    try:
        return set(read_manifest(folder)["files"].values())
    except (Error, KeyError, AttributeError):
        return set()


def _without_instance(signature):
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _traces_of(thing) -> list[ConcreteFunction]:
    """The traces of a function, or those of a method for this instance."""
    if thing.input_signature is not None:
        thing.get_concrete_function()
    traces = [one for one in list(thing.traces.values()) if not one.in_scope_only]
    if isinstance(thing, BoundFunction):
        own = Reference(thing._instance, identity_only=True)
        return [one for one in traces if next(iter(one.function_type.types.values()), 0) == own]
    return traces


def _named_signatures(root, signatures) -> dict[str, ConcreteFunction]:
    """Concrete functions by name; without any given, the only traced method is the default one."""
    if signatures is None:
        methods = [method for method in methods_of(root).values() if _traces_of(method)]
        traces = _traces_of(methods[0]) if len(methods) == 1 else []
        return {DEFAULT_SIGNATURE: traces[0]} if len(traces) == 1 and _is_flat(traces[0]) else {}
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT_SIGNATURE: signatures}
    return {name: _concrete(name, given) for name, given in signatures.items()}


def _concrete(name: str, given) -> ConcreteFunction:
    if not isinstance(given, ConcreteFunction):
        if not hasattr(given, "get_concrete_function"):
            raise InvalidArgumentError(f"the signature '{name}' is no function, but {given!r}")
        try:
            given = given.get_concrete_function()
        except TypeError:
            raise InvalidArgumentError(
                f"the signature '{name}' is a function without an input signature",
                "Pass `function.get_concrete_function(...)`, or give it an input_signature.",
            ) from None
    if not _is_flat(given):
        raise InvalidArgumentError(
            f"the signature '{name}' returns {given.structured_outputs!r}",
            "Return a tensor, a list of tensors or a dictionary of tensors by name.",
        )
    return given


def _is_flat(concrete: ConcreteFunction) -> bool:
    """Whether the results are a tensor, or tensors in one list or dictionary with texts as keys."""
    outputs = concrete.structured_outputs
    rows = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    if isinstance(outputs, Mapping):
        rows = list(outputs.values())
        if not all(isinstance(key, str) for key in outputs):
            return False
    return all(hasattr(row, "dims") for row in rows)
