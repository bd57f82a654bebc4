"""`allograph check`: findings with line and column, in the formats of editors and services."""

import json
import sys

import pytest
from click.testing import CliRunner

from allograph.tools.commands import allograph

pytest.importorskip("llvmlite")


@pytest.fixture
def check(tmp_path):
    """The result of checking a file with these lines below the import."""

    def checked(body, *options):
        path = tmp_path / "model.py"
        path.write_text(f"import allograph as ag\n{body}", encoding="utf-8")
        done = CliRunner().invoke(allograph, ["check", str(path), *options])
        done.lines = [line.removeprefix(f"{path}:") for line in done.stdout.splitlines()]
        return done

    return checked


CLEAN = """
# check: float32[1000]
@ag.function
def double(x):
    return ag.tanh(x) * 2.0
"""
ON_NUMPY = """
# check: float32[4,4]
@ag.function
def arrange(x):
    return ag.linalg.expm(x)
"""


def test_native_code_has_no_findings(check):
    done = check(CLEAN, "--strict")
    assert (done.exit_code, done.stdout) == (0, "")


def test_what_stays_on_numpy_says_where_and_why(check):
    assert check(ON_NUMPY).lines == [
        "6:12: AG401 expm runs on NumPy: the operation 'expm' has no native form"
    ]


OF_JIT = """
import numpy as np

# check: float64[8]
@ag.jit
def double(a):
    return a * 2.0

# check: float64[8]
@ag.jit
def described(a):
    a = a * 2.0
    return f"{a[0]}"

@ag.jit
def tones(a, rounds):
    for _ in range(rounds):
        for i in range(1, len(a)):
            a[i] += 0.5 * a[i - 1]
    return np.fft.rfft(a)

tones(np.ones(64), 3)

class Filter:
    @ag.jit
    def applied(self, a):
        return a
"""


def test_functions_of_jit_say_what_numpy_runs_and_why(check):
    done = check(OF_JIT, "--strict")
    assert done.exit_code == 1
    column = 14 if sys.version_info >= (3, 12) else 12  # parts of f-strings have places since then
    assert done.lines == [
        f"14:{column}: AG401 described runs on NumPy: a computed value is formatted as a string",
        "21:12: AG401 rfft runs on NumPy: it is a call of NumPy's",
        "26:1: AG001 applied was not traced: write the types of its arguments above it, such as "
        "`# check: float64[100] 3`",
    ]


def test_columns_count_characters(check):
    accented = ON_NUMPY.replace("return ", "größe = 1; return ")
    assert check(accented).lines[0].startswith("6:23: AG401")


def test_strict_exits_with_1_if_there_are_findings(check):
    assert check(ON_NUMPY).exit_code == 0
    assert check(ON_NUMPY, "--strict").exit_code == 1


def test_a_comment_silences_a_code_on_its_line(check):
    silenced = ON_NUMPY.replace("expm(x)", "expm(x)  # noqa: AG401")
    assert check(silenced, "--strict").lines == []
    assert check(silenced.replace("AG401", "AG101")).lines != []


def test_a_function_that_is_not_converted_says_why(check):
    done = check("""
@ag.function
def numbers(x):
    yield x
""")
    (line,) = done.lines
    assert line.startswith("3:1: AG101 'numbers' is a generator")


@pytest.mark.slow
def test_an_error_of_tracing_stands_at_the_users_expression(check):
    done = check("""
# check: float32[3]
@ag.function
def product(x):
    return x @ ag.ones([2, 2])
""")
    (line,) = done.lines
    assert line.startswith("6:12: AG102 ShapeError: matmul")
    assert "File" not in line


@pytest.mark.slow
def test_an_unrolled_loop_is_found(check):
    done = check("""
# check: float32[]
@ag.function
def total(x):
    for i in range(3000):
        x = x + 1.0
    return x
""")
    assert [line[:11] for line in done.lines] == ["6:1: AG201 "]


def test_retraces_are_found_where_they_happen_and_where_a_loop_makes_them(check):
    done = check("""
@ag.function
def scale(x, k):
    return x * k

for k in range(4):
    scale(ag.ones([2]), k)
""")
    assert done.lines[0].endswith("2 more such traces follow.")
    assert [line.split(" ")[:2] for line in done.lines] == [["8:1:", "AG301"], ["8:5:", "AG302"]]


def test_a_function_that_is_decorated_in_a_loop_is_found(check):
    done = check("""
for k in range(2):
    @ag.function
    def double(x):
        return x * 2
""")
    assert any("4:6: AG302 a function decorated in a loop" in line for line in done.lines)


def test_a_function_without_types_is_a_note_that_strict_ignores(check):
    done = check("""
@ag.function
def double(x):
    return x * 2
""", "--strict")  # fmt: skip
    assert done.exit_code == 0
    assert done.lines[0].startswith("3:1: AG001 double was not traced")


def test_an_input_signature_gives_the_types(check):
    done = check("""
@ag.function(input_signature=[ag.TensorSpec([4, 4])])
def arrange(x):
    return ag.linalg.expm(x)
""")
    assert [line[5:11] for line in done.lines] == [" AG401"]


def test_types_that_are_none_are_told(check):
    done = check(CLEAN.replace("float32[1000]", "float33[2]"))
    assert "AG001" in done.lines[0]
    assert "float33" in done.lines[0]


def test_json_has_the_same_findings(check):
    (row,) = json.loads(check(ON_NUMPY, "--format", "json").stdout)
    assert (row["line"], row["column"], row["code"]) == (6, 12, "AG401")
    assert json.loads(check(CLEAN, "--format", "json").stdout) == []


def test_sarif_has_rules_and_results(check):
    (run,) = json.loads(check(ON_NUMPY, "--format", "sarif").stdout)["runs"]
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 6, "startColumn": 12}
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_a_file_that_cannot_be_imported_is_an_error_of_one_line(check):
    done = check("this is no Python")
    assert done.exit_code == 2
    assert "SyntaxError" in done.output


def test_what_a_file_prints_stays_out_of_the_findings(check):
    assert check("print('hello')", "--format", "json").stdout.strip() == "[]"
