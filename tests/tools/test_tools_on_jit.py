"""Every tool takes functions of `jit`: their native code, or a line that says why there is none."""

import re
import textwrap

import numpy as np
import pytest
from click.testing import CliRunner

import allograph as ag
from allograph.tools.commands import allograph

pytestmark = pytest.mark.slow

PROGRAM = """
    import numpy as np

    import allograph as ag

    SCALE = np.array([2.0, 3.0])


    @ag.jit
    def smooth(a, weight):
        for _ in range(3):
            a[1:-1] = weight * (a[:-2] + a[2:]) + (1.0 - 2.0 * weight) * a[1:-1]
        return a.sum()


    @ag.jit
    def loops(a):
        total = 0.0
        for i in range(a.shape[0]):
            if a[i] > 0.5:
                total += a[i] * i
        return total


    @ag.jit
    def turned(z):
        return z * 1j + z.real


    @ag.jit
    def of_global(a):
        return a * SCALE[0]


    @ag.jit
    def keyword(a, *, power=2):
        return a ** power


    @ag.jit
    def mixed(a, rounds):
        for _ in range(rounds):
            for i in range(1, len(a)):
                a[i] += 0.5 * a[i - 1]
        return np.abs(np.fft.rfft(a))


    class Filter:
        def __init__(self):
            self.weight = 0.25

        @ag.jit
        def applied(self, a):
            return a * 0.25


    @ag.jit
    def described(a):
        return f"{a.sum()}"


    @ag.jit
    def pieces(a):
        return np.piecewise(a, [a < 0.0], [0.0, 1.0])
"""
NATIVE = {
    "smooth": ("float64[64]", "0.25"),
    "loops": ("float64[64]",),
    "turned": ("complex128[4]",),
    "of_global": ("float32[8]",),
    "keyword": ("float64[8]", "power=3"),
    "mixed": ("float64[64]", "rounds=3"),
}
REFUSED = {
    "described": ("float64[8]",),
    "pieces": ("float64[8]",),
    "Filter.applied": ("float64[8]",),
}
IN_ONNX = set(NATIVE) - {"mixed", "turned"}  # not calls of NumPy's functions, nor complex numbers
COMMANDS = {
    "graph": (["graph"], "graph {name}("),
    "graph --optimized": (["graph", "--optimized"], "graph {name}("),
    "graph --format dot": (["graph", "--format", "dot"], "digraph"),
    "explain": (["explain"], "native code"),
    "explain --time": (["explain", "--time"], "of {count} operations are native"),
    "explain --passes": (["explain", "--passes"], "passes change it"),
    "explore": (["explore", "--output", "page.html"], ""),
    "explore --time": (["explore", "--time", "--output", "page.html"], ""),
    "cache warm": (["cache", "warm"], "kernel"),
    "to-code": (["to-code"], "def "),
}


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "waves.py"
    file.write_text(textwrap.dedent(PROGRAM).lstrip(), encoding="utf-8")
    return file


def run(*words):
    return CliRunner().invoke(allograph, list(words))


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_tool_takes_a_function_of_jit(module, command, name):
    words, shown = COMMANDS[command]
    arguments = NATIVE[name] if command != "to-code" else ()
    done = run(*words, f"waves.py:{name}", *arguments)
    assert done.exit_code == 0, done.output
    shown = re.escape(shown.format(name=name, count="COUNT")).replace("COUNT", r"\d+")
    assert re.search(shown, done.output), done.output
    if words[0] == "explore":
        page = (module.parent / "page.html").read_text()
        assert f"def {name}(" in page and "click/core.py" not in page


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("command", ["graph", "explore", "cache warm", "export"])
def test_a_tool_says_why_there_is_no_native_code(module, command, name):
    words = [*command.split(), *["--output", "out"] * (command in ("explore", "export"))]
    done = run(*words, f"waves.py:{name}", *REFUSED[name])
    assert done.exit_code == 1
    assert f"NumPy runs '{name.split('.')[-1]}': " in done.output


@pytest.mark.parametrize("name", NATIVE)
def test_a_function_of_jit_becomes_a_model_where_onnx_has_its_forms(module, name):
    done = run("export", f"waves.py:{name}", *NATIVE[name], "--unchecked", "--output", "m.onnx")
    assert (done.exit_code == 0) is (name in IN_ONNX), done.output
    assert name in IN_ONNX or "ONNX" in done.output


def test_complex_numbers_are_refused_at_their_line(module):
    done = run("export", "waves.py:turned", *NATIVE["turned"], "--output", "m.onnx")
    assert done.exit_code == 1
    assert "ONNX's operators take no complex numbers" in done.output
    assert ", in turned\n    return z * 1j + z.real\n" in done.output
    assert done.output.endswith("the real and the imaginary parts as two arrays of floats.\n")


def test_a_model_of_a_function_of_jit_computes_its_results_and_changed_arguments(module):
    import onnx
    import onnx.reference

    @ag.jit
    def smooth(a, weight):
        a[1:-1] = weight * (a[:-2] + a[2:])
        return a.sum()

    model = ag.onnx.export(smooth, None, ag.TensorSpec([8], ag.float64), 0.25)
    assert [one.name for one in model.graph.input] == ["a", "weight"]
    a = np.arange(8.0)
    given = {"a": a, "weight": np.float64(0.25)}
    changed, total = onnx.reference.ReferenceEvaluator(model).run(None, given)
    expected = a.copy()
    assert total == smooth(expected, 0.25)
    np.testing.assert_allclose(changed, expected)


def test_shapes_have_to_be_known(module):
    done = run("graph", "waves.py:loops", "float64[None]")
    assert done.exit_code == 1
    assert "jit traces a function for arrays of known sizes" in done.output


def test_the_steps_of_a_function_of_jit_are_timed():
    trace = ag.jit(lambda a, b: a @ b).get_concrete_function(np.ones((64, 64)), np.ones((64, 64)))
    explanation = trace.measure(np.ones((64, 64)), np.ones((64, 64)))
    assert explanation.seconds > 0 and explanation.native_share == 1.0
