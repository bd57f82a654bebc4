"""Datasets and iterators inside decorated functions: staged loops, arguments, builtins."""

import re

import numpy as np
import pytest

import allograph as ag

Dataset = ag.data.Dataset


def counted(function):
    """A decorated function, and a list that grows with each trace."""
    traced = []

    def body(*args):
        traced.append(1)
        return function(*args)

    return ag.function(body), traced


@ag.function
def total(ds):
    s = ag.constant(0, ag.int64)
    for x in ds:
        s = 10 * s + x
    return s


# ---- arguments -----------------------------------------------------------------------------


def test_datasets_of_equal_elements_share_a_trace_and_others_do_not():
    def first(ds):
        for x in ds.take(1):
            return x
        return ag.zeros([], ds.element_spec.dtype)

    f, traced = counted(first)
    assert int(f(Dataset.range(5, 9))) == 5
    assert int(f(Dataset.range(7, 9).map(lambda x: x + 1))) == 8
    assert len(traced) == 1
    assert f(Dataset.from_tensor_slices([2.5])).dtype == ag.float32
    assert len(traced) == 2


def test_datasets_inside_structures_are_arguments_too():
    def both(pair, more):
        s = ag.constant(0, ag.int64)
        for x in pair["a"]:
            for y in more[0]:
                s += x * y
        return s

    f, traced = counted(both)
    assert int(f({"a": Dataset.range(3)}, (Dataset.range(4),))) == 18
    assert int(f({"a": Dataset.range(2)}, (Dataset.range(3),))) == 3
    assert len(traced) == 1


def test_an_input_signature_names_a_dataset():
    spec = ag.data.DatasetSpec(ag.TensorSpec([None], ag.int64))

    @ag.function(input_signature=[spec])
    def rows(ds):
        n = 0
        for x in ds:
            n += ag.size(x)
        return n

    assert int(rows(Dataset.range(5).batch(2))) == 5
    assert int(rows(Dataset.range(4).batch(2, drop_remainder=True))) == 4
    assert rows.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="DatasetSpec"):
        rows(Dataset.from_tensors([1.0]))
    with pytest.raises(TypeError):
        rows(ag.constant([1]))


def test_a_concrete_function_takes_any_dataset_of_its_type():
    concrete = total.get_concrete_function(Dataset.range(3))
    assert int(concrete(Dataset.range(1, 4))) == 123
    assert int(total.get_concrete_function(Dataset.range(9).take(1))(Dataset.range(2))) == 1


def test_a_function_passes_its_dataset_on():
    @ag.function
    def twice(ds):
        return total(ds) + total(ds.skip(1))

    assert int(twice(Dataset.range(1, 4))) == 123 + 23


def test_a_dataset_is_made_from_arguments():
    @ag.function
    def evens(values, n):
        ds = Dataset.from_tensor_slices(values).map(lambda x: x * n).filter(lambda x: x % 2 == 0)
        s = 0
        for batch in ds.batch(n):
            s += ag.reduce_max(batch)
        return s

    assert int(evens(ag.constant([1, 2, 3, 4]), ag.constant(2))) == 4 + 8
    assert int(evens(ag.constant([1, 2, 3, 4]), ag.constant(3))) == 12


def test_a_dataset_is_made_anew_on_every_call():
    made = []

    def numbers():
        made.append(1)
        yield 1

    @ag.function
    def one():
        s = 0
        for x in Dataset.from_generator(
            numbers, output_signature=ag.TensorSpec([], ag.int32)
        ).cache():
            s += x
        return s

    assert [int(one()), int(one()), len(made)] == [1, 1, 2]


def test_a_function_of_map_sees_the_loop_around_it():
    @ag.function
    def table(n):
        s = ag.constant(0, ag.int64)
        for i in ag.range(n):
            for x in Dataset.range(1, 3).map(lambda v: v * ag.cast(i, ag.int64)):
                s = 10 * s + x
        return s

    assert int(table(ag.constant(3))) == 1224


def test_a_function_gives_a_dataset_back():
    @ag.function
    def squares(n):
        return {"ds": Dataset.range(n).map(lambda x: x * x), "n": n}

    made = squares(ag.constant(4))
    assert isinstance(made["ds"], Dataset)
    assert [int(x) for x in made["ds"]] == [0, 1, 4, 9]
    assert int(total(squares(ag.constant(3))["ds"])) == 14


def test_a_branch_chooses_between_datasets():
    @ag.function
    def pick(flag, a, b):
        if flag:
            ds = a.map(lambda x: x + 1)
        else:
            ds = b
        return total(ds)

    a, b = Dataset.range(3), Dataset.range(5, 8)
    assert int(pick(ag.constant(True), a, b)) == 123
    assert int(pick(ag.constant(False), a, b)) == 567


# ---- loops ---------------------------------------------------------------------------------


def test_a_loop_that_breaks_takes_no_element_too_many():
    @ag.function
    def until(iterator, limit):
        s = ag.constant(0, ag.int64)
        for x in iterator:
            if x >= limit:
                break
            s += x
        return s

    iterator = iter(Dataset.range(10))
    assert int(until(iterator, int64(3))) == 3
    assert int(next(iterator)) == 4
    assert int(until(iterator, int64(7))) == 11
    assert int(until(iterator, int64(99))) == 17
    assert int(until(iterator, int64(99))) == 0


def int64(number):
    return ag.constant(number, ag.int64)


def test_a_return_inside_the_loop():
    @ag.function
    def find(ds, wanted):
        for place, x in enumerate(ds):
            if x == wanted:
                return place
        return int64(-1)

    ds = Dataset.from_tensor_slices([5, 7, 9])
    assert [int(find(ds, ag.constant(k))) for k in (9, 5, 8)] == [2, 0, -1]


def test_a_name_that_the_loop_sets_first():
    @ag.function
    def last(ds):
        for x in ds:
            y = x * 2
        return y

    assert int(last(Dataset.range(4))) == 6


def test_maximum_iterations_bound_the_loop_and_what_it_takes():
    @ag.function
    def some(iterator):
        s = ag.constant(0, ag.int64)
        for x in iterator:
            ag.autograph.experimental.set_loop_options(maximum_iterations=3)
            s += x
        return s

    iterator = iter(Dataset.range(1, 10))
    assert int(some(iterator)) == 6
    assert int(next(iterator)) == 4


def test_a_shape_that_grows_over_a_dataset_is_declared():
    @ag.function
    def joined(ds):
        rows = ag.zeros([0], ag.int64)
        for x in ds:
            ag.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, ag.TensorShape([None]))]
            )
            rows = ag.concat([rows, [x]], 0)
        return rows

    assert joined(Dataset.range(3)).numpy().tolist() == [0, 1, 2]


def test_a_name_that_no_iteration_set_is_missed():
    @ag.function
    def last(ds):
        for x in ds:
            y = x
        return y

    assert int(last(Dataset.range(3))) == 2
    with pytest.raises(UnboundLocalError, match="y"):
        last(Dataset.range(0))


def test_loops_over_one_iterator_inside_each_other():
    @ag.function
    def rows(iterator):
        s = ag.constant(0, ag.int64)
        for head in iterator:
            for x in iterator:
                s += head * x
                if x % 3 == 0:
                    break
        return s

    assert int(rows(iter(Dataset.range(1, 7)))) == 1 * (2 + 3) + 4 * (5 + 6)


def test_effects_of_the_loop_and_of_the_dataset_come_in_order(capfd):
    def note(x):
        ag.print("make", x)
        return x

    @ag.function
    def show(ds):
        for x in ds:
            ag.print("use", x)

    show(Dataset.range(2).map(note))
    assert capfd.readouterr().err.splitlines() == ["make 0", "use 0", "make 1", "use 1"]


def test_an_empty_dataset_leaves_the_state_alone():
    assert int(total(Dataset.range(0))) == 0


def test_structured_elements_in_a_loop():
    @ag.function
    def join(ds):
        text, size = ag.constant(""), 0
        for row in ds:
            text += row["name"]
            size += row["pair"][1]
        return text, size

    ds = Dataset.from_tensor_slices({"name": ["a", "b"], "pair": ([1, 2], [3, 4])})
    text, size = join(ds)
    assert (text.numpy(), int(size)) == (b"ab", 7)


def test_a_loop_over_windows():
    @ag.function
    def peaks(ds):
        s = ag.constant(0, ag.int64)
        for window in ds.window(2):
            top = ag.constant(0, ag.int64)
            for x in window:
                top = ag.maximum(top, x)
            s = 10 * s + top
        return s

    assert int(peaks(Dataset.range(5))) == 134


def test_an_error_of_the_generator_is_the_users_own():
    def broken():
        yield 1
        raise KeyError("mine")

    spec = ag.TensorSpec([], ag.int64)
    with pytest.raises(KeyError, match="mine"):
        total(Dataset.from_generator(broken, output_signature=spec))


def test_an_error_in_the_loop_names_the_line():
    @ag.function
    def look(ds, table):
        s = 0
        for i in ds:
            s += table[i]
        return s

    with pytest.raises(ag.errors.OpError, match=r"table\[i\]"):
        look(Dataset.range(5), ag.constant([1, 2]))


def test_an_error_in_map_names_its_own_line_in_a_loop_too():
    table = ag.constant([1, 2], ag.int64)
    ds = Dataset.range(5).map(lambda i: table[i])
    with pytest.raises(ag.errors.OpError, match=r"lambda i: table\[i\]"):
        total(ds)


def test_an_error_of_a_dataset_names_the_loop():
    ds = Dataset.range(1, 3).map(lambda n: ag.ones([n], ag.int64)).batch(2)
    with pytest.raises(ag.errors.InvalidArgumentError, match="for x in ds"):
        total(ds)


def test_python_itself_does_not_iterate_while_tracing():
    @ag.function(autograph=False)
    def listed(ds):
        return [x for x in ds]

    with pytest.raises(TypeError, match="converted code"):
        listed(Dataset.range(3))


def test_comprehensions_and_reductions_by_builtins():
    @ag.function
    def f(ds):
        squares = [x * x for x in ds if x != 2]
        return squares, list(ds), sum(ds), min(ds), max(x + 1 for x in ds), any(x > 3 for x in ds)

    squares, items, *rest = f(Dataset.range(1, 5))
    assert squares.numpy().tolist() == [1, 9, 16]
    assert items.numpy().tolist() == [1, 2, 3, 4]
    assert [int(x) for x in rest] == [10, 1, 5, 1]


def test_a_list_that_grows_in_the_loop():
    @ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS)
    def f(ds):
        kept = []
        for x in ds:
            if x % 2 == 1:
                kept.append(x)
        return ag.stack(kept)

    assert f(Dataset.range(6)).numpy().tolist() == [1, 3, 5]


def test_a_gradient_in_and_through_a_loop_over_a_dataset():
    @ag.function
    def slope(ds, w):
        with ag.GradientTape() as tape:
            tape.watch(w)
            y = ag.constant(1.0)
            for x in ds:
                y = y * w + x
        return tape.gradient(y, w)

    ds = Dataset.from_tensor_slices([1.0, 2.0, 3.0])
    # ((w + 1) w + 2) w + 3 at w = 2: 3 w w + 2 w + 2
    assert float(slope(ds, ag.constant(2.0))) == 18.0


def test_a_dataset_that_a_branch_gives_or_not():
    @ag.function
    def f(ds, flag):
        s = ag.constant(0, ag.int64)
        if flag:
            for x in ds:
                s += x
        return s

    assert [int(f(Dataset.range(4), ag.constant(flag))) for flag in (True, False)] == [6, 0]


def test_the_loop_runs_in_native_mode_and_after_many_calls():
    ds = Dataset.range(4)
    assert {int(total(ds)) for _ in range(120)} == {123}


# ---- iterators -----------------------------------------------------------------------------


def test_iterators_of_equal_elements_share_a_trace():
    f, traced = counted(lambda iterator: next(iterator) * 10)
    one, two = iter(Dataset.range(5)), iter(Dataset.range(7, 9))
    assert [int(f(one)), int(f(two)), int(f(one)), int(f(two))] == [0, 70, 10, 80]
    assert len(traced) == 1


def test_next_past_the_end_is_out_of_range():
    @ag.function
    def two(iterator):
        return next(iterator), iterator.get_next()

    iterator = iter(Dataset.range(3))
    assert [int(x) for x in two(iterator)] == [0, 1]
    with pytest.raises(ag.errors.OutOfRangeError, match="End of sequence"):
        two(iterator)


def test_next_with_a_default():
    @ag.function
    def take(iterator):
        return next(iterator, int64(-1))

    iterator = iter(Dataset.range(2))
    assert [int(take(iterator)) for _ in range(3)] == [0, 1, -1]


def test_an_iterator_in_a_closure():
    iterator = iter(Dataset.range(5))

    @ag.function
    def pair():
        return next(iterator) + 10 * next(iterator)

    assert [int(pair()), int(pair())] == [10, 32]


def test_an_iterator_made_inside():
    @ag.function
    def f(ds):
        iterator = iter(ds)
        head = next(iterator)
        rest = ag.constant(0, ag.int64)
        for x in iterator:
            rest += x
        return head, rest

    assert [int(x) for x in f(Dataset.range(2, 6))] == [2, 12]


def test_optionals_decide_branches():
    @ag.function
    def drain(iterator):
        s = ag.constant(0, ag.int64)
        more = ag.constant(True)
        while more:
            element = iterator.get_next_as_optional()
            more = element.has_value()
            if more:
                s += element.get_value()
        return s

    assert int(drain(iter(Dataset.range(5)))) == 10


def test_a_count_of_steps_from_an_endless_iterator():
    @ag.function
    def steps(iterator, n):
        s = ag.constant(0, ag.int64)
        for _ in ag.range(n):
            s += next(iterator)
        return s

    iterator = iter(Dataset.range(3).repeat())
    assert [int(steps(iterator, ag.constant(4))) for _ in range(2)] == [3, 4]


# ---- builtins and methods ------------------------------------------------------------------


def test_builtins_on_datasets():
    @ag.function
    def f(a, b):
        s = ag.constant(0, ag.int64)
        for i, (x, y) in enumerate(zip(a, map(lambda v: v * v, b))):
            s += i * x * y
        for x in filter(lambda v: v > 1, a):
            s += 1000 * x
        return s, len(a)

    s, count = f(Dataset.range(3), Dataset.range(1, 9))
    assert (int(s), int(count)) == (1 * 1 * 4 + 2 * 2 * 9 + 2000, 3)


def test_zip_of_a_dataset_an_iterator_and_a_tensor():
    @ag.function
    def f(ds, iterator, tensor):
        s = ag.constant(0, ag.int64)
        for x, y, z in zip(ds, iterator, tensor):
            s += x * y * z
        return s

    iterator = iter(Dataset.range(1, 9))
    assert int(f(Dataset.range(3), iterator, int64([1, 10, 100]))) == 20 + 600
    assert int(next(iterator)) == 4


def test_reduce_and_the_number_of_elements_inside():
    @ag.function
    def f(ds):
        return ds.reduce(int64(0), lambda s, x: s + x), ds.batch(2).cardinality()

    assert [int(x) for x in f(Dataset.range(5))] == [10, 3]


def test_a_single_element_inside():
    @ag.function
    def f(ds):
        return ds.batch(10).get_single_element()

    assert f(Dataset.range(3)).numpy().tolist() == [0, 1, 2]


def test_a_variable_is_trained_in_the_loop():
    w = ag.Variable(0.0)

    @ag.function
    def train(ds):
        for x, y in ds:
            w.assign_add(0.1 * (y - w * x) * x)
        return w.read_value()

    ds = Dataset.from_tensor_slices((np.float32([1, 2] * 40), np.float32([3, 6] * 40)))
    assert abs(float(train(ds)) - 3.0) < 1e-4


def test_a_dataset_is_true():
    @ag.function
    def f(ds, other=None):
        n = 0
        if ds:
            n += 1
        if not ds or bool(other):
            n += 10
        return n if ds and n > 0 else -1

    assert int(f(Dataset.range(0))) == 1


def test_a_dataset_is_a_leaf_for_users():
    ds = Dataset.range(4)
    assert ag.nest.flatten({"a": (ds, 1)}) == [ds, 1]
    made = ag.nest.map_structure(lambda one: one.batch(2), {"a": ds, "b": (ds,)})
    assert len(made["b"][0]) == 2
    assert not ag.nest.is_nested(ds)


# ---- types ---------------------------------------------------------------------------------


def test_specifications_are_values():
    spec = ag.data.DatasetSpec({"a": ag.TensorSpec([2], ag.int32)})
    same = ag.data.DatasetSpec({"a": ag.TensorSpec([2], ag.int32)})
    wide = ag.data.DatasetSpec({"a": ag.TensorSpec([None], ag.int32)})
    assert spec == same and hash(spec) == hash(same) and spec != wide
    assert spec.is_subtype_of(wide) and not wide.is_subtype_of(spec)
    joined = spec.most_specific_common_supertype(
        [ag.data.DatasetSpec({"a": ag.TensorSpec([3], ag.int32)})]
    )
    assert joined == wide
    assert spec.is_compatible_with(Dataset.from_tensors({"a": [1, 2]}))
    assert not spec.is_compatible_with(Dataset.range(3))
    assert ag.data.IteratorSpec(ag.TensorSpec([])) != ag.data.DatasetSpec(ag.TensorSpec([]))
    assert spec.value_type is Dataset


# ---- length --------------------------------------------------------------------------------


@ag.function
def length(ds):
    return len(ds)


def test_len_of_a_dataset_is_the_number_of_its_elements():
    assert [int(length(Dataset.range(n))) for n in (7, 0)] == [7, 0]


def test_len_of_an_endless_dataset_is_a_type_error_that_says_so():
    for take in (len, length):
        with pytest.raises(TypeError, match="infinite"):
            take(Dataset.range(7).repeat())


def test_len_of_a_filtered_dataset_is_a_type_error_with_a_cure():
    ds = Dataset.range(7).filter(lambda x: x > 2)
    for take in (len, length):
        with pytest.raises(TypeError, match="assert_cardinality"):
            take(ds)
    assert len(ds.apply(ag.data.experimental.assert_cardinality(4))) == 4


def test_a_loop_over_elements_of_unknown_rank_stays_on_numpy_for_a_reason():
    data = ag.data.Dataset.from_generator(lambda: iter([1, 2, 3]), ag.int32)

    @ag.function
    def total(data):
        result = ag.constant(0)
        for element in data:
            result += element
        return result

    assert int(total(data)) == 6
    executable = total.get_concrete_function(data).executable
    executable.precompile()
    assert re.match("'(add|iterator_item)' of", executable.why_not_native)
