"""How the names of `import allograph` are found: modules load when one of their names is used."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

ROOMS = ("autograph", "library", "runtime", "tools", "tracing")
VOCABULARY = (
    "runtime.ops",
    # Early: what stands above it is loaded for every program.
    "tracing.functions.polymorphic_function",
    "runtime.core.math_precision",
    "runtime.ops.state.variables",
    "runtime.tensors.check_numerics",
    "runtime.tensors.dlpack",
    "runtime.numpy_protocol.array_methods",
    "runtime.jit.cache_listing",
    "runtime.parallel.thread_pool",
    "runtime.numpy_protocol.namespace",
    "tracing.stager.control_flow_api",
    "tracing.differentiation.gradient_tape",
    "tracing.differentiation.custom_gradient",
    "tracing.differentiation.forward_accumulator",
    "tracing.functions.defun",
    "tracing.graph_mode.devices",
    "tracing.graph_mode.session",
    "tracing.type_system.extension_type",
    "library.nn.functional",  # what steps are made of, before what surrounds them
    "library.nn.cross_entropies",
    "library.nn.convolutions",
    "library.tensor_array",
    "library.map_and_scan",
    "library.nn.normalization",
    "library.random_generators",
    "library.file_io.tfrecord",
    "library.data",
    "library.file_io.example_messages",
    "library.file_io.gfile",
    "library.module",
    "library.tensorboard.profiler",
    "library.tensorboard.summaries",
    "library.tensorboard.graph_traces",
    "library.saved",  # what is saved may use all above
    "library.keras",
    "library.v1_training",
)


def find(name: str):
    """The public object called `name` (the `__getattr__` of the package).

    Modules are loaded in order until one has entered the name. A namespace may be known before all
    of its members are: it asks for more modules when one is missing.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ROOMS:
        return importlib.import_module(f"{__package__}.{name}")
    vocabulary = _vocabulary()
    found = vocabulary.lookup(name)
    modules = _modules()
    while found is None and next(modules, None):
        found = vocabulary.lookup(name)
    if found is None:
        raise AttributeError(f"module '{__package__}' has no attribute {name!r}")
    setattr(sys.modules[__package__], name, found)
    return found


@contextlib.contextmanager
def _uncollected():
    """While modules load all that is made stays: a search for garbage would only cost time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def names() -> list[str]:
    """Every public name (the `__dir__` of the package)."""
    vocabulary = _vocabulary()
    vocabulary.load_until(None)
    return sorted({"autograph", *vocabulary.names_below("")})


def _vocabulary() -> ModuleType:
    """The table of public names, which can load the modules that enter them."""
    vocabulary = importlib.import_module(f"{__package__}.runtime.core.public_names")
    if not vocabulary.LOADERS:
        vocabulary.LOADERS.append(_modules)
    return vocabulary


def _modules() -> Iterator[ModuleType]:
    """The modules that enter names, each loaded when it is asked for."""
    for module in VOCABULARY:
        with _uncollected():
            loaded = importlib.import_module(f"{__package__}.{module}")
        yield loaded
