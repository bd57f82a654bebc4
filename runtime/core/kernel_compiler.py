"""Which compiler makes machine code of kernel source, if any does, and how exact formulas are."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from contextvars import ContextVar

from .debug_output import is_on
from .errors import InvalidArgumentError
from .public_names import public

COMPILERS = ("allograph", "numba", "python", "none", "auto")
PYTHON = "python"  # kernel source runs as it is
NONE = "none"  # there are no kernels
VARIABLE = "ALLOGRAPH_KERNEL_COMPILER"


class _Choice:
    """The compiler that was chosen."""

    def __init__(self) -> None:
        self.name = ""

    def get(self) -> str:
        if not self.name:
            self.name = checked(os.environ.get(VARIABLE) or "auto", f"{VARIABLE}=")
        return self.name


_CHOICE = _Choice()
_OF_FUNCTION: ContextVar[str | None] = ContextVar("compiler of a function", default=None)


def checked(name: str, where: str) -> str:
    """The name of a compiler. Raises InvalidArgumentError if there is none such."""
    if name not in COMPILERS:
        known = ", ".join(map(repr, COMPILERS))
        raise InvalidArgumentError(f"{where}{name!r}: no such compiler", f"Choose from {known}.")
    if name == "numba" and importlib.util.find_spec("numba") is None:
        raise InvalidArgumentError(
            f"{where}{name!r}: Numba is not installed", "pip install 'allograph[numba]'"
        )
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

    >>> import allograph as ag
    >>> ag.config.set_kernel_compiler("allograph")
    >>> ag.config.get_kernel_compiler()
    'allograph'
    >>> ag.config.set_kernel_compiler("auto")

    Raises InvalidArgumentError for another name, or where Numba is not installed.
    """
    _CHOICE.name = checked(name, "set_kernel_compiler: ")


@public("config.get_kernel_compiler")
def get_kernel_compiler() -> str:
    """The compiler that `set_kernel_compiler` has chosen.

    >>> import allograph as ag
    >>> ag.config.get_kernel_compiler() in ("allograph", "numba", "python", "none", "auto")
    True
    """
    return _CHOICE.get()


def of_function(where: str, name: str | None) -> str | None:
    """The argument `kernel_compiler` of a decorator. Raises InvalidArgumentError as above."""
    return None if name is None else checked(name, f"{where}: kernel_compiler=")


@contextlib.contextmanager
def compiling_with(name: str | None) -> Iterator[None]:
    """What is compiled inside is compiled by this compiler; by the chosen one for None."""
    token = _OF_FUNCTION.set(name)
    try:
        yield
    finally:
        _OF_FUNCTION.reset(token)


def kernel_compiler() -> str:
    """The compiler of what is compiled now."""
    return choice()[0]


def choice() -> tuple[str, str]:
    """The compiler of what is compiled now, and why it is."""
    name, why = _OF_FUNCTION.get(), "as chosen for this function"
    if name is None:
        name, why = _CHOICE.get(), "as chosen for the process"
    if name == "auto":
        return "allograph", '"auto": its first calls take less time than Numba\'s'
    if name == "numba" and os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return PYTHON, "NUMBA_DISABLE_JIT is set"
    return name, why


# ---- precision -----------------------------------------------------------------------------


class Precision:
    """The state of the switch, which the emitter reads."""

    precise_math = is_on("ALLOGRAPH_PRECISE_MATH")


@public("config.set_precise_math")
def set_precise_math(enabled: bool) -> None:
    """Whether native code calls the C library for `exp`, `log`, `sin` and their like.

    By default it computes them with formulas that work on several elements at once and are exact to
    2 units in the last place. The switch holds for what is compiled after it; the environment
    variable ALLOGRAPH_PRECISE_MATH=1 sets it from the start.

    >>> import allograph as ag
    >>> ag.config.set_precise_math(True)
    >>> ag.config.precise_math_enabled()
    True
    >>> ag.config.set_precise_math(False)
    """
    Precision.precise_math = bool(enabled)


@public("config.precise_math_enabled")
def precise_math_enabled() -> bool:
    """Whether `set_precise_math` is on."""
    return Precision.precise_math
