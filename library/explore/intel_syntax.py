"""Assembly of x86 in Intel's syntax: the result first, addresses as sums, names without signs."""

from __future__ import annotations

import re

SIZES = {"b": "byte", "w": "word", "l": "dword", "q": "qword"}
INSTRUCTION = re.compile(r"(\s+(?:lock\s+|rep\s+)?)([a-z]\w*)(?:(\s+)([^#]*?))?(\s*#.*)?")
WITH_SUFFIX = re.compile(  # instructions on integers, whose last letter is the size of operands
    r"(mov|add|sub|adc|sbb|i?mul|i?div|neg|not|and|or|xor|cmp|test|lea|inc|dec|sh[lr]d?|s[ah][lr]|ro[lr]"
    r"|push|pop|bts?|btr|xchg|xadd|cmpxchg|bs[fr]|popcnt|[lt]zcnt|cmov[a-z]+?|andn|s[ah][lr]x|rorx|mulx"
    r"|bls[ri]|blsmsk|bzhi|call|ret|jmp|v?cvt(?:t?s[sd]2si|u?si2s[sd]))([bwlq])"
)
EXTENDED = re.compile(r"mov([sz])([bwl])([wlq])")  # movzbl: a byte becomes a double word
RENAMED = {"movabsq": "movabs", "cltq": "cdqe", "cltd": "cdq", "cqto": "cqo", "cwtl": "cwde"}
ADDRESS = re.compile(r"(?P<segment>%[a-z]s:)?(?P<offset>[^()]*)\((?P<parts>[^()]*)\)(?P<rest>.*)")


def intel(line: str) -> str:
    """A line of assembly in Intel's syntax; what is no instruction of x86 stays as it is.

    >>> intel("\\tmovl\\t%edi, 64(%rsp,%rcx,4)")
    '\\tmov\\tdword ptr [rsp + 4*rcx + 64], edi'
    >>> intel("\\tvaddps\\t%ymm0, %ymm1, %ymm2")
    '\\tvaddps\\tymm2, ymm1, ymm0'
    """
    match = INSTRUCTION.fullmatch(line)
    if match is None:
        return line
    margin, name, gap, operands, comment = (part or "" for part in match.groups())
    name, size = _name_and_size(name, operands)
    shown = [_operand(one, size) for one in reversed(re.split(r",\s*(?![^()]*\))", operands))]
    return f"{margin}{name}{gap}{', '.join(shown)}{comment or ''}"


def _name_and_size(name: str, operands: str) -> tuple[str, str]:
    """The name of an instruction in Intel's syntax, and the size of what it reads from memory."""
    if name in RENAMED:
        return RENAMED[name], ""
    if extended := EXTENDED.fullmatch(name):
        extension, read, written = extended.groups()
        is_double = (extension, read, written) == ("s", "l", "q")
        return f"mov{extension}x" + "d" * is_double, SIZES[read]
    match = WITH_SUFFIX.fullmatch(name)
    if match is None or ("mm" in operands and not name.startswith(("cvt", "vcvt"))):
        return name, ""
    return match[1], "" if match[1] in ("lea", "call", "jmp") else SIZES[match[2]]


def _operand(shown: str, size: str) -> str:
    plain = shown.strip().removeprefix("*")
    if found := ADDRESS.fullmatch(plain):
        base, index, scale = (*(part.strip() for part in found["parts"].split(",")), "", "", "")[:3]
        terms = [base, f"{scale}*{index}" if scale not in ("", "1") else index, found["offset"]]
        address = " + ".join(term for term in terms if term).replace("+ -", "- ")
        address = f"{found['segment'] or ''}[{address}]{found['rest']}"
        plain = f"{size} ptr {address}" if size else address
    return re.sub(r"[%$](?=[\w.-])", "", plain)
