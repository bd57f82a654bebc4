"""Functions that a pickle holds by value are converted where their file does not exist."""

import pickle
import subprocess
import sys
import types

import cloudpickle
import pytest

from allograph.autograph import pickled_sources

SCRIPT = """\
import cloudpickle
import numpy as np

import allograph as ag


def helper(n):
    if n > 3:  # of the helper
        return n - 1
    return n + 1


@ag.function
def collatz(n):
    count = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return helper(count)


@ag.function
def checked(n):
    if n > 3:
        ag.debugging.assert_less(n, 10, message="too large")  # this line
    return n


@ag.jit
def positive(a):
    total = 0.0
    for x in a:
        if x > 0:
            total += x
    return total


class Clipped(ag.Module):
    @ag.function
    def __call__(self, x):
        if ag.reduce_sum(x) > 0:
            return self.other(x)
        return -x

    def other(self, x):
        if ag.reduce_sum(x) > 5:
            return x * 2
        return x


class Line:
    @ag.function
    def at(self, x):
        return self.other(x)

    def other(self, x):
        return x if x > 0 else -x


class Absolute(ag.keras.layers.Layer):
    def call(self, x):
        if ag.reduce_sum(x) > 0:
            return x
        return -x


pick = ag.function(lambda x: x + 1 if x > 0 else x - 1)
with open("things.pickle", "wb") as file:
    file.write(cloudpickle.dumps(
        dict(collatz=collatz, checked=checked, positive=positive, clipped=Clipped(), line=Line(),
             absolute=Absolute(), pick=pick)
    ))
"""
LOAD = """\
import pickle

import numpy as np

import allograph as ag

with open("things.pickle", "rb") as file:
    things = pickle.load(file)
"""


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """A folder with the pickle of a script that is there no more."""
    folder = tmp_path_factory.mktemp("things")
    script = folder / "script.py"
    script.write_text(SCRIPT)
    subprocess.run([sys.executable, "script.py"], cwd=folder, check=True)
    script.unlink()
    return folder


def run(folder, code: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", LOAD + code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("int(things['collatz'](ag.constant(7)))", "15"),
        ("int(things['pick'](ag.constant(-2)))", "-3"),
        ("things['clipped'](ag.constant([3.0, 4.0])).numpy()", "[6. 8.]"),
        ("int(things['line'].at(ag.constant(-2)))", "2"),
        ("ag.function(things['absolute'])(ag.constant([-1.0])).numpy()", "[1.]"),
        ("things['positive'](np.array([1.0, -2.0, 3.0]))", "4.0"),
    ],
)
def test_what_a_pickle_holds_by_value_is_converted_without_its_file(things, expression, shown):
    done = run(things, f"print({expression})")
    assert not done.returncode, done.stderr
    assert done.stdout.strip() == shown


@pytest.mark.slow
def test_a_loop_of_jit_stays_native_in_the_other_process(things):
    code = "f = things['positive']; f(np.ones(3)); print(f.inspect())"
    assert "native code" in run(things, code).stdout


@pytest.mark.slow
def test_an_error_shows_the_line_of_the_file_that_is_there_no_more(things):
    done = run(things, "things['checked'](ag.constant(50))")
    assert "too large" in done.stderr
    assert "# this line" in done.stderr
    assert "script.py" in done.stderr


@pytest.mark.slow
def test_another_file_of_the_same_name_is_not_taken_for_the_source(things, tmp_path):
    (tmp_path / "things.pickle").write_bytes((things / "things.pickle").read_bytes())
    (things / "script.py").write_text(SCRIPT.replace("n - 1", "n - 1000"))
    try:
        done = run(things, "print(int(things['collatz'](ag.constant(7))))")
    finally:
        (things / "script.py").unlink()
    assert done.stdout.strip() == "15", done.stderr


@pytest.mark.slow
def test_a_pickle_can_be_sent_on(things):
    code = (
        "import cloudpickle\n"
        "again = pickle.loads(cloudpickle.dumps(things['collatz']))\n"
        "print(int(again(ag.constant(7))))"
    )
    done = run(things, code)
    assert done.stdout.strip() == "15", done.stderr


def lambda_of(name: str) -> types.FunctionType:
    return eval(f"lambda: {name!r}")  # noqa: S307 - a constant


def test_code_is_told_apart_by_its_constants_and_not_by_its_file():
    one, other = lambda_of("a").__code__, lambda_of("b").__code__
    assert pickled_sources.digest_of_code(one) != pickled_sources.digest_of_code(other)
    moved = one.replace(co_filename="elsewhere.py")
    assert pickled_sources.digest_of_code(one) == pickled_sources.digest_of_code(moved)


def test_a_process_remembers_the_sources_of_a_bounded_number_of_functions(monkeypatch):
    monkeypatch.setattr(pickled_sources, "MOST", 3)
    monkeypatch.setattr(pickled_sources, "FILES", {})
    for count in range(5):
        pickled_sources.loaded({"<cell 1>": ("x = 1\n", [bytes([count])])})
    assert list(pickled_sources.FILES) == [b"\2", b"\3", b"\4"]


def test_sources_are_those_of_the_module_of_a_function_and_not_of_libraries():
    found = pickled_sources.sources_of(lambda_users)
    assert [*found] == [__file__]
    assert len(found[__file__][1]) == 2  # `lambda_users` and `lambda_of`


def lambda_users():
    return lambda_of(pickle.dumps(cloudpickle)), subprocess.run(["true"], check=False)
