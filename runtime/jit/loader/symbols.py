"""What kernels call of others: Python, the C library, and SciPy's BLAS and LAPACK."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.machinery
import importlib.util
import os

# Others who use LLVM in the process give names of Python's to it too, and mean other addresses.
OURS = "allograph."
FAILURE = "PyExc_ArithmeticError"  # the exception of a kernel that failed
LINEAR_ALGEBRA = OURS + "linear_algebra."  # what its functions begin with in object code


@functools.cache
def address_of(name: str) -> int:
    """Where that lies which object code knows by a name. Raises ValueError if it is unknown."""
    if name.startswith(LINEAR_ALGEBRA):
        return _address_in_scipy(*name.removeprefix(LINEAR_ALGEBRA).split("."))
    # On Linux, what Python shows is also what the C library has.
    found = ctypes.c_char.in_dll(ctypes.pythonapi, name.removeprefix(OURS))
    return ctypes.addressof(found)


def _address_in_scipy(library: str, name: str) -> int:
    """The address of a function of BLAS or LAPACK: as SciPy's wheels name it, or as SciPy says."""
    try:
        found = ctypes.c_char.in_dll(_module_file(library), f"scipy_{name}_")
    except (OSError, ValueError):  # built in another way
        return _address_by_scipy(library, name)
    return ctypes.addressof(found)


@functools.cache
def _module_file(library: str) -> ctypes.CDLL:
    """The file of SciPy's module, which brings the library. To import it would import much more."""
    scipy = importlib.util.find_spec("scipy")
    folder = scipy.submodule_search_locations[0] if scipy else "no scipy"
    name = f"cython_{library}{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    return ctypes.CDLL(os.path.join(folder, "linalg", name))


def _address_by_scipy(library: str, name: str) -> int:
    """The same, from the module itself."""
    capsule = importlib.import_module(f"scipy.linalg.cython_{library}").__pyx_capi__[name]
    read, text = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
    text.restype, text.argtypes = ctypes.c_char_p, [ctypes.py_object]
    read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return read(capsule, text(capsule))
