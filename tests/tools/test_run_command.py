"""`allograph run`: the output of a program is that of Python, with hot loops as native code."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*_model.py"))
EAGER = """
import sys
from allograph.tools import hot_loops, own_modules
own_modules.SHOWN_SECONDS = 0.0
hot_loops.HOT_SECONDS, hot_loops.WORTH_SECONDS, hot_loops.CALL_SECONDS = 1e-4, 0.0, 0.0
from allograph.tools.cli import main
sys.argv = ["allograph", "run", *sys.argv[1:]]
main()
"""
# Programs of which at least one loop becomes native code.
NATIVE = {
    "blur", "bootstrap", "clusters", "dice", "edges", "fractal", "heat", "ising", "life", "lorenz",
    "pi", "primes",
}  # fmt: skip


def python(*words, **options):
    return subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, check=False, **options
    )


@pytest.mark.parametrize("model", PROGRAMS, ids=lambda path: path.stem.removesuffix("_model"))
def test_a_program_prints_what_it_prints_in_python(model):
    program = model.with_name(model.name.replace("_model", ""))
    expected = python(program)
    accelerated = python("-c", EAGER, program)
    assert expected.returncode == accelerated.returncode == 0, accelerated.stderr
    assert accelerated.stdout == expected.stdout
    if program.stem in NATIVE:
        assert "native code: " in accelerated.stderr, accelerated.stderr
