"""Random graphs over float32 and int32 tensors, with branches and loops inside."""

import random
from contextvars import ContextVar

import numpy as np

import allograph as ag
from allograph.runtime.core.dtypes import float32, int32
from allograph.runtime.ir.graph import Graph
from allograph.tracing.functions.func_graph import FuncGraph

SHAPES = ((), (3,), (2, 3), (0, 3), (2, 1))
UNARY = {
    float32: ["negative", "abs", "tanh", "exp", "square", "sign", "floor", "sqrt", "identity"],
    int32: ["negative", "abs", "square", "sign", "identity"],
}
BINARY = ["add", "subtract", "multiply", "maximum", "minimum"]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 3e38, 1e-40]


RANDOM: ContextVar[random.Random] = ContextVar("random numbers of a graph")


class Choices:
    """Random choices out of sight of the branches that draw them while they are traced. A branch
    that changed a generator which it can reach would be refused.
    """

    def __getattr__(self, name: str):
        return getattr(RANDOM.get(), name)


class Maker:
    """Grows one graph; every choice comes from one seed."""

    def __init__(self, seed: int):
        RANDOM.set(random.Random(seed))
        self.choose = Choices()

    def graph(self, nodes: int = 12) -> Graph:
        builder = FuncGraph("random")
        with builder:
            pool = [
                builder.input(dtype, self.choose.choice(SHAPES), f"x{index}")
                for index, dtype in enumerate([float32, float32, int32])
            ]
            self.grow(pool, nodes)
            outputs = self.choose.sample(pool, min(len(pool), 3))
        return builder.finish(outputs)

    def grow(self, pool: list, nodes: int, depth: int = 2) -> None:
        for _ in range(nodes):
            kinds = [
                self.unary,
                self.unary,
                self.binary,
                self.binary,
                self.reduction,
                self.constant,
                self.moved,
                self.assigned,
            ]
            if depth:
                kinds += [self.branch, self.loop]
            made = self.choose.choice(kinds)(pool, depth)
            if made is not None:
                pool.append(made)

    def unary(self, pool, depth):
        x = self.choose.choice(pool)
        return getattr(ag.math, self.choose.choice(UNARY[x.dtype]), ag.identity)(x)

    def binary(self, pool, depth):
        x = self.choose.choice(pool)
        fitting = [y for y in pool if y.dtype is x.dtype and (y.dims == x.dims or y.dims == ())]
        return getattr(ag.math, self.choose.choice(BINARY))(x, self.choose.choice(fitting))

    def reduction(self, pool, depth):
        x = self.choose.choice(pool)
        axis = self.choose.choice([None, *range(len(x.dims))])
        return self.choose.choice([ag.reduce_max, ag.reduce_min])(
            x, axis=axis, keepdims=self.choose.random() < 0.5
        )

    def constant(self, pool, depth):
        if self.choose.random() < 0.5:
            return ag.constant(self.choose.choice([0, 1, -3]))
        return ag.constant(self.choose.choice(SPECIAL))

    def moved(self, pool, depth):
        x = self.choose.choice(pool)
        if len(x.dims) == 2:
            return self.choose.choice(
                [
                    lambda: ag.transpose(x),
                    lambda: x[:, ::-1],
                    lambda: x[1:],
                    lambda: ag.reshape(x, x.dims[::-1]),
                ]
            )()
        return ag.expand_dims(x, 0) if len(x.dims) == 1 else None

    def assigned(self, pool, depth):
        """One row replaced, chosen by a number of the pool: the rest has to stay as it was."""
        x = self.choose.choice(pool)
        numbers = [y for y in pool if y.dtype is int32 and y.dims == ()]
        values = [y for y in pool if y.dtype is x.dtype and y.dims in ((), x.dims[1:])]
        if not x.dims or x.dims[0] in (0, None) or not numbers or not values:
            return None
        place = ag.math.floormod(self.choose.choice(numbers), x.dims[0])
        return ag.tensor_set_item(x, place, self.choose.choice(values))

    def test(self, pool):
        x = self.choose.choice(pool)
        return ag.reduce_max(x) > (1 if x.dtype is int32 else 0.5)

    def branch(self, pool, depth):
        """A choice between two values of one type, each computed in its branch."""
        x = self.choose.choice(pool)

        def side():
            inner = list(pool)
            self.grow(inner, 3, depth - 1)
            fitting = [y for y in inner if y.dtype is x.dtype and y.dims == x.dims]
            return self.choose.choice(fitting)

        return ag.cond(self.test(pool), side, side)

    def loop(self, pool, depth):
        """A few iterations that change one value; others are read."""
        x = self.choose.choice(pool)
        limit = self.choose.randint(0, 3)

        def body(index, state):
            inner = [*pool, state]
            self.grow(inner, 3, depth - 1)
            fitting = [y for y in inner if y.dtype is x.dtype and y.dims == x.dims]
            return index + 1, self.choose.choice(fitting[::-1])

        return ag.while_loop(lambda index, state: index < limit, body, (0, x))[1]


def random_graph(seed: int) -> Graph:
    """The graph that belongs to a seed."""
    return Maker(seed).graph()


def random_inputs(graph: Graph, seed: int) -> list[np.ndarray]:
    """Arrays for the inputs of a graph: special values among them, some not contiguous."""
    generator = np.random.default_rng(seed)
    arrays = []
    for value in graph.inputs:
        size = (*value.shape[:-1], value.shape[-1] * 2) if value.shape else ()
        if value.dtype is int32:
            array = generator.integers(-5, 6, size, np.int32)
        else:
            array = generator.standard_normal(size).astype(np.float32)
            array = np.where(
                generator.random(size) < 0.3,
                generator.choice(np.array(SPECIAL, np.float32), size),
                array,
            )
        arrays.append(np.asarray(array)[..., ::2] if value.shape else np.asarray(array)[()])
    return arrays
