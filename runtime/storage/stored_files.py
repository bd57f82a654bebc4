"""Files that the programs of a user keep for later ones: their folder, and their content.

A file begins with a digest that only this user computes (see `cache_trust`). It is written to a
temporary name and moved into place. One that cannot be read counts as absent. Where the folder is
not writable, or others control it, nothing is kept.
"""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Iterator

from ..core.file_content import SIZE, content, digest
from ..core.places import PACKAGE
from ..core.public_names import public
from ..core.tracebacks import is_from_handler
from . import cache_trust

LARGEST = 1 << 28  # bytes of a file


@public("kernel_cache.folder")
def folder() -> pathlib.Path:
    """The folder of kernels and converted functions, with a folder inside for each set of versions.

    The environment variable ALLOGRAPH_CACHE_DIR chooses another one.

    >>> ag.kernel_cache.folder().is_absolute()
    True
    """
    chosen = os.environ.get("ALLOGRAPH_CACHE_DIR")
    return cache_trust.path_of(chosen or cache_trust.usual_folder("cache")).absolute()


def check_trust(home: pathlib.Path) -> None:
    """Raise UntrustedError where others control the folder of these versions, or that around it."""
    for path in (folder(), home):
        cache_trust.check_folder(path)


def read(path: pathlib.Path) -> bytes | None:
    """The content of a file that this user's programs wrote; None if it is absent or other."""
    try:
        stored = content(path, LARGEST)
        check_trust(path.parent)
        own = stored[SIZE:]
        return own if cache_trust.is_signed(path.name, own, stored[:SIZE]) else None
    except (OSError, cache_trust.UntrustedError) as error:
        if is_from_handler(error):
            raise
        return None


def make_home(home: pathlib.Path) -> None:
    """Make a folder of these versions if it is absent. Raises OSError or UntrustedError."""
    check_trust(home)
    for each in (home.parent, home):
        cache_trust.make_folder(each)


def write(path: pathlib.Path, content: bytes, is_signed: bool = True) -> None:
    """Write a file at once: readers see the old or new one. Without a digest, it is not `read`."""
    try:
        if is_signed:
            content = cache_trust.signature(path.name, content) + content
        make_home(path.parent)
        os.replace(cache_trust.written_beside(path, content), path)
    except (OSError, cache_trust.UntrustedError) as error:
        if is_from_handler(error):
            raise
        # not writable; a full disk; on Windows, another process that reads
        return


# ---- the modules that files depend on ------------------------------------------------------------


@functools.cache
def digest_of_sources(folders: tuple[str, ...]) -> str:
    """A hash of every module and table of numbers in folders of the package. It is a part of the
    name of what these modules write.
    """
    if os.path.isfile(__file__):
        return digest(b"".join(map(content, sources(folders)))).hex()
    return digest(b"".join(_archived_sources(folders))).hex()


def _archived_sources(folders: tuple[str, ...]) -> Iterator[bytes]:
    """The same content where the package lies in an archive, such as a zip file."""
    import importlib.resources

    root = importlib.resources.files(PACKAGE)
    for folder in folders:
        for file in sorted(root.joinpath(folder).iterdir(), key=lambda file: file.name):
            if file.name.endswith((".py", ".npy")):
                yield file.read_bytes()


def sources(folders: tuple[str, ...]) -> list[str]:
    """The files of the modules and the tables of numbers in folders of the package."""
    here = pathlib.Path(__file__).parents[2]
    return [
        os.path.join(here, *folder.split("/"), name)
        for folder in folders
        for name in sorted(os.listdir(os.path.join(here, *folder.split("/"))))
        if name.endswith((".py", ".npy"))
    ]
