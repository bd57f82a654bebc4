"""Functions of the user that Numba compiled, called by kernels of either compiler.

A function becomes code of LLVM that takes addresses and numbers, and is linked into the kernel. So
LLVM can inline it, and a stored kernel holds it. One that needs Numba's runtime, such as one with
lists, is called by its address.
"""

from __future__ import annotations

import ast
import re

import numba
import numpy as np
from llvmlite import binding, ir
from numba.core.errors import NumbaError
from numba.np.numpy_support import ufunc_find_matching_loop

from ...runtime.core.numpy_dtypes import is_bool, is_unsigned
from ...runtime.core.parsing import parsed
from ...runtime.jit.cache.compilation import CODE
from ...runtime.jit.kernel_types import INT64, UntranslatableError
from ...runtime.jit.llvm_values import Number
from ...runtime.jit.loader.llvm_backend import target_machine
from ...runtime.jit.loader.symbols import PREFIX, address_of
from ...runtime.jit.loop_hints import intrinsic
from ...runtime.jit.values import I8, I64, Array, memory_type
from . import function_addresses
from .callables import compiled_by_numba
from .compiler_lock import compiling
from .functions.generalized_functions import GeneralizedFunction
from .functions.numba_functions import ArgumentType, NumbaFunction, numba_types, of_name
from .functions.result_structures import paths
from .kernel_syntax import PREFIX as OWN
from .library import linked

_INTRINSICS: dict[str, object] = {}


def functions(rest: str) -> dict[str, object]:
    """What kernels call by the name `numba_...`: `numba_f(count, *operands, *results)`. The first
    `count` arguments behind it are the operands; the others are arrays for results. Scalar results
    are returned.
    """
    name = f"numba_{rest}"
    if name not in _INTRINSICS:
        _INTRINSICS[name] = _intrinsic(of_name(name))
    return {name: _INTRINSICS[name]}


def refusal(function: NumbaFunction, given: tuple[ArgumentType, ...]) -> str:
    """Why native code cannot call a function; empty where it can."""
    try:
        _code(function, given)
    except UntranslatableError as error:
        return str(error)
    return ""


def _intrinsic(function: NumbaFunction):
    @intrinsic
    def call(writer, count, *operands):
        builder, given = writer.builder, operands[:count]
        values = [one if isinstance(one, Array) else writer.number(one) for one in given]
        types = tuple(_type_of(one) for one in values)
        signature, name = function.signature(types), _code(function, types)
        slots = [
            writer.on_stack(memory_type(one.dtype)) for one in signature.results if not one.rank
        ]
        arrays, left = iter(operands[count:]), iter(slots)
        arguments = [part for one in values for part in _parts(writer, one)]
        for one in signature.results:
            if one.rank:
                arguments += _parts(writer, next(arrays))
            else:
                arguments.append(builder.ptrtoint(next(left), I64))
        writer.fail_if(builder.icmp_signed("!=", _called(writer, name, arguments), I32(0)))
        scalars = [one for one in signature.results if not one.rank]
        found = [_loaded(builder, *row) for row in zip(slots, scalars, strict=True)]
        return found[0] if len(found) == 1 else tuple(found) if found else None

    call.__name__ = function.name
    return call


I32 = ir.IntType(32)


def _type_of(value) -> ArgumentType:
    return ArgumentType(value.dtype, len(value.sizes) if isinstance(value, Array) else 0)


def _parts(writer, value) -> list:
    """An operand as Numba's function takes it: an address and sizes, or a number."""
    if isinstance(value, Array):
        address = writer.builder.ptrtoint(value.data, I64)
        return [address, *map(writer.int64, value.sizes)]
    bits = value.value
    return [writer.builder.zext(bits, I8) if bits.type == ir.IntType(1) else bits]


def _called(writer, name: str, arguments: list):
    places = [writer.on_stack(I8.as_pointer()) for _ in range(2)]  # for its result, an exception
    given = [*places, *arguments]
    type_ = ir.FunctionType(I32, [one.type for one in given])
    return writer.builder.call(writer.module.declared(name, type_), given)


def _loaded(builder, slot, type_: ArgumentType) -> Number:
    number = Number(builder, builder.load(slot), is_unsigned(type_.dtype))
    return number != 0 if is_bool(type_.dtype) else number


# ---- the code of a function ------------------------------------------------------------------


def _code(function: NumbaFunction, given: tuple[ArgumentType, ...]) -> str:
    """The symbol of the code for arguments of these types, which is in CODE or has an address."""
    signature = function.signature(given)
    name = "_".join([function.name, *(f"{one.dtype.name}_{one.rank}" for one in given)])
    if not signature.takes_read_only:
        raise UntranslatableError(
            f"'{function.own_name}' was compiled for arrays that it may write to, and needs copies"
        )
    if name not in CODE and not function_addresses.has_address(name):
        try:
            with compiling():
                _compile(function, name, given, signature)
        except NumbaError as error:
            raise UntranslatableError(f"'{function.own_name}': {error}") from error
    return name if name in CODE else function_addresses.symbol_of(name)


def _compile(function: NumbaFunction, name: str, given, signature) -> None:
    """Compile a function, to be linked or else to be called by its address."""
    inner, source = _call_of(function, given, signature)
    tree = parsed(source).body[0]
    scope = {"np": np, "function": inner, "read_only": read_only}
    types = [one for type_ in given for one in _parameters(type_)]
    types += [one for type_ in signature.results for one in _results(type_)]
    assert isinstance(tree, ast.FunctionDef)
    made = compiled_by_numba(tree, scope, tuple(types))
    module = linked(made.library, {made.fndesc.llvm_func_name: name})
    source = _reachable(module, name)
    called = re.findall(r'^declare .*?@"?([^"(]+)', source, re.M)
    called += re.findall(r'^@"?([^" ]+)"? = external', source, re.M)
    missing = set(filter(_is_missing, called))
    if not missing:
        CODE[name] = source
        return
    if missing & THREADS:
        raise UntranslatableError(
            f"'{function.own_name}' starts threads of Numba's, as those with parallel=True do"
        )
    function_addresses.load(name, tree, scope, tuple(types))


THREADS = {"numba_parallel_for"}  # needs the GIL, and threads that our own ones do not wait for
# The address of a function that calls itself, which Numba fills in when it loads the function.
UNRESOLVED = ".numba.unresolved$"
_RECURSIVE = re.compile(rf'^@"({re.escape(UNRESOLVED)})([^"]+)" = external .*?global ptr', re.M)


def _reachable(module: binding.ModuleRef, name: str) -> str:
    """The assembly of a module without what its function does not need."""
    for function in module.functions:
        if not function.is_declaration and function.name != name:
            function.linkage = "internal"
    source = re.sub(r"\bnoinline\b", "", str(module))
    defined = set(re.findall(r'^define .*?@"?([^"(]+)', source, re.M))
    source = _RECURSIVE.sub(
        lambda one: one[0] if one[2] not in defined
        else f'@"{one[1]}{one[2]}" = internal constant ptr @"{one[2]}"',
        source,
    )  # fmt: skip
    plain = binding.parse_assembly(source)
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    tuning = binding.create_pipeline_tuning_options(speed_level=0)
    passes.run(plain, binding.create_pass_builder(target_machine(), tuning))
    return str(plain)


def _is_missing(name: str) -> bool:
    """Whether a function is declared that machine code of ours cannot call. Other functions of
    Python's than the lock only fill in the message of an exception, which the NumPy program raises.
    """
    if name.startswith(("llvm.", PREFIX)):
        return False
    if name.startswith(("PyGILState", UNRESOLVED, "NRT_", "numba_")):
        return True
    try:
        address_of(name)
    except ValueError:
        return True
    return False


def _parameters(type_: ArgumentType) -> tuple:
    if type_.rank:
        return numba_types((ArgumentType(INT64, 0),) * (1 + type_.rank), False)
    return numba_types((type_,), False)


def _results(type_: ArgumentType) -> tuple:
    return numba_types((ArgumentType(INT64, 0),) * (1 + type_.rank), False)


def _call_of(function: NumbaFunction, given, signature) -> tuple:
    """A function of `@njit`, and the source that calls it.

    Numba's own calls of functions of `@vectorize` lose what they raise.
    """
    if not function.is_ufunc:
        return function.function, _source(given, signature)
    options = {
        key: function.compiler_options.get(key, False) for key in ("fastmath", "boundscheck")
    }
    inner = numba.njit(error_model="numpy", **options)(function.python_function)
    if isinstance(function, GeneralizedFunction):
        return inner, _loops(function, given, signature)
    loop = ufunc_find_matching_loop(function.function, numba_types(given, True))
    assert loop is not None  # else the function has no signature for these types
    return inner, _source(given, signature, loop.numpy_inputs)


def _source(given, signature, converted=()) -> str:
    """The function of addresses and numbers, which checks the shapes of results. Numbers become
    those of the data types `converted`, if there are any.
    """
    names, lines, arguments = [], [], []
    for at, type_ in enumerate(given):
        names.append(f"x{at}")
        is_same = not converted or converted[at] == type_.dtype
        arguments.append(f"x{at}" if is_same else f"np.{converted[at].name}(x{at})")
        if type_.rank:
            sizes = [f"x{at}_{axis}" for axis in range(type_.rank)]
            names += sizes
            array = _array(f"x{at}", sizes, type_)
            lines.append(f"x{at} = {f'read_only({array})' if signature.takes_read_only else array}")
    lines.append(f"returned = function({', '.join(arguments)})")
    values = [f"returned{path}" for path in paths(signature.structure)]
    for at, (type_, value) in enumerate(zip(signature.results, values, strict=True)):
        sizes = [f"y{at}_{axis}" for axis in range(type_.rank)]
        names += [f"y{at}", *sizes]
        if type_.rank:
            test = " or ".join(
                f"{value}.shape[{axis}] != {size}" for axis, size in enumerate(sizes)
            )
            lines += [f"if {test}:", "    raise ValueError"]
        target = _array(f"y{at}", sizes or ["1"], type_)
        copy = f"{OWN}copied({target}, {value})"
        lines.append(copy if type_.rank else f"{target}[0] = {value}")
    return "\n    ".join([f"def call({', '.join(names)}):", *lines])


def _loops(function: GeneralizedFunction, given, signature) -> str:
    """The same for a function of `@guvectorize`, which is called for each index of the loops."""
    declared = function.declared_types(given)
    if declared is None:
        raise UntranslatableError(f"'{function.own_name}' has no code for these types as they are")
    loops = signature.results[0].rank - len(function.cores[function.count])
    names, lines, arguments = [], [], []
    rows = zip((*given, *signature.results), function.cores, strict=True)
    for at, (type_, core) in enumerate(rows):
        is_result = at >= function.count
        sizes = [f"x{at}_{axis}" for axis in range(type_.rank)]
        names += [f"x{at}", *sizes]
        own = type_.rank - len(core)
        axes = zip(range(loops - own, loops), sizes, strict=False)
        index = [f"i{axis} if {size} != 1 else 0" for axis, size in axes]
        takes_array = getattr(declared[at], "ndim", 0) > 0
        if not type_.rank and not is_result:
            if takes_array:
                raise UntranslatableError(f"'{function.own_name}' takes a number as an array")
            arguments.append(f"x{at}")
            continue
        sizes += ["1"] * (takes_array and not core)
        array = _array(f"x{at}", sizes, type_)
        lines.append(f"a{at} = {array if is_result else f'read_only({array})'}")
        arguments.append(f"a{at}[{', '.join(index)}]" if index else f"a{at}")
    for axis in range(loops):
        lines.append(f"{'    ' * axis}for i{axis} in range(x{function.count}_{axis}):")
    lines.append(f"{'    ' * loops}function({', '.join(arguments)})")
    return "\n    ".join([f"def call({', '.join(names)}):", *lines])


def _array(name: str, sizes: list[str], type_: ArgumentType) -> str:
    return f"{OWN}array_at({name}, ({', '.join(sizes)},), np.{type_.dtype.name})"


def _read_only():
    from numba.core import types
    from numba.extending import intrinsic as numba_intrinsic

    @numba_intrinsic
    def read_only(typing, array):
        """The same array, which cannot be written to."""

        def pass_on(context, builder, signature, arguments):
            (given,) = arguments
            if context.enable_nrt:
                context.nrt.incref(builder, signature.args[0], given)
            return given

        assert isinstance(array, types.Array)
        return array.copy(readonly=True)(array), pass_on

    return read_only


read_only = _read_only()
