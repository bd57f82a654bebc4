"""Arithmetic in finite fields, codes, and polynomials."""

import galois
import numpy as np

from . import attempt

ORDERS = (2, 7, 2**4, 3**3, 31, 2**8)


def use_fields():
    for order in ORDERS:
        field = galois.GF(order, compile="jit-calculate" if order > 4 else None)
        x, y = field.Random(6, low=1, seed=1), field.Random(6, low=1, seed=2)
        for operation in (
            lambda: x + y,
            lambda: x * y,
            lambda: x / y,
            lambda: x**3,
            lambda: np.log(x),
            lambda: np.outer(x, y),
            lambda: np.convolve(x, y),
            lambda: np.linalg.inv(field.Random((3, 3), seed=3)),
        ):
            attempt(operation)


def use_polynomials():
    for order in (2, 7, 2**4):
        one = galois.Poly.Random(5, field=galois.GF(order), seed=1)
        other = galois.Poly.Random(3, field=galois.GF(order), seed=2)
        for operation in (
            lambda: one * other,
            lambda: one // other,
            lambda: one % other,
            lambda: pow(one, 5, other),
            lambda: galois.gcd(one, other),
            lambda: one(galois.GF(order)([0, 1])),
            one.roots,
        ):
            attempt(operation)


def use_codes():
    for code in (galois.ReedSolomon(15, 9), galois.BCH(15, 7), galois.Hamming(3)):
        message = code.field.Random((2, code.k), seed=1)
        word = attempt(code.encode, message)
        if word is not None:
            word[:, 3] += word.__class__(1)
            attempt(code.decode, word)
    register = attempt(galois.FLFSR, galois.primitive_poly(2, 7), state=[1] * 7)
    attempt(getattr(register, "step", None), 20)
    attempt(galois.berlekamp_massey, galois.GF(2)([1, 0, 1, 1, 0, 1, 1, 0]))
