"""The harness of the benchmarks: turns, ratios, verdicts and the table."""

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "harness.py"


class Clock:
    """Time that passes only when a contestant takes some."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def take(self, seconds):
        def contestant():
            self.now += seconds

        return contestant


@pytest.fixture(scope="module")
def harness():
    spec = importlib.util.spec_from_file_location("harness_of_the_benchmarks", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def measured(harness, monkeypatch):
    clock = Clock()
    strftime = harness.time.strftime
    monkeypatch.setattr(
        harness, "time", SimpleNamespace(perf_counter=clock.perf_counter, strftime=strftime)
    )

    def measured(**options):
        contestants = {"ours": clock.take(0.004), "theirs": clock.take(0.001)}
        return harness.measure(harness.Workload("work", contestants, rounds=3, **options))

    return measured


def test_the_score_is_the_ratio_of_the_first_to_the_reference(measured):
    result = measured(reference="theirs", limit=2.0)
    assert result.score == pytest.approx(4.0)
    assert result.verdict == "NO"


def test_the_score_can_be_the_seconds_that_the_first_takes_longer(measured):
    result = measured(reference="theirs", limit=0.01, difference=True)
    assert result.score == pytest.approx(0.003)
    assert result.verdict == "yes"


def test_without_a_reference_the_score_is_the_median_of_the_seconds(measured):
    result = measured()
    assert result.score == result.seconds["ours"] == pytest.approx(0.004)
    assert result.verdict == ""


def test_the_contestants_take_turns_and_each_begins_once(harness):
    calls = []
    contestants = {name: (lambda name=name: calls.append(name)) for name in "ab"}
    harness.measure(harness.Workload("turns", contestants, rounds=4, sample_seconds=0.0))
    assert calls == ["a"] * 3 + ["b"] * 3 + ["a", "b", "b", "a"] * 2


def test_results_are_stored_as_numbers_and_as_a_table(harness, measured, tmp_path):
    text = harness.write([measured(reference="theirs", limit=9.0)], tmp_path)
    (row,) = json.loads((tmp_path / "latest.json").read_text("utf-8"))["results"]
    assert row["name"] == "work" and set(row["seconds"]) == {"ours", "theirs"}
    assert (tmp_path / "table.md").read_text("utf-8") == text
    assert (
        text.splitlines()[-1] == "| work | ours 4 ms, theirs 1 ms | 4.00x | at most 9.00x | yes |"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.5 s"), (0.035, "35 ms"), (1.2e-6, "1.2 us"), (3e-8, "30 ns"), (-0.002, "-2 ms")],
)
def test_a_duration_is_written_in_the_unit_that_suits(harness, seconds, text):
    assert harness.duration(seconds) == text
