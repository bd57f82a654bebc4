"""Importing this module declares the ONNX forms of all operations."""

from . import (  # noqa: F401
    array_forms,
    control_forms,
    elementwise_forms,
    linear_forms,
    list_forms,
    matrix_part_forms,
    random_forms,
    scan_forms,
    string_forms,
    system_forms,
)
