"""PTX is kept on disk beside the kernels of the CPU, and only what this user wrote is read."""

import subprocess
import sys

import numpy as np
import pytest
from test_grid_program import program_of

import allograph as ag
from allograph.runtime.gpu import ptx as writer
from allograph.runtime.gpu import stored_ptx as store


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))
    store.stored_ptx.cache_clear()
    yield program_of(lambda x: x * 2.0, ag.constant(np.ones(3))).kernels[0]
    store.stored_ptx.cache_clear()


@pytest.fixture
def written(monkeypatch):
    """The architectures for which PTX is written anew."""
    calls = []
    original = writer.ptx

    def ptx(kernel, architecture):
        calls.append(architecture)
        return original(kernel, architecture)

    monkeypatch.setattr(writer, "ptx", ptx)
    return calls


def test_another_process_reads_what_one_has_written(kernel, written):
    text = store.stored_ptx(kernel, "sm_90")
    store.stored_ptx.cache_clear()
    assert store.stored_ptx(kernel, "sm_90") == text
    assert ".target sm_90" in text
    assert written == ["sm_90"]


def test_each_architecture_has_its_own(kernel, written):
    store.stored_ptx(kernel, "sm_90")
    assert ".target sm_80" in store.stored_ptx(kernel, "sm_80")
    assert written == ["sm_90", "sm_80"]


def test_a_file_that_somebody_changed_is_written_again(kernel, written):
    text = store.stored_ptx(kernel, "sm_90")
    (file,) = store.home().glob("*.ptx")
    file.write_bytes(file.read_bytes().replace(b"sm_90", b"sm_80"))
    store.stored_ptx.cache_clear()
    assert store.stored_ptx(kernel, "sm_90") == text
    assert written == ["sm_90", "sm_90"]


def test_the_list_of_kernels_has_it_with_its_source(kernel):
    store.stored_ptx(kernel, "sm_90")
    (stored,) = ag.kernel_cache.kernels()
    assert {path.suffix for path in stored.files} == {".ptx", ".py"}
    assert "thread_index()" in stored.source


def test_lowering_for_a_device_needs_no_llvm():
    modules = "backend", "stored_ptx", "devices.cuda_device", "grid.grid_parts"
    code = "; ".join(f"import allograph.runtime.gpu.{module}" for module in modules)
    command = [sys.executable, "-c", f"{code}; import sys; assert 'llvmlite' not in sys.modules"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
