"""Running a function as a graph and comparing with what Python computes."""

import allograph as ag


def plain(result):
    """Tensors as Python values, whatever structure they stand in."""
    return ag.nest.map_structure(
        lambda leaf: leaf.numpy().tolist() if hasattr(leaf, "numpy") else leaf, result
    )


LISTS = ag.autograph.experimental.Feature.LISTS


def staged(function, *inputs):
    """The result of a decorated function on inputs that are made tensors."""
    decorated = ag.function(function, experimental_autograph_options=LISTS)
    return plain(decorated(*map(ag.constant, inputs)))


def assert_staged_alike(function, *rows):
    """On tensors the function computes what Python does, for each row of inputs."""
    decorated = ag.function(function, experimental_autograph_options=LISTS)
    for row in rows:
        expected = function(*row)
        assert plain(decorated(*map(ag.constant, row))) == expected, row
