"""Tools on functions on JAX arrays: what a person sees is the user's own code."""

import json
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax

import allograph as ag

SCRIPT = textwrap.dedent(
    """
    import jax

    import allograph as ag


    @jax.jit
    @ag.jax.function
    def count(n):
        total = 0
        while n > 0:
            total += n
            n -= 1
        if total > 5:
            total = -total
        return total


    plain = ag.jax.function(count.__wrapped__)
    print(count(4))
    """
)
LINE_IN_LOOP = SCRIPT.splitlines().index("        total += n") + 1


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "counting.py"
    file.write_text(SCRIPT)
    return file


def run(*command, text=None):
    return subprocess.run(
        [sys.executable, "-P", *map(str, command)], input=text, capture_output=True, text=True
    )


def shifted(x):
    if x > 0:
        x = x - 1
    return x


def test_the_code_of_a_function_is_that_of_its_original():
    for function in (ag.jax.function(shifted), jax.jit(ag.jax.function(shifted))):
        assert ag.autograph.to_code(function) == ag.autograph.to_code(shifted)
        assert ag.autograph.line_map(function) == ag.autograph.line_map(shifted)


@pytest.mark.slow
def test_the_command_shows_which_line_became_which(script):
    pytest.importorskip("click")
    shown = run("-m", "allograph", "to-code", f"{script}:plain", "--map")
    (loop,) = [line for line in shown.stdout.splitlines() if "total += " in line]
    assert str(LINE_IN_LOOP) in loop.split(), shown.stdout + shown.stderr


@pytest.mark.slow
def test_pdb_stops_at_the_users_line_while_the_function_is_traced(script):
    steps = f"break {script}:{LINE_IN_LOOP}\ncontinue\nwhere\np total, n\nnext\nlist .\nquit\n"
    shown = run("-m", "pdb", script, text=steps).stdout
    assert f"{script}({LINE_IN_LOOP})count()" in shown
    assert "-> total += n" in shown
    assert "int32" in shown
    assert f"{script}({LINE_IN_LOOP + 1})count()" in shown


@pytest.mark.slow
def test_an_editor_stops_at_a_breakpoint_and_shows_tracers(script):
    pytest.importorskip("debugpy")
    from debug_adapter import Debugger

    with Debugger(script) as session:
        session.break_at(script, LINE_IN_LOOP)
        session.run()
        name, _, line = session.stopped()[0]
        assert (name, line) == ("count", LINE_IN_LOOP)
        assert "Tracer" in session.variables()["n"]


@pytest.mark.slow
def test_coverage_counts_the_users_lines(script, tmp_path):
    pytest.importorskip("coverage")
    data = f"--data-file={tmp_path / 'data'}"
    made = run("-m", "coverage", "run", data, f"--include={script}", script)
    assert made.stdout.strip() == "-10", made.stderr
    report = tmp_path / "report.json"
    run("-m", "coverage", "json", data, "-o", report)
    (counted,) = json.loads(report.read_text())["files"].values()
    assert counted["missing_lines"] == []


def test_effects_of_python_happen_while_the_function_is_traced(capsys):
    @jax.jit
    @ag.jax.function
    def prints(x):
        print("traced")
        if x > 0:
            print("positive")
            jax.debug.print("computed {}", x)
        else:
            print("negative")
        return x

    for x in (1, -1, 2):
        prints(x)
    jax.effects_barrier()
    shown = capsys.readouterr().out.splitlines()
    traced, computed = ["traced", "positive", "negative"], ["computed 1", "computed 2"]
    assert [line for line in shown if line not in computed] == traced
    assert [line for line in shown if line in computed] == computed
