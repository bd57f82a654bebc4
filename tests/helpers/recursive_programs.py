"""Short random programs of functions that call themselves in computed branches, and change lists,
arrays, tables and sets around them on the way.
"""

import random

BASES = {
    "number": ("x", "1", "n + x", "-1", "x * 0.5"),
    "truth": ("x > 3", "True", "x % 2 == 0"),
    "nothing": ("None", ""),
    "pair": ("x, n", "1, x", "(x, 0)"),
    "maybe": ("None", "x"),
}
CALLS = {
    "number": (
        "return walk(n - 1, (x * 3 + 1) % 11) + walk(n - 2, x)", "return 2 * walk(n - 1, x) + 1",
        "return walk(n - 1, x + 1) if x % 2 else walk(n - 2, x // 2) - 1",
        "r = 0\nfor k in range(x % 3 + 1):\n    r = max(r, walk(n - 1, x + k))\nreturn r",
        "r = walk(n - 1, x % 5)\nif r > 4:\n    return r - x\nreturn r * 2 % 97",
        "return walk(n - 1, int(walk(n - 2, x)) % 7)", "return walk(x=x + 1, n=n - 1) - 1",
        "return walk(n - 1) - walk(n - 2, x=x)",
        "return x - walk(n - 1, x + 2) / 2",
        "r = 0\nwhile x > 0:\n    x -= 3\n    r += walk(n - 2, x)\nreturn r",
        "r = x\nfor k in range(n):\n    r += walk(k, x + k) % 13\nreturn r",
    ),
    "truth": (
        "return walk(n - 1, x + 1) or walk(n - 1, x * 2 % 9)", "return not walk(n - 1, x // 2)",
        "for k in range(3):\n    if x != k and walk(n - 1, k):\n        return True\nreturn False",
    ),
    "nothing": (
        "walk(n - 1, x + 1)\nwalk(n - 2, x)", "for k in range(x % 3):\n    walk(n - 1, x - k)",
        "if x % 2:\n    walk(n - 1, x * 3)\nelse:\n    walk(n - 1, x // 2)",
        "for k in range(n):\n    walk(k, x + 2)",
    ),
    "pair": (
        "p, q = walk(n - 1, x + 1)\nreturn q, p + x", "p, q = walk(n - 2, x)\nreturn p + q, n",
    ),
    "maybe": ("r = walk(n - 1, x + 1)\nreturn x if r is None else r",),
}  # fmt: skip
STEPS = (
    "total[0] += x", "seen[x % 7] += 1", "path.append(n)", "if path:\n    path.pop()",
    "cells[n % 5] += x", "found.append((n, x))", "rows.append(path[:])", "total[0] = n",
    "for k in range(x % 4):\n    total[0] += k", "o = [0] * 3\no[x % 3] = n\ntotal[0] += o[1]",
    "known[x % 9] = n", "if x % 9 in known:\n    total[0] += known[x % 9]",
    "if n in known:\n    return {base}\nknown[n] = x", "marks.add(x % 9)",
    "if x % 9 in marks:\n    total[0] += 5", "x += cells[x % 5]",
    "grid[n % 2][x % 3] += 1", "if x > 20:\n    cells[x] = 1", "x = x * 7 % 13", "x += len(path)",
    "left[x % 4] += 1", "right[n % 4] += left[x % 4] + 2", "x += right[1]", "x -= still[x % 4]",
    "left[:] = 0", "tally += x", "if x > 3:\n    tally += n", "x += tally % 5", "last = x / 2",
    "if x % 2:\n    last, tally = n, tally * 2 % 31 + n", "bump(x)", "if n > 1:\n    bump(n)",
    "own = np.zeros(3)\nown[x % 3] = x\ncells[0] += int(own.sum())", "cells[1:3] = x",
    "if total[0] > 30:\n    total[0] -= 9", "seen[n % 7], seen[x % 7] = seen[x % 7], seen[n % 7]",
)  # fmt: skip
AROUND = [
    "total, seen, path, found, rows = [0], [0] * 7, [], [], []", "cells = np.arange(5) * c",
    "marks, grid, known = set(), [[0] * 3 for _ in range(2)], {}",
    "tally, last = 0, b",
    "def bump(y):\n    nonlocal tally\n    tally += y\n    if y > 2:\n        tally -= 1",
    "left, right, still = np.arange(4) + c, np.arange(4) + c, np.arange(4) + c",
]  # fmt: skip
SHOWN = {
    "total": "total[0]", "seen": "seen", "path": "path", "found": "found", "rows": "rows",
    "cells": "int((cells * (np.arange(5) + 1)).sum())", "marks": "len(marks)", "grid": "grid",
    "known": "len(known)", "tally": "tally", "bump": "tally", "last": "last",
    "left": "left.tolist()", "right": "right.tolist()",
}  # fmt: skip


def recursive_program(seed: int) -> str:
    choose = random.Random(seed)
    returned = choose.choice(("number", "number", "number", "truth", "nothing", "pair", "maybe"))
    calls = choose.choice(CALLS[returned])
    steps = [choose.choice(STEPS) for _ in range(choose.randint(0, 3))]
    later = [choose.choice(STEPS[-6:])] * (returned == "nothing" and choose.random() < 0.6)
    base = choose.choice(BASES[returned])
    inner = [step.replace("{base}", base) for step in steps]
    if "range(n)" not in calls or choose.random() < 0.5:  # a loop that ends the calls, too
        inner.insert(0, f"if n <= 0:\n    return {base}")
    if choose.random() < 0.3:
        inner.append(f"if x == 4:\n    return {choose.choice(BASES[returned])}")
    inner += [calls, *later]
    lines = [line for part in AROUND for line in part.split("\n")] + ["def walk(n, x=3):"]
    assigned = [name for name in ("tally", "last") if name in " ".join(inner)]
    lines += [f"    nonlocal {', '.join(assigned)}"] if assigned else []
    lines += ["    " + line for part in inner for line in part.split("\n")]
    lines.append(f"r = walk(a % 5 + {choose.randint(1, 2)}, b)")
    if choose.random() < 0.3:
        lines += ["for i in range(c % 3):", "    walk(i + 1, b + i)"]
    changes = " ".join((*steps, *later))
    shown = [part for name, part in SHOWN.items() if name in changes]
    lines.append(f"return {', '.join(['r', *shown])}")
    head = "import numpy as np\n\n\ndef program(a, b, c):\n"
    return head + "".join(f"    {line}\n" for line in lines)
