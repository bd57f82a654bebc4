"""Progress bars: where they are shown, and that they change nothing."""

import io
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import allograph as ag
from allograph.library import progress_bars
from allograph.library.progress_bars import LongWait, is_watched, shown_when_long, watched
from allograph.runtime.ir import rich_display


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


def test_a_pass_over_a_dataset_shows_a_bar_where_it_is_asked_for(monkeypatch, capsys):
    numbers = ag.data.Dataset.range(3).progress("reading")
    assert [int(x) for x in numbers] == [0, 1, 2]
    assert int(numbers.cardinality()) == 3
    assert capsys.readouterr().out == ""
    shown = terminal(monkeypatch)
    for _ in ag.data.Dataset.range(3):
        pass
    assert shown.getvalue() == ""
    for _ in numbers:
        pass
    assert "reading" in shown.getvalue() and "3/3" in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[2K")


def test_a_wait_that_takes_long_is_shown_until_it_ends(monkeypatch):
    shown = terminal(monkeypatch)
    monkeypatch.setattr(progress_bars, "PATIENCE", 0.0)
    with pytest.raises(KeyError), shown_when_long("compiling [f]") as wait:
        wait.timer.join()
        with shown_when_long("compiling a part of it") as inner:
            assert inner.timer is None
        raise KeyError
    assert "compiling [f]" in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[2K")
    assert not LongWait.is_inside


def test_a_short_wait_is_not_shown(monkeypatch):
    shown = terminal(monkeypatch)
    monkeypatch.setattr(progress_bars, "PATIENCE", 600.0)
    with shown_when_long("compiling f"):
        pass
    assert shown.getvalue() == ""


def test_who_wants_no_bars_says_so(monkeypatch):
    shown = terminal(monkeypatch)
    monkeypatch.setenv("ALLOGRAPH_PROGRESS", "0")
    assert list(watched("ab", "reading", 2)) == ["a", "b"]
    with shown_when_long("compiling f") as wait:
        assert wait.timer is None
    assert shown.getvalue() == ""


class Announced(Exception):
    pass


def test_a_call_that_compiles_says_what(monkeypatch):
    def announce(what):
        raise Announced(what)

    @ag.function(jit_compile=True)
    def doubled(x):
        return x * 2.0

    monkeypatch.setattr(rich_display, "_WAITS", [announce])
    with pytest.raises(Announced, match="compiling doubled"):
        doubled(1.0)
    with ThreadPoolExecutor(1) as pool:  # for other threads nobody waits
        pool.submit(rich_display.long_wait, "compiling").result()
