"""Random programs by the thousand: `python tests/fuzz.py 100000`, on every core.

Each program runs as plain Python, converted, on eager tensors, as a graph on NumPy and, every
`--native-every`-th, as native code; all must agree. Two wild programs, of the same number, hold
what graphs cannot stage: they are refused, or right. Functions of NumPy arrays mean the same in
`jit`. Ends with status 1 and the numbers of the programs that did not. With `--gradients` the
programs are of floats (`gradient_programs.py`), and their derivatives, backward, forward and
second, must be those of eager code; of every `--mixed-every`-th also those forward over backward.
Only every `--native-every`-th of these has any native code: to compile it takes most of the time.
With `--laws emulated` the native programs run on an emulated GPU too, on operands of their own,
and so do derivatives.
With `--thresholds 1 --threads 1 2 4` small arrays go the ways of large ones, on so many threads.
"""

import argparse
import gc
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from functools import partial
from pathlib import Path

CHUNK = 50
CHUNKS_OF_A_PROCESS = 20
DIED: list = []
COMPILER_FAULT = "compiling failed"  # in a warning: the program goes on, on NumPy


def laws_of_values(native: bool) -> dict:
    """What must hold of one program, by name."""
    import argument_programs
    import array_programs
    import call_programs
    import drawing_programs
    import failing_programs
    import index_programs
    import law_kit
    import numpy_expressions
    import numpy_programs
    import outer_programs
    import parallel_programs
    import question_programs
    import row_programs
    import staged_question_programs
    import sweep_programs
    import tensor_programs
    import wild_laws
    from device_laws import on_emulated_devices
    from handler_programs import handler_program
    from item_programs import item_program
    from recursive_programs import recursive_program
    from run_time_numbers import every_number_at_run_time
    from shared_programs import shared_program
    from syntax_programs import syntax_program
    from table_programs import table_program

    of_handlers, of_shared = {"make": handler_program}, {"make": shared_program}
    of_syntax, of_items = {"make": syntax_program}, {"make": item_program}
    of_tables, of_recursion = {"make": table_program}, {"make": recursive_program}
    chosen = {
        "converted": law_kit.assert_converted_is_python,
        "raising": partial(law_kit.assert_converted_is_python, raises=True),
        "eager": law_kit.assert_eager_is_python,
        "graph": partial(law_kit.assert_graph_is_python, native=False),
        "graph raising": partial(law_kit.assert_graph_raises_as_python, native=False),
        "wild converted": wild_laws.assert_wild_converted_is_python,
        "wild graph": partial(wild_laws.assert_wild_graph_is_python_or_refused, native=False),
        "handlers converted": partial(wild_laws.assert_wild_converted_is_python, **of_handlers),
        "handlers graph": partial(
            wild_laws.assert_wild_graph_is_python_or_refused, native=False, **of_handlers
        ),
        "shared converted": partial(wild_laws.assert_wild_converted_is_python, **of_shared),
        "shared graph": partial(
            wild_laws.assert_wild_graph_is_python_or_refused, native=False, **of_shared
        ),
        "items converted": partial(wild_laws.assert_wild_converted_is_python, **of_items),
        "items jit": partial(wild_laws.assert_wild_jit_is_python, **of_items),
        "tables jit": partial(wild_laws.assert_wild_jit_is_python, **of_tables),
        "recursion jit": partial(wild_laws.assert_wild_jit_is_python, **of_recursion),
        "tables converted": partial(wild_laws.assert_wild_converted_is_python, **of_tables),
        "items graph": partial(
            wild_laws.assert_wild_graph_is_python_or_refused, native=False, **of_items
        ),
        "syntax converted": partial(wild_laws.assert_wild_converted_is_python, **of_syntax),
        "wild jit": wild_laws.assert_wild_jit_is_python,
        "handlers jit": partial(wild_laws.assert_wild_jit_is_python, **of_handlers),
        "shared jit": partial(wild_laws.assert_wild_jit_is_python, **of_shared),
        "syntax jit": partial(wild_laws.assert_wild_jit_is_python, **of_syntax),
        "syntax graph": partial(
            wild_laws.assert_wild_graph_is_python_or_refused, native=False, **of_syntax
        ),
        "graph of questions": staged_question_programs.assert_graph_answers_as_python,
        "calls": call_programs.assert_traces_serve_no_other_arguments,
        "graph of tensors": tensor_programs.assert_graph_of_tensors_is_eager,
        "jit of arrays": partial(array_programs.assert_jit_is_numpy_of_arrays,
                                 kernel_compiler="python"),
        "jit of global arrays": partial(outer_programs.assert_jit_is_numpy_of_outer_arrays,
                                        kernel_compiler="python"),
        "jit of iterations": partial(parallel_programs.assert_jit_shares_iterations,
                                     kernel_compiler="python"),
        "jit of arguments": partial(argument_programs.assert_jit_is_numpy_of_arguments,
                                    kernel_compiler="python"),
        "graph of arguments": argument_programs.assert_graph_is_numpy_of_arguments,
        "jit of failures": partial(failing_programs.assert_arguments_change_once,
                                   kernel_compiler="python"),
        "jit of questions": partial(question_programs.assert_jit_answers_as_python,
                                    kernel_compiler="python"),
        "jit of operands": partial(numpy_expressions.assert_jit_is_numpy_of_operands,
                                   kernel_compiler="python"),
    }  # fmt: skip
    if native:
        chosen["native"] = partial(law_kit.assert_graph_is_python, native=True)
        chosen["native raising"] = partial(law_kit.assert_graph_raises_as_python, native=True)
        wild = wild_laws.assert_wild_graph_is_python_or_refused
        chosen["wild native"] = partial(wild, native=True)
        chosen["handlers native"] = partial(wild, native=True, **of_handlers)
        chosen["shared native"] = partial(wild, native=True, **of_shared)
        chosen["native code of tensors"] = partial(
            tensor_programs.assert_graph_of_tensors_is_eager, native=True
        )
        chosen["syntax native"] = partial(wild, native=True, **of_syntax)
        chosen["native jit of failures"] = failing_programs.assert_arguments_change_once
        chosen["native jit of iterations"] = parallel_programs.assert_jit_shares_iterations
        chosen["native jit of indices"] = index_programs.assert_jit_checks_indices
        chosen["native jit of arguments"] = argument_programs.assert_jit_is_numpy_of_arguments
        chosen["jit"] = numpy_programs.assert_jit_is_numpy
        chosen["native jit of questions"] = question_programs.assert_jit_answers_as_python
        chosen["native jit of operands"] = numpy_expressions.assert_jit_is_numpy_of_operands
        chosen["native jit of global arrays"] = outer_programs.assert_jit_is_numpy_of_outer_arrays
        chosen["native jit of arrays"] = array_programs.assert_jit_is_numpy_of_arrays
        chosen["native graph of sweeps"] = sweep_programs.assert_graph_of_sweeps_is_numpy
        chosen["native jit of sweeps"] = sweep_programs.assert_jit_is_numpy_of_sweeps
        for name in ("native", "native code of tensors", "native graph of sweeps", "jit",
                     "native jit of indices", "native jit of iterations",
                     "native jit of arrays"):  # fmt: skip
            chosen[f"emulated device, {name}"] = on_emulated_devices(chosen[name])
        chosen["emulated device, tensors of all types"] = (
            tensor_programs.assert_device_computes_tensors_of_all_types
        )
        chosen["emulated device, draws"] = drawing_programs.assert_device_draws_as_numpy
        chosen["emulated device, rows"] = row_programs.assert_device_normalizes_rows
        chosen["emulated device, operations"] = tensor_programs.assert_device_runs_operations
        run_time = every_number_at_run_time()
        chosen["jit, run-time numbers"] = run_time(numpy_programs.assert_jit_is_numpy)
        chosen["jit of arrays, run-time numbers"] = run_time(
            array_programs.assert_jit_is_numpy_of_arrays
        )
    return chosen


def laws_of_gradients(native: bool, mixed: bool = True) -> dict:
    """What must hold of the derivatives of one program of floats, by name; the `mixed` ones take
    nine tenths of the time.
    """
    import gradient_laws
    import saved_gradients

    chosen = {
        "gradients": gradient_laws.assert_gradients_are_eager,
        "second": gradient_laws.assert_second_derivatives_are_eager,
        "forward": gradient_laws.assert_forward_derivatives_are_eager,
        "forward is backward": gradient_laws.assert_forward_is_backward,
        "saved gradients": saved_gradients.assert_saved_gradients_are_the_same,
    }
    of_rows = gradient_laws.assert_derivatives_of_unknown_rows_are_eager
    if mixed:
        chosen["unknown rows"] = partial(of_rows, native=False)
        chosen["mixed"] = gradient_laws.assert_mixed_derivatives_are_eager
    if native:
        chosen["native unknown rows"] = of_rows
        chosen["native gradients"] = partial(gradient_laws.assert_gradients_are_eager, native=True)
        chosen["emulated device, gradients"] = gradient_laws.assert_gradients_on_a_device_are_eager
    return chosen


def laws_of(seed: int, options: argparse.Namespace) -> dict:
    native = seed % options.native_every == 0
    if options.gradients:
        laws = laws_of_gradients(native, seed % options.mixed_every == 0)
    else:
        laws = laws_of_values(native)
    hidden = None if options.laws.startswith("emulated") else "emulated"  # which is slow
    return {
        name: law
        for name, law in laws.items()
        if options.laws in name and not (hidden and name.startswith(hidden))
    }


def threads_of(seed: int, options: argparse.Namespace) -> int:
    """The number of threads that share the loops of a program."""
    return options.threads[seed % len(options.threads)]


def run_chunk(seeds: range, options: argparse.Namespace) -> list[tuple[int, str, str]]:
    """The broken laws of some programs: (seed, law, traceback)."""
    import law_kit
    from accidents import AccidentError, accidents_raised
    from large_paths import large_paths

    import allograph as ag

    gc.collect()  # what is frozen is never freed
    gc.freeze()
    gc.set_threshold(50_000, 20, 10)  # trees and graphs hold many objects, for a short time
    broken = []
    for seed in seeds:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", RuntimeWarning)
            if options.gradients and not options.kernel_compiler:
                is_native = seed % options.native_every == 0
                ag.config.set_kernel_compiler("auto" if is_native else "none")
            with large_paths(options.thresholds, threads_of(seed, options), seed):
                for name, law in laws_of(seed, options).items():
                    is_traced = accidents_raised() if "jit" in name else nullcontext()
                    try:
                        with is_traced:
                            law(seed)
                    except (Exception, AccidentError):
                        broken.append((seed, name, traceback.format_exc()))
        faults = {str(one.message) for one in told if COMPILER_FAULT in str(one.message)}
        broken += [(seed, "or one before it, compiled in the background", one) for one in faults]
        law_kit.forget_programs()
    return broken


def chunks(first: int, count: int) -> list[range]:
    end = first + count
    return [range(start, min(start + CHUNK, end)) for start in range(first, end, CHUNK)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=int, nargs="?", default=2000)
    parser.add_argument("--first", type=int, help="the first program's number (default: random)")
    parser.add_argument("--gradients", action="store_true", help="differentiate floats instead")
    parser.add_argument("--native-every", type=int, default=10, metavar="N")
    parser.add_argument("--mixed-every", type=int, default=10, metavar="N")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--laws", default="", metavar="WORD", help="those with this in their name")
    parser.add_argument("--kernel-compiler", help="allograph, numba or python")
    parser.add_argument("--thresholds", choices=["measured", "1", "mixed"], default="measured",
                        help="of passes that divide, tile, block or share: small arrays go the "
                        "ways of large ones with all of them at 1, or some of them")  # fmt: skip
    parser.add_argument("--threads", type=int, nargs="+", default=[0], metavar="N",
                        help="that share loops; program after program takes the next")  # fmt: skip
    options = parser.parse_args()
    if options.kernel_compiler:  # the processes inherit it
        os.environ["ALLOGRAPH_KERNEL_COMPILER"] = options.kernel_compiler
    first = options.first
    if first is None:
        first = int.from_bytes(os.urandom(4))
    print(f"programs {first} to {first + options.programs - 1}", flush=True)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["ALLOGRAPH_CACHE_DIR"] = cache
        broken = search(first, options)
    print(f"{options.programs} programs, {len(broken)} broken laws")
    kind = " --gradients --mixed-every 1" if options.gradients else ""
    if options.kernel_compiler:
        kind += f" --kernel-compiler {options.kernel_compiler}"
    if options.thresholds != "measured":
        kind += f" --thresholds {options.thresholds}"
    for seed, law, _ in broken[:20]:
        own = f"{kind} --first {seed} --threads {threads_of(seed, options)}"
        print(f"  again: python tests/fuzz.py 1{own} --native-every 1   ({law})")
    return 1 if broken else 0


def search(first: int, options: argparse.Namespace) -> list[tuple[int, str, str]]:
    """Every chunk, in processes that are renewed so that compiled code does not pile up."""
    broken: list[tuple[int, str, str]] = []
    begun, done = time.monotonic(), 0
    work = chunks(first, options.programs)
    at_once = CHUNKS_OF_A_PROCESS * options.processes
    for start in range(0, len(work), at_once):
        for seeds, found in results_of(work[start : start + at_once], options):
            done += len(seeds)
            for seed, law, text in found:
                print(f"program {seed}, {law}:\n{text}", flush=True)
            broken += found
            if found is DIED:
                return [*broken, (seeds.start, f"a process died, in {at_once} chunks", "")]
            if (done // CHUNK) % (2 if options.gradients else 20) == 0:
                rate = done / (time.monotonic() - begun)
                print(f"{done} programs, {rate:.1f} a second", flush=True)
    return broken


def results_of(work: list[range], options: argparse.Namespace):
    """Each chunk with its broken laws, or with `DIED` where a signal has ended a process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, context) as pool:
        results = pool.map(partial(run_chunk, options=options), work)
        for seeds in work:
            try:
                yield seeds, next(results)
            except BrokenProcessPool:
                yield seeds, DIED


sys.path.insert(0, str(Path(__file__).parent / "helpers"))

if __name__ == "__main__":
    sys.exit(main())
