"""Features for all functions: whether lists grow in staged loops."""

import pytest
from language_kit import plain

import allograph as ag

Feature = ag.autograph.experimental.Feature
set_default_features = ag.autograph.experimental.set_default_features


def squares(n):
    found = []
    for i in ag.range(n):
        found.append(i * i)
    return found


@pytest.fixture
def lists():
    set_default_features(Feature.LISTS)
    yield
    set_default_features()


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("strict", [False, True])
def test_a_list_grows_where_the_features_of_all_functions_have_lists(strict):
    assert plain(ag.function(squares, strict=strict)(ag.constant(4))) == [0, 1, 4, 9]


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("features", [Feature.NAME_SCOPES, Feature.all_but(Feature.LISTS)])
def test_the_features_of_one_function_stand_for_themselves(features):
    f = ag.function(squares, experimental_autograph_options=features)
    with pytest.raises(TypeError, match="out of scope"):
        f(ag.constant(4))


@pytest.mark.usefixtures("lists")
def test_a_list_from_outside_is_filled_once_while_tracing():
    found = []

    @ag.function
    def f(n):
        for i in ag.range(n):
            found.append(i)

    f(ag.constant(3))
    assert len(found) == 1 and not hasattr(found[0], "numpy")


@pytest.mark.usefixtures("lists")
def test_items_of_two_shapes_are_refused_with_a_cure():
    @ag.function
    def f(x, n):
        rows = []
        for _ in ag.range(n):
            rows.append(x)
            rows.append(x[1:])
        return rows

    with pytest.raises(ag.errors.InvalidArgumentError, match="(?s)shape .2,.*pad the items"):
        f(ag.ones([3]), ag.constant(1))


@pytest.mark.usefixtures("lists")
def test_what_is_no_tensor_is_refused_where_it_is_appended():
    @ag.function
    def f(n):
        rows = []
        for _ in ag.range(n):
            rows.append(object())
        return n

    with pytest.raises(NotImplementedError, match="holds tensors, not"):
        f(ag.constant(1))
