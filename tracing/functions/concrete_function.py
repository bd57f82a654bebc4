"""Concrete functions: one traced graph, and how to call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...autograph.operators.raising import StagedRaise
from ...runtime.core.classes import cached_property
from ...runtime.core.public_names import public
from ...runtime.core.shapes import as_shape, is_subshape
from ...runtime.executors.executable import Executable, Execution, run_graph
from ...runtime.ir.callee import unresolved
from ...runtime.ir.node_properties import is_noreturn
from ...runtime.ir.op import TABLE
from ...runtime.ir.rich_display import RichDisplay
from ...runtime.jit.backends import PLACED, compiler_of_function, compiling_with
from ...runtime.ops.state.variables import Variable
from ...runtime.tensors.apply import BUILDER, convert_to_tensor
from ...runtime.tensors.late_binding import late
from ...runtime.tensors.tensor import EagerTensor, SymbolicTensor, Tensor
from ..structures import nest
from ..type_system.composite_specs import CompositeTensor, container_of
from ..type_system.function_type import BindingError, FunctionType, bind, unbound
from ..type_system.trace_types import Container, Reference, TensorSpec, TypeSpec, trace_type
from .atomic_function import AtomicFunction
from .func_graph import FuncGraph

if TYPE_CHECKING:
    from ...runtime.ir.graph import Graph
    from .guards import Guards

MODES = {None: "auto", True: "native", False: "auto", "where possible": "hybrid"}


def _spec_of(leaf):
    """The type of a result: of tensors, ragged and sparse ones; anything else as it is."""
    if isinstance(leaf, CompositeTensor):
        return trace_type(leaf)
    return TensorSpec(leaf.dims, leaf.dtype) if isinstance(leaf, Tensor) else leaf


@public("types.experimental.ConcreteFunction")
class ConcreteFunction(RichDisplay):
    """One trace: a graph specialised to the types of its arguments.

    Call it with tensors of these types; Python arguments may be left out, or repeated with the
    value they had while tracing.

    >>> @ag.function
    ... def power(base, exponent):
    ...     return base ** exponent
    >>> square = power.get_concrete_function(ag.TensorSpec(None, ag.float32), 2)
    >>> print(square)
    ConcreteFunction Input Parameters:
      base (POSITIONAL_OR_KEYWORD): TensorSpec(shape=<unknown>, dtype=ag.float32, name=None)
      exponent (POSITIONAL_OR_KEYWORD): Literal[2]
    Output Type:
      TensorSpec(shape=<unknown>, dtype=ag.float32, name=None)
    Captures:
      None
    >>> float(square(ag.constant(3.0)))
    9.0
    """

    def __init__(
        self,
        graph: FuncGraph,
        function_type: FunctionType,
        result,
        jit_compile=None,
        attributes=None,
        kernel_compiler: str | None = None,
    ):
        self.graph = graph
        self.name = graph.name
        self.function_type = function_type
        self.attributes = attributes or {}
        self.jit_compile = jit_compile
        self.kernel_compiler = kernel_compiler
        self.own_variables: list = []  # made by this trace, and kept by it
        self.knows_its_variables = True  # may come by those among the arguments otherwise too
        self._result = result
        self._build_result()
        self.captured_tensors = [tensor for _, tensor in graph.captured()]
        self.captured_arrays = [
            t.array for t in self.captured_tensors if isinstance(t, EagerTensor)
        ]
        self.in_scope_only = any(isinstance(t, SymbolicTensor) for t in self.captured_tensors)
        self.callees = unresolved(self.frozen)
        self.guards: Guards | None = None

    def rebind(self, old: EagerTensor, new: EagerTensor) -> bool:
        """Use another captured tensor from now on; False if the trace depends on the old one."""
        first = len(self.frozen.inputs) - len(self.captured_tensors)
        for index, tensor in enumerate(self.captured_tensors):
            value = self.frozen.inputs[first + index]
            fits = new.dtype is value.dtype and new.dims == old.dims and value.constant is None
            if tensor is old and fits and not self.is_recursive:
                self.captured_tensors[index] = new
                self.captured_arrays = [t.array for t in self.captured_tensors]
                return True
        return False

    @property
    def is_recursive(self) -> bool:
        return any(node.op.callee_attribute for node in self.frozen.walk())

    def is_complete(self) -> bool:
        """Whether all traces that were unfinished when this one called them are finished."""
        self.callees = [callee for callee in self.callees if callee.graph is None]
        return not self.callees

    def is_usable(self) -> bool:
        """Whether it may serve a call now.

        A trace that captured tensors of an outer graph serves inside that graph only. One that
        calls a trace still being made serves only inside that trace. A guarded trace serves while
        its guards hold.
        """
        builder = BUILDER.get()
        if self.callees and not self.is_complete():
            return builder is not None and not any(callee.abandoned for callee in self.callees)
        if self.guards is not None and not self.guards.hold(self.rebind):
            return False
        if not self.in_scope_only:
            return True
        owners = [t.builder for t in self.captured_tensors if not isinstance(t, EagerTensor)]
        return builder is not None and all(
            owner is builder or builder.encloses(owner) for owner in owners
        )

    def _build_result(self) -> None:
        """Split the traced result into output tensors and the structure around them."""
        leaves = nest.flatten(self._result)
        slots = [isinstance(leaf, Tensor) for leaf in leaves]
        self.is_single_tensor = slots == [True] and isinstance(self._result, Tensor)
        outputs = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        with self.graph:
            self.frozen: Graph = self.graph.freeze(outputs)
        self.structured_outputs = nest.map_structure(_spec_of, self._result, classify=container_of)
        skeleton = nest.pack_sequence_as(
            self._result, [None if s else leaf for s, leaf in zip(slots, leaves, strict=True)]
        )
        self._pack = nest.packer(skeleton, iter(slots))
        self._result = None
        output = trace_type(self.structured_outputs)
        self.function_type = FunctionType(
            self.function_type.signature, self.function_type.types, output
        )

    # ---- running -------------------------------------------------------------------------

    @property
    def executable(self) -> Executable:
        """The runnable form; made when first needed."""
        execution, executables = self.execution, self.frozen.facts.executables
        if execution not in executables:
            executables[execution] = Executable(self.frozen, *execution)
        return executables[execution]

    @property
    def execution(self) -> Execution:
        """How the trace and its derivatives run."""
        ambient = compiler_of_function() if PLACED else None
        return Execution(MODES[self.jit_compile], self.kernel_compiler or ambient)

    @property
    def has_run(self) -> bool:
        return bool(self.frozen.facts.executables)

    def run(self, tensors: list, captures: list):
        """Run on tensors, one for each input of the graph; or record a `Call` while tracing."""
        builder = BUILDER.get()
        if builder is not None:
            outputs = builder.record(
                TABLE["call"], [*tensors, *captures], {"graph": self.frozen}, self.name
            )
            if is_noreturn(self.frozen):
                raise StagedRaise
            return self.arrange(outputs)
        tensors = [
            argument if type(argument) is EagerTensor else convert_to_tensor(argument)
            for argument in (*tensors, *captures)
        ]
        return self.arrange(run_graph(self.frozen, tensors, self.executable, self.execution))

    def arrange(self, outputs):
        """The outputs in the structure that the Python function returned."""
        if self.is_single_tensor:
            return outputs[0]
        return self._pack(iter(outputs))

    def __call__(self, *args, **kwargs):
        if kwargs or not self._fit_exactly(args):
            args = self.flat_arguments(args, kwargs)
        return self.run(args, self.captured_tensors)

    def _fit_exactly(self, args) -> bool:
        """Whether arguments are eager tensors, one for each parameter, that need no conversion."""
        specs = self._plain_specs
        if specs is None or len(args) != len(specs):
            return False
        for argument, (dtype, shape) in zip(args, specs, strict=True):
            if type(argument) is not EagerTensor or argument.dtype is not dtype:
                return False
            if argument.dims != shape and not is_subshape(argument.dims, shape):
                return False
        return True

    @cached_property
    def _plain_specs(self) -> list[tuple] | None:
        """The type and shape of each parameter, if each takes one positional tensor."""
        parameters = self.function_type.signature.parameters
        types = [self.function_type.types.get(name) for name in parameters]
        specs = [type_ for type_ in types if isinstance(type_, TensorSpec)]
        if not len(specs) == len(types) == len(self.function_type.types):
            return None
        if any(param.kind > param.POSITIONAL_OR_KEYWORD for param in parameters.values()):
            return None
        return [(spec.dtype, as_shape(spec.shape)) for spec in specs]

    def flat_arguments(self, args, kwargs) -> list:
        """The tensors of a call; TypeError or InvalidArgumentError if they do not fit the trace.

        A call that does not fit the parameters may pass the inputs of the graph, in order and by
        name: the leaves of structures then are arguments of their own.
        """
        try:
            return self._structured_arguments(args, kwargs)
        except BindingError as error:
            tensors = self._graph_inputs(args, kwargs)
            if tensors is not None:
                return tensors
            if kwargs and not error.cure:
                names = ", ".join(value.name for value in self.graph.inputs)
                error.reworded(error.message, f"The inputs of the graph are named {names}.")
            raise

    def _structured_arguments(self, args, kwargs) -> list:
        bound = self._bind(args, kwargs)
        for name, arg_type in self.function_type.types.items():
            argument = bound.arguments[name]
            if (
                isinstance(arg_type, TensorSpec)
                and isinstance(argument, Tensor)
                and argument.dtype is not arg_type.dtype
            ):
                raise BindingError(
                    f"{self.name}: '{name}' is a tensor of {argument.dtype.name}, the trace "
                    f"is for {arg_type.dtype.name}"
                )
        self.function_type.cast(bound)
        return self.function_type.to_tensors(bound)

    def _graph_inputs(self, args, kwargs) -> list | None:
        """The arguments as tensors for the inputs of the graph; None if they are no such tensors.

        Raises BindingError where the names fit, but a value does not.
        """
        inputs = {value.name: value for value in self.graph.inputs}
        parameters = self.function_type.signature.parameters.values()
        if args and all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters):
            return None
        arguments = dict(zip(inputs, args, strict=False))
        if len(args) > len(inputs) or arguments.keys() & kwargs.keys():
            return None
        arguments |= kwargs
        if arguments.keys() != inputs.keys():
            return None
        tensors = []
        for name, value in inputs.items():
            arg = arguments[name]
            is_tensor = isinstance(arg, (Tensor, Variable))
            if not (is_tensor and arg.dtype is value.dtype and is_subshape(arg.dims, value.shape)):
                if not kwargs:
                    return None
                wanted = TensorSpec(value.shape, value.dtype)
                raise BindingError(f"{self.name}: the input '{name}' is {wanted!r}, not {arg!r}")
            tensors.append(convert_to_tensor(arg))
        return tensors

    def _bind(self, args, kwargs):
        """Match a call with the parameters; Python values that the trace fixed may be left out."""
        types = self.function_type.types
        named = {t.name: name for name, t in types.items() if isinstance(t, TensorSpec)}
        kwargs = {named.get(name, name): value for name, value in kwargs.items()}
        fixed = {name: t.placeholder_value(None) for name, t in types.items() if _is_fixed(t)}
        signature = self.function_type.signature
        try:
            bound = signature.bind_partial(*args, **kwargs)
        except TypeError as error:
            raise unbound(error, self.name, signature) from None
        for name, value in fixed.items():
            bound.arguments.setdefault(name, value)
        missing = [name for name in types if name not in bound.arguments]
        if missing:
            return bind(signature, args, kwargs, self.name)
        return bound

    # ---- looking -------------------------------------------------------------------------

    @property
    def captured_inputs(self) -> list:
        """The outer inputs of the graph: captured tensors, then the handles of variables."""
        cells = (node.attrs.get("cell") for node in self.frozen.walk())
        return [*self.captured_tensors, *dict.fromkeys(cell for cell in cells if cell is not None)]

    @property
    def variables(self) -> tuple:
        """The variables that the graph reads or assigns, as far as they still exist."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple:
        return self.graph.trainable_variables

    @property
    def output_dtypes(self):
        """The data types of the results, in their structure."""
        return nest.map_structure(
            lambda spec: getattr(spec, "dtype", None), self.structured_outputs
        )

    @property
    def output_shapes(self):
        """The shapes of the results, in their structure."""
        return nest.map_structure(
            lambda spec: getattr(spec, "shape", None), self.structured_outputs
        )

    @property
    def function_def(self):
        """The nodes and the attributes, `_implements` among them, as records that print."""
        return late.as_function_def(self.frozen, self.attributes)

    @property
    def inference_fn(self) -> AtomicFunction:
        return AtomicFunction(self)

    @property
    def program(self):
        """The schedule that the executors write out."""
        return self.executable.program

    @property
    def optimized_graph(self):
        """The graph after the passes."""
        return self.executable.graph

    def kernels(self):
        """The native kernels: `source` of one is Python, `assembly()` shows its instructions."""
        return self.executable.kernels()

    def explain(self):
        """How each operation runs: native or NumPy and why, what it is fused with, what it costs.

        Print the result; its `rows` are the same as data.
        """
        with compiling_with(self.kernel_compiler):
            return late.explain(self.executable.graph)

    def explain_passes(self):
        """The changes of this graph by each pass.

        Print the result; its `rows` are the same as data.
        """
        with compiling_with(self.kernel_compiler):
            return late.pass_effects(self.frozen)

    def measure(self, *args, **kwargs):
        """The result of `explain`, with the time of each step on these arguments.

        Each step is compiled and run by itself: its time, its share of the total, and the factor to
        what this machine needs for as many bytes or arithmetic operations. Operations with side
        effects are not run. Print the result; its `times` are the same as data.
        """
        tensors = map(convert_to_tensor, self.flat_arguments(args, kwargs))
        arrays = [tensor.numpy() for tensor in tensors]
        with compiling_with(self.kernel_compiler):
            return late.explain(self.executable.graph, [*arrays, *self.captured_arrays])

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The inputs of the graph as symbolic tensors: arguments, then captured tensors."""
        return [SymbolicTensor(value, self.graph) for value in self.frozen.inputs]

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The results of the graph as symbolic tensors, flat."""
        return [SymbolicTensor(value, self.graph) for value in self.frozen.outputs]

    @property
    def structured_input_signature(self):
        """`((spec, ...), {name: spec})`, as the older guide prints it."""
        args, kwargs = [], {}
        names = iter([value.name for value in self.frozen.inputs])
        for name, row in self.function_type.parameters.items():
            if row.kind is row.KEYWORD_ONLY:
                kwargs[name] = _spec_or_value(row.annotation, names)
            else:
                args.append(_spec_or_value(row.annotation, names))
        return tuple(args), kwargs

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Parameters, result type and captures, a line each; all in one line if not `verbose`."""
        if not verbose:
            return repr(self.function_type)
        rows = self.function_type.parameters.values()
        lines = ["Input Parameters:"]
        lines += [f"  {row.name} ({row.kind.name}): {row.annotation!r}" for row in rows]
        if not rows:
            lines.append("  None")
        lines += ["Output Type:", f"  {self.function_type.output!r}", "Captures:"]
        lines += [f"  {_described(thing)}" for thing in self.captured_inputs] or ["  None"]
        return "\n".join(lines)

    def __str__(self):
        return "ConcreteFunction " + self.pretty_printed_signature()

    def __repr__(self):
        return f"<ConcreteFunction {self.name}{self.function_type!r}>"


def _described(capture) -> str:
    if not isinstance(capture, Tensor):  # the cell of a variable
        return f"{id(capture)}: TensorSpec(shape=(), dtype=tf.resource, name=None)"
    return f"{id(capture)}: {TensorSpec(capture.dims, capture.dtype)!r}"


def _is_fixed(type_) -> bool:
    """Whether a trace type allows only one value, which the trace holds."""
    components = getattr(type_, "components", None)
    if components is not None:
        return all(map(_is_fixed, components))
    return not isinstance(type_, TypeSpec) and type_.is_alive


def _spec_or_value(type_, names):
    """A trace type in a signature: a spec with its input's name, a value, a structure of them."""
    if isinstance(type_, TensorSpec):
        return TensorSpec(type_.dims, type_.dtype, next(names))
    if isinstance(type_, Container):
        return type_.around([_spec_or_value(component, names) for component in type_.components])
    is_variable = type(type_) is Reference and issubclass(type_.object_type, Variable)
    return type_.placeholder_value(None) if _is_fixed(type_) and not is_variable else type_
