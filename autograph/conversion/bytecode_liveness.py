"""Which local variables of the running functions are read later (liveness of the bytecode).

    rows = grow(rows, x)    # while `grow` runs, `rows` is dead: it is bound anew before it is read

A value that waits on the stack of a function is read later too, as `rows` in `[rows, grow(x)]`.
"""

from __future__ import annotations

import dis
import functools
import itertools
import types
from typing import NamedTuple

from ..identity_map import cached_per_object
from .display_names import OUTLINED

RUN_ONCE = ("if_body", "else_body", "get_state", "set_state")  # which read nothing a second time
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}  # which run where they are made
NOTHING: frozenset = frozenset()


class Point(NamedTuple):
    """The names and paths that are read after an instruction."""

    after: frozenset = NOTHING  # the variables that are read after it
    below: frozenset = NOTHING  # those with a value on the stack that it does not take
    taken: frozenset = NOTHING  # those with a value that it takes, as the arguments of a call
    assigned: tuple = ()  # what its result is bound to at once: (variable,) or
    # (variable, *attributes, "." or "[", key)


class Variables:
    """The reads and assignments of the variables of a function, by its bytecode."""

    def __init__(self, code):
        self.code = code
        self.instructions = list(dis.get_instructions(code))
        self.offsets = [instruction.offset for instruction in self.instructions]
        self.index = {offset: index for index, offset in enumerate(self.offsets)}
        self.reads = list(map(_read, self.instructions))
        self.assigns = list(map(_assigned, self.instructions))
        self.following = list(map(self._next, range(len(self.offsets))))
        handlers = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
        self.handlers = [  # of each instruction: where they are, and what they keep of the stack
            [(self.index[h.target], h.depth, h.lasti) for h in handlers if h.start <= at < h.end]
            for at in self.offsets
        ]
        self.read_by: dict[str, set] = {}  # what the functions in a variable read
        for index, instruction in enumerate(self.instructions[:-1]):
            is_made = instruction.opname in ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE")
            if is_made and self.assigns[index + 1]:
                self._note_function(self.assigns[index + 1][0], index)
        self.captured = {
            name
            for inner, name in read_by_inner(code)
            if inner not in OUTLINED and inner.co_name not in COMPREHENSIONS
        }
        self._live = self._live_after()
        self._stacks = self._stack_before()

    def _note_function(self, name: str, index: int) -> None:
        for instruction in reversed(self.instructions[:index]):
            if isinstance(instruction.argval, types.CodeType):
                if not OUTLINED.get(instruction.argval, "").startswith(RUN_ONCE):
                    self.read_by.setdefault(name, set()).update(instruction.argval.co_freevars)
                return

    def at(self, offset: int) -> Point:
        """The names that are read after the instruction at an offset, which may be in its cache."""
        index = max(i for i, start in enumerate(self.offsets) if start <= offset)
        instruction, stack = self.instructions[index], self._stacks[index]
        if stack is None:
            code = self.code
            return Point(frozenset({*code.co_varnames, *code.co_cellvars, *code.co_freevars}))
        depth = len(stack)
        if instruction.opname.startswith("CALL"):
            depth = max(0, depth + dis.stack_effect(instruction.opcode, instruction.arg) - 1)
        below, taken = NOTHING.union(*stack[:depth]), NOTHING.union(*stack[depth:])
        return Point(self._live[index], below, taken, self._path_assigned(index + 1))

    def _path_assigned(self, index: int) -> tuple:
        """The path to which the next instructions bind the top of the stack."""
        path: list = []
        if self.assigns[index]:
            return self.assigns[index][:1]
        for first, second in itertools.pairwise(self.instructions[self._past_notes(index) :]):
            if (not path and len(_read(first)) == 1) or (path and first.opname == "LOAD_ATTR"):
                path.append(first.argval)
            elif path and first.opname == "STORE_ATTR":
                return (*path, ".", first.argval)
            elif path and first.opname == "LOAD_CONST" and second.opname == "STORE_SUBSCR":
                return (*path, "[", first.argval)
            else:
                break
        return ()

    def _past_notes(self, index: int) -> int:
        """The instruction that runs where no changes are noted: `x if ag__.NOTES else` ends."""
        names = [instruction.argval for instruction in self.instructions[index : index + 2]]
        if names != ["ag__", "NOTES"]:
            return index
        jumps = (jump for jump in self.instructions[index:] if jump.opcode in JUMPS)
        return self.index[next(jumps).argval]

    def _next(self, index: int) -> list[tuple[int, bool]]:
        """The instructions that may run next, and whether that is by a jump."""
        instruction = self.instructions[index]
        jumps = [(self.index[instruction.argval], True)] if instruction.opcode in JUMPS else []
        is_end = instruction.opcode in ENDS or index + 1 == len(self.instructions)
        return jumps if is_end else [*jumps, (index + 1, False)]

    def _live_after(self) -> list[frozenset]:
        """The variables that are read after each instruction: a backward data-flow analysis."""
        at_end = frozenset(self.code.co_freevars)
        before = [NOTHING] * len(self.instructions)
        after = [NOTHING] * len(self.instructions)
        pairs = zip(self.following, self.handlers, strict=True)
        edges = [[other for other, *_ in (*following, *caught)] for following, caught in pairs]
        heads = {other for index, others in enumerate(edges) for other in others if other <= index}
        is_changed = True
        while is_changed:
            is_changed = False
            for index in reversed(range(len(self.instructions))):
                opname = self.instructions[index].opname
                live = NOTHING.union(*[before[other] for other in edges[index]])
                if opname.startswith(("RETURN", "RAISE", "RERAISE")):
                    live |= at_end
                read = self.reads[index]
                if opname == "STORE_FAST_LOAD_FAST":
                    read = set(read).difference(self.assigns[index])
                after[index] = live
                caught = [before[other] for other, *_ in self.handlers[index]]
                live = live.difference(self.assigns[index]).union(read, *caught)
                is_changed = is_changed or (index in heads and live != before[index])
                before[index] = live
        self.read_first = before[0]  # the variables that are read before they are bound
        return after

    def _stack_before(self) -> list:
        """For each instruction, the variables from which each value on the stack may come."""
        stacks: list = [None] * len(self.instructions)
        queue: list[tuple[int, list]] = [(0, [])]
        while queue:
            index, stack = queue.pop()
            if stacks[index] is not None:
                stack = [left | right for left, right in zip(stacks[index], stack, strict=False)]
            if stack == stacks[index]:
                continue
            stacks[index] = stack
            for handler, depth, lasti in self.handlers[index]:
                queue.append((handler, stack[:depth] + [NOTHING] * (1 + lasti)))
            for other, is_jump in self.following[index]:
                queue.append((other, _stack_after(self.instructions[index], stack, is_jump)))
        return stacks


def _named(*names: str) -> set[int]:
    """The instructions whose names begin so."""
    return {opcode for name, opcode in dis.opmap.items() if name.startswith(names)}


JUMPS = {*dis.hasjrel, *dis.hasjabs}
READS = _named(
    "LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"
)  # fmt: skip
ASSIGNS = _named("STORE_FAST", "STORE_DEREF", "DELETE_FAST", "DELETE_DEREF", "LOAD_FAST_AND_CLEAR")
ENDS = _named("RETURN", "RAISE", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE")
NEW_VALUES = ("LOAD_CONST", "LOAD_GLOBAL", "LOAD_SMALL_INT", "LOAD_BUILD_CLASS", "PUSH_NULL")


def _read(instruction) -> tuple[str, ...]:
    """The variables that an instruction pushes."""
    return _names(instruction, READS, slice(1, None))


def _assigned(instruction) -> tuple[str, ...]:
    """The variables that an instruction binds anew or deletes."""
    return _names(instruction, ASSIGNS, slice(1))


def _names(instruction, opcodes, part: slice) -> tuple[str, ...]:
    name = instruction.argval
    if instruction.opname == "STORE_FAST_LOAD_FAST":
        return name[part]
    return () if instruction.opcode not in opcodes else name if isinstance(name, tuple) else (name,)


def _stack_after(instruction, stack: list, is_jump: bool) -> list:
    """From which variables the values come after an instruction. One that it makes may be, or
    hold, any that it took.
    """
    effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=is_jump)
    depth = len(stack) + effect
    pushed = [frozenset({name}) for name in _read(instruction)]
    if pushed:
        return [*stack[: depth - len(pushed)], *pushed]
    if instruction.opname == "COPY":
        return [*stack, stack[-instruction.arg]]
    if instruction.opname == "SWAP":
        swapped = list(stack)
        swapped[-1], swapped[-instruction.arg] = swapped[-instruction.arg], swapped[-1]
        return swapped
    if instruction.opname.startswith(("POP_", "STORE_", "DELETE_")) or not stack:
        return [*stack[:depth], *[NOTHING] * (depth - len(stack))]
    if effect > 0:
        new = NOTHING if instruction.opname in NEW_VALUES else stack[-1]
        return [*stack, *[new] * effect]
    return [*stack[: depth - 1], NOTHING.union(*stack[max(0, depth - 1) :])][:depth]


@cached_per_object
def variables_of(code) -> Variables:
    """The reads and assignments of the variables of a function."""
    return Variables(code)


@cached_per_object
def read_by_inner(code) -> frozenset[tuple]:
    """(code, name) of the functions inside of one, and the variables of it that they read."""
    own, pairs = {*code.co_cellvars, *code.co_freevars}, set()
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    for inner_code in inner:  # a worklist
        pairs |= {(inner_code, name) for name in inner_code.co_freevars if name in own}
        inner += [other for other in inner_code.co_consts if isinstance(other, types.CodeType)]
    return frozenset(pairs)


class Liveness:
    """Which variables of running functions are read later, `frames` being the innermost first.

    A function and those outlined from it are one: what the innermost that knows a variable does
    with it counts.
    """

    def __init__(self, frames, direct_callers):
        self.frames = frames
        self.points = [variables_of(frame.f_code).at(frame.f_lasti) for frame in frames]
        self._is_direct = functools.cache(lambda index: _is_direct(frames, index, direct_callers))
        self._groups: list[range] = []  # by frame
        first = 0
        for index, frame in enumerate(frames):
            if not OUTLINED.get(frame.f_code):
                group = range(first, index + 1)
                self._groups += [group] * len(group)
                first = index + 1
        self._groups += [range(first, len(frames))] * (len(frames) - first)

    def is_live(self, index: int, name: str) -> bool:
        """Whether a variable of the frame at `index` is read later."""
        inside = range(self._groups[index].start, index + 1)
        if any(name in self.points[position].below for position in inside):
            return True
        at = next(each for each in inside if each == index or name in _free(self.frames[each]))
        if self._is_read_inside(index, name):
            return True
        if self.points[at].assigned == (name,):
            return at > 0 and name in self._taken(at, inside.start)
        captured = variables_of(self.frames[at].f_code).captured
        return name in {*self.points[at].after, *captured, *self._taken(at, inside.start)}

    def _taken(self, at: int, start: int) -> set[str]:
        """The variables that what a frame calls may still read. A function of the user's that it
        calls directly has the arguments in variables of its own.
        """
        variables, taken = variables_of(self.frames[at].f_code), self.points[at].taken
        read = {name for position in taken for name in variables.read_by.get(position, ())}
        if at > start or (at and not self._is_direct(at)):
            read |= taken
        return read

    def _is_read_inside(self, index: int, name: str) -> bool:
        """Whether a running function that is defined inside, and is no part of it, reads it."""
        inner = read_by_inner(self.frames[index].f_code)
        start = self._groups[index].start
        return any((frame.f_code, name) in inner for frame in self.frames[:start])


def _free(frame) -> tuple[str, ...]:
    return frame.f_code.co_freevars


def _is_direct(frames, index: int, direct_callers) -> bool:
    """Whether the frame at `index` called the one before it without another function between."""
    frame = frames[index - 1].f_back
    while frame is not None and frame.f_code in direct_callers:
        frame = frame.f_back
    return frame is frames[index]
