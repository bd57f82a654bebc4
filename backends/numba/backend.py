"""Numba as the compiler of kernels, and what the rest of the package asks of Numba."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
from collections.abc import Callable
from contextlib import nullcontext

from ...runtime.core.errors import InvalidArgumentError
from ...runtime.ir.graph import Node
from ...runtime.jit.backends import Backend
from ...runtime.lowering.not_native import NotNativeError


class NumbaCompiler(Backend):
    """Numba's type inference and lowering in place of ours, for the same kernel source."""

    name = "numba"
    description = "compiled by numba"

    def instead(self) -> tuple[str, str] | None:
        is_off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
        return ("python", "NUMBA_DISABLE_JIT is set") if is_off else None

    def not_installed(self) -> tuple[str, str] | None:
        if importlib.util.find_spec("numba") is not None:
            return None
        return "Numba is not installed", "pip install 'allograph[numba]'"

    @functools.cache  # noqa: B019 - there is one backend
    def version(self) -> tuple[str, ...]:
        return self.name, importlib.metadata.version(self.name)

    def translator(self) -> Callable[..., str]:
        try:
            from .numba_translate import translate  # Numba takes 0.5 s to load
        except ImportError as error:
            raise InvalidArgumentError(
                f"Numba does not load beside this llvmlite: {error}",
                "pip install --upgrade numba llvmlite",
            ) from error
        return translate

    # ---- functions that Numba compiled for the user ----

    def form_on_tensors(self, function) -> Callable | None:
        """What records calls of a function on tensors; None where Numba has not compiled it."""
        from .functions.numba_calls import replacement

        return replacement(function)

    def form_on_arrays(self, function) -> Callable | None:
        """The same for arrays and numbers of NumPy mode."""
        from .functions.numba_functions import is_numba_function

        is_special = getattr(function, "__module__", "") == "numba.misc.special"
        if is_special and function.__name__ in ("literally", "literal_unroll"):
            return function  # they give their argument
        if type(function).__name__ == "_ObjModeContextType":
            return lambda **types: nullcontext()  # of `objmode`, which Python goes without
        if not is_numba_function(function):
            return None
        from .functions.array_calls import call_foreign

        return functools.partial(call_foreign, function)

    def require_native(self, node: Node, ranks: list[int]) -> None:
        """Raise NotNativeError where native code cannot call the function of a node with its
        inputs, as arrays of these ranks.
        """
        from .functions.numba_functions import ArgumentType
        from .user_functions import refusal  # loads Numba's compiler

        function = node.attrs["function"]
        dtypes = [value.dtype.numpy_dtype for value in node.inputs]
        reason = refusal(function, tuple(map(ArgumentType, dtypes, ranks)))
        if function.stateful and not reason:  # a kernel that fails runs again on NumPy
            reason = f"'{function.own_name}' may do more than compute: ag.numba_op(stateful=False)"
        if reason:
            raise NotNativeError(reason, node.where)

    def functions(self, name: str) -> dict[str, object]:
        """What kernels call as `numba_` and a name."""
        from .user_functions import functions

        return functions(name)

    def callable_type(self, function, for_types: Callable):
        """The type by which functions of `@njit` see a function of this package."""
        from .c_callables import callable_type

        return callable_type(function, for_types)
