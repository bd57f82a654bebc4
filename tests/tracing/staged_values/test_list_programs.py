"""Random programs over lists that are empty before loops: a graph means what Python means."""

import linecache

import pytest
from language_kit import LISTS
from list_programs import program

import allograph as ag

ROWS = ([1, 2, 3], [2], [], [0, 3, 3, 1])


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_a_program_over_lists_means_the_same(seed, pairs):
    source, file = program(seed, pairs), f"list_program_{seed}_{pairs}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict = {}
    exec(compile(source, file, "exec"), names)
    function = names["program"]
    graph = ag.function(
        function,
        input_signature=[ag.TensorSpec([None], ag.int32)],
        experimental_autograph_options=LISTS,
    )
    for row in ROWS:
        try:
            found = tuple(int(one) for one in graph(row))
        except ag.errors.SymbolicValueError as error:
            assert "a tensor chooses whether" in str(error)  # which list a name leads to
            return
        assert found == function(row), source
