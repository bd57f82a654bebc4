"""The core (autograph, tracing, runtime) only shrinks: a new case is a question to the mechanism.

Each number is only ever lowered. A change that needs more of something takes it from elsewhere, or
argues for it in `LINES`.
"""

import ast
import fnmatch
import re
import tomllib

from source_tree import ROOT, modules, nodes_of

# What only a GPU needs is no part of the core: nothing outside imports it before one is asked for.
CORE = [
    path
    for path in modules("autograph", "tracing", "runtime")
    if not path.is_relative_to(ROOT / "runtime/gpu")
]
STAGING = modules("autograph", "tracing")

LINES = {
    "at the start of this table": 95_247,
    "names of older programs are a room of the library": -590,
    "an index of public names in place of imports in order": -89,
    "draws of one number, with arrays as parameters, of gamma and Poisson numbers are native": 311,
    "digamma, nextafter, recurrences of logarithms and other operations have native forms": 105,
    "rows of arrays that counted loops extend; functions that a tensor chooses; shared traces": 592,
    "NumPy says of samples what its functions give, in place of checks by hand": 357,
    "questions about values of a trace, and calls that interrupt one": 315,
    "whether a kernel fails after changes follows from its statements": 158,
    "heaps, deques, hash tables and random generators are plain Python in a room of its own": -576,
    "one opener of files; state that no guard sees; byte orders": 117,
    "gradients at kinks, ties, zeros and masked elements": 108,
    "one table of thresholds": 49,
    "reasons in the words of users": 115,
    "one table of passes, and `explain --passes`, which prints it": 10,
    "each trace has its own stager": -19,
    "one table of NumPy functions and builtins": -194,
    "Numba is a backend in a room of its own": -2_807,
    "operations that the core does not need are the library's": -2_335,
    "extension types are the library's": -602,
    "assertions about values, and clipping, are the library's": -293,
    "types of builders, frames and records are written down": 19,
    "convolution and pooling are the library's, with their native code": -2_050,
    "a stager is eleven methods, which others implement from their docstrings": 17,
    "names are carried through staged statements by one class for each way": -72,
    "records say what a trace chose and notes, and why it is made again": 59,
    "tensors of dropped nodes are out of scope; operators of what stands for a bool": 10,
    "values of a trace are compared and made arrays by Python alone": 6,
    "formulas of complex numbers are NumPy's at zeros, infinities and NaN": 31,
    "what explains, times and lists functions and kernels is the library's": -1_103,
    "calls of traces are tested, run and arranged by one function of C": 866,
    "truth of None, lines of inspect, logs, long programs; what random programs found": 226,
    "linear systems, special functions, strings, readers of graphs: the library's": -4_220,
    "lists keep their identity while their items move into the graph": 164,
    "numbers of two types, arrays of computed sizes, methods of ufuncs are native": 276,
    "complex numbers of tensors are native": 79,
    "questions about values that only the graph knows; checks at the end of traces": 127,
    "what a loop adds up is bounded by the ranges of integers; blocks of kernels are contexts": -89,
    "places of functions, names of operations in the index, files that are missing": -15,
    "draws of random numbers are the library's, with their native code": -770,
    "iterators, ranges and None as values, slices and enums, nodes in place of text": 69,
    "numbers of kernels take the type of their literals, arrays restored by the function of C": -27,
    "NumPy functions in terms of public operations are the library's": -1_242,
    "derivatives of unknown rows, one walk that finds the elements of stacks": 226,
    "complex numbers of three types, errors of questions on what stands for values": 113,
    "numbers that some paths alone assign to a name are native": 52,
    "operators of LLVM values and types of literals are rows, names of older programs moved": -61,
    "functions in tables take parameters before operands, modules that are one idea are one": -304,
    "constant lengths are found where indices are proved, kernels are NumPy's by their names": -193,
    "a trace puts back what it changed where other threads wait": 12,
}
MOST_CONTEXT_VARIABLES = 2  # of autograph and tracing: the trace, and the features that are on
MOST_METHODS_OF_THE_STAGER = 11  # a backend implements each
MOST_CLASSES_THAT_END_A_TRACE = 4
LEAST_SHARE_OF_CHECKED_LINES = 0.85  # of the core; pyproject.toml lists the modules left out
MOST_MODULES_OF_THE_SURFACE = 10  # of `extend/`, which `library/` stands on


def occurrences(pattern, paths):
    return sum(len(re.findall(pattern, path.read_text("utf-8"))) for path in paths)


def test_the_core_has_no_more_lines():
    assert sum(len(path.read_text("utf-8").splitlines()) for path in CORE) <= sum(LINES.values())


def test_mypy_checks_most_lines_of_the_core():
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"][
        "overrides"
    ]
    left_out = [name for row in tables if row.get("ignore_errors") for name in row["module"]]
    lines = {
        ".".join(("allograph", *path.relative_to(ROOT).with_suffix("").parts)): len(
            path.read_text("utf-8").splitlines()
        )
        for path in CORE
    }
    checked = [
        count
        for name, count in lines.items()
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in left_out)
    ]
    assert sum(checked) >= LEAST_SHARE_OF_CHECKED_LINES * sum(lines.values())


def test_a_trace_is_spread_over_no_more_context_variables():
    assert occurrences(r"\bContextVar\(", STAGING) <= MOST_CONTEXT_VARIABLES


def test_no_more_exceptions_end_a_trace():
    """Classes below BaseException, which user code that catches every Exception does not catch."""
    bases = {
        node.name: [ast.unparse(base) for base in node.bases]
        for path in STAGING
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef)
    }

    def ends_a_trace(name):
        return name == "BaseException" or any(map(ends_a_trace, bases.get(name, ())))

    assert len(list(filter(ends_a_trace, bases))) <= MOST_CLASSES_THAT_END_A_TRACE


def test_the_stager_protocol_has_no_more_methods():
    (protocol,) = (
        node
        for node in nodes_of(ROOT / "autograph/stager.py")
        if isinstance(node, ast.ClassDef) and node.name == "Stager"
    )
    methods = [node for node in protocol.body if isinstance(node, ast.FunctionDef)]
    assert len(methods) <= MOST_METHODS_OF_THE_STAGER


def test_the_library_imports_no_module_of_the_core():
    assert not imported_by_the_library()


def test_the_surface_for_extensions_is_a_handful_of_modules():
    files = [path for path in modules("extend") if path.name != "__init__.py"]
    assert len(files) <= MOST_MODULES_OF_THE_SURFACE


def imported_by_the_library() -> set[str]:
    """The modules of the core that files of the library import, anywhere in them."""
    known = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in CORE}
    imported = set()
    for path in modules("library"):
        package = path.relative_to(ROOT).parent.parts
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and node.level:
                stem = [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
                names = [".".join([*stem, alias.name]) for alias in node.names]
                imported.update(name if name in known else ".".join(stem) for name in names)
    return {name for name in imported if name.split(".")[0] in ("autograph", "tracing", "runtime")}
