"""Source is parsed also while other threads do."""

import ast
import threading

import pytest

from allograph.runtime.core.parsing import parsed


def test_a_parser_that_met_another_one_parses_once_more(monkeypatch):
    real, calls = ast.parse, []

    def confused(source, *args, **options):
        calls.append(source)
        if len(calls) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=68, after=63)")
        return real(source, *args, **options)

    monkeypatch.setattr(ast, "parse", confused)
    assert len(parsed("x = 1\ny = 2").body) == 2
    assert len(calls) == 3


def test_an_error_in_the_text_stays_one():
    with pytest.raises(SyntaxError):
        parsed("x = = 1")


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
