"""Checkpoints: the variables below some objects, in one file, and back into such objects."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

from ...runtime.core.errors import FailedPreconditionError, NotFoundError, UnimplementedError
from ...runtime.core.public_names import public
from ...runtime.ops.state.variables import Variable
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.tensor import EagerTensor
from ...tracing.structures import nest
from ..module import Module
from .checkpoint_restore import Restoration, Status, Stored
from .checkpoint_state import SUFFIX, latest_checkpoint, note_checkpoint
from .object_graph import FUNCTIONS, identity, is_leaf, state_of, walk
from .tensor_file import read_tensors, write_tensors

VERSION = 1


def file_of(path) -> Path:
    """The file of a checkpoint: `save` gives its name without the suffix."""
    text = os.fspath(path)
    return Path(text if text.endswith(SUFFIX) else text + SUFFIX)


def stored_at(path) -> Stored:
    """What a checkpoint holds; of a folder, the latest one.

    Raises NotFoundError, DataLossError for a damaged file, UnimplementedError for a newer format.
    """
    if os.path.isdir(path):
        found = latest_checkpoint(path)
        if found is None:
            raise NotFoundError(f"there is no checkpoint in {os.fspath(path)!r}")
        path = found
    arrays, about = read_tensors(file_of(path))
    if "checkpoint" not in about:
        raise NotFoundError(f"{str(file_of(path))!r} holds tensors, but is no checkpoint")
    rows = json.loads(about["checkpoint"])
    if rows["version"] > VERSION:
        raise UnimplementedError(
            f"{str(file_of(path))!r} was written in version {rows['version']} of the format; this "
            f"version of allograph reads up to {VERSION}"
        )
    return Stored(os.fspath(path), rows["objects"], arrays)


@public("train.Checkpoint")
class Checkpoint(Module):
    """Saves and restores the variables below objects, found again by the names of attributes.

    >>> import allograph as ag
    >>> import tempfile
    >>> step = ag.Variable(1)
    >>> checkpoint = ag.train.Checkpoint(step=step)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/training")
    >>> _ = step.assign(100)
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> int(step)
    1

    `Checkpoint(root)` saves what is below `root`, under its own names. Raises ValueError for values
    that have no state to save.
    """

    def __init__(self, root=None, **objects):
        super().__init__()
        for name, thing in {"root": root, **objects}.items():
            if thing is not None and not _is_trackable(thing):
                raise ValueError(
                    f"Checkpoint: '{name}' is {thing!r}, which has no variables: pass a variable, "
                    "a module, or lists and dictionaries of them"
                )
        self._root = root
        for name, thing in objects.items():
            setattr(self, name, thing)
        self.save_counter = Variable(0, trainable=False, dtype="int64", name="save_counter")

    def _children(self, thing) -> dict[str, object]:
        """The parts that hold state; those of `root` count as the checkpoint's own."""
        if thing is not self:
            return state_of(thing)
        own = {
            name: item
            for name, item in vars(self).items()
            if name not in _OWN and _is_trackable(item)
        }
        return own if self._root is None else {**state_of(self._root), **own}

    # ---- saving --------------------------------------------------------------------------

    def save(self, file_prefix, options=None) -> str:
        """Write `<file_prefix>-<n>`, n counting up, and note it as the folder's latest.

        The path is returned, as `restore` takes it.
        """
        _refuse_in_graphs()
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        note_checkpoint(path)
        return path

    def write(self, file_prefix, options=None) -> str:
        """Write under exactly this name; whatever happens, the old or the new file is there."""
        _refuse_in_graphs()
        self._catch_up()
        things = list(walk(self, self._children))
        places = {identity(thing): place for place, (_, thing) in enumerate(things)}
        rows, arrays = [], {}
        for path, thing in things:
            children = self._children(thing).items()
            row: dict = {"children": {name: places[identity(item)] for name, item in children}}
            if isinstance(thing, Variable):
                arrays[path] = np.asarray(thing.handle.read())
                row = {"tensor": path}
            rows.append(row)
        about = {"checkpoint": json.dumps({"version": VERSION, "objects": rows})}
        write_tensors(file_of(file_prefix), arrays, about)
        return os.fspath(file_prefix)

    def _catch_up(self) -> None:
        """Restore what came to be, inside lists say, since the last `restore`."""
        found = vars(self).get("_restoration")
        if found is not None:
            found.match_all()

    # ---- restoring -----------------------------------------------------------------------

    def restore(self, save_path, options=None) -> Status:
        """Give the variables the values of a checkpoint, by the names that lead to them.

        Values for variables that do not exist yet are kept for them. `None` restores nothing. The
        result can be asked whether everything found its place. Raises NotFoundError where there is
        no such checkpoint, DataLossError where the file is damaged, ValueError where a shape or
        type does not fit; no variable is changed then.
        """
        _refuse_in_graphs()
        stored = Stored("", [{"children": {}}], {}) if save_path is None else stored_at(save_path)
        self._restoration = Restoration(stored, self, self._children)
        return Status(self._restoration)

    def read(self, save_path, options=None) -> Status:
        """The same as `restore`, the counterpart of `write`."""
        return self.restore(save_path, options)

    def sync(self) -> None:
        """Wait until files are written: they always are."""


_OWN = {"_name", "_root", "_restoration", "_watchers"}  # the rest are the user's objects
_PLAIN = (int, float, complex, str, bytes, np.ndarray, np.generic, EagerTensor, *FUNCTIONS)


def _is_trackable(thing) -> bool:
    """Whether an object may have variables below it, now or later."""
    if isinstance(thing, _PLAIN):
        return False
    return is_leaf(thing) or nest.is_nested(thing) or hasattr(thing, "__dict__")


def _refuse_in_graphs() -> None:
    if BUILDER.get() is not None:
        raise FailedPreconditionError(
            "checkpoints are not written or read while a function is traced",
            "Call this outside of decorated functions.",
        )


# ---- looking into checkpoints ----------------------------------------------------------------


@public("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file) -> CheckpointReader:
    """A reader of the tensors in a checkpoint, or in the latest one of a folder."""
    return CheckpointReader(stored_at(ckpt_dir_or_file))


@public("train.list_variables")
def list_variables(ckpt_dir_or_file) -> list[tuple[str, list[int]]]:
    """Names and shapes of what a checkpoint holds.

    >>> import tempfile
    >>> path = Checkpoint(w=Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/w")
    >>> list_variables(path)
    [('save_counter', []), ('w', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@public("train.load_variable")
def load_variable(ckpt_dir_or_file, name: str) -> np.ndarray:
    """The value of one variable in a checkpoint; NotFoundError where there is none of that name."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


_LONG = "/.ATTRIBUTES/VARIABLE_VALUE"


class CheckpointReader:
    """The tensors of a checkpoint by the path that leads to each variable.

    The reference's longer names, `<path>/.ATTRIBUTES/VARIABLE_VALUE`, are understood too.
    """

    def __init__(self, stored: Stored):
        self._stored = stored

    def has_tensor(self, name: str) -> bool:
        return name.removesuffix(_LONG) in self._stored.arrays

    def get_tensor(self, name: str) -> np.ndarray:
        """A copy of a value; NotFoundError, with the names there are, for an unknown one."""
        name = name.removesuffix(_LONG)
        if name not in self._stored.arrays:
            raise NotFoundError(
                f"the checkpoint '{self._stored.path}' has no tensor '{name}'",
                f"It has {', '.join(sorted(self._stored.arrays))}.",
            )
        array = self._stored.arrays[name]
        return array.copy() if array.ndim else array[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        return {name: list(array.shape) for name, array in self._stored.arrays.items()}

    def get_variable_to_dtype_map(self) -> dict:
        return {name: EagerTensor(array).dtype for name, array in self._stored.arrays.items()}
