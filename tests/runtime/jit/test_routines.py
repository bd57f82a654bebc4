"""Native code of extensions: a kernel that calls it has a key that depends on its files."""

import importlib.resources

import allograph.library.convolution  # noqa: F401 - it registers its routines
from allograph.runtime.jit import routines
from allograph.runtime.jit.routines import sources_of

PACKAGE = "allograph.library.convolution"


def test_a_kernel_that_calls_no_routine_of_an_extension_depends_on_none():
    assert sources_of({"exp_f32", "windows"}) == ()


def test_a_kernel_that_calls_routines_depends_on_their_package_once():
    assert len(sources_of({"windows_pad", "direct_lines_f32_8"})) == 1


def test_another_file_of_the_package_is_another_key(monkeypatch, tmp_path):
    before = sources_of({"windows_pad"})
    for file in importlib.resources.files(PACKAGE).iterdir():
        if file.name.endswith(".py"):
            (tmp_path / file.name).write_bytes(file.read_bytes() + b"#")
    monkeypatch.setattr(importlib.resources, "files", lambda package: tmp_path)
    routines.digest_of_package.cache_clear()
    try:
        assert sources_of({"windows_pad"}) != before
    finally:
        routines.digest_of_package.cache_clear()
