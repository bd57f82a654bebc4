"""The operations, one family a file. The declaration of an operation holds its types, shape rule,
NumPy kernel, native form, effect and gradient. Importing this package registers those that most
programs use; the others are registered when one of them is first looked up.
"""

from .array import constants, creation, gathering, joining, masking, shape_ops, slicing
from .control import control_flow, loop_results
from .linalg import matmul
from .math import bitwise, casting, comparison, elementwise, reductions, trigonometry
from .state import printing, python_calls
