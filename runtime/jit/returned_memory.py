"""Whether a function returns an address in memory of its own, which is gone when it returns."""

from __future__ import annotations

from collections import defaultdict

from llvmlite import ir
from llvmlite.ir import instructions

from .entry.python_entry import EXTERNAL

_ALLOCATES = EXTERNAL["allocate"][0]


def returns_own_memory(function: ir.Function, results: list) -> bool:
    """Whether one of the slots `results` may hold such an address, as far as its stores tell."""
    stored = defaultdict(list)
    for block in function.blocks:
        for one in block.instructions:
            if isinstance(one, instructions.StoreInstr):
                value, slot = one.operands
                stored[id(slot)].append(value)
    seen: set[int] = set()

    def is_own(value) -> bool:
        if id(value) in seen:
            return False
        seen.add(id(value))
        if isinstance(value, instructions.AllocaInstr):
            return True
        if isinstance(value, instructions.LoadInstr):
            return any(map(is_own, stored[id(value.operands[0])]))
        is_call = isinstance(value, instructions.CallInstr)
        if is_call and getattr(value.callee, "name", None) == _ALLOCATES:
            return True
        return any(map(is_own, _sources(value)))

    addresses = (slot for slot in results if isinstance(slot.type.pointee, ir.PointerType))
    return any(is_own(value) for slot in addresses for value in stored[id(slot)])


def _sources(value) -> list:
    """The addresses that a value is computed from."""
    if isinstance(value, instructions.PhiInstr):
        return [one for one, _ in value.incomings]
    if not isinstance(value, instructions.Instruction):
        return []
    if isinstance(value, instructions.ExtractValue):  # of what a call returns
        return list(value.operands)
    return [one for one in value.operands if isinstance(one.type, ir.PointerType)]
