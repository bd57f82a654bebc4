"""Object files of LLVM's placed into memory without LLVM, which takes long to be loaded.

Code of LLVM's large model, which kernels are compiled for, knows everything outside of a section by
an address of 64 bits, so object files for x86-64 have one kind of place to be filled in. What else
an object file may have is unknown here, and left to LLVM.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from . import executable_memory
from .symbols import address_of

HEAD = struct.Struct("<6s10xHH20xQ12xH")  # of it: how it begins, and where sections are listed
SECTION, SYMBOL, RELOCATION = map(struct.Struct, ("<IIQQQQIIQQ", "<IBBHQQ", "<QQq"))
BEGINNING = [b"\x7fELF\x02\x01", 1, 62]  # 64 bits, the low byte first; not linked yet; x86-64
CONTENT, SYMBOLS, RELOCATIONS, RELOCATIONS_IN_PLACE, UNWINDING = 1, 2, 4, 9, 0x70000001
IN_MEMORY, CODE, MERGEABLE, LARGE = 0x2, 0x4, 0x10, 0x10000000  # what sections are marked with
ADDRESS = 1  # the kind of relocation: an address of 64 bits
OUTSIDE, GLOBAL = 0, 1


class UnknownObjectError(Exception):
    """An object file has something that is not known here."""


class _Section:
    """A row of the list of sections."""

    def __init__(self, row: tuple):
        _, self.kind, self.marks, _, self.offset, self.size, *rest = row
        self.link, self.target, self.align, _ = rest


class _Symbol:
    """A row of the table of symbols."""

    def __init__(self, row: tuple):
        self.name, self.info, _, self.section, self.value, _ = row


def placed(code: bytes) -> dict[str, int]:
    """The addresses of the functions of an object file, which becomes a part of this process.

    Raises UnknownObjectError for what only LLVM can place.
    """
    file = _ObjectFile(code)
    image = file.image()
    try:
        base = executable_memory.reserved(len(image))
        for place, symbol, addend in file.relocations():
            struct.pack_into("<q", image, place, file.address(symbol, base) + addend)
        executable_memory.fill(base, image)
    except (OSError, ValueError) as error:  # forbidden by the system; or a name nobody knows
        raise UnknownObjectError(str(error)) from error
    return {
        file.name(symbol): file.address(symbol, base)
        for symbol in file.symbols
        if symbol.info >> 4 == GLOBAL and symbol.section != OUTSIDE
    }


class _ObjectFile:
    """The parts of an object file, and where its sections lie in the image of it."""

    def __init__(self, code: bytes):
        *beginning, at, count = HEAD.unpack_from(code)
        if beginning != BEGINNING:
            raise UnknownObjectError("not an object file for x86-64 as LLVM writes it on Linux")
        self.code = code
        self.sections = [*map(_Section, SECTION.iter_unpack(code[at : at + count * SECTION.size]))]
        self.starts: dict[int, int] = {}
        self.size = 0
        for number, section in enumerate(self.sections):
            if section.size and section.marks & IN_MEMORY and section.kind != UNWINDING:
                self.add(number, section)
        (table,) = (section for section in self.sections if section.kind == SYMBOLS)
        self.symbols = [*map(_Symbol, SYMBOL.iter_unpack(self.content(table)))]
        self.names = self.content(self.sections[table.link])

    def add(self, number: int, section: _Section) -> None:
        """Give a section its place: only what is never written can lie beside code."""
        if section.kind != CONTENT or section.marks & ~(IN_MEMORY | CODE | MERGEABLE | LARGE):
            raise UnknownObjectError(f"a section of kind {section.kind}, marks {section.marks:#x}")
        self.starts[number] = -(-self.size // section.align) * section.align
        self.size = self.starts[number] + section.size

    def content(self, section: _Section) -> bytes:
        return self.code[section.offset : section.offset + section.size]

    def image(self) -> bytearray:
        """What the memory will hold, before its relocations."""
        made = bytearray(self.size)
        for number, start in self.starts.items():
            section = self.sections[number]
            made[start : start + section.size] = self.content(section)
        return made

    def relocations(self) -> Iterator[tuple[int, _Symbol, int]]:
        """The places of the image that hold an address: of which symbol, and what is added."""
        for section in self.sections:
            if section.kind == RELOCATIONS_IN_PLACE:
                raise UnknownObjectError("relocations without addends")
            if section.kind != RELOCATIONS or section.target not in self.starts:
                continue
            for offset, info, addend in RELOCATION.iter_unpack(self.content(section)):
                if info & 0xFFFFFFFF != ADDRESS:
                    raise UnknownObjectError(f"a relocation of kind {info & 0xFFFFFFFF}")
                yield self.starts[section.target] + offset, self.symbols[info >> 32], addend

    def name(self, symbol: _Symbol) -> str:
        return self.names[symbol.name : self.names.index(b"\0", symbol.name)].decode()

    def address(self, symbol: _Symbol, base: int) -> int:
        """Where a symbol is, with the image at `base`."""
        if symbol.section == OUTSIDE:
            return address_of(self.name(symbol))
        if symbol.section not in self.starts:
            raise UnknownObjectError(f"a symbol of section {symbol.section}")
        return base + self.starts[symbol.section] + symbol.value
