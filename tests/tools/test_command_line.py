"""The command `allograph`.

`run` calls it in this process; `allograph` runs it as a user does, where what is tested is of the
process: its streams, its colors, its folder and its exit code.
"""

import contextlib
import io
import os
import subprocess
import sys

import pytest

from allograph.tools.commands import allograph as command

SOURCE = """
import allograph as ag

print("hello from the module")


@ag.function
def settle(x):
    while ag.reduce_sum(x) > 1:
        x = ag.tanh(x)
    return x


def scale(x, factor=2):
    print("tracing")
    return x * factor + x * factor


class Model:
    def call(self, x):
        if x > 0:
            x = -x
        return x
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("user") / "model.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def allograph(*words, cwd=None, **environment):
    """Run the command; colors only where a test asks for them."""
    plain = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    return subprocess.run(
        [sys.executable, "-m", "allograph", *map(str, words)],
        capture_output=True, text=True, check=False, cwd=cwd, env={**plain, **environment},
    )  # fmt: skip


def run(*words):
    """What the command prints and its exit code, without a process of its own."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        with pytest.raises(SystemExit) as left:
            command.main([*map(str, words)], prog_name="allograph")
    return subprocess.CompletedProcess(words, left.value.code, out.getvalue(), err.getvalue())


@pytest.mark.slow
def test_to_code_prints_nothing_but_the_generated_source(file):
    done = allograph("to-code", f"{file}:settle")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("def tf__settle(x):")
    assert "ag__.while_stmt(" in done.stdout
    assert "hello from the module" in done.stderr


def test_to_code_prints_the_line_map(file):
    done = run("to-code", f"{file}:settle", "--map")
    assert done.returncode == 0, done.stderr
    loop = SOURCE.splitlines().index("    while ag.reduce_sum(x) > 1:") + 1
    (row,) = [row for row in done.stdout.splitlines() if "ag__.while_stmt(" in row]
    assert int(row.split("|")[1]) == loop


def test_to_code_puts_the_lines_side_by_side(file):
    done = run("to-code", f"{file}:settle", "--diff")
    assert done.returncode == 0, done.stderr
    rows = [row.split(" | ", 1) for row in done.stdout.splitlines() if " | " in row]
    beside = {left.strip().split(" ", 1)[-1].strip(): right for left, right in rows if left.strip()}
    assert "ag__.converted_call" in beside["x = ag.tanh(x)"]
    assert "fscope.ret(" in beside["return x"]


@pytest.mark.slow
def test_to_code_takes_a_module_and_a_method(file):
    done = allograph("to-code", "model:Model.call", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    assert "def tf__call(self, x):" in done.stdout and "ag__.if_stmt(" in done.stdout


def test_to_code_sets_the_original_to_the_left(file):
    lines = run("to-code", f"{file}:settle", "--original").stdout.splitlines()
    pairs = [line.split(" | ", 1) for line in lines]
    assert [left.strip() for left, _ in pairs if left.strip()][:2] == [
        "@ag.function",
        "def settle(x):",
    ]
    assert pairs[0][1].startswith("def tf__settle(x):")


def test_to_code_writes_to_a_file(file, tmp_path):
    output = tmp_path / "generated.py"
    done = run("to-code", f"{file}:settle", "--output", output)
    assert (done.returncode, done.stdout) == (0, "")
    assert output.read_text(encoding="utf-8") == run("to-code", f"{file}:settle").stdout


@pytest.mark.slow
def test_to_code_is_highlighted_where_colors_are_shown(file):
    done = allograph("to-code", f"{file}:settle", FORCE_COLOR="1")
    assert "\x1b[" in done.stdout
    assert "\x1b[" not in run("to-code", f"{file}:settle").stdout


def test_graph_prints_the_text_form(file):
    done = run("graph", f"{file}:settle", "float32[5]")
    assert done.returncode == 0, done.stderr
    assert "float32[5]" in done.stdout and "while(" in done.stdout


def test_graph_traces_a_plain_function_with_literals_and_names(file):
    done = run("graph", f"{file}:scale", "float32[None,3]", "factor=4")
    assert done.returncode == 0, done.stderr
    assert "tracing" in done.stderr and "tracing" not in done.stdout


def test_graph_can_be_optimized(file):
    before = run("graph", f"{file}:scale", "int32[3]")
    after = run("graph", f"{file}:scale", "int32[3]", "--optimized")
    assert after.returncode == 0, after.stderr
    assert len(after.stdout.splitlines()) < len(before.stdout.splitlines())


def test_graph_can_be_drawn(file):
    done = run("graph", f"{file}:settle", "float32[5]", "--format", "dot")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("digraph ") and done.stdout.endswith("}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["to-code", "{file}:setle"], "has no 'setle'; did you mean 'settle'?"),
        (["to-code", "nowhere.py:f"], "there is no file 'nowhere.py'"),
        (["to-code", "settle"], "is not FILE.py:function or module:function"),
        (["to-code", "{file}:settle", "--output", "no/such/folder"], "cannot write 'no"),
        (["graph", "{file}:settle", "float33[5]"], "'float33' is not a data type"),
        (["graph", "{file}:settle"], "settle(x): missing a required argument: 'x'"),
        (["graph", "{file}:settle", "1", "2"], "settle(x): too many positional arguments"),
    ],
)
def test_a_bad_target_or_argument_is_one_line_and_exit_code_two(file, words, message):
    done = run(*(word.format(file=file) for word in words))
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.removeprefix("hello from the module\n")
    assert message in last and last.count("\n") == 1


def test_an_error_of_the_function_itself_is_told_without_a_traceback(file):
    done = run("graph", f"{file}:settle", "string[2]")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Error" in done.stderr and "Traceback" not in done.stderr
    assert "model.py" in done.stderr


def test_without_its_packages_the_command_says_what_to_install(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError(name='click')", encoding="utf-8")
    done = allograph("--help", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "The command needs the package click: pip install 'allograph[cli]'\n"


PROFILED = """
import sys
import allograph as ag


@ag.function
def f(x):
    for _ in ag.range(3):
        x = ag.tanh(x)
    return x


f(ag.ones([10]))
print("ran with", sys.argv[1:])
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.slow
def test_profile_runs_a_script_and_shows_its_lines(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PROFILED, encoding="utf-8")
    done = allograph("profile", "--output", tmp_path / "traces", script, "3", "--flag")
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("ran with ['3', '--flag']")
    (row,) = [line for line in done.stdout.splitlines() if line.endswith("tanh")]
    assert row.split()[1:] == ["3", f"{script}:9", "tanh"]
    assert list((tmp_path / "traces").rglob("*.trace.json"))


@pytest.mark.slow
def test_profile_of_a_script_that_fails_shows_the_scripts_lines_alone(tmp_path):
    script = tmp_path / "failing.py"
    script.write_text("import allograph as ag\n\nag.matmul(ag.ones([2, 3]), ag.ones([2, 3]))\n")
    done = allograph("profile", script)
    assert done.returncode == 1
    assert done.stderr.count('File "') == 1 and "line 3" in done.stderr


def test_a_method_is_traced_on_an_instance_and_a_dtype_is_a_scalar(file):
    done = run("graph", f"{file}:Model.call", "float32")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("graph call(x: float32[])")
