"""Random loops over batches: most treat each row alike, and some mix rows.

`program(seed)` gives the source of a function `loop`, and `arguments(seed)` what it
takes. The state is `h`, (batch, units), often with `c`, (batch, units), and `s`, (batch,).
"""

import random

import numpy as np

BATCHES = (4, 6, 8, 9, 16)
UNITS, STEPS = 5, 30

# Expressions of rows: (batch, units), from those at {a} and {b}.
ROWS = (
    "np.tanh({a})", "{a} * 0.5 + {b}", "{a} @ w", "np.tanh({a} @ w + v)", "x[t] * {a}",
    "x[t] + {a} @ w", "np.where({a} > 0.05, {a}, v)", "{a} - {a}.max(axis=1, keepdims=True)",
    "{a} / (1.0 + np.abs({a}).sum(axis=1)[:, None])", "np.maximum({a}, 0.1) * v",
    "np.concatenate([{a}[:, 2:], {b}[:, :2]], axis=1)", "{a}[:, ::-1]", "({a}.T * 2.0).T",
    "{a} * s[:, None]", "{a} + x[t, :, :1]", "x[t][:, pick] + {a}", "w[ids] * 0.1 + {a}",
    "{a} * (t + 1) * 0.2", "y[:, t] * {a}", "y[:, t, :] + {b}",
)  # fmt: skip
# Expressions in which rows meet, or that are the same for all rows.
MIXING = (
    "{a}[::-1]", "{a} - {a}.mean(axis=0)", "{a} + {a}[0]", "np.roll({a}, 1, axis=0)",
    "{a} * np.tanh({a}.sum())", "({a} @ ({a}.T @ {b})) * 0.01",
)  # fmt: skip
SCALARS = ("s * 0.9 + {a}.sum(axis=1) * 0.1", "np.tanh({a}[:, 1] + s)", "np.maximum(s, {a}[:, 0])")


def program(seed: int) -> str:
    rng = random.Random(seed)
    states = rng.sample(["c", "s"], rng.randint(0, 2))
    lines = ["def loop(x, y, w, v, pick, ids, steps):", "    h = x[0] * 0.1"]
    lines += ["    c = x[1] * 0.2" if rng.random() < 0.5 else "    c = np.zeros_like(h)"]
    lines += ["    s = np.ones(h.shape[0])"]
    keeps, along = rng.random() < 0.6, rng.random() < 0.5
    if keeps:
        shape = "(h.shape[0], steps, h.shape[1])" if along else "(steps, *h.shape)"
        lines.append(f"    out = np.{rng.choice(['zeros', 'ones'])}({shape})")
    lines.append(f"    for t in range({STEPS if rng.random() < 0.7 else 'steps'}):")
    names = ["h", "c"] if "c" in states else ["h"]
    for _ in range(rng.randint(1, 3)):
        lines.append(f"        z = {expression(rng, names)}")
        names = list(dict.fromkeys([*names, "z"]))
    if "s" in states:
        lines.append(f"        s = {rng.choice(SCALARS).format(a=rng.choice(names))}")
    if "c" in states:
        lines.append(f"        c = {expression(rng, names)}")
    lines.append(f"        h = np.clip({expression(rng, names)}, -3.0, 3.0)")
    if keeps:
        part = rng.choice(["h", "z", "h + z", "h[:, :1]", "v"])
        lines.append(f"        out[{':, t' if along else 't'}] = {part}")
    lines.append(f"    return {', '.join(['h', *states, *(['out'] if keeps else []), 't'])}")
    return "\n".join(lines) + "\n"


def expression(rng: random.Random, names: list[str]) -> str:
    table = MIXING if rng.random() < 0.06 else ROWS
    return rng.choice(table).format(a=rng.choice(names), b=rng.choice(names))


def arguments(seed: int) -> tuple:
    rng = np.random.default_rng(seed)
    batch = BATCHES[seed % len(BATCHES)]
    x, y = rng.standard_normal((STEPS, batch, UNITS)), rng.standard_normal((batch, STEPS, UNITS))
    w, v = rng.standard_normal((UNITS, UNITS)) * 0.3, rng.standard_normal(UNITS)
    ids = rng.integers(0, UNITS, batch)
    return x, y, w, v, rng.permutation(UNITS), ids, STEPS
