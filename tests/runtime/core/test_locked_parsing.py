"""Source is parsed also while other threads do."""

import ast
import threading

import pytest

from allograph.autograph.syntax.parsing import parse
from allograph.runtime.core.parsing import parsed


@pytest.mark.parametrize("function", [parse, parsed])
def test_a_parser_that_met_another_one_parses_once_more(monkeypatch, function):
    real, calls = ast.parse, []

    def confused(source, *args, **options):
        calls.append(source)
        if len(calls) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=68, after=63)")
        return real(source, *args, **options)

    monkeypatch.setattr(ast, "parse", confused)
    assert len(function("x = 1\ny = 2").body) == 2
    assert len(calls) == 3


@pytest.mark.slow
def test_threads_parse_one_after_another(monkeypatch):
    real, inside = ast.parse, []

    def alone(source, *args, **options):
        inside.append(source)
        assert len(inside) == 1
        tree = real(source, *args, **options)
        inside.pop()
        return tree

    monkeypatch.setattr(ast, "parse", alone)
    errors = []

    def work():
        try:
            for _ in range(50):
                parsed("x = [" + "1 + 2, " * 100 + "]")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
