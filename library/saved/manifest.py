"""The manifest of a saved module: file name, format version, reading and writing."""

from __future__ import annotations

import json
from pathlib import Path

from ...extend.errors import FileMissingError, NotFoundError, UnimplementedError
from ..file_io.untrusted_files import damaged, read_json

MANIFEST = "saved_module.json"
FORMAT = "allograph saved module"
VERSION = 1


def manifest_bytes(manifest: dict) -> bytes:
    """The manifest as JSON, with each object on its own line."""
    entries = dict(manifest)
    objects = ",\n  ".join(map(json.dumps, entries.pop("objects")))
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
    lines.append(f'"objects": [\n  {objects}\n]')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def read_manifest(folder: Path) -> dict:
    """The manifest in a folder.

    Raises NotFoundError if there is none, DataLossError if it cannot be read, and
    UnimplementedError for a newer version of the format.
    """
    path = folder / MANIFEST
    try:
        manifest = read_json(path)
    except NotFoundError:
        raise FileMissingError(
            f"there is no saved module in {str(folder)!r}: {MANIFEST} is not there"
        ) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise damaged(path, "it is not the manifest of a saved module")
    version = manifest.get("version")
    if type(version) is not int:
        raise damaged(path, f"{version!r} is not a version")
    if version > VERSION:
        raise UnimplementedError(
            f"{str(folder)!r} was saved in version {version} of the format; this version of "
            f"allograph reads up to {VERSION}",
            "Install a newer allograph to load it.",
        )
    return manifest
