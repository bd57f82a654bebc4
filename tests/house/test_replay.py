"""`make replay` finds what differs between the records of two trees, and records every stage."""

import io
import json

import pytest
from replay.compare import Comparison, Records, digest, rename_rules
from replay.recorder import Recorder
from replay.stages import normalized

import allograph as ag

KERNEL = "def kernel(x1):\n    lane = x1 + 1\n    return (lane, plane)\n"


def records(program: str = "p", **texts: str) -> Records:
    """Records of one program: a text for each stage."""
    found = Records()
    for stage, text in texts.items():
        found.add({"case": f"{program} | f 1", "stage": stage, "hash": digest(text), "text": text})
    return found


def recorded(function, *specs, thorough: bool = False) -> dict[str, str]:
    """The texts of what a function is traced to, by stage."""
    file = io.StringIO()
    with Recorder(file, thorough=thorough).installed() as recorder:
        ag.function(function).get_concrete_function(*specs)
        recorder.flush("case")
    rows = list(map(json.loads, file.getvalue().splitlines()))
    texts = {row["hash"]: row["text"] for row in rows if "text" in row}
    return {row["stage"]: texts[row["hash"]] for row in rows}


def test_equal_records_have_no_difference():
    found = Comparison(records(kernel=KERNEL), records(kernel=KERNEL))
    assert found.is_equal
    assert "1 texts compared" in found.report()


def test_a_changed_kernel_is_a_difference_and_is_shown():
    found = Comparison(records(kernel=KERNEL), records(kernel=KERNEL.replace("+ 1", "+ 2")))
    assert not found.is_equal
    assert "-    lane = x1 + 1\n+    lane = x1 + 2" in found.report(show=1)


def test_no_more_differences_are_shown_than_asked_for():
    found = Comparison(records(kernel=KERNEL), records(kernel="pass"))
    assert "lane" not in found.report(show=0)


def test_a_missing_case_is_a_difference():
    found = Comparison(records(kernel=KERNEL), Records())
    assert not found.is_equal
    assert "programs missing: p" in found.report()


def test_a_missing_stage_is_a_difference():
    found = Comparison(records(kernel=KERNEL, plan="a"), records(plan="a"))
    assert not found.is_equal
    assert "p | f 1 | kernel: missing" in found.report()


def test_a_stage_that_was_not_there_is_a_difference():
    assert not Comparison(records(plan="a"), records(kernel=KERNEL, plan="a")).is_equal


def test_a_program_that_was_not_there_is_no_difference():
    found = Comparison(Records(), records(kernel=KERNEL))
    assert found.is_equal
    assert "programs added: p" in found.report()


def test_a_program_may_have_another_name():
    found = Comparison(records(kernel=KERNEL), records(program="q", kernel=KERNEL))
    assert found.is_equal
    assert "programs with another name and the same texts: 1" in found.report()


def test_a_program_with_another_name_and_another_text_is_missing():
    found = Comparison(records(kernel=KERNEL), records(program="q", kernel="pass"))
    assert not found.is_equal


def test_a_renamed_word_is_no_difference():
    new = records(kernel=KERNEL.replace("lane ", "row ").replace("(lane", "(row"))
    assert not Comparison(records(kernel=KERNEL), new).is_equal
    rules = rename_rules("lane row  # in loops\n\n")
    assert Comparison(records(kernel=KERNEL).renamed(rules), new).is_equal


def test_a_rename_replaces_whole_words_only():
    renamed = records(kernel=KERNEL).renamed(rename_rules("lane row"))
    assert renamed.text(("p | f 1", "kernel")).endswith("return (row, plane)\n")


def test_a_rule_that_is_no_pair_of_words_is_refused():
    with pytest.raises(ValueError, match="line 2: 'old new' is expected"):
        rename_rules("lane row\nturn\n")


def test_every_stage_of_a_function_is_recorded():
    def half_of_large(x):
        if ag.reduce_sum(x) > 1.0:
            x = x * 0.5
        return x

    found = recorded(half_of_large, ag.TensorSpec([2000], ag.float32))
    assert "ag__.if_stmt" in found["generated source"]
    assert "= if(" in found["graph"]
    assert "reduce_sum" in found["optimized graph"]
    assert "branch on" in found["program"]
    assert "def plan(" in found["plan"]
    types = "# (float32[2000], float32[2000]) -> (float32[2000])"
    assert found["kernel"].startswith(types + "\ndef kernel(")


def test_a_thorough_record_has_the_instructions_for_llvm():
    found = recorded(lambda x: x * 2.0, ag.TensorSpec([2000], ag.float32), thorough=True)
    assert "fmul" in found["instructions"]


def test_a_thorough_record_has_what_goes_on_with_a_running_loop():
    def doubled(n):
        x = 1.0
        for _ in ag.range(n):
            x = x * 2.0
        return x

    found = recorded(doubled, ag.TensorSpec([], ag.int32), thorough=True)
    assert "= while(" in found["rests of loops"]


def test_what_has_no_native_form_is_recorded_with_the_kernels_around_it():
    def shown(x):
        for _ in ag.range(3):
            x = x * 2.0 + 1.0
        ag.py_function(lambda: None, [], [])
        return x

    found = recorded(shown, ag.TensorSpec([2000], ag.float32))
    assert found["kernel"].startswith("not native: ")
    assert "def kernel(" in found["kernels of steps"]


def test_unknown_shapes_are_recorded_for_some_known_ones_too():
    found = recorded(lambda x: ag.reduce_sum(x * x), ag.TensorSpec([None], ag.float32))
    assert found["kernel"].startswith("not native: ")
    assert "float32[5]" in found["specialized kernel"]


def test_recording_twice_gives_the_same_texts():
    spec = ag.TensorSpec([2000], ag.float32)
    first, second = (recorded(lambda x: x * ag.reduce_sum(x), spec) for _ in range(2))
    for stage in ("generated source", "number of conversions"):  # a function is converted once
        assert first.pop(stage)
    assert first == second


def test_functions_run_while_they_are_recorded():
    with Recorder(io.StringIO()).installed():
        double = ag.function(lambda x: x * 2.0, jit_compile=True)
        assert float(double(ag.constant(1.5))) == 3.0


def test_places_and_addresses_make_no_difference():
    text = "x = relu(y)    # /home/me/tree/tests/a.py:12\n<f at 0x7f01>, /home/me/tree/b.py"
    assert normalized(text, ("/home/me/tree",)) == (
        "x = relu(y)    # <span>\n<f at <address>>, <tree>/b.py"
    )
