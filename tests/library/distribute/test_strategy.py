"""Training on replicas: the parts of batches, sums in a fixed order, checkpoints, workers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True)


def batches(size=8):
    ag.random.set_seed(3)
    return ag.data.Dataset.from_tensor_slices((X, Y)).shuffle(40, seed=1).batch(size)


def model():
    """A model of which training draws random numbers and assigns variables."""
    layers = ag.keras.layers
    ag.random.set_seed(3)
    made = ag.keras.Sequential(
        [layers.Dense(4, "relu"), layers.BatchNormalization(), layers.Dropout(0.2), layers.Dense(1)]
    )
    made.build([None, 3])
    made.compile(ag.keras.optimizers.Adam(0.01), "mse")
    return made


def weights_after(epochs, client=None, data=None, **options):
    trained = model()
    strategy = ag.distribute.Strategy(2, client=client, seed=5)
    strategy.fit(trained, data or batches(), epochs, **options)
    return trained.get_weights()


def assert_equal_bits(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
@given(rows=st.integers(1, 12), replicas=st.integers(1, 5))
def test_the_parts_of_a_batch_are_the_batch(rows, replicas):
    batch = {"x": ag.range(rows), "y": (ag.ones([rows, 2]), None)}
    parts = ag.distribute.Strategy(replicas).split(batch)
    assert len(parts["x"].values) == min(rows, replicas)
    assert np.concatenate(parts["x"].values).tolist() == list(range(rows))
    assert max(len(one) for one in parts["x"].values) == -(-rows // min(rows, replicas))


def test_a_batch_without_rows_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="same number of rows"):
        ag.distribute.Strategy(2).split((ag.ones([3]), ag.ones([4])))
    with pytest.raises(ag.errors.InvalidArgumentError, match="same number of rows"):
        ag.distribute.Strategy(2).split(ag.constant(1.0))


def test_replicas_run_on_their_own_arguments_and_are_added_up_in_order():
    strategy = ag.distribute.Strategy(3)
    parts = strategy.split(ag.constant([1.0, 2.0, 3.0, 4.0]))
    result = strategy.run(lambda x, scale: {"y": x * scale, "n": 2}, (parts, 10.0))
    assert [one.numpy().tolist() for one in result["y"].values] == [[10, 20], [30], [40]]
    assert float(strategy.reduce("sum", result["y"], axis=0)) == 100
    assert float(strategy.reduce("MEAN", result["y"], axis=0)) == 25
    assert strategy.experimental_local_results(result["n"]) == (2, 2, 2)


def test_variables_that_replicas_assign_get_the_mean_of_their_values():
    mean, count = ag.Variable(0.0, trainable=False), ag.Variable(0, trainable=False)

    def f(x):
        mean.assign(ag.reduce_mean(x))
        return count.assign_add(1) + 0

    strategy = ag.distribute.Strategy(2)
    counts = strategy.run(f, (strategy.split(ag.constant([1.0, 5.0])),))
    assert [int(one) for one in counts.values] == [1, 1]
    assert (float(mean), int(count)) == (3.0, 1)


def test_a_replica_that_trains_by_itself_is_refused_at_the_line():
    v = ag.Variable(1.0)
    with pytest.raises(ag.errors.InvalidArgumentError, match="apply their sum") as caught:
        ag.distribute.Strategy(2).run(lambda: v.assign_add(1.0) + 0)  # the line
    assert "# the line" in str(caught.value)


def test_random_numbers_differ_by_replica_and_step_and_leave_those_of_the_process():
    ag.random.set_seed(1)
    after = ag.random.uniform([])
    ag.random.set_seed(1)

    def drawn(strategy):
        return [float(one) for one in strategy.run(lambda: ag.random.uniform([])).values]

    strategy = ag.distribute.Strategy(2, seed=7)
    numbers = [*drawn(strategy), *drawn(strategy)]
    assert len(set(numbers)) == 4
    assert float(ag.random.uniform([])) == float(after)
    assert drawn(ag.distribute.Strategy(2, seed=7)) == numbers[:2]


@pytest.mark.slow
def test_a_step_on_parts_is_the_step_on_the_whole_batch():
    layers = ag.keras.layers
    found = []
    for replicas in (None, 1, 3):
        trained = ag.keras.Sequential([layers.Dense(1, kernel_initializer="ones")])
        trained.compile(ag.keras.optimizers.SGD(0.1), "mse")
        data = ag.data.Dataset.from_tensor_slices((X, 3 * Y)).batch(7)
        if replicas is None:
            trained.fit(data, verbose=0)
        else:
            ag.distribute.Strategy(replicas).fit(trained, data)
        found.append(trained.get_weights())
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-4)


def test_losses_that_do_not_add_up_are_refused():
    trained = ag.keras.Sequential([ag.keras.layers.Dense(2)])
    loss = ag.keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)
    trained.compile("sgd", loss)
    with pytest.raises(ag.errors.InvalidArgumentError, match="weights of 0"):
        ag.distribute.Strategy(2).fit(trained, batches())


def test_the_position_in_a_list_of_batches_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="takes a Dataset, not list"):
        ag.distribute.Strategy(2).fit(model(), [(X, Y)], folder=tmp_path)


class Stop(Exception):
    """Ends a training in the middle."""


def ending(count):
    """The batches, of which a pass ends with an error after some."""
    taken = iter(range(count))

    def check(x, y):
        def note():
            if next(taken, None) is None:
                raise Stop
            return 0.0

        return x + ag.py_function(note, [], ag.float32), y

    return check


@pytest.mark.slow
def test_training_that_ended_continues_with_the_same_weights(tmp_path):
    expected = weights_after(2)
    for stop in (3, 5, 8):  # in the first epoch, after it, and in the second
        folder = tmp_path / str(stop)
        data = batches().map(ending(stop))
        with pytest.raises(Stop):
            weights_after(2, data=data, folder=folder, every=2)
        trained = model()
        ag.distribute.Strategy(2).fit(trained, batches().map(ending(100)), 2, folder, 2)
        assert_equal_bits(trained.get_weights(), expected)


@pytest.mark.slow
def test_weights_do_not_depend_on_who_computes(client):
    assert_equal_bits(weights_after(1, client), weights_after(1))


@pytest.mark.slow
def test_workers_keep_variables_and_get_those_that_changed(client, monkeypatch):
    sent = []
    submit = type(client).submit
    monkeypatch.setattr(
        type(client), "submit",
        lambda self, f, task, **rest: sent.append(task) or submit(self, f, task, **rest),
    )  # fmt: skip
    large, small = ag.Variable(ag.ones([1000])), ag.Variable(1.0)
    f = ag.function(lambda x: ag.reduce_sum(large) * small + x)
    strategy = ag.distribute.Strategy(2, client)
    for step in range(3):
        result = strategy.run(f, (strategy.split(ag.zeros([2, 1])),))
        assert [float(one[0, 0]) for one in result.values] == [1000.0 * (step + 1)] * 2
        small.assign_add(1.0)
    values = [[value.array.size for value in task.values.values()] for task in sent]
    assert values == [[1000, 1], [1000, 1], [1], [1], [1], [1]]
    assert [task.code is None for task in sent] == [False, False, True, True, True, True]
