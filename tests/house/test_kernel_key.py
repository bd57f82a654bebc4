"""A stored kernel is found again only by the same sources: all that contribute to machine code."""

from pathlib import Path

import pytest
from test_layers import MODULES, ROOT, facts_of

from allograph.runtime.jit.cache import files
from allograph.runtime.storage import stored_files

TRANSLATED = ("runtime/kernels", "runtime/parallel", "runtime/jit")
SOURCES = map(Path, stored_files.sources(files.FOLDERS))
HASHED = {path.resolve().relative_to(ROOT.resolve()).as_posix() for path in SOURCES}


def closure(modules):
    """The modules, and all that they import, directly or not."""
    found, new = set(), set(modules)
    while new:
        found |= new
        imported = {name for module in new for name in facts_of(MODULES[module]).imported}
        new = (imported & MODULES.keys()) - found
    return found


@pytest.mark.slow
def test_the_key_covers_all_that_kernels_can_call():
    seeds = [name for name in MODULES if name.startswith(TRANSLATED)]
    needed = {MODULES[name].relative_to(ROOT).as_posix() for name in closure(seeds)}
    assert len(needed) > len(seeds)
    assert needed <= HASHED


def test_the_key_covers_the_tables_beside_the_kernels():
    data = [path for folder in TRANSLATED for path in (ROOT / folder).rglob("*.npy")]
    assert data
    assert {path.relative_to(ROOT).as_posix() for path in data} <= HASHED


@pytest.mark.parametrize("name", ["runtime/kernels/random/ziggurat.npy", "runtime/jit/values.py"])
def test_another_source_is_another_key(monkeypatch, name):
    read, changed = stored_files.content, ROOT / name

    def with_change(path):
        return read(path) + (b"#" if Path(path).resolve() == changed.resolve() else b"")

    before = files.sources_digest()
    monkeypatch.setattr(stored_files, "content", with_change)
    assert stored_files.digest_of_sources.__wrapped__(files.FOLDERS) != before
