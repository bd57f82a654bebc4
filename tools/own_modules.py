"""Modules of a user's program, whose loops run in parts, and the report on these loops."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Sequence
from typing import Any

from .hot_loops import NATIVE, LoopRecord
from .loop_sources import RECORDS, instrumented

SHOWN_SECONDS = 0.01  # of loops in the report
FOREIGN = {"site-packages", "dist-packages", "node_modules"}


class OwnModules(importlib.abc.MetaPathFinder):
    """Finds the modules below a folder, those of installed packages left out."""

    def __init__(self, folder: str, only: Sequence[str] = ()):
        self.folder, self.only = os.path.realpath(folder), tuple(only)
        self.records: list[LoopRecord] = []
        self.is_looking = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if self.is_looking or name.partition(".")[0] == __name__.partition(".")[0]:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        is_source = spec is not None and isinstance(
            spec.loader, importlib.machinery.SourceFileLoader
        )
        if spec is None or not is_source or not self.is_own(spec.origin or ""):
            return None
        spec.loader = _Loader(self, name, str(spec.origin))
        return spec

    def is_own(self, file: str) -> bool:
        path = os.path.realpath(file)
        parts = path.split(os.sep)
        return path.startswith(self.folder + os.sep) and FOREIGN.isdisjoint(parts)

    def code_of(self, source: str, path: str, names: dict[str, Any]) -> types.CodeType:
        """The code of a module with its loops in parts. `names` are its globals."""
        tree, loops = instrumented(source, path)
        if not loops:
            return compile(source, path, "exec", dont_inherit=True)
        restore = _Originals(source, path, names)
        records = [LoopRecord(loop, path, names, restore) for loop in loops]
        if self.only:
            for record in records:
                if record.source.function not in self.only:
                    record.refuse("left out by --only")
        names[RECORDS] = records
        self.records += records
        return compile(tree, path, "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, modules: OwnModules, name: str, path: str):
        super().__init__(name, path)
        self.modules = modules

    def exec_module(self, module: types.ModuleType) -> None:
        with open(self.path, "rb") as file:
            source = importlib.util.decode_source(file.read())
        code = self.modules.code_of(source, self.path, vars(module))
        exec(code, vars(module))


class _Originals:
    """Gives functions back the code that they have without parts."""

    def __init__(self, source: str, path: str, names: dict[str, Any]):
        self.source, self.path, self.names = source, path, names

    def __call__(self, function: str) -> None:
        if not function:
            return
        found: Any = types.SimpleNamespace(**self.names)
        for part in function.split("."):
            found = (
                vars(found).get(part) if isinstance(found, (type, types.SimpleNamespace)) else None
            )
        found = getattr(found, "fget", None) or getattr(found, "__func__", found)
        code = self.codes().get(function)
        if not isinstance(found, types.FunctionType) or code is None:
            return
        if found.__code__.co_firstlineno == code.co_firstlineno:
            found.__code__ = code

    def codes(self) -> dict[str, types.CodeType]:
        module = compile(self.source, self.path, "exec", dont_inherit=True)
        codes = [one for one in module.co_consts if isinstance(one, types.CodeType)]
        inner = [one for code in codes for one in code.co_consts if isinstance(one, types.CodeType)]
        return {one.co_qualname: one for one in [*codes, *inner]}


def run_script(path: str, modules: OwnModules) -> None:
    """Run a file as `python FILE` does, with its loops in parts."""
    with open(path, "rb") as file:
        source = importlib.util.decode_source(file.read())
    _run(source, path, None, modules)


def run_module(name: str, modules: OwnModules) -> None:
    """Run a module as `python -m NAME` does. Raises ImportError where there is none."""
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None or spec.origin is None:
        raise ImportError(f"there is no module '{name}'")
    with open(spec.origin, "rb") as file:
        source = importlib.util.decode_source(file.read())
    _run(source, spec.origin, spec, modules)


def _run(source: str, path: str, spec: Any, modules: OwnModules) -> None:
    main = types.ModuleType("__main__")
    main.__file__, main.__spec__ = path, spec
    main.__package__ = None if spec is None else spec.parent
    main.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    exec(modules.code_of(source, path, vars(main)), vars(main))


def table(records: Sequence[LoopRecord], folder: str) -> list[str]:
    """What was accelerated and what not, the loops that took longest first."""
    ran = [one for one in records if one.seconds + one.native_seconds > SHOWN_SECONDS]
    ran.sort(key=lambda one: -(one.seconds + one.native_seconds + one.compiling))
    lines = []
    for record in ran:
        place = f"{os.path.relpath(record.path, folder)}:{record.source.line}"
        lines.append(f"{place}: {record.source.head}")
        lines.append(f"    {_how(record)}")
    return lines or ["no loop took long enough to be compiled"]


def _how(record: LoopRecord) -> str:
    python = record.seconds / max(record.iterations, 1)
    took = f"{record.seconds:.2f} s in Python"
    if record.state is not NATIVE:
        why = record.why or "it did not take long enough to be compiled"
        return f"Python: {why}{f' ({record.where})' if record.where else ''}; {took}"
    advice = f"; write @ag.jit above {record.source.function}" if record.source.function else ""
    if not record.source.function:
        advice = "; move it into a function, and write @ag.jit above that"
    gain = ""
    if record.native_iterations and record.native_seconds:
        factor = python * record.native_iterations / record.native_seconds
        gain = f", {record.native_seconds:.2f} s native, {factor:.0f} times faster"
    return f"native code: {took}{gain}, {record.compiling:.2f} s with compiling{advice}"
