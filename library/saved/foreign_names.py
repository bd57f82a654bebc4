"""Functions that Numba compiled, in saved graphs: by the names that their modules give them."""

from __future__ import annotations

import sys
from typing import Any

from ...backends.numba.functions.known_functions import numba_function
from ...backends.numba.functions.numba_functions import NumbaFunction, is_numba_function
from ...extend.errors import InvalidArgumentError, NotFoundError
from ..file_io.service_errors import PermissionDeniedError

PREFIX = "numba:"


def name_of_function(function: NumbaFunction) -> str:
    """The name of a function in files. Raises InvalidArgumentError if its module has none."""
    module = function.module
    names = (function.own_name, *vars(sys.modules.get(module, sys)))
    for name in names:
        if _found(module, name) is function:
            return f"{PREFIX}{module}:{name}"
    raise InvalidArgumentError(
        f"'{function.own_name}' cannot be saved: the module {module!r} has no name for it",
        "Define it at the top level of a module.",
    )


class NamedObjects(dict):
    """The objects that graphs in files refer to: those given, and functions of modules that are
    imported already, if the user allows them.
    """

    allow_functions = False

    def __contains__(self, name) -> bool:
        return str(name).startswith(PREFIX) or super().__contains__(name)

    def __missing__(self, name: str) -> NumbaFunction:
        if not self.allow_functions:
            raise PermissionDeniedError(
                f"a function of the saved module calls {name.removeprefix(PREFIX)}",
                "If you trust who saved it: ag.saved_model.load(folder, allow_functions=True).",
            )
        module, _, own = name.removeprefix(PREFIX).partition(":")
        result = _found(module, own)
        if result is None:
            raise NotFoundError(
                f"a function of the saved module calls {own!r}; {module!r} has none such",
                f"import {module} before you load, with this function of Numba in it.",
            )
        return result


def _found(module: str, name: str) -> NumbaFunction | None:
    """The function of Numba that an imported module has under a name."""
    thing: Any = sys.modules.get(module)
    thing = vars(thing).get(name) if thing is not None else None
    operation = getattr(thing, "numba_function", None)
    if isinstance(operation, NumbaFunction):
        return operation
    return numba_function(thing) if is_numba_function(thing) else None
