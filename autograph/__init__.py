"""autograph: Python source -> Python source whose control flow a stager may take over."""

from . import experimental
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
from .stager import PythonStager, Stager, set_stager

__all__ = [
    "PythonStager",
    "Stager",
    "conversion_failure",
    "convert",
    "convert_package",
    "converted_call",
    "do_not_convert",
    "experimental",
    "line_map",
    "set_stager",
    "set_verbosity",
    "skip",
    "stack",
    "to_code",
    "to_graph",
    "trace",
]
