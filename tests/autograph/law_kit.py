"""Running one source text in several ways."""

import itertools
import linecache
import os

from hypothesis import settings

_count = itertools.count()


def programs(count: int) -> settings:
    """How many random programs a test runs: `count`, or as many as `make fuzz` says."""
    return settings(max_examples=int(os.environ.get("FUZZ_PROGRAMS", count)))


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
