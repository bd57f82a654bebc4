"""Generators of random numbers, and random choices."""

import numpy as np
import pytest

import allograph as ag

Generator = ag.random.Generator


def test_the_same_seed_gives_the_same_numbers():
    one, other, third = (Generator.from_seed(seed) for seed in (5, 5, 6))
    for draw in ("normal", "uniform", "truncated_normal"):
        first = getattr(one, draw)([4]).numpy()
        np.testing.assert_array_equal(first, getattr(other, draw)([4]))
        assert not np.array_equal(first, getattr(one, draw)([4]))
        getattr(other, draw)([4])
        assert not np.array_equal(first, getattr(third, draw)([4]))


def test_a_traced_function_draws_anew_on_each_call():
    generator = Generator.from_seed(1)
    draw = ag.function(lambda: generator.normal([3]))
    found = [draw().numpy() for _ in range(3)]
    assert len({one.tobytes() for one in found}) == 3
    generator.reset_from_seed(1)
    np.testing.assert_array_equal(generator.normal([3]), found[0])


def test_a_generator_goes_on_from_a_state():
    generator = Generator.from_seed(1)
    generator.normal([3])
    copy = Generator(copy_from=generator)
    np.testing.assert_array_equal(copy.uniform([3]), generator.uniform([3]))
    copy.reset(generator.state)
    generator.skip(2)
    copy.normal([1]), copy.normal([1])
    np.testing.assert_array_equal(copy.uniform([3]), generator.uniform([3]))


def test_generators_made_of_one_differ():
    parts = Generator.from_seed(1).split(3)
    assert len({part.normal([2]).numpy().tobytes() for part in parts}) == 3
    again = Generator.from_seed(1).split(3)
    np.testing.assert_array_equal(
        parts[2].normal([2]), (again[2].normal([2]), again[2].normal([2]))[1]
    )


def test_integers_come_from_the_whole_range():
    drawn = Generator.from_seed(3).uniform_full_int([1000], ag.int8).numpy()
    assert (drawn.min() < -120, drawn.max() > 120) == (True, True)
    drawn = Generator.from_seed(3).uniform([1000], 2, 5, ag.int32).numpy()
    assert set(drawn) == {2, 3, 4}


@pytest.mark.parametrize("seed", [None, [3, 4]])
def test_choices_follow_the_probabilities(seed):
    shares = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
    with np.errstate(divide="ignore"):
        logits = np.log(shares) + 3
    if seed is None:
        ag.random.set_seed(1)
        found = ag.random.categorical(logits, 20_000).numpy()
    else:
        found = ag.random.stateless_categorical(logits, 20_000, seed).numpy()
    for row, expected in zip(found, shares):
        np.testing.assert_allclose(np.bincount(row, minlength=3) / 20_000, expected, atol=0.02)
    assert ag.random.categorical(logits, 2, dtype=ag.int32).dtype == ag.int32


def test_choices_need_rows_of_logits():
    with pytest.raises(ValueError, match="batch, classes"):
        ag.random.categorical([0.0, 1.0], 1)


def test_variates_have_the_mean_of_their_distribution():
    for drawn, mean in (
        (ag.random.stateless_poisson([4000], [1, 2], 3.0), 3.0),
        (ag.random.stateless_gamma([4000], [1, 2], 3.0, 2.0), 1.5),
        (ag.random.stateless_binomial([4000], [1, 2], 10.0, 0.3), 3.0),
        (ag.random.poisson([2000], [3.0, 3.0], seed=5), 3.0),
    ):
        np.testing.assert_allclose(np.mean(drawn), mean, rtol=0.1)


def test_seeds_made_of_a_seed_differ_and_are_determined_by_it():
    seeds = [*ag.random.split([1, 2], 4), *(ag.random.fold_in([1, 2], step) for step in range(4))]
    assert len({tuple(one.numpy().tolist()) for one in seeds}) == 8
    again = ag.function(lambda step: ag.random.fold_in([1, 2], step))(3)
    assert (again.numpy() == seeds[-1].numpy()).all()


def test_a_generator_draws_unsigned_integers_and_numbers_of_successes():
    generator = ag.random.Generator.from_seed(1)
    assert generator.uniform_full_int([2]).dtype == ag.uint64
    assert generator.binomial([2], counts=3.0, probs=1.0).numpy().tolist() == [3, 3]
    assert ag.constant(2**63, ag.uint64).numpy() == 2**63
