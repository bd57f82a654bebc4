"""Laws of every operation: written once, held by all that are registered."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from op_samples import NEEDS_MORE, all_samples, as_result
from public_objects import public_objects

import allograph as ag
from allograph.runtime.core.dtypes import FROM_NUMPY
from allograph.runtime.core.errors import InvalidArgumentError
from allograph.runtime.core.public_names import lookup
from allograph.runtime.core.shapes import is_subshape
from allograph.runtime.executors.executable import Executable
from allograph.runtime.ir.constant_values import constant_value
from allograph.runtime.ir.graph import Value
from allograph.runtime.ir.node_properties import gives_new_array
from allograph.runtime.ir.op import TABLE
from allograph.runtime.tensors.graph_builder import Builder

SAMPLES = all_samples()
BY_RANDOM = {"random_draw", "shuffle"}
BY_SIZE_OF_DTYPE = {"bitcast", "py_function", "stack_peek"}  # an attribute names the data type


def test_an_operation_has_arguments_to_be_tried_with():
    assert TABLE.keys() <= SAMPLES.keys() | NEEDS_MORE


def values_of(sample, hide=None, known=True):
    """The inputs as a graph sees them: sizes hidden by `hide(shape)`, integers known or not."""
    made = []
    for array, (dtype, shape) in zip(sample.arrays, sample.specs, strict=True):
        is_known = known and hide is None and array.size <= 64
        made.append(Value(dtype, hide(shape) if hide else shape, "x", array if is_known else None))
    return made


def specs_of(sample, values):
    made = sample.op.result(*values, **sample.attrs)
    return [made] if hasattr(made, "dtype") else list(made)


HIDDEN = {
    "sizes": lambda shape: (None,) * len(shape),
    "first size": lambda shape: (None, *shape[1:]) if shape else shape,
    "last size": lambda shape: (*shape[:-1], None) if shape else shape,
    "rank": lambda shape: None,
}


def assert_same(found, expected, units=0):
    """Equal types, shapes and values, floats up to a few last-place units; NaN equals NaN."""
    assert len(found) == len(expected)
    for one, other in zip(map(as_result, found), expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if units and one.dtype.kind in "fc":
            near = units * np.finfo(one.dtype).eps
            np.testing.assert_allclose(one, other, rtol=near, atol=near)
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", sorted(SAMPLES))
class TestEveryOperation:
    def test_the_result_rule_predicts_type_and_shape(self, name):
        for sample in SAMPLES[name]:
            specs = specs_of(sample, values_of(sample))
            for spec, result in zip(specs, sample.run(), strict=True):
                assert spec.dtype is FROM_NUMPY[result.dtype], sample
                assert is_subshape(result.shape, spec.shape), sample

    def test_bfloat16_in_place_of_floats_gives_what_the_result_rule_predicts(self, name):
        for sample in SAMPLES[name]:
            places = [place for place, array in enumerate(sample.arrays) if array.dtype.kind == "f"]
            types = [sample.op.accepts[sample.op.input_index(place)] for place in places]
            if name in BY_SIZE_OF_DTYPE or not all(ag.bfloat16 in accepted for accepted in types):
                continue
            narrow = [
                array.astype(ag.bfloat16.numpy_dtype) if place in places else array
                for place, array in enumerate(sample.arrays)
            ]
            changed = replace(sample, arrays=tuple(narrow))
            specs = specs_of(changed, values_of(changed))
            for spec, result in zip(specs, changed.run(), strict=True):
                assert spec.dtype is FROM_NUMPY[result.dtype], changed

    def test_the_result_rule_copes_with_what_is_unknown(self, name):
        for hidden, sample in itertools.product(HIDDEN, SAMPLES[name]):
            specs = specs_of(sample, values_of(sample, HIDDEN[hidden]))
            for spec, result in zip(specs, sample.run(), strict=True):
                assert spec.dtype is FROM_NUMPY[result.dtype], (hidden, sample)
                assert is_subshape(result.shape, spec.shape), (hidden, sample)

    def test_what_is_told_without_running_is_true(self, name):
        for sample in SAMPLES[name]:
            values = values_of(sample)
            specs = specs_of(sample, values)
            if len(specs) != 1:
                continue
            known = constant_value(sample.op, tuple(values), sample.attrs, specs[0])
            (result,) = sample.run()
            if known is not None:
                told = np.array([part is not None for part in known.reshape(-1)], bool)
                assert known.shape == result.shape
                np.testing.assert_array_equal(known.reshape(-1)[told], result.reshape(-1)[told])

    def test_the_kernel_leaves_its_inputs_alone(self, name):
        for sample in SAMPLES[name]:
            before = [array.copy() for array in sample.arrays]
            sample.run()
            assert_same(sample.arrays, before)

    def test_a_kernel_that_gives_new_arrays_gives_no_input(self, name):
        for sample in SAMPLES[name]:
            (node,) = (each for each in graph_of(sample, lambda shape: shape).nodes)
            pairs = itertools.product(sample.arrays, sample.run())
            shared = any(np.shares_memory(given, made) for given, made in pairs)
            assert not (shared and gives_new_array(node)), sample

    def test_memory_layout_does_not_matter(self, name):
        for sample in SAMPLES[name]:
            scattered = [np.repeat(x, 2, -1)[..., ::2] if x.ndim else x for x in sample.arrays]
            assert_same(sample.run(scattered), sample.run(), units=4)
            turned = [np.array(x, order="F") for x in sample.arrays]
            assert_same(sample.run(turned), sample.run(), units=4)

    def test_numpy_scalars_do_as_well_as_arrays_of_rank_0(self, name):
        for sample in SAMPLES[name]:
            scalars = [x if x.ndim or x.dtype == object else x[()] for x in sample.arrays]
            assert_same(sample.run(scalars), sample.run())

    def test_a_graph_computes_the_same(self, name):
        made = {}  # graphs without attributes, by the types of their inputs: for arrays of any size
        for sample in SAMPLES[name]:
            expected = sample.run()
            given = [x if x.ndim or x.dtype == object else x[()] for x in sample.arrays]
            for hide in (lambda shape: shape, HIDDEN["sizes"], HIDDEN["rank"]):
                key = tuple((dtype, hide(shape)) for dtype, shape in sample.specs)
                run = None if sample.attrs else made.get(key)
                if run is None:
                    run = made[key] = Executable(graph_of(sample, hide), "plan")
                ag.random.set_seed(7)
                assert_same(run(*given), expected)

    @pytest.mark.slow
    def test_native_code_computes_the_same(self, name):
        for sample in SAMPLES[name]:
            try:
                run = Executable(graph_of(sample, lambda shape: shape), "native", "python")
                ag.random.set_seed(7)
                found = run(*sample.arrays)
            except InvalidArgumentError as error:
                assert "jit_compile=True" in str(error)  # there is no native form
                continue
            assert_same(found, sample.run(), units=16)


def graph_of(sample, hide):
    """A graph of one node."""
    builder = Builder("law")
    with builder:
        inputs = [builder.input(dtype, hide(shape), "x") for dtype, shape in sample.specs]
        made = builder.record(sample.op, inputs, sample.attrs)
    return builder.finish(list(made) if isinstance(made, tuple) else [made])


# ---- documentation ---------------------------------------------------------------------------

OPERATIONS = sorted(
    name
    for name, thing in public_objects().items()
    if getattr(thing, "__module__", "").startswith("allograph.runtime.ops")
)


def test_a_public_operation_is_documented_with_an_example():
    assert not [name for name in OPERATIONS if ">>> " not in lookup(name).__doc__]


def test_an_operation_says_what_it_does():
    first = {name: TABLE[name].__doc__.strip().split("\n")[0] for name in TABLE}
    assert not {name: line for name, line in first.items() if not line.endswith(tuple(".:;,"))}


def test_an_operation_whose_outputs_an_attribute_lists_says_that_there_are_several():
    listed = [one for one in TABLE.values() if "specs" in one.attrs]
    assert len(listed) > 6
    assert [one.name for one in listed if not one.several] == []
