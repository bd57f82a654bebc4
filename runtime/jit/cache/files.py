"""The files of kernels: their names and their folder.

A kernel is named by the hash of its source and the types of its arguments. On disk its source lies
beside one object file for each type of processor. A file that cannot be read or loaded counts as
absent. Where the folder is not writable, or others control it, kernels live in memory only.
"""

from __future__ import annotations

import functools
import pathlib

from ...core.file_content import content, digest
from ...core.public_names import public
from ...storage import cache_trust
from ...storage.stored_files import LARGEST, check_trust, digest_of_sources, folder
from .. import cpu

# The folders of every module that contributes instructions to kernels.
FOLDERS = (
    "backends/numba",
    "backends/numba/functions",
    "backends/python",
    "library/recursion",
    *(
        f"runtime/{folder}"
        for folder in (
            "core", "jit", "jit/cache", "jit/entry", "jit/loader", "kernel_ir", "kernels",
            "kernels/random", "kernels/vector_math", "parallel", "storage",
        )
    ),
)  # fmt: skip

ORIGIN = "# compiled for "  # begins the last line of a source
LONGEST_LINE = 4096


# ---- names -----------------------------------------------------------------------------------


@functools.cache
def processor() -> str:
    """The part of the name of an object file that says where it runs."""
    identity = cpu.identity()
    if identity is None:
        from ..loader import llvm_backend

        identity = llvm_backend.processor()
    about = f"{object.__basicsize__} {tuple.__basicsize__} {identity}"  # code steps over heads
    return digest(about.encode()).hex()[:16]


def sources_digest() -> str:
    """A hash of every file that contributes instructions to kernels. It is a part of the key of
    every kernel.
    """
    return digest_of_sources(FOLDERS)


# ---- on disk ---------------------------------------------------------------------------------


def home() -> pathlib.Path:
    """The folder of kernels of these versions."""
    import llvmlite  # this does not load LLVM itself
    import numpy

    return folder() / f"kernels-{llvmlite.__version__}-{numpy.__version__}"


@public("kernel_cache.problem")
def problem() -> str:
    """Why kernels are not kept on disk, with a cure: others control the folder or the key, or the
    folder cannot be written.

    It is empty where they are kept.

    >>> ag.kernel_cache.problem()
    ''
    """
    try:
        check_trust(home())
        cache_trust.check_key()
        cache_trust.check_writable(home())
    except cache_trust.UntrustedError as error:
        return f"compiled kernels are not kept on disk: {error}"
    return ""


def source_file(name: str) -> pathlib.Path:
    """Where the source of a kernel lies."""
    return home() / f"{name}.py"


def with_origin(source: str, origin: str) -> bytes:
    """The content of the file of a source: behind it, what it was compiled for."""
    return (
        f"{source.rstrip()}\n{ORIGIN}{printable(origin)}\n".encode() if origin else source.encode()
    )


def origin_of(path: pathlib.Path) -> str:
    """What the file of a source says that it was compiled for; empty if it says nothing."""
    *_, last = source_in(path)[-LONGEST_LINE:].rstrip("\n").split("\n")
    return printable(last.removeprefix(ORIGIN)) if last.startswith(ORIGIN) else ""


def source_in(path: pathlib.Path) -> str:
    """The text of a stored source; empty if it cannot be read."""
    try:
        return content(path, LARGEST).decode(errors="replace")
    except OSError:
        return ""


def printable(line: str) -> str:
    """A line that a terminal only shows: anybody may write a file."""
    shown = "".join(character if character.isprintable() else "?" for character in line)
    return shown.encode(errors="replace").decode()[: LONGEST_LINE // 4]


def object_file(name: str) -> pathlib.Path:
    return home() / f"{name}.{processor()}.o"
