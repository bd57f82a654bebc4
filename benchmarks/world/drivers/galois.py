"""Arithmetic in finite fields, codes, and polynomials."""

import operator

import galois
import numpy as np

from . import attempt

ORDERS = (2, 7, 2**4, 3**3, 31, 2**8)


def use_fields():
    for order in ORDERS:
        field = galois.GF(order, compile="jit-calculate" if order > 4 else None)
        x, y = field.Random(6, low=1, seed=1), field.Random(6, low=1, seed=2)
        for operation in (operator.add, operator.mul, operator.truediv, np.outer, np.convolve):
            attempt(operation, x, y)
        attempt(operator.pow, x, 3)
        attempt(np.log, x)
        attempt(np.linalg.inv, field.Random((3, 3), seed=3))


def use_polynomials():
    for order in (2, 7, 2**4):
        field = galois.GF(order)
        one, other = galois.Poly.Random(5, field=field), galois.Poly.Random(3, field=field)
        for operation in (operator.mul, operator.floordiv, operator.mod, galois.gcd):
            attempt(operation, one, other)
        attempt(pow, one, 5, other)
        attempt(one, field([0, 1]))
        attempt(one.roots)


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
