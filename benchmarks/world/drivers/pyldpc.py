"""Error-correcting codes."""

import numpy as np
import pyldpc

from . import attempt


def use_codes():
    checks, generator = pyldpc.make_ldpc(15, 4, 5, systematic=True, sparse=True, seed=0)
    message = np.random.default_rng(0).integers(0, 2, generator.shape[1])
    received = pyldpc.encode(generator, message, 20, seed=0)
    for _ in range(2):
        decoded = attempt(pyldpc.decode, checks, received, 20)
        attempt(pyldpc.get_message, generator, decoded)
