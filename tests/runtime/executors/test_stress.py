"""The short form of the stress test of `make fuzz`: threads, signals and processes at once."""

import sys

import pytest
import stress

pytest.importorskip("llvmlite")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no forks and no signals like these")
@pytest.mark.parametrize("scenario", [one.__name__ for one in stress.SCENARIOS])
def test_a_scenario_ends_in_time_without_errors(scenario):
    assert stress.run(scenario, seconds=1) == ""
