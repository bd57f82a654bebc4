"""How modules are found, and public names: their modules are imported when they are first used."""

from __future__ import annotations

import contextlib
import gc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from types import ModuleType

ROOMS = ("autograph", "library", "runtime", "tools", "tracing")
VOCABULARY = (
    # First what most programs use, since all modules before a name's own are loaded for it.
    "runtime.ops",
    "tracing.functions.polymorphic_function",
    "runtime.core.kernel_compiler",
    "runtime.ops.state.variables",
    "tracing.stager.control_flow_api",
    "tracing.differentiation.gradient_tape",
    "tracing.differentiation.custom_gradient",
    "runtime.ops.array.clipping",
    "runtime.ops.control.shape_assertions",
    "runtime.ops.on_demand",
    "library.nn.functional",  # before the modules that build on it
    "library.nn.cross_entropies",
    "library.nn.convolutions",
    "library.tensor_array",
    "runtime.tensors.check_numerics",
    "runtime.tensors.first_nan",
    "runtime.tensors.dlpack",
    "runtime.numpy_protocol.array_methods",
    "runtime.jit.cache.cache_listing",
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
    "library.keras.backend",
    "library.keras.ops.functions",
)

STAGER = "tracing.stager.graph_stager"  # loaded as soon as converted code may meet tensors
STAGED = ("autograph", "runtime.tensors.tensor")


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


class SourceFiles:
    """Finds the modules of the package that are files, of which a program with one kernel imports
    three hundred. Python's own finder lists each folder and tries each ending that a module may
    have, which takes three times as long. It is asked right after this one.
    """

    root = os.path.dirname(os.path.abspath(__file__)) + os.sep

    @classmethod
    def find_spec(cls, name: str, path=None, target=None):
        package, _, inner = name.partition(".")
        # A system whose file names ignore case would find a module by any spelling.
        if package != __package__ or inner.partition(".")[0] not in ROOMS or not inner.islower():
            return None
        base = cls.root + inner.replace(".", os.sep)
        for file, folders in ((f"{base}.py", None), (f"{base}{os.sep}__init__.py", [base])):
            if os.path.isfile(file):
                loader = importlib.machinery.SourceFileLoader(name, file)
                return importlib.util.spec_from_file_location(
                    name, file, loader=loader, submodule_search_locations=folders
                )
        return None


def _is_ours(module: ModuleType | None) -> bool:
    """Whether a module is the package or one of its namespaces."""
    return module is not None and module.__name__.split(".")[0] == __package__


sys.meta_path.append(Submodules)
if importlib.machinery.PathFinder in sys.meta_path:
    sys.meta_path.insert(sys.meta_path.index(importlib.machinery.PathFinder), SourceFiles)


# Modules that are large beside what they need: for their names, they alone are imported.
ON_DEMAND = {"array_api": "library.array_api"}


def find(name: str):
    """The public object called `name` (the `__getattr__` of the package).

    Modules are imported in order until one has registered the name. A namespace may exist before
    all of its members do: it imports more modules when a member is missing.
    """
    if name.startswith("_"):  # no public name: what Python, pytest and IPython ask of any object
        raise AttributeError(f"module '{__package__}' has no attribute {name!r}")
    try:
        found = importlib.import_module(f"{__package__}.{name}") if name in ROOMS else _found(name)
    except AttributeError as error:
        from .runtime.core.tracebacks import hide_internal_frames  # only errors need it

        hide_internal_frames(error)
        raise
    setattr(sys.modules[__package__], name, found)
    if all(
        f"{__package__}.{one}" in sys.modules for one in ("autograph", "runtime.tensors.tensor")
    ):
        importlib.import_module(f"{__package__}.{STAGER}")
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
            f"{vocabulary.advice_for_missing(name, names())}",
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
