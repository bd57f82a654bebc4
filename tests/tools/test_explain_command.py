"""`allograph explain`: where each operation runs, and why."""

import pytest
from click.testing import CliRunner

import allograph as ag
from allograph.tools.commands import allograph

SOURCE = """
import allograph as ag

def settle(x, n):
    y = x * 2.0 + 1.0
    for i in ag.range(n):
        x = ag.tanh(x) * y
    return x

def arrange(x):
    return ag.linalg.svd(x * x + x, compute_uv=False)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(*words) -> str:
    done = CliRunner().invoke(allograph, ["explain", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_function_that_is_native_as_a_whole(file):
    text = run(f"{file}:settle", "float32[5]", "int32[]")
    assert text.startswith("settle: 100% of")
    rows = [line.split() for line in text.splitlines() if "model.py:7" in line]
    assert [row[:4] + row[-1:] for row in rows] == [
        ["5", "native", "tanh", "float32[5]", "model.py:7"],
        ["5", "native", "multiply", "float32[5]", "model.py:7"],
    ]


def test_what_runs_on_numpy_says_why(file):
    text = run(f"{file}:arrange", "float32[5,5]")
    assert text.startswith("arrange: 0% of 3 operations are native")
    assert "svd: the operation 'svd' has no native form" in text
    assert "multiply: too little work for a call of its own" in text


def test_numbers_of_operations_and_bytes():
    @ag.function
    def f(a, b):
        return ag.reduce_sum(ag.matmul(a, b) + 1.0)

    spec = ag.TensorSpec([4, 4], ag.float32)
    rows = {row.node.op.name: row for row in f.get_concrete_function(spec, spec).explain().rows}
    assert (rows["matmul"].flops, rows["matmul"].moved) == (2 * 4**3, 3 * 64)
    assert (rows["add"].flops, rows["add"].moved) == (16, 64)
    assert (rows["reduce_sum"].flops, rows["reduce_sum"].moved) == (16, 0)
    assert rows["add"].group == rows["reduce_sum"].group != rows["matmul"].group


def test_memory_is_that_of_the_arrays_of_native_code():
    @ag.function
    def f(a, b):
        return ag.matmul(ag.matmul(a, b), b)

    spec = ag.TensorSpec([4, 4], ag.float32)
    explained = f.get_concrete_function(spec, spec).explain()
    assert explained.memory == 2 * 4 * 4 * 4
    assert "their arrays take 128 bytes" in str(explained)


def test_memory_that_is_free_again_counts_once():
    @ag.function
    def f(a, b):
        for _ in range(5):
            a = ag.matmul(a, b)
        return a

    spec = ag.TensorSpec([4, 4], ag.float32)
    assert f.get_concrete_function(spec, spec).explain().memory == 2 * 4 * 4 * 4
