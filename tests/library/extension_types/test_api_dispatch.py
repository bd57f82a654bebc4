"""What public functions mean for extension types, as the user registers it."""

import pytest

import allograph as ag


class Masked(ag.experimental.ExtensionType):
    values: ag.Tensor
    mask: ag.Tensor


VALUE = Masked([1.0, -2.0], [True, False])


@pytest.fixture
def registered():
    """Registers functions, and undoes it."""
    made = []

    def register(decorator, function):
        made.append(decorator(function))

    yield register
    for function in made:
        ag.experimental.unregister_dispatch_for(function)


def test_a_function_has_the_meaning_that_is_registered_for_a_type(registered):
    def concatenated(values: list[Masked], axis, name=None):
        return Masked(
            ag.concat([one.values for one in values], axis),
            ag.concat([one.mask for one in values], axis),
        )

    registered(ag.experimental.dispatch_for_api(ag.concat), concatenated)
    twice = ag.function(lambda x: ag.concat([x, x], 0))
    for found in (ag.concat([VALUE, VALUE], axis=0), twice(VALUE)):
        assert found.values.numpy().tolist() == [1, -2, 1, -2]
    assert ag.concat([[1], [2]], 0).numpy().tolist() == [1, 2]


def test_a_signature_says_which_parameters_have_the_type(registered):
    def total(input_tensor, axis=None, keepdims=False, name=None):
        return ag.reduce_sum(ag.where(input_tensor.mask, input_tensor.values, 0.0), axis, keepdims)

    decorator = ag.experimental.dispatch_for_api(ag.reduce_sum, {"input_tensor": Masked})
    registered(decorator, total)
    assert ag.reduce_sum(VALUE).numpy() == 1.0
    with pytest.raises(ValueError, match="no parameter has a type"):
        ag.experimental.dispatch_for_api(ag.reduce_sum)(lambda x: x)


def test_functions_of_elements_are_registered_together(registered):
    def one(function, x):
        return Masked(function(x.values), x.mask)

    def two(function, x, y):
        return Masked(function(x.values, y), x.mask)

    registered(ag.experimental.dispatch_for_unary_elementwise_apis(Masked), one)
    registered(ag.experimental.dispatch_for_binary_elementwise_apis(Masked, float), two)
    assert ag.abs(VALUE).values.numpy().tolist() == [1, 2]
    assert ag.multiply(VALUE, 2.0).values.numpy().tolist() == [2, -4]
    with pytest.raises((TypeError, ValueError)):
        ag.reduce_max(VALUE)


def test_without_registration_an_extension_value_is_refused():
    with pytest.raises((TypeError, ValueError)):
        ag.abs(VALUE)
    with pytest.raises(ValueError, match="not registered"):
        ag.experimental.unregister_dispatch_for(len)
