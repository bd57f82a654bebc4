"""ALLOGRAPH_DEBUG, and the text form of programs."""

import re
from textwrap import dedent

import pytest

import allograph as ag


def scaled(x):
    y = -(-x) * 2.0
    if ag.reduce_sum(y) > 0:
        y = ag.matmul(y, y)
    return y + 1.0


def told(capfd, monkeypatch, topics: str, **options) -> str:
    """What a first call of a new function prints on the error stream."""
    monkeypatch.setenv("ALLOGRAPH_DEBUG", topics)
    capfd.readouterr()
    ag.function(scaled, **options)(ag.ones([2, 2]))
    printed = capfd.readouterr()
    assert printed.out == ""
    return printed.err


@pytest.mark.parametrize(
    "topic, expected",
    [
        ("graph", r"---- graph: scaled\ngraph scaled\(x: float32\[2,2\]\)"),
        ("passes", r"---- passes: scaled after \w+\ngraph scaled\("),
        ("program", r"---- program: scaled\nprogram scaled\(x: float32\[2,2\]\)"),
        ("kernels", r"---- kernels: scaled\ndef kernel\("),
    ],
)
def test_a_topic_is_printed_as_it_comes_to_be(topic, expected, capfd, monkeypatch):
    if topic == "kernels":
        pytest.importorskip("llvmlite")
    text = told(capfd, monkeypatch, topic, jit_compile=True if topic == "kernels" else None)
    assert re.search(expected, text)
    assert set(re.findall("^---- (.*?):", text, re.MULTILINE)) == {topic}


def test_generated_code_is_printed_when_it_is_made(capfd, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_DEBUG", "code, graph")

    def fresh(x):
        return -x if x > 0 else x

    ag.function(fresh)(ag.constant(1.0))
    text = capfd.readouterr().err
    assert text.index("def tf__fresh(x):") < text.index("---- graph: fresh")


def test_an_unknown_topic_warns_with_the_topics_there_are(capfd, monkeypatch):
    with pytest.warns(UserWarning, match="there is no 'grpah'; the topics are all, code, graph"):
        told(capfd, monkeypatch, "grpah")


def test_without_topics_nothing_is_printed(capfd, monkeypatch):
    assert told(capfd, monkeypatch, "") == ""


def test_the_text_of_a_program():
    program = ag.function(scaled).get_concrete_function(ag.ones([2, 2])).program
    assert str(program) == dedent("""\
        program scaled(x: float32[2,2]) -> (add):
          1 call const: float32[] = const() value=array('float32', (), (2.0,))
          2 call const_1: float32[] = const() value=array('float32', (), (0.0,))
          3 nest over [2,2], stores multiply, reduce_sum:
              memory: multiply in caller buffer 1
              multiply: float32[2,2] = multiply(x, const)
              reduce_sum: float32[] = reduce_sum(multiply) axis=None keepdims=False
          4 nest over [], stores greater:
              greater: bool[] = greater(reduce_sum, const_1)
          5 branch on greater -> (if: float32[2,2]):
              then (capture) -> (matmul):
                1 call matmul: float32[2,2] = matmul(capture, capture)
                    schedule: loops
                    memory: matmul in caller buffer 2
                memory: if over matmul
              else (capture) -> (capture):
                memory: if over capture
              free multiply
          6 call const_2: float32[] = const() value=array('float32', (), (1.0,))
          7 nest over [2,2], stores add:
              schedule: one loop over all elements
              memory: add over if
              add: float32[2,2] = add(if, const_2)
              free if
        """)
