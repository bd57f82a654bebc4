"""Running one source text in several ways, and the laws that bind them."""

import functools
import itertools
import linecache
import os

from example_counts import examples
from execution_modes import pinned
from hypothesis import settings
from program_generator import program

import allograph as ag

INPUTS = [(0, 0, 0), (1, -2, 3), (-7, 5, 50), (13, 13, -1)]
_count = itertools.count()


def programs(count: int) -> settings:
    """How many random programs a test runs; `FUZZ_PROGRAMS` in the environment overrules it."""
    wanted = os.environ.get("FUZZ_PROGRAMS")
    return settings(max_examples=int(wanted)) if wanted else examples(count)


@functools.lru_cache(maxsize=16)
def load(source: str, name: str = "program"):
    """The function of a source text, which stays readable like that of a file.

    What stands above `def program` is the same in many programs, so it is executed once: then its
    functions are also converted once.
    """
    head, separator, rest = source.rpartition("\n\n\ndef program(")
    scope = dict(_executed_head(head)) if separator else {"__name__": "random_programs"}
    text = f"def program({rest}" if separator else source
    _execute(text, f"<random program {next(_count)}>", scope)
    return scope[name]


@functools.cache
def _executed_head(head: str) -> dict:
    scope = {"__name__": "random_programs"}
    _execute(head, f"<head {next(_count)}>", scope)
    return scope


def _execute(source: str, file: str, scope: dict) -> None:
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), scope)


def forget_programs() -> None:
    """Drop the source texts of programs that have run."""
    for file in [file for file in list(linecache.cache) if " program " in file]:
        del linecache.cache[file]


def outcome(function, *args):
    """What a call does: ("returns", value), or ("raises", class, message)."""
    try:
        return "returns", function(*args)
    except Exception as error:
        return "raises", type(error), str(error)


def assert_converted_is_python(seed: int, raises: bool = False) -> None:
    """Converted, a random program gives and raises what it does plain."""
    plain = load(program(seed, raises=raises))
    converted = ag.autograph.to_graph(plain)
    for inputs in INPUTS:
        assert outcome(converted, *inputs) == outcome(plain, *inputs)


def assert_graph_raises_as_python(seed: int, native: bool) -> None:
    """A random program's graph returns, or raises the same exception, where Python does."""
    source = program(seed, lists=not native, raises=True, catches=False)
    plain = load(source)
    features = ag.autograph.experimental.Feature.ALL
    decorated = ag.function(plain, experimental_autograph_options=features, **pinned(native))
    refused = None  # by the trace, which the numbers of the other calls do not change
    for inputs in INPUTS:
        called = lambda *given: int(decorated(*given))
        found = refused or outcome(called, *map(ag.constant, inputs))
        if found[0] == "raises" and not decorated.experimental_get_tracing_count():
            refused = found
        expected = outcome(plain, *inputs)
        if any(sign in str(found[-1]) for sign in ("in user code:", "Tensor(")):
            found, expected = found[:2], expected[:2]  # no tensor decides: raised while tracing
        assert found == expected, source


def assert_eager_is_python(seed: int) -> None:
    """On eager tensors, unconverted, a random program gives what it does on integers."""
    plain = load(program(seed))
    for inputs in INPUTS:
        assert int(plain(*map(ag.constant, inputs))) == plain(*inputs), program(seed)


def assert_graph_is_python(seed: int, native: bool) -> None:
    """A random program's graph, on NumPy or `native`, gives what the program does."""
    source = program(seed, lists=not native)
    plain = load(source)
    features = ag.autograph.experimental.Feature.ALL
    decorated = ag.function(plain, experimental_autograph_options=features, **pinned(native))
    for inputs in INPUTS:
        assert int(decorated(*map(ag.constant, inputs))) == plain(*inputs), source
