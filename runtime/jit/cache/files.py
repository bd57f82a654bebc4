"""The files of kernels: their names, their folder, and how they are read and written.

A kernel is named by the hash of its source and the types of its arguments. On disk its source lies
beside one object file for each type of processor, which begins with a digest that only this user
computes (see `cache_trust`). Both are written to a temporary name and moved into place. A file that
cannot be read or loaded counts as absent. Where the folder is not writable, or others control it,
kernels live in memory only.
"""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Iterator

from ...core.file_content import SIZE, content, digest
from ...core.places import PACKAGE
from ...core.public_names import public
from ...core.tracebacks import is_from_handler
from .. import cpu
from . import cache_trust

# The folders of every module that contributes instructions to kernels.
FOLDERS = (
    "backends/numba",
    "backends/numba/functions",
    "backends/python",
    *(
        f"runtime/{folder}"
        for folder in (
            "core", "jit", "jit/cache", "jit/entry", "jit/loader", "kernel_ir", "kernels",
            "kernels/random", "kernels/vector_math", "parallel",
        )
    ),
)  # fmt: skip

ORIGIN = "# compiled for "  # begins the last line of a source
LONGEST_LINE = 4096
MOST_CODE = 1 << 28  # bytes of a file


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


@functools.cache
def sources_digest() -> str:
    """A hash of every file that contributes instructions to kernels. It is a part of the key of
    every kernel.
    """
    if os.path.isfile(__file__):
        return digest(b"".join(map(content, sources()))).hex()
    return digest(b"".join(_archived_sources())).hex()


def _archived_sources() -> Iterator[bytes]:
    """The same content where the package lies in an archive, such as a zip file."""
    import importlib.resources

    root = importlib.resources.files(PACKAGE)
    for folder in FOLDERS:
        for file in sorted(root.joinpath(folder).iterdir(), key=lambda file: file.name):
            if file.name.endswith((".py", ".npy")):
                yield file.read_bytes()


def sources() -> list[str]:
    """The files of the modules and the tables of numbers in FOLDERS."""
    here = pathlib.Path(__file__).parents[3]
    folders = [os.path.join(here, *folder.split("/")) for folder in FOLDERS]
    return [
        os.path.join(folder, name)
        for folder in folders
        for name in sorted(os.listdir(folder))
        if name.endswith((".py", ".npy"))
    ]


# ---- on disk ---------------------------------------------------------------------------------


@public("kernel_cache.folder")
def folder() -> pathlib.Path:
    """The folder of compiled kernels, with a folder inside for each set of versions.

    The environment variable ALLOGRAPH_CACHE_DIR chooses another one.

    >>> ag.kernel_cache.folder().is_absolute()
    True
    """
    chosen = os.environ.get("ALLOGRAPH_CACHE_DIR")
    if not chosen:
        import platformdirs

        chosen = platformdirs.user_cache_dir("allograph")
    return pathlib.Path(chosen).absolute()


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
        check_trust()
        cache_trust.check_key()
        cache_trust.check_writable(home())
    except cache_trust.UntrustedError as error:
        return f"compiled kernels are not kept on disk: {error}"
    return ""


def check_trust() -> None:
    """Raise UntrustedError where others control the folders of kernels."""
    for path in (folder(), home()):
        cache_trust.check_folder(path)


def read(path: pathlib.Path) -> bytes | None:
    """The machine code of a file that this user's programs wrote; None if it is absent or other."""
    try:
        stored = content(path, MOST_CODE)
        check_trust()
        code = stored[SIZE:]
        return code if cache_trust.is_signed(path.name, code, stored[:SIZE]) else None
    except (OSError, cache_trust.UntrustedError) as error:
        if is_from_handler(error):
            raise
        return None


def write_signed(path: pathlib.Path, code: bytes) -> None:
    """Write machine code with the user's digest, if the user has a key."""
    try:
        write(path, cache_trust.signature(path.name, code) + code)
    except cache_trust.UntrustedError:
        return


def make_home() -> pathlib.Path:
    """The folder of kernels, which is made if it is absent. Raises OSError or UntrustedError."""
    check_trust()
    path = home()
    for each in (path.parent, path):
        cache_trust.make_folder(each)
    return path


def write(path: pathlib.Path, content: bytes) -> None:
    """Write a file atomically: readers see the old one or the new one."""
    try:
        make_home()
        os.replace(cache_trust.written_beside(path, content), path)
    except (OSError, cache_trust.UntrustedError) as error:
        if is_from_handler(error):
            raise
        # not writable; a full disk; on Windows, another process that reads
        return


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
        return content(path, MOST_CODE).decode(errors="replace")
    except OSError:
        return ""


def printable(line: str) -> str:
    """A line that a terminal only shows: anybody may write a file."""
    shown = "".join(character if character.isprintable() else "?" for character in line)
    return shown.encode(errors="replace").decode()[: LONGEST_LINE // 4]


def object_file(name: str) -> pathlib.Path:
    return home() / f"{name}.{processor()}.o"
