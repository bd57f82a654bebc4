"""Name scopes of modules."""

import pytest

import allograph as ag


class Dense(ag.Module):
    def __init__(self, name=None):
        super().__init__(name)
        self.w = None

    @ag.Module.with_name_scope
    def __call__(self, x):
        if self.w is None:
            self.w = ag.Variable(1.0, name="w")
        if x > 0:
            x = x * self.w
        return x


class Stack(ag.Module):
    def __init__(self, name=None):
        super().__init__(name)
        with self.name_scope:
            self.first, self.second = Dense("a"), Dense("b")

    @ag.Module.with_name_scope
    def __call__(self, x):
        return self.second(self.first(x))


def test_variables_made_in_methods_carry_the_names_of_their_modules():
    stack = Stack("stack")
    stack(ag.constant(1.0))
    assert [v.name for v in stack.variables] == ["stack/a/w:0", "stack/b/w:0"]


def test_a_module_without_a_name_takes_that_of_its_class():
    assert Dense().name == "dense"
    with Dense().name_scope as scope:
        assert scope == "dense/"
    names = [type(name, (ag.Module,), {})().name for name in ("MLP", "MyMLPBlock2D", "_Pair")]
    assert names == ["mlp", "my_mlp_block2_d", "pair"]


def test_scoped_methods_are_converted_in_functions():
    dense = Dense("d")
    f = ag.function(lambda x: dense(x))
    assert [float(f(ag.constant(x))) for x in (2.0, -2.0)] == [2.0, -2.0]
    names = [node.name for node in f.get_concrete_function(ag.constant(1.0)).graph.nodes]
    assert all(name.startswith("d/") for name in names)


def test_a_module_name_is_an_identifier():
    with pytest.raises(ValueError, match="not a valid module name"):
        Dense("not a name")


def test_the_scope_of_a_module_has_its_name():
    assert Dense("a").name_scope.name == "a/"
    assert Stack("stack").first.name_scope.name == "stack/a/"


def test_a_scope_is_a_decorator_and_can_be_entered_twice():
    scope = ag.name_scope("outer")

    @scope
    def name():
        with scope:
            return ag.Variable(0).name

    assert [name(), name()] == ["outer/outer/Variable:0"] * 2
