"""`GradientTape.why_none` says where the path from a source to a target ends."""

import re

import pytest

import allograph as ag

X = ag.constant([3.0, 1.0])
V = ag.Variable([1.0, 2.0])
FIXED = ag.Variable([1.0, 2.0], trainable=False)
COPY = ag.identity(X)


def why(function, source=X, watched=(X,)):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(list(watched))
        target = function()
    assert tape.gradient(target, source) is None
    return tape.why_none(target, source)


@pytest.mark.parametrize(
    ("function", "answer"),
    [
        (lambda: ag.cast(ag.argmax(X), ag.float32), "'argmax' .* of int64, which has no gradient"),
        (lambda: ag.where(X > 2, V, 0.0), "'greater' .* of bool, which has no gradient"),
        (lambda: ag.reduce_sum(ag.stop_gradient(X)) + V, "'stop_gradient' .* a constant for every"),
        (lambda: ag.reduce_sum(ag.floor(X) * V), "'floor' .* a constant for every gradient"),
        (lambda: ag.reduce_sum(COPY), "No recorded operation takes the source"),
        (lambda: [ag.reduce_sum(X), V + 1.0][1], "The target does not depend on the source"),
    ],
)
def test_the_operation_is_named_behind_which_no_gradient_comes_back(function, answer):
    assert re.search(answer, why(function))


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        (ag.constant([1.0, 1.0]), "does not watch the source: call tape.watch(source)"),
        (FIXED, "does not watch the source"),
        (ag.Variable(1.0), "was not read while the tape recorded"),
        (ag.constant([1, 2]), "of int32, which has no gradient: cast it"),
    ],
)
def test_a_source_that_is_not_watched_is_told(source, answer):
    assert answer in why(lambda: ag.reduce_sum(X * FIXED), source)


def test_in_a_function_the_line_is_told():
    answers = []

    @ag.function
    def function(x):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = V * ag.cast(ag.argmax(x), ag.float32)
        answers.append(tape.why_none(y, x))
        return y

    function(X)
    assert "'argmax' (" in answers[0]
    assert "test_why_none.py:" in answers[0]


def test_a_gradient_that_exists_is_told():
    with ag.GradientTape() as tape:
        tape.watch(X)
        y = X * 2.0
    assert tape.why_none(y, X) == "It is not None: the target depends on the source."


def test_a_tape_without_records_says_how_to_ask():
    with ag.GradientTape() as tape:
        tape.watch(X)
        y = X * 2.0
    tape.gradient(y, X)
    with pytest.raises(RuntimeError, match="persistent=True"):
        tape.why_none(y, X)
