"""The harness of `make world`: what it copies, compares, leaves open, and records."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if str(BENCHMARKS) not in sys.path:  # scripts there import each other as top-level modules
    sys.path.append(str(BENCHMARKS))

from world import probe, reasons, report, units  # noqa: E402 - found by the lines above
from world.copies import NotCopiedError, copied  # noqa: E402
from world.differences import differences  # noqa: E402
from world.outcomes import contents, outcome_of, outer_arrays, restore, set_states, states  # noqa: E402
from world.unspecified import why_open  # noqa: E402

TABLE = np.arange(3.0)


def outcomes(function, other, *args):
    """The outcomes of two functions for copies of the same arguments, from the same states."""
    before, outer = states(), outer_arrays(function) | outer_arrays(other)
    saved, results = contents(outer), []
    for each in (function, other):
        set_states(before)
        restore(outer, saved)
        results.append(outcome_of(each, copied((args, {})), outer))
    restore(outer, saved)
    return results


def kinds(function, other, *args):
    return [(one.kind, one.where) for one in differences(*outcomes(function, other, *args))]


# ---- comparison ------------------------------------------------------------------------------


def changes_item(a, at=0):
    a[at] = 5.0


def changes_table():
    TABLE[0] = 7.0


def raises(kind, text):
    raise kind(text)


@pytest.mark.parametrize(
    ("function", "other", "args", "found"),
    [
        (lambda: 1, lambda: 2, (), ("value", "result")),
        (lambda: 1, lambda: 1.0, (), ("type", "result")),
        (lambda: 1, lambda: True, (), ("type", "result")),
        (lambda: 1.0, lambda: np.float64(1.0), (), ("type", "result")),
        (lambda: (1, [2.0]), lambda: (1, [3.0]), (), ("value", "result[1][0]")),
        (lambda: {1: 2}, lambda: {1: 3}, (), ("value", "result[1]")),
        (lambda: "a", lambda: "b", (), ("value", "result")),
        (lambda: np.arange(3), lambda: np.arange(3) * 2, (), ("value", "result")),
        (lambda: np.zeros(3), lambda: np.zeros(3, "f4"), (), ("dtype", "result")),
        (lambda: np.zeros(3), lambda: np.zeros(3, ">f8"), (), ("dtype", "result")),
        (lambda: np.zeros(3), lambda: np.zeros((3, 1)), (), ("shape", "result")),
        (lambda: np.zeros(3), lambda: -np.zeros(3), (), ("value", "result")),
        (changes_item, lambda a: None, (np.zeros(3),), ("value", "argument 0")),
        (changes_item, lambda a: changes_item(a, 1), (np.zeros(3),), ("value", "argument 0")),
        (changes_table, lambda: None, (), ("value", "outer array TABLE")),
        (lambda a: a[1:], lambda a: a[1:].copy(), (np.zeros(3),), ("shared memory", "result 0")),
        (lambda a: a, lambda a: a[:], (np.zeros(3),), ("shared memory", "result 0")),
        (lambda: raises(ValueError, "x"), lambda: 1, (), ("error", "the call")),
        (lambda: 1, lambda: raises(ValueError, "x"), (), ("error", "the call")),
        (lambda: raises(KeyError, "x"), lambda: raises(TypeError, "x"), (), ("error", "the call")),
        (lambda: raises(KeyError, "x"), lambda: raises(KeyError, "y"), (), ("error", "the call")),
        (lambda: print("a"), lambda: print("b"), (), ("output", "the call")),
        (lambda: np.random.rand(3)[:0].size, lambda: 0, (), ("state", "np.random")),
        (lambda: random.random() < 0, lambda: False, (), ("state", "random")),
        (lambda r: r.bit_generator.advance(1) and None, lambda r: None,
         (np.random.Generator(np.random.PCG64(1)),), ("state", "argument 0")),
    ],
)  # fmt: skip
def test_a_difference_is_found(function, other, args, found):
    assert found in kinds(function, other, *args)
    assert kinds(function, function, *args) == []


def test_a_nan_equals_one_of_another_sign():
    assert kinds(lambda: np.array([np.nan]), lambda: np.array([-np.nan])) == []


def test_addresses_in_texts_are_not_compared():
    assert kinds(lambda: raises(ValueError, "at 0x12"), lambda: raises(ValueError, "at 0x13")) == []


def test_where_the_stack_ended_is_not_compared():
    other = lambda: raises(RecursionError, "exceeded in comparison")
    assert kinds(lambda: raises(RecursionError, "exceeded"), other) == []


# ---- copies ----------------------------------------------------------------------------------


def test_copies_keep_strides_flags_and_shared_memory():
    whole = np.arange(24.0).reshape(4, 6)
    fixed = whole.T
    fixed.flags.writeable = False
    new, reversed_, new_fixed = copied((whole, [whole[::-1, ::2]], fixed))
    assert new_fixed.strides == fixed.strides and not new_fixed.flags.writeable
    assert np.array_equal(reversed_[0], whole[::-1, ::2])
    new[3, 0] = 50.0
    assert reversed_[0][0, 0] == 50.0 and whole[3, 0] == 18.0


def test_a_value_that_cannot_be_copied_is_refused():
    with pytest.raises(NotCopiedError, match="type generator"):
        copied(one for one in ())


# ---- what is open ----------------------------------------------------------------------------


def rule(function, other, *args):
    python, ours = outcomes(function, other, *args)
    found = differences(python, ours)
    return why_open(found, python, lambda own: outcome_of(function, own, {}), (args, {}))


def test_the_last_bits_of_a_float_are_open():
    assert rule(lambda: 1.0, lambda: 1.0 + 2.0**-51) == "rounding"
    assert rule(lambda: 1.0, lambda: 1.0 + 2e-13) is None
    assert rule(lambda: np.zeros(2), lambda: -np.zeros(2)) is None


def test_the_order_of_a_sum_is_open_and_a_missing_item_is_not():
    a = np.random.default_rng(0).normal(size=1000) * 1e6
    a = np.concatenate([a, -a[::-1] + 1e-9])
    assert rule(np.sum, lambda a: a[::-1].cumsum()[-1], a) == "conditioning"
    assert rule(np.sum, lambda a: a[1:].sum(), a) is None


def test_what_the_last_bit_of_an_elementary_function_decides_is_open():
    def steps(n):
        x = 0.5
        for _ in range(n):
            x = 3.9 * x * (1.0 - x) + 1e-3 * np.exp(x)
        return int(x * 1e6), x

    def others(n):
        x = 0.5
        for _ in range(n):
            x = 3.9 * x * (1.0 - x) + 1e-3 * float(np.exp(x) * (1 + 2**-52))
        return int(x * 1e6), np.float64(x)

    assert rule(steps, others, 80) == "conditioning"
    assert rule(steps, lambda n: (steps(n)[0] + 1, steps(n)[1]), 2) is None


@pytest.mark.parametrize(("values", "found"), [([3.0, 1.0], "not sorted"), ([1.0, 3.0], None)])
def test_where_a_value_belongs_in_an_array_that_is_not_sorted_is_open(values, found):
    arguments = (np.array(values),), {}
    run = lambda own: outcome_of(lambda a: 1, own, {})
    python, ours = outcomes(lambda a: 1, lambda a: 2, *arguments[0])
    assert why_open(differences(python, ours), python, run, arguments, ("searchsorted",)) == found
    assert why_open(differences(python, ours), python, run, arguments, ("interp",)) is None


def test_a_function_that_does_not_repeat_is_open():
    calls = iter(range(100))
    assert rule(lambda: next(calls), lambda: -1) == "not repeatable"


@pytest.mark.parametrize(
    ("function", "other"),
    [
        (lambda: np.ones(3), lambda: np.ones(3, "f4")),
        (lambda: 1, lambda: 2),
        (lambda: np.array([1.0, np.inf]), lambda: np.array([1.0, np.nan])),
        (lambda: raises(ValueError, "x"), lambda: 1),
    ],
)
def test_other_differences_are_never_open(function, other):
    assert rule(function, other) is None


# ---- probes ----------------------------------------------------------------------------------


@pytest.fixture
def records(monkeypatch):
    rows = []
    monkeypatch.setattr(probe, "SETTINGS", probe.Settings(write=rows.append))
    return rows


def statuses(records):
    return [one["status"] for one in records if one["status"] != "running"]


def probed(function):
    return probe.Probe(function, lambda own: own)


def test_a_call_runs_python_for_its_caller_and_jit_beside_it(records):
    @probed
    def double(a):
        print("doubled")
        a *= 2
        return a

    a = np.ones(3)
    assert double(a) is a and a.tolist() == [2.0, 2.0, 2.0]
    assert statuses(records) == ["equal"]


def test_a_wrong_result_of_jit_is_recorded(records, monkeypatch):
    @probed
    def half(x):
        return x / 2

    monkeypatch.setattr(half, "by_jit", lambda x: x / 2 + 1e-9)
    assert half(3.0) == 1.5
    (record,) = [one for one in records if one["status"] == "wrong"]
    assert record["text"].startswith("value of result") and "3.0" in record["arguments"]


def test_calls_inside_are_compared_for_themselves(records, monkeypatch):
    @probed
    def inner(x):
        return x + 1

    @probed
    def outer(x):
        return inner(x) * 2

    monkeypatch.setattr(inner, "by_jit", lambda x: x)
    assert outer(2.0) == 6.0
    rows = [(one["function"].rpartition(".")[2], one["status"]) for one in records]
    assert ("inner", "wrong") in rows and ("outer", "equal") in rows


def test_native_code_and_reasons_are_recorded(records):
    shown = probed(lambda a: f"{a[0]}")
    probed(lambda a: a + 1.0)(np.ones(3))
    shown(np.ones(3))
    first, second = [one for one in records if one["status"] == "equal"]
    assert first["native"] and first["reason"] is None
    assert not second["native"] and second["reason"]


def test_a_probe_that_a_function_calls_is_inlined(records):
    @probed
    def inner(x):
        return x * x

    @probed
    def outer(a):
        total = 0.0
        for x in a:
            total += inner(x)
        return total

    outer(np.ones(3))
    assert [one["native"] for one in records if one["status"] == "equal"] == [True] * 4


def test_an_exception_reaches_the_caller(records):
    with pytest.raises(KeyError, match="x"):
        probed(lambda: raises(KeyError, "x"))()
    assert statuses(records) == ["equal"]


def test_a_reason_that_names_a_class_of_ours_is_found():
    assert reasons.internal_names("'TracedScalar' object has no `foo`") == ["TracedScalar"]
    assert reasons.internal_names("a TypeError of np.ndarray, in JitFunction") == ["JitFunction"]
    assert reasons.internal_names("the array of DType float16 grows") == []
    assert reasons.is_exception_of_tracing("ValueError: zip() argument 2 is longer")
    assert not reasons.is_exception_of_tracing("a list of several types: 1.0")


def test_the_decorator_takes_the_options_of_numba():
    def numbas(*args, **options):
        return lambda function: (args, options)

    own = probe.decorator(numbas, probe.Probe)
    for made in (own(raises), own("f8(f8)")(raises), own(nopython=True, cache=True)(raises)):
        assert isinstance(made, probe.Probe) and made.py_func is raises


# ---- reports ---------------------------------------------------------------------------------


def row(**counts):
    shares = "native", "not native", "native functions", "functions that return"
    empty = dict.fromkeys((*report.COLUMNS, *shares), 0)
    return {**empty, "over Numba": [], "first over Numba": [], **counts}


def test_the_table_has_a_line_for_each_group_and_one_for_all():
    rows = {"numba: a": row(calls=3, native=1), "numba: b": row(calls=4), "x: x": row(calls=5)}
    rows["x: x"]["over Numba"] = [0.5, 2.0, 8.0]
    lines = report.table(rows).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| numba", "| x", "| all"]
    rows["x: x"] |= {"native functions": 3, "functions that return": 4}
    assert "75 % of 4" in report.table(rows).splitlines()[3]
    assert " 7 " in lines[2] and " 12 " in lines[4] and "2.00 of 3" in lines[3]


def test_reasons_are_ranked_by_the_functions_that_have_them():
    own = [("f", "a list of 3"), ("g", "a list of 40"), ("h", "strings")]
    records = [{"unit": "u", "function": name, "reason": why} for name, why in own]
    lines = report.reasons(records).splitlines()
    assert re.search(r"2 functions: a list of N", lines[1]) and "1 functions: strings" in lines[2]


def test_changes_name_what_became_wrong():
    before = {"units": {"u: m": row(calls=3)}, "records": []}
    wrong = {"unit": "u", "function": "f", "status": "wrong"}
    after = {"units": {"u: m": row(calls=3, wrong=1)}, "records": [wrong]}
    assert "wrong now: u f" in report.changes(before, after)
    assert "u: m: wrong 0 -> 1" in report.changes(before, after)
    assert report.changes(after, after) == "No changes."


def test_each_package_is_installed_and_has_tests_or_a_driver():
    folder = BENCHMARKS / "world"
    lines = (folder / "requirements.txt").read_text("utf-8").splitlines()
    names = {line for line in lines if not line.startswith("#")}
    assert names == {"numba", "pytest", "plotly<6"} | set(units.PACKAGES)
    for name, modules in units.PACKAGES.items():
        assert modules or (folder / "drivers" / f"{name.replace('-', '_')}.py").exists()


# ---- processes -------------------------------------------------------------------------------

CRASHING = """
import os, signal, unittest
from numba import njit

fails = njit(lambda x: x)
fails.by_jit = lambda x: os.kill(os.getpid(), signal.SIGKILL)

class Cases(unittest.TestCase):
    def test_crash(self):
        fails(1)

    def test_other(self):
        self.assertEqual(njit(lambda x: x + 1)(1), 2)
"""


@pytest.mark.slow
def test_a_call_that_ends_its_process_does_not_end_the_run(tmp_path):
    (tmp_path / "numba_tests").mkdir()
    (tmp_path / "numba_tests" / "__init__.py").touch()
    (tmp_path / "numba_tests" / "test_crashing.py").write_text(CRASHING)
    command = [sys.executable, BENCHMARKS / "world" / "run.py", "test_crashing", "--times", "none"]
    command += ["--build", tmp_path, "--results", tmp_path / "results.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    (found,) = json.loads((tmp_path / "results.json").read_text("utf-8"))["units"].values()
    assert (found["crash"], found["equal"]) == (1, 1), done.stdout
    assert SimpleNamespace(**found).functions == 2
