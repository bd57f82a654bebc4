"""Devices: which there are, what is missing for others, and their memory."""

import gc

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.gpu.devices import cuda_driver
from allograph.runtime.gpu.devices import device_list as devices


@pytest.fixture
def emulated(monkeypatch):
    monkeypatch.setenv(devices.VARIABLE, devices.EMULATED)
    (device,) = devices.devices()
    return device


@pytest.fixture
def real(monkeypatch):
    monkeypatch.delenv(devices.VARIABLE, raising=False)


class FakeDriver:
    """The names of a driver whose first call fails in one way."""

    def __init__(self, outcome):
        self.outcome = outcome

    def cuInit(self, flags):  # noqa: N802 (the driver's name)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return (self.outcome,)


def reason_of(monkeypatch, driver):
    monkeypatch.setattr(cuda_driver, "driver", driver)
    return cuda_driver.missing.__wrapped__()


def test_without_the_extra_the_reason_names_it(monkeypatch):
    def driver():
        raise ImportError("no module")

    assert "pip install 'allograph[gpu]'" in reason_of(monkeypatch, driver)


def test_without_the_driver_the_reason_names_its_library(monkeypatch):
    fake = FakeDriver(RuntimeError("no library"))
    assert reason_of(monkeypatch, lambda: fake) == (
        "the NVIDIA driver is not installed: there is no libcuda.so.1"
    )


def test_without_a_card_the_reason_says_so(monkeypatch):
    results = pytest.importorskip("cuda.bindings.driver").CUresult
    fake = FakeDriver(results.CUDA_ERROR_NO_DEVICE)
    assert reason_of(monkeypatch, lambda: fake) == "the NVIDIA driver finds no card"


def test_the_only_value_of_the_variable_is_emulated(monkeypatch):
    monkeypatch.setenv(devices.VARIABLE, "cloud")
    with pytest.raises(ag.errors.InvalidArgumentError, match="no such device"):
        devices.is_emulated()


def test_the_list_of_devices_says_why_there_is_no_gpu(real, monkeypatch):
    monkeypatch.setattr(cuda_driver, "missing", lambda: "the NVIDIA driver finds no card")
    devices._devices.cache_clear()
    assert devices.listed() == "There is CPU:0; no GPU: the NVIDIA driver finds no card."
    devices._devices.cache_clear()


def test_the_emulated_device_is_gpu_0(emulated):
    assert emulated.name == "GPU:0"
    assert devices.missing() is None
    assert devices.device_named("GPU:0") is emulated
    assert devices.device_named("GPU:1") is None
    assert devices.listed() == "There is CPU:0, GPU:0."


def test_memory_holds_what_was_copied_in(emulated):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    memory = emulated.allocate(array.nbytes)
    emulated.copy_in(memory, array)
    copy = np.zeros_like(array)
    emulated.copy_out(memory, copy)
    assert (copy == array).all()


def test_memory_is_counted_while_it_is_used(emulated):
    gc.collect()
    before = emulated.in_use
    emulated.reset_peak()
    memory = emulated.allocate(1000)
    assert emulated.in_use == before + 1000
    del memory
    assert (emulated.in_use, emulated.peak) == (before, before + 1000)


def test_copies_are_counted(emulated):
    before = emulated.copied_in, emulated.copied_out
    memory = emulated.allocate(8)
    emulated.copy_in(memory, np.zeros(2, np.float32))
    emulated.copy_out(memory, np.zeros(1, np.float32))
    assert (emulated.copied_in - before[0], emulated.copied_out - before[1]) == (8, 4)
