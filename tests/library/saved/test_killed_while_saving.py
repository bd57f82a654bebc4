"""A process that is killed while it saves leaves the old or the new state, whatever it saves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

SCRIPT = Path(__file__).parents[2] / "helpers" / "killed_savers.py"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks")
@pytest.mark.parametrize("what", ["module", "checkpoint", "managed", "dataset", "weights"])
def test_a_process_that_is_killed_while_saving_leaves_the_old_or_the_new_state(what):
    rounds = settings().max_examples // 5  # 20, and 400 with --hypothesis-profile=fuzz
    command = [sys.executable, SCRIPT, what, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"{rounds} kills" in done.stdout
