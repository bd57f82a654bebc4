"""`keras.backend`, `keras.random`, `keras.tree`, and members of families as data."""

import numpy as np
import pytest

import allograph as ag

keras = ag.keras
backend, tree = keras.backend, keras.tree
X = np.random.default_rng(2).random((3, 4), np.float32)


@pytest.mark.parametrize("name", ["mean", "sum", "max", "min", "prod", "std", "var"])
def test_reductions_of_the_backend_are_those_of_numpy(name):
    found = getattr(backend, name)(X, axis=1, keepdims=True)
    np.testing.assert_allclose(found, getattr(np, name)(X, axis=1, keepdims=True), rtol=1e-5)


def test_a_loss_written_with_the_backend_trains_a_model():
    def loss(y_true, y_pred):
        error = backend.square(y_pred - backend.cast(y_true, y_pred.dtype))
        return backend.mean(backend.clip(error, backend.epsilon(), 100.0), axis=-1)

    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", loss)
    losses = model.fit(X, X.sum(1, keepdims=True), epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0]


def test_functions_of_the_backend():
    v = backend.variable([1.0, -4.0])
    assert backend.get_value(backend.sqrt(v)).tolist() == [1.0, 0.0]
    backend.set_value(v, [2.0, 3.0])
    assert backend.eval(backend.update_add(v, 1.0)).tolist() == [3.0, 4.0]
    assert backend.dot(ag.ones([2, 3, 4]), ag.ones([4, 5])).shape == [2, 3, 5]
    assert backend.batch_flatten(ag.ones([2, 3, 4])).shape == [2, 12]
    assert backend.switch(ag.constant([True, False]), ag.ones([2, 2]), 0.0).numpy().sum() == 2
    assert (backend.int_shape(keras.Input([3])), backend.ndim(X)) == ((None, 3), 2)
    assert [backend.get_uid("thing") for _ in range(2)] == [1, 2]
    with pytest.raises(ValueError, match="data_format="):
        backend.set_image_data_format("channels_first")


@pytest.mark.parametrize(
    "draw, mean, deviation",
    [
        (lambda seed: keras.random.normal([9999], 2.0, 3.0, seed=seed), 2, 3),
        (lambda seed: keras.random.uniform([9999], 0.0, 6.0, seed=seed), 3, 3**0.5),
        (lambda seed: keras.random.randint([9999], 0, 5, seed=seed), 2, 2**0.5),
        (lambda seed: keras.random.gamma([9999], 4.0, seed=seed), 4, 2),
        (lambda seed: keras.random.beta([9999], 2.0, 2.0, seed=seed), 0.5, 0.05**0.5),
        (lambda seed: keras.random.binomial([9999], 10.0, 0.5, seed=seed), 5, 2.5**0.5),
    ],
)
def test_random_numbers_have_their_moments_and_follow_from_their_seed(draw, mean, deviation):
    numbers = draw(5).numpy()
    assert abs(numbers.mean() - mean) < 0.05 * deviation + 0.01
    assert abs(numbers.std() - deviation) < 0.05 * deviation
    assert (draw(5).numpy() == numbers).all()
    seeds = keras.random.SeedGenerator(5)
    assert (draw(seeds).numpy() != draw(seeds).numpy()).any()


def test_a_generator_of_seeds_moves_on_in_a_traced_function():
    seeds = keras.random.SeedGenerator(1)
    f = ag.function(lambda: keras.random.dropout(ag.ones([64]), 0.5, seed=seeds))
    assert (f().numpy() != f().numpy()).any()


def test_structures():
    assert tree.map_structure_up_to([1, 1], len, [[1, 2], [3]]) == [2, 1]
    assert tree.lists_to_tuples({"a": [1, [2]]}) == {"a": (1, (2,))}
    assert tree.flatten({"b": 1, "a": (2, 3)}) == [2, 3, 1]
    with pytest.raises((TypeError, ValueError)):
        tree.assert_same_structure([1], [1, 2])


@pytest.mark.parametrize(
    "family, member",
    [
        ("activations", keras.activations.relu), ("losses", keras.losses.Huber(delta=2.0)),
        ("initializers", keras.initializers.HeNormal()),
        ("constraints", keras.constraints.MaxNorm(3)),
        ("regularizers", keras.regularizers.OrthogonalRegularizer(0.5)),
        ("optimizers", keras.optimizers.Lamb(0.5)),
    ],
)  # fmt: skip
def test_a_member_of_a_family_survives_serialization(family, member):
    namespace = getattr(keras, family)
    data = namespace.serialize(member)
    found = namespace.deserialize(data)
    assert type(found) is type(member)
    assert namespace.serialize(found) == data


def test_deserialize_finds_classes_of_the_user():
    class Double(keras.regularizers.L1):
        pass

    found = keras.regularizers.deserialize("Double", custom_objects={"Double": Double})
    assert isinstance(found, Double)
    with pytest.raises(ValueError, match="no member"):
        keras.regularizers.deserialize("Double")


def test_a_progress_bar_prints_means(capsys):
    bar = keras.utils.Progbar(4, width=4, stateful_metrics=["rate"])
    bar.update(2, [("loss", 1.0), ("rate", 0.5)])
    bar.add(2, [("loss", 3.0), ("rate", 0.25)])
    assert capsys.readouterr().out.split("\r")[1:] == [
        "2/4 [==..] - loss: 1.0000 - rate: 0.5000",
        "4/4 [====] - loss: 2.0000 - rate: 0.2500\n",
    ]
