"""Texts are parsed, whatever other threads parse meanwhile."""

import ast

import pytest

from allograph.autograph.syntax import parsing


def test_a_text_that_met_another_thread_is_parsed_again(monkeypatch):
    plain, failures = ast.parse, [SystemError("recursion depth mismatch")] * 2

    def meets_others(text):
        if failures:
            raise failures.pop()
        return plain(text)

    monkeypatch.setattr(parsing.ast, "parse", meets_others)
    assert ast.dump(parsing.parse("x = 1")) == ast.dump(plain("x = 1"))


def test_an_error_in_the_text_stays_one():
    with pytest.raises(SyntaxError):
        parsing.parse("x = = 1")
