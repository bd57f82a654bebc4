"""Checkpoints: saving the variables of objects to a file, and restoring them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

from ... import Variable
from ...extend import nest
from ...extend.errors import FailedPreconditionError, NotFoundError, UnimplementedError
from ...extend.graphs import BUILDER
from ...extend.registration import public
from ...extend.tensors import EagerTensor
from ..file_io.untrusted_files import parse_json, reading
from ..module import Module
from .checkpoint_restore import Restoration, Status, Stored
from .checkpoint_state import SUFFIX, latest_checkpoint, note_checkpoint
from .object_graph import FUNCTIONS, has_state, identity, is_leaf, state_of, walk
from .tensor_file import read_tensors, write_tensors

VERSION = 1


def file_of(path) -> Path:
    """The file of a checkpoint; `save` returns its name without the suffix."""
    name = os.fspath(path)
    return Path(name if name.endswith(SUFFIX) else name + SUFFIX)


def stored_at(path) -> Stored:
    """The content of a checkpoint, or of the latest checkpoint in a folder.

    Raises NotFoundError, DataLossError for a damaged file, UnimplementedError for a newer format.
    """
    if os.path.isdir(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise NotFoundError(f"there is no checkpoint in {os.fspath(path)!r}")
        path = latest
    file = file_of(path)
    arrays, metadata = read_tensors(file)
    if "checkpoint" not in metadata:
        raise NotFoundError(f"{str(file)!r} contains tensors, but is not a checkpoint")
    content = parse_json(metadata["checkpoint"], file)
    with reading(file):
        if content["version"] > VERSION:
            raise UnimplementedError(
                f"{str(file)!r} was written in version {content['version']} of the format; "
                f"this version of allograph reads up to {VERSION}"
            )
        _check_objects(content["objects"], arrays)
    return Stored(os.fspath(path), content["objects"], arrays)


def _check_objects(objects: list, arrays: dict) -> None:
    """Raise ValueError unless each object is a tensor, or has children among the objects."""
    if not objects:
        raise ValueError("it has no objects")
    for entry in objects:
        if "tensor" in entry and entry["tensor"] not in arrays:
            raise ValueError(f"there is no tensor {entry['tensor']!r}")
        for name, child in entry.get("children", {}).items():
            if type(child) is not int or not 0 <= child < len(objects):
                raise ValueError(f"{name!r} is object {child!r} of {len(objects)}")


@public("train.Checkpoint")
class Checkpoint(Module):
    """Saves and restores the variables of objects, which are identified by attribute names.

    The positions of iterators over datasets are saved and restored too.

    >>> import allograph as ag
    >>> import tempfile
    >>> step = ag.Variable(1)
    >>> checkpoint = ag.train.Checkpoint(step=step)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/training")
    >>> _ = step.assign(100)
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> int(step)
    1

    `Checkpoint(root)` saves the variables of `root` under the names of its attributes. Raises
    ValueError for values that cannot have variables.
    """

    def __init__(self, root=None, **objects):
        super().__init__()
        for name, obj in {"root": root, **objects}.items():
            if obj is not None and not _is_trackable(obj):
                raise ValueError(
                    f"Checkpoint: '{name}' is {obj!r}, which has no variables: pass a variable, "
                    "a module, or lists and dictionaries of them"
                )
        self._root = root
        for name, obj in objects.items():
            setattr(self, name, obj)
        self.save_counter = Variable(0, trainable=False, dtype="int64", name="save_counter")

    def _children(self, obj) -> dict[str, object]:
        """The children that have state; those of `root` are children of the checkpoint."""
        if obj is not self:
            return state_of(obj)
        own = {
            name: item
            for name, item in vars(self).items()
            if name not in _OWN and _is_trackable(item)
        }
        return own if self._root is None else {**state_of(self._root), **own}

    # ---- saving --------------------------------------------------------------------------

    def save(self, file_prefix, options=None) -> str:
        """Write `<file_prefix>-<n>`, the latest checkpoint of its folder, with an increasing n.

        Returns the path, for `restore`.
        """
        _refuse_in_graphs()
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}")
        note_checkpoint(path)
        return path

    def write(self, file_prefix, options=None) -> str:
        """Write a checkpoint of exactly this name; the file is replaced atomically."""
        _refuse_in_graphs()
        self._catch_up()
        all_objects = list(walk(self, self._children))
        indices = {identity(obj): index for index, (_, obj) in enumerate(all_objects)}
        entries, arrays = [], {}
        for path, obj in all_objects:
            children = self._children(obj).items()
            entry: dict = {"children": {name: indices[identity(item)] for name, item in children}}
            if isinstance(obj, Variable):
                arrays[path] = np.asarray(obj.handle.read())
                entry = {"tensor": path}
            elif has_state(obj):
                arrays[path] = obj.checkpointed()  # type: ignore[attr-defined]
                entry = {"tensor": path}
            entries.append(entry)
        metadata = {"checkpoint": json.dumps({"version": VERSION, "objects": entries})}
        write_tensors(file_of(file_prefix), arrays, metadata)
        return os.fspath(file_prefix)

    def _catch_up(self) -> None:
        """Restore objects that were created since the last `restore`, for example in lists."""
        restoration = vars(self).get("_restoration")
        if restoration is not None:
            restoration.match_all()

    # ---- restoring -----------------------------------------------------------------------

    def restore(self, save_path, options=None) -> Status:
        """Restore the variables from a checkpoint, matched by attribute names.

        Values of variables that do not exist yet are kept until they are created. A path of None
        restores nothing. The `Status` that is returned can assert that all values are matched.

        Raises NotFoundError if there is no such checkpoint, DataLossError if the file is damaged,
        and ValueError if a shape or dtype does not fit. After an error no variable is changed.
        """
        _refuse_in_graphs()
        stored = Stored("", [{"children": {}}], {}) if save_path is None else stored_at(save_path)
        self._restoration = Restoration(stored, self, self._children)
        return Status(self._restoration)

    def read(self, save_path, options=None) -> Status:
        """The same as `restore`: the counterpart of `write`."""
        return self.restore(save_path, options)

    def sync(self) -> None:
        """Do nothing: files are always written at once."""


_OWN = {"_name", "_root", "_restoration", "_observers"}  # the rest are the user's objects
_PLAIN = (int, float, complex, str, bytes, np.ndarray, np.generic, EagerTensor, *FUNCTIONS)


def _is_trackable(obj) -> bool:
    """Whether an object can have variables, now or later."""
    if isinstance(obj, _PLAIN):
        return False
    return is_leaf(obj) or nest.is_nested(obj) or hasattr(obj, "__dict__")


def _refuse_in_graphs() -> None:
    if BUILDER.get() is not None:
        raise FailedPreconditionError(
            "checkpoints are not written or read while a function is traced",
            "Call this outside of decorated functions.",
        )


# ---- inspecting checkpoints ------------------------------------------------------------------


@public("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file) -> CheckpointReader:
    """A reader of the tensors in a checkpoint, or in the latest one of a folder.

    >>> import tempfile
    >>> path = ag.train.Checkpoint(w=ag.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/w")
    >>> ag.train.load_checkpoint(path).get_tensor("w")
    array([1., 2.], dtype=float32)

    Raises NotFoundError if there is no checkpoint, DataLossError for a damaged file.
    """
    return CheckpointReader(stored_at(ckpt_dir_or_file))


@public("train.list_variables")
def list_variables(ckpt_dir_or_file) -> list[tuple[str, list[int]]]:
    """The names and shapes of the variables in a checkpoint, or in the latest one of a folder.

    >>> import tempfile
    >>> path = ag.train.Checkpoint(w=ag.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/w")
    >>> ag.train.list_variables(path)
    [('save_counter', []), ('w', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@public("train.load_variable")
def load_variable(ckpt_dir_or_file, name: str) -> np.ndarray:
    """The value of a variable in a checkpoint, or in the latest one of a folder.

    >>> import tempfile
    >>> path = ag.train.Checkpoint(w=ag.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/w")
    >>> ag.train.load_variable(path, "w")
    array([1., 2.], dtype=float32)

    Raises NotFoundError if there is no variable of that name.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


_LONG = "/.ATTRIBUTES/VARIABLE_VALUE"


class CheckpointReader:
    """The tensors of a checkpoint, by the attribute path of each variable.

    The longer names of the reference, `<path>/.ATTRIBUTES/VARIABLE_VALUE`, are accepted too.
    """

    def __init__(self, stored: Stored):
        self._stored = stored

    def has_tensor(self, name: str) -> bool:
        return name.removesuffix(_LONG) in self._stored.arrays

    def get_tensor(self, name: str) -> np.ndarray:
        """A copy of a value. Raises NotFoundError, with the names that exist, for another name."""
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
