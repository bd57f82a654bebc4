"""Short random programs over dictionaries, sets, and lists that are items of lists and of
dictionaries, which a loop fills, changes and reads. Lists get several names.
"""

import random

OF_NUMBERS = (
    "d[k] = v", "d[v] = d.get(k, 3) + 1", "t += d.pop(v, 2)", "t += len(d)",
    "if k in d:\n    del d[k]", "if v in d:\n    t += d.pop(v)", "if len(d) > 3:\n    d.clear()",
    "for q, w in d.items():\n    t = (t * 3 + q + w) % 101", "if d:\n    t += max(d.values())",
    "d[i % 3, v] = k", "if (k, v) in d:\n    del d[k, v]",
)  # fmt: skip
OF_SETS = (
    "s.add(v)", "s.add(k)", "s.discard(k)", "if v in s:\n    s.remove(v)", "t += len(s)",
    "if k not in s:\n    t += 1", "if len(s) > 4:\n    s.clear()",
)  # fmt: skip
OF_ROWS = (
    "r.append([v, k])", "r.append([])", "row = [w for w in range(v)]\nr.append(row)\nrow.append(k)",
    "row = []\nif v > 2:\n    row.append(v)\nr.append(row)", "if r:\n    r[0].append(v)",
    "if r:\n    t += len(r[-1])", "if r and r[-1]:\n    t += r[-1].pop()", "r = r[-3:]",
    "if len(r) > 2:\n    r[0], r[1] = r[1], r[0]", "if len(r) > 4:\n    t += len(r.pop(1))",
    "for row in r:\n    for w in row:\n        t = (t * 2 + w) % 97", "r = r + [[v]]",
    "if r:\n    r[k % len(r)] += [v, k]", "if len(r) > 1:\n    r.append(r[0])",
    "if r:\n    r[-1].sort()", "if r:\n    r[0].insert(0, v)", "if r:\n    r[0] = r[-1]",
    "if r and k in r[0]:\n    r[0].remove(k)", "if r:\n    t += sum(r[0])", "r.reverse()",
    "if r:\n    row = r[0]\n    row.append(k)\n    t += len(r[-1])", "if r:\n    del r[0]",
    "if r:\n    r.append(r[-1][:])", "if r:\n    r.append(r[0] + [k])", "if r:\n    r[0].clear()",
    "row = [k]\nfor _ in range(2):\n    r.append(row)",
)  # fmt: skip
OF_GROUPS = (
    "g.setdefault(k, []).append(v)", "if k not in g:\n    g[k] = []", "if v in g:\n    del g[v]",
    "if k in g:\n    g[k].append(i)\n    t += len(g[k])", "if k in g:\n    g[k] = [v]",
    "if k in g and r:\n    r[0].extend(g[k])", "for q, w in g.items():\n    t += q * len(w)",
    "if k in g and g[k]:\n    t += g[k].pop()", "if k in g:\n    g[v] = g[k]", "t += len(g)",
)  # fmt: skip
OF_GRIDS = (
    "m[k % 3][v % 4] = m[i % 3][k % 4] + v", "m[k % 3][v % 4] += k", "m[k % 3] = m[i % 3]",
    "m[0], m[1] = m[1], m[0]", "t += max(m[k % 3])", "t += m[v % 3][-1]", "q[k % 3] = v",
    "t = (t * 3 + q[v % 3]) % 97", "m = [[w + k for w in row] for row in m]",
    "m = [row[:] for row in m]", "if m[i % 3][v % 4] > m[k % 3][0]:\n    m[0][v % 4] = v",
    "m[k % 3].append(v)", "m.append([k] * 4)", "row = m[v % 3]\nrow[0] = k", "t += len(m[k % 3])",
    "for row in m:\n    row[k % 4] += 1", "m = [[k] * (v + 4) for _ in range(3)]",
    "m = [[q[j] + j for j in (0, 1, 2, 1)] for _ in range(4)]", "t += (a, b, c)[k % 3]",
)  # fmt: skip
GRIDS = (
    "m = [[0] * 4 for _ in range(3)]", "m = [[0 for _ in range(b % 3 + 4)] for _ in range(3)]",
    "m = [[0] * (a % 3 + 4) for _ in range(c % 3 + 3)]", "m = [[a, b, c, j] for j in range(3)]",
    "m = [list(range(5)) for _ in range(3)]",
)  # fmt: skip
OF_NAMED = (
    "if v > k:\n    n['x'] = v", "n['y'] = k", "t += len(n)", "t += sum(n.values())", "n['z'] += v",
    "if 'x' in n:\n    t += n['x']", "t += n.get('y', 5)", "n['z'] = n.get('z', 0) + v",
    "if v == 3:\n    n = {'z': 1, 'y': k}", "if v > 5:\n    break", "if k == 1:\n    continue",
    "if i == 2:\n    del n['z']\n    break", "for w in range(k):\n    n['w'] = w",
    "if v < 2:\n    t += 1\nelif v < 5:\n    n['x'] = k", "t += [*n, 'x'].index('x')",
)  # fmt: skip
OF_COMPREHENSIONS = (
    "s = {w % 3 for w in [v, k, i]}", "s = {w for w in range(v) if w != k}",
    "d = {w: w * k for w in range(v)}", "d = {q: w + 1 for q, w in d.items() if w > k}",
    "d = {w: q for q, w in enumerate([v, k, i])}", "d = {q: w for q, w in zip([v, k], [i, v])}",
    "t += sum(w * q for w in range(v) for q in range(w) if q != k)",
    "r = [row + [k] for row in r if len(row) < 3]", "r = [[w for w in row if w > k] for row in r]",
    "t += sum([w for row in r for w in row])", "t += len({w % 3 for row in r for w in row})",
    "t += len([w for w in range(3) for q in range(v) if q > w])", "r = [[w] for w in range(k)]",
    "t += sum([w * q for w in (v, k) if w > i for q in (1, k, v) if q != w])",
    "if any(w + q == v for w in range(k) for q in range(w)):\n    t += 1",
    "d = {w: len(row) for row in r for w in row}", "d = {w: i for w in {v, k} if w > 1}",
    "t += len({(w, q) for w in range(2) for q in [v, w, k]})",
    "r = [[w, q] for w in range(k) for q in range(v) if w < q][:4]",
    "for w, q in permutations([v, k, i], 2):\n    t = (t * 3 + w - q) % 97",
    "t += max(w * 3 - q * u for w, q, u in permutations(range(k + 3), 3))",
    "for p in permutations(range(v % 2 + 3)):\n    t = (t * 3 + p[0] - p[-1]) % 97",
    "r = [[w, q] for w, q in combinations(range(k), 2)]",
)  # fmt: skip
OF_CHOICES = (
    "if v == k:\n    p = (i, k)", "if v > k:\n    p = (k, t)", "p = (v, i) if v > i else p",
    "for w in range(k):\n    if w == v:\n        p = (w, i)",
    "if v < 2:\n    p = (i, v)\n    break",
)  # fmt: skip
OF_INNER = (
    "t += inner(v)",
    "t = t * 2 % 97 + inner(k)",
    "if v > 2:\n    inner(i)",
    "t += inner(i)",
)
INNER = (
    "d[x] = d.get(x, 0) + 1\nreturn len(d)", "if x in s:\n    return 1\ns.add(x)\nreturn 0",
    "r.append([x, len(r)])\nreturn len(r[0])", "for row in r:\n    row.append(x)\nreturn len(r)",
    "return d.get(x, 7)", "if x in g:\n    g[x].append(k)\nreturn len(g)", "return len(r) + len(s)",
    "return max(d, key=lambda key: (d[key], key)) if d else 0",
)  # fmt: skip


def table_program(seed: int) -> str:
    choose = random.Random(seed)
    of_all = OF_NUMBERS, OF_SETS, OF_ROWS, OF_ROWS, OF_GROUPS, OF_GRIDS, OF_GRIDS, OF_NAMED
    of_all += (OF_COMPREHENSIONS, OF_CHOICES)
    kinds = choose.sample(of_all, choose.randint(1, 3))
    first = choose.choice(("set()", "{2}", "{0, 3}", "{a % 7}"))
    lines = [f"d, g, s, r, n, t, p = {{}}, {{}}, {first}, [], {{'z': a}}, 0, 7"]
    if OF_GRIDS in kinds:
        lines += [choose.choice(GRIDS), "q = [a % 5, b % 5, c % 5]"]
    if choose.random() < 0.3:
        lines += ["k = c % 5", "def inner(x):"]
        lines += ["    " + line for line in choose.choice(INNER).split("\n")]
        kinds.append(OF_INNER)
    for _ in range(choose.randint(1, 2)):
        lines += [f"for i in range({choose.choice(('a', 'b', 'c'))} % 4 + {choose.randint(2, 5)}):"]
        lines += ["    v, k = (a + b * i) % 7, (c + i * i) % 5"]
        for _ in range(choose.randint(2, 5)):
            statement = choose.choice(choose.choice(kinds)).split("\n")
            inside = choose.random() < 0.2
            lines += ["    if v > k:"] * inside
            lines += ["    " * (1 + inside) + line for line in statement]
    shown = {id(OF_NUMBERS): "d", id(OF_SETS): "len(s)", id(OF_ROWS): "r", id(OF_GROUPS): "g",
             id(OF_GRIDS): "m", id(OF_NAMED): "n", id(OF_COMPREHENSIONS): "d",
             id(OF_CHOICES): "p"}  # fmt: skip
    parts = sorted(
        {shown[id(kind)] for kind in kinds if id(kind) in shown and choose.random() < 0.7}
    )
    if choose.random() < 0.2:
        lines += [
            "if t % 3 == 0:",
            f"    return {choose.choice(('t', 'None', '-1', '0.5', 't / 2'))}",
        ]
    lines += [f"return {', '.join(['t', *parts])}"]
    head = "from itertools import combinations, permutations\n\n\n"
    return head + "def program(a, b, c):\n" + "".join(f"    {line}\n" for line in lines)
