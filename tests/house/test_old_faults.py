"""The generators of random programs find faults that there have been, when these are put back."""

from functools import partial

import pytest
import wild_laws
from item_programs import item_program
from large_paths import large_paths
from outer_programs import assert_jit_is_numpy_of_outer_arrays
from staged_question_programs import assert_graph_answers_as_python
from sweep_programs import assert_jit_is_numpy_of_sweeps

from allograph.autograph.operators import calls, checked_values
from allograph.runtime.lowering.batch_parallel import batch_axes
from allograph.runtime.tensors import python_numbers
from allograph.tracing.functions import guard_discovery
from allograph.tracing.staged_values import iterables, list_operators, staged_list
from allograph.tracing.stager import graph_stager, loops_and_comprehensions, ordering

pytestmark = pytest.mark.slow


def nothing(*args) -> None:
    """In place of a note that a mended function takes."""


def items_are_taken_again(patch):
    """A second loop over `zip(range(n), rows)` got all items once more."""
    patch.setattr(iterables.StagedIterable, "taken", lambda self: self)


def strings_are_tensors(patch):
    """`isinstance(y, str)` was false of a string that a tensor chose."""
    is_number = python_numbers.is_python_number
    patch.setattr(python_numbers, "is_python_value", is_number)
    for module in (ordering, loops_and_comprehensions):
        patch.setattr(module, "is_python_value", is_number)


def none_is_true(patch):
    """`operator.not_(y)` was false of a name that a tensor had made None."""
    patch.setattr(calls, "TRUTHS", {bool})
    patch.setattr(graph_stager, "unless_none", lambda value: value)
    patch.setattr(
        checked_values.MaybeNone, "__bool__", lambda self: bool(checked_values.ld(self.variable))
    )


def copies_do_not_share(patch):
    """`rows[:][0][0] = 1` left `rows` as it was, where a tensor counts the rows."""
    for module in (staged_list, list_operators, loops_and_comprehensions, ordering):
        patch.setattr(module, "note_copied", nothing)


def starts_do_not_share(patch):
    """A list that holds another one twice held two copies of it once it grew."""
    for module in (staged_list, loops_and_comprehensions):
        patch.setattr(module, "note_shared", nothing)


def rows_are_those_of_all(patch):
    """Loops over `x[::-1, t]` that threads share got the rows of the first chunk for all chunks."""
    patch.setattr(batch_axes, "makes_rows", lambda node: True)


def attributes_are_constants(patch):
    """What a function of `jit` read as its own attribute was that of its first call."""
    patch.setattr(guard_discovery, "Called", type("Nothing", (), {}))


def of_shared_sweeps(seed: int) -> None:
    seed += 30
    with large_paths("1", 2, seed):
        assert_jit_is_numpy_of_sweeps(seed)


OF_OUTER_ARRAYS = partial(assert_jit_is_numpy_of_outer_arrays, kernel_compiler="python")
OF_ITEMS = partial(
    wild_laws.assert_wild_graph_is_python_or_refused, native=False, make=item_program
)
# The program that showed the fault when its line was last changed is tried first, then others: a
# generator that has changed finds it elsewhere. Write down where if that takes long.
FAULTS = {
    items_are_taken_again: (assert_graph_answers_as_python, 42, 200),
    strings_are_tensors: (assert_graph_answers_as_python, 17, 200),
    none_is_true: (assert_graph_answers_as_python, 1978, 2500),
    copies_do_not_share: (OF_ITEMS, 8, 200),
    starts_do_not_share: (OF_ITEMS, 216, 1000),
    attributes_are_constants: (OF_OUTER_ARRAYS, 67, 100),
    rows_are_those_of_all: (of_shared_sweeps, 5, 20),
}


@pytest.mark.parametrize("put_back", FAULTS, ids=lambda one: one.__name__)
def test_a_fault_is_found_when_it_is_put_back(put_back, monkeypatch):
    law, known, programs = FAULTS[put_back]
    put_back(monkeypatch)
    with pytest.raises(AssertionError):
        for seed in (known, *range(programs)):
            law(seed)
