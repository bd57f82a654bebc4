"""Profiles: each operation with its time, on the user's line."""

import json
import threading

import numpy as np
import pytest

import allograph as ag

profiler = ag.profiler.experimental


@pytest.fixture(autouse=True)
def stopped():
    yield
    try:
        profiler.stop(save=False)
    except RuntimeError:
        pass


def test_the_operations_of_a_function_are_on_their_lines(tmp_path):
    @ag.function
    def f(x):
        y = ag.tanh(x)  # first
        for _ in ag.range(3):
            y = y @ y  # many
        return y

    x = ag.ones([20, 20])
    f(x)
    with profiler.Profile(tmp_path) as profile:
        f(x)
    first = f.python_function.__code__.co_firstlineno + 2
    rows = {row.line: row for row in profile.recording.lines() if row.file == __file__}
    assert rows[first].operations == ("tanh",)
    assert (rows[first + 2].operations, rows[first + 2].count) == (("matmul",), 3)
    assert rows[first].seconds > 0
    assert "matmul" in profile.recording.table()


def test_native_functions_are_profiled_on_numpy():
    f = ag.function(lambda x: ag.sqrt(x) + 1.0, jit_compile=True)
    f(ag.ones([3]))
    profiler.start("unused")
    f(ag.ones([3]))
    names = [row.name for row in profiler.stop(save=False).rows]
    assert names[-2:] == ["sqrt", "add"]


def test_the_file_is_a_chrome_trace(tmp_path):
    with profiler.Profile(tmp_path), profiler.Trace("train", step_num=3, _r=1):
        ag.constant(1.0) + 2.0
    (path,) = (tmp_path / "plugins" / "profile").glob("*/*.trace.json")
    events = json.loads(path.read_text())["traceEvents"]
    assert [one["name"] for one in events] == ["add", "train"]
    add, train = events
    assert add["ph"] == "X"
    assert train["ts"] <= add["ts"] <= add["ts"] + add["dur"] <= train["ts"] + train["dur"]
    assert add["args"]["line"].startswith(__file__)
    assert add["args"]["outputs"] == ["float32[]"]
    assert train["args"]["step_num"] == "3"


def test_threads_have_rows_of_their_own(tmp_path):
    profiler.start(tmp_path)
    thread = threading.Thread(target=lambda: ag.constant(1) + 1)
    thread.start()
    thread.join()
    ag.constant(1) + 1
    events = profiler.stop(save=False).as_trace()["traceEvents"]
    assert [one["tid"] for one in events] == [0, 1]


def test_one_profile_at_a_time(tmp_path):
    with pytest.raises(RuntimeError, match="no profile"):
        profiler.stop()
    profiler.start(tmp_path)
    with pytest.raises(RuntimeError, match="already"):
        profiler.start(tmp_path)


def test_numerics_are_checked_while_profiling(tmp_path):
    ag.debugging.enable_check_numerics()
    profiler.start(tmp_path)
    try:
        with pytest.raises(ag.errors.InvalidArgumentError):
            ag.constant(1.0) / 0.0
    finally:
        ag.debugging.disable_check_numerics()


def test_calls_of_functions_of_jit_are_recorded_at_the_line_of_the_call(tmp_path):
    @ag.jit
    def double(a, by=2.0):
        return a * by

    with ag.profiler.experimental.Profile(tmp_path) as profile:
        for _ in range(3):
            double(np.ones(4))
        double(a=np.ones(4), by=3.0)
    double(np.ones(4))
    lines = profile.recording.lines()
    assert sorted((line.count, line.operations) for line in lines) == [
        (1, ("jit double",)), (3, ("jit double",)),
    ]  # fmt: skip
    assert all(line.file == __file__ for line in lines)
