from ..runtime.core.dtypes import FROM_NUMPY as FROM_NUMPY
from ..runtime.core.dtypes import dtype_named as dtype_named
from ..runtime.core.dtypes import stack as _STACK
STACK = _STACK
from ..runtime.core.numpy_dtypes import highest as highest
from ..runtime.core.numpy_dtypes import is_complex as is_complex
from ..runtime.core.numpy_dtypes import is_floating as is_floating
from ..runtime.core.numpy_dtypes import is_real as is_real
from ..runtime.core.numpy_dtypes import lowest as lowest
from ..runtime.core.numpy_dtypes import lowest_of as lowest_of
from ..runtime.core.shapes import Shape as Shape
from ..runtime.core.shapes import as_shape as as_shape
from ..runtime.core.shapes import dimensions as dimensions
from ..runtime.core.shapes import is_compatible as is_compatible
from ..runtime.core.shapes import is_static as is_static
from ..runtime.core.shapes import is_subshape as is_subshape
from ..runtime.core.shapes import join as _join_shapes
join_shapes = _join_shapes
from ..runtime.core.shapes import broadcast as broadcast
from ..runtime.core.shapes import merge as _merge_shapes
merge_shapes = _merge_shapes
from ..runtime.core.shapes import show as show
from ..runtime.core.shapes import size_of as size_of
from ..tracing.type_system.trace_types import Container as Container
from ..tracing.type_system.trace_types import Literal as Literal
from ..tracing.type_system.trace_types import Reference as Reference
from ..tracing.type_system.trace_types import TraceType as TraceType
from ..tracing.type_system.trace_types import trace_type as trace_type
from ..tracing.type_system.extension_spec import ExtensionSpec as ExtensionSpec
from ..tracing.type_system.extension_spec import value_of as value_of
from ..tracing.type_system.composite_specs import CompositeSpec as CompositeSpec
from ..tracing.type_system.composite_specs import CompositeTensor as CompositeTensor
from ..tracing.type_system.composite_specs import borrow_operators as borrow_operators
from ..tracing.type_system.composite_specs import container_of as container_of
from ..tracing.type_system.function_type import BindingError as BindingError
from ..tracing.type_system.function_type import FunctionType as FunctionType
from ..tracing.type_system.function_type import bind as bind
from ..tracing.type_system.function_type import type_of_call as type_of_call
