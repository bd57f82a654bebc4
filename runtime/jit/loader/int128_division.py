"""Division of 128-bit integers: functions that LLVM calls and does not define. They are linked into
the object code that calls them.

LLVM computes the trip count of `while i <= n: ... i += 7` in 128 bits: `n + 1` may not fit into 64.
"""

from __future__ import annotations

import functools

QUOTIENT, REMAINDER = b"__udivti3", b"__umodti3"

DIVIDED = """
define internal { i128, i128 } @divided(i128 %x, i128 %y) {
start:
  %both = or i128 %x, %y
  %high = lshr i128 %both, 64
  %is_short = icmp eq i128 %high, 0
  br i1 %is_short, label %short, label %bit
short:
  %a = trunc i128 %x to i64
  %b = trunc i128 %y to i64
  %c = udiv i64 %a, %b
  %d = urem i64 %a, %b
  %short_quotient = zext i64 %c to i128
  %short_rest = zext i64 %d to i128
  br label %end
bit:
  %number = phi i32 [ 0, %start ], [ %next, %bit ]
  %rest = phi i128 [ 0, %start ], [ %new_rest, %bit ]
  %left = phi i128 [ %x, %start ], [ %new_left, %bit ]
  %top = lshr i128 %left, 127
  %over = icmp slt i128 %rest, 0
  %doubled = shl i128 %rest, 1
  %taken = or i128 %doubled, %top
  %enough = icmp uge i128 %taken, %y
  %fits = or i1 %over, %enough
  %less = sub i128 %taken, %y
  %new_rest = select i1 %fits, i128 %less, i128 %taken
  %one = zext i1 %fits to i128
  %shifted = shl i128 %left, 1
  %new_left = or i128 %shifted, %one
  %next = add i32 %number, 1
  %done = icmp eq i32 %next, 128
  br i1 %done, label %end, label %bit
end:
  %q = phi i128 [ %short_quotient, %short ], [ %new_left, %bit ]
  %r = phi i128 [ %short_rest, %short ], [ %new_rest, %bit ]
  %first = insertvalue { i128, i128 } undef, i128 %q, 0
  %pair = insertvalue { i128, i128 } %first, i128 %r, 1
  ret { i128, i128 } %pair
}
"""

ENTRY = """
define weak_odr i128 @NAME(i128 %x, i128 %y) {
  %pair = call { i128, i128 } @divided(i128 %x, i128 %y)
  %made = extractvalue { i128, i128 } %pair, INDEX
  ret i128 %made
}
"""

# The calling convention of Windows: operands in memory, the result in a vector register.
WINDOWS_ENTRY = """
define weak_odr <2 x i64> @NAME(i128* %p, i128* %q) {
  %x = load i128, i128* %p, align 16
  %y = load i128, i128* %q, align 16
  %pair = call { i128, i128 } @divided(i128 %x, i128 %y)
  %made = extractvalue { i128, i128 } %pair, INDEX
  %result = bitcast i128 %made to <2 x i64>
  ret <2 x i64> %result
}
"""


def is_called(code: bytes) -> bool:
    """Whether object code calls these functions."""
    return QUOTIENT in code or REMAINDER in code


@functools.cache
def source_for(triple: str) -> str:
    """The functions in LLVM's assembly language, for a target triple."""
    is_windows = triple.startswith("x86_64") and "windows" in triple
    entry = WINDOWS_ENTRY if is_windows else ENTRY
    rows = enumerate((QUOTIENT.decode(), REMAINDER.decode()))
    return DIVIDED + "".join(
        entry.replace("NAME", name).replace("INDEX", str(index)) for index, name in rows
    )
