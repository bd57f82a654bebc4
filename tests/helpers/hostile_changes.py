"""Changes of the content of files: bytes, numbers, words, lines, structures."""

import json
import random
import re
import struct

from allograph.runtime.ir.op import TABLE

HOSTILE = [
    "__import__('os').system('touch hostile')", "../../../etc/passwd", "/etc/passwd", "..", "",
    "io", "FileIO", "types", "CodeType", "builtins", "eval", "object", "variant", "stack", "string",
    "None", "...", "inf", "nan", "py_function", "write_file", "raise_error", "make_dataset", "@f0",
    "object('x')", "error('SystemExit')", "slot(9)", "(" * 5000, "[" * 50_000, "{'a':" * 3000,
    "-" * 5000, "not " * 3000, "9" * 5000, "\\", "'", "\0", "\ud7ff", "while", "if", "call",
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 255, 2**31, 2**31 - 1, 2**32, 2**40, 2**62, 2**63, 2**64 - 1, 10**12]


def change_bytes(data: bytes, choose: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(choose.choice([1, 1, 2, 8, 64])):
        if changed:
            changed[choose.randrange(len(changed))] = choose.randrange(256)
    return bytes(changed)


def cut(data: bytes, choose: random.Random) -> bytes:
    return data[: choose.randrange(len(data) + 1)]


def remove(data: bytes, choose: random.Random) -> bytes:
    first, last = sorted(choose.randrange(len(data) + 1) for _ in range(2))
    return data[:first] + data[last:]


def repeat(data: bytes, choose: random.Random) -> bytes:
    first = choose.randrange(len(data) + 1)
    part = data[first : first + choose.choice([1, 4, 30, 300, 3000])]
    return data[:first] + part * choose.choice([2, 3, 50, 2000]) + data[first:]


def nest(data: bytes, choose: random.Random) -> bytes:
    position = choose.randrange(len(data) + 1)
    opening = choose.choice([b"[", b"(", b"{", b'{"list": [', b'{"a": ', b"\x0a\x7f", b"array("])
    return data[:position] + opening * choose.choice([10, 150, 5000, 100_000]) + data[position:]


def inflate(data: bytes, choose: random.Random) -> bytes:
    """Another number in place of one, in decimal or in binary form."""
    found = [*re.finditer(rb"-?\d+", data)]
    number = choose.choice(NUMBERS)
    if found and choose.random() < 0.7:
        match = choose.choice(found)
        return data[: match.start()] + str(number).encode() + data[match.end() :]
    position = choose.randrange(max(len(data) - 8, 1))
    return data[:position] + struct.pack("<Q", number % 2**64) + data[position + 8 :]


def say_otherwise(data: bytes, choose: random.Random) -> bytes:
    """A hostile word, or another word of the file, in place of a word."""
    found = [*re.finditer(rb"[\w.@%/-]+", data)]
    if not found:
        return data + choose.choice(HOSTILE).encode("utf-8", "surrogatepass")
    words = HOSTILE if choose.random() < 0.5 else [choose.choice(found)[0].decode("latin-1")]
    match, word = choose.choice(found), choose.choice(words).encode("utf-8", "surrogatepass")
    return data[: match.start()] + word + data[match.end() :]


def move_lines(data: bytes, choose: random.Random) -> bytes:
    lines = data.split(b"\n")
    for _ in range(choose.choice([1, 2, 5])):
        lines.insert(choose.randrange(len(lines) + 1), choose.choice(lines))
        del lines[choose.randrange(len(lines))]
    return b"\n".join(lines)


def restructure(data: bytes, choose: random.Random) -> bytes:
    """JSON with one of its values in the place of another, or a hostile one."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return change_bytes(data, choose)
    places: list = []
    waiting = [content]
    while waiting:
        one = waiting.pop()
        keys = one if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        places += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    if places:
        (target, key), (source, name) = choose.choice(places), choose.choice(places)
        values = [source[name], choose.choice(NUMBERS), choose.choice(HOSTILE), [], {}, None, 0.5]
        values += [{"named": ["io", "FileIO", ["f", "mode"], [{"str": "hostile"}, {"str": "w"}]]}]
        target[key] = choose.choice(values)
    try:
        return json.dumps(content).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # one that contains itself
        return cut(data, choose)


def alter_graph(data: bytes, choose: random.Random) -> bytes:
    """The text of a graph with another operation, operand, size or number."""
    text = data.decode("utf-8", "replace")
    patterns = {
        r"(?<== )\w+(?=\()": sorted(TABLE),
        r"(?<=[(, ])\w+(?=[,)])": re.findall(r"^  (\w+): ", text, re.MULTILINE) or ["x"],
        r"\[[\d,?]*\]": ["[]", "[?]", "[...]", "[6]", "[2,3]", "[100]", "[0]"],
        r"(?<![\w.])-?\d+(?![\w.])": ["0", "1", "-1", "2", "7", "100", "1000000000000"],
        r"\b(True|False|None)\b": ["True", "False", "None", "1", "'x'"],
        r"(?<= )\w+(?==)": ["axis", "keepdims", "value", "index", "dtype", "graph"],
    }
    pattern, words = choose.choice([*patterns.items()])
    found = [*re.finditer(pattern, text)]
    if not found:
        return change_bytes(data, choose)
    match = choose.choice(found)
    return (text[: match.start()] + choose.choice(words) + text[match.end() :]).encode()


CHANGES = [change_bytes, cut, remove, repeat, nest, inflate, say_otherwise, move_lines, restructure]


def change(data: bytes, choose: random.Random) -> bytes:
    """Changed data: half of the changes keep the form of JSON and of graphs."""
    if choose.random() < 0.5:
        if data.lstrip().startswith(b"{"):
            return restructure(data, choose)
        if data.startswith(b"graph "):
            return alter_graph(data, choose)
    return choose.choice(CHANGES)(data, choose)
