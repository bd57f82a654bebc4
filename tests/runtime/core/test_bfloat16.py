"""bfloat16 is a float as any other, also for operations that were loaded before it."""

import subprocess
import sys

import pytest

import allograph as ag

pytest.importorskip("ml_dtypes")
PROGRAM = """
import allograph as ag
ag.constant([1.0]) + ag.tanh(ag.cast(ag.constant([1]), ag.float32))  # loads operations
x = ag.constant([1.5, -2.0], ag.bfloat16)
print((x + x * 2 - 1).numpy().tolist(), ag.cast(x, ag.float32).numpy().tolist())
print(ag.tanh(ag.exp(x) * 0).numpy().tolist(), int(ag.argmax(x)), (x > 0).numpy().tolist())
"""


def test_operations_take_it_that_were_loaded_before():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "[3.5, -7.0] [1.5, -2.0]", "[0.0, 0.0] 0 [True, False]",
    ]  # fmt: skip


def test_unions_of_types_have_it_unless_a_float_is_left_out():
    from allograph.runtime.core.dtypes import FLOATS, INTEGERS, NUMBERS, STRINGS, float16

    assert ag.bfloat16 in FLOATS | STRINGS and ag.bfloat16 in NUMBERS
    assert ag.bfloat16 not in INTEGERS | STRINGS
    assert float16 in FLOATS and ag.bfloat16.is_floating


def test_csv_has_no_columns_of_truths():
    with pytest.raises(ag.errors.InvalidArgumentError, match="not bool"):
        ag.io.decode_csv(["1,2"], [ag.constant([True]), [0]])
    first, _ = ag.io.decode_csv(["1.5,2"], [ag.constant([0.0], ag.bfloat16), [0]])
    assert first.numpy().tolist() == [1.5]
