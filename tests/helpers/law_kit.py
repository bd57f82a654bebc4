"""Running one source text in several ways, and the laws that bind them."""

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


def load(source: str, name: str = "program"):
    """The function of a source text, which stays readable like that of a file."""
    file = f"<random program {next(_count)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"__name__": "random_programs"}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


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
    for inputs in INPUTS:
        found = outcome(lambda *given: int(decorated(*given)), *map(ag.constant, inputs))
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
