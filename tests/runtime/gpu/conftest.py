"""Devices for tests that name one: functions that name none run on the CPU."""

import pytest

import allograph as ag
from allograph.runtime.gpu.devices import cuda_driver
from allograph.runtime.gpu.devices.device_list import EMULATED, VARIABLE, devices
from allograph.runtime.jit import backends

DEVICES = [EMULATED, *(["card"] if cuda_driver.missing() is None else [])]


@pytest.fixture(params=DEVICES)
def gpu(request, monkeypatch):
    """GPU:0, as the CPU emulates it, and the first card where there is one."""
    if request.param == EMULATED:
        monkeypatch.setenv(VARIABLE, EMULATED)
    else:
        monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(backends, "_CHOSEN", ["auto"])
    others = {name: one for name, one in backends._BACKENDS.items() if not one.has_devices}
    monkeypatch.setattr(backends, "_BACKENDS", others)
    return devices()[0]


@pytest.fixture
def hard():
    """An error, in place of the CPU, where a device lacks an operation."""
    ag.config.set_soft_device_placement(False)
    yield
    ag.config.set_soft_device_placement(True)
