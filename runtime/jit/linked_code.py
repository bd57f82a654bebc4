"""LLVM code of other compilers that kernels call. It becomes a part of their machine code."""

from __future__ import annotations

CODE: dict[str, str] = {}  # LLVM assembly, by the function that it defines


def linked(source: str) -> str:
    """The LLVM assembly of a module, with the code of the functions in CODE that it calls."""
    called = [name for name in CODE if f"@{name}(" in source or f'@"{name}"(' in source]
    if not called:
        return source
    from llvmlite import binding

    whole = binding.parse_assembly(source)
    for name in called:
        whole.link_in(binding.parse_assembly(CODE[name]))
        whole.get_function(name).linkage = "internal"
    return str(whole)
