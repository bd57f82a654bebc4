"""How the names of `import allograph` are found: modules load when one of their names is used."""

from __future__ import annotations

import contextlib
import gc
import importlib
import sys

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
    "library",
    "library.keras",
    "library.train",
)


def find(name: str):
    """The public object called `name` (the `__getattr__` of the package).

    Modules are loaded in order until one has entered the name. A namespace may be known before all
    of its members are: it asks for the other modules when one is missing.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ROOMS:
        return importlib.import_module(f"{__package__}.{name}")
    vocabulary = importlib.import_module(f"{__package__}.runtime.vocabulary")
    if not vocabulary.LOAD_ALL:
        vocabulary.LOAD_ALL.append(_vocabulary)
    with _uncollected():
        for module in VOCABULARY:
            if vocabulary.lookup(name) is not None:
                break
            importlib.import_module(f"{__package__}.{module}")
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
    return sorted({"autograph", *_vocabulary().names_below("")})


def _vocabulary():
    """The table of public names, once every module that enters names is loaded."""
    for module in VOCABULARY:
        importlib.import_module(f"{__package__}.{module}")
    return importlib.import_module(f"{__package__}.runtime.vocabulary")
