"""Rewrites the source of a Python function so that tensors may drive its control flow, and holds
the operators that the rewritten code calls. Plain Python values keep Python's behavior. Staged
values go to the stager, a protocol that `tracing/stager/` implements.
"""

from ..loading import members
from . import errors, experimental
from .api import (
    conversion_failure,
    convert,
    convert_package,
    do_not_convert,
    set_verbosity,
    skip,
    stack,
    staged_by,
    trace,
)
from .inspect_code import line_map, to_code, to_graph
from .operators.calls import converted_call
from .operators.undefined import MaybeSet, Undefined
from .stager import Stager

__all__ = [
    "MaybeSet",
    "Stager",
    "Undefined",
    "conversion_failure",
    "convert",
    "convert_package",
    "converted_call",
    "do_not_convert",
    "errors",
    "experimental",
    "for_jax",
    "line_map",
    "set_verbosity",
    "skip",
    "stack",
    "staged_by",
    "to_code",
    "to_graph",
    "trace",
]
__getattr__, _ = members(__name__, "backends.jax.jax_function function=for_jax")
