"""Orbits: elements, angles, propagation, maneuvers."""

import importlib
import pkgutil

import numpy as np
from hapsira import core

from . import attempt, call_all

K = 398600.4418
R, V = np.array([6045.0, 3490.0, 0.0]), np.array([-2.457, 6.618, 2.533])
ELEMENTS = (11000.0, 0.2, 0.4, 1.1, 0.7, 0.3)


def modules():
    for info in pkgutil.walk_packages(core.__path__, "hapsira.core."):
        module = attempt(importlib.import_module, info.name)
        if module is not None:
            yield module
    for name in ("hapsira._math.linalg", "hapsira._math.special"):
        yield importlib.import_module(name)


def use_propagation():
    from hapsira.core import propagation

    for name in ("vallado", "farnocchia_rv", "mikkola", "markley", "pimienta", "gooding", "danby",
                 "recseries"):  # fmt: skip
        function = getattr(propagation, name, None)
        for seconds in (600.0, 6000.0):
            attempt(function, K, R, V, seconds)
            attempt(function, K, R, V, seconds, 50)
            attempt(function, K, R, V, seconds, 50, 1e-8)
    for name in ("farnocchia_coe", "mikkola_coe", "markley_coe", "pimienta_coe", "gooding_coe",
                 "danby_coe", "recseries_coe"):  # fmt: skip
        attempt(getattr(propagation, name, None), K, *ELEMENTS, 600.0)


def use_elements():
    for module in modules():
        call_all(module, K, R, V)
        call_all(module, K, *ELEMENTS)
        call_all(module, *ELEMENTS)
        call_all(module, R, V)
        call_all(module, R)


def use_numbers():
    for module in modules():
        for count in range(1, 6):
            call_all(module, *(0.3, 0.2, 0.7, 0.4, 0.6)[:count])
        call_all(module, K, 7000.0, 42000.0)
        call_all(module, K, 7000.0)
        call_all(module, 7000.0, 42000.0, 0.1, 0.3)


def use_transfers():
    from hapsira.core import iod, maneuver

    attempt(maneuver.hohmann, K, R, V, 42000.0)
    attempt(maneuver.bielliptic, K, R, V, 60000.0, 42000.0)
    target = np.array([12214.8, 10249.5, 2000.0])
    for short in (True, False):
        attempt(iod.vallado, K, R, target, 4560.0, 0, short, True, 35, 1e-8)
        attempt(iod.izzo, K, R, target, 4560.0, 0, short, True, 35, 1e-8)
