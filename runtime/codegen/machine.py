"""LLVM: text to object code for this processor, and object code to functions of this process."""

from __future__ import annotations

import ctypes
import functools
import importlib
import itertools
import re
from collections.abc import Callable

from llvmlite import binding

PYTHON = (  # what kernels call of Python
    *("PyMem_RawMalloc", "PyMem_RawFree", "PyEval_SaveThread", "PyEval_RestoreThread"),
    *("PyErr_SetNone", "PyTuple_New", "PyTuple_SetItem", "Py_IncRef", "PyFloat_FromDouble"),
    *("PyLong_FromLongLong", "PyLong_FromUnsignedLongLong", "PyBool_FromLong"),
    "PyByteArray_FromStringAndSize",
)
# Others who use LLVM in the process give names of Python's to it too, and mean other addresses.
OURS = "allograph."
FAILURE = "PyExc_ArithmeticError"  # the exception of a kernel that failed
LINEAR_ALGEBRA = OURS + "linear_algebra."  # what its functions begin with in object code


@functools.cache
def target_machine():
    """This processor; and what makes machine code for it."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
    )


def processor() -> str:
    """What object code depends on, besides its text."""
    machine = target_machine()
    return f"{binding.get_host_cpu_name()} {machine.triple} {machine.target_data} " + (
        binding.get_host_cpu_features().flatten()
    )


def optimized(text: str) -> binding.ModuleRef:
    """A module after LLVM's passes."""
    machine = target_machine()
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = True
    options.loop_unrolling = True
    options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return module


def object_code(text: str) -> bytes:
    """The machine code of a module, to be kept on disk or loaded."""
    return target_machine().emit_object(optimized(text))


def assembly(text: str) -> str:
    """The same for people."""
    return target_machine().emit_assembly(optimized(text))


# ---- in this process -------------------------------------------------------------------------


@functools.cache
def _engine():
    """Where machine code lives; it stays as long as the process."""
    for name in PYTHON:
        binding.add_symbol(OURS + name, _address(getattr(ctypes.pythonapi, name)))
    failure = ctypes.c_void_p.in_dll(ctypes.pythonapi, FAILURE)
    binding.add_symbol(OURS + FAILURE, ctypes.addressof(failure))
    return binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())


def _address(function) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


class _Definition(ctypes.Structure):
    """How Python knows a function of C."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    ]


def _add_linear_algebra(code: bytes) -> None:
    """The functions of SciPy's BLAS and LAPACK that object code names."""
    found = set(re.findall(re.escape(LINEAR_ALGEBRA).encode() + rb"(blas|lapack)\.(\w+)", code))
    for library, name in sorted(found):
        module = importlib.import_module(f"scipy.linalg.cython_{library.decode()}")
        capsule = module.__pyx_capi__[name.decode()]
        read, text = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_GetName
        text.restype, text.argtypes = ctypes.c_char_p, [ctypes.py_object]
        read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        own = f"{LINEAR_ALGEBRA}{library.decode()}.{name.decode()}"
        binding.add_symbol(own, read(capsule, text(capsule)))


_FASTCALL = 0x0080  # METH_FASTCALL: an array of arguments, and their number
_KEPT: list[_Definition] = []


def load(code: bytes, name: str) -> tuple[Callable, list[int]]:
    """The function that enters a kernel, and the addresses of its parts."""
    engine = _engine()
    _add_linear_algebra(code)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    definition = _Definition(name.encode(), engine.get_function_address(name), _FASTCALL, None)
    _KEPT.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    function = make(ctypes.addressof(definition), None, None)
    parts = (engine.get_function_address(f"{name}_part_{at}") for at in itertools.count(1))
    return function, list(itertools.takewhile(bool, parts))
