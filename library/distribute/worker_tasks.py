"""What Dask workers run: traces that they keep, with variables that they keep.

A task names the traces and the values of variables that it needs by number. It carries those that
its worker does not have. A worker that lacks some all the same, since it took the place of another,
answers `MISSING`, and gets everything.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import Variable
from ...extend.state import Cell, Lock, handle_of
from ...extend.tracing import ConcreteFunction
from .replica_calls import Answer, Call, ReplicaFunction

MISSING = "missing"
MOST_JOBS = 8  # whose traces and variables a worker keeps


class Value(NamedTuple):
    """A value of a variable, and what a worker makes its copy of the variable from."""

    version: int
    array: np.ndarray
    trainable: bool
    name: str
    dtype: Any
    shape: Any


class Task(NamedTuple):
    """Calls of one trace for one worker."""

    job: str
    function: int
    code: bytes | None  # the trace, unless the worker has it
    versions: dict[int, int]  # of all variables that the trace uses
    values: dict[int, Value]  # of those that the worker does not have
    calls: list[Call]


class Job:
    """The variables and traces of one strategy, or of one pass over a dataset, in a worker."""

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}
        self.versions: dict[int, int] = {}
        self.functions: dict[int, ReplicaFunction] = {}

    def receive(self, task: Task) -> bool:
        """Take what a task carries; whether nothing is missing then."""
        for number, value in task.values.items():
            if number in self.variables:
                self.variables[number].handle.array = value.array
            else:
                _, array, trainable, name, dtype, shape = value
                self.variables[number] = Variable(array, trainable, name, dtype, shape)
            self.versions[number] = value.version
        if any(self.versions.get(key) != version for key, version in task.versions.items()):
            return False
        if task.code is not None and task.function not in self.functions:
            concrete = _Unpickler(io.BytesIO(task.code), self.variables).load()
            self.functions[task.function] = ReplicaFunction(concrete)
        return task.function in self.functions


_JOBS: OrderedDict[str, Job] = OrderedDict()
_LOCK = Lock()


def run_task(task: Task) -> list[Answer] | str:
    """The answers to the calls of a task, or `MISSING`."""
    with _LOCK:
        job = _JOBS.setdefault(task.job, Job())
        _JOBS.move_to_end(task.job)
        while len(_JOBS) > MOST_JOBS:
            _JOBS.popitem(last=False)
        if not job.receive(task):
            return MISSING
    return [job.functions[task.function](call) for call in task.calls]


# ---- traces as bytes, in which variables are numbers -----------------------------------------


def pickled(concrete: ConcreteFunction, number_of: Callable[[Variable], int]) -> bytes:
    """A trace as bytes, which has `number_of(variable)` for each variable."""
    import cloudpickle  # comes with dask, which is optional

    class Pickler(cloudpickle.Pickler):
        def persistent_id(self, thing):
            variable = thing.owner() if type(thing) is Cell else thing
            if not isinstance(variable, Variable):
                return None
            return number_of(variable), type(thing) is Cell

    file = io.BytesIO()
    Pickler(file).dump(concrete)
    return file.getvalue()


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, variables: dict[int, Variable]):
        super().__init__(file)
        self.variables = variables

    def persistent_load(self, key):
        number, is_cell = key
        variable = self.variables[number]
        return handle_of(variable) if is_cell else variable
