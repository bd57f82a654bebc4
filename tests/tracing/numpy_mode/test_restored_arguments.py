"""Arguments that change before a statement fails are changed once, as plain Python changes them."""

import pytest
from failing_programs import assert_changed_once, pairs

CHUNKS = 9


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_change_before_every_failure_is_made_once(chunk):
    programs = list(pairs(0))[chunk::CHUNKS]
    are_native = [assert_changed_once(program) for program in programs]
    assert sum(are_native) > len(programs) // 2
