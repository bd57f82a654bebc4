"""`allograph run`: the output of a program is that of Python, with hot loops as native code."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*_model.py"))
EAGER = """
import sys
from allograph.tools import hot_loops, own_modules
own_modules.SHOWN_SECONDS = 0.0
hot_loops.WORTH = hot_loops.WORTH_OF_UNKNOWN = hot_loops.CALL_SECONDS = 0.0
hot_loops.MEASURED_SECONDS = 1e-4
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


@pytest.fixture
def program(tmp_path):
    """Writes a program, and runs it with all its loops compiled."""

    def run(source, *options, start=("-c", EAGER), name="program.py"):
        (tmp_path / name).write_text(textwrap.dedent(source), encoding="utf-8")
        return python(*start, *options, cwd=tmp_path)

    return run


LOOPS = """
    import sys

    def total(n):
        result = 0.0
        for k in range(n):
            result += k * 0.5
        return result

    def other(n):
        result = 0
        for k in range(n):
            result += k % 7
        return result

    print(total(50_000), other(50_000), sys.argv[1:], __name__)
"""


def test_options_of_the_program_follow_it(program):
    done = program(LOOPS, "program.py", "--only", "x")
    assert done.stdout == "624987500.0 149997 ['--only', 'x'] __main__\n"


def test_a_module_runs_as_by_python_m(program):
    done = program(LOOPS, "--module", "program")
    assert done.stdout == "624987500.0 149997 [] __main__\n", done.stderr


def test_functions_can_be_chosen_and_the_report_written(program, tmp_path):
    done = program(LOOPS, "--only", "total", "--report", "report.txt", "--quiet", "program.py")
    assert done.stderr == ""
    head, first, how, second, other = (tmp_path / "report.txt").read_text().splitlines()
    assert head.startswith("allograph run: ")
    assert first == "program.py:6: for k in range(n):" or second == first
    assert any("write @ag.jit above total" in line for line in (how, other))
    assert any("left out by --only" in line for line in (how, other))


def test_an_error_has_the_traceback_of_the_program_and_its_exit_status(program):
    done = program("""
        def quotient(n):
            result = 0.0
            for k in range(n, -n, -1):
                result += 1.0 / k
            return result

        print("begins", flush=True)
        quotient(40_000)
    """, "--quiet", "program.py")  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "begins\n")
    assert done.stderr.splitlines()[-1] == "ZeroDivisionError: float division by zero"
    assert "click" not in done.stderr
    assert program("import sys; sys.exit(3)", "program.py").returncode == 3


def test_what_sees_variables_or_holds_other_objects_is_left_alone(program):
    done = program("""
        def squares(n):
            found = []
            for k in range(n):
                found.append(k * k)
            return found

        def watched(n):
            total = 0
            for k in range(n):
                total += len(locals())
            return total

        def shared(n):
            def add(k):
                nonlocal total
                total += k
            total = 0
            for k in range(n):
                add(k)
            return total

        print(sum(squares(30_000)), watched(5), shared(30_000))
    """, "program.py")  # fmt: skip
    assert done.stdout == "8999550005000 15 449985000\n", done.stderr
    assert "it uses a list from before the loop" in done.stderr


def test_a_loop_that_is_short_gets_its_code_back(program):
    done = program("""
        def tiny(k):
            total = 0
            for i in range(3):
                total += i * k
            return total

        before = tiny.__code__
        for k in range(300):
            tiny(k)
        print(tiny.__code__ is before, tiny.__code__.co_consts, tiny(5))
    """, "program.py", start=("-m", "allograph", "run"))  # fmt: skip
    assert done.stdout.startswith("False (None, 0, 3) 15"), done.stdout
