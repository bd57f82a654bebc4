"""Elementary functions as branch-free formulas over LLVM values, which may be vectors."""

# A formula takes and returns `Number`s. Formulas of float32 that need more than its precision
# compute in float64 with the short "WIDE" polynomials. docs/math.md shows errors and speed.

from __future__ import annotations

from . import (
    angles,
    circular,
    error_function,
    exponential,
    logarithm,
    power,
    reduction_steps,
)

MODULES = (exponential, logarithm, error_function, circular, angles, power)
FORMULAS = {formula.__name__: formula for module in MODULES for formula in module.FORMULAS}
STEPS = {formula.__name__: formula for formula in reduction_steps.FORMULAS}
