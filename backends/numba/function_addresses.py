"""Functions of the user that stay machine code of Numba's, with its runtime: kernels call them by
their address. A stored kernel holds a name, which stands for the address when it is loaded.
"""

from __future__ import annotations

import ast
from typing import Any

from numba.core import compiler
from numba.core.registry import cpu_target

from ...runtime.jit.loader.shared_words import immortal
from ...runtime.jit.loader.symbols import PREFIX, SHARED, provide
from .callables import function_of

LIBRARY = f"{SHARED}numba."
_ADDRESSES: dict[str, int] = {}


def symbol_of(name: str) -> str:
    """What kernels call a function."""
    return f"{PREFIX}{LIBRARY}{name}"


def has_address(name: str) -> bool:
    return f"{LIBRARY}{name}" in _ADDRESSES


def load(name: str, tree: ast.FunctionDef, scope: dict[str, object], given: tuple) -> None:
    """Compile a function of addresses and numbers, and keep its address under a name."""
    flags: Any = compiler.Flags()  # its metaclass makes the options, which mypy does not see
    flags.nrt = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.error_model = "numpy"
    typing, target = cpu_target.typing_context, cpu_target.target_context
    typing.refresh()
    target.refresh()
    function = function_of(tree, scope)
    made = compiler.compile_extra(typing, target, function, given, None, flags, {})
    immortal(made)  # the owner of the machine code
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    _ADDRESSES[f"{LIBRARY}{name}"] = address


provide("numba", lambda: _ADDRESSES.get)
