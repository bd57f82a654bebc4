"""`CheckpointManager`: numbered checkpoints in one folder, of which only the newest are kept."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from ...runtime.core.public_names import public
from .checkpoint import Checkpoint, file_of
from .checkpoint_state import CheckpointState, get_checkpoint_state, write_state


@public("train.CheckpointManager")
class CheckpointManager:
    """Writes `<directory>/<checkpoint_name>-<n>` and removes the oldest beyond `max_to_keep`.

    keep_checkpoint_every_n_hours   a checkpoint that is to be removed is kept for good when that
                                    long has passed since the last one that was
    step_counter, checkpoint_interval   `save` does nothing until so many steps have passed
    init_fn                         called by `restore_or_initialize` when there is no checkpoint

    >>> import allograph as ag
    >>> import tempfile
    >>> checkpoint = ag.train.Checkpoint(step=ag.Variable(0))
    >>> manager = ag.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     _ = manager.save()
    >>> [path[-6:] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']

    A new manager on the same folder goes on with the checkpoints that are there.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter=None,
        checkpoint_interval: int | None = None,
        init_fn=None,
    ):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"max_to_keep is a positive number or None, not {max_to_keep}")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("checkpoint_interval counts steps: pass the step_counter too")
        self.checkpoint = checkpoint
        self.directory = os.fspath(directory)
        self.max_to_keep = max_to_keep
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.checkpoint_interval = checkpoint_interval
        self._step_counter = step_counter
        self._init_fn = init_fn
        self._prefix = os.path.join(self.directory, checkpoint_name)
        self._last_step: int | None = None
        state = get_checkpoint_state(self.directory) or CheckpointState()
        rows = zip(
            state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=True
        )
        self._kept = {path: at for path, at in rows if file_of(path).exists()}
        self._preserved = state.last_preserved_timestamp or time.time()

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest one, or None."""
        return next(reversed(self._kept), None)

    def save(self, checkpoint_number: int | None = None, check_interval=True, options=None):
        """Write the next checkpoint, and remove the oldest; its path, or None when it is too early.

        The new file is there before the folder names it, and an old one is removed after that.
        """
        if check_interval and self._is_too_early():
            return None
        self.checkpoint.save_counter.assign_add(1)
        if checkpoint_number is None:
            checkpoint_number = int(self.checkpoint.save_counter)
        path = self.checkpoint.write(f"{self._prefix}-{int(checkpoint_number)}")
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        dropped = self._drop()
        times = list(self._kept.values())
        write_state(self.directory, CheckpointState(path, self.checkpoints, times, self._preserved))
        for old in dropped:
            with contextlib.suppress(OSError):
                Path(file_of(old)).unlink()
        if self._step_counter is not None:
            self._last_step = int(self._step_counter)
        return path

    def _is_too_early(self) -> bool:
        if self.checkpoint_interval is None or self._last_step is None:
            return False
        return int(self._step_counter) < self._last_step + self.checkpoint_interval

    def _drop(self) -> list[str]:
        """Forget the oldest checkpoints; those whose files are to go."""
        dropped = []
        while self.max_to_keep is not None and len(self._kept) > self.max_to_keep:
            path = next(iter(self._kept))
            at = self._kept.pop(path)
            hours = self.keep_checkpoint_every_n_hours
            if hours is not None and at - self._preserved >= hours * 3600:
                self._preserved = at
            else:
                dropped.append(path)
        return dropped

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint, else call `init_fn`; the path, or None."""
        path = self.latest_checkpoint
        if path is not None:
            self.checkpoint.restore(path)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter)
        elif self._init_fn is not None:
            self._init_fn()
        return path

    def sync(self) -> None:
        """Wait until files are written: they always are."""
