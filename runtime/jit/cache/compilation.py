"""Kernels and libraries from memory, the disk or the compiler; the threads that compile them.

What every kernel needs, such as the checks of its arguments, would take LLVM as long as a small
kernel itself. It is compiled once, as a library that the loader links to the kernels.
"""

from __future__ import annotations

import atexit
import functools
import os
import re
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ...core import thresholds
from ...core.classes import NamedTuple
from ...core.debug_output import log
from ...core.errors import Error
from ...core.file_content import digest
from ...core.locks import LLVM, RLock, after_fork_in_child, numba_lock
from ...core.source_locations import user_location
from ...storage.cache_trust import UntrustedError
from ...storage.stored_files import make_home, read, write
from .. import interrupt_clock  # noqa: F401 - kernels start the clock
from ..loader.symbols import PREFIX, SHARED, provide
from ..routines import scope_of, sources_of
from .cache_lock import MOST_SECONDS, compiling
from .files import home, object_file, source_file, sources_digest, with_origin

if TYPE_CHECKING:
    from ...kernel_ir.kernels import KernelIR
    from ..backends import Backend


class Compiled(NamedTuple):
    """Machine code in this process: its name, the function that Python calls, its address (0 where
    the source runs as Python), the addresses of its parallel regions, and whether it was compiled
    now.
    """

    name: str
    function: Callable
    address: int
    regions: list[int]
    is_new: bool


class Library(NamedTuple):
    """Machine code that kernels share: its name, the function that gives the address of each of its
    functions, and whether it was compiled now.
    """

    name: str
    address: Callable[[str], int | None]
    is_new: bool


_CALLED = re.compile(re.escape(PREFIX + SHARED) + r"(\w+)\.")  # a library that a kernel calls
AFTER_CALLS = 0.05  # seconds: a library that shortens later calls lets the first one end
# LLVM assembly of other compilers that kernels call, by the function that it defines.
CODE: dict[str, str] = {}
# What kernels are compiled for: a function, a file and a line of the user, as text.
COMPILED_FOR: ContextVar[str] = ContextVar("what kernels are compiled for", default="")
_lock = RLock()
_kernels: dict[str, Compiled | Library] = {}
_compilations: dict[str, _Compilation] = {}  # those in progress
_libraries: dict[str, Callable[[], str]] = {}  # what writes the libraries that kernels can call
_IS_ENDING, _HAS_TO_END = threading.Event(), threading.Event()


def compiled(
    code: KernelIR,
    types: tuple,
    results: tuple,
    backend: Backend,
    keeps_gil: bool,
) -> Compiled:
    """The machine code of a kernel by a backend, as `Backend.compiled` has it."""
    about = (*backend.version(), *thresholds.changed())
    called = (sources_digest(), *sources_of(code.calls))
    key = repr((code.source, types, results, keeps_gil, *called, *about))
    name, origin = f"kernel_{digest(key.encode()).hex()[:20]}", COMPILED_FOR.get()

    def translated() -> str:
        translate = backend.translator()
        written = linked(translate(name, code, scope_of(code.calls), types, results, keeps_gil))
        write(source_file(name), with_origin(code.source, origin), is_signed=False)
        return written

    return _found_or_compiled(name, translated)


def linked(source: str) -> str:
    """The LLVM assembly of a module, with the code of the functions in CODE that it calls."""
    called = [name for name in CODE if f"@{name}(" in source or f'@"{name}"(' in source]
    if not called:
        return source
    from llvmlite import binding

    whole = binding.parse_assembly(source)
    for name in called:
        whole.link_in(binding.parse_assembly(CODE[name]))
        whole.get_function(name).linkage = "internal"
    return str(whole)


def provide_library(name: str, written: Callable[[], str]) -> None:
    """Offer a library to kernels. `written` gives its functions in LLVM's assembly language, and is
    called only when the library has to be compiled. Their names begin with `shared.` and `name`.
    """
    _libraries[name] = written
    provide(name, lambda: library(name, written).address)


def _begin(name: str, written: Callable[[], str] | None = None) -> None:
    """Have a library compiled by another thread, unless it is there: a kernel will need it."""
    full, written = _library_name(name), written or _libraries.get(name)
    if written is not None and not _is_there(full):
        with _lock:
            _compilations.setdefault(full, _Compilation(full, written)).start()


def _is_there(name: str) -> bool:
    return name in _kernels or os.path.exists(object_file(name))


@functools.cache
def begin_entry_library() -> None:
    """Have the library that all kernels call compiled while the first one is planned. The other
    thread is in LLVM alone: two that run Python would wait for one another.
    """
    if not (_is_there(_library_name("entry")) or _IS_ENDING.is_set() or _compiles_with_numba()):
        from ..loader import llvm_backend

        llvm_backend.target_machine()
        source = _entry_functions()
        _begin("entry", lambda: source)


def library(name: str, written: Callable[[], str]) -> Library:
    """A library, from the process, the disk, or the compiler."""
    return _found_or_compiled(_library_name(name), written)


def _library_name(name: str) -> str:
    key = repr((name, sources_digest(), *thresholds.changed()))
    return f"{SHARED}{name}_{digest(key.encode()).hex()[:20]}"


def _found_or_compiled(name: str, written: Callable[[], str]):
    """The kernel or library of a name."""
    library = _kernels.get(name) or _stored(name)
    if library is not None:
        return _kernels.setdefault(name, library)
    log("cache", "%s is neither in memory nor on disk", name)
    if _compiles_with_numba():
        own = _Compilation(name, written)
        own.run()
        return own.result()
    with _lock:
        compilation = _compilations.get(name)
        if compilation is None:
            compilation = _compilations[name] = _Compilation(name, written)
        compilation.start()
    return compilation.result()


def _compiles_with_numba() -> bool:
    """Whether this thread holds the lock of Numba's compiler: other threads would wait for it."""
    lock = numba_lock()
    return lock is not None and lock.is_locked()


class _Compilation:
    """The compilation of a kernel or a library, in a thread of its own.

    So a signal interrupts the thread that waits for it, and not LLVM; a later call then finds the
    kernel. Threads that need other kernels do not wait.
    """

    def __init__(self, name: str, written: Callable[[], str], use: Callable | None = None):
        self.name = name
        self.written = written
        self.use = use  # what takes it when it is compiled
        self.origin = f", for {COMPILED_FOR.get()}" if COMPILED_FOR.get() else ""
        self.thread: threading.Thread | None = None
        self.done = threading.Event()
        self.kernel: Compiled | Library | None = None
        self.error: BaseException | None = None

    def start(self) -> None:
        """Start the thread, unless it is there."""
        if self.thread is not None:
            return
        if _IS_ENDING.is_set():
            self.run()
        else:
            thread = threading.Thread(target=self.run, name="allograph compilation", daemon=True)
            thread.start()
            self.thread = thread

    def run(self) -> None:
        if self.use is not None:
            _HAS_TO_END.wait(AFTER_CALLS)
        try:
            start = time.perf_counter()
            self.kernel = _kernels[self.name] = self.compiled()
            seconds = time.perf_counter() - start
            log("compile", "%s: %.0f ms%s", self.name, seconds * 1e3, self.origin)
            if self.use is not None:
                self.use(self.kernel)
        except BaseException as error:
            self.error = error
        _compilations.pop(self.name, None)
        self.done.set()

    def compiled(self) -> Compiled | Library:
        """The kernel: compiled, or loaded if another process has compiled it meanwhile."""
        try:
            make_home(home())
        except (OSError, UntrustedError):
            return _new(self.name, self.written)
        seconds = 0.0 if _IS_ENDING.is_set() else MOST_SECONDS
        with compiling(home(), self.name, seconds):
            return _stored(self.name) or _new(self.name, self.written)

    def result(self) -> Compiled | Library:
        """Wait for the kernel. Raises what the compiler has raised."""
        self.done.wait()
        if isinstance(self.error, Error):  # of another thread, where it has met no line of the user
            raise self.error.at(user_location())
        if self.kernel is None:
            raise self.error or RuntimeError(f"{self.name} was not compiled")
        return self.kernel


@atexit.register
def _end() -> None:
    """While the process ends, the main thread compiles itself, and no other enters LLVM any more:
    its machine code goes away. Libraries that nobody waits for are stored for the next process.
    """
    _HAS_TO_END.set()
    for compilation in list(_compilations.values()):
        if compilation.use is not None:
            compilation.done.wait(MOST_SECONDS)
    _IS_ENDING.set()
    LLVM.acquire()


@after_fork_in_child
def _forget() -> None:
    """The threads of the parent's compilations are not in the child."""
    _compilations.clear()


def _stored(name: str) -> Compiled | Library | None:
    """The kernel from the disk; None if it is not there, or cannot be loaded."""
    from ..loader.elf import ObjectFileError

    code = read(object_file(name))
    if code is None:
        return None
    try:
        return _loaded(name, code, is_new=False)
    except ObjectFileError:
        return None


def _new(name: str, written: Callable[[], str]) -> Compiled | Library:
    """The kernel as it is compiled now, and stored. While LLVM optimizes it, other threads write
    the libraries that it calls.
    """
    from ..loader import llvm_backend

    source, is_library = written(), name.startswith(SHARED)

    def begin_libraries() -> None:
        if not (is_library or _IS_ENDING.is_set() or _compiles_with_numba()):
            for library in dict.fromkeys(_CALLED.findall(source)):
                _begin(library)

    code = llvm_backend.object_code(source, is_library, begin_libraries)
    write(object_file(name), code)
    return _loaded(name, code, is_new=True)


def _loaded(name: str, code: bytes, is_new: bool) -> Compiled | Library:
    from ..loader.load import addresses, load

    if name.startswith(SHARED):
        return Library(name, addresses(code, is_new), is_new)
    return Compiled(name, *load(code, name, is_new), is_new)


def _entry_functions() -> str:
    from ..entry.entry_library import written  # loads LLVM, which stored kernels do without

    return written()


provide_library("entry", _entry_functions)


def entry_library() -> Library:
    """The library of what the entries of all kernels call."""
    return library("entry", _entry_functions)


def when_compiled(name: str, written: Callable[[], str], use: Callable[[Library], None]) -> None:
    """Give a library to `use`: now if there is one, else when another thread has compiled it."""
    full = _library_name(name)
    library = _kernels.get(full) or _stored(full)
    if library is None and (_IS_ENDING.is_set() or _compiles_with_numba()):
        library = _found_or_compiled(full, written)
    if library is not None:
        use(_kernels.setdefault(full, library))  # type: ignore[arg-type]
        return
    with _lock:
        compilation = _compilations.setdefault(full, _Compilation(full, written, use))
        compilation.start()


def assembly(code: KernelIR, types: tuple, results: tuple, backend: Backend) -> str:
    """The machine instructions of a kernel, compiled once more to be read."""
    from ..loader import llvm_backend

    translate = backend.translator()
    translated = translate("kernel", code, scope_of(code.calls), types, results)
    return llvm_backend.assembly(linked(translated))
