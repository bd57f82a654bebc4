"""The emulated device, for tests that name it: functions that name none run on the CPU."""

import pytest

from allograph.runtime.gpu.devices.device_list import EMULATED, VARIABLE, devices
from allograph.runtime.jit import backends


@pytest.fixture
def gpu(monkeypatch):
    """GPU:0, as the CPU emulates it."""
    monkeypatch.setenv(VARIABLE, EMULATED)
    monkeypatch.setattr(backends, "_CHOSEN", ["auto"])
    others = {name: one for name, one in backends._BACKENDS.items() if not one.has_devices}
    monkeypatch.setattr(backends, "_BACKENDS", others)
    (device,) = devices()
    return device
