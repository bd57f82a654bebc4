"""Names of older code, and what stands in their place."""

import pytest

import allograph as ag


@pytest.mark.parametrize(
    "name",
    ["compat.v1.Graph", "compat.v2.function", "contrib.eager.GradientTape", "compat.v1.nn.relu"],
)
def test_the_namespaces_of_older_code_hold_the_names_of_today(name):
    old, new = ag, ag
    for part in name.split("."):
        old = getattr(old, part)
    for part in name.split(".")[2:]:
        new = getattr(new, part)
    assert old is new


@pytest.mark.parametrize("namespace", [ag.compat, ag.compat.v1, ag.contrib, ag.contrib.eager])
def test_a_name_that_never_was_is_none_there_either(namespace):
    with pytest.raises(AttributeError, match="nonsense"):
        _ = namespace.nonsense


def test_what_a_tensor_is():
    shown = []

    @ag.function
    def look(x):
        shown.extend([ag.is_tensor(x), ag.is_symbolic_tensor(x), ag.inside_function()])
        return x

    x = look(ag.constant(1))
    assert shown == [True, True, True]
    assert ag.is_tensor(x) and not ag.is_symbolic_tensor(x) and not ag.inside_function()
    assert ag.is_tensor(ag.Variable(1)) and not ag.is_tensor([1])
