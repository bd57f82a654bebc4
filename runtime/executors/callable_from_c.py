"""The base of decorated functions that other compiled code may call by their address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.classes import NamedTuple
from ..core.places import object_at

if TYPE_CHECKING:
    from ..ir.graph import Graph


class CGraph(NamedTuple):
    """A graph that is compiled as a function of C.

    graph      its inputs are the arguments at `inputs`, then what `constants` are
    results    the positions of the results among the outputs
    written    positions of arguments and outputs: the arrays that change
    """

    graph: Graph
    inputs: tuple[int, ...]
    constants: tuple[np.ndarray, ...]
    results: tuple[int, ...]
    written: tuple[tuple[int, int], ...] = ()


class ToC:
    """Base of decorated functions that become functions of C."""

    def graph_for_c(self, arguments: Sequence) -> CGraph:
        """The graph for arguments of these types: each has a data type, and a shape or None."""
        raise NotImplementedError

    def declared_shapes(self) -> list[tuple | None]:
        """The shapes of the arguments, as far as the function declares them."""
        return []

    def as_cfunc(self, signature: str) -> Any:
        """The function as one of C, which compiled code calls by its `address`, without Python.

        `signature` is like `"float64(float64, int32)"`. `float64[2, 3]` is the address of an array
        of this shape, `out float64` that of a result, `out float64[3]` of a resulting array, and
        `voidptr` an address that is ignored. With `out`, the function of C returns 1, or 0 where it
        failed. Without, floats are NaN where it failed.

        SciPy takes the attribute `ctypes` in a `LowLevelCallable`.

        >>> gauss = ag.function(lambda x: ag.exp(-x * x)).as_cfunc("float64(float64)")
        >>> gauss.ctypes(0.0)
        1.0

        Raises InvalidArgumentError where the function has no such form.
        """
        return object_at("backends.c.functions:function_of_c")(self, signature)

    @property
    def _numba_type_(self):
        """How Numba sees it in functions of `@njit`."""
        from ..jit.backends import foreign

        return foreign().callable_type(self, self._for_numba)

    def _for_numba(self, parameters: Sequence) -> Any:
        return object_at("backends.c.functions:function_for_numba")(self, parameters)
