"""`np.einsum`: products of several arrays are made of products of two."""

from __future__ import annotations

import numpy as np


def in_pairs(subscripts, *operands, **options):
    """`np.einsum` of two operands at a time, in an order that costs little.

    Letters that neither another operand nor the result has are summed over at once.
    """
    if type(subscripts) is str and len(operands) == 1 and not options:
        order = _order_of(subscripts)
        if order is not None:
            return operands[0].transpose(order)
        if operands[0].ndim == 2 and subscripts.replace(" ", "") == "ii->i":
            return operands[0].reshape(-1)[:: operands[0].shape[1] + 1]
    if type(subscripts) is str and not options and any(map(_has_repeated, subscripts.split(","))):
        terms, result = _terms_of(subscripts.replace(" ", ""))
        terms, arrays = zip(*map(_on_diagonal, terms, operands), strict=True)
        return np.einsum(f"{','.join(terms)}->{result}", *arrays)
    if not _has_pairs(subscripts, operands, options):
        return NotImplemented
    dtype = np.result_type(*(array.dtype for array in operands))
    terms, result = _terms_of(subscripts.replace(" ", ""))
    arrays = [array if array.dtype == dtype else array.astype(dtype) for array in operands]
    samples = [np.broadcast_to(np.zeros(()), array.shape) for array in operands]
    equation = f"{','.join(terms)}->{result}"
    for picked in np.einsum_path(equation, *samples, optimize="greedy")[0][1:]:
        taken = [(terms.pop(at), arrays.pop(at)) for at in sorted(picked, reverse=True)][::-1]
        while len(taken) > 1:
            (left, first), (right, second), *taken = taken
            needed = {*result, *"".join(terms), *"".join(term for term, _ in taken)}
            kept = "".join(dict.fromkeys(name for name in left + right if name in needed))
            kept = kept if terms or taken else result
            taken = [(kept, np.einsum(f"{left},{right}->{kept}", first, second)), *taken]
        terms.append(taken[0][0])
        arrays.append(taken[0][1])
    return arrays[0]


def _has_repeated(term: str) -> bool:
    letters = term.partition("->")[0].replace(" ", "")
    return letters.isalpha() and len(set(letters)) < len(letters)


def _on_diagonal(term: str, array) -> tuple:
    """A term without repeated letters, and the elements whose indices of these are equal."""
    for letter in sorted({one for one in term if term.count(one) > 1}):
        axes = [at for at, one in enumerate(term) if one == letter]
        others = [at for at in range(len(term)) if at not in axes]
        size, rest = array.shape[axes[0]], [array.shape[at] for at in others]
        step = sum(size**power for power in range(len(axes)))
        array = array.transpose(axes + others).reshape(-1, *rest)[::step]
        term = letter + "".join(term[at] for at in others)
    return term, array


def _order_of(subscripts) -> list[int] | None:
    """The order of axes that a sum of one array is a view in; None where it is no view."""
    (term,), result = _terms_of(subscripts.replace(" ", ""))
    is_order = len(set(term)) == len(term) and sorted(term) == sorted(result) and term.isalpha()
    return [term.index(name) for name in result] if is_order else None


def _has_pairs(subscripts, operands: tuple, options: dict) -> bool:
    """Whether it is a plain product of more than two arrays."""
    if type(subscripts) is not str or len(operands) < 3 or "." in subscripts:
        return False
    if subscripts.count(",") != len(operands) - 1 or not options.keys() <= {"optimize"}:
        return False
    return all(type(size) is int for array in operands for size in array.shape)


def _terms_of(subscripts: str) -> tuple[list[str], str]:
    inputs, arrow, result = subscripts.partition("->")
    if not arrow:
        letters = inputs.replace(",", "")
        result = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    return inputs.split(","), result
