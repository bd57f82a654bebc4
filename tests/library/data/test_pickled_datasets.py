"""Datasets leave their process."""

import copy
import pickle

import cloudpickle
import numpy as np
import pytest

import allograph as ag


def doubled(x):
    return x * 2


def elements(dataset):
    return [np.asarray(one).tolist() for one in dataset]


def test_a_dataset_with_functions_of_a_module_can_be_pickled():
    dataset = ag.data.Dataset.range(5).map(doubled).filter(lambda_free).batch(2)
    again = pickle.loads(pickle.dumps(dataset))
    assert elements(again) == elements(dataset) == [[0, 4], [8]]
    assert again.element_spec == dataset.element_spec


def lambda_free(x):
    return x % 4 == 0


def test_a_dataset_with_lambdas_travels_by_value():
    offset = ag.constant(10, ag.int64)
    dataset = ag.data.Dataset.range(3).map(lambda x: x + offset)
    assert elements(pickle.loads(cloudpickle.dumps(dataset))) == [10, 11, 12]


def test_a_shuffled_dataset_travels():
    dataset = ag.data.Dataset.from_tensor_slices(np.arange(9)).shuffle(9, seed=3)
    again = pickle.loads(pickle.dumps(dataset))
    assert sorted(elements(again)) == list(range(9))


def test_a_dataset_can_be_copied():
    dataset = ag.data.Dataset.range(3).map(doubled)
    assert elements(copy.deepcopy(dataset)) == [0, 2, 4]


def test_a_pass_in_progress_cannot_be_pickled():
    with pytest.raises(TypeError, match="Pickle the dataset"):
        pickle.dumps(iter(ag.data.Dataset.range(3)))
