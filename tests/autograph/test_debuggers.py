"""Debuggers and coverage, driven for real: what a person sees is the user's own code."""

import json
import os
import re
import subprocess
import sys
import textwrap
import weakref

import pytest

import allograph as ag

SCRIPT = textwrap.dedent(
    """
    import allograph as ag


    @ag.function
    def count(n):
        total = 0
        while n > 0:
            total += n
            n -= 1
        if total > 5:
            total = -total
        return total


    print(int(count(ag.constant(4))))
    """
)
LINE_IN_LOOP = SCRIPT.splitlines().index("        total += n") + 1
LINE_IN_BRANCH = SCRIPT.splitlines().index("        total = -total") + 1


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "counting.py"
    file.write_text(SCRIPT)
    return file


def debugger(script, **environment):
    pytest.importorskip("debugpy")
    from debug_adapter import Debugger

    return Debugger(script, {"ALLOGRAPH_GENERATED_DIR": str(script.parent / "made"), **environment})


@pytest.mark.slow
def test_a_breakpoint_inside_a_staged_loop_stops_while_tracing(script):
    with debugger(script) as session:
        session.break_at(script, LINE_IN_LOOP, LINE_IN_BRANCH)
        session.run()
        name, file, line = session.stopped()[0]
        assert (name, os.path.basename(file), line) == ("count", script.name, LINE_IN_LOOP)
        shown = session.variables()
        assert "Tensor" in shown["n"] and "int32" in shown["total"]
        session.go()
        assert session.stopped()[0][2] == LINE_IN_BRANCH
        session.go()
        assert session.output().strip() == "-10"


@pytest.mark.slow
def test_stepping_goes_through_the_users_lines(script):
    with debugger(script) as session:
        session.break_at(script, LINE_IN_LOOP)
        session.run()
        session.stopped()
        session.go("next")
        name, file, line = session.stopped()[0]
        assert (os.path.basename(file), line) == (script.name, LINE_IN_LOOP + 1)


@pytest.mark.slow
def test_in_the_generated_view_a_breakpoint_stops_in_the_generated_file(script):
    view = {
        "ALLOGRAPH_VIEW": "generated",
        "ALLOGRAPH_GENERATED_DIR": str(script.parent / "made"),
    }
    subprocess.run([sys.executable, str(script)], env={**os.environ, **view}, check=True)
    (made,) = (script.parent / "made").glob("count_*.py")
    lines = made.read_text().splitlines()
    line = next(row for row, text in enumerate(lines, 1) if "total += " in text)
    with debugger(script, ALLOGRAPH_VIEW="generated") as session:
        session.break_at(made, line)
        session.run()
        _, file, stopped = session.stopped()[0]
        assert (os.path.realpath(file), stopped) == (os.path.realpath(made), line)
        assert "Tensor" in session.variables()["total"]


def run(*command, text=None):
    return subprocess.run(
        [sys.executable, *map(str, command)], input=text, capture_output=True, text=True, timeout=60
    )


@pytest.mark.slow
def test_pdb_stops_at_the_users_line_and_shows_the_users_names(script):
    steps = f"break {script}:{LINE_IN_LOOP}\ncontinue\nwhere\np total, n\nnext\nlist .\nquit\n"
    shown = run("-m", "pdb", script, text=steps).stdout
    assert f"{script}({LINE_IN_LOOP})count()" in shown
    assert "-> total += n" in shown
    assert "int32" in shown
    assert f"{script}({LINE_IN_LOOP + 1})count()" in shown


@pytest.mark.slow
def test_a_breakpoint_at_a_def_stops_in_no_code_that_conversion_makes(script):
    line = SCRIPT.splitlines().index("def count(n):") + 1
    commands = f"break {line}\n" + "continue\n" * 5
    shown = run("-m", "pdb", script, text=commands).stdout
    stops = re.findall(rf"counting\.py\({line}\)(.*)", shown)
    assert set(stops[: stops.index("count()")]) == {"<module>()"}  # where it is defined
    assert "factory()" not in shown


@pytest.mark.slow
def test_breakpoint_stops_in_the_function_itself(script):
    script.write_text(
        SCRIPT.replace("        total += n", "        breakpoint()\n        total += n")
    )
    shown = run(script, text="p total\nwhere\ncontinue\n").stdout
    assert "count()" in shown and "int32" in shown and "-10" in shown


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
    assert {LINE_IN_LOOP, LINE_IN_BRANCH} <= set(counted["executed_lines"])


BRANCHING = """
import allograph as ag


@ag.function
def settle(x, z):
    y = 1
    while z > 0:
        z = z - 1
        if z > 1:
            y = 2
        elif z > 0:
            y = 3
        else:
            y = 4
        for i in ag.range(z):
            y += 1
            if y > 9:
                y = 0
    if y > 3:
        y = 0
    return y


settle(ag.ones([]), ag.constant(3))
"""


@pytest.mark.slow
def test_coverage_counts_the_jumps_into_staged_branches_and_bodies(tmp_path):
    pytest.importorskip("coverage")
    script = tmp_path / "branching.py"
    script.write_text(BRANCHING, encoding="utf-8")
    data = f"--data-file={tmp_path / 'data'}"
    made = run("-m", "coverage", "run", "--branch", data, f"--include={script}", script)
    assert made.returncode == 0, made.stderr
    report = tmp_path / "report.json"
    run("-m", "coverage", "json", data, "-o", report)
    (counted,) = json.loads(report.read_text())["files"].values()
    assert counted["missing_branches"] == []


@pytest.fixture
def terminal():
    """`pdb` on a terminal of its own, as a person has it."""
    pexpect = pytest.importorskip("pexpect")
    if not hasattr(pexpect, "spawn"):
        pytest.skip("pexpect opens no terminals here")
    opened = []

    def start(script, **environment):
        made = pexpect.spawn(
            sys.executable,
            ["-m", "pdb", str(script)],
            env={**os.environ, "PYTHON_COLORS": "0", "TERM": "dumb", **environment},
            encoding="utf-8",
            timeout=60,
            dimensions=(50, 300),
        )
        opened.append(made)
        made.expect_exact("(Pdb) ")
        return made

    yield start
    for one in opened:
        one.close(force=True)


def told(session, command):
    """What pdb answers to a command."""
    session.sendline(command)
    session.expect_exact("(Pdb) ")
    return session.before


@pytest.mark.slow
def test_pdb_on_a_terminal_steps_through_a_staged_loop(script, terminal):
    session = terminal(script)
    told(session, f"break {script}:{LINE_IN_LOOP}")
    assert f"counting.py({LINE_IN_LOOP})count()" in told(session, "continue")
    assert "Tensor" in told(session, "p total")
    assert f"counting.py({LINE_IN_LOOP + 1})count()" in told(session, "next")
    assert "-10" in told(session, "continue")


@pytest.mark.slow
def test_pdb_on_a_terminal_steps_through_generated_code(script, terminal):
    view = {
        "ALLOGRAPH_VIEW": "generated",
        "ALLOGRAPH_GENERATED_DIR": str(script.parent / "made"),
    }
    subprocess.run([sys.executable, str(script)], env={**os.environ, **view}, check=True)
    (made,) = (script.parent / "made").glob("count_*.py")
    lines = made.read_text().splitlines()
    line = next(row for row, text in enumerate(lines, 1) if "total += " in text)
    session = terminal(script, **view)
    told(session, f"break {made}:{line}")
    assert f"{made.name}({line})count()" in told(session, "continue")
    assert "Tensor" in told(session, "p total")
    assert f"{made.name}({line + 1})count()" in told(session, "next")
    assert "-10" in told(session, "continue")


def test_a_branch_shows_the_tested_and_the_outer_variables_and_no_scope():
    frames = []

    @ag.function
    def settle(position, speed):
        steps = 0
        while position > 0:
            if speed > 1:
                steps = steps + 1
                frames.append(set(sys._getframe().f_locals))
            position = position - speed
            frames.append(set(sys._getframe().f_locals))
        return steps

    before = sys.gettrace()
    sys.settrace(before or (lambda *event: None))  # as a debugger does
    try:
        settle(ag.constant(3), ag.constant(2))
    finally:
        sys.settrace(before)
    branch, body = frames[:2]
    assert {"position", "speed", "steps"} <= branch & body
    assert "fscope" not in branch | body


def test_without_a_debugger_no_variable_outlives_its_use():
    class Big:
        pass

    def function(x):
        big = Big()
        seen = weakref.ref(big)
        if x > 0:
            x = -x
        del big
        return seen() is None

    assert ag.autograph.to_graph(function)(1)


@pytest.mark.slow
def test_pdb_steps_from_branch_to_branch_and_hides_what_is_between(tmp_path):
    script = tmp_path / "branching.py"
    script.write_text(BRANCHING, encoding="utf-8")
    shown = run("-m", "pdb", script, text="break 11\ncontinue\nwhere\n" + "next\n" * 3 + "quit\n")
    stops = re.findall(r"> (\S+)\((\d+)\)(\w+)\(\)", shown.stdout)
    # the import, `where`, and the branches as they are traced
    assert [int(line) for _, line, name in stops if name == "settle"] == [11, 11, 12, 16, 20]
    assert "--Call--" not in shown.stdout and "--Return--" not in shown.stdout
    assert "allograph" not in shown.stdout.replace("import allograph", "")


STARTED = """
import allograph as ag


@ag.function
def settle(x, y):
    z = x * 2
    if x > 0:
        w = z + y
        START
        z = w
    for i in ag.range(2):
        z = z + i
    return z


settle(ag.constant(1), ag.constant(2))
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", ["breakpoint()", "import pdb; pdb.set_trace()"])
def test_a_debugger_that_a_branch_starts_steps_by_the_users_lines(tmp_path, start):
    script = tmp_path / "started.py"
    script.write_text(STARTED.replace("START", start), encoding="utf-8")
    shown = run(script, text="where\np (x, y)\n" + "next\n" * 3 + "quit\n")
    stops = re.findall(r"> (\S+)\((\d+)\)(\w+)\(\)", shown.stdout)
    lines = [11, 11, 8, 12, 14]  # where the debugger stops, `where`, and the lines that follow
    if sys.version_info >= (3, 13):  # it stops in the line of the call
        lines = [10, 10, 11, 8, 12]
    assert [int(line) for _, line, name in stops if name == "settle"] == lines
    assert "x:0" in shown.stdout and "--Call--" not in shown.stdout
    assert "allograph" not in shown.stdout.replace("import allograph", "")


@pytest.mark.slow
def test_coverage_counts_a_continue(tmp_path):
    pytest.importorskip("coverage")
    script, report = tmp_path / "continuing.py", tmp_path / "report.json"
    script.write_text(CONTINUING, encoding="utf-8")
    data = f"--data-file={tmp_path / 'data'}"
    run("-m", "coverage", "run", "--branch", data, f"--include={script}", script)
    run("-m", "coverage", "json", data, "-o", report)
    (found,) = json.loads(report.read_text())["files"].values()
    assert found["missing_lines"] == [] and found["missing_branches"] == []


CONTINUING = """
import allograph as ag


@ag.function
def count(x):
    while x < 5:
        x += 1
        if x == 3:
            continue
        x += 0
    return x


count(ag.constant(1))
"""
