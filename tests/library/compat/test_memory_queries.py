"""What is asked about the memory and the policies of devices."""

import numpy as np
import pytest

import allograph as ag

experimental = ag.config.experimental


def test_the_memory_of_the_cpu_is_that_of_the_process():
    before = experimental.get_memory_info("CPU:0")["peak"]
    kept = np.ones(40_000_000, np.uint8)
    info = experimental.get_memory_info("/device:CPU:0")
    assert info["peak"] >= info["current"] >= kept.nbytes
    assert info["peak"] >= before
    with pytest.raises(ValueError, match="only CPU:0"):
        experimental.get_memory_info("GPU:0")


def test_policies_are_words_that_are_known():
    with pytest.raises(ValueError, match="'loud'"):
        experimental.set_device_policy("loud")
    assert experimental.get_device_policy() == "silent"
