"""Addresses of the external symbols of kernels: Python, the C library, SciPy's BLAS and LAPACK,
Numba's functions of mathematics, the words that kernels share with Python, and the functions that
kernels share with one another.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable

from .shared_words import WORDS

LIBRARIES = ("blas", "lapack")
# Other users of LLVM in this process may bind names of Python's to addresses of their own.
PREFIX = "allograph."
FAILURE = "PyExc_ArithmeticError"  # the exception of a kernel that failed
MISMATCH = PREFIX + "mismatch"  # the class of exceptions MismatchError
NUMPY = PREFIX + "numpy."  # the prefix of the addresses of NumPy's classes, and of `dtype.CLASS`
NUMPY_C = PREFIX + "numpy_c."  # the prefix of functions of NumPy's C interface
# Their indices in the table of this interface, which are the same in all versions.
NUMPY_C_FUNCTIONS = {"CopyInto": 50, "Scalar": 60, "Empty": 184, "GetArrFuncs": 365}
NUMPY_SORT = PREFIX + "numpy_sort."  # the prefix of NumPy's sorts of a data type
QUICKSORT = 33  # where a data type of NumPy's has the address of its sort
LINEAR_ALGEBRA = PREFIX + "linear_algebra."  # the prefix of functions of BLAS and LAPACK
NUMBA = "numba_"  # the prefix of functions of mathematics that Numba brings, as it names them
NUMBA_MODULE = "_helperlib"  # of Numba, which has their addresses
SHARED_WORDS = PREFIX + "shared_words"
SHARED = "shared."  # then the name of a library of functions that kernels share, and a function
# The function of `entry/bound_call.py`, and what stands in place of a rank in its table.
BOUND_CALL = f"{SHARED}calls.bound_call"
OTHERWISE_CALL = f"{SHARED}entry.otherwise_call"
MADE_BY_PYTHON = -1
# The numbers in its table of tests, results, and parts of results.
END = 0
TESTED = (
    "class object weak equal content int array apart sized tuple list entry called tensor given "
    "item field attribute holds context"
)
TESTS = {name: 1 + at for at, name in enumerate(TESTED.split())}
RESULTS = {name: at for at, name in enumerate(("whole", "one", "tuple", "tensor", "made"))}
PARTED = "object value output number fresh called choice"
PARTS = {name: at for at, name in enumerate(PARTED.split())}
_SHARED: dict[str, Callable[[], Callable[[str], int | None]]] = {}


class MismatchError(TypeError):
    """Arguments that a kernel was not compiled for."""


def provide(library: str, addresses: Callable[[], Callable[[str], int | None]]) -> None:
    """Offer a library of functions that kernels share. `addresses` is called when a kernel that
    needs it is loaded, and gives the function from names to addresses.
    """
    _SHARED[library] = addresses


@functools.cache
def address_of(name: str) -> int:
    """The address of an external symbol. Raises ValueError if it is unknown."""
    if name.startswith(LINEAR_ALGEBRA):
        library, _, function = name.removeprefix(LINEAR_ALGEBRA).partition(".")
        if library not in LIBRARIES:
            raise ValueError(f"symbol not found: {name}")
        return _address_in_scipy(library, function)
    if name.startswith(NUMPY):
        return _address_in_numpy(name.removeprefix(NUMPY))
    if name.startswith(NUMPY_C):
        return _address_in_numpy_c(name.removeprefix(NUMPY_C))
    if name.startswith(NUMPY_SORT):
        return _address_of_sort(name.removeprefix(NUMPY_SORT))
    if name.startswith(NUMBA):
        return _address_in_numba(name)
    if name == MISMATCH:
        return id(MismatchError)
    if name == SHARED_WORDS:
        return WORDS.ctypes.data
    if name.startswith(PREFIX + SHARED):
        return _address_in_library(name.removeprefix(PREFIX))
    # On Linux, the symbols of Python include those of the C library.
    symbol = ctypes.c_char.in_dll(ctypes.pythonapi, name.removeprefix(PREFIX))
    return ctypes.addressof(symbol)


def _address_in_library(name: str) -> int:
    """The address of a function that kernels share."""
    library = name.split(".")[1]
    address = _SHARED[library]()(name) if library in _SHARED else None
    if not address:
        raise ValueError(f"symbol not found: {name}")
    return address


def _address_in_numpy(name: str) -> int:
    """The address of a class of NumPy's, or of the data type of one. Both live for ever."""
    import numpy  # loaded before any kernel

    attribute = getattr(numpy, name.removeprefix("dtype."), None)
    if not isinstance(attribute, type):
        raise ValueError(f"symbol not found: {NUMPY}{name}")
    return id(numpy.dtype(attribute) if name.startswith("dtype.") else attribute)


def _address_in_numpy_c(name: str) -> int:
    """The address of a function of NumPy's C interface."""
    names = [f"numpy.{core}.multiarray" for core in ("_core", "core")]  # of NumPy 2, and before it
    capsule = next(vars(sys.modules[name])["_ARRAY_API"] for name in names if name in sys.modules)
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(read(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    return table[NUMPY_C_FUNCTIONS[name]]


def _address_of_sort(dtype: str) -> int:
    """The address of NumPy's sort of numbers of a type, which needs no GIL: a function of the
    address of the first, of how many there are, and of NULL.
    """
    import numpy

    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object)
    functions = prototype(_address_in_numpy_c("GetArrFuncs"))(numpy.dtype(dtype))
    return ctypes.cast(functions, ctypes.POINTER(ctypes.c_void_p))[QUICKSORT]


def _address_in_numba(name: str) -> int:
    """The address of a function of mathematics that code from Numba's compiler calls. Numba takes
    half a second to load, but compiling the kernel again takes longer.
    """
    try:
        helpers = importlib.import_module(f"numba.{NUMBA_MODULE}").c_helpers
    except ImportError as error:
        raise ValueError(f"symbol not found: {name}") from error
    return helpers[name.removeprefix(NUMBA)]


def _address_in_scipy(library: str, name: str) -> int:
    """The address of a function of BLAS or LAPACK: as SciPy's wheels name it, or as SciPy says."""
    try:
        symbol = ctypes.c_char.in_dll(_module_file(library), f"scipy_{name}_")
    except (OSError, ValueError):  # built in another way
        return _address_by_scipy(library, name)
    return ctypes.addressof(symbol)


@functools.cache
def _module_file(library: str) -> ctypes.CDLL:
    """The shared library of SciPy's module, without the imports of the module."""
    scipy = importlib.util.find_spec("scipy")
    folders = scipy.submodule_search_locations if scipy else None
    folder = folders[0] if folders else "no scipy"
    name = f"cython_{library}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    return ctypes.CDLL(os.path.join(folder, "linalg", name))


def _address_by_scipy(library: str, name: str) -> int:
    """The same address, from the imported module."""
    capsule = importlib.import_module(f"scipy.linalg.cython_{library}").__pyx_capi__[name]
    read, name_of = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return read(capsule, name_of(capsule))
