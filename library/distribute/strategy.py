"""`distribute.Strategy`: training on several workers that compute parts of each batch."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ... import Variable, convert_to_tensor, int64
from ... import function as decorate
from ...extend import nest
from ...extend.errors import FailedPreconditionError, InvalidArgumentError
from ...extend.graphs import BUILDER
from ...extend.registration import public
from ...extend.specs import show
from ...extend.state import RANDOM_STATE
from ...extend.tensors import EagerTensor
from ...extend.tracing import ConcreteFunction
from ..module import Module
from .dask_workers import DaskWorkers
from .data_parallel_fit import Training
from .replica_calls import Answer, Call, ReplicaFunction, mixed_seed


@public("distribute.PerReplica")
class PerReplica:
    """One value for each replica: what `run` takes and returns in the places of tensors.

    >>> import allograph as ag
    >>> strategy = ag.distribute.Strategy(2)
    >>> parts = strategy.split(ag.constant([1.0, 2.0, 3.0]))
    >>> [part.numpy().tolist() for part in parts.values]
    [[1.0, 2.0], [3.0]]
    """

    def __init__(self, values: Iterable):
        self.values = tuple(values)

    def __repr__(self):
        return f"PerReplica{self.values!r}"


@public("distribute.Strategy")
class Strategy(Module):
    """Runs a function on the parts of a batch, and adds up the results in a fixed order.

    num_replicas   the number of parts of a batch
    client         a `dask.distributed.Client`, whose workers compute the parts; without one they
                   are computed here, one after the other
    seed           determines the random numbers of replicas; by default that of
                   `ag.random.set_seed`, or a random one

    The results depend on the number of replicas, not on that of workers. Workers may come and go.
    They keep the variables; only values that have changed travel again.

    >>> import allograph as ag
    >>> w = ag.Variable([0.0, 0.0])
    >>> @ag.function
    ... def gradient(x, y):
    ...     with ag.GradientTape() as tape:
    ...         loss = ag.reduce_sum((ag.linalg.matvec(x, w) - y) ** 2)
    ...     return loss, tape.gradient(loss, w)
    >>> strategy = ag.distribute.Strategy(2)
    >>> batch = ag.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), ag.constant([1.0, 2.0, 3.0])
    >>> loss, slope = strategy.reduce("sum", strategy.run(gradient, strategy.split(batch)))
    >>> _ = w.assign_sub(0.1 * slope)
    >>> float(loss), w.numpy().tolist()
    (14.0, [0.800000011920929, 1.0])
    """

    def __init__(self, num_replicas: int, client=None, seed: int | None = None):
        super().__init__()
        count = operator.index(num_replicas)
        if count < 1:
            raise InvalidArgumentError(f"num_replicas is at least 1, not {count}")
        self._count = count
        self._workers = None if client is None else DaskWorkers(client)
        self._decorated: dict[int, tuple] = {}
        self._functions: dict[int, ReplicaFunction] = {}
        if seed is None:
            seed = (
                RANDOM_STATE.seed
                if RANDOM_STATE.seed is not None
                else int.from_bytes(os.urandom(7), "little")
            )
        self.seed = Variable(seed, False, "seed", int64)
        self.step = Variable(0, False, "step", int64)

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of parts of a batch."""
        return self._count

    def split(self, batch):
        """The parts of the tensors of a structure, along the first axis, as `PerReplica`.

        The first parts may have one row more. A batch with fewer rows than replicas has as many
        parts as rows. Raises InvalidArgumentError if there is no row, or the numbers differ.
        """
        tensors = [convert_to_tensor(leaf) for leaf in nest.flatten(batch) if leaf is not None]
        rows = {tensor.dims[0] if tensor.dims else 0 for tensor in tensors}
        if len(rows) != 1 or 0 in rows:
            raise InvalidArgumentError(
                "a batch to be split has the shapes "
                + ", ".join(show(tensor.dims) for tensor in tensors)
                if tensors
                else "a batch to be split has no tensors",
                "Each tensor needs the same number of rows, and at least one.",
            )
        parts = min(self._count, rows.pop())

        def split(leaf):
            if leaf is None:
                return None
            array = convert_to_tensor(leaf).array
            return PerReplica(map(EagerTensor, np.array_split(array, parts)))

        return nest.map_structure(split, batch)

    def experimental_distribute_dataset(self, dataset) -> DistributedDataset:
        """The batches of a dataset, each split for the replicas.

        >>> import allograph as ag
        >>> strategy = ag.distribute.Strategy(2)
        >>> batches = ag.data.Dataset.range(6).batch(4)
        >>> for batch in strategy.experimental_distribute_dataset(batches):
        ...     print([part.numpy().tolist() for part in batch.values])
        [[0, 1], [2, 3]]
        [[4], [5]]
        """
        return DistributedDataset(self, dataset)

    def run(self, fn: Callable, args=(), kwargs: dict | None = None):
        """Call a function once for each replica; returns its results with `PerReplica` tensors.

        A `PerReplica` among the arguments is for each replica its own value; other arguments are
        the same for all. The function is decorated, or becomes so.

        Variables that it assigns, as batch normalization does, get the mean of the values of all
        replicas, or that of the first one where they are integers. Trainable variables are not
        assigned: return the gradients, `reduce` them, and apply the sum.

        Random numbers differ between replicas and steps, and are the same for every number of
        workers.
        """
        if BUILDER.get() is not None:
            raise FailedPreconditionError(
                "a strategy is not run while a function is traced",
                "Call strategy.run outside of decorated functions.",
            )
        structure = (tuple(args), dict(kwargs or {}))
        count = self._parts(structure)
        step, seed = int(self.step), int(self.seed)
        calls = []
        for replica in range(count):
            own_args, own_kwargs = nest.map_structure(
                lambda leaf, r=replica: leaf.values[r] if isinstance(leaf, PerReplica) else leaf,
                structure,
            )
            concrete = self._decorate(fn).get_concrete_function(*own_args, **own_kwargs)
            leaves = concrete.flat_arguments(own_args, own_kwargs)
            tensors: list[Any] = list(map(convert_to_tensor, leaves))
            arrays = [tensor.array for tensor in tensors]
            calls.append((self._function(concrete), Call(arrays, mixed_seed(seed, step, replica))))
        answers = self._answers(calls)
        self.step.assign_add(1)
        self._assign(calls, answers)
        results = [
            function.concrete.arrange(list(map(EagerTensor, answer.results)))
            for (function, _), answer in zip(calls, answers, strict=True)
        ]
        return nest.map_structure(lambda *leaves: PerReplica(leaves), *results)

    def _parts(self, structure) -> int:
        counts = {
            len(leaf.values) for leaf in nest.flatten(structure) if isinstance(leaf, PerReplica)
        }
        if len(counts) > 1:
            raise InvalidArgumentError(f"the arguments are for {sorted(counts)} replicas")
        return counts.pop() if counts else self._count

    def _decorate(self, fn: Callable) -> Any:
        if hasattr(fn, "get_concrete_function"):
            return fn
        _, decorated = self._decorated.setdefault(id(fn), (fn, decorate(fn)))
        return decorated

    def _function(self, concrete: ConcreteFunction) -> ReplicaFunction:
        function = self._functions.get(id(concrete))
        if function is None:
            function = ReplicaFunction(concrete)
            _refuse_trained(function)
            self._functions[id(concrete)] = function
        return function

    def _answers(self, calls: list[tuple[ReplicaFunction, Call]]) -> list[Answer]:
        if self._workers is None:
            return [function(call) for function, call in calls]
        addresses: list[str | None] = [*self._workers.addresses()] or [None]
        groups: dict[tuple, list[int]] = {}
        for index, (function, _) in enumerate(calls):
            address = addresses[index * len(addresses) // len(calls)]
            groups.setdefault((address, id(function)), []).append(index)
        pending = [
            self._workers.submit(address, calls[own[0]][0].concrete, [calls[i][1] for i in own])
            for (address, _), own in groups.items()
        ]
        answers: dict[int, Answer] = {}
        for own, one in zip(groups.values(), pending, strict=True):
            answers.update(zip(own, self._workers.answers(one), strict=True))
        return [answers[index] for index in range(len(calls))]

    def _assign(self, calls, answers: list[Answer]) -> None:
        """Give the variables that the function assigns the mean of what the replicas assigned."""
        values: dict = {}
        for (function, _), answer in zip(calls, answers, strict=True):
            for cell, array in zip(function.cells, answer.assigned, strict=True):
                values.setdefault(cell, []).append(array)
        for cell, arrays in values.items():
            has_mean = cell.dtype.is_floating or cell.dtype.is_complex
            mean = _sum(arrays) / len(arrays) if has_mean else arrays[0]
            cell.array = np.asarray(mean, arrays[0].dtype)

    def reduce(self, reduce_op: str, value, axis: int | None = None) -> Any:
        """The sum or mean over the replicas, in their order, for each `PerReplica` in a structure.

        reduce_op   "sum" or "mean"
        axis        also reduce along this axis of each value; a mean then counts all elements

        >>> import allograph as ag
        >>> strategy = ag.distribute.Strategy(2)
        >>> parts = strategy.split(ag.constant([1.0, 2.0, 6.0]))
        >>> float(strategy.reduce("sum", parts, axis=0)), float(strategy.reduce("mean", parts, 0))
        (9.0, 3.0)
        """
        name = str(getattr(reduce_op, "name", reduce_op)).lower()
        if name not in ("sum", "mean"):
            raise InvalidArgumentError(
                f"reduce_op is {reduce_op!r}", 'It is one of "sum" and "mean".'
            )
        return nest.map_structure(lambda leaf: _reduced(name, leaf, axis), value)

    def experimental_local_results(self, value: PerReplica) -> tuple:
        """The values of all replicas."""
        return value.values if isinstance(value, PerReplica) else (value,)

    def fit(
        self, model, dataset, epochs: int = 1, folder=None, every: int = 100, verbose=0,
    ) -> dict[str, list[float]]:  # fmt: skip
        """Train a compiled Keras model on the replicas; returns the metrics of each epoch.

        dataset   batches (x, y) or (x, y, sample_weight)
        folder    gets a checkpoint after every `every` steps and after each epoch. A new call
                  continues from the last one: with the same weights, optimizer, random numbers
                  and position in the dataset as if nothing had happened. Metrics then are those
                  of the steps since.

        The gradients of the parts are weighted by their rows, so the step is that of the whole
        batch, up to rounding. Raises RuntimeError if the model is not compiled.

        >>> import allograph as ag
        >>> x = ag.reshape(ag.range(8.0), [8, 1])
        >>> model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
        >>> model.compile(ag.keras.optimizers.SGD(0.01), "mse")
        >>> batches = ag.data.Dataset.from_tensor_slices((x, 2.0 * x)).batch(4)
        >>> history = ag.distribute.Strategy(2).fit(model, batches, epochs=3)
        >>> history["loss"][0] > history["loss"][2]
        True
        """
        return Training(self, model, folder, every).run(dataset, epochs, verbose)


class DistributedDataset:
    """The batches of a dataset, split for the replicas; each iteration begins anew."""

    def __init__(self, strategy: Strategy, dataset):
        self.strategy, self.dataset = strategy, dataset

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self.strategy, iter(self.dataset))


class DistributedIterator:
    """A pass over the batches; `iterator` is that of the dataset, which checkpoints save."""

    def __init__(self, strategy: Strategy, iterator: Iterator):
        self.strategy, self.iterator = strategy, iterator

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self):
        return self.strategy.split(next(self.iterator))


def _refuse_trained(function: ReplicaFunction) -> None:
    for node in function.assignments:
        cell = node.attrs["cell"]
        if cell.trainable:
            raise InvalidArgumentError(
                f"replicas assign to the trainable variable '{cell.name}': each would train a "
                "model of its own",
                "Return the gradients, and apply their sum: optimizer.apply_gradients(zip("
                'strategy.reduce("sum", gradients), model.trainable_variables))',
                node.where,
            )


def _sum(arrays: Iterable):
    return functools.reduce(operator.add, arrays)


def _reduced(name: str, leaf, axis):
    if not isinstance(leaf, PerReplica):
        return leaf
    if any(value is None for value in leaf.values):
        return None
    tensors = [convert_to_tensor(value) for value in leaf.values]
    values = [np.asarray(tensor) for tensor in tensors]
    count = len(values)
    if axis is not None:
        count = sum(value.shape[axis] for value in values)
        values = [value.sum(axis, dtype=value.dtype) for value in values]
    total = _sum(values)
    if name == "mean":
        total = total // count if tensors[0].dtype.is_integer else total / total.dtype.type(count)
    return EagerTensor(np.asarray(total, values[0].dtype))
