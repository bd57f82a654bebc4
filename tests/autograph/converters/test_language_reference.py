"""The language reference, construct by construct: converted code is the Python it was."""

import copy

import pytest
from law_kit import load, outcome

import allograph as ag

CASES = {
    "except groups": (
        """
def f(x):
    try:
        if x: raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as e:
        r = "v"
    except* TypeError as e:
        r = "t"
    else:
        r = "none"
    return r
""",
        [(0,), (1,)],
    ),
    "class bodies": (
        """
def f(x):
    class A:
        y = x
        def m(self): return self.y + x
        z = [i for i in range(3)]
    return A().m(), A.z, A.__qualname__
""",
        [(1,)],
    ),
    "walrus in comprehensions": (
        """
def f(x):
    return [y := x, y**2, [z for w in range(3) if (z := w)], z]
""",
        [(3,)],
    ),
    "decorators": (
        """
def f(x):
    def deco(g):
        def inner(*a): return g(*a)+1
        return inner
    @deco
    @deco
    def h(a): return a*2
    return h(x), h.__name__
""",
        [(3,)],
    ),
    "debug and assert": (
        """
def f(x):
    if __debug__: x += 1
    assert x > 0, (x, "neg")
    return x
""",
        [(3,), (-5,)],
    ),
    "del": (
        """
def f(x):
    d = {1:2}
    del d[1]
    l=[1,2,3]
    del l[0], l[-1]
    y = x
    del (y)
    try:
        y
    except NameError as e: return type(e).__name__, d, l
""",
        [(3,)],
    ),
    "async functions and generators": (
        """
def f(x):
    async def g(n):
        t = 0
        async def gen():
            for i in range(n): yield i
        async for v in gen():
            if v > 2: break
            t += v
        return t
    import asyncio
    return asyncio.run(g(x))
""",
        [(3,), (10,)],
    ),
    "generators and yield from": (
        """
def f(x):
    def gen(n):
        for i in range(n):
            if i % 2: continue
            got = yield i
        return "done"
    def outer():
        r = yield from gen(x)
        yield r
    return list(outer()), list(i*j for i in range(x) for j in range(i) if i+j > 2)
""",
        [(5,)],
    ),
    "star arguments and unpacking": (
        """
def f(*args, a=1, **kw):
    x, *y = args
    *p, q = y
    g = lambda *a, **k: (a, k)
    return g(*y, x, **kw, a=a), p, q, [*y, *p], {**kw, 'z': 1}
""",
        [(1, 2, 3)],
    ),
    "else of nested loops": (
        """
def f(x):
    out=[]
    for i in range(x):
        for j in range(x):
            if j == 2: break
            if j == 0: continue
            out.append((i,j))
        else:
            out.append('else')
            continue
        out.append('brk')
    else:
        out.append('outer')
    return out
""",
        [(2,), (4,)],
    ),
    "exception chaining": (
        """
def f(x):
    try:
        try:
            return 1/x
        except ZeroDivisionError as e:
            raise ValueError("bad") from e
        finally:
            x = 5
    except ValueError as e:
        return type(e.__cause__).__name__, str(e), x
""",
        [(0,), (2,)],
    ),
    "nonlocal in nested functions": (
        """
def f(x):
    y = 1
    def g():
        nonlocal y
        y += x
        def h():
            nonlocal y
            y *= 2
        h()
    g()
    return y
""",
        [(0,), (2,)],
    ),
    "f-strings": (
        """
def f(x):
    return f"{x!r:>10} {x:{x}d} {'a' if x else 'b'} {x=} {[i for i in range(x)]}"
""",
        [(3,)],
    ),
    "with several managers": (
        """
def f(x):
    with open(__import__('os').devnull) as a, open(__import__('os').devnull) as b:
        if x: return a.name == b.name
    return 0
""",
        [(0,), (1,)],
    ),
    "continue and break through finally": (
        """
def f(x):
    i = 0
    while i < x:
        i += 1
        try:
            if i == 2: continue
            if i == 4: break
        finally:
            i += 10
    else:
        return "e", i
    return i
""",
        [(3,), (50,)],
    ),
    "annotations in blocks": (
        """
def f(x):
    for i in range(3):
        if x > i:
            d: int = x
            unset: int
        elif x == 1:
            continue
        else:
            d: "undefined" = 4
            d: undefined = d + 1
    rows: list = [d]
    rows[0]: undefined = d + i
    def inner():
        while rows[0] < 9:
            rows[0]: undefined = rows[0] + 1
            last: int = 5
        return last
    d: int
    return d, inner(), rows
""",
        [(3,), (1,), (0,)],
    ),
    "a variable that is only declared": (
        """
def f(x):
    if x:
        len: int
    try:
        return len
    except NameError:
        return x
""",
        [(3,)],
    ),
    "annotations and multiple targets": (
        """
def f(x):
    x: int = x
    y: "list[undefined]"
    z: int
    a = b = c = x
    a += (b := 2)
    return a, b, c
""",
        [(3,)],
    ),
    "imports and global": (
        """
def f(x):
    import os.path as p, sys
    from os import sep as s
    global GG
    GG = x
    return p.__name__, s, GG
""",
        [(3,)],
    ),
    "loop targets and operators": (
        """
def f(x):
    r = []
    for r_i in (lambda: [1,2])():
        r.append(r_i)
    for a, (b, *c) in [(1,(2,3,4))]:
        r.append((a,b,c))
    for r[0] in [9]: pass
    return r, (x if x else None) or "e", not x, x is None, 1 < x < 3 != 2
""",
        [(0,), (2,)],
    ),
    "every pattern of match": (
        """
def f(x):
    match x:
        case {"a": 1, **rest}: return ("m", rest)
        case [1, *mid, 9]: return ("s", mid)
        case str() as s if len(s) > 2: return s
        case (1|2) as n if n > 1: return ("or", n)
        case None | True: return "nt"
        case complex(real=r, imag=0): return ("c", r)
        case [[a, b], {"k": [c]}]: return a, b, c
        case (0, q) | (q, 0): return q
        case int(z): return ("int", z)
    return "none"
""",
        [
            ({"a": 1, "b": 2},),
            ([1, 2, 3, 9],),
            ("abc",),
            ("a",),
            (1,),
            (2,),
            (None,),
            (True,),
            ((2 + 0j),),
            ([[1, 2], {"k": [3]}],),
            ((0, 4),),
            ((4, 0),),
            (77,),
        ],
    ),
    "recursion": (
        """
def f(x):
    def rec(n):
        return 1 if n <= 0 else n * rec(n-1)
    return rec(x)
""",
        [(10,), (150,)],
    ),
    "item assignment": (
        """
def f(x):
    l = [1,2,3]
    l[0], l[2] = l[2], l[0]
    a = l[1:] = [x]
    d = {}
    d[x], d['q'] = 1, 2
    d[x] += 5
    l += [1]
    return l, a, d
""",
        [(10,)],
    ),
    "return in finally": (
        """
def f(x):
    try:
        return int(x)
    except (ValueError, TypeError):
        pass
    else:
        return 5
    finally:
        if x == "q":
            return "fin"
    return "end"
""",
        [("1",), ("z",), ("q",), (None,)],
    ),
    "jumps in finally in some cases": (
        """
def f(x, jumps):
    total = 0
    for i in range(4):
        for j in range(3):
            try:
                if i == x:
                    return "early"
                total += [1, 2][j]
                if j == x:
                    break
            except KeyError:
                total = -1
            else:
                total += 10
            finally:
                total += 100
                if jumps == "continue":
                    continue
                elif jumps == "break":
                    break
            total += 1000
        else:
            total += 10000
        try:
            int(x)
        finally:
            if jumps == i:
                return "late", total
    try:
        return total, int("q")
    except ValueError:
        raise KeyError(total)
    finally:
        while x:
            x -= 1
            if jumps == "return":
                return total, x
            if jumps == "raise":
                raise IndexError(x)
""",
        [
            (x, jumps)
            for x in (0, 1, 9, "q")
            for jumps in ("continue", "break", "return", "raise", "no", 1)
        ],
    ),
    "jumps in nested loops": (
        """
def f(n):
    s = 0
    while n:
        n -= 1
        if n % 3 == 0: continue
        for k in range(n):
            if k > 4: break
            s += k
        else:
            continue
        if s > 100: return s, n
    return s
""",
        [(3,), (30,)],
    ),
    "closures in comprehensions": (
        """
def f(n):
    fs = [lambda: i for i in range(n)]
    gs = [(lambda j=j: j) for j in range(n) if j != 1]
    named = {k: v for k, v in zip('ab', range(n))}
    return [g() for g in fs], [g() for g in gs], named, {v for v in range(n)}
""",
        [(3,)],
    ),
    "throwing into generators": (
        """
def f(n):
    def g():
        yield from (i for i in range(n))
        try:
            x = yield 7
        except KeyError: yield 'k'
    it = g()
    out = [next(it) for _ in range(n)]
    out.append(next(it)); out.append(it.throw(KeyError))
    return out
""",
        [(2,)],
    ),
    "a deleted cell": (
        """
def f(n):
    x = 1
    def g():
        return x
    if n:
        x = 5
        del x
    try: return g()
    except NameError as e: return str(e)
""",
        [(0,), (1,)],
    ),
    "builtins with keys and defaults": (
        """
def f(n):
    largest = max((i for i in range(n)), key=lambda v: -v, default=None)
    ordered = sorted("bca", key=str.lower, reverse=True)
    return sum(1 for _ in range(n)), largest, ordered, dict(a=1, **{'b': n})
""",
        [(0,), (3,)],
    ),
    "classes with private names and super": (
        """
class A:
    def __init__(self): self.__p = 3
    @staticmethod
    def s(x): return x
    @classmethod
    def c(cls, x): return cls.__name__, x
    @property
    def p(self): return self.__p
class B(A):
    def __init__(self):
        super().__init__()
        if self.p: self.__q = 4
    def get(self, n):
        r = []
        for i in range(n):
            r.append(super().p)
            r.append((lambda: self.__q)())
            r += [self.__q for _ in range(1)]
            def inner(): return self.__q, __class__.__name__
            r.append(inner())
        return r
def f(n):
    b = B()
    return b.get(n), B.s(1), B.c(2), b.c(3)
""",
        [(2,)],
    ),
    "locals and eval": (
        """
def f(n):
    def inner(): return locals()
    a = 1
    return inner(), sorted(globals())[:0], eval("1+1")
""",
        [(2,)],
    ),
    "a loop variable after its loop": (
        """
def f(n):
    x = 0
    for x in range(n): pass
    return x
""",
        [(0,), (4,)],
    ),
    "jumps in try of an endless loop": (
        """
def f(n):
    while True:
        try:
            n -= 1
            if n < 0: return "neg"
            if n == 5: raise KeyError
        except KeyError:
            return "key"
        else:
            continue
        finally:
            n -= 1
""",
        [(3,), (6,), (7,)],
    ),
    "a handler reads what a block assigned before it failed": (
        """
def f(c):
    x = 0
    try:
        if c:
            x = 1
            for k in [1]:
                x = 5
                int("q")
        x = 2
    except ValueError:
        return x
    return -x
""",
        [(0,), (1,)],
    ),
    "a suppressed exception leaves what was assigned": (
        """
def f(c):
    import contextlib
    x = 0
    with contextlib.suppress(ValueError):
        if c:
            x = 1
            for k in [1]: int("q")
        x = 2
    return x
""",
        [(0,), (1,)],
    ),
    "a finally reads what it binds": (
        """
def f(x):
    try:
        z = [1][x]
    finally:
        y = (y if x == 1 else 5) % 3
    return y + z
""",
        [(0,), (1,)],
    ),
    "a handler reads in a loop what was not bound": (
        """
def f(x):
    try:
        y = [1][x]
        y += 1
    except IndexError:
        for k in range(2):
            z = y + k
        return z
    while x < 1:
        x += y
    return x + y
""",
        [(0,), (1,)],
    ),
    "jumps in finally discard exceptions and jumps": (
        """
def f(x):
    total = 0
    for i in range(4):
        for j in range(3):
            try:
                if i == x:
                    return "early"
                total += [1, 2][j]
                if j == x:
                    break
            except KeyError:
                total = -1
            else:
                total += 10
            finally:
                total += 100
                continue
        try:
            int(x)
        finally:
            break
    try:
        return total, int("q")
    finally:
        return total
""",
        [(0,), (1,), (3,), ("q",)],
    ),
    "a jump in finally sees what was assigned": (
        """
def f(c):
    x = 0
    try:
        if c:
            x = 1
            for k in [1]: int("q")
        x = 2
    finally:
        if x == 1: return "one"
        print(x)
    return -x
""",
        [(0,), (1,)],
    ),
    "a closure sees what was assigned before it failed": (
        """
def f(c):
    x = 0
    def show(): return x
    try:
        while True:
            if c:
                x = 1
                for k in [1]: int("q")
            x = 2
            break
    except ValueError: pass
    return show()
""",
        [(0,), (1,)],
    ),
    "a break in the else of an inner loop": (
        """
def f(a, b):
    n = 0
    while n < 3:
        n += 1
        if a > 0:
            k = 0
            while k < 2:
                k += 1
                if b > 5:
                    raise KeyError(1)
            else:
                if b == 0:
                    break
                a = 7
        if b < 3:
            raise KeyError(n)
    return a
""",
        [(1, 0), (1, 6), (0, 0), (1, 2), (1, 4)],
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_converted_code_does_what_python_does(title):
    text, rows = CASES[title]
    plain = load(text, "f")
    converted = ag.autograph.convert()(plain)
    for row in rows:
        expected = outcome(plain, *copy.deepcopy(row))
        assert outcome(converted, *copy.deepcopy(row)) == expected


@pytest.mark.parametrize("kept, why", [("locals and eval", "locals()")])
def test_what_cannot_be_converted_runs_as_it_is_and_says_why(kept, why):
    plain = load(CASES[kept][0], "f")
    ag.autograph.convert()(plain)(*CASES[kept][1][0])
    assert why in str(ag.autograph.conversion_failure(plain))


@pytest.mark.slow
@pytest.mark.parametrize("arms", [2, 9, 10, 500])
def test_an_elif_chain_of_any_length(arms):
    lines = ["def f(x):", "    if x == 0:", "        y = 0"]
    for k in range(1, arms):
        lines += [f"    elif x == {k}:", f"        y = {k * k}"]
    plain = load("\n".join([*lines, "    return y", ""]), "f")
    converted = ag.autograph.to_graph(plain)
    for x in (0, 1, arms // 2, arms - 1, arms):
        assert outcome(converted, x) == outcome(plain, x)


@pytest.mark.slow
def test_a_match_of_many_cases():
    lines = ["def f(x):", "    match x:"]
    lines += [f"        case {k} | 'v{k}': return {k}" for k in range(300)]
    plain = load("\n".join([*lines, ""]), "f")
    converted = ag.autograph.to_graph(plain)
    for x in (0, 299, "v7", None):
        assert converted(x) == plain(x)
