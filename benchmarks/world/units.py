"""What is run: Numba's own tests, tests that packages ship, and drivers for those without."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

COPY = "numba_tests"  # the package name of the copy of `numba.tests`

# Files that test debuggers, caches, compiler passes, processes, or containers and classes of
# Numba's own: they have no functions that a program could move to `ag.jit`.
LEFT_OUT = {
    "analysis", "annotations", "asnumbatype", "caching", "cfunc", "cgutils", "chrome_trace", "cli",
    "codegen", "compile_cache", "compiler_flags", "compiler_lock", "config", "datamodel", "debug",
    "debuginfo", "deprecations", "dictimpl", "dispatcher", "doctest", "entrypoints", "event",
    "extending", "extending_types", "findlib", "firstlinefinder", "func_interface",
    "func_lifetime", "funcdesc", "gdb_bindings", "gdb_dwarf", "gil", "help", "import", "init_utils",
    "interpreter", "ir", "ir_utils", "itanium_mangler", "jitclasses", "listimpl",
    "llvm_pass_timings", "llvm_version_check", "mangling", "misc_coverage_support",
    "moved_modules", "nrt", "nrt_refct", "num_threads", "numpyadapt", "obj_lifetime",
    "object_mode", "optimisation_pipelines", "parallel_backend", "parfors_caching",
    "parfors_passes", "pipeline", "profiler", "pycc", "pythonapi", "runtests", "serialize",
    "setimpl", "struct_ref", "svml", "sys_monitoring", "sys_stdin_assignment", "sysinfo",
    "target_extension", "target_overloadselector", "threadsafety", "tracing", "typeconv",
    "typedlist", "typedobjectutils", "typeguard", "typeinfer", "typenames", "typeof", "types",
    "unpickle_without_module", "unsafe_intrinsics", "withlifting",
}  # fmt: skip

# For each package, as it is called on PyPI: the modules with its tests, if it ships some. The
# others have a driver of the same name in `drivers`.
PACKAGES = {
    "quantecon": ("quantecon",),
    "numpy-groupies": ("numpy_groupies",),
    "interpolation": ("interpolation",),
    "sparse": ("sparse.numba_backend",),
    "datashader": ("datashader",),
    "aeon": ("aeon.distances", "aeon.similarity_search", "aeon.transformations", "aeon.utils"),
    "libpysal": ("libpysal.graph", "libpysal.weights"),
    "mapclassify": ("mapclassify",),
    "stumpy": (),
    "librosa": (),
    "numba-stats": (),
    "pynndescent": (),
    "umap-learn": (),
    "vectorbt": (),
    "tslearn": (),
    "hapsira": (),
    "galois": (),
    "pandas": (),
}


@dataclasses.dataclass(frozen=True)
class Unit:
    """What one worker runs: a file of Numba's tests, tests of a package, or a driver."""

    kind: str  # "numba", "tests" or "driver"
    name: str
    modules: tuple[str, ...]

    @property
    def group(self) -> str:
        return "numba" if self.kind == "numba" else self.name


def units(chosen: list[str], build: Path) -> list[Unit]:
    """The units with one of the chosen words in their names, or all; Numba's tests are copied."""
    found = [*numba_units(build), *package_units()]
    if not chosen:
        return found
    return [one for one in found if {one.name, one.group} & set(chosen)]


def package_units() -> Iterator[Unit]:
    for name, modules in PACKAGES.items():
        kind = "tests" if modules else "driver"
        yield Unit(kind, name, modules or (name.replace("-", "_"),))


def numba_units(build: Path) -> Iterator[Unit]:
    target = build / COPY
    if not target.exists():
        copy_numba_tests(target)
    for path in sorted(target.rglob("test_*.py")):
        module = ".".join(path.relative_to(build).with_suffix("").parts)
        name = path.stem.removeprefix("test_")
        if name not in LEFT_OUT and "gdb" not in path.parts:
            yield Unit("numba", path.stem, (module,))


def copy_numba_tests(target: Path) -> None:
    """Copy `numba.tests` to a package of another name, since nothing of Numba's is converted."""
    spec = importlib.util.find_spec("numba")
    source = Path(spec.origin).parent / "tests"
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial, ignore=shutil.ignore_patterns("__pycache__"))
    for path in partial.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"\bnumba\.tests\b", COPY, text), encoding="utf-8")
    partial.rename(target)
