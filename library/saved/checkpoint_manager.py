"""`CheckpointManager`: numbered checkpoints in a folder, of which the newest are kept."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from ...extend.registration import public
from .checkpoint import Checkpoint, file_of
from .checkpoint_state import CheckpointState, get_checkpoint_state, write_state


@public("train.CheckpointManager")
class CheckpointManager:
    """Writes `<directory>/<checkpoint_name>-<n>` and removes the oldest beyond `max_to_keep`.

    keep_checkpoint_every_n_hours   keep a checkpoint permanently if this much time has passed
                                    since the last one that was kept permanently
    step_counter, checkpoint_interval   `save` does nothing until this many steps have passed
    init_fn                         called by `restore_or_initialize` if there is no checkpoint

    >>> import allograph as ag
    >>> import tempfile
    >>> checkpoint = ag.train.Checkpoint(step=ag.Variable(0))
    >>> manager = ag.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     _ = manager.save()
    >>> [path[-6:] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']

    A new manager of the same folder continues with the checkpoints in it.
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
        entries = zip(
            state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps, strict=True
        )
        self._kept = {path: written_at for path, written_at in entries if file_of(path).exists()}
        self._preserved = state.last_preserved_timestamp or time.time()

    @property
    def checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The newest checkpoint, or None."""
        return next(reversed(self._kept), None)

    def save(self, checkpoint_number: int | None = None, check_interval=True, options=None):
        """Write the next checkpoint and remove the oldest; returns the path, or None if too early.

        The new file is complete before the state file of the folder names it. Old files are removed
        after that.
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
        """Forget the oldest checkpoints; returns those whose files are to be removed."""
        dropped = []
        while self.max_to_keep is not None and len(self._kept) > self.max_to_keep:
            path = next(iter(self._kept))
            written_at = self._kept.pop(path)
            hours = self.keep_checkpoint_every_n_hours
            if hours is not None and written_at - self._preserved >= hours * 3600:
                self._preserved = written_at
            else:
                dropped.append(path)
        return dropped

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint, or else call `init_fn`; returns the path or None."""
        path = self.latest_checkpoint
        if path is not None:
            self.checkpoint.restore(path)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter)
        elif self._init_fn is not None:
            self._init_fn()
        return path

    def sync(self) -> None:
        """Do nothing: files are always written at once."""
