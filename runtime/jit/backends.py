"""The backends of kernels: what makes machine code of kernel IR, or runs its source as it is."""

from __future__ import annotations

import contextlib
import functools
import linecache
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ..core.debug_output import log
from ..core.errors import InvalidArgumentError
from ..core.places import object_at
from ..core.public_names import public
from ..core.source_locations import depth_of_user

if TYPE_CHECKING:
    from ..core.source_locations import SourceLocation
    from ..kernel_ir.kernels import KernelIR
    from .cache.compilation import Compiled

VARIABLE = "ALLOGRAPH_KERNEL_COMPILER"


class Backend:
    """One way from kernel source to a function. A backend says by its attributes what the rooms
    above ask: none of them compares names.

    name             by which users choose it
    description      how kernels come to be, for people
    has_vectors      whether schedules are made for vector registers
    has_locations    whether its instructions tell the lines of kernel source that they come from
    has_devices      whether functions run on a device that is not the CPU
    shares_kernels   whether traces of one function may share machine code
    has_recursion    whether functions of kernels may call themselves
    refusal          why it makes no kernel of any program; None if it does
    """

    name = ""
    description = ""
    has_vectors = True
    has_locations = False
    has_devices = False
    shares_kernels = False
    has_recursion = False
    refusal: str | None = None

    def instead(self) -> tuple[str, str] | None:
        """The name of the backend that takes its place in this process, and why."""
        return None

    def not_installed(self) -> tuple[str, str] | None:
        """What has to be installed before users can choose it, and how; None if nothing."""
        return None

    def missing(self) -> str | None:
        """Why there are no kernels here and now; None where there can be."""
        if self.refusal is not None:
            return self.refusal
        if not linecache.getline(Backend.missing.__code__.co_filename, 1, globals()):
            return "native code needs the source files of allograph"
        try:
            import llvmlite  # noqa: F401 - an optional extra

            return None
        except ImportError:
            return "llvmlite is not installed; pip install 'allograph[native]'"

    def placed(self, executable: Any) -> Callable | None:
        """What runs a graph on tensors of a device; None where the CPU runs it."""
        return None

    def note_refused(self, name: str, reason: str, where: SourceLocation | None) -> None:
        """Log that Python runs a `jit` function; raise where a device has to."""
        log("fallback", "%s runs on NumPy: %s%s", name, reason, f" ({where})" if where else "")

    def called(self, function: Any, args: tuple, missed: object) -> Any:
        """What a `jit` function returns for arguments of the backend; `missed` for all others."""
        return missed

    def version(self) -> tuple[str, ...]:
        """What machine code depends on besides the source and this package."""
        return ()

    def prepare(self) -> None:
        """Begin what takes time and is needed by all kernels: one will be compiled."""

    def translator(self) -> Callable[..., str]:
        """The function that translates kernel IR to LLVM's assembly language."""
        from .translate import translate

        return translate

    def compiled(
        self, code: KernelIR, types: tuple, results: tuple, keeps_gil: bool = False
    ) -> Compiled:
        """The machine code of a kernel with parameters and results of these types. `keeps_gil` says
        that it ends too soon for another thread to gain from the GIL.
        """
        from .cache.compilation import compiled

        return compiled(code, types, results, self, keeps_gil)

    def assembly(self, code: KernelIR, types: tuple, results: tuple) -> str:
        """The machine instructions of a kernel, to be read; empty where there are none."""
        from .cache.compilation import assembly

        return assembly(code, types, results, self)


class OwnCompiler(Backend):
    """The compiler of this package, on LLVM."""

    name = "allograph"
    description = "compiled by allograph"
    has_locations = True
    shares_kernels = has_recursion = True

    def prepare(self) -> None:
        if self.missing() is None:
            from .cache.compilation import begin_entry_library

            begin_entry_library()


class NoKernels(Backend):
    """Functions run on NumPy alone."""

    name = "none"
    refusal = 'the kernel compiler "none" is chosen'


class Automatic(Backend):
    """The compiler whose first call takes the least time."""

    name = "auto"

    def instead(self) -> tuple[str, str]:
        return OwnCompiler.name, '"auto": its first calls take less time than Numba\'s'


@functools.cache
def warn_without_llvm() -> None:
    """Warn, once in a process, that functions run on NumPy where they could be native code."""
    message = f"functions run on NumPy: {OWN.missing()}"
    warnings.warn(message, RuntimeWarning, stacklevel=depth_of_user())


OWN = OwnCompiler()
_ABOVE = {  # backends of rooms above, by name
    "python": "backends.python.interpreter:Interpreter",
    "numba": "backends.numba.backend:NumbaCompiler",
}
_DEVICES = {"CPU": "runtime.gpu.host:of_number", "GPU": "runtime.gpu.backend:of_number"}  # CPU:0


_BACKENDS: dict[str, Backend] = {each.name: each for each in (OWN, NoKernels(), Automatic())}


def register(backend: Backend) -> None:
    """Let users choose a backend by its name."""
    _BACKENDS[backend.name] = backend


def names() -> list[str]:
    """The names of all backends."""
    return [*_BACKENDS, *(name for name in _ABOVE if name not in _BACKENDS)]


def backend_of(name: str) -> Backend:
    """The backend of a name."""
    device_type, _, number = name.partition(":")
    if name not in _BACKENDS:
        register(object_at(_DEVICES[device_type])(number) if number else object_at(_ABOVE[name])())
    return _BACKENDS[name]


def foreign() -> Any:
    """The backend that knows functions that Numba compiled; None before a program imports Numba."""
    return backend_of("numba") if "numba" in sys.modules else None


# ---- choice ------------------------------------------------------------------------------------


_CHOSEN: list[str] = []  # the name of the backend of the process, once it was asked for
_OF_FUNCTION: ContextVar[str | None] = ContextVar("compiler of a function", default=None)
PLACED: list[str] = []  # what `placing` names in all threads: empty where none is here either


def checked(name: str, where: str) -> str:
    """The name of a backend. Raises InvalidArgumentError if there is none such."""
    if name not in names():
        known = ", ".join(map(repr, names()))
        raise InvalidArgumentError(f"{where}{name!r}: no such compiler", f"Choose from {known}.")
    if lacks := backend_of(name).not_installed():
        raise InvalidArgumentError(f"{where}{name!r}: {lacks[0]}", lacks[1])
    return name


@public("config.set_kernel_compiler")
def set_kernel_compiler(name: str) -> None:
    """Choose what compiles kernel source: "allograph", "numba", "python", "none", or "auto".

    "auto" is "allograph", whose first call takes less time. The same kernel source goes to each,
    and each gives the same numbers. With "python", kernel source is not compiled: a debugger steps
    through its lines. So it is with "numba" where NUMBA_DISABLE_JIT is set. With "none" there are
    no kernels: functions run on NumPy, and `jit_compile=True` is an error. The choice holds for
    what is compiled after it. The environment variable ALLOGRAPH_KERNEL_COMPILER sets it from the
    start; `function(..., kernel_compiler=)` chooses for one function.

    >>> ag.config.set_kernel_compiler("allograph")
    >>> ag.config.get_kernel_compiler()
    'allograph'
    >>> ag.config.set_kernel_compiler("auto")

    Raises InvalidArgumentError for another name, or where Numba is not installed.
    """
    _CHOSEN[:] = [checked(name, "set_kernel_compiler: ")]


@public("config.get_kernel_compiler")
def get_kernel_compiler() -> str:
    """The compiler that `set_kernel_compiler` has chosen.

    >>> ag.config.get_kernel_compiler() in ("allograph", "numba", "python", "none", "auto")
    True
    """
    if not _CHOSEN:
        chosen = os.environ.get(VARIABLE) or Automatic.name
        device = os.environ.get("ALLOGRAPH_DEVICE") and "GPU:0"
        _CHOSEN.append(device or checked(chosen, f"{VARIABLE}="))
    return _CHOSEN[0]


def of_function(where: str, name: str | None, device: str | None = None) -> str | None:
    """One checked name for the arguments `kernel_compiler` and `device` of a decorator."""
    if device is not None:
        return object_at("runtime.gpu.placement:backend_on")(where, device)
    return None if name is None else checked(name, f"{where}: kernel_compiler=")


@contextlib.contextmanager
def compiling_with(name: str | None) -> Iterator[None]:
    """What is compiled inside is compiled by this backend; by the chosen one for None. The variable
    is assigned where it changes alone: Python crashes where a collection interrupts the assignment
    of a context variable and calls what assigns one too.
    """
    token = None if _OF_FUNCTION.get() == name else _OF_FUNCTION.set(name)
    try:
        yield
    finally:
        if token is not None:
            _OF_FUNCTION.reset(token)


@contextlib.contextmanager
def placing(name: str) -> Iterator[None]:
    """Functions that are called inside run on the device of this backend."""
    PLACED.append(name)
    try:
        with compiling_with(name):
            yield
    finally:
        PLACED.remove(name)


def compiler_of_function() -> str | None:
    """The name of the backend that the function has which is compiled now; None if it has none."""
    return _OF_FUNCTION.get()


def backend() -> Backend:
    """The backend of what is compiled now."""
    return choice()[0]


def choice() -> tuple[Backend, str]:
    """The backend of what is compiled now, and why it is."""
    name, why = _OF_FUNCTION.get(), "as chosen for this function"
    if name is None:
        name, why = get_kernel_compiler(), "as chosen for the process"
    chosen = backend_of(name)
    if (other := chosen.instead()) is not None:
        return backend_of(other[0]), other[1]
    return chosen, why
