"""llvmlite's table of characters is whole before threads share it."""

import subprocess
import sys

import pytest

pytest.importorskip("llvmlite")

PROGRAM = """
from allograph.runtime.jit import values
from llvmlite import ir
from llvmlite.ir.values import _escape_string

(table,) = _escape_string.__defaults__
assert len(table) == 256, len(table)
"""


def test_the_table_of_characters_is_filled_when_the_translator_is_imported():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stderr == ""
