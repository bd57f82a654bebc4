"""Machine code on disk is executed only if this user's programs wrote it."""

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import allograph as ag
from allograph.runtime.jit.cache import files
from allograph.runtime.storage import cache_trust, stored_files
from allograph.tools.commands import allograph

CODE = b"machine code"
is_posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners of files here")


@pytest.fixture
def kernel(tmp_path, monkeypatch) -> Path:
    """A file with machine code in a cache of its own."""
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("ALLOGRAPH_KEY_FILE", str(tmp_path / "keys" / "key"))
    path = files.object_file("kernel_" + "a" * 20)
    stored_files.write(path, CODE)
    assert stored_files.read(path) == CODE and ag.kernel_cache.problem() == ""
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@is_posix
def test_the_cache_and_the_key_are_the_users_alone(kernel, tmp_path):
    assert mode(tmp_path / "cache") == mode(kernel.parent) == mode(tmp_path / "keys") == 0o700
    assert mode(tmp_path / "keys" / "key") == mode(kernel) == 0o600
    assert os.listdir(tmp_path / "keys") == ["key"]


@pytest.mark.parametrize("position", [0, 31, 32, -1])
def test_a_changed_file_is_not_executed(kernel, position):
    content = bytearray(kernel.read_bytes())
    content[position] ^= 1
    kernel.write_bytes(content)
    assert stored_files.read(kernel) is None


def test_a_file_under_the_name_of_another_is_not_executed(kernel):
    other = kernel.with_name(kernel.name.replace("a", "b"))
    kernel.rename(other)
    assert stored_files.read(other) is None


def test_a_cache_from_elsewhere_is_not_executed(kernel, tmp_path):
    (tmp_path / "keys" / "key").write_bytes(bytes(32))
    assert stored_files.read(kernel) is None
    assert ag.kernel_cache.problem() == ""


@is_posix
@pytest.mark.parametrize("which", ["cache", "kernels"])
@pytest.mark.parametrize("others", [0o777, 0o770, 0o702])
def test_a_folder_that_others_may_write_is_not_used(kernel, which, others):
    path = kernel.parent if which == "kernels" else kernel.parent.parent
    path.chmod(others)
    assert stored_files.read(kernel) is None
    kernel.unlink()
    stored_files.write(kernel, CODE)
    assert not kernel.exists()
    assert ag.kernel_cache.problem() == (
        f"compiled kernels are not kept on disk: {path} may be written by others "
        f"(mode 0{others:o}). Clear it, then: chmod 700 {path}"
    )


@is_posix
def test_a_folder_of_another_user_is_not_used(kernel, monkeypatch):
    another = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: another)
    assert stored_files.read(kernel) is None
    assert f"{kernel.parent.parent} belongs to another user" in ag.kernel_cache.problem()


@is_posix
@pytest.mark.parametrize("mode", [0o644, 0o660])
def test_a_key_that_others_may_read_is_not_used(kernel, tmp_path, mode):
    (tmp_path / "keys" / "key").chmod(mode)
    assert stored_files.read(kernel) is None
    assert "key is not yours alone. Remove it: rm " in ag.kernel_cache.problem()


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_file_that_is_no_key_is_not_used(kernel, tmp_path, content):
    (tmp_path / "keys" / "key").write_bytes(content)
    assert stored_files.read(kernel) is None
    assert "is not a key" in ag.kernel_cache.problem()


def test_without_a_key_kernels_live_in_memory(kernel, tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("ALLOGRAPH_KEY_FILE", str(tmp_path / "a file" / "key"))
    assert stored_files.read(kernel) is None
    stored_files.write(kernel, CODE)
    assert "Set ALLOGRAPH_KEY_FILE to a file of yours." in ag.kernel_cache.problem()


@pytest.mark.parametrize("size", [0, 10, len(CODE) + 20])
def test_a_disk_that_is_full_leaves_no_part_of_a_file(kernel, tmp_path, monkeypatch, size):
    resource = pytest.importorskip("resource")
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setenv("ALLOGRAPH_KEY_FILE", str(tmp_path / "keys" / "other"))
    other = kernel.with_name(kernel.name.replace("a", "b"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        stored_files.write(other, CODE)
        problem = ag.kernel_cache.problem()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    has_key = size >= cache_trust.KEY_SIZE
    assert has_key or "there is no key in" in problem
    key = [tmp_path / "keys" / "other"] if has_key else []
    assert sorted(tmp_path.rglob("*")) == sorted(before + key)


def test_a_folder_that_cannot_be_written_is_told(kernel, tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path / "a file" / "cache"))
    assert f"{tmp_path / 'a file'} cannot be written." in ag.kernel_cache.problem()


@is_posix
def test_a_folder_without_the_right_to_write_is_told(kernel, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root has every right
    assert f"{kernel.parent} cannot be written." in ag.kernel_cache.problem()
    assert stored_files.read(kernel) == CODE


@is_posix
def test_the_commands_tell_why_kernels_are_not_kept(kernel):
    runs = ["cache"], ["cache", "list"], ["explain", f"{__file__}:doubled", "float32[2]"]
    kernel.parent.chmod(0o777)
    for words in runs:
        assert "may be written by others (mode 0777)" in CliRunner().invoke(allograph, words).output
    kernel.parent.chmod(0o700)
    for words in runs:
        assert "not kept on disk" not in CliRunner().invoke(allograph, words).output


def doubled(x):
    return 2 * x


def test_systems_without_owners_trust_the_digest(kernel, monkeypatch):
    monkeypatch.delattr(os, "geteuid", raising=False)
    kernel.parent.chmod(0o777)
    assert stored_files.read(kernel) == CODE and ag.kernel_cache.problem() == ""


def test_a_key_is_made_where_files_have_no_links(tmp_path, monkeypatch):
    def refuse(*paths):
        raise PermissionError(1, "no links")

    monkeypatch.setenv("ALLOGRAPH_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.setattr(os, "link", refuse)
    assert len(cache_trust._key()) == 32 and cache_trust._key() == cache_trust._key()


@pytest.mark.slow
def test_many_processes_make_one_key(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_KEY_FILE", str(tmp_path / "key"))
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert len(set(pool.map(key_of_process, range(3)))) == 1


def key_of_process(number: int) -> bytes:
    return cache_trust._key()


# ---- other things in place of a file ---------------------------------------------------------


def hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


PLACED = {
    "a pipe": lambda path: os.mkfifo(path),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a hole": hole,
    "a link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.fixture
def soon():
    """Whatever takes a minute is a hang."""

    def interrupt(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@is_posix
@pytest.mark.parametrize("what", PLACED)
def test_what_is_no_regular_file_is_no_kernel(kernel, soon, what):
    source = kernel.with_name(f"{kernel.name.partition('.')[0]}.py")
    for path in (kernel, source):
        path.unlink(missing_ok=True)
        PLACED[what](path)
    assert stored_files.read(kernel) is None
    assert files.origin_of(source) == ""
    assert [one.source for one in ag.kernel_cache.kernels()] == [""] * (what == "a hole")
    stored_files.write(kernel, CODE)
    assert stored_files.read(kernel) == (CODE if what != "a folder" else None)


@is_posix
@pytest.mark.parametrize("what", PLACED)
def test_what_is_no_regular_file_is_no_key(kernel, soon, tmp_path, what):
    key = tmp_path / "keys" / "key"
    key.unlink()
    PLACED[what](key)
    assert stored_files.read(kernel) is None
    assert "key" in ag.kernel_cache.problem()


TOO_LONG = """
import numpy as np, allograph as ag
compiled = ag.jit(lambda a: np.sort(a) @ a)
assert compiled(np.ones(20)) == 20.0 and "native code" in compiled.inspect(), compiled.inspect()
assert "is too long" in ag.kernel_cache.problem() and ag.kernel_cache.kernels() == []
"""


@is_posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["a" * 300, "/".join(["b" * 200] * 30)], ids=["a part", "all"])
def test_kernels_are_compiled_where_the_name_of_the_folder_is_too_long(tmp_path, name):
    environment = {**os.environ, "ALLOGRAPH_CACHE_DIR": str(tmp_path / name)}
    subprocess.run([sys.executable, "-c", TOO_LONG], env=environment, check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, the package is asked")
@pytest.mark.parametrize("chosen", [None, "/somewhere/else", "relative"])
def test_folders_are_those_of_the_package_that_knows_all_systems(monkeypatch, chosen):
    platformdirs = pytest.importorskip("platformdirs")
    for purpose in ("cache", "data"):
        monkeypatch.delenv(f"XDG_{purpose.upper()}_HOME", raising=False)
        if chosen is not None:
            monkeypatch.setenv(f"XDG_{purpose.upper()}_HOME", chosen)
        expected = getattr(platformdirs, f"user_{purpose}_dir")("allograph")
        assert cache_trust.usual_folder.__wrapped__(purpose) == expected
