"""The options of `convert`, `to_graph` and `to_code`."""

import pytest

import allograph as ag

LISTS = ag.autograph.experimental.Feature.LISTS
WAYS = [ag.autograph.to_graph, lambda of, **options: ag.autograph.convert(**options)(of)]


def size(x):
    return x if x > 0 else -x


class Sizes:
    def of(self, x):
        if x > 100:
            return x
        return size(x) + (lambda y: size(y))(x)


@pytest.mark.parametrize("way", [*WAYS, lambda of, **options: WAYS[1](Sizes().of, **options)])
def test_without_recursive_what_a_function_calls_runs_as_it_is(way):
    takes_self = () if way not in WAYS else (None,)
    alone, whole = (way(Sizes.of, recursive=recursive) for recursive in (False, True))
    assert alone(*takes_self, -3) == 6
    calls = [ag.function(of, autograph=False) for of in (alone, whole)]
    assert calls[1](*takes_self, ag.constant(-3)).numpy() == 6
    with pytest.raises(TypeError, match="as a Python bool is not allowed"):
        calls[0](*takes_self, ag.constant(-3))


@pytest.mark.parametrize("way", WAYS)
def test_features_hold_for_the_function(way):
    def squares(n):
        rows = []
        for i in ag.range(n):
            rows.append(i * i)
        return ag.stack(rows)

    options = {"experimental_optional_features" if way is WAYS[0] else "optional_features": LISTS}
    converted = ag.function(way(squares, **options), autograph=False)
    assert converted(ag.constant(4)).numpy().tolist() == [0, 1, 4, 9]


def test_the_code_shows_the_options():
    code = ag.autograph.to_code(size, recursive=False, experimental_optional_features=LISTS)
    assert "recursive=False, user_requested=True, optional_features=ag__.Feature.LISTS," in code
    assert "optional_features=()" in ag.autograph.to_code(size)
    nested = ag.autograph.to_code(lambda x: lambda: x, False, {LISTS}, laid_out=True)
    assert nested.count("recursive=False,") == nested.count("optional_features=ag__.") == 2
    several = ag.autograph.to_code(size, experimental_optional_features=[LISTS, LISTS])
    assert "optional_features=(ag__.Feature.LISTS, ag__.Feature.LISTS)," in several
