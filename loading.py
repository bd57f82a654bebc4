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
    "tracing.function",  # early: what stands above it is loaded for every program
    "runtime.precision",
    "runtime.variables",
    "runtime.check_numerics",
    "runtime.dlpack",
    "runtime.numpy_protocol.behavior",
    "runtime.stored_kernels",
    "runtime.threads",
    "runtime.numpy_protocol.namespace",
    "tracing.control_api",
    "tracing.gradient_tape",
    "tracing.custom_gradient",
    "tracing.forward_accumulator",
    "tracing.defun",
    "tracing.devices",
    "tracing.session",
    "tracing.extension_type",
    "library.nn",  # what steps are made of, before what surrounds them
    "library.cross_entropies",
    "library.convolutions",
    "library.tensor_array",
    "library.mapping",
    "library.normalization",
    "library.generators",
    "library.data",
    "library.feature_messages",
    "library.files",
    "library.module",
    "library.profiler",
    "library.summary",
    "library.graph_traces",
    "library.saved",  # what is saved may use all above
    "library.keras",
    "library.train",
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
    vocabulary = importlib.import_module(f"{__package__}.runtime.vocabulary")
    if not vocabulary.LOADERS:
        vocabulary.LOADERS.append(_modules)
    return vocabulary


def _modules() -> Iterator[ModuleType]:
    """The modules that enter names, each loaded when it is asked for."""
    for module in VOCABULARY:
        with _uncollected():
            loaded = importlib.import_module(f"{__package__}.{module}")
        yield loaded
