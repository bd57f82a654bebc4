"""The reference: a graph run node by node through the kernels of its operations."""

import numpy as np

from allograph.runtime.ir.graph import Graph


def interpret(graph: Graph, arrays) -> list[np.ndarray]:
    """The outputs of a graph for NumPy inputs."""
    with np.errstate(all="ignore"):
        return _run(graph, list(arrays))


def _run(graph: Graph, arrays):
    values = dict(zip(graph.inputs, arrays, strict=True))
    for node in graph.nodes:
        given = [values[value] for value in node.inputs]
        values.update(zip(node.outputs, _results(node, given), strict=True))
    return [values[value] for value in graph.outputs]


def _results(node, given):
    if node.op.name == "if":
        return _run(node.attrs["then" if given[0] else "orelse"], given[1:])
    if node.op.name == "while":
        carried = node.attrs["carried"]
        while _run(node.attrs["test"], given)[0]:
            given[:carried] = _run(node.attrs["body"], given)
        return given[:carried]
    if node.op.name == "call":
        return _run(node.attrs["graph"], given)
    made = node.op.kernel(*given, **node.attrs)
    return made if isinstance(made, tuple) else (made,)


def assert_same(found, expected, rtol=0.0) -> None:
    """Equal values, types and shapes; NaN equals NaN, and zeros have their sign."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if rtol and one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-30)
        else:
            np.testing.assert_array_equal(one, other)
            if one.dtype.kind == "f":
                zero = (one == 0) & (other == 0)
                np.testing.assert_array_equal(np.signbit(one[zero]), np.signbit(other[zero]))
