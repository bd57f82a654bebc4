"""Loops of launches that the card ends, as the driver's functions are called. No card is needed."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from test_cuda_device import bindings  # noqa: F401 - a fixture
from test_grid_program import program_of

import allograph as ag
from allograph.runtime.gpu.devices import conditional_graphs, cuda_device
from allograph.runtime.gpu.grid_kernel import GridLoop
from allograph.runtime.gpu.launches import Runner, run_steps


@pytest.fixture
def device(bindings, monkeypatch):  # noqa: F811
    api, image = bindings.api, ctypes.create_string_buffer(b"cubin")
    monkeypatch.setattr(conditional_graphs, "driver", lambda: bindings)
    monkeypatch.setattr(conditional_graphs, "library", lambda: "libcudadevrt.a")
    monkeypatch.setattr(conditional_graphs, "body_of", lambda _: api.CUgraph(12))
    bindings.results |= {
        "cuDriverGetVersion": conditional_graphs.SINCE, "cuGraphCreate": api.CUgraph(10),
        "cuLinkCreate": api.CUlinkState(8), "cuLinkComplete": (ctypes.addressof(image), 5),
        "cuModuleLoadData": api.CUmodule(9), "cuGraphAddNode": api.CUgraphNode(13),
        "cuGraphConditionalHandleCreate": api.CUgraphConditionalHandle(11),
    }  # fmt: skip
    device = cuda_device.CudaDevice(0)
    device._word = np.zeros(1, np.uint32), np.array([1 << 42], np.uint64)
    return device


def repeated(device, calls):
    kernel = program_of(lambda x: x * 2.0, ag.constant(np.ones(3))).kernels[0]
    words = [device.allocate(24) for _ in "abc"]
    loaded = device.load(kernel)
    del calls[:]
    is_launched = device.repeated(words, lambda: device.launch(loaded, words[:2]))
    return is_launched, [name for name, _ in calls if name != "cuCtxSetCurrent"]


def test_an_iteration_is_captured_into_the_body_of_a_node(device, bindings):  # noqa: F811
    assert device._telling is not None
    is_launched, names = repeated(device, bindings.calls)
    assert is_launched
    assert names == [
        "cuGraphCreate", "cuGraphConditionalHandleCreate", "cuGraphAddNode", "cuStreamCreate",
        "cuStreamBeginCaptureToGraph", "cuLaunchKernel", "cuLaunchKernel", "cuStreamEndCapture",
        "cuStreamDestroy", "cuGraphInstantiate", "cuGraphDestroy", "cuGraphLaunch",
        "cuGraphExecDestroy",
    ]  # fmt: skip
    (captured,) = (rest for name, rest in bindings.calls if name == "cuStreamBeginCaptureToGraph")
    assert int(captured[1]) == 12


def test_the_last_kernel_gets_the_node_and_the_words(device, bindings, monkeypatch):  # noqa: F811
    read = []

    def called(name, *arguments):
        if name == "cuLaunchKernel":
            pointers = (ctypes.c_uint64 * 5).from_address(arguments[9])
            read.extend(ctypes.c_uint64.from_address(pointer).value for pointer in pointers)
        return bindings.results.get(name)

    monkeypatch.setattr(conditional_graphs, "call", called)
    words = [1 << 40, 1 << 41, 1 << 42, 1 << 43]
    capture = lambda graph, last: last(7)  # noqa: E731
    conditional_graphs.loop_graph(device.context, "tell", words, capture)
    assert read == [11, *words]


@pytest.mark.parametrize("fault", ["driver", "library", "link", "graph"])
def test_the_host_is_asked_where_something_is_missing(device, bindings, monkeypatch, fault):  # noqa: F811
    if fault == "driver":
        bindings.results["cuDriverGetVersion"] -= 10
    elif fault == "library":
        monkeypatch.setattr(conditional_graphs, "library", lambda: None)
    else:
        name = {"link": "cuLinkAddFile", "graph": "cuGraphAddNode"}[fault]
        refused = bindings.api.CUresult.CUDA_ERROR_INVALID_VALUE
        monkeypatch.setattr(bindings, name, lambda *_: (refused, None), raising=False)
        bindings.results["cuGetErrorString"] = b"invalid"
    is_launched, names = repeated(device, bindings.calls)
    assert not is_launched
    assert "cuGraphLaunch" not in names


@pytest.mark.parametrize("by_device", [False, True])
def test_a_loop_of_launches_is_the_device_s_or_asks(by_device):
    class Counting(Runner):
        left, runs, asked = 5, 0, 0

        def launch(self, kernel):
            self.runs += 1
            self.left -= 1

        def holds(self, flag):
            self.asked += 1
            return self.left > 0

        def repeated(self, flag, run):
            while by_device and self.left > 0:
                run()
            return by_device

    runner, kernel = Counting(), program_of(lambda x: x * 2.0, ag.constant(1.0)).kernels[0]
    run_steps([GridLoop(None, 0, (), (kernel,))], runner)
    assert (runner.runs, runner.asked) == ((5, 0) if by_device else (7, 4))


@pytest.mark.skipif(not shutil.which("ptxas"), reason="needs NVIDIA's assembler")
def test_the_kernel_is_assembled_without_spills(tmp_path):
    source = tmp_path / "tell.ptx"
    source.write_text(conditional_graphs.PTX)
    command = ["ptxas", "-arch=sm_90", "-c", "-v", str(source), "-o", str(tmp_path / "tell.o")]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "0 bytes spill stores" in told.stderr
