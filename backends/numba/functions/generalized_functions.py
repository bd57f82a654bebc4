"""Functions of Numba's `@guvectorize`: their signature is the rule for shapes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ....runtime.core.errors import DTypeError, ShapeError
from ....runtime.core.shapes import Shape, broadcast
from .numba_functions import ArgumentType, NumbaFunction, Signature
from .result_structures import LEAF, Tuple


class GeneralizedFunction(NumbaFunction):
    """A function of `@guvectorize`.

    cores   the names of the axes that each argument, and then each result, has for one call; axes
            before them are loops
    count   the number of arguments
    """

    def __init__(self, function, **options):
        super().__init__(function, **options)
        given, results = (
            re.findall(r"\(([^)]*)\)", side) for side in function.signature.split("->")
        )
        self.count = len(given)
        self.cores = [tuple(re.findall(r"\w+", core)) for core in (*given, *results)]

    @property
    def is_elementwise(self) -> bool:
        return False

    @property
    def is_ufunc(self) -> bool:
        return True

    def declared_types(self, given: tuple[ArgumentType, ...]):
        """The types of Numba that one call was compiled for; None if they need a conversion."""
        from numba.np.numpy_support import as_dtype

        wanted = [one.dtype for one in given]
        for signature in self.function.gufunc_builder._sigs:
            types: Any = [getattr(one, "dtype", one) for one in signature.args]
            if [as_dtype(one) for one in types[: self.count]] == wanted:
                return signature.args
        return None

    def declaration(self, dtypes: list[np.dtype]) -> str:
        """The decorator for arguments of these data types; results have that of the first."""
        dtypes = [*dtypes, *[dtypes[0]] * (len(self.cores) - self.count)]
        types = []
        for at, (dtype, core) in enumerate(zip(dtypes, self.cores, strict=False)):
            axes = max(len(core), at >= self.count)  # a result is an array, also of one number
            types.append(f"{dtype}[{', '.join(':' * axes)}]" if axes else str(dtype))
        return f'@guvectorize(["void({", ".join(types)})"], "{self.function.signature}")'

    def _inferred(self, given: tuple[ArgumentType, ...]) -> Signature:
        results = len(self.cores) - self.count
        try:
            wanted = (*(one.dtype for one in given), *[None] * results)
            dtypes = self.function.ufunc.resolve_dtypes(wanted)
        except (TypeError, ValueError) as error:
            raise DTypeError(
                f"Numba has no code for {self.shown(given)}: {error}",
                f"State its types: {self.declaration([one.dtype for one in given])}.",
            ) from None
        rows = zip(given, self.cores, strict=False)
        loops = max([one.rank - len(core) for one, core in rows], default=0)
        ranks = [loops + len(core) for core in self.cores[self.count :]]
        found = map(ArgumentType, dtypes[self.count :], ranks)
        structure = Tuple(None, (LEAF,) * results) if results > 1 else LEAF
        return Signature(tuple(found), structure, True, False)

    def shapes(self, signature: Signature, given: list[Shape]) -> list[Shape]:
        """The shapes of the results by the signature. Raises ShapeError where sizes differ."""
        sizes: dict[str, int | None] = {}
        loops = []
        for core, whole in zip(self.cores, given, strict=False):
            shape = tuple(whole or ())
            if len(shape) < len(core):
                raise ShapeError(
                    f"{self.own_name}: an argument of the shape {shape} has no axes ({core})",
                    f"Its signature is {self.function.signature}.",
                )
            split = len(shape) - len(core)
            loops.append(shape[:split])
            for name, size in zip(core, shape[split:], strict=True):
                if size is not None and sizes.setdefault(name, size) not in (None, size):
                    raise ShapeError(
                        f"{self.own_name}: the axis {name} has the sizes {sizes[name]} and {size}",
                        f"Its signature is {self.function.signature}.",
                    )
        around = broadcast(*loops) or ()
        cores = self.cores[self.count :]
        return [(*around, *(sizes.get(name) for name in core)) for core in cores]

    def __call__(self, *arrays) -> tuple[np.ndarray, ...]:
        returned = self.function(*arrays)
        returned = returned if isinstance(returned, tuple) else (returned,)
        return tuple(map(np.asarray, returned))
