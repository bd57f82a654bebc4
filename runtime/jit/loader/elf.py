"""Loads object files for Linux on x86-64 without LLVM, which takes 25 ms and 50 MB to load.

Kernels are compiled for LLVM's small code model: an instruction refers to constants by their
distance, in 32 bits. With 64-bit addresses, each constant took an instruction more, and loops of
elementary functions took up to a fifth longer. External symbols may lie further away, so there is a
stub for each, as in the PLT and the GOT of shared libraries. Every offset of the file is checked
before it is used.
"""

from __future__ import annotations

import ctypes
import functools
import platform
import struct
import sys
from collections.abc import Iterable, Iterator

from ...core.classes import NamedTuple
from .symbols import address_of

HEADER = struct.Struct("<6s10xHH20xQ12xH")  # identification, type, machine; the section table
SECTION, SYMBOL, RELOCATION = map(struct.Struct, ("<IIQQQQIIQQ", "<IBBHQQ", "<QQq"))
IDENTIFICATION = [b"\x7fELF\x02\x01", 1, 62]  # 64-bit little-endian, relocatable, x86-64
PROGBITS, SYMTAB, RELA, REL, UNWIND = 1, 2, 4, 9, 0x70000001  # types of sections
ALLOC, EXECINSTR, MERGE, X86_64_LARGE = 0x2, 0x4, 0x10, 0x10000000  # flags of sections
READ_ONLY = ALLOC | EXECINSTR | MERGE | X86_64_LARGE  # what may lie beside code
# A stub, which jumps to an address, and this address: jmp [rip + distance].
STUB, JUMP, SIZE_OF_JUMP, ADDRESS_OF_STUB = struct.Struct("<2si2xQ"), b"\xff\x25", 6, 8
# Types of relocations: a 64-bit address, or the distance in 32 bits to a symbol, to a function or
# its stub, to the address in a stub.
R_X86_64_64, PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX = 1, 2, 4, 9, 41, 42
TO_ADDRESSES = {GOTPCREL, GOTPCRELX, REX_GOTPCRELX}
REACHED_BY_STUB = {PLT32, *TO_ADDRESSES}
SIZES = {R_X86_64_64: 8, PC32: 4, **dict.fromkeys(REACHED_BY_STUB, 4)}  # bytes
LIMIT = 1 << 31  # of distances
UNDEFINED, GLOBAL = 0, 1  # the section index of external symbols; a binding of symbols
PAGE = 4096  # bytes: the alignment of executable memory
IS_SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 1 << 32


class ObjectFileError(Exception):
    """An object file has something that this loader does not know, or that makes no sense."""


class _Section(NamedTuple):
    """A row of the section table."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    target: int
    align: int
    entry_size: int


class _Symbol(NamedTuple):
    """A row of the symbol table."""

    name: int
    info: int
    visibility: int
    section: int
    value: int
    size: int


class _Relocation(NamedTuple):
    """An offset into the image, and what belongs there: an address or a distance, by the type."""

    offset: int
    type: int
    symbol: _Symbol
    addend: int


def loaded(code: bytes) -> dict[str, int]:
    """The addresses of the functions of an object file, which becomes a part of this process.

    Raises ObjectFileError, and OSError where the system forbids to execute memory.
    """
    file = _ObjectFile(code)
    image, rows = file.image(), list(file.relocations())
    stubs = _append_stubs(image, {row.symbol for row in rows if row.type in REACHED_BY_STUB})
    base = reserved(len(image))
    for symbol, start in stubs.items():
        address = file.address(symbol, base)
        STUB.pack_into(image, start, JUMP, ADDRESS_OF_STUB - SIZE_OF_JUMP, address)
    for row in rows:
        if row.type == R_X86_64_64:
            address = file.address(row.symbol, base) + row.addend
            struct.pack_into("<Q", image, row.offset, address & 0xFFFFFFFFFFFFFFFF)
        else:
            distance = file.target(row, stubs) + row.addend - row.offset
            if not -LIMIT <= distance < LIMIT:
                raise ObjectFileError("a distance of more than 32 bits")
            struct.pack_into("<i", image, row.offset, distance)
    fill(base, image)
    return {
        file.name(symbol): file.address(symbol, base)
        for symbol in file.symbols
        if symbol.info >> 4 == GLOBAL and symbol.section != UNDEFINED
    }


def _append_stubs(image: bytearray, symbols: Iterable[_Symbol]) -> dict[_Symbol, int]:
    """Make room for stubs at the end of an image. Returns their offsets."""
    image.extend(bytes(-len(image) % STUB.size))
    start = len(image)
    stubs = {symbol: start + at * STUB.size for at, symbol in enumerate(symbols)}
    image.extend(bytes(len(stubs) * STUB.size))
    return stubs


class _ObjectFile:
    """An object file, and the offsets of its sections in the memory image."""

    def __init__(self, code: bytes):
        if len(code) < HEADER.size:
            raise ObjectFileError("the file is shorter than its header")
        *identification, at, count = HEADER.unpack_from(code)
        if identification != IDENTIFICATION:
            raise ObjectFileError("not an object file for x86-64 as LLVM writes it on Linux")
        self.code = code
        table = self.rows(SECTION, at, count * SECTION.size)
        self.sections = [_Section(*row) for row in table]
        self.starts: dict[int, int] = {}
        self.size = 0
        for number, section in enumerate(self.sections):
            if section.size and section.flags & ALLOC and section.type != UNWIND:
                self.add(number, section)
        tables = [section for section in self.sections if section.type == SYMTAB]
        if not self.size or len(tables) != 1 or tables[0].link >= len(self.sections):
            raise ObjectFileError("no code, or no symbol table")
        rows = self.rows(SYMBOL, tables[0].offset, tables[0].size)
        self.symbols = [_Symbol(*row) for row in rows]
        names = self.sections[tables[0].link]
        self.names = self.content(names.offset, names.size)

    def add(self, number: int, section: _Section) -> None:
        """Lay out a section. Only one that is never written can lie beside code."""
        align = max(section.align, 1)
        if section.type != PROGBITS or section.flags & ~READ_ONLY or align > PAGE:
            raise ObjectFileError(
                f"a section of type {section.type}, flags {section.flags:#x}, alignment {align}"
            )
        self.content(section.offset, section.size)
        self.starts[number] = -(-self.size // align) * align
        self.size = self.starts[number] + section.size

    def content(self, offset: int, size: int) -> bytes:
        if offset + size > len(self.code):
            raise ObjectFileError("a section ends behind the file")
        return self.code[offset : offset + size]

    def rows(self, row: struct.Struct, offset: int, size: int) -> Iterator[tuple]:
        if size % row.size:
            raise ObjectFileError("a table ends within a row")
        return row.iter_unpack(self.content(offset, size))

    def image(self) -> bytearray:
        """What the memory holds before relocation."""
        image = bytearray(self.size)
        for number, start in self.starts.items():
            section = self.sections[number]
            content = self.content(section.offset, section.size)
            image[start : start + section.size] = content
        return image

    def relocations(self) -> Iterator[_Relocation]:
        for section in self.sections:
            if section.type == REL:
                raise ObjectFileError("relocations without addends")
            if section.type != RELA or section.target not in self.starts:
                continue
            start, size = self.starts[section.target], self.sections[section.target].size
            for offset, info, addend in self.rows(RELOCATION, section.offset, section.size):
                type_, number = info & 0xFFFFFFFF, info >> 32
                if type_ not in SIZES:
                    raise ObjectFileError(f"a relocation of type {type_}")
                if offset + SIZES[type_] > size or number >= len(self.symbols):
                    raise ObjectFileError("a relocation outside its section, or of no symbol")
                yield _Relocation(start + offset, type_, self.symbols[number], addend)

    def target(self, row: _Relocation, stubs: dict[_Symbol, int]) -> int:
        """The offset in the image of what a relocation gives the distance to."""
        if row.type in TO_ADDRESSES:
            return stubs[row.symbol] + ADDRESS_OF_STUB
        if row.symbol.section != UNDEFINED:
            return self.address(row.symbol, 0)
        if row.type != PLT32:
            raise ObjectFileError(f"a distance to {self.name(row.symbol)!r}")
        return stubs[row.symbol]

    def name(self, symbol: _Symbol) -> str:
        end = self.names.find(b"\0", symbol.name)
        if end < 0:
            raise ObjectFileError("a symbol without a name")
        return self.names[symbol.name : end].decode("latin-1")

    def address(self, symbol: _Symbol, base: int) -> int:
        """The address of a symbol, with the image at `base`."""
        if symbol.section == UNDEFINED:
            return _external(self.name(symbol))
        if symbol.section not in self.starts:
            raise ObjectFileError(f"a symbol of section {symbol.section}")
        if symbol.value >= self.sections[symbol.section].size:
            raise ObjectFileError("a symbol outside its section")
        return base + self.starts[symbol.section] + symbol.value


def _external(name: str) -> int:
    try:
        return address_of(name)
    except (ValueError, KeyError) as error:
        raise ObjectFileError(f"no library has the function {name!r}") from error


# ---- executable memory: it is never freed, since threads may be executing it ------------------

READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE, ANONYMOUS = 0x02, 0x20
FAILED = ctypes.c_void_p(-1).value


@functools.cache
def _memory_functions():
    """mmap and mprotect of the C library."""
    library, size = ctypes.CDLL(None, use_errno=True), ctypes.c_size_t
    reserve, protect = library.mmap, library.mprotect
    reserve.restype = ctypes.c_void_p
    reserve.argtypes = [ctypes.c_void_p, size, *[ctypes.c_int] * 3, ctypes.c_long]
    protect.argtypes = [ctypes.c_void_p, size, ctypes.c_int]
    return reserve, protect


def reserved(size: int) -> int:
    """The address of `size` new bytes. Raises OSError without memory, or on another system."""
    if sys.platform != "linux":
        raise OSError("executable memory is left to LLVM on this system")
    address = _memory_functions()[0](None, size, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0)
    if address == FAILED:
        raise OSError(ctypes.get_errno(), "no memory for machine code")
    return address


def fill(address: int, code: bytes | bytearray) -> None:
    """Write reserved memory once, and make it executable and read-only.

    Raises OSError if the system forbids it.
    """
    ctypes.memmove(address, bytes(code), len(code))
    if _memory_functions()[1](address, len(code), READ | EXECUTE):
        raise OSError(ctypes.get_errno(), "memory may not be executed")
