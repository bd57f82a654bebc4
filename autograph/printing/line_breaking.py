"""One line of generated code -> lines of at most 88 columns, as black would lay them out.

Works on the tokens of a line that Python's own unparser wrote. A line that is too long is broken at
its last bracket: first with the content in one line, then with one item a line.
"""

from __future__ import annotations

import io
import itertools
import keyword
import re
import token
import tokenize

WIDTH = 88
OPEN, CLOSE = {"(", "[", "{"}, {")", "]", "}"}
PRIORITIES = {
    "if": 16, "else": 16, "or": 14, "and": 14, "|": 9, "^": 8, "&": 7, "<<": 6, ">>": 6,
    "+": 5, "-": 5, "*": 4, "/": 4, "//": 4, "%": 4, "@": 4, "**": 3,
    **dict.fromkeys(("<", ">", "<=", ">=", "==", "!=", "in", "is", "not"), 10),
}  # fmt: skip
STATEMENTS = re.compile(r"(return|assert|if|elif|while|with|for|del|raise|case|match|await) ")


class Leaf:
    """A token: its text, and the space before it."""

    def __init__(self, space: str, text: str, kind: int):
        self.space, self.text, self.kind = space, text, kind

    @property
    def ends_a_value(self) -> bool:
        is_name = self.kind == token.NAME and (
            not keyword.iskeyword(self.text) or self.text in ("None", "True", "False")
        )
        return is_name or self.kind in (token.NUMBER, token.STRING) or self.text in CLOSE


def laid_out(line: str, indent: int = 0) -> list[str]:
    """The lines for one line of code, which starts at a column."""
    leaves = _leaves(line)
    _space_powers(leaves)
    _space_slices(leaves)
    return _split(leaves, indent, False)


# ---- tokens ----------------------------------------------------------------------------------


def _leaves(line: str) -> list[Leaf]:
    found: list[Leaf] = []
    end, inside = 0, 0
    for one in tokenize.generate_tokens(io.StringIO(line).readline):
        name = token.tok_name[one.type]
        if one.type in (token.NEWLINE, token.ENDMARKER, token.NL):
            continue
        (_, begin), (_, after) = one.start, one.end
        if inside:  # Python 3.12 takes f-strings apart
            found[-1].text += line[end:after]
        else:
            found.append(Leaf(line[end:begin], line[begin:after], one.type))
        inside += (name in ("FSTRING_START", "TSTRING_START")) - (
            name in ("FSTRING_END", "TSTRING_END")
        )
        if "STRING" in name and not inside:
            found[-1].kind = token.STRING
            found[-1].text = _double_quoted(found[-1].text)
        end = after
    return found


def _double_quoted(text: str) -> str:
    """A text in double quotes, unless that takes more escapes."""
    prefix, quote, body = re.fullmatch(r"([A-Za-z]*)(['\"]{3}|['\"])(.*?)\2", text, re.S).groups()
    if quote != "'" or body.count('"') > body.count("\\'"):
        return text
    if {"f", "t"}.intersection(prefix.lower()) and ('"' in body or "\\" in body or "'" in body):
        return text
    body = re.sub(r"(?<!\\)((?:\\\\)*)\\'", r"\1'", body).replace('"', '\\"')
    return f'{prefix}"{body}"'


def _space_powers(leaves: list[Leaf]) -> None:
    """`x**2`: no space between simple operands."""
    for index, leaf in enumerate(leaves):
        if leaf.text != "**" or not index or not leaves[index - 1].ends_a_value:
            continue
        after = index + 2 if leaves[index + 1].text == "-" else index + 1
        while after + 2 < len(leaves) and leaves[after + 1].text == ".":
            after += 2
        before = index - 1
        while before >= 2 and leaves[before - 1].text == ".":
            before -= 2
        is_called = after + 1 < len(leaves) and leaves[after + 1].text in ("(", "[")
        signed = leaves[index + 1].text == "-" and leaves[after].kind != token.NUMBER
        simple = all(leaves[at].kind in (token.NAME, token.NUMBER) for at in (before, after))
        if simple and not is_called and not signed:
            leaf.space = leaves[index + 1].space = ""


def _space_slices(leaves: list[Leaf]) -> None:
    """`x[f(a) : b]`: a colon between operands that are no plain names is an operator."""
    for start, leaf in enumerate(leaves):
        if leaf.text != "[" or not start or not leaves[start - 1].ends_a_value:
            continue
        end = _closing(leaves, start)
        inner = leaves[start + 1 : end]
        plain = (token.NAME, token.NUMBER, token.STRING)
        if all(one.kind in plain or one.text in (":", ",", "-") for one in inner):
            continue
        depth, lambdas = 0, 0
        for at in range(start + 1, end):
            text = leaves[at].text
            depth += (text in OPEN) - (text in CLOSE)
            lambdas += text == "lambda" and not depth
            if text != ":" or depth:
                continue
            if lambdas:
                lambdas -= 1
                continue
            leaves[at].space = "" if leaves[at - 1].text in ("[", ":", ",") else " "
            leaves[at + 1].space = "" if leaves[at + 1].text in ("]", ":", ",") else " "
            if leaves[at - 1].text == ",":
                leaves[at].space = " "


# ---- lines -----------------------------------------------------------------------------------


def _text(leaves: list[Leaf]) -> str:
    return "".join(leaf.space + leaf.text for leaf in leaves).strip()


def _split(leaves: list[Leaf], indent: int, inside: bool) -> list[str]:
    """The lines for a piece of a statement; `inside` means between brackets, where lines may end
    anywhere.
    """
    whole = " " * indent + _text(leaves)
    if len(whole) <= WIDTH:
        return [whole]
    cuts = _delimiters(leaves)
    if inside and cuts:
        edges = [0, *cuts, len(leaves)]
        pieces = [leaves[one:other] for one, other in itertools.pairwise(edges)]
        return [row for piece in pieces for row in _split(piece, indent, True)]
    start = _bracket_to_open(leaves, indent)
    if not inside and (len(cuts) > 1 or start is None or (cuts and _wants_brackets(leaves))):
        return _in_brackets(leaves, indent, bool(cuts)) or [whole]
    if start is None:
        return [whole]
    end = _closing(leaves, start)
    head, body, tail = leaves[: start + 1], leaves[start + 1 : end], leaves[end:]
    return [
        " " * indent + _text(head),
        *_content(body, indent + 4, not start or not leaves[start - 1].ends_a_value),
        *_split(tail, indent, False),
    ]


def _wants_brackets(leaves: list[Leaf]) -> bool:
    """Whether a value with one operator neither starts nor ends with brackets."""
    begin = _start_of_value(leaves)
    end = -2 if leaves[-1].text == ":" else -1
    return leaves[end].text not in CLOSE and leaves[begin].text not in OPEN


def _content(body: list[Leaf], indent: int, is_display: bool) -> list[str]:
    """What stands between brackets: in one line, or one item a line; those of a tuple, list, set or
    dictionary always have lines of their own.
    """
    whole = " " * indent + _text(body)
    items = _items(body)
    if (len(whole) <= WIDTH and not is_display) or len(items) == 1:
        return _split(body, indent, True)
    comma = Leaf("", ",", token.OP)
    return [row for item in items for row in _split([*item, comma], indent, True)]


def _in_brackets(leaves: list[Leaf], indent: int, has_operators: bool) -> list[str]:
    """A long value gets brackets of its own: what follows `=`, `return` or `if`."""
    begin = _start_of_value(leaves)
    end = len(leaves) - (leaves[-1].text == ":")
    inner = _split(leaves[begin:end], indent + 4, True) if begin else []
    if not begin or (not has_operators and max(map(len, inner)) > WIDTH):
        return []
    head, tail = _text(leaves[:begin]), _text(leaves[end:])
    return [" " * indent + head + " (", *inner, " " * indent + ")" + tail]


def _start_of_value(leaves: list[Leaf]) -> int:
    begin = max((at + 1 for at, _ in _outside(leaves) if _is_assignment(leaves[at])), default=0)
    return begin or int(bool(STATEMENTS.match(_text(leaves))))


def _is_assignment(leaf: Leaf) -> bool:
    text = leaf.text
    return text.endswith("=") and text not in ("==", "!=", "<=", ">=", ":=")


def _outside(leaves: list[Leaf]):
    """(index, leaf) of what stands in no brackets, nor among the parameters of a lambda."""
    depth, lambdas = 0, 0
    for index, leaf in enumerate(leaves):
        if leaf.text in CLOSE:
            depth -= 1
        if not depth:
            if leaf.text == "lambda":
                lambdas += 1
            elif lambdas and leaf.text == ":":
                lambdas -= 1
            elif not lambdas:
                yield index, leaf
        if leaf.text in OPEN:
            depth += 1


def _items(body: list[Leaf]) -> list[list[Leaf]]:
    if any(leaf.text == "for" for _, leaf in _outside(body)):
        return [body]
    edges = [-1, *(at for at, leaf in _outside(body) if leaf.text == ","), len(body)]
    items = [body[one + 1 : other] for one, other in itertools.pairwise(edges)]
    return [item for item in items if item]


def _delimiters(leaves: list[Leaf]) -> list[int]:
    """Where the operators stand that bind least."""
    outside = list(_outside(leaves))
    begin = max((at for at, leaf in outside if _is_assignment(leaf)), default=0)
    found: dict[int, list[int]] = {}
    loops, takes_items = 0, False
    for at, leaf in outside:
        if at < begin:
            continue
        if leaf.text == "for":
            loops, takes_items = loops + 1, True
            cut = at - (at > 0 and leaves[at - 1].text == "async")
            found.setdefault(20, []).extend([cut] if cut else [])
        elif leaf.text == "in" and takes_items:
            takes_items = False
        elif leaf.text == "if" and loops:
            found.setdefault(20, []).append(at)
        elif at > begin and leaf.text in PRIORITIES and _is_binary(leaves, at):
            found.setdefault(PRIORITIES[leaf.text], []).append(at)
    return next((found[one] for one in sorted(found, reverse=True) if found[one]), [])


def _is_binary(leaves: list[Leaf], at: int) -> bool:
    """Whether an operator has an operand on its left; `not in` counts at its `not`."""
    text, before = leaves[at].text, leaves[at - 1]
    if text == "not":
        return at + 1 < len(leaves) and leaves[at + 1].text == "in" and before.ends_a_value
    return before.ends_a_value


def _bracket_to_open(leaves: list[Leaf], indent: int) -> int | None:
    """The opening bracket of the last pair that holds something and stands early enough."""
    found, depth = [], 0
    for at, leaf in enumerate(leaves):
        if leaf.text in OPEN:
            if not depth and leaves[at + 1].text not in CLOSE:
                found.append(at)
            depth += 1
        elif leaf.text in CLOSE:
            depth = max(0, depth - 1)
    begin = max((at for at, leaf in _outside(leaves) if _is_assignment(leaf)), default=0)
    found = [at for at in found if at >= begin]  # what is assigned to stays whole
    fits = [at for at in found if indent + len(_text(leaves[: at + 1])) <= WIDTH]
    return (fits or found or [None])[-1]


def _closing(leaves: list[Leaf], start: int) -> int:
    depth = 0
    for at in range(start, len(leaves)):
        depth += (leaves[at].text in OPEN) - (leaves[at].text in CLOSE)
        if not depth:
            return at
    raise ValueError("brackets do not match")
