"""Rewrites the source of a Python function so that tensors may drive its control flow, and holds
the operators that the rewritten code calls. Plain Python values keep Python's behavior. Staged
values go to the stager, a protocol that `tracing/stager/` implements.
"""

from . import errors, experimental
from .api import (
    conversion_failure,
    convert,
    convert_package,
    do_not_convert,
    set_verbosity,
    skip,
    stack,
    trace,
)
from .inspect_code import line_map, to_code, to_graph
from .operators.calls import converted_call
from .stager import Stager

__all__ = [
    "Stager",
    "conversion_failure",
    "convert",
    "convert_package",
    "converted_call",
    "do_not_convert",
    "errors",
    "experimental",
    "line_map",
    "set_verbosity",
    "skip",
    "stack",
    "to_code",
    "to_graph",
    "trace",
]
