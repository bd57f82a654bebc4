"""Datasets: where elements come from, what each method gives, and what is refused."""

import collections
import gc
import threading
import time
import warnings

import numpy as np
import pytest

import allograph as ag

Dataset = ag.data.Dataset


def values(dataset):
    """The elements as Python values."""
    return [as_python(element) for element in dataset.as_numpy_iterator()]


def as_python(element):
    if isinstance(element, dict):
        return {key: as_python(part) for key, part in element.items()}
    if isinstance(element, tuple):
        return tuple(map(as_python, element))
    return element.tolist() if hasattr(element, "tolist") else element


def int64(number):
    return ag.constant(number, ag.int64)


# ---- sources -------------------------------------------------------------------------------


def test_slices_of_a_structure_keep_it():
    Point = collections.namedtuple("Point", "x y")
    ds = Dataset.from_tensor_slices({"p": Point([1, 2], [[3.0], [4.0]]), "t": ["a", "b"]})
    assert ds.element_spec["p"].y == ag.TensorSpec([1], ag.float32)
    first, second = ds
    assert isinstance(first["p"], Point)
    assert (int(second["p"].x), second["p"].y.numpy().tolist()) == (2, [4.0])
    assert second["t"].numpy() == b"b"


def test_slices_of_different_length_are_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"\(2,\), \(3,\)"):
        Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


def test_a_scalar_has_no_slices():
    with pytest.raises(ValueError, match="from_tensors"):
        Dataset.from_tensor_slices(3)


def test_no_slices_at_all():
    ds = Dataset.from_tensor_slices(np.zeros((0, 4), np.float32))
    assert values(ds) == values(ds.batch(2)) == []
    assert (len(ds), ds.element_spec) == (0, ag.TensorSpec([4], ag.float32))


def test_none_is_no_element():
    with pytest.raises(TypeError, match="None"):
        Dataset.from_tensors((1, None))


@pytest.mark.parametrize("bounds", [(5,), (2, 5), (5, 0, -2), (0, 9, 4), (3, 3)])
def test_range_counts_like_python(bounds):
    assert values(Dataset.range(*bounds)) == list(range(*bounds))
    assert len(Dataset.range(*bounds)) == len(range(*bounds))


def test_range_has_the_type_that_is_asked_for():
    assert Dataset.range(3).element_spec.dtype == ag.int64
    assert Dataset.range(3, output_type=ag.float32).element_spec.dtype == ag.float32


def test_a_generator_starts_anew_for_each_pass():
    started = []

    def numbers(stop):
        started.append(stop)
        yield from range(stop)

    ds = Dataset.from_generator(numbers, args=(3,), output_signature=ag.TensorSpec([], ag.int32))
    assert started == []
    assert values(ds) == values(ds) == [0, 1, 2]
    assert started == [3, 3]


def test_the_older_form_of_a_generator():
    ds = Dataset.from_generator(
        lambda: [([1, 2], "a")], (ag.int64, ag.string), (ag.TensorShape([None]), [])
    )
    assert ds.element_spec[0] == ag.TensorSpec([None], ag.int64)
    assert values(ds) == [([1, 2], b"a")]


@pytest.mark.parametrize(
    "item, error",
    [([1.5, 2.5], TypeError), ([1, 2, 3], ValueError), ("a", TypeError), (1, ValueError)],
)
def test_a_generator_that_breaks_its_promise_is_found_out(item, error):
    ds = Dataset.from_generator(lambda: [item], output_signature=ag.TensorSpec([2], ag.int32))
    with pytest.raises(error, match="from_generator"):
        list(ds)


def test_a_generator_of_another_structure_is_found_out():
    spec = (ag.TensorSpec([], ag.int32), ag.TensorSpec([], ag.int32))
    for item in [(1, 2, 3), 4, (1, (2, 3))]:
        with pytest.raises((TypeError, ValueError), match="from_generator"):
            list(Dataset.from_generator(lambda: [item], output_signature=spec))


def test_an_error_of_a_generator_is_the_users_own():
    def broken():
        yield 1
        raise KeyError("mine")

    ds = Dataset.from_generator(broken, output_signature=ag.TensorSpec([], ag.int32))
    iterator = iter(ds)
    assert int(next(iterator)) == 1
    with pytest.raises(KeyError, match="mine"):
        next(iterator)


@pytest.mark.parametrize(
    "arguments", [{}, {"output_types": ag.int32, "output_signature": ag.TensorSpec([])}]
)
def test_a_generator_needs_one_signature(arguments):
    with pytest.raises(TypeError, match="output_signature"):
        Dataset.from_generator(lambda: [], **arguments)


def test_random_numbers_repeat_with_a_seed():
    assert values(Dataset.random(seed=3).take(5)) == values(Dataset.random(seed=3).take(5))
    assert values(Dataset.random(seed=3).take(5)) != values(Dataset.random(seed=4).take(5))


# ---- one element at a time -------------------------------------------------------------------


@pytest.mark.slow
def test_map_spreads_a_tuple_and_passes_other_structures_whole():
    pairs = Dataset.from_tensor_slices(([1, 2], [3, 4]))
    assert values(pairs.map(lambda x, y: x * y)) == [3, 8]
    named = Dataset.from_tensor_slices({"x": [1, 2]})
    assert values(named.map(lambda row: row["x"] + 1)) == [2, 3]


def test_map_may_change_the_structure():
    ds = Dataset.range(2).map(lambda x: {"a": x, "b": (x, [x, x])})
    assert values(ds) == [{"a": 0, "b": (0, [0, 0])}, {"a": 1, "b": (1, [1, 1])}]
    assert ds.element_spec["b"][1] == ag.TensorSpec([2], ag.int64)


def test_map_traces_once_and_converts():
    traced = []

    def collatz(n):
        traced.append(1)
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    assert values(Dataset.range(1, 8).map(collatz)) == [0, 1, 7, 2, 5, 8, 16]
    assert traced == [1]


def test_map_calls_python_through_py_function():
    seen = []

    def note(x):
        seen.append(int(x))
        return -x

    ds = Dataset.range(3).map(lambda x: ag.py_function(note, [x], ag.int64))
    assert seen == []
    assert values(ds) == [0, -1, -2]
    assert seen == [0, 1, 2]


def test_map_takes_a_decorated_function_and_a_method():
    class Scale:
        def __init__(self):
            self.factor = ag.Variable(int64(3))

        def __call__(self, x):
            return x * self.factor

    double = ag.function(lambda x: 2 * x)
    assert values(Dataset.range(3).map(double).map(Scale())) == [0, 6, 12]


def test_map_follows_a_variable():
    shift = ag.Variable(int64(1))
    ds = Dataset.range(2).map(lambda x: x + shift)
    assert values(ds) == [1, 2]
    shift.assign(int64(10))
    assert values(ds) == [10, 11]


def test_map_draws_new_random_numbers_for_each_element():
    drawn = values(Dataset.range(5).map(lambda x: ag.random.uniform([])))
    assert len(set(drawn)) == 5


def test_map_of_a_function_with_a_wrong_number_of_parameters():
    with pytest.raises(TypeError, match="argument"):
        Dataset.from_tensor_slices(([1], [2])).map(lambda x: x)


def test_an_error_in_map_names_the_users_line():
    table = ag.constant([1, 2])
    ds = Dataset.range(5).map(lambda i: table[i])
    with pytest.raises(ag.errors.OpError, match=r"table\[i\]"):
        list(ds)


def test_map_runs_as_plain_python_in_eager_mode():
    ds = Dataset.range(3).map(lambda x: 10 * x if x > 1 else x)
    ag.config.run_functions_eagerly(True)
    try:
        seen = []
        noted = Dataset.range(2).map(lambda x: seen.append(ag.executing_eagerly()) or x)
        assert values(ds) == [0, 1, 20]
        assert values(noted) == [0, 1]
        assert seen == [False, True, True]
    finally:
        ag.config.run_functions_eagerly(False)


@pytest.mark.parametrize("deterministic", [None, True, False])
def test_parallel_map_keeps_the_order(deterministic):
    def slow_first(x):
        time.sleep(0.02 if int(x) == 0 else 0)
        return x

    ds = Dataset.range(20).map(
        lambda x: ag.py_function(slow_first, [x], ag.int64),
        num_parallel_calls=4,
        deterministic=deterministic,
    )
    assert values(ds) == list(range(20))


def test_parallel_map_waits_for_several_elements_at_once():
    waiting, most = [], []

    def slow(x):
        waiting.append(1)
        most.append(len(waiting))
        time.sleep(0.005)
        waiting.pop()
        return x

    ds = Dataset.range(30)
    ds = ds.map(lambda x: ag.py_function(slow, [x], ag.int64), num_parallel_calls=3)
    assert values(ds) == list(range(30))
    assert 1 < max(most) <= 3
    assert len(ds) == 30


def test_a_parallel_map_draws_its_random_numbers_in_order():
    def slow(x):
        noise = ag.random.uniform([], seed=1) if x >= 0 else 0.0
        return noise + ag.py_function(lambda x: time.sleep(0.001) or 0.0, [x], ag.float32)

    one, many = (Dataset.range(20).map(slow, num_parallel_calls=n) for n in (None, 8))
    assert values(one) == values(many)


def test_an_error_in_a_parallel_map_comes_in_its_place():
    def late(x):
        time.sleep(0.001)
        if int(x) == 8:
            raise KeyError("mine")
        return x

    ds = Dataset.range(20).map(lambda x: ag.py_function(late, [x], ag.int64), num_parallel_calls=4)
    taken = []
    with pytest.raises(KeyError, match="mine"):
        for x in ds:
            taken.append(int(x))
    assert taken == list(range(8))


def test_filter_needs_a_boolean_scalar():
    assert values(Dataset.range(6).filter(lambda x: x % 3 == 0)) == [0, 3]
    for wrong in (lambda x: x, lambda x: [x > 1, x > 2]):
        with pytest.raises(ValueError, match="bool scalar"):
            Dataset.range(3).filter(wrong)


def test_take_while_stops_at_the_first_other_element():
    assert values(Dataset.from_tensor_slices([1, 2, 9, 3]).take_while(lambda x: x < 5)) == [1, 2]


def test_scan_carries_a_state():
    ds = Dataset.range(1, 6).scan((int64(1), 0), lambda s, x: ((s[0] * x, s[1] + 1), s))
    assert values(ds) == [(1, 0), (1, 1), (2, 2), (6, 3), (24, 4)]
    with pytest.raises(TypeError, match="pair"):
        Dataset.range(3).scan(0, lambda s, x: s)


def test_a_state_of_changing_shape():
    ds = Dataset.range(3)
    joined = ds.reduce(ag.zeros([0], ag.int64), lambda s, x: ag.concat([s, [x]], 0))
    assert joined.numpy().tolist() == [0, 1, 2]


def test_reduce_over_nothing_is_the_initial_state():
    assert int(Dataset.range(0).reduce(int64(7), lambda s, x: s + x)) == 7


def test_reduce_gives_the_element_whole():
    ds = Dataset.from_tensor_slices(([1, 2], [10, 20]))
    assert int(ds.reduce(0, lambda s, pair: s + pair[0] * pair[1])) == 50


def test_a_state_of_another_type_is_refused():
    with pytest.raises(TypeError, match="reduce"):
        Dataset.range(3).reduce(0, lambda s, x: ag.cast(x, ag.float32))


def test_flat_map_gives_dataset_after_dataset():
    ds = Dataset.from_tensor_slices([[1, 2], [3, 4]]).flat_map(Dataset.from_tensor_slices)
    assert values(ds) == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="not a dataset"):
        Dataset.range(3).flat_map(lambda x: x)


def test_interleave_takes_blocks_in_turns():
    ds = Dataset.range(1, 6).interleave(
        lambda x: Dataset.from_tensors(x).repeat(6), cycle_length=2, block_length=4
    )
    blocks = [1] * 4 + [2] * 4 + [1] * 2 + [2] * 2 + [3] * 4 + [4] * 4 + [3] * 2 + [4] * 2 + [5] * 6
    assert values(ds) == blocks


def test_interleave_with_empty_datasets():
    ds = Dataset.range(4).interleave(Dataset.range, cycle_length=3)
    assert sorted(values(ds)) == [0, 0, 0, 1, 1, 2]


def test_zip_keeps_the_structure_of_datasets():
    a, b = Dataset.range(3), Dataset.range(5, 7)
    assert values(Dataset.zip((a, b))) == values(Dataset.zip(a, b)) == [(0, 5), (1, 6)]
    assert values(Dataset.zip({"a": a, "b": (b, a)})) == [
        {"a": 0, "b": (5, 0)},
        {"a": 1, "b": (6, 1)},
    ]
    with pytest.raises(TypeError, match="datasets"):
        Dataset.zip((a, 3))


def test_concatenate_joins_shapes_and_refuses_types():
    ds = Dataset.from_tensors([1]).concatenate(Dataset.from_tensors([1, 2]))
    assert ds.element_spec.shape.as_list() == [None]
    assert values(ds) == [[1], [1, 2]]
    with pytest.raises(TypeError, match="concatenate"):
        Dataset.range(2).concatenate(Dataset.from_tensors(1.0))


def test_repeat_take_and_skip():
    ds = Dataset.range(3)
    assert values(ds.repeat(2)) == [0, 1, 2, 0, 1, 2]
    assert values(ds.repeat().take(7)) == [0, 1, 2, 0, 1, 2, 0]
    assert values(ds.repeat(0)) == values(ds.take(0)) == values(ds.skip(-1)) == []
    assert values(ds.take(-1)) == values(ds.skip(0)) == [0, 1, 2]
    assert values(Dataset.range(0).repeat()) == []


def test_shards_are_a_partition():
    parts = [values(Dataset.range(10).shard(3, k)) for k in range(3)]
    assert parts == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
    with pytest.raises(ag.errors.InvalidArgumentError, match="shard"):
        Dataset.range(3).shard(2, 2)


def test_enumerate_counts_in_int64():
    ds = Dataset.from_tensor_slices(["a", "b"]).enumerate(start=3)
    assert ds.element_spec[0].dtype == ag.int64
    assert values(ds) == [(3, b"a"), (4, b"b")]


def test_apply_takes_a_function_of_the_dataset():
    assert values(Dataset.range(4).apply(lambda ds: ds.skip(3))) == [3]
    with pytest.raises(TypeError, match="apply"):
        Dataset.range(4).apply(list)


# ---- batches -------------------------------------------------------------------------------


def test_the_last_batch_may_be_smaller_or_is_dropped():
    ds = Dataset.range(5).map(lambda x: x + 0)
    assert values(ds.batch(2)) == [[0, 1], [2, 3], [4]]
    assert values(ds.batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    assert ds.batch(2).element_spec.shape.as_list() == [None]
    assert ds.batch(2, drop_remainder=True).element_spec.shape.as_list() == [2]


def test_batches_of_slices_are_batches():
    ds = Dataset.from_tensor_slices((np.arange(5), ["a", "b", "c", "d", "e"]))
    assert values(ds.batch(3, drop_remainder=True)) == [([0, 1, 2], [b"a", b"b", b"c"])]
    assert values(ds.batch(3))[1] == ([3, 4], [b"d", b"e"])


def test_batches_of_batches():
    ds = Dataset.range(4).batch(2).batch(2)
    assert values(ds) == [[[0, 1], [2, 3]]]


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_is_not_empty(size):
    with pytest.raises(ag.errors.InvalidArgumentError, match="greater than zero"):
        Dataset.range(3).batch(size)


def test_a_batch_of_different_shapes_is_refused():
    ds = Dataset.range(1, 3).map(lambda n: ag.ones([n]))
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"\(1,\).*\(2,\)[^$]*padded_batch"):
        list(ds.batch(2))


def test_padded_batch_fills_up():
    ds = Dataset.range(1, 4).map(lambda n: (ag.fill([n], n), n))
    (first, second) = ds.padded_batch(2)
    assert first[0].numpy().tolist() == [[1, 0], [2, 2]]
    assert second[0].numpy().tolist() == [[3, 3, 3]]
    wide = ds.padded_batch(3, ([4], []), (int64(-1), int64(0)), drop_remainder=True)
    assert wide.element_spec[0].shape.as_list() == [3, 4]
    assert values(wide)[0][0] == [[1, -1, -1, -1], [2, 2, -1, -1], [3, 3, 3, -1]]


def test_padded_batch_of_texts():
    ds = Dataset.from_generator(
        lambda: [["a"], ["b", "c"]], output_signature=ag.TensorSpec([None], ag.string)
    )
    assert values(ds.padded_batch(2)) == [[[b"a", b""], [b"b", b"c"]]]


def test_what_does_not_fit_the_padded_shape_is_refused():
    ds = Dataset.range(1, 4).map(lambda n: ag.ones([n]))
    with pytest.raises(ag.errors.InvalidArgumentError, match="more than"):
        list(ds.padded_batch(3, [2]))
    with pytest.raises(ValueError, match="does not fit"):
        ds.padded_batch(3, [2, 2])


def test_unbatch_gives_rows():
    ds = Dataset.from_tensors(([1, 2], ["a", "b"])).unbatch()
    assert values(ds) == [(1, b"a"), (2, b"b")]
    with pytest.raises(ag.errors.InvalidArgumentError, match="scalar"):
        Dataset.range(2).unbatch()


def test_windows_are_datasets():
    windows = Dataset.range(7).window(3, shift=2, stride=2)
    assert [values(window) for window in windows] == [[0, 2, 4], [2, 4, 6], [4, 6], [6]]
    dropped = Dataset.range(7).window(3, shift=1, drop_remainder=True)
    batched = dropped.flat_map(lambda window: window.batch(3))
    assert values(batched)[0] == [0, 1, 2] and values(batched)[-1] == [4, 5, 6]


def test_windows_further_apart_than_they_are_long():
    assert [values(window) for window in Dataset.range(8).window(2, shift=3)] == [
        [0, 1],
        [3, 4],
        [6, 7],
    ]


@pytest.mark.slow
def test_windows_of_pairs():
    ds = Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    ds = ds.flat_map(lambda a, b: Dataset.zip((a.batch(2), b.batch(2))))
    assert values(ds) == [([1, 2], [4, 5]), ([3], [6])]


def test_group_by_window_gathers_equal_keys():
    ds = Dataset.range(7).group_by_window(
        lambda x: x % 2, lambda key, window: window.map(lambda x: x * 10 + key), 2
    )
    assert values(ds) == [0, 20, 11, 31, 40, 60, 51]
    with pytest.raises(ValueError, match="window_size"):
        ds.group_by_window(lambda x: x, lambda key, window: window)


def test_buckets_hold_similar_lengths():
    ds = Dataset.from_tensor_slices([1, 4, 2, 5, 9]).map(lambda n: ag.fill([n], n))
    ds = ds.bucket_by_sequence_length(lambda x: ag.shape(x)[0], [3, 6], [2, 2, 1])
    assert [tuple(x.shape) for x in ds] == [(2, 2), (2, 5), (1, 9)]


# ---- order, memory, threads ----------------------------------------------------------------


def test_shuffle_repeats_with_a_seed_and_differs_between_passes():
    first, second = (Dataset.range(20).shuffle(20, seed=5) for _ in range(2))
    assert values(first) == values(second)
    assert values(first) == values(second)
    assert values(first) != values(first)


def test_shuffle_may_keep_its_order():
    ds = Dataset.range(20).shuffle(20, reshuffle_each_iteration=False)
    assert values(ds) == values(ds)
    assert values(ds.repeat(2))[:20] == values(ds.repeat(2))[20:]


def test_shuffle_follows_the_global_seed():
    ag.random.set_seed(4)
    first = values(Dataset.range(20).shuffle(20))
    ag.random.set_seed(4)
    assert values(Dataset.range(20).shuffle(20)) == first


def test_a_small_buffer_moves_elements_forward_by_its_size_at_most():
    drawn = values(Dataset.range(50).shuffle(4, seed=1))
    assert all(place >= value - 3 for place, value in enumerate(drawn))


def test_cache_makes_elements_once():
    made = []

    def note(x):
        made.append(int(x))
        return x

    ds = Dataset.range(3).map(lambda x: ag.py_function(note, [x], ag.int64)).cache()
    assert values(ds.take(1)) == [0]
    assert made == [0]  # not a whole pass: nothing is kept
    assert values(ds) == values(ds) == [0, 1, 2]
    assert made == [0, 0, 1, 2]


def test_cache_in_a_file(tmp_path):
    path = str(tmp_path / "kept")
    source = Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
    assert values(source.cache(path)) == [(1, b"a"), (2, b"b")]
    other = Dataset.from_tensor_slices(([7], ["c"]))
    assert values(other.cache(path)) == [(1, b"a"), (2, b"b")]


def test_prefetch_works_ahead_in_a_thread():
    made = []

    def note(x):
        made.append((int(x), threading.current_thread() is threading.main_thread()))
        return x

    ds = Dataset.range(10).map(lambda x: ag.py_function(note, [x], ag.int64)).prefetch(2)
    iterator = iter(ds)
    assert int(next(iterator)) == 0
    deadline = time.monotonic() + 10
    while len(made) < 3 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert [value for value, _ in made[:3]] == [0, 1, 2]
    assert not any(main for _, main in made)


@pytest.mark.slow
def test_the_thread_of_an_abandoned_prefetch_ends():
    before = threading.active_count()
    iterator = iter(Dataset.range(10).repeat().prefetch(1))
    next(iterator)
    del iterator
    gc.collect()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_an_error_passes_through_prefetch():
    def broken():
        yield 1
        raise KeyError("mine")

    spec = ag.TensorSpec([], ag.int32)
    iterator = iter(Dataset.from_generator(broken, output_signature=spec).prefetch(4))
    assert int(next(iterator)) == 1
    with pytest.raises(KeyError, match="mine"):
        next(iterator)


# ---- several datasets ----------------------------------------------------------------------


def test_samples_come_from_all_datasets():
    a, b = Dataset.from_tensors(1).repeat(50), Dataset.from_tensors(2).repeat()
    drawn = values(Dataset.sample_from_datasets([a, b], [0.9, 0.1], seed=2).take(200))
    assert drawn.count(1) == 50
    assert drawn[:20].count(1) > 10


def test_a_dataset_of_weight_zero_is_never_drawn():
    a, b = Dataset.range(3), Dataset.range(3)
    assert values(Dataset.sample_from_datasets([a, b], [1.0, 0.0])) == [0, 1, 2]
    with pytest.raises(ag.errors.InvalidArgumentError, match="weights"):
        Dataset.sample_from_datasets([a, b], [0.0, 0.0])


def test_choices_name_datasets():
    a, b = Dataset.range(2), Dataset.range(10, 20)
    choice = Dataset.from_tensor_slices(np.array([0, 1, 0, 0, 1]))
    assert values(Dataset.choose_from_datasets([a, b], choice)) == [0, 10, 1]
    on = Dataset.choose_from_datasets([a, b], choice, stop_on_empty_dataset=False)
    assert values(on) == [0, 10, 1, 11]


def test_unique_elements():
    ds = Dataset.from_tensor_slices((["a", "b", "a"], [[1, 2], [1, 2], [1, 2]]))
    assert values(ds.unique()) == [(b"a", [1, 2]), (b"b", [1, 2])]


def test_errors_may_be_ignored():
    ds = Dataset.from_tensor_slices([1.0, 0.0, 2.0])
    ds = ds.map(lambda x: ag.debugging.check_numerics(1.0 / x, "bad"))
    with pytest.raises(ag.errors.InvalidArgumentError, match="bad"):
        list(ds)
    assert values(ds.ignore_errors()) == [1.0, 0.5]


def test_a_single_element():
    assert int(Dataset.range(3).skip(2).get_single_element()) == 2
    for count in (0, 2):
        with pytest.raises(ag.errors.InvalidArgumentError, match="get_single_element"):
            Dataset.range(count).get_single_element()


# ---- how many ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make, count",
    [
        (lambda ds: ds, 10),
        (lambda ds: ds.map(lambda x: x).shuffle(3).prefetch(1).cache(), 10),
        (lambda ds: ds.batch(3), 4),
        (lambda ds: ds.batch(3, drop_remainder=True), 3),
        (lambda ds: ds.padded_batch(4), 3),
        (lambda ds: ds.window(3), 4),
        (lambda ds: ds.window(3, 1, drop_remainder=True), 8),
        (lambda ds: ds.window(3, 2, 2), 5),
        (lambda ds: ds.take(3), 3),
        (lambda ds: ds.take(30), 10),
        (lambda ds: ds.skip(3), 7),
        (lambda ds: ds.skip(30), 0),
        (lambda ds: ds.shard(3, 1), 3),
        (lambda ds: ds.repeat(3), 30),
        (lambda ds: ds.repeat(), ag.data.INFINITE_CARDINALITY),
        (lambda ds: ds.repeat().take(4), 4),
        (lambda ds: ds.concatenate(ds), 20),
        (lambda ds: ds.concatenate(ds.repeat()), ag.data.INFINITE_CARDINALITY),
        (lambda ds: Dataset.zip((ds, ds.repeat())), 10),
        (lambda ds: ds.enumerate(), 10),
        (lambda ds: ds.scan(int64(0), lambda s, x: (s, x)), 10),
        (lambda ds: ds.batch(5, drop_remainder=True).unbatch(), 10),
        (lambda ds: ds.filter(lambda x: x > 3), ag.data.UNKNOWN_CARDINALITY),
        (lambda ds: ds.filter(lambda x: x > 3).take(2), ag.data.UNKNOWN_CARDINALITY),
        (lambda ds: ds.flat_map(Dataset.range), ag.data.UNKNOWN_CARDINALITY),
    ],
)
def test_cardinality_tells_how_many_elements_there_are(make, count):
    ds = make(Dataset.range(10))
    assert int(ds.cardinality()) == count
    if count >= 0:
        assert len(ds) == count == len(list(ds))
    else:
        with pytest.raises(TypeError):
            len(ds)


def test_a_promised_cardinality_is_checked():
    ds = Dataset.range(9).filter(lambda x: x < 3)
    assert values(ds.apply(ag.data.experimental.assert_cardinality(3))) == [0, 1, 2]
    assert len(ds.assert_cardinality(3)) == 3
    for wrong in (2, 4):
        with pytest.raises(ag.errors.InvalidArgumentError, match="assert_cardinality"):
            list(ds.assert_cardinality(wrong))


def test_older_forms_go_through_apply():
    form = ag.data.experimental
    ds = Dataset.range(6)
    assert values(ds.apply(form.take_while(lambda x: x < 2))) == [0, 1]
    assert values(ds.map(lambda x: x % 2).apply(form.unique())) == [0, 1]
    assert values(ds.batch(2).apply(form.unbatch())) == list(range(6))
    assert sorted(values(ds.apply(form.shuffle_and_repeat(6, 2)))) == sorted([*range(6)] * 2)
    assert int(form.cardinality(ds)) == 6
    assert int(form.get_single_element(ds.take(1))) == 0
    grouped = ds.apply(form.group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), 3))
    assert values(grouped) == [[0, 2, 4], [1, 3, 5]]


def test_a_counter_never_ends():
    assert values(Dataset.counter(3, 4).take(3)) == [3, 7, 11]
    assert int(Dataset.counter().cardinality()) == ag.data.INFINITE_CARDINALITY
    assert Dataset.counter(dtype=ag.float32).element_spec.dtype == ag.float32


def test_options_pass_on_and_change_no_element():
    options, more = ag.data.Options(), ag.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    more.threading.max_intra_op_parallelism = 2
    ds = Dataset.range(3).with_options(options).map(lambda x: x + 1).with_options(more)
    assert values(ds) == [1, 2, 3]
    assert ds.options().deterministic is False
    assert ds.options().threading.private_threadpool_size == 3
    assert ds.options().threading.max_intra_op_parallelism == 2
    assert Dataset.zip((Dataset.range(2), ds)).options() == ds.options()
    assert Dataset.range(3).options() == ag.data.Options() != options
    assert options.experimental_warm_start is None


# ---- iterators -----------------------------------------------------------------------------


def test_an_iterator_ends_in_python_and_in_tensorflow_ways():
    iterator = iter(Dataset.range(2))
    assert isinstance(iterator, ag.data.Iterator)
    assert iterator.element_spec == ag.TensorSpec([], ag.int64)
    assert [int(next(iterator)), int(iterator.get_next())] == [0, 1]
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(ag.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()


def test_an_optional_holds_the_next_element():
    iterator = iter(Dataset.range(1))
    full, empty = iterator.get_next_as_optional(), iterator.get_next_as_optional()
    assert bool(full.has_value()) and int(full.get_value()) == 0
    assert not bool(empty.has_value())
    with pytest.raises(ag.errors.InvalidArgumentError, match="no value"):
        empty.get_value()


def test_a_generator_that_pulls_from_itself_is_told_so():
    def numbers():
        yield int(next(iterator))

    spec = ag.TensorSpec([], ag.int32)
    iterator = iter(Dataset.from_generator(numbers, output_signature=spec))
    with pytest.raises(ValueError, match="already executing"):
        next(iterator)


def test_threads_share_an_iterator():
    iterator = iter(Dataset.range(2000).map(lambda x: x))
    taken = []

    def take():
        for x in iterator:
            taken.append(int(x))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(2000))


def test_a_numpy_iterator_of_datasets_is_refused():
    with pytest.raises(TypeError, match="not an array"):
        next(Dataset.range(3).window(2).as_numpy_iterator())


def test_what_datasets_look_like():
    ds = Dataset.range(3)
    assert repr(ds) == "<Dataset element_spec=TensorSpec(shape=(), dtype=ag.int64, name=None)>"
    assert isinstance(ds.map(lambda x: x), ag.data.Dataset)
    assert bool(Dataset.range(0))


def test_a_dataset_may_be_an_element_and_a_capture():
    inner = Dataset.range(3)
    pairs = Dataset.from_tensors((inner, 1))
    assert pairs.element_spec[0] == ag.data.DatasetSpec(ag.TensorSpec([], ag.int64))
    assert values(pairs.flat_map(lambda ds, n: ds)) == [0, 1, 2]
    crossed = Dataset.range(2).flat_map(lambda x: inner.map(lambda y: 10 * x + y))
    assert values(crossed) == [0, 1, 2, 10, 11, 12]


def test_datasets_may_be_mapped_again_and_again_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(30):
            assert [int(x) for x in Dataset.range(2).map(lambda x: x + 1)] == [1, 2], number


class TestFunctionsOfPrograms:
    """What functions of datasets may do."""

    def test_the_items_of_a_returned_list_are_components(self):
        pairs = Dataset.range(2).map(lambda x: [x, ag.stack([x, x])])
        assert [(int(x), list(y.shape)) for x, y in pairs] == [(0, [2]), (1, [2])]

    def test_reduce_may_change_the_state_that_it_is_given(self):
        def count(state, x):
            state["seen"] += 1
            return state

        assert int(Dataset.range(5).reduce({"seen": 0}, count)["seen"]) == 5

    def test_an_iterator_has_a_method_next(self):
        assert int(iter(Dataset.range(3)).next()) == 0


@pytest.mark.slow
def test_resampled_classes_are_as_frequent_as_told():
    ag.random.set_seed(3)
    data = ag.data.Dataset.from_tensor_slices(([0, 1, 1, 1] * 200, [0.5, 1.5, 1.5, 1.5] * 200))
    for initial in (None, [0.25, 0.75]):
        pairs = list(data.rejection_resample(lambda label, x: label, [0.5, 0.5], initial, seed=1))
        labels = [int(label) for label, _ in pairs]
        assert 250 < len(labels) < 550 and 0.35 < sum(labels) / len(labels) < 0.65
        assert all(float(element[1]) == 0.5 + int(label) for label, element in pairs)
