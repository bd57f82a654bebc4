"""Derivatives of the calls of `derivative_cases`, by the tapes of allograph or TensorFlow, and the
table of the peers' values that `peer_derivatives.py` writes.
"""

from pathlib import Path

import numpy as np
from derivative_cases import POINTS

TABLE = Path(__file__).with_name("derivatives_at_edges.txt")
ORDERS = ("first", "second", "masked", "second masked")


def weights(size: int, elementwise: bool, masked: bool) -> np.ndarray:
    """The incoming gradient: 0 where masked; else 1, or numbers that differ where sums mix them."""
    if masked:
        return np.zeros(size)
    return np.ones(size) if elementwise else 1.0 + np.arange(size) % 5 * 0.5


def seeds_of(xs, elementwise: bool) -> list[np.ndarray]:
    """The incoming gradients of first derivatives, other ones for the second argument."""
    sizes = [int(np.prod(x.shape)) for x in xs]
    return [
        (1 + place) * weights(size, elementwise, False).reshape(x.shape)
        for place, (size, x) in enumerate(zip(sizes, xs, strict=True))
    ]


def arrays_of(case, dtype=None) -> list[np.ndarray]:
    """The arguments of a case."""
    points = POINTS[case.points]
    return [np.array(argument, dtype or points.dtype) for argument in points.arguments]


def derivatives(case, pulled, arrays=None) -> dict[str, np.ndarray]:
    """The derivatives of a case by their order, flat, those of all arguments.

    `pulled(arguments, weigh)` gives lists: the gradients of the call for weights of the size of its
    result, and those of these gradients, weighted too.
    """
    points = POINTS[case.points]
    arrays = arrays or arrays_of(case)
    found = {}
    for orders, masked in ((ORDERS[:2], False), (ORDERS[2:], True)):
        both = pulled(arrays, lambda size, masked=masked: weights(size, points.elementwise, masked))
        for order, parts in zip(orders, both, strict=True):
            if parts is None:
                continue  # the peer has no second derivative
            found[order] = np.concatenate([np.asarray(part).ravel() for part in parts])
    return found


def by_tapes(library, case, staged=lambda function: function, without_second=(), arrays=None):
    """The derivatives by nested tapes of a library with the names of TensorFlow: those of order 1
    alone where the library says `without_second` that it has no others.
    """
    elementwise = POINTS[case.points].elementwise
    call = compile(case.call, case.call, "eval")

    def pulled(arrays, weigh):
        def both(*xs):
            with library.GradientTape(persistent=True) as outer:
                outer.watch(xs)
                with library.GradientTape() as inner:
                    inner.watch(xs)
                    y = eval(call, {"ag": library, **dict(zip("xy", xs, strict=False))})
                seed = library.constant(weigh(int(np.prod(y.shape))).reshape(y.shape), y.dtype)
                first = inner.gradient(y, xs, seed, unconnected_gradients="zero")
            seeds = [
                library.constant(seed, x.dtype)
                for seed, x in zip(seeds_of(xs, elementwise), xs, strict=True)
            ]
            try:
                second = outer.gradient(first, xs, seeds, unconnected_gradients="zero")
            except without_second:
                return list(first), None
            return list(first), list(second)

        return staged(both)(*map(library.constant, arrays))

    return derivatives(case, pulled, arrays)


def differences(library, case, order: str, places, step: float = 1e-4) -> np.ndarray:
    """Central differences of the weighted values, or of their first derivatives, by the arguments
    at some places of all of them.
    """
    elementwise = POINTS[case.points].elementwise

    def weighted(arrays) -> np.ndarray:
        if order == "first":
            tensors = dict(zip("xy", map(library.constant, arrays), strict=False))
            values = eval(case.call, {"ag": library, **tensors}).numpy().ravel()
            return weights(values.size, elementwise, False) * values
        seeds = np.concatenate([seed.ravel() for seed in seeds_of(arrays, elementwise)])
        return seeds * by_tapes(library, case, arrays=arrays)["first"]

    found = []
    for place in places:
        ends = []
        for move in (-step, step):
            arrays = arrays_of(case, float)
            inside = place
            for array in arrays:
                if 0 <= inside < array.size:
                    array.ravel()[inside] += move
                inside -= array.size
            ends.append(weighted(arrays))
        moved = (ends[0] != ends[1]) & ~np.isnan(ends).all(0)  # infinities that stay do not count
        found.append(np.sum((ends[1] - ends[0])[moved]) / (2 * step))
    return np.array(found)


def read_table() -> dict[str, dict[str, dict[str, list[float]]]]:
    """The values of the peers: by case, order and peer."""
    table: dict = {}
    for line in TABLE.read_text().splitlines():
        if not line.startswith(" "):
            rows = table[line] = {order: {} for order in ORDERS}
            continue
        head, _, values = line.strip().partition(": ")
        order, _, peers = head.rpartition(" of ")
        numbers = [float(value) for part in values.split() for value in _repeated(*part.split("*"))]
        for peer in peers.split(","):
            rows[order][peer] = numbers
    return table


def _repeated(value: str, count: str = "1") -> list[str]:
    return [value] * int(count)


def written(values) -> str:
    """Numbers as the table has them: `0*3` is three zeros."""
    parts: list[list] = []
    for text in (format(value + 0.0, ".6g") for value in np.asarray(values, float)):
        if parts and parts[-1][0] == text:
            parts[-1][1] += 1
        else:
            parts.append([text, 1])
    return " ".join(text if count == 1 else f"{text}*{count}" for text, count in parts)
