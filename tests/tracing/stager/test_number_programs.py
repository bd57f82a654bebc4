"""Random programs over what stands for numbers of Python give in a graph what eager code gives."""

import linecache

import numpy as np
import pytest
from number_programs import program

import allograph as ag

ROWS = (([1, 2, 3], [0.5, 2.5]), ([0], [-1.5]), ([2, -1], [3.0, 0.0, 1.0]))
SPECS = [ag.TensorSpec([None], ag.int32), ag.TensorSpec([None], ag.float32)]


def assert_alike(expected, found, source):
    """The same values; strings may show a float with fewer digits."""
    for one, other in zip(map(plain, expected), map(plain, found), strict=True):
        if one != other:
            np.testing.assert_allclose(float(other), float(one), rtol=1e-4, err_msg=source)


def plain(value):
    value = value.numpy() if isinstance(value, ag.Tensor) else value
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, str) else np.asarray(value, float).sum().item()


@pytest.mark.parametrize("seed", range(60))
def test_a_program_over_numbers_gives_the_same(seed):
    source, file = program(seed), f"number_program_{seed}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict = {"ag": ag}
    exec(compile(source, file, "exec"), names)
    function = names["program"]
    graph = ag.function(function, input_signature=SPECS)
    for row in ROWS:
        given = list(map(ag.constant, row))
        try:
            found = graph(*given)
        except (ag.errors.SymbolicValueError, TypeError) as error:  # a tensor chooses the type
            assert "of type" in str(error) or "after the `if`" in str(error), source
            return
        assert_alike(function(*given), found, source)


def test_what_shows_the_type_of_a_number_that_a_tensor_chose_is_refused():
    @ag.function
    def chosen(x):
        number = 1 if x > 0 else 2.5
        return number * x, isinstance(number, (int, float)), str(float(number)), max(2, 2.5, x)

    product, is_number, shown, largest = chosen(ag.constant(2.0))
    assert (float(product), bool(is_number), float(largest)) == (2.0, True, 2.5)
    assert shown.numpy() == b"1.0"
    with pytest.raises(ag.errors.SymbolicValueError, match="of type float or int depends"):
        ag.function(lambda x: str(1 if x > 0 else 2.5))(ag.constant(2.0))
    with pytest.raises(ag.errors.SymbolicValueError, match="of type bool or int depends"):
        ag.function(lambda x: isinstance(max(int(x), True), bool))(ag.constant(2.0))
