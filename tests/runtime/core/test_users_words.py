"""Messages speak of the calling program: its name of the package, the source of its operands."""

import pytest

import allograph as ag


def test_the_operand_to_cast_is_named_as_the_user_wrote_it():
    total, counts = ag.constant(1.0), [ag.constant(2)]
    with pytest.raises(TypeError) as caught:
        total / counts[0]
    assert caught.value.cure == "Cast the int32 side: ag.cast(counts[0], ag.float32)"
    with pytest.raises(TypeError) as caught:
        ag.add(counts[0], total)
    assert caught.value.cure == "Cast the int32 side: ag.cast(counts[0], ag.float32)"
    with pytest.raises(TypeError) as caught:
        total += counts[0]
    assert caught.value.cure == "Cast the int32 side: ag.cast(counts[0], ag.float32)"
    with pytest.raises(TypeError) as caught:
        counts[0] < total  # noqa: B015
    assert caught.value.cure == "Cast the int32 side: ag.cast(counts[0], ag.float32)"


def test_operands_after_letters_outside_ascii_are_found():
    größe, anzahl = ag.constant(1.0), ag.constant(2)
    with pytest.raises(TypeError) as caught:
        ("ä", größe * anzahl)
    assert "ag.cast(anzahl, ag.float32)" in caught.value.cure


def test_an_expression_over_several_lines_names_the_parameter_of_the_operation():
    total, count = ag.constant(1.0), ag.constant(2)
    with pytest.raises(TypeError) as caught:
        ag.multiply(
            total,
            count,
        )
    assert caught.value.cure == "Cast the int32 side: ag.cast(y, ag.float32)"


def test_items_of_a_list_are_operands():
    first, second = ag.constant([1.0]), ag.constant([2])
    with pytest.raises(TypeError) as caught:
        ag.concat([first, second], 0)
    assert "ag.cast(second, ag.float32)" in caught.value.cure


def test_outputs_use_the_name_of_the_package_in_the_program():
    names: dict = {}
    exec("import allograph as tf\nx = tf.constant(1)\nshown = repr(x), repr(x.dtype)", names)
    assert names["shown"] == ("<tf.Tensor: shape=(), dtype=int32, numpy=1>", "tf.int32")
    assert repr(ag.constant(1)).startswith("<ag.Tensor:")


def test_the_name_that_a_notebook_gives_to_results_is_none_of_the_package():
    scope = {"_": ag, "_7": ag, "tensors": ag}
    assert eval("repr(tensors.range(2))", scope).startswith("<tensors.Tensor")
