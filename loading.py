"""Lazy loading of public names: a module is imported when one of its names is first used."""

from __future__ import annotations

import contextlib
import gc
import importlib.machinery
import importlib.util
import marshal
import os
import struct
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, ModuleType
from typing import ClassVar

ROOMS = ("autograph", "library", "runtime", "tools", "tracing")
VOCABULARY = (
    # First what most programs use, since all modules before a name's own are loaded for it.
    "runtime.ops",
    "tracing.functions.polymorphic_function",
    "runtime.core.kernel_compiler",
    "runtime.core.math_precision",
    "runtime.ops.state.variables",
    "tracing.stager.control_flow_api",
    "tracing.differentiation.gradient_tape",
    "tracing.differentiation.custom_gradient",
    "library.nn.functional",  # before the modules that build on it
    "library.nn.cross_entropies",
    "library.nn.convolutions",
    "library.tensor_array",
    "runtime.tensors.check_numerics",
    "runtime.tensors.first_nan",
    "runtime.tensors.dlpack",
    "runtime.numpy_protocol.array_methods",
    "runtime.jit.cache_listing",
    "runtime.parallel.thread_pool",
    "runtime.numpy_protocol.namespace",
    "tracing.differentiation.forward_accumulator",
    "tracing.functions.defun",
    "tracing.numpy_mode.jit_function",
    "tracing.functions.testing",
    "tracing.graph_mode.devices",
    "tracing.graph_mode.session",
    "tracing.type_system.extension_type",
    "tracing.type_system.api_dispatch",
    "library.ragged",
    "library.sparse_tensors",
    "library.map_and_scan",
    "library.nn.normalization",
    "library.nn.space_to_batch",
    "library.nn.window_functions",
    "library.nn.sequence_losses",
    "library.nn.embeddings",
    "library.signal",
    "library.image",
    "library.random_distributions",
    "library.random_generators",
    "library.file_io.tfrecord",
    "library.data",
    "library.file_io.example_messages",
    "library.example_parsing",
    "library.file_io.gfile",
    "library.module",
    "library.lookup_tables",
    "library.counterparts",
    "library.program_helpers",
    "library.moving_averages",
    "library.older_vocabulary",
    "library.linear_operators",
    "library.tensorboard.profiler",
    "library.tensorboard.summaries",
    "library.tensorboard.graph_traces",
    "library.saved",  # saved objects may use all modules above
    "library.keras",
    "library.onnx",
    "library.distribute",
    "library.v1_training",
    "runtime.passes.options",
    "library.array_api",
    "library.explore.exploration",
    "library.notebook.cell_magic",
)


class SourceFinder:
    """Finds the modules of the package, which programs load by the hundred, in half the time that
    Python's finder takes. Python's is asked for all else, such as files that came later.
    """

    listed: ClassVar[dict[str, frozenset[str]]] = {}  # the names in each folder

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, target=None):
        if not path or not name.startswith(f"{__package__}."):
            return None
        folder, child = path[0], name.rpartition(".")[2]
        below, names = os.path.join(folder, child), cls._names(folder)
        if child in names and "__init__.py" in cls._names(below):
            return _spec(name, below, "__init__", [below])
        return _spec(name, folder, child) if f"{child}.py" in names else None

    @classmethod
    def _names(cls, folder: str) -> frozenset[str]:
        if folder not in cls.listed:
            try:
                cls.listed[folder] = frozenset(os.listdir(folder))
            except OSError:
                cls.listed[folder] = frozenset()
        return cls.listed[folder]


def _spec(name: str, folder: str, stem: str, inside: list[str] | None = None):
    path = os.path.join(folder, f"{stem}.py")
    loader = _SourceLoader(name, path)
    loader.cached = f"{folder}{os.sep}__pycache__{os.sep}{stem}.{sys.implementation.cache_tag}.pyc"
    spec = importlib.util.spec_from_file_location(
        name, path, loader=loader, submodule_search_locations=inside
    )
    if spec is not None:
        spec.cached = loader.cached
    return spec


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Python's loader; byte code that is as new as its source is read without further ado."""

    cached: str

    def get_code(self, fullname: str) -> CodeType | None:
        return self._stored_code() or super().get_code(fullname)

    def _stored_code(self) -> CodeType | None:
        """The byte code, if it was compiled from the source as it is."""
        try:
            with open(self.cached, "rb", buffering=0) as file:
                content = file.readall()
            status = os.stat(self.path)
        except OSError:
            return None
        made_of = (int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
        if content[:16] != importlib.util.MAGIC_NUMBER + struct.pack("<3I", 0, *made_of):
            return None
        code = marshal.loads(memoryview(content)[16:])
        return code if code.co_filename == self.path else None


def _install() -> None:
    """Let the finder be asked just before Python's, after those that others have put in front.

    Byte code elsewhere, or that of `python -O`, is left to Python.
    """
    python = importlib.machinery.PathFinder
    if python in sys.meta_path and sys.pycache_prefix is None and not sys.flags.optimize:
        sys.meta_path.insert(sys.meta_path.index(python), SourceFinder)


_install()


class Submodules:
    """Finds namespaces as modules, as for `from allograph.keras import layers`.

    Python asks after all other finders, so modules that are files come first.
    """

    @classmethod
    def find_spec(cls, name: str, path=None, target=None):
        parent, _, child = name.rpartition(".")
        owner = sys.modules.get(parent)
        if not _is_ours(owner) or child.startswith("__"):
            return None
        found = getattr(owner, child, None)
        if not isinstance(found, ModuleType):
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(found), is_package=True)  # type: ignore[arg-type]


class _Loader:
    """Gives an import the module that exists already."""

    def __init__(self, module: ModuleType):
        self.module = module

    def create_module(self, spec) -> ModuleType:
        return self.module

    def exec_module(self, module) -> None:
        """Do nothing: names are resolved when they are first used."""


def _is_ours(module: ModuleType | None) -> bool:
    """Whether a module is the package or one of its namespaces."""
    return module is not None and module.__name__.split(".")[0] == __package__


sys.meta_path.append(Submodules)


# Modules that are large beside what they need: for their names, they alone are imported.
ON_DEMAND = {"array_api": "library.array_api"}


def find(name: str):
    """The public object called `name` (the `__getattr__` of the package).

    Modules are imported in order until one has registered the name. A namespace may exist before
    all of its members do: it imports more modules when a member is missing.
    """
    if name.startswith("_"):  # no public name: what Python, pytest and IPython ask of any object
        raise AttributeError(f"module '{__package__}' has no attribute {name!r}")
    if name in ROOMS:
        return importlib.import_module(f"{__package__}.{name}")
    try:
        found = _found(name)
    except AttributeError as error:
        from .runtime.core.tracebacks import hide_internal_frames  # only errors need it

        hide_internal_frames(error)
        raise
    setattr(sys.modules[__package__], name, found)
    return found


def _found(name: str):
    """The object with a public name; AttributeError with the most similar name if there is none."""
    vocabulary = _vocabulary()
    if name in ON_DEMAND:
        importlib.import_module(f"{__package__}.{ON_DEMAND[name]}")
    found = vocabulary.lookup(name)
    modules = _modules()
    while found is None and next(modules, None):
        found = vocabulary.lookup(name)
    if found is None:
        raise AttributeError(
            f"module '{__package__}' has no attribute {name!r}."
            f"{vocabulary.known_to_reference(name) or vocabulary.did_you_mean(name, names())}",
            name=name,
            obj=None,  # Python would suggest a name once more
        )
    return found


@contextlib.contextmanager
def _uncollected():
    """Disable garbage collection while modules load, since they create no garbage.

    Afterwards their objects belong to the oldest generation. Otherwise the next collections of
    young objects would walk all of them, which takes longer than a quarter of the loading.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # what the program has frozen itself stays so
            gc.freeze()
            gc.unfreeze()  # to the oldest generation, without a walk
        gc.enable()


def names() -> list[str]:
    """Every public name (the `__dir__` of the package)."""
    vocabulary = _vocabulary()
    vocabulary.load_until(None)
    return sorted({"autograph", *vocabulary.names_below("")})


def _vocabulary() -> ModuleType:
    """The table of public names, which can import the modules that register them."""
    vocabulary = importlib.import_module(f"{__package__}.runtime.core.public_names")
    if not vocabulary.LOADERS:
        vocabulary.LOADERS.append(_modules)
    return vocabulary


def _modules() -> Iterator[ModuleType]:
    """The modules that register names, each imported when the iterator reaches it."""
    for module in VOCABULARY:
        name = f"{__package__}.{module}"
        with contextlib.nullcontext() if name in sys.modules else _uncollected():
            loaded = importlib.import_module(name)
        yield loaded
