"""Modules saved and loaded: the same values, structures, variables and errors."""

import collections
import dataclasses
import gc
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.library.saved.json_structures import decode, encode

Point = ag.saved_model.register(collections.namedtuple("Point", "x y"))


@ag.saved_model.register
@dataclasses.dataclass
class Pair:
    left: object
    right: object


def round_trip(module, folder, **options):
    ag.saved_model.save(module, folder, **options)
    return ag.saved_model.load(folder)


def holder(**parts):
    module = ag.Module()
    for name, part in parts.items():
        setattr(module, name, part)
    return module


class Dense(ag.Module):
    def __init__(self, inputs, outputs):
        self.w = ag.Variable(np.arange(inputs * outputs, dtype=np.float32).reshape(inputs, outputs))
        self.b = ag.Variable(ag.zeros([outputs]), trainable=False, name="bias")

    @ag.function(input_signature=[ag.TensorSpec([None, None])])
    def __call__(self, x):
        return ag.matmul(x, self.w) + self.b


class Stack(ag.Module):
    def __init__(self):
        self.layers = [Dense(2, 3), Dense(3, 2)]
        self.by_name = {"first": self.layers[0], 7: ag.Variable([1, 2])}
        self.steps = ag.Variable(0, dtype=ag.int64)

    @ag.function
    def run(self, x, times=1, *, scale=2.0):
        self.steps.assign_add(1)
        for _ in range(times):
            for layer in self.layers:
                x = layer(x)
        return {"out": x * scale, "steps": self.steps.read_value(), "extra": (None, [x])}


class TestStructureOfTheModule:
    def test_variables_are_found_under_the_same_attributes(self, tmp_path):
        stack = Stack()
        loaded = round_trip(stack, tmp_path)
        np.testing.assert_array_equal(loaded.layers[1].w, stack.layers[1].w)
        assert loaded.steps.dtype == ag.int64
        assert loaded.layers[0].b.name == "bias:0"
        assert not loaded.layers[0].b.trainable
        assert len(loaded.variables) == len(stack.variables) == 6
        assert len(loaded.trainable_variables) == len(stack.trainable_variables) == 4

    def test_what_was_shared_is_shared(self, tmp_path):
        loaded = round_trip(Stack(), tmp_path)
        assert loaded.by_name["first"] is loaded.layers[0]
        assert loaded.by_name[7].numpy().tolist() == [1, 2]

    def test_names_that_look_alike_stay_apart(self, tmp_path):
        inner = holder(b=ag.Variable(1))
        by_name = {
            "a/b": ag.Variable(2),
            0: ag.Variable(3),
            "0": ag.Variable(4),
            "%": [ag.Variable(5)],
        }
        constant = ag.constant([9])
        module = holder(
            a=inner, captures=[ag.Variable(6)], d=by_name, f=ag.function(lambda: constant + 0)
        )
        setattr(module, "d/a%2Fb", ag.Variable(7))
        setattr(module, "a/b", ag.Variable(8))
        module.f()
        loaded = round_trip(module, tmp_path)
        assert int(loaded.a.b) == 1 and int(getattr(loaded, "a/b")) == 8
        assert [int(loaded.d[key]) for key in ("a/b", 0, "0")] == [2, 3, 4]
        assert int(loaded.d["%"][0]) == 5 and int(loaded.captures[0]) == 6
        assert int(getattr(loaded, "d/a%2Fb")) == 7 and int(loaded.f()[0]) == 9

    def test_a_cycle_of_modules_is_no_obstacle(self, tmp_path):
        parent, child = holder(), holder()
        parent.child, child.parent = child, parent
        loaded = round_trip(parent, tmp_path)
        assert loaded.child.parent is loaded

    def test_variables_of_a_dataclass_are_saved(self, tmp_path):
        loaded = round_trip(holder(pair=Pair(ag.Variable(1.0), 2)), tmp_path)
        assert float(loaded.pair.left) == 1.0

    @pytest.mark.parametrize(
        "value",
        [
            [True, False],
            ["a", "bc", ""],
            np.array([1 + 2j, -0.5j]),
            np.float16([1.5]),
            np.uint8(200),
            np.zeros((0, 3)),
            [[np.nan, np.inf]],
        ],
        ids=repr,
    )
    def test_a_variable_of_any_type_keeps_its_value(self, tmp_path, value):
        variable = ag.Variable(value)
        loaded = round_trip(holder(v=variable), tmp_path).v
        assert loaded.dtype == variable.dtype and loaded.shape == variable.shape
        np.testing.assert_array_equal(loaded.numpy(), variable.numpy())

    def test_a_declared_shape_is_kept(self, tmp_path):
        loaded = round_trip(holder(v=ag.Variable([1.0], shape=[None])), tmp_path)
        loaded.v.assign([1.0, 2.0])
        assert loaded.v.shape.as_list() == [None]

    def test_the_object_may_be_callable(self, tmp_path):
        dense = Dense(2, 2)
        loaded = round_trip(dense, tmp_path)
        np.testing.assert_array_equal(loaded(ag.ones([1, 2])), dense(ag.ones([1, 2])))
        assert not callable(round_trip(holder(v=ag.Variable(1)), tmp_path))

    def test_a_loaded_module_can_be_saved_again(self, tmp_path):
        dense = Dense(2, 2)
        loaded = round_trip(round_trip(dense, tmp_path / "once"), tmp_path / "twice")
        np.testing.assert_array_equal(loaded(ag.ones([1, 2])), dense(ag.ones([1, 2])))


class TestFunctions:
    def test_results_keep_their_structure(self, tmp_path):
        stack = Stack()
        x = ag.ones([4, 2])
        stack.run(x)
        loaded = round_trip(stack, tmp_path)
        expected, found = stack.run(x), loaded.run(x)
        ag.nest.assert_same_structure(found, expected)
        np.testing.assert_array_equal(found["out"], expected["out"])
        assert found["extra"][0] is None
        assert int(found["steps"]) == int(expected["steps"]) == 2

    def test_python_arguments_choose_the_trace(self, tmp_path):
        stack = Stack()
        x = ag.ones([1, 2])
        expected = [stack.run(x), stack.run(x, 2), stack.run(x, times=2, scale=1.0)]
        loaded = round_trip(stack, tmp_path)
        found = [loaded.run(x), loaded.run(x, times=2), loaded.run(x, 2, scale=1.0)]
        for one, other in zip(found, expected):
            np.testing.assert_array_equal(one["out"], other["out"])

    def test_a_call_that_no_trace_serves_names_the_traces(self, tmp_path):
        stack = Stack()
        stack.run(ag.ones([1, 2]))
        loaded = round_trip(stack, tmp_path)
        with pytest.raises(TypeError, match=r"times: Literal\[1\]") as caught:
            loaded.run(ag.ones([1, 2]), 5)
        assert "for these arguments: x=float32[1, 2], times=5, scale=2.0" in str(caught.value)
        with pytest.raises(ValueError, match="It was saved with"):
            loaded.run(ag.ones([1, 2], ag.int32))
        with pytest.raises(TypeError, match="It was saved with"):
            loaded.run(y=1)

    def test_a_function_without_traces_says_so_when_it_is_called(self, tmp_path):
        loaded = round_trip(Stack(), tmp_path)
        with pytest.raises(ValueError, match="saved without any trace"):
            loaded.run(ag.ones([1, 2]))

    def test_numbers_lists_and_arrays_become_tensors(self, tmp_path):
        @ag.function(input_signature=[[ag.TensorSpec([None]), ag.TensorSpec([], ag.int64)]])
        def f(pair):
            return pair[0] * ag.cast(pair[1], ag.float32)

        loaded = round_trip(holder(f=f), tmp_path)
        assert loaded.f([[1, 2.5], 2]).numpy().tolist() == [2.0, 5.0]
        assert loaded.f((np.float32([1]), np.int64(3))).numpy().tolist() == [3.0]

    def test_dictionaries_and_named_tuples_are_arguments_and_results(self, tmp_path):
        @ag.function
        def f(point, options):
            return Point(point.x + options["a"], {"y": point.y, "b": options["b"]})

        f(Point(ag.constant(1), ag.constant(2)), {"b": ag.constant(3.0), "a": 10})
        loaded = round_trip(holder(f=f), tmp_path)
        found = loaded.f(Point(ag.constant(5), ag.constant(6)), {"a": 10, "b": ag.constant(4.0)})
        assert type(found) is Point
        assert (int(found.x), int(found.y["y"]), float(found.y["b"])) == (15, 6, 4.0)

    def test_any_number_of_arguments(self, tmp_path):
        @ag.function
        def f(*args, **kwargs):
            return args[0] + args[1] * kwargs["scale"]

        one = ag.constant(1.0)
        f(one, one, scale=one)
        assert float(round_trip(holder(f=f), tmp_path).f(one, 2.0, scale=3.0)) == 7.0

    def test_control_flow_and_inner_functions(self, tmp_path):
        @ag.function
        def halve(n):
            return n // 2

        @ag.function
        def halvings(n):
            count = 0
            while n > 1:
                if n % 2 == 1:
                    n -= 1
                n = halve(n)
                count += 1
            return count

        halvings(ag.constant(5))
        loaded = round_trip(holder(f=halvings), tmp_path)
        assert [int(loaded.f(ag.constant(n))) for n in (1, 2, 9, 1000)] == [0, 1, 3, 9]

    def test_captured_tensors_are_kept(self, tmp_path):
        table = ag.constant(np.arange(100.0))
        sizes = ag.constant([2, -1])
        module = holder(
            f=ag.function(lambda i: ag.gather(table, i)),
            g=ag.function(lambda x: ag.reshape(x, sizes)),
        )
        module.f(ag.constant([3])), module.g(ag.ones([4]))
        loaded = round_trip(module, tmp_path)
        assert loaded.f(ag.constant([7])).numpy().tolist() == [7.0]
        assert loaded.g(ag.ones([4])).shape == (2, 2)

    def test_large_constants_go_to_the_file_of_tensors(self, tmp_path):
        table = np.random.default_rng(0).normal(size=5000)
        f = ag.function(
            lambda i: ag.gather(table, i), input_signature=[ag.TensorSpec([], ag.int32)]
        )
        loaded = round_trip(holder(f=f), tmp_path)
        assert float(loaded.f(4321)) == table[4321]
        (text,) = tmp_path.glob("*.txt")
        assert text.stat().st_size < 2000

    def test_functions_share_the_variables(self, tmp_path):
        n = ag.Variable(1)
        module = holder(
            n=n, add=ag.function(lambda x: n.assign_add(x)), get=ag.function(lambda: n + 0)
        )
        module.add(ag.constant(1)), module.get()
        loaded = round_trip(module, tmp_path)
        loaded.add(ag.constant(5))
        assert int(loaded.get()) == int(loaded.n) == 7
        loaded.n.assign(100)
        assert int(loaded.get()) == 100
        assert int(n) == 2

    @pytest.mark.slow
    def test_a_function_alone_keeps_its_variables(self, tmp_path):
        call = round_trip(Dense(1, 1), tmp_path).__call__
        gc.collect()
        assert call([[2.0]]).numpy().tolist() == [[0.0]]

    def test_a_concrete_function_is_an_attribute_too(self, tmp_path):
        f = ag.function(lambda x, n: x * n).get_concrete_function(ag.TensorSpec([None]), 3)
        loaded = round_trip(holder(triple=f), tmp_path)
        assert loaded.triple(ag.constant([1.0])).numpy().tolist() == [3.0]
        assert str(loaded.triple) == str(f)

    def test_a_loaded_function_can_be_called_while_tracing(self, tmp_path):
        loaded = round_trip(Dense(2, 2), tmp_path)
        outer = ag.function(lambda x: loaded(x) + 1.0)
        np.testing.assert_array_equal(outer(ag.ones([1, 2])), loaded(ag.ones([1, 2])) + 1.0)

    def test_a_loaded_function_runs_its_graph_where_functions_run_eagerly(self, tmp_path):
        loaded = round_trip(Dense(2, 2), tmp_path)
        ag.config.run_functions_eagerly(True)
        try:
            assert loaded(ag.ones([1, 2])).shape == (1, 2)
        finally:
            ag.config.run_functions_eagerly(False)

    def test_native_code_is_made_as_before(self, tmp_path):
        pytest.importorskip("llvmlite")
        sizes = ag.constant([2, 2])
        f = ag.function(lambda x: ag.reshape(x, sizes) * 2.0, jit_compile=True)
        f(ag.ones([4]))
        loaded = round_trip(holder(f=f), tmp_path)
        assert loaded.f(ag.ones([4])).numpy().tolist() == [[2.0, 2.0]] * 2
        assert loaded.f.get_concrete_function().kernels()

    def test_variables_made_by_the_first_call_are_saved(self, tmp_path):
        class Lazy(ag.Module):
            @ag.function(input_signature=[ag.TensorSpec([])])
            def __call__(self, x):
                if not hasattr(self, "w"):
                    self.w = ag.Variable(2.0)
                return self.w * x

        assert float(round_trip(Lazy(), tmp_path)(3.0)) == 6.0

    def test_an_error_in_a_loaded_function_shows_the_line_it_was_written_in(self, tmp_path):
        f = ag.function(lambda i: ag.gather([1, 2], i))
        f(ag.constant(0))
        loaded = round_trip(holder(f=f), tmp_path)
        with pytest.raises(ag.errors.OpError, match="ag.gather"):
            loaded.f(ag.constant(5))

    def test_only_the_traces_of_the_own_instance_are_saved(self, tmp_path):
        class Scale(ag.Module):
            def __init__(self, factor):
                self.factor = ag.Variable(factor)

            @ag.function
            def __call__(self, x):
                return x * self.factor

        one, two = Scale(1.0), Scale(2.0)
        one(ag.constant(1.0)), two(ag.constant(1.0)), two(ag.constant([1.0]))
        loaded = round_trip(two, tmp_path)
        assert float(loaded(ag.constant(3.0))) == 6.0
        assert len(vars(loaded)["__call__"].traces) == 2


class TestSignatures:
    def test_the_only_method_is_the_default_one(self, tmp_path):
        loaded = round_trip(Dense(1, 1), tmp_path)
        found = loaded.signatures["serving_default"](x=ag.constant([[1.0]]))
        assert list(found) == ["output_0"]
        assert list(loaded.signatures) == ["serving_default"]

    def test_signatures_are_named_and_their_results_too(self, tmp_path):
        stack = Stack()
        f = ag.function(lambda a, b: {"sum": a + b, "first": a})
        spec = ag.TensorSpec([], name="a"), ag.TensorSpec([], name="b")
        many = ag.function(lambda: [ag.constant(n) for n in range(12)], input_signature=[])
        signatures = {"add": f.get_concrete_function(*spec), "many": many}
        loaded = round_trip(stack, tmp_path, signatures=signatures)
        found = loaded.signatures["add"](a=ag.constant(1.0), b=ag.constant(2.0))
        assert {name: float(item) for name, item in found.items()} == {"sum": 3.0, "first": 1.0}
        specs = loaded.signatures["add"].structured_outputs
        assert specs["sum"] == ag.TensorSpec([], name="sum")
        assert {name: spec.name for name, spec in specs.items()} == {"sum": "sum", "first": "first"}
        found = loaded.signatures["many"]()
        assert [int(found[f"output_{n}"]) for n in range(12)] == list(range(12))

    def test_a_single_function_is_the_default_one(self, tmp_path):
        stack = Stack()
        loaded = round_trip(stack, tmp_path, signatures=stack.layers[0].__call__)
        found = loaded.signatures["serving_default"](ag.ones([1, 2]))
        assert found["output_0"].shape == (1, 3)

    def test_a_signature_takes_its_arguments_by_name(self, tmp_path):
        f = ag.function(lambda a, b: a - b, input_signature=[ag.TensorSpec([])] * 2)
        infer = round_trip(holder(), tmp_path, signatures=f).signatures["serving_default"]
        args, kwargs = infer.structured_input_signature
        assert args == () and list(kwargs) == ["a", "b"]
        assert float(infer(b=ag.constant(1.0), a=ag.constant(3.0))["output_0"]) == 2.0
        with pytest.raises(TypeError):
            infer(ag.constant(1.0), ag.constant(2.0))

    def test_a_signature_without_types_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match="without an input signature"):
            ag.saved_model.save(holder(), tmp_path, signatures=ag.function(lambda x: x))

    def test_a_signature_with_nested_results_is_refused(self, tmp_path):
        f = ag.function(lambda: [[ag.constant(1)]], input_signature=[])
        with pytest.raises(ValueError, match="dictionary of tensors by name"):
            ag.saved_model.save(holder(), tmp_path, signatures=f)


class TestRefusals:
    def test_python_code_in_a_graph_is_refused_at_its_line(self, tmp_path):
        @ag.function(input_signature=[ag.TensorSpec([])])
        def f(x):
            return ag.py_function(lambda v: v, inp=[x], Tout=ag.float32)

        with pytest.raises(ValueError, match="calls Python code") as caught:
            ag.saved_model.save(holder(f=f), tmp_path)
        assert "return ag.py_function" in str(caught.value)
        assert not ag.saved_model.contains_saved_model(tmp_path)

    def test_a_variable_outside_of_the_module_is_refused_by_name(self, tmp_path):
        v = ag.Variable(1.0, name="elsewhere")
        f = ag.function(lambda: v + 1.0, input_signature=[])
        with pytest.raises(AssertionError, match="'f' uses the variable 'elsewhere:0'"):
            ag.saved_model.save(holder(f=f), tmp_path)

    def test_an_object_of_this_process_in_a_graph_is_refused(self, tmp_path):
        lines = []
        f = ag.function(lambda: ag.print("x", output_stream=lines.append), input_signature=[])
        with pytest.raises(ValueError, match="exists in this process only"):
            ag.saved_model.save(holder(f=f), tmp_path)

    def test_a_trace_with_an_object_as_argument_is_left_out_with_a_warning(self, tmp_path):
        f = ag.function(lambda x, thing: x + 1)
        thing = type("Thing", (), {})()
        f(ag.constant(1), thing), f(ag.constant(1), 2)
        with pytest.warns(UserWarning, match="a trace of 'f' is left out"):
            loaded = round_trip(holder(f=f), tmp_path)
        assert len(loaded.f.traces) == 1

    def test_what_is_no_module_is_refused(self, tmp_path):
        with pytest.raises(ValueError, match="takes a module"):
            ag.saved_model.save(ag.Variable(1), tmp_path)

    def test_saving_while_tracing_is_refused(self, tmp_path):
        @ag.function
        def f():
            ag.saved_model.save(holder(), tmp_path)

        with pytest.raises(RuntimeError, match="while a function is traced"):
            f()


class TestFiles:
    def test_a_newer_format_is_refused(self, tmp_path):
        ag.saved_model.save(holder(v=ag.Variable(1)), tmp_path)
        path = tmp_path / "saved_module.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"version": 99}))
        with pytest.raises(ag.errors.UnimplementedError, match="version 99"):
            ag.saved_model.load(tmp_path)

    def test_an_empty_folder_is_told(self, tmp_path):
        with pytest.raises(ag.errors.NotFoundError, match="no saved module"):
            ag.saved_model.load(tmp_path)

    @pytest.mark.parametrize("name", ["*.json", "*.safetensors", "*.txt"])
    def test_a_file_that_is_cut_short_is_refused(self, tmp_path, name):
        ag.saved_model.save(Dense(3, 3), tmp_path)
        (path,) = tmp_path.glob(name)
        path.write_bytes(path.read_bytes()[:-30])
        with pytest.raises(ag.errors.DataLossError):
            ag.saved_model.load(tmp_path)

    def test_saving_again_replaces_what_was_there(self, tmp_path):
        ag.saved_model.save(Dense(2, 2), tmp_path)
        loaded = round_trip(holder(v=ag.Variable(5)), tmp_path)
        assert int(loaded.v) == 5 and not hasattr(loaded, "w")
        assert len(list(tmp_path.iterdir())) == 3

    def test_the_same_module_gives_the_same_files(self, tmp_path):
        stack = Stack()
        stack.run(ag.ones([1, 2]))
        for folder in ("one", "other"):
            ag.saved_model.save(stack, tmp_path / folder)
        one, other = (
            {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}
            for folder in ("one", "other")
        )
        assert one == other

    def test_a_missing_file_is_told(self, tmp_path):
        ag.saved_model.save(Dense(2, 2), tmp_path)
        (path,) = tmp_path.glob("*.txt")
        path.unlink()
        with pytest.raises(ag.errors.NotFoundError, match="there is no file"):
            ag.saved_model.load(tmp_path)

    @pytest.mark.slow
    def test_another_process_needs_no_source(self, tmp_path):
        stack = Stack()
        x = ag.ones([1, 2])
        expected = stack.run(x)["out"].numpy().tolist()
        ag.saved_model.save(stack, tmp_path)
        code = (
            "import sys, allograph as ag; m = ag.saved_model.load(sys.argv[1]);"
            "print(m.run(ag.ones([1, 2]))['out'].numpy().tolist())"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == str(expected)


leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.binary() | st.sampled_from([ag.int32, ag.string, range(1, 9, 2), slice(None, 3)])
    | st.complex_numbers(allow_nan=False)
)  # fmt: skip
keys = st.text() | st.integers()


@pytest.mark.slow
@given(
    st.recursive(
        leaves,
        lambda rows: (
            st.lists(rows)
            | st.tuples(rows, rows)
            | st.dictionaries(keys, rows)
            | st.builds(Point, rows, rows)
            | st.builds(Pair, rows, rows)
        ),
        max_leaves=8,
    )
)
def test_a_structure_reads_back_the_same(value):
    again = decode(json.loads(json.dumps(encode(value))))
    assert again == value and repr(again) == repr(value)


@pytest.mark.slow
def test_modules_may_be_nested_to_any_depth(tmp_path):
    root = ag.Module()
    root.value = ag.Variable(7.0)
    for _ in range(1500):
        outer = ag.Module()
        outer.inner, root = [{"one": root}], outer
    ag.saved_model.save(root, tmp_path)
    module = ag.saved_model.load(tmp_path)
    for _ in range(1500):
        module = module.inner[0]["one"]
    assert float(module.value) == 7.0
