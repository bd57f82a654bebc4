"""Tracebacks of decorated functions: the caller, one frame of this package, the user's lines."""

import traceback

import pytest

import allograph as ag


@ag.function
def item(x, place):
    return x[place]


@ag.function
def raises(x):
    raise KeyError("no")


@ag.function
def outer(x):
    return item(x, 7) + raises(x)


def frames_of(function, *args):
    with pytest.raises(LookupError) as caught:
        function(*args)
    rows = traceback.extract_tb(caught.value.__traceback__)
    return [row.name for row in rows if row.name != "frames_of"]


@pytest.mark.parametrize(
    "function, args, lines",
    [
        (item, (ag.ones([2]), ag.constant(5)), []),
        (raises, (ag.ones([2]),), ["raises"]),
        (outer, (ag.ones([2]),), ["outer", "item"]),
    ],
    ids=["run", "trace", "nested"],
)
def test_a_traceback_is_short(function, args, lines):
    for _ in range(4):  # by the general way, and by the fast one
        made = frames_of(function, *args)
        assert [name for name in made if name in ("item", "raises", "outer")] == lines
        assert len(made) <= len(lines) + 2


def test_every_frame_is_there_on_request(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_FULL_TRACEBACK", "1")
    assert len(frames_of(item, ag.ones([2]), ag.constant(5))) > 4
