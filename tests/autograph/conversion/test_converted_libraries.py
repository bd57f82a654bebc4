"""Whole modules of the standard library, converted function by function, do what they did."""

import importlib.util
import inspect
import json
import random
import sys
import types
from unittest import mock

import pytest

import allograph as ag

pytestmark = pytest.mark.slow


def pure_module(name: str):
    """A fresh copy of a module, without the parts that are written in C."""
    file = importlib.import_module(name).__file__
    spec = importlib.util.spec_from_file_location("converted_" + name, file)
    module = importlib.util.module_from_spec(spec)
    module.__package__ = name.rpartition(".")[0]
    without_c = dict.fromkeys(["_bisect", "_heapq", "_json", "_statistics"])
    with mock.patch.dict(sys.modules, {**without_c, spec.name: module}):
        spec.loader.exec_module(module)
    return module


def converted_module(name: str):
    """The same with every function in it replaced by its converted form."""
    module = pure_module(name)
    count = sum(convert_members(module, owner) for owner in [module, *classes_of(module)])
    assert count
    return module


def classes_of(module):
    return [one for one in vars(module).values() if is_own(module, one, type)]


def is_own(module, thing, kind):
    return isinstance(thing, kind) and thing.__module__ == module.__name__


def convert_members(module, owner) -> int:
    """How many functions of a module or class were replaced."""
    count = 0
    for key, member in list(vars(owner).items()):
        wrap = type(member) if isinstance(member, (classmethod, staticmethod)) else lambda f: f
        function = getattr(member, "__func__", member)
        if not is_own(module, function, types.FunctionType):
            continue
        try:
            made = ag.autograph.to_graph(function)
        except Exception as error:
            assert "run as they are" in str(error) or "no source" in str(error), error
            continue
        assert inspect.signature(made) == inspect.signature(function)
        setattr(owner, key, wrap(made))
        count += 1
    return count


def assert_same_outcomes(name: str, calls):
    """`calls(module)` gives thunks; each does the same with the converted module."""
    original, converted = pure_module(name), converted_module(name)
    pairs = list(zip(calls(original), calls(converted), strict=True))
    assert pairs
    for one, other in pairs:
        assert outcome(other) == outcome(one)


def outcome(call):
    try:
        return "returns", repr(call())
    except Exception as error:
        return "raises", type(error).__name__, str(error)


TEXT = (
    "The quick brown fox, half-hearted, jumps over the lazy dog.  It does so again!\n\n\tAnd\nagain"
)


def test_textwrap():
    def calls(module):
        for width in (1, 7, 20, 70):
            yield lambda width=width: module.wrap(TEXT, width)
            yield lambda width=width: module.fill(
                TEXT, width, initial_indent="* ", break_long_words=False, max_lines=3
            )
        yield lambda: module.dedent("  a\n    b\n\n  c")
        yield lambda: module.indent(TEXT, "> ")
        yield lambda: module.shorten(TEXT, 30)
        yield lambda: module.wrap(TEXT, 0)

    assert_same_outcomes("textwrap", calls)


def test_bisect_and_heapq():
    def bisect_calls(module):
        rows = [1, 2, 2, 5, 9]
        for x in range(11):
            yield lambda x=x: module.bisect_left(rows, x)
            yield lambda x=x: module.bisect_right(rows, x, 1, 4)
        yield lambda: module.bisect_left(rows, 3, -1)

    assert_same_outcomes("bisect", bisect_calls)

    def heap_calls(module):
        rows = [random.Random(5).randrange(100) for _ in range(40)]

        def ordered():
            heap = list(rows)
            module.heapify(heap)
            module.heappush(heap, 50)
            module.heapreplace(heap, 3)
            return [module.heappop(heap) for _ in range(len(heap))]

        yield ordered
        yield lambda: list(module.merge([1, 4, 7], [2, 3, 9], reverse=False))
        yield lambda: module.nlargest(5, rows, key=lambda x: -x)
        yield lambda: module.nsmallest(5, rows)
        yield lambda: module.heappop([])

    assert_same_outcomes("heapq", heap_calls)


def test_colorsys():
    def calls(module):
        for r in (0.0, 0.3, 1.0):
            for g in (0.1, 0.3):
                yield lambda r=r, g=g: module.rgb_to_hsv(r, g, 0.7)
                yield lambda r=r, g=g: module.hsv_to_rgb(r, g, 0.7)
                yield lambda r=r, g=g: module.rgb_to_hls(r, g, 0.7)
                yield lambda r=r, g=g: module.hls_to_rgb(r, g, 0.7)
                yield lambda r=r, g=g: module.yiq_to_rgb(r, g, 0.7)

    assert_same_outcomes("colorsys", calls)


def test_fractions():
    def calls(module):
        make = module.Fraction
        for a, b in [(3, 4), (-7, 3), (0, 5), (10, -4)]:
            yield lambda a=a, b=b: make(a, b)
            yield lambda a=a, b=b: make(a, b) + make(1, 3) - make(2, b) * make(a, 7)
            yield lambda a=a, b=b: make(a, b) // make(2, 7)
            yield lambda a=a, b=b: (make(a, b) ** 3, round(make(a, b), 1), hash(make(a, b)))
            yield lambda a=a, b=b: make(a, b) < make(1, 2) or make(a, b) == 0.75
        for text in ("3/4", " -1.5e3 ", "x", "7", "1/0"):
            yield lambda text=text: make(text)
        yield lambda: make(3.25).limit_denominator(3)
        yield lambda: make(1, 0)

    assert_same_outcomes("fractions", calls)


def test_statistics():
    def calls(module):
        rows = [1.5, 2.5, 2.5, 8.0, -3.25]
        for name in ("mean", "median", "mode", "stdev", "pvariance", "median_low", "multimode"):
            yield lambda name=name: getattr(module, name)(rows)
            yield lambda name=name: getattr(module, name)([])
        yield lambda: module.quantiles(rows, n=4)
        yield lambda: module.harmonic_mean([40, 60])
        yield lambda: module.NormalDist(100, 15).inv_cdf(0.3)
        yield lambda: module.linear_regression([1, 2, 3], [2, 4, 7])
        yield lambda: module.correlation([1, 2, 3], [2, 4, 7])

    assert_same_outcomes("statistics", calls)


def test_json():
    texts = [
        '{"a": [1, 2.5, -3e2, true, null], "b": {"c": "x\\u00e9\\n"}}',
        "[]",
        "[1,",
        "{1: 2}",
        "nul",
    ]

    def calls(module):
        decoder = module.JSONDecoder()
        decoder.parse_string = module.py_scanstring
        for text in texts:
            yield lambda text=text: decoder.decode(text)

    assert_same_outcomes("json.decoder", calls)

    def encoder_calls(module):
        encoder = module.JSONEncoder(indent=1, sort_keys=True)
        for text in texts[:2]:
            value = json.loads(text)
            yield lambda value=value: encoder.encode(value)
        yield lambda: encoder.encode({1: object()})

    assert_same_outcomes("json.encoder", encoder_calls)


def test_difflib():
    one, other = "a b c d e f".split(), "a c d x e g f".split()

    def calls(module):
        yield lambda: list(module.unified_diff(one, other))
        yield lambda: list(module.ndiff(one, other))
        yield lambda: module.SequenceMatcher(None, one, other).get_opcodes()
        yield lambda: module.SequenceMatcher(None, "abcd", "bcde").ratio()
        yield lambda: module.get_close_matches("appel", ["ape", "apple", "peach"])

    assert_same_outcomes("difflib", calls)


@pytest.mark.parametrize("name", ["shlex", "string", "fnmatch", "posixpath", "calendar", "copy"])
def test_other_modules(name):
    calls = {
        "shlex": lambda m: [
            lambda: m.split("a 'b c' \"d\\\"e\" # f", comments=True), lambda: m.split("'open"),
            lambda: m.join(["a b", "c"]),
        ],
        "string": lambda m: [
            lambda: m.capwords("a bC  d"), lambda: m.Template("$a ${b} $$").substitute(a=1, b=2),
            lambda: m.Formatter().format("{0!r:>{w}} {x[1]}", "q", w=6, x=[1, 2]),
            lambda: m.Template("$a").substitute(),
        ],
        "fnmatch": lambda m: [
            lambda: m.filter(["a.py", "b.txt", "ab.py"], "a*.[!t]y"),
            lambda: m.translate("[!a-c]?*"),
        ],
        "posixpath": lambda m: [
            lambda: m.normpath("/a/./b/../../c//d"), lambda: m.join("a", "/b", "c", ""),
            lambda: m.relpath("/a/b", "/a/c/d"), lambda: m.commonpath(["/a/b/c", "/a/b"]),
            lambda: m.splitext("x.tar.gz"), lambda: m.commonpath([]),
        ],
        "calendar": lambda m: [
            lambda: m.TextCalendar().formatmonth(2024, 2), lambda: m.monthrange(2023, 13),
            lambda: list(m.Calendar(3).itermonthdates(2021, 3))[:9],
        ],
        "copy": lambda m: [
            lambda: m.deepcopy({"a": [1, (2, [3])]}), lambda: m.copy([1, {}]),
        ],
    }[name]  # fmt: skip
    assert_same_outcomes(name, calls)
