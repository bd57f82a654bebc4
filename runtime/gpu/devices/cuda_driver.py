"""NVIDIA's driver, through its own package `cuda-bindings`: what is missing, and its errors."""

from __future__ import annotations

import functools
import os
from typing import Any

from ...core.errors import Error, InternalError, ResourceExhaustedError

OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"
NO_CARD = ("CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_STUB_LIBRARY")


@functools.cache
def driver() -> Any:
    """The module of the driver's functions. Raises ImportError where it is not installed."""
    from cuda.bindings import driver

    return driver


@functools.cache
def missing() -> str | None:
    """Which of the three that a GPU needs is missing: the extra, the driver, or the card."""
    try:
        api = driver()
    except ImportError:
        return "cuda-bindings is not installed; pip install 'allograph[gpu]'"
    try:
        (error,) = api.cuInit(0)
    except RuntimeError:  # the library of the driver is loaded by the first call
        return f"the NVIDIA driver is not installed: there is no {_library()}"
    if error.name in NO_CARD or (error.name == "CUDA_SUCCESS" and not count()):
        return "the NVIDIA driver finds no card"
    if error.name != "CUDA_SUCCESS":
        return f"the NVIDIA driver does not start: {described(error)}"
    return None


def _library() -> str:
    return "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"


def count() -> int:
    """How many cards there are."""
    return call("cuDeviceGetCount")


def call(name: str, *arguments):
    """The result of a function of the driver: None, a value, or a list of them.

    Raises ResourceExhaustedError where memory runs out, and InternalError for another failure.
    """
    error, *results = getattr(driver(), name)(*arguments)
    if error:
        raise failure(name, error)
    return results[0] if len(results) == 1 else results or None


def failure(name: str, error, details: str = "") -> Error:
    """The exception for an error that a function of the driver returned."""
    if error.name == OUT_OF_MEMORY:
        return ResourceExhaustedError("the memory of the GPU is full")
    return InternalError(f"{name}: {described(error)}{details}")


def described(error) -> str:
    """The name of an error and what the driver says of it."""
    try:
        _, message = driver().cuGetErrorString(error)
    except RuntimeError:  # there is no driver to say anything
        message = None
    return error.name if not message else f"{error.name} ({message.decode()})"
