"""Calls of the package's own functions in plain Python, which a trace converts."""

from __future__ import annotations

from collections.abc import Callable

from ....autograph.operators.calls import callee
from ....autograph.operators.reachable_state import APART
from ....python_library import searches  # noqa: F401
from ....python_library.complex_numbers import power, quotient  # noqa: F401
from ....python_library.floats import rounded  # noqa: F401
from ....python_library.folds import best_item, reduced  # noqa: F401
from ....python_library.integers import chosen, combination_of  # noqa: F401
from ....python_library.numpy_functions import FORMS as NUMPY_FORMS  # noqa: F401
from ....python_library.numpy_functions import (  # noqa: F401
    between,
    fill_with_range,
    hypotenuse,
    joined_rows,
    raised,
    spaced,
)
from ....python_library.ranges import prange  # noqa: F401
from ....python_library.sums_of_products import in_pairs  # noqa: F401
from ....python_library.ufunc_methods import accumulated, changed_at, reduced_at
from ....runtime.core.source_locations import FORWARD, user_location
from ....runtime.tensors.name_scopes import within


def call_library(function: Callable, *args, **kwargs):
    """The result of a function of the Python library, whose operations are at the user's line. It
    changes nothing but arrays and lists of the graph.
    """
    with within(FORWARD, user_location()):  # asked for once, not by each operation
        return callee(function, None)(*args, **kwargs)


STEP_BY_STEP: dict[str, Callable] = {
    "accumulate": accumulated, "reduceat": reduced_at, "at": changed_at,
}  # fmt: skip
APART.add(id(call_library.__code__))
