"""The line of kernel source that each machine instruction comes from.

LLVM keeps track of it through inlining and vectorization, as for any debugger: instructions carry
the location of their statement, and assembly names it in `.loc` directives.
"""

from __future__ import annotations

import re
from typing import Any

from llvmlite import ir

from ...extend.kernels import KernelIR, Part, linked, llvm_backend, scope_of, translate

_LOCATION = re.compile(r"\s*\.loc\s+\d+\s+(\d+)")
_SYMBOL = re.compile(r"[^\s.#][^\s]*:")
_DEBUGGING = re.compile(r"\s*\.section\s+(?:\.debug_|__DWARF)")
_OTHER_SECTION = re.compile(r"\s*\.(?:section|text|data)\b")
_LEFT_OUT = re.compile(r"\s*\.(?:loc|file|cfi_sections)\b|\.L(?:tmp|func_begin|cu_begin)\d+:")


class Locations:
    """Gives the instructions of a kernel the lines of their statements, while it is translated."""

    def __init__(self, code: KernelIR) -> None:
        rows = enumerate(code.lines(), start=1)
        self.places = {id(part): (line, len(words) - len(words.lstrip()))
                       for line, (words, part) in rows}  # fmt: skip
        self.unit: Any = None
        self.functions: dict[str, Any] = {}

    def note(self, writer: Any, statement: Part) -> None:
        """What is written from now on belongs to this statement."""
        module, function = writer.module.ir, writer.function
        line, margin = self.places[id(statement)]
        if function.name not in self.functions:
            self.functions[function.name] = self._function(module, function, line)
        place = {"line": line, "column": margin + 1}
        place["scope"] = self.functions[function.name]
        writer.builder.debug_metadata = module.add_debug_info("DILocation", place)

    def _function(self, module: ir.Module, function: ir.Function, line: int) -> Any:
        file = module.add_debug_info("DIFile", {"filename": "kernel.py", "directory": "."})
        if self.unit is None:
            self.unit = self._unit(module, file)
        no_types = module.add_metadata([None])
        described = module.add_debug_info(
            "DISubprogram",
            {
                "name": function.name,
                "file": file,
                "scope": file,
                "line": line,
                "isDefinition": True,
                "type": module.add_debug_info("DISubroutineType", {"types": no_types}),
                "unit": self.unit,
            },
            is_distinct=True,
        )
        function.set_metadata("dbg", described)
        return described

    def _unit(self, module: ir.Module, file: Any) -> Any:
        int32 = ir.IntType(32)
        flag = [int32(2), "Debug Info Version", int32(3)]
        module.add_named_metadata("llvm.module.flags", module.add_metadata(flag))
        facts = {"language": "DW_LANG_Python", "emissionKind": "LineTablesOnly"}
        facts = {name: ir.DIToken(value) for name, value in facts.items()}
        unit = module.add_debug_info(
            "DICompileUnit",
            {
                **facts,
                "file": file,
                "producer": "allograph",
                "isOptimized": True,
            },
            is_distinct=True,
        )
        module.add_named_metadata("llvm.dbg.cu", unit)
        return unit


def instructions(assembly: str) -> list[tuple[str, int | None]]:
    """The lines of assembly without what is for debuggers, each with its line of kernel source.

    >>> instructions("kernel:\\n\\t.loc\\t1 3 5\\n\\taddl\\t$1, %eax\\n\\tretq\\n")
    [('kernel:', None), ('\\taddl\\t$1, %eax', 3), ('\\tretq', 3)]
    """
    results: list[tuple[str, int | None]] = []
    line, is_debugging = None, False
    for words in assembly.splitlines():
        location = _LOCATION.match(words)
        if location:
            line = int(location[1]) or None
        elif _SYMBOL.match(words):
            line = None
        if _OTHER_SECTION.match(words):
            is_debugging = bool(_DEBUGGING.match(words))
        if not is_debugging and not _LEFT_OUT.match(words):
            results.append((words, None if words.lstrip().startswith(".") else line))
    return results


def located_assembly(code: KernelIR, types: tuple, results: tuple) -> list[tuple[str, int | None]]:
    """The machine instructions of a kernel, compiled once more, with their lines of its source."""
    translated = translate(
        "kernel", code, scope_of(code.calls), types, results, locations=Locations(code)
    )
    return instructions(llvm_backend.assembly(linked(translated)))
