"""Native code of extensions: the forms of their operations, and the functions that kernels call."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import NamedTuple

from ..core.file_content import digest


class Family(NamedTuple):
    """Functions of kernels whose names begin with one word.

    words    the number of their last words that say for which data types, or which numbers, the
             functions are made
    load     gives the function of these words that gives the functions by name
    package  the package whose files say what the functions compute
    """

    words: int
    load: Callable[[], Callable[..., dict[str, object]]]
    package: str


FORMS: dict[str, Callable[[], dict]] = {}  # by operation: gives forms of several, by name
FAMILIES: dict[str, Family] = {}  # by first word


def native_routines(
    operations: tuple[str, ...], forms: Callable[[], dict], families: dict[str, Family]
) -> None:
    """Give operations native code. `forms()` has a function for each, which writes the code of a
    node, as in `runtime/codegen/native/library_calls.py`; kernels call the functions of `families`.
    Both are loaded for the first program that needs them.
    """
    FORMS.update(dict.fromkeys(operations, forms))
    FAMILIES.update(families)


def sources_of(source: str) -> tuple[str, ...]:
    """Digests of the packages whose functions a kernel may call: a part of its key."""
    packages = {
        family.package for word, family in FAMILIES.items() if re.search(rf"\b{word}_\w*\(", source)
    }
    return tuple(_digest_of_package(package) for package in sorted(packages))


@functools.cache
def _digest_of_package(package: str) -> str:
    import importlib.resources  # most programs call no functions of extensions

    files = sorted(importlib.resources.files(package).iterdir(), key=lambda file: file.name)
    content = (file.read_bytes() for file in files if file.name.endswith(".py"))
    return digest(b"".join(content)).hex()
