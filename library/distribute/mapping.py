"""`distribute.map`: a function on the elements of a dataset, or on the blocks of an array."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable

import numpy as np

from ...extend.errors import InvalidArgumentError
from ...extend.registration import public
from ..data.datasets.dataset import Dataset
from ..data.elements.element_structure import arguments_of, require_tensors
from ..data.elements.nodes import Node, positive_int
from ..data.transformations.shuffle_and_cache import Seeds
from ..data.transformations.user_function_graphs import Traced
from .blocks import import_dask, map_blocks
from .dask_workers import DaskWorkers
from .replica_calls import Call, ReplicaFunction, mixed_seed

AHEAD = 2  # tasks of each worker that are under way


@public("distribute.map")
def map_(function: Callable, source, client=None, chunk_size: int = 16):
    """The results of a function for the elements of a dataset, or for the blocks of an array.

    client       a `dask.distributed.Client`, whose workers compute the results. They come in the
                 order of the elements, a few chunks ahead. Variables that the function reads have
                 the values of the beginning of a pass. Without a client this is `Dataset.map`.
    chunk_size   the number of elements of a task

    For a Dask array, or a NumPy array, which is cut into blocks, this is `map_blocks`. With a
    client its workers start at once, and keep the blocks of the result.

    >>> import allograph as ag
    >>> squares = ag.distribute.map(lambda x: x * x, ag.data.Dataset.range(4))
    >>> [int(x) for x in squares]
    [0, 1, 4, 9]

    Raises InvalidArgumentError for a function that assigns to variables, if there is a client.
    """
    if not isinstance(source, Dataset):
        if isinstance(source, np.ndarray):
            source = import_dask().from_array(source)
        if not hasattr(source, "chunks"):
            raise TypeError(f"distribute.map takes a dataset or an array, not {source!r}")
        mapped = map_blocks(function, source)
        return mapped if client is None else client.persist(mapped)
    if client is None:
        return source.map(function)
    require_tensors(source.element_spec, "distribute.map")
    traced = Traced(function, arguments_of(source.element_spec))
    _refuse_assignments(traced)
    return Dataset._create(
        MapOnWorkers, [source], traced.output,
        function=traced, client=client, chunk_size=positive_int(chunk_size, "chunk_size"),
    )  # fmt: skip


def _refuse_assignments(traced: Traced) -> None:
    for node in ReplicaFunction(traced.concrete).assignments:
        name = node.attrs["cell"].name
        raise InvalidArgumentError(
            f"the function assigns to the variable '{name}', of which each worker has a copy",
            "Return the value instead, and assign it where the results arrive.",
            node.where,
        )


class MapOnWorkers(Node):
    """The results of a function, computed by Dask workers, in the order of the elements."""

    def __init__(self, source: Node, *, function: Traced, client, chunk_size: int):
        self.source, self.function, self.client = source, function, client
        self.chunk_size = chunk_size
        self.draws = ReplicaFunction(function.concrete).draws
        self.seeds = Seeds(None, True) if self.draws else None

    def elements(self):
        seed = int(self.seeds.generator().integers(2**62)) if self.draws else 0
        workers = DaskWorkers(self.client, follows=False)
        addresses = itertools.cycle(workers.addresses() or [None])
        calls = (
            Call(flat, mixed_seed(seed, index) if self.draws else 0)
            for index, flat in enumerate(self.source.elements())
        )
        pending: collections.deque = collections.deque()
        while True:
            chunk = list(itertools.islice(calls, self.chunk_size))
            if chunk:
                concrete = self.function.concrete
                pending.append(workers.submit(next(addresses), concrete, chunk))
            if pending and (not chunk or len(pending) > AHEAD * workers.count):
                for answer in workers.answers(pending.popleft()):
                    yield tuple(answer.results)
            if not chunk and not pending:
                return

    def cardinality(self):
        return self.source.cardinality()
