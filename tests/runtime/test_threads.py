"""How many threads share the work of large loops."""

import pytest

import allograph as ag

threading = ag.config.threading


@pytest.fixture(autouse=True)
def as_before():
    yield
    threading.set_intra_op_parallelism_threads(0)
    threading.set_inter_op_parallelism_threads(0)


def test_the_number_that_was_set_is_given():
    threading.set_intra_op_parallelism_threads(3)
    threading.set_inter_op_parallelism_threads(4)
    assert threading.get_intra_op_parallelism_threads() == 3
    assert threading.get_inter_op_parallelism_threads() == 4


def test_by_default_the_machine_decides():
    assert threading.get_intra_op_parallelism_threads() == 0


def test_a_negative_number_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="-1 threads"):
        threading.set_intra_op_parallelism_threads(-1)
