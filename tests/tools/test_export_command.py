"""`allograph export`: functions as ONNX models."""

import onnx
import pytest
from click.testing import CliRunner

from allograph.tools.commands import allograph

SOURCE = """
import allograph as ag

def double(x):
    return x * 2.0

def draw(x):
    return x + ag.random.normal([3])
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(*words):
    return CliRunner().invoke(allograph, ["export", *map(str, words)])


def test_a_model_is_written(file, tmp_path):
    output = tmp_path / "double.onnx"
    done = run(f"{file}:double", "float32[None,3]", "--output", output, "--opset", "19")
    assert done.exit_code == 0, done.output
    assert "2 nodes" in done.output
    assert onnx.load(output).opset_import[0].version == 19


def test_what_has_no_form_is_told_with_its_line(file, tmp_path):
    done = run(f"{file}:draw", "float32[3]", "--output", tmp_path / "draw.onnx")
    assert done.exit_code != 0
    assert "no ONNX form" in done.output
    assert "model.py" in done.output
