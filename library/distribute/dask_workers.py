"""Calls of traces on the workers of a Dask cluster.

Traces and values of variables travel once to each worker, then only the values that have changed.
A worker that ends is replaced by another, which gets everything.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import uuid
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ... import Variable
from ...extend.tracing import ConcreteFunction
from ..file_io.service_errors import UnavailableError
from .replica_calls import Answer, Call
from .worker_tasks import MISSING, Task, Value, pickled, run_task


class Pending(NamedTuple):
    """Calls under way."""

    future: Any
    concrete: ConcreteFunction
    calls: list[Call]


class Code(NamedTuple):
    """A trace as it travels: its number, its bytes, and the numbers of its variables."""

    concrete: ConcreteFunction  # keeps it alive, since its address is a key
    number: int
    content: bytes
    variables: list[int]


class DaskWorkers:
    """The workers of a `dask.distributed.Client`, and what they have.

    With `follows=False` variables keep the values that they have at their first use.
    """

    def __init__(self, client, follows: bool = True):
        self.client = client
        self.follows = follows
        self.job = uuid.uuid4().hex
        self.count = 1  # of workers, when they were counted
        self.variables: list[Variable] = []
        self.numbers: dict = {}  # of the variables, by reference
        self.values: dict[int, Value] = {}
        self.codes: dict[int, Code] = {}
        self.known: dict[str, tuple[set[int], dict[int, int]]] = {}  # traces, and versions

    def addresses(self) -> list[str]:
        """The workers that there are now."""
        with _connected():
            results = sorted(self.client.nthreads())
        self.count = max(1, len(results))
        return results

    def submit(self, address: str | None, concrete: ConcreteFunction, calls: list[Call]) -> Pending:
        """Start calls on this worker; for None on any, with all that it may need."""
        code = self._code(concrete)
        versions = {number: self._version(number) for number in code.variables}
        functions, had = self.known.setdefault(address, (set(), {})) if address else (set(), {})
        needed = {key: self.values[key] for key in versions if had.get(key) != versions[key]}
        content = None if code.number in functions else code.content
        functions.add(code.number)
        had.update(versions)
        task = Task(self.job, code.number, content, versions, needed, calls)
        options = {"workers": [address], "allow_other_workers": True} if address else {}
        with _connected(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of large values, which have to travel
            future = self.client.submit(run_task, task, pure=False, **options)
        return Pending(future, concrete, calls)

    def answers(self, pending: Pending) -> list[Answer]:
        """Wait for calls. Errors of functions are raised here."""
        while True:
            try:
                answers = pending.future.result()
            except concurrent.futures.CancelledError as error:
                raise _unavailable(error) from error
            if not isinstance(answers, str):
                return answers
            assert answers == MISSING
            pending = self.submit(None, pending.concrete, pending.calls)

    def _code(self, concrete: ConcreteFunction) -> Code:
        code = self.codes.get(id(concrete))
        if code is None:
            used: dict[int, None] = {}

            def number_of(variable: Variable) -> int:
                number = self.numbers.setdefault(variable.ref(), len(self.variables))
                if number == len(self.variables):
                    self.variables.append(variable)
                used[number] = None
                return number

            content = pickled(concrete, number_of)
            code = Code(concrete, len(self.codes), content, list(used))
            self.codes[id(concrete)] = code
        return code

    def _version(self, number: int) -> int:
        """The version of a variable's value; a new one if the value has changed."""
        last = self.values.get(number)
        if last is not None and not self.follows:
            return last.version
        variable = self.variables[number]
        array = variable.handle.read()
        if last is None or not _same_bits(last.array, array):
            name = variable.name.rpartition(":")[0]
            version = 0 if last is None else last.version + 1
            facts = variable.trainable, name, variable.dtype, variable.shape
            last = self.values[number] = Value(version, np.array(array), *facts)
        return last.version


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    """UnavailableError where the scheduler is not reached."""
    try:
        yield
    except (concurrent.futures.CancelledError, OSError) as error:
        raise _unavailable(error) from error


def _unavailable(error: BaseException) -> UnavailableError:
    return UnavailableError(
        f"the connection to the scheduler of Dask has ended: {error}",
        "Start a scheduler, and run the program again. Training continues from its last "
        "checkpoint: strategy.fit(model, dataset, folder='checkpoints')",
    )


def _same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether arrays are equal bit by bit, as NaN and NaN are, but not -0.0 and 0.0."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype == object:
        return one.tolist() == other.tolist()
    first, second = (np.ascontiguousarray(array).reshape(-1) for array in (one, other))
    return bool(np.array_equal(first.view(np.uint8), second.view(np.uint8)))
