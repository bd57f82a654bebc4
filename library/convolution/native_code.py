"""The native code of convolution and pooling: what is loaded when a program needs it."""

from __future__ import annotations

from collections.abc import Callable

from ...extend.kernels import Family, native_routines

OPERATIONS = (
    "convolution", "convolution_filters", "convolution_input", "max_pool", "avg_pool",
    "max_pool_gradient", "avg_pool_gradient",
)  # fmt: skip


def _forms() -> dict:
    from .emit_convolution import FORMS

    return FORMS


def _im2col() -> Callable:
    from .convolution_im2col import functions

    return functions


def _direct() -> Callable:
    from .convolution_direct import functions

    return functions


def _depthwise() -> Callable:
    from .convolution_depthwise import functions

    return functions


FAMILIES = {
    "depthwise": Family(2, _depthwise, __package__),
    "direct": Family(2, _direct, __package__),
    "windows": Family(0, _im2col, __package__),
}
native_routines(OPERATIONS, _forms, FAMILIES)
