"""Progress bars: where they are shown, and that they change nothing."""

import io
import sys

import pytest

import allograph as ag
from allograph.library.progress_bars import is_watched, watched


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal(monkeypatch):
    """Output on a terminal from here on. A fixture would be too early: pytest sets its own."""
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Terminal())
    return sys.stdout


def test_a_bar_on_a_terminal_has_the_label_and_vanishes(monkeypatch):
    shown = terminal(monkeypatch)
    assert list(watched("ab", "reading", 2)) == ["a", "b"]
    assert "reading" in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[2K")  # erases its line


def test_a_bar_vanishes_when_the_loop_is_left(monkeypatch):
    shown = terminal(monkeypatch)
    items = watched("ab", "reading", None)
    next(items)
    items.close()
    assert "reading" in shown.getvalue()


def test_where_nobody_watches_there_is_no_bar(capsys):
    assert not is_watched()
    assert list(watched("ab", "reading", 2)) == ["a", "b"]
    assert capsys.readouterr().out == ""


def test_predict_and_evaluate_show_a_bar_unless_told_not_to(monkeypatch):
    shown = terminal(monkeypatch)
    model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = ag.ones([4, 2]).numpy()
    model.predict(x, verbose=0)
    model.evaluate(x, x[:, :1], verbose=0)
    assert shown.getvalue() == ""
    model.predict(x)
    model.evaluate(x, x[:, :1])
    assert "predict" in shown.getvalue() and "evaluate" in shown.getvalue()


def test_fit_shows_a_bar_and_then_a_line_for_each_epoch(monkeypatch):
    shown = terminal(monkeypatch)
    model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = ag.ones([4, 2]).numpy()
    model.fit(x, x[:, :1], epochs=2)
    assert "Epoch 1/2 - loss: " in shown.getvalue()
    assert "Epoch 2/2 - loss: " in shown.getvalue()
