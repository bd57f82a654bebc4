"""Which compiler makes machine code of kernel source."""

from __future__ import annotations

import importlib.util
import os

from .errors import InvalidArgumentError
from .public_names import public

COMPILERS = ("allograph", "numba", "auto")
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
    """Choose what compiles kernel source: "allograph", "numba", or "auto".

    "auto" is "allograph", whose first call takes less time. The same kernel source goes to both,
    and both give the same numbers. The choice holds for what is compiled after it. The environment
    variable ALLOGRAPH_KERNEL_COMPILER sets it from the start.

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
    >>> ag.config.get_kernel_compiler() in ("allograph", "numba", "auto")
    True
    """
    return _CHOICE.get()


def kernel_compiler() -> str:
    """The compiler of what is compiled now."""
    name = _CHOICE.get()
    return "allograph" if name == "auto" else name
