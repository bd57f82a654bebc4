"""Random functions of NumPy arrays: decorated they do what they do undecorated."""

import pytest
from numpy_programs import Generator, arguments, difference, function_of, outcome

import allograph as ag

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(120))
def test_a_random_function_means_the_same(seed):
    source = Generator(seed).source()
    function = function_of(source, str(seed))
    compiled = ag.jit(function)
    for round_ in range(2):
        args = arguments(seed + 1000 * round_)
        assert difference(outcome(function, args), outcome(compiled, args)) is None, source
