"""Identifiers use the field's words: the glossary is docs/glossary.md."""

import ast
import collections
import io
import re
import tokenize
from pathlib import Path

import pytest
from source_tree import ROOMS, modules, nodes_of

ROOT = Path(__file__).parents[2]
CORE = modules("autograph", "tracing", "runtime")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Words that once stood for iteration, chunk, source, dtype, hint, spin-wait, error state... Where
# they are others' words they may stay: `kind` of NumPy's data types and of the parameters in
# `inspect`, as an argument of NumPy's sorts, `write_text` of pathlib, `as_text`
# of XLA, Keras's TextVectorization.
PRIVATE = re.compile(
    r"(?:^|_)(turns?|pieces?|linger|quieten|quietly|standing|wild|freely|late_start|wide_start"
    r"|by_identity|as_array|kinds?|texts?|marks?)(?:_|$)",
    re.IGNORECASE,
)
OTHERS = re.compile(
    r"\.\s*(?:kind|read_text|write_text|text)\b|\b(?:as_text|normalize_ir_text|text_vectorization)\b|\bkind=(?:None|kind|\"stable\"|\w+Error)|\btext=True"
)
MOST_PRIVATE_WORDS = 10  # only ever lowered; `kind` in saved graphs is among them
MOST_FOREIGN_PRIVATE_ATTRIBUTES = 40  # only ever lowered
# Names that do not say what they stand for. A local is named after what it is.
VAGUE = {"one", "found", "made", "given"}
MOST_FUNCTIONS_WITH_VAGUE_LOCALS = 0  # of the core
# Identifiers that have other names now, by which the field knows what they stand for.
GONE = set(
    """Over Within AlsoWithin ViewOf NotMade with_room own_rows deaths_in dying outlived_slices
    never_ends readers_first taken_apart put_together OneOf Places is_lent low_bits sole_in
    Alternative Growth Watch Holders Shared minding is_minded note_twice renewed_by SPENT
    refuse_effects users_words _Late RLockAfterNumba""".split()
)
# Docstrings that begin with a question, in place of what a function gives.
MOST_DOCSTRINGS_THAT_ASK_WHAT = 120  # of the core; only ever lowered
MOST_FUNCTIONS_OF_ONE_NAME = 9  # of the core, with one underscore; only ever lowered
# The underscores of named tuples and of syntax trees are documented names of Python's. `new` is an
# object that a class makes of itself, `other` one that it compares with itself.
FOREIGN_PRIVATE = re.compile(
    r"(?<!self)(?<!cls)(?<!sys)(?<!super\(\))(?<!\bnew)(?<!\bmade)(?<!\bother)"
    r"\._(?!replace\b|asdict\b|fields\b|make\b|attributes\b)[a-z]\w*"
)


def sources():
    return [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def private_words():
    """How many files have each identifier with a private word in it."""
    found = collections.Counter()
    for path in sources():
        text = OTHERS.sub("", path.read_text("utf-8"))
        if not any(map(PRIVATE.search, set(re.findall(r"\w+", text)))):
            continue  # not in its comments either
        lines = io.StringIO(text)
        names = {one.string for one in tokenize.generate_tokens(lines.readline) if one.type == 1}
        found.update(name for name in names if PRIVATE.search(name))
    return found


@pytest.mark.slow
def test_private_words_in_identifiers_only_become_fewer():
    found = private_words()
    assert sum(found.values()) <= MOST_PRIVATE_WORDS, found.most_common(20)


@pytest.mark.slow
def test_private_attributes_of_other_files_only_become_fewer():
    count = sum(len(FOREIGN_PRIVATE.findall(path.read_text("utf-8"))) for path in sources())
    assert count <= MOST_FOREIGN_PRIVATE_ATTRIBUTES


def locals_of(function) -> set[str]:
    """The parameters of a function, and the names that it assigns, without those of functions in
    it.
    """
    names = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    body = function.body if isinstance(function.body, list) else [function.body]
    left = [node for node in body if not isinstance(node, FUNCTIONS)]
    for node in left:  # which grows: a worklist
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        inner = ast.iter_child_nodes(node)
        left += [child for child in inner if not isinstance(child, FUNCTIONS)]
    return names


FUNCTIONS = (*DEFINITIONS, ast.Lambda)


@pytest.mark.slow
def test_functions_with_vague_locals_only_become_fewer():
    counts = collections.Counter(
        path.parent.relative_to(ROOT).as_posix()
        for room in ("autograph", "tracing", "runtime")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, FUNCTIONS) and locals_of(node) & VAGUE
    )
    assert counts.total() <= MOST_FUNCTIONS_WITH_VAGUE_LOCALS, counts.most_common(12)


def test_names_that_have_others_now_stay_away():
    pattern = re.compile(rf"\b(?:{'|'.join(GONE)})\b")
    for path in sources():
        if pattern.search(path.read_text("utf-8")):
            nodes = nodes_of(path)
            names = {node.id for node in nodes if isinstance(node, ast.Name)}
            names |= {node.name for node in nodes if isinstance(node, (*DEFINITIONS, ast.ClassDef))}
            assert not names & GONE, path


def test_docstrings_that_begin_with_a_question_only_become_fewer():
    documented = (ast.Module, ast.ClassDef, *DEFINITIONS)
    docstrings = [
        ast.get_docstring(node) or ""
        for path in CORE
        for node in nodes_of(path)
        if isinstance(node, documented)
    ]
    asking = [text for text in docstrings if text.startswith("What ")]
    assert len(asking) <= MOST_DOCSTRINGS_THAT_ASK_WHAT, len(asking)


def test_the_name_of_a_helper_means_few_things():
    homes = collections.defaultdict(set)
    for path in CORE:
        for node in nodes_of(path):
            if isinstance(node, DEFINITIONS) and re.match(r"_[a-z]", node.name):
                homes[node.name].add(path)
    name, paths = max(homes.items(), key=lambda row: len(row[1]))
    assert len(paths) <= MOST_FUNCTIONS_OF_ONE_NAME, name
