"""Tuples and lists with staged items compare as Python's, in both modes."""

import itertools

import numpy as np
import pytest
from language_kit import plain
from numpy_programs import function_of

import allograph as ag

ORDERED = [
    "(x, y) {} (y, x)", "(x, 2) {} (x, 2, y)", "(x, (y, 1)) {} (x, (x, 1))", "(1, [x]) {} (1, [y])",
    "(1, x) {} (2, y)", "('a', x) {} ('b', y)", "('a', x) {} ('a', y)",
]  # fmt: skip
CASES = [
    *(case.format(sign) for case in ORDERED for sign in ("<", "<=", ">", ">=", "==", "!=")),
    *(f"(x, (1,)) {sign} (y, [1])" for sign in ("==", "!=")),
]


@pytest.mark.parametrize("comparison", CASES)
def test_sequences_compare_by_the_first_items_that_differ(comparison):
    program = function_of(f"def program(x, y):\n    return {comparison}\n", "of sequences")
    staged, native = ag.function(program), ag.jit(program)
    for x, y in itertools.product((1, 2), repeat=2):
        assert plain(staged(ag.constant(x), ag.constant(y))) == program(x, y)
        assert native(x, y) == program(x, y)
        assert native(np.int64(x), np.int64(y)) == program(x, y)
