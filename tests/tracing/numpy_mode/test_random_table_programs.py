"""Random programs over dictionaries, sets and lists of lists: `jit` means what Python means."""

import linecache

import numpy as np
import pytest
import wild_laws
from list_programs import program
from table_programs import table_program
from test_jit import assert_same, outcome

import allograph as ag

pytestmark = pytest.mark.slow
ROWS = ([1, 2, 3], [2], [], [0, 3, 3, 1])


@pytest.mark.parametrize("seed", range(16))
def test_a_program_over_tables_means_the_same(seed):
    wild_laws.assert_wild_jit_is_python(seed, make=table_program)


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_program_over_lists_means_the_same(seed, pairs):
    source, file = program(seed, pairs), f"jit_list_program_{seed}_{pairs}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names: dict = {}
    exec(compile(source, file, "exec"), names)
    compiled = ag.jit(names["program"], kernel_compiler="python")
    for row in ROWS:
        args = (np.array(row, np.int64),)
        assert_same(outcome(compiled, args), outcome(names["program"], args))
