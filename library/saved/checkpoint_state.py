"""The state file `checkpoint` of a folder: a list of the checkpoints and the latest one.

It is JSON. Paths are relative to the folder, so the folder can be moved.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from ...extend.errors import NotFoundError
from ...extend.registration import public
from ..file_io.atomic_files import replace_file
from ..file_io.untrusted_files import inside, read_json, reading

STATE = "checkpoint"
SUFFIX = ".safetensors"


@dataclass
class CheckpointState:
    """The latest checkpoint of a folder, all checkpoints from old to new, and their times."""

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0


@public("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir, latest_filename=None) -> CheckpointState | None:
    """The content of the state file of a folder, or None if there is none.

    >>> ag.train.get_checkpoint_state("/nowhere")

    Raises DataLossError if the file is damaged, or names files outside of the folder.
    """
    folder = os.fspath(checkpoint_dir)
    path = os.path.join(folder, latest_filename or STATE)
    try:
        content = read_json(path)
    except NotFoundError:
        return None
    with reading(path):
        entries = content["checkpoints"]
        paths = [_path(folder, entry["path"]) for entry in entries]
        times = [float(entry["time"]) for entry in entries]
        latest = _path(folder, content["latest"])
        return CheckpointState(latest, paths, times, float(content["preserved"]))


def _path(folder: str, name: str) -> str:
    """The path of a checkpoint as the user states its folder. It does not leave the folder."""
    inside(folder, name)
    return os.path.join(folder, name)


def write_state(folder, state: CheckpointState) -> None:
    """Replace the state file of a folder."""
    entries = zip(
        state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=True
    )
    content = {
        "latest": os.path.relpath(state.model_checkpoint_path, folder),
        "checkpoints": [
            {"path": os.path.relpath(path, folder), "time": written_at}
            for path, written_at in entries
        ],
        "preserved": state.last_preserved_timestamp,
    }
    replace_file(Path(folder) / STATE, [json.dumps(content, indent=1).encode()])


def note_checkpoint(path: str) -> None:
    """Make a checkpoint the latest of its folder."""
    folder = os.path.dirname(path) or "."
    state = get_checkpoint_state(folder) or CheckpointState()
    entries = dict(
        zip(state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=True)
    )
    path = os.path.join(folder, os.path.basename(path))
    entries = {
        old: written_at for old, written_at in entries.items() if old != path and _is_there(old)
    }
    entries[path] = time.time()
    state = CheckpointState(
        path, list(entries), list(entries.values()), state.last_preserved_timestamp
    )
    write_state(folder, state)


@public("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir, latest_filename=None) -> str | None:
    """The path of the latest checkpoint in a folder, for `restore`, or None.

    >>> ag.train.latest_checkpoint("/nowhere")
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    return state.model_checkpoint_path if state and _is_there(state.model_checkpoint_path) else None


def _is_there(path: str) -> bool:
    return os.path.exists(path + SUFFIX)
