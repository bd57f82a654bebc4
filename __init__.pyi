"""The public vocabulary, for editors and type checkers (see allograph.tools.stubs)."""

import builtins
from collections.abc import Callable
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")

__version__: str
newaxis: None

from .runtime.core.dtypes import DType as _as_DType
from .tracing.differentiation.gradient_tape import GradientTape as _as_GradientTape
from .tracing.functions.func_graph import FuncGraph as _as_Graph
from .library.ragged.ragged_tensor import RaggedTensor as _as_RaggedTensor
from .library.compat.session import Session as _as_Session
from .library.sparse_tensors.sparse_tensor import SparseTensor as _as_SparseTensor
from .runtime.tensors.tensor import Tensor as _as_Tensor
from .runtime.core.shapes import TensorShape as _as_TensorShape
from .tracing.type_system.trace_types import TypeSpec as _as_TypeSpec
from .runtime.ops.state.variables import Variable as _as_Variable
from .tracing.differentiation.forward_accumulator import ForwardAccumulator as _as_autodiff__ForwardAccumulator
from .library.compat.devices import LogicalDevice as _as_config__LogicalDevice
from .library.compat.devices import LogicalDeviceConfiguration as _as_config__LogicalDeviceConfiguration
from .library.compat.devices import PhysicalDevice as _as_config__PhysicalDevice
from .library.keras.layers.initializers import Constant as _as_constant_initializer
from .library.data.datasets.dataset import Dataset as _as_data__Dataset
from .library.data.elements.dataset_specs import DatasetSpec as _as_data__DatasetSpec
from .library.data.readers.file_datasets import FixedLengthRecordDataset as _as_data__FixedLengthRecordDataset
from .library.data.datasets.iterators import Iterator as _as_data__Iterator
from .library.data.elements.dataset_specs import IteratorSpec as _as_data__IteratorSpec
from .library.data.datasets.iterators import NumpyIterator as _as_data__NumpyIterator
from .library.data.elements.options import Options as _as_data__Options
from .library.data.readers.file_datasets import TFRecordDataset as _as_data__TFRecordDataset
from .library.data.readers.file_datasets import TextLineDataset as _as_data__TextLineDataset
from .library.data.elements.options import OptionGroup as _as_data__ThreadingOptions
from .library.data.datasets.experimental_functions import AutoShardPolicy as _as_data__experimental__AutoShardPolicy
from .library.data.readers.file_datasets import CsvDataset as _as_data__experimental__CsvDataset
from .library.data.datasets.tables_and_groups import DatasetInitializer as _as_data__experimental__DatasetInitializer
from .library.data.datasets.experimental_functions import ExternalStatePolicy as _as_data__experimental__ExternalStatePolicy
from .library.data.datasets.tables_and_groups import Reducer as _as_data__experimental__Reducer
from .library.distribute.strategy import PerReplica as _as_distribute__PerReplica
from .library.distribute.strategy import Strategy as _as_distribute__Strategy
from .library.file_io.service_errors import AbortedError as _as_errors__AbortedError
from .runtime.core.errors import AlreadyExistsError as _as_errors__AlreadyExistsError
from .runtime.core.errors import AssertionFailedError as _as_errors__AssertionFailedError
from .tracing.type_system.function_type import BindingError as _as_errors__BindingError
from .runtime.core.errors import CancelledError as _as_errors__CancelledError
from .runtime.core.errors import DTypeError as _as_errors__DTypeError
from .runtime.core.errors import DataLossError as _as_errors__DataLossError
from .library.file_io.service_errors import DeadlineExceededError as _as_errors__DeadlineExceededError
from .tracing.structures.errors import DeclaredResultError as _as_errors__DeclaredResultError
from .runtime.core.errors import FailedPreconditionError as _as_errors__FailedPreconditionError
from .runtime.core.errors import FileMissingError as _as_errors__FileMissingError
from .runtime.core.errors import OutOfScopeError as _as_errors__InaccessibleTensorError
from .tracing.structures.errors import InconsistentBranchError as _as_errors__InconsistentBranchError
from .tracing.structures.errors import InconsistentLoopError as _as_errors__InconsistentLoopError
from .runtime.core.errors import InternalError as _as_errors__InternalError
from .runtime.core.errors import InvalidArgumentError as _as_errors__InvalidArgumentError
from .runtime.core.errors import NoArrayError as _as_errors__NoArrayError
from .library.data.elements.nodes import NoLengthError as _as_errors__NoLengthError
from .runtime.core.errors import NotFoundError as _as_errors__NotFoundError
from .library.saved.json_structures import NotSavableError as _as_errors__NotSavableError
from .runtime.core.errors import Error as _as_errors__OpError
from .runtime.core.errors import SymbolicValueError as _as_errors__OperatorNotAllowedInGraphError
from .runtime.core.errors import OutOfBoundsError as _as_errors__OutOfBoundsError
from .runtime.core.errors import OutOfRangeError as _as_errors__OutOfRangeError
from .library.file_io.service_errors import PermissionDeniedError as _as_errors__PermissionDeniedError
from .runtime.core.errors import RecursionLimitError as _as_errors__RecursionLimitError
from .runtime.core.errors import ResourceExhaustedError as _as_errors__ResourceExhaustedError
from .tracing.structures.errors import RetracingLimitError as _as_errors__RetracingLimitError
from .tracing.functions.retrace_history import RetracingWarning as _as_errors__RetracingWarning
from .runtime.core.errors import ShapeError as _as_errors__ShapeError
from .tracing.structures.errors import StagedHandlerError as _as_errors__StagedHandlerError
from .tracing.structures.errors import StagingError as _as_errors__StagingError
from .library.file_io.service_errors import UnavailableError as _as_errors__UnavailableError
from .runtime.core.errors import UnimplementedError as _as_errors__UnimplementedError
from .library.file_io.service_errors import UnknownError as _as_errors__UnknownError
from .library.profiling.unroll_warning import UnrolledLoopWarning as _as_errors__UnrolledLoopWarning
from .runtime.ops.control.loop_results import UnsetError as _as_errors__UnsetError
from .library.saved.save import UntrackedError as _as_errors__UntrackedError
from .library.extension_types.extension_type import BatchableExtensionType as _as_experimental__BatchableExtensionType
from .library.extension_types.extension_type import ExtensionType as _as_experimental__ExtensionType
from .tracing.type_system.extension_spec import ExtensionSpec as _as_experimental__ExtensionTypeSpec
from .library.data.datasets.iterators import Optional as _as_experimental__Optional
from .library.image.resizing import ResizeMethod as _as_image__ResizeMethod
from .library.keras.layers.initializers import Identity as _as_initializers__Identity
from .library.keras.layers.initializers import Initializer as _as_initializers__Initializer
from .library.keras.layers.initializers import VarianceScaling as _as_initializers__VarianceScaling
from .library.example_parsing.feature_specs import FixedLenFeature as _as_io__FixedLenFeature
from .library.example_parsing.feature_specs import FixedLenSequenceFeature as _as_io__FixedLenSequenceFeature
from .library.example_parsing.feature_specs import RaggedFeature as _as_io__RaggedFeature
from .library.example_parsing.feature_specs import SparseFeature as _as_io__SparseFeature
from .library.file_io.tfrecord import TFRecordOptions as _as_io__TFRecordOptions
from .library.file_io.tfrecord import TFRecordWriter as _as_io__TFRecordWriter
from .library.example_parsing.feature_specs import VarLenFeature as _as_io__VarLenFeature
from .library.file_io.gfile import GFile as _as_io__gfile__GFile
from .library.keras.mixed_precision import Policy as _as_keras__DTypePolicy
from .library.keras.layers.wrapping_layers import InputSpec as _as_keras__InputSpec
from .library.keras.models.functional_api import KerasTensor as _as_keras__KerasTensor
from .library.keras.layers.base_layer import Layer as _as_keras__Layer
from .library.keras.training.losses import Loss as _as_keras__Loss
from .library.keras.training.metrics import Metric as _as_keras__Metric
from .library.keras.models.model import Model as _as_keras__Model
from .library.keras.training.optimizers import Optimizer as _as_keras__Optimizer
from .library.keras.layers.regularizers import Regularizer as _as_keras__Regularizer
from .library.keras.models.model import Sequential as _as_keras__Sequential
from .library.keras.training.file_callbacks import BackupAndRestore as _as_keras__callbacks__BackupAndRestore
from .library.keras.training.file_callbacks import CSVLogger as _as_keras__callbacks__CSVLogger
from .library.keras.training.callbacks import Callback as _as_keras__callbacks__Callback
from .library.keras.training.callbacks import EarlyStopping as _as_keras__callbacks__EarlyStopping
from .library.keras.training.callbacks import History as _as_keras__callbacks__History
from .library.keras.training.callbacks import LambdaCallback as _as_keras__callbacks__LambdaCallback
from .library.keras.training.callbacks import LearningRateScheduler as _as_keras__callbacks__LearningRateScheduler
from .library.keras.training.file_callbacks import ModelCheckpoint as _as_keras__callbacks__ModelCheckpoint
from .library.keras.training.callbacks import Lines as _as_keras__callbacks__ProgbarLogger
from .library.keras.training.callbacks import ReduceLROnPlateau as _as_keras__callbacks__ReduceLROnPlateau
from .library.keras.training.tensorboard_callback import TensorBoard as _as_keras__callbacks__TensorBoard
from .library.keras.training.callbacks import TerminateOnNaN as _as_keras__callbacks__TerminateOnNaN
from .library.keras.layers.constraints import Constraint as _as_keras__constraints__Constraint
from .library.keras.layers.constraints import MaxNorm as _as_keras__constraints__MaxNorm
from .library.keras.layers.constraints import MinMaxNorm as _as_keras__constraints__MinMaxNorm
from .library.keras.layers.constraints import NonNeg as _as_keras__constraints__NonNeg
from .library.keras.layers.constraints import UnitNorm as _as_keras__constraints__UnitNorm
from .library.keras.layers.core_layers import Activation as _as_keras__layers__Activation
from .library.keras.layers.regularization_layers import ActivityRegularization as _as_keras__layers__ActivityRegularization
from .library.keras.layers.attention_layers import AdditiveAttention as _as_keras__layers__AdditiveAttention
from .library.keras.layers.regularization_layers import AlphaDropout as _as_keras__layers__AlphaDropout
from .library.keras.layers.attention_layers import Attention as _as_keras__layers__Attention
from .library.keras.layers.normalization_layers import BatchNormalization as _as_keras__layers__BatchNormalization
from .library.keras.layers.recurrent_layers import Bidirectional as _as_keras__layers__Bidirectional
from .library.keras.preprocessing.encodings import CategoryEncoding as _as_keras__layers__CategoryEncoding
from .library.keras.preprocessing.image_layers import CenterCrop as _as_keras__layers__CenterCrop
from .library.keras.layers.merging_layers import Concatenate as _as_keras__layers__Concatenate
from .library.keras.layers.core_layers import Dense as _as_keras__layers__Dense
from .library.keras.preprocessing.encodings import Discretization as _as_keras__layers__Discretization
from .library.keras.layers.scaling_layers import Dot as _as_keras__layers__Dot
from .library.keras.layers.core_layers import Dropout as _as_keras__layers__Dropout
from .library.keras.layers.core_layers import ELU as _as_keras__layers__ELU
from .library.keras.layers.scaling_layers import EinsumDense as _as_keras__layers__EinsumDense
from .library.keras.layers.core_layers import Embedding as _as_keras__layers__Embedding
from .library.keras.layers.core_layers import Flatten as _as_keras__layers__Flatten
from .library.keras.layers.recurrent_cells import GRUCell as _as_keras__layers__GRUCell
from .library.keras.layers.regularization_layers import GaussianDropout as _as_keras__layers__GaussianDropout
from .library.keras.layers.core_layers import GaussianNoise as _as_keras__layers__GaussianNoise
from .library.keras.layers.normalization_layers import GroupNormalization as _as_keras__layers__GroupNormalization
from .library.keras.preprocessing.hashing_layers import HashedCrossing as _as_keras__layers__HashedCrossing
from .library.keras.preprocessing.hashing_layers import Hashing as _as_keras__layers__Hashing
from .library.keras.layers.scaling_layers import Identity as _as_keras__layers__Identity
from .library.keras.layers.core_layers import InputLayer as _as_keras__layers__InputLayer
from .library.keras.preprocessing.lookup_layers import IntegerLookup as _as_keras__layers__IntegerLookup
from .library.keras.layers.recurrent_cells import LSTMCell as _as_keras__layers__LSTMCell
from .library.keras.layers.core_layers import Lambda as _as_keras__layers__Lambda
from .library.keras.layers.base_layer import Layer as _as_keras__layers__Layer
from .library.keras.layers.normalization_layers import LayerNormalization as _as_keras__layers__LayerNormalization
from .library.keras.layers.core_layers import LeakyReLU as _as_keras__layers__LeakyReLU
from .library.keras.layers.scaling_layers import Masking as _as_keras__layers__Masking
from .library.keras.layers.attention_layers import MultiHeadAttention as _as_keras__layers__MultiHeadAttention
from .library.keras.preprocessing.normalization_layer import Normalization as _as_keras__layers__Normalization
from .library.keras.layers.scaling_layers import PReLU as _as_keras__layers__PReLU
from .library.keras.layers.core_layers import Permute as _as_keras__layers__Permute
from .library.keras.layers.normalization_layers import RMSNormalization as _as_keras__layers__RMSNormalization
from .library.keras.layers.recurrent_layers import RNN as _as_keras__layers__RNN
from .library.keras.preprocessing.random_image_layers import RandomBrightness as _as_keras__layers__RandomBrightness
from .library.keras.preprocessing.random_image_layers import RandomContrast as _as_keras__layers__RandomContrast
from .library.keras.preprocessing.random_image_layers import RandomCrop as _as_keras__layers__RandomCrop
from .library.keras.preprocessing.random_image_layers import RandomFlip as _as_keras__layers__RandomFlip
from .library.keras.preprocessing.random_image_layers import RandomRotation as _as_keras__layers__RandomRotation
from .library.keras.preprocessing.random_image_layers import RandomTranslation as _as_keras__layers__RandomTranslation
from .library.keras.preprocessing.random_image_layers import RandomZoom as _as_keras__layers__RandomZoom
from .library.keras.layers.core_layers import ReLU as _as_keras__layers__ReLU
from .library.keras.layers.core_layers import RepeatVector as _as_keras__layers__RepeatVector
from .library.keras.layers.scaling_layers import Rescaling as _as_keras__layers__Rescaling
from .library.keras.layers.core_layers import Reshape as _as_keras__layers__Reshape
from .library.keras.preprocessing.image_layers import Resizing as _as_keras__layers__Resizing
from .library.keras.layers.recurrent_cells import SimpleRNNCell as _as_keras__layers__SimpleRNNCell
from .library.keras.layers.core_layers import Softmax as _as_keras__layers__Softmax
from .library.keras.layers.regularization_layers import SpatialDropout1D as _as_keras__layers__SpatialDropout1D
from .library.keras.layers.core_layers import SpatialDropout2D as _as_keras__layers__SpatialDropout2D
from .library.keras.layers.regularization_layers import SpatialDropout3D as _as_keras__layers__SpatialDropout3D
from .library.keras.layers.wrapping_layers import SpectralNormalization as _as_keras__layers__SpectralNormalization
from .library.keras.layers.recurrent_cells import StackedRNNCells as _as_keras__layers__StackedRNNCells
from .library.keras.preprocessing.lookup_layers import StringLookup as _as_keras__layers__StringLookup
from .library.keras.preprocessing.text_vectorization import TextVectorization as _as_keras__layers__TextVectorization
from .library.keras.layers.scaling_layers import ThresholdedReLU as _as_keras__layers__ThresholdedReLU
from .library.keras.layers.recurrent_layers import TimeDistributed as _as_keras__layers__TimeDistributed
from .library.keras.layers.scaling_layers import UnitNormalization as _as_keras__layers__UnitNormalization
from .library.keras.layers.wrapping_layers import Wrapper as _as_keras__layers__Wrapper
from .library.keras.training.losses import Loss as _as_keras__losses__Loss
from .library.keras.training.metrics import Metric as _as_keras__metrics__Metric
from .library.keras.training.optimizers import Optimizer as _as_keras__optimizers__Optimizer
from .library.keras.random_functions import SeedGenerator as _as_keras__random__SeedGenerator
from .library.keras.layers.regularizers import L1 as _as_keras__regularizers__L1
from .library.keras.layers.regularizers import L1L2 as _as_keras__regularizers__L1L2
from .library.keras.layers.regularizers import L2 as _as_keras__regularizers__L2
from .library.keras.layers.regularizers import OrthogonalRegularizer as _as_keras__regularizers__OrthogonalRegularizer
from .library.keras.utils import Progbar as _as_keras__utils__Progbar
from .library.keras.training.data_adapters import PyDataset as _as_keras__utils__PyDataset
from .library.linear_operators.operator import LinearOperator as _as_linalg__LinearOperator
from .library.linear_operators.derived import LinearOperatorAdjoint as _as_linalg__LinearOperatorAdjoint
from .library.linear_operators.block_operators import LinearOperatorBlockDiag as _as_linalg__LinearOperatorBlockDiag
from .library.linear_operators.block_operators import LinearOperatorBlockLowerTriangular as _as_linalg__LinearOperatorBlockLowerTriangular
from .library.linear_operators.circulant import LinearOperatorCirculant as _as_linalg__LinearOperatorCirculant
from .library.linear_operators.derived import LinearOperatorComposition as _as_linalg__LinearOperatorComposition
from .library.linear_operators.diagonal import LinearOperatorDiag as _as_linalg__LinearOperatorDiag
from .library.linear_operators.triangular import LinearOperatorFullMatrix as _as_linalg__LinearOperatorFullMatrix
from .library.linear_operators.reflections import LinearOperatorHouseholder as _as_linalg__LinearOperatorHouseholder
from .library.linear_operators.diagonal import LinearOperatorIdentity as _as_linalg__LinearOperatorIdentity
from .library.linear_operators.derived import LinearOperatorInversion as _as_linalg__LinearOperatorInversion
from .library.linear_operators.block_operators import LinearOperatorKronecker as _as_linalg__LinearOperatorKronecker
from .library.linear_operators.updates import LinearOperatorLowRankUpdate as _as_linalg__LinearOperatorLowRankUpdate
from .library.linear_operators.triangular import LinearOperatorLowerTriangular as _as_linalg__LinearOperatorLowerTriangular
from .library.linear_operators.reflections import LinearOperatorPermutation as _as_linalg__LinearOperatorPermutation
from .library.linear_operators.diagonal import LinearOperatorScaledIdentity as _as_linalg__LinearOperatorScaledIdentity
from .library.linear_operators.triangular import LinearOperatorToeplitz as _as_linalg__LinearOperatorToeplitz
from .library.linear_operators.triangular import LinearOperatorTridiag as _as_linalg__LinearOperatorTridiag
from .library.linear_operators.diagonal import LinearOperatorZeros as _as_linalg__LinearOperatorZeros
from .library.lookup_tables import KeyValueTensorInitializer as _as_lookup__KeyValueTensorInitializer
from .library.lookup_tables import StaticHashTable as _as_lookup__StaticHashTable
from .library.lookup_tables import StaticVocabularyTable as _as_lookup__StaticVocabularyTable
from .library.lookup_tables import TextFileIndex as _as_lookup__TextFileIndex
from .library.lookup_tables import TextFileInitializer as _as_lookup__TextFileInitializer
from .library.lookup_tables import MutableHashTable as _as_lookup__experimental__DenseHashTable
from .library.keras.training.losses import Reduction as _as_losses__Reduction
from .library.keras.training.metrics import AUC as _as_metrics__AUC
from .library.keras.training.class_metrics import BinaryIoU as _as_metrics__BinaryIoU
from .library.keras.training.metrics import CosineSimilarity as _as_metrics__CosineSimilarity
from .library.keras.training.class_metrics import F1Score as _as_metrics__F1Score
from .library.keras.training.class_metrics import FBetaScore as _as_metrics__FBetaScore
from .library.keras.training.class_metrics import IoU as _as_metrics__IoU
from .library.keras.training.metrics import Mean as _as_metrics__Mean
from .library.keras.training.class_metrics import MeanIoU as _as_metrics__MeanIoU
from .library.keras.training.metrics import MeanMetricWrapper as _as_metrics__MeanMetricWrapper
from .library.keras.training.class_metrics import OneHotIoU as _as_metrics__OneHotIoU
from .library.keras.training.class_metrics import OneHotMeanIoU as _as_metrics__OneHotMeanIoU
from .library.keras.training.class_metrics import R2Score as _as_metrics__R2Score
from .library.keras.training.metrics import RootMeanSquaredError as _as_metrics__RootMeanSquaredError
from .library.keras.training.metrics import Sum as _as_metrics__Sum
from .runtime.tensors.name_scopes import name_scope as _as_name_scope
from .library.keras.layers.initializers import Ones as _as_ones_initializer
from .library.keras.training.optimizers import Adadelta as _as_optimizers__Adadelta
from .library.keras.training.further_optimizers import Adafactor as _as_optimizers__Adafactor
from .library.keras.training.optimizers import Adagrad as _as_optimizers__Adagrad
from .library.keras.training.optimizers import Adam as _as_optimizers__Adam
from .library.keras.training.optimizers import AdamW as _as_optimizers__AdamW
from .library.keras.training.optimizers import Adamax as _as_optimizers__Adamax
from .library.keras.training.further_optimizers import Ftrl as _as_optimizers__Ftrl
from .library.keras.training.further_optimizers import Lamb as _as_optimizers__Lamb
from .library.keras.training.optimizers import Lion as _as_optimizers__Lion
from .library.keras.training.further_optimizers import LossScaleOptimizer as _as_optimizers__LossScaleOptimizer
from .library.keras.training.further_optimizers import Nadam as _as_optimizers__Nadam
from .library.keras.training.optimizers import RMSprop as _as_optimizers__RMSprop
from .library.keras.training.optimizers import SGD as _as_optimizers__SGD
from .library.keras.training.learning_rate_schedules import CosineDecay as _as_optimizers__schedules__CosineDecay
from .library.keras.training.learning_rate_schedules import CosineDecayRestarts as _as_optimizers__schedules__CosineDecayRestarts
from .library.keras.training.learning_rate_schedules import ExponentialDecay as _as_optimizers__schedules__ExponentialDecay
from .library.keras.training.learning_rate_schedules import InverseTimeDecay as _as_optimizers__schedules__InverseTimeDecay
from .library.keras.training.learning_rate_schedules import LearningRateSchedule as _as_optimizers__schedules__LearningRateSchedule
from .library.keras.training.learning_rate_schedules import PiecewiseConstantDecay as _as_optimizers__schedules__PiecewiseConstantDecay
from .library.keras.training.learning_rate_schedules import PolynomialDecay as _as_optimizers__schedules__PolynomialDecay
from .library.keras.layers.initializers import Orthogonal as _as_orthogonal_initializer
from .library.tensorboard.profiler import Profile as _as_profiler__experimental__Profile
from .library.tensorboard.profiler import ProfilerOptions as _as_profiler__experimental__ProfilerOptions
from .library.random.random_distributions import Algorithm as _as_random__Algorithm
from .library.random.random_generators import Generator as _as_random__Generator
from .library.keras.layers.initializers import RandomNormal as _as_random_normal_initializer
from .library.keras.layers.initializers import RandomUniform as _as_random_uniform_initializer
from .library.saved.saving_options import LoadOptions as _as_saved_model__LoadOptions
from .library.saved.saving_options import SaveOptions as _as_saved_model__SaveOptions
from .library.tensorboard.summaries import SummaryWriter as _as_summary__SummaryWriter
from .library.compat.v1_training import AdagradOptimizer as _as_train__AdagradOptimizer
from .library.compat.v1_training import AdamOptimizer as _as_train__AdamOptimizer
from .library.file_io.example_messages import BytesList as _as_train__BytesList
from .library.saved.checkpoint import Checkpoint as _as_train__Checkpoint
from .library.saved.checkpoint_manager import CheckpointManager as _as_train__CheckpointManager
from .library.saved.saving_options import CheckpointOptions as _as_train__CheckpointOptions
from .library.compat.program_helpers import Coordinator as _as_train__Coordinator
from .library.file_io.example_messages import Example as _as_train__Example
from .library.compat.moving_averages import ExponentialMovingAverage as _as_train__ExponentialMovingAverage
from .library.file_io.example_messages import Feature as _as_train__Feature
from .library.file_io.example_messages import FeatureList as _as_train__FeatureList
from .library.file_io.example_messages import FeatureLists as _as_train__FeatureLists
from .library.file_io.example_messages import Features as _as_train__Features
from .library.file_io.example_messages import FloatList as _as_train__FloatList
from .library.compat.v1_training import GradientDescentOptimizer as _as_train__GradientDescentOptimizer
from .library.file_io.example_messages import Int64List as _as_train__Int64List
from .library.compat.v1_training import MomentumOptimizer as _as_train__MomentumOptimizer
from .library.compat.v1_training import Optimizer as _as_train__Optimizer
from .library.compat.v1_training import RMSPropOptimizer as _as_train__RMSPropOptimizer
from .library.file_io.example_messages import SequenceExample as _as_train__SequenceExample
from .library.keras.layers.initializers import TruncatedNormal as _as_truncated_normal_initializer
from .tracing.functions.atomic_function import AtomicFunction as _as_types__experimental__AtomicFunction
from .tracing.functions.bound_function import GenericFunction as _as_types__experimental__Callable
from .tracing.functions.concrete_function import ConcreteFunction as _as_types__experimental__ConcreteFunction
from .tracing.type_system.function_type import FunctionType as _as_types__experimental__FunctionType
from .library.profiling.jit_traces import JitTrace as _as_types__experimental__JitTrace
from .tracing.functions.polymorphic_function import PolymorphicFunction as _as_types__experimental__PolymorphicFunction
from .tracing.type_system.trace_types import SupportsTracingProtocol as _as_types__experimental__SupportsTracingProtocol
from .tracing.type_system.trace_types import TraceType as _as_types__experimental__TraceType
from .library.keras.layers.initializers import Zeros as _as_zeros_initializer

class _PolymorphicFunction(Generic[_P, _R]):
    """A Python function with a cache of its traces."""

    __name__: str
    __wrapped__: Callable[_P, _R]
    python_function: Callable[_P, _R]
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: Any = ...) -> _PolymorphicFunction[_P, _R]: ...
    @overload
    def __get__(
        self: _PolymorphicFunction[Concatenate[Any, _Q], _R], instance: object, owner: Any = ...
    ) -> _PolymorphicFunction[_Q, _R]: ...
    name: builtins.str
    function_spec: Any
    function_type: Any
    input_signature: builtins.tuple | None
    def clear(self) -> None: """Drop all traces, and the reasons for them; later calls trace again."""
    def get_concrete_function(self, *args, **kwargs) -> _as_types__experimental__ConcreteFunction: """The trace for these arguments, which may be tensors, specs or Python values; not run."""
    def experimental_get_tracing_count(self) -> builtins.int: """How many traces there are."""
    def explain_retraces(self) -> builtins.str: """For each trace after the first: which argument changed, how, and what avoids it."""
    def precompile(self, *args, **kwargs) -> _as_types__experimental__ConcreteFunction: """The trace for these arguments, with its native code: a later call finds both ready."""
    traces: builtins.dict[_as_types__experimental__FunctionType, _as_types__experimental__ConcreteFunction]
    def pretty_printed_concrete_signatures(self, verbose=...) -> builtins.str: """Every trace: its parameters, result and captures."""
    traces_made: Any
    def as_cfunc(self, signature) -> Any: """The function as one of C, which compiled code calls by its `address`, without Python."""


class _JitFunction(Generic[_P, _R]):
    """A function of NumPy arrays and numbers; see `jit`."""

    __name__: str
    __wrapped__: Callable[_P, _R]
    python_function: Callable[_P, _R]
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: Any = ...) -> _JitFunction[_P, _R]: ...
    @overload
    def __get__(
        self: _JitFunction[Concatenate[Any, _Q], _R], instance: object, owner: Any = ...
    ) -> _JitFunction[_Q, _R]: ...
    def inspect(self) -> builtins.str: """The entry of each combination of argument types: native code, or NumPy and why."""
    def explain_retraces(self) -> builtins.str: """Which argument made each trace after the first one necessary."""
    kernels: Any
    def as_cfunc(self, signature) -> Any: """The function as one of C, which compiled code calls by its `address`, without Python."""

from .library.compat.program_helpers import AggregationMethod as AggregationMethod
def Assert(condition, data=..., summarize=..., name=..., kind=...) -> None: """Raise AssertionFailedError with `data` if `condition` is false when the program runs."""
from .library.compat.program_helpers import CriticalSection as CriticalSection
from .runtime.core.dtypes import DType as DType
from .library.compat.program_helpers import DeviceSpec as DeviceSpec
from .tracing.differentiation.gradient_tape import GradientTape as GradientTape
from .tracing.functions.func_graph import FuncGraph as _Graph
Graph = _Graph
from .runtime.ops.state.variable_updates import IndexedSlices as IndexedSlices
from .library.module import Module as Module
from .library.ragged.ragged_tensor import RaggedTensor as RaggedTensor
from .library.ragged.ragged_spec import RaggedTensorSpec as RaggedTensorSpec
from .library.compat.session import Session as Session
from .library.sparse_tensors.sparse_tensor import SparseTensor as SparseTensor
from .library.sparse_tensors.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from .runtime.tensors.tensor import Tensor as Tensor
from .library.tensor_array import TensorArray as TensorArray
from .runtime.core.shapes import TensorShape as TensorShape
from .tracing.type_system.trace_types import TensorSpec as TensorSpec
from .tracing.type_system.trace_types import TypeSpec as TypeSpec
from .tracing.differentiation.targets_and_sources import UnconnectedGradients as UnconnectedGradients
from .runtime.ops.state.variables import Variable as Variable
from .library.compat.program_helpers import VariableAggregation as VariableAggregation
from .library.compat.program_helpers import VariableSynchronization as VariableSynchronization
def abs(x, *, name=...) -> _as_Tensor: """The absolute value of each element; for complex numbers the magnitude, as a float."""
def acos(x, *, name=...) -> _as_Tensor: """The inverse cosine of each element, in radians; NaN for reals outside [-1, 1]."""
def acosh(x, *, name=...) -> _as_Tensor: """The inverse hyperbolic cosine of each element; NaN for reals below 1."""
def add(x, y, *, name=...) -> _as_Tensor: """`x + y`; strings are concatenated. The shapes broadcast."""
def add_n(inputs, name=...) -> _as_Tensor: """The elementwise sum of a list of tensors of one shape and dtype."""
def annotate(function, /, *args, **kwargs) -> Any: """The source of a function, and of each line whether it runs as native code, on threads, on NumPy or in Python, and why."""
def approx_top_k(input, k, reduction_dimension=..., is_max_k=..., **options) -> builtins.tuple[_as_Tensor, _as_Tensor]: """`nn.approx_max_k`, or `nn.approx_min_k` unless `is_max_k`."""
def argmax(input, axis=..., output_type=..., name=...) -> _as_Tensor: """The index of the largest element along `axis` (default 0); the first one in case of ties."""
def argmin(input, axis=..., output_type=..., name=...) -> _as_Tensor: """The index of the smallest element along `axis` (default 0); the first one in case of ties."""
def argsort(values, axis=..., direction=..., stable=..., name=...) -> _as_Tensor: """The indices that sort the elements along `axis`, int32 in the shape of `values`."""
array_api: Any
def as_dtype(value) -> _as_DType: """The `DType` meant by a DType, a NumPy type, a Python type or a name."""
def as_string(input, precision=..., scientific=..., shortest=..., width=..., fill=..., name=...) -> _as_Tensor: """Each number or bool formatted as a string."""
def asin(x, *, name=...) -> _as_Tensor: """The inverse sine of each element, in radians; NaN for reals outside [-1, 1]."""
def asinh(x, *, name=...) -> _as_Tensor: """The inverse hyperbolic sine of each element."""
def assert_equal(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x == y` for all elements."""
def assert_greater(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x > y` for all elements."""
def assert_less(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x < y` for all elements."""
def assert_rank(x, rank, message=..., name=...) -> None: """Raise ShapeError unless `x` has `rank` axes."""
def atan(x, *, name=...) -> _as_Tensor: """The inverse tangent of each element, in radians."""
def atan2(y, x, *, name=...) -> _as_Tensor: """The angle of the point `(x, y)` in radians, from -pi to pi; the shapes broadcast."""
def atanh(x, *, name=...) -> _as_Tensor: """The inverse hyperbolic tangent of each element; NaN for reals outside [-1, 1]."""
class autodiff:
    ForwardAccumulator: TypeAlias = _as_autodiff__ForwardAccumulator
    GradientTape: TypeAlias = _as_GradientTape
from . import autograph as autograph
def batch_to_space(input, block_shape, crops, name=...) -> _as_Tensor: """Moves the batch back into blocks of space, and cuts the `crops` off; see `space_to_batch`."""
def bitcast(input, type, name=...) -> _as_Tensor: """The same bits interpreted as another dtype of the same size. The shape is unchanged."""
class bitwise:
    @staticmethod
    def bitwise_and(x, y, *, name=...) -> _as_Tensor: """`x & y`, bit by bit; on bools, logical and."""
    @staticmethod
    def bitwise_or(x, y, *, name=...) -> _as_Tensor: """`x | y`, bit by bit; on bools, logical or."""
    @staticmethod
    def bitwise_xor(x, y, *, name=...) -> _as_Tensor: """`x ^ y`, bit by bit; on bools, exclusive or."""
    @staticmethod
    def invert(x, *, name=...) -> _as_Tensor: """`~x`: every bit inverted; on bools, logical not."""
    @staticmethod
    def left_shift(x, y, *, name=...) -> _as_Tensor: """`x << y` of integers; 0 where `y` is negative or not below the number of bits."""
    @staticmethod
    def right_shift(x, y, *, name=...) -> _as_Tensor: """`x >> y` of integers, an arithmetic shift: the sign is kept."""
bool: _as_DType
def boolean_mask(tensor, mask, axis=..., name=...) -> _as_Tensor: """The slices of `tensor` for which the bool `mask` is true."""
def broadcast_dynamic_shape(shape_x, shape_y, *, name=...) -> _as_Tensor: """The shape that two shapes broadcast to. All three are integer vectors."""
def broadcast_static_shape(shape_x, shape_y) -> _as_TensorShape: """The shape that two static shapes broadcast to, as a `TensorShape`."""
def broadcast_to(input, shape, *, name=...) -> _as_Tensor: """`input` repeated along axes of size 1 and along new leading axes, to the shape `shape`."""
def case(pred_fn_pairs, default=..., exclusive=..., strict=..., name=...) -> Any: """The result of the first function whose predicate holds, else of `default`."""
def cast(x, dtype, name=...) -> _as_Tensor: """`x` converted to another dtype, in the same shape."""
def clip_by_global_norm(t_list, clip_norm, use_norm=..., name=...) -> builtins.tuple[builtins.list[_as_Tensor], _as_Tensor]: """Tensors scaled by one factor so that their global norm is at most `clip_norm`."""
def clip_by_norm(t, clip_norm, axes=..., name=...) -> _as_Tensor: """`t` scaled so that its Euclidean norm over `axes` (all axes for None) is at most `clip_norm`."""
def clip_by_value(t, clip_value_min, clip_value_max, name=...) -> _as_Tensor: """`t` with values limited to the range from `clip_value_min` to `clip_value_max`."""
class compat:
    class v1:
        Session: TypeAlias = _as_Session
        @staticmethod
        def placeholder(dtype, shape=..., name=...) -> Any: """A tensor of the graph being filled, whose value is fed when a `Session` runs it."""
def complex(real, imag, *, name=...) -> _as_Tensor: """Complex numbers from real and imaginary components, which broadcast."""
complex128: _as_DType
complex64: _as_DType
def concat(values, axis, name=...) -> _as_Tensor: """Tensors of one dtype concatenated along `axis`; the other dimensions are equal."""
def cond(pred, true_fn=..., false_fn=..., name=...) -> Any: """The result of `true_fn()` if `pred` holds, else of `false_fn()`; both return the same structure."""
class config:
    LogicalDevice: TypeAlias = _as_config__LogicalDevice
    LogicalDeviceConfiguration: TypeAlias = _as_config__LogicalDeviceConfiguration
    PhysicalDevice: TypeAlias = _as_config__PhysicalDevice
    class experimental:
        VirtualDeviceConfiguration: TypeAlias = _as_config__LogicalDeviceConfiguration
        @staticmethod
        def disable_mlir_bridge() -> None: """Does nothing: no MLIR is involved."""
        @staticmethod
        def enable_mlir_bridge() -> None: """Does nothing: no MLIR is involved."""
        @staticmethod
        def enable_op_determinism() -> None: """Does nothing: operations, and seeded random numbers, are deterministic anyway."""
        @staticmethod
        def enable_tensor_float_32_execution(enabled) -> None: """Does nothing: products of matrices of float32 are never rounded to fewer digits."""
        @staticmethod
        def get_device_details(device) -> builtins.dict: """What is known of a GPU, its name and the version of its instructions; of a CPU nothing."""
        @staticmethod
        def get_device_policy() -> builtins.str: """What `set_device_policy` said; 'silent' at first."""
        @staticmethod
        def get_memory_growth(device) -> builtins.bool: """True: memory of a GPU is taken when it is needed. Raises ValueError for another device."""
        @staticmethod
        def get_memory_info(device) -> builtins.dict[builtins.str, builtins.int]: """The bytes of memory of a device that this process has, and the most that it had."""
        @staticmethod
        def get_memory_usage(device) -> builtins.int: """The bytes of memory that this process has: `current` of `get_memory_info`."""
        @staticmethod
        def get_synchronous_execution() -> builtins.bool: """True: an operation has run when its call returns."""
        @staticmethod
        def get_virtual_device_configuration(device) -> builtins.list[_as_config__LogicalDeviceConfiguration] | None: """What `config.set_logical_device_configuration` said, or None."""
        @staticmethod
        def get_visible_devices(device_type=...) -> builtins.list[_as_config__PhysicalDevice]: """The devices of a type that are in use; of every type for None."""
        @staticmethod
        def list_logical_devices(device_type=...) -> builtins.list[_as_config__LogicalDevice]: """The devices that operations may be placed on."""
        @staticmethod
        def list_physical_devices(device_type=...) -> builtins.list[_as_config__PhysicalDevice]: """The devices of a type; of every type for None."""
        @staticmethod
        def reset_memory_stats(device) -> None: """Let the peak of `get_memory_info` start again from what the process has now."""
        @staticmethod
        def set_device_policy(device_policy) -> None: """Note a policy for tensors on several devices; there is one device."""
        @staticmethod
        def set_memory_growth(device, enable) -> None: """Does nothing: memory of a GPU is taken when it is needed. Raises ValueError for others."""
        @staticmethod
        def set_synchronous_execution(enable) -> None: """Does nothing: an operation has run when its call returns."""
        @staticmethod
        def set_virtual_device_configuration(device, logical_devices) -> None: """Give the CPU several names: it runs the operations of all of them."""
        @staticmethod
        def set_visible_devices(devices, device_type=...) -> None: """Say which devices are in use. The CPU always is. Raises ValueError for others."""
        @staticmethod
        def tensor_float_32_execution_enabled() -> builtins.bool: """False: products of matrices of float32 are never rounded to fewer digits."""
    @staticmethod
    def experimental_functions_run_eagerly() -> builtins.bool: """Whether `run_functions_eagerly` is on."""
    @staticmethod
    def experimental_run_functions_eagerly(run_eagerly) -> None: """Run decorated functions as plain Python, for debugging; False turns tracing on again."""
    @staticmethod
    def functions_run_eagerly() -> builtins.bool: """Whether `run_functions_eagerly` is on."""
    @staticmethod
    def get_kernel_compiler() -> builtins.str: """The compiler that `set_kernel_compiler` has chosen."""
    @staticmethod
    def get_logical_device_configuration(device) -> builtins.list[_as_config__LogicalDeviceConfiguration] | None: """What `config.set_logical_device_configuration` said, or None."""
    @staticmethod
    def get_soft_device_placement() -> builtins.bool: """What `set_soft_device_placement` said; True at first."""
    @staticmethod
    def get_visible_devices(device_type=...) -> builtins.list[_as_config__PhysicalDevice]: """The devices of a type that are in use; of every type for None."""
    @staticmethod
    def list_logical_devices(device_type=...) -> builtins.list[_as_config__LogicalDevice]: """The devices that operations may be placed on."""
    @staticmethod
    def list_physical_devices(device_type=...) -> builtins.list[_as_config__PhysicalDevice]: """The devices of a type; of every type for None."""
    class optimizer:
        @staticmethod
        def get_experimental_options() -> builtins.dict: """The options that `config.optimizer.set_experimental_options` has set."""
        @staticmethod
        def get_jit() -> builtins.str: """What `config.optimizer.set_jit` said: 'autoclustering' or ''."""
        @staticmethod
        def set_experimental_options(options) -> None: """Switch passes over graphs on or off, by name, for the functions that are traced from now on."""
        @staticmethod
        def set_jit(enabled) -> None: """Note a wish: functions that cost enough become native code anyway."""
    @staticmethod
    def precise_math_enabled() -> builtins.bool: """Whether `set_precise_math` is on."""
    @staticmethod
    def run_functions_eagerly(run_eagerly) -> None: """Run decorated functions as plain Python, for debugging; False turns tracing on again."""
    @staticmethod
    def set_kernel_compiler(name) -> None: """Choose what compiles kernel source: 'allograph', 'numba', 'python', 'none', or 'auto'."""
    @staticmethod
    def set_logical_device_configuration(device, logical_devices) -> None: """Give the CPU several names: it runs the operations of all of them."""
    @staticmethod
    def set_precise_math(enabled) -> None: """Whether native code calls the C library for `exp`, `log`, `sin` and their like."""
    @staticmethod
    def set_soft_device_placement(enabled) -> None: """Say whether the CPU takes the place of devices that do not exist, and runs functions that have no form for their device. Where it is False, both are InvalidArgumentError."""
    @staticmethod
    def set_visible_devices(devices, device_type=...) -> None: """Say which devices are in use. The CPU always is. Raises ValueError for others."""
    class threading:
        @staticmethod
        def get_inter_op_parallelism_threads() -> builtins.int: """The number that `set_inter_op_parallelism_threads` was given."""
        @staticmethod
        def get_intra_op_parallelism_threads() -> builtins.int: """The number that `set_intra_op_parallelism_threads` was given; 0 if the machine decides."""
        @staticmethod
        def set_inter_op_parallelism_threads(num_threads) -> None: """Accepted for programs that were written for TensorFlow: operations run one after another."""
        @staticmethod
        def set_intra_op_parallelism_threads(num_threads) -> None: """Set the number of threads that share one large operation or loop; 0 is one for each core, or as many as OMP_NUM_THREADS allows, which joblib and Dask set for their workers."""
def constant(value, dtype=..., shape=..., name=...) -> _as_Tensor: """A tensor of a scalar, string, NumPy array or nested list."""
from .library.keras.layers.initializers import Constant as _constant_initializer
constant_initializer = _constant_initializer
class contrib:
    class eager:
        Variable: TypeAlias = _as_Variable
        @staticmethod
        def defun(func=..., compiled=..., *, input_signature=..., autograph=...) -> Any: """A callable that runs `func` as a graph; without `func`, a decorator."""
        @staticmethod
        def py_func(func=..., inp=..., Tout=..., name=...) -> Any: """Call a Python function with eager tensors whenever the graph runs."""
def control_dependencies(control_inputs) -> Any: """Operations inside run after `control_inputs`, as they do anyway: program order is kept."""
def convert_to_tensor(value, dtype=..., dtype_hint=..., name=...) -> _as_Tensor: """A tensor of `value`: tensors pass through, numbers and arrays are copied."""
def cos(x, *, name=...) -> _as_Tensor: """The cosine of each element, an angle in radians."""
def cosh(x, *, name=...) -> _as_Tensor: """The hyperbolic cosine of each element."""
def cumsum(x, axis=..., exclusive=..., reverse=..., name=...) -> _as_Tensor: """The cumulative sum along `axis`, with the shape and dtype of `x`."""
def custom_gradient(f) -> Any: """A function with a user-defined gradient: `f(*tensors)` returns `(y, grad)`."""
class data:
    AUTOTUNE: builtins.int
    Dataset: TypeAlias = _as_data__Dataset
    DatasetSpec: TypeAlias = _as_data__DatasetSpec
    FixedLengthRecordDataset: TypeAlias = _as_data__FixedLengthRecordDataset
    INFINITE_CARDINALITY: builtins.int
    Iterator: TypeAlias = _as_data__Iterator
    IteratorSpec: TypeAlias = _as_data__IteratorSpec
    NumpyIterator: TypeAlias = _as_data__NumpyIterator
    Options: TypeAlias = _as_data__Options
    TFRecordDataset: TypeAlias = _as_data__TFRecordDataset
    TextLineDataset: TypeAlias = _as_data__TextLineDataset
    ThreadingOptions: TypeAlias = _as_data__ThreadingOptions
    UNKNOWN_CARDINALITY: builtins.int
    class experimental:
        AUTOTUNE: builtins.int
        AutoShardPolicy: TypeAlias = _as_data__experimental__AutoShardPolicy
        AutotuneOptions: TypeAlias = _as_data__ThreadingOptions
        @staticmethod
        def Counter(start=..., step=..., dtype=...) -> _as_data__Dataset: """The integers from `start` on, without end: `Dataset.counter`."""
        CsvDataset: TypeAlias = _as_data__experimental__CsvDataset
        DatasetInitializer: TypeAlias = _as_data__experimental__DatasetInitializer
        DistributeOptions: TypeAlias = _as_data__ThreadingOptions
        ExternalStatePolicy: TypeAlias = _as_data__experimental__ExternalStatePolicy
        INFINITE_CARDINALITY: builtins.int
        OptimizationOptions: TypeAlias = _as_data__ThreadingOptions
        Optional: TypeAlias = _as_experimental__Optional
        @staticmethod
        def RandomDataset(seed=...) -> _as_data__Dataset: """Random integers without end: `Dataset.random`."""
        Reducer: TypeAlias = _as_data__experimental__Reducer
        ThreadingOptions: TypeAlias = _as_data__ThreadingOptions
        UNKNOWN_CARDINALITY: builtins.int
        @staticmethod
        def assert_cardinality(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.assert_cardinality`."""
        @staticmethod
        def at(dataset, index) -> Any: """The element of a dataset at an index, which counts from 0."""
        @staticmethod
        def bucket_by_sequence_length(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.bucket_by_sequence_length`."""
        @staticmethod
        def cardinality(dataset) -> Any: """The number of elements of a dataset: `dataset.cardinality()`."""
        @staticmethod
        def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=..., name=...) -> Any: """Elements of several datasets, in the order that `choice_dataset` determines."""
        @staticmethod
        def copy_to_device(target_device, source_device=...) -> Any: """A function for `Dataset.apply` that gives a dataset whose elements are on a device where a program iterates over it; what comes after it, as `map`, takes them on the CPU."""
        @staticmethod
        def dense_to_ragged_batch(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.ragged_batch`."""
        @staticmethod
        def dense_to_sparse_batch(batch_size, row_shape) -> Any: """A function for `Dataset.apply`: batches of elements of several sizes, as SparseTensors whose rows have `row_shape`."""
        @staticmethod
        def enumerate_dataset(start=...) -> Any: """A function for `Dataset.apply` that calls `Dataset.enumerate`."""
        @staticmethod
        def from_list(elements, name=...) -> _as_data__Dataset: """A dataset of the elements of a list, which are alike in structure and shape."""
        @staticmethod
        def get_next_as_optional(iterator) -> Any: """The next element as an `Optional`, which has no value at the end."""
        @staticmethod
        def get_single_element(dataset, name=...) -> Any: """The only element of a dataset: `dataset.get_single_element()`."""
        @staticmethod
        def get_structure(dataset_or_iterator) -> Any: """The types of the elements: `dataset.element_spec`."""
        @staticmethod
        def group_by_reducer(key_func, reducer) -> Any: """A function for `Dataset.apply`: the result of a `Reducer` for the elements of each key, in the order of the keys."""
        @staticmethod
        def group_by_window(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.group_by_window`."""
        @staticmethod
        def ignore_errors(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.ignore_errors`."""
        @staticmethod
        def index_table_from_dataset(dataset=..., num_oov_buckets=..., vocab_size=..., default_value=..., hasher_spec=..., key_dtype=..., name=...) -> Any: """A `lookup` table from the elements of a dataset to their numbers."""
        @staticmethod
        def load(path, element_spec=..., compression=..., reader_func=...) -> _as_data__Dataset: """The dataset that `data.experimental.save` wrote: `Dataset.load(path)`."""
        @staticmethod
        def make_batched_features_dataset(file_pattern, batch_size, features, reader=..., label_key=..., reader_args=..., num_epochs=..., shuffle=..., shuffle_buffer_size=..., shuffle_seed=..., prefetch_buffer_size=..., reader_num_threads=..., parser_num_threads=..., sloppy_ordering=..., drop_final_batch=...) -> _as_data__Dataset: """Batches of the parsed Examples in files, by default TFRecord files, as dicts of tensors."""
        @staticmethod
        def make_csv_dataset(file_pattern, batch_size, column_names=..., column_defaults=..., label_name=..., select_columns=..., field_delim=..., use_quote_delim=..., na_value=..., header=..., num_epochs=..., shuffle=..., shuffle_buffer_size=..., shuffle_seed=..., prefetch_buffer_size=..., num_parallel_reads=..., sloppy=..., num_rows_for_inference=..., compression_type=..., ignore_errors=..., encoding=...) -> Any: """Batches of the rows of CSV files, each a dict from column names to tensors."""
        @staticmethod
        def map_and_batch(map_func, batch_size, num_parallel_batches=..., drop_remainder=..., num_parallel_calls=...) -> Any: """A function for `Dataset.apply` that calls `Dataset.map` and `Dataset.batch`."""
        @staticmethod
        def pad_to_cardinality(cardinality, mask_key=...) -> Any: """A function for `Dataset.apply`: a dataset of dictionaries filled up with zeros to a number of elements, with a bool for each that says whether it is one of the dataset."""
        @staticmethod
        def parallel_interleave(map_func, cycle_length, block_length=..., sloppy=..., **buffers) -> Any: """A function for `Dataset.apply` that calls `Dataset.interleave`."""
        @staticmethod
        def parse_example_dataset(features, num_parallel_calls=..., deterministic=...) -> Any: """A function for `Dataset.apply` that parses batches of serialized Examples."""
        @staticmethod
        def prefetch_to_device(device, buffer_size=...) -> Any: """A function for `Dataset.apply` that calls `Dataset.prefetch`: the elements of iterations are on the device by then, as `copy_to_device` puts them there."""
        @staticmethod
        def rejection_resample(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.rejection_resample`."""
        @staticmethod
        def sample_from_datasets(datasets, weights=..., seed=..., stop_on_empty_dataset=..., rerandomize_each_iteration=..., name=...) -> Any: """Elements of several datasets, each taken from one that is drawn at random."""
        @staticmethod
        def save(dataset, path, compression=..., shard_func=..., checkpoint_args=...) -> None: """Write the elements of a dataset: `dataset.save(path)`."""
        @staticmethod
        def scan(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.scan`."""
        @staticmethod
        def shuffle_and_repeat(buffer_size, count=..., seed=...) -> Any: """A function for `Dataset.apply` that shuffles a dataset and repeats it `count` times."""
        @staticmethod
        def snapshot(path, compression=..., reader_func=..., shard_func=...) -> Any: """A function for `Dataset.apply`: the first pass writes the elements, later ones read them."""
        @staticmethod
        def table_from_dataset(dataset=..., num_oov_buckets=..., vocab_size=..., default_value=..., hasher_spec=..., key_dtype=..., name=...) -> Any: """A `lookup` table of a dataset of pairs of a key and a value."""
        @staticmethod
        def take_while(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.take_while`."""
        @staticmethod
        def unbatch(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.unbatch`."""
        @staticmethod
        def unique(*args, **kwargs) -> Any: """A function for `Dataset.apply` that calls the method `Dataset.unique`."""
def debug(function: Callable[_P, _R]) -> Callable[_P, _R]: """`function` as plain Python: loops on tensors run iteration by iteration, with values."""
class debugging:
    @staticmethod
    def Assert(condition, data=..., summarize=..., name=..., kind=...) -> None: """Raise AssertionFailedError with `data` if `condition` is false when the program runs."""
    @staticmethod
    def assert_all_finite(x, message, name=...) -> _as_Tensor: """`x`, checked to have no NaN and no infinity."""
    @staticmethod
    def assert_equal(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x == y` for all elements."""
    @staticmethod
    def assert_greater(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x > y` for all elements."""
    @staticmethod
    def assert_greater_equal(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x >= y` for all elements."""
    @staticmethod
    def assert_integer(x, message=..., name=...) -> None: """Raise DTypeError unless the dtype of `x` is an integer type."""
    @staticmethod
    def assert_less(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x < y` for all elements."""
    @staticmethod
    def assert_less_equal(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x <= y` for all elements."""
    @staticmethod
    def assert_near(x, y, rtol=..., atol=..., message=..., summarize=..., name=...) -> None: """Raise AssertionFailedError unless `abs(x - y) <= atol + rtol * abs(y)` for all elements."""
    @staticmethod
    def assert_negative(x, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x < 0` for all elements."""
    @staticmethod
    def assert_non_negative(x, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x >= 0` for all elements."""
    @staticmethod
    def assert_non_positive(x, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x <= 0` for all elements."""
    @staticmethod
    def assert_none_equal(x, y, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x != y` for all elements."""
    @staticmethod
    def assert_positive(x, message=..., summarize=..., name=...) -> Any: """Raise AssertionFailedError unless `x > 0` for all elements."""
    @staticmethod
    def assert_proper_iterable(values) -> None: """Raise TypeError unless `values` is an iterable other than a tensor, array, str or bytes."""
    @staticmethod
    def assert_rank(x, rank, message=..., name=...) -> None: """Raise ShapeError unless `x` has `rank` axes."""
    @staticmethod
    def assert_rank_at_least(x, rank, message=..., name=...) -> None: """Raise ShapeError unless `x` has at least `rank` axes."""
    @staticmethod
    def assert_rank_in(x, ranks, message=..., name=...) -> None: """Raise ShapeError unless the rank of `x` is one of `ranks`."""
    @staticmethod
    def assert_same_float_dtype(tensors=..., dtype=...) -> _as_DType: """The float dtype that all tensors and `dtype` share; float32 without any."""
    @staticmethod
    def assert_scalar(tensor, name=..., message=...) -> _as_Tensor: """`tensor`, checked to be a scalar. Raises ShapeError otherwise."""
    @staticmethod
    def assert_shapes(shapes, data=..., summarize=..., message=..., name=...) -> None: """Raise ShapeError unless tensors have the given shapes."""
    @staticmethod
    def assert_type(tensor, tf_type, message=..., name=...) -> None: """Raise DTypeError unless `tensor` has the dtype `tf_type`."""
    @staticmethod
    def check_numerics(tensor, message=..., name=...) -> _as_Tensor: """`tensor`, a tensor of floats checked to have no NaN and no infinity."""
    @staticmethod
    def disable_check_numerics() -> None: """End `enable_check_numerics`; nothing where it is off."""
    @staticmethod
    def disable_traceback_filtering() -> None: """Show every frame in tracebacks, as the environment variable ALLOGRAPH_FULL_TRACEBACK=1 does."""
    @staticmethod
    def enable_check_numerics(stack_height_limit=..., path_length_limit=...) -> None: """From now on an operation that gives NaN or infinity raises InvalidArgumentError."""
    @staticmethod
    def enable_traceback_filtering() -> None: """Leave the frames of this package out of tracebacks, as from the start."""
    @staticmethod
    def first_nan(function) -> Any: """A function that calls `function` and reports the first NaN or infinity that appears."""
    @staticmethod
    def is_numeric_tensor(tensor) -> builtins.bool: """Whether `tensor` is a tensor with a numeric dtype, which excludes bool and string."""
    @staticmethod
    def is_traceback_filtering_enabled() -> builtins.bool: """Whether tracebacks leave out the frames of this package."""
def device(device_name) -> Any: """Functions that are called inside, and operations, run on this device: 'GPU:0', or 'CPU:0'."""
class distribute:
    PerReplica: TypeAlias = _as_distribute__PerReplica
    Strategy: TypeAlias = _as_distribute__Strategy
    @staticmethod
    def apply_gufunc(function, signature, *arrays, **options) -> Any: """As `dask.array.apply_gufunc`, with the types of the results from a trace."""
    @staticmethod
    def blockwise(function, out_ind, *pairs, **options) -> Any: """As `dask.array.blockwise`, with the type of the result from a trace."""
    @staticmethod
    def map(function, source, client=..., chunk_size=...) -> Any: """The results of a function for the elements of a dataset, or for the blocks of an array."""
    @staticmethod
    def map_blocks(function, *arrays, **options) -> Any: """The Dask array of the results of a function for each block, as `dask.array.map_blocks`."""
    @staticmethod
    def map_overlap(function, *arrays, depth=..., boundary=..., trim=..., align_arrays=..., allow_rechunk=..., **keywords) -> Any: """As `dask.array.map_overlap`: each block comes with a margin of the blocks around it."""
def divide(x, y, *, name=...) -> _as_Tensor: """`x / y`; the shapes broadcast."""
double: _as_DType
class dtypes:
    DType: TypeAlias = _as_DType
    @staticmethod
    def as_dtype(value) -> _as_DType: """The `DType` meant by a DType, a NumPy type, a Python type or a name."""
    bool: _as_DType
    @staticmethod
    def cast(x, dtype, name=...) -> _as_Tensor: """`x` converted to another dtype, in the same shape."""
    @staticmethod
    def complex(real, imag, *, name=...) -> _as_Tensor: """Complex numbers from real and imaginary components, which broadcast."""
    complex128: _as_DType
    complex64: _as_DType
    double: _as_DType
    float16: _as_DType
    float32: _as_DType
    float64: _as_DType
    half: _as_DType
    int16: _as_DType
    int32: _as_DType
    int64: _as_DType
    int8: _as_DType
    string: _as_DType
    uint16: _as_DType
    uint32: _as_DType
    uint64: _as_DType
    uint8: _as_DType
    variant: _as_DType
def dynamic_partition(data, partitions, num_partitions, name=...) -> builtins.list[_as_Tensor]: """The slices of `data` distributed to a list of `num_partitions` tensors."""
def dynamic_stitch(indices, data, name=...) -> _as_Tensor: """The rows of several tensors at the places that `indices` say; later ones win."""
def edit_distance(hypothesis, truth, normalize=..., name=...) -> _as_Tensor: """The least number of insertions, deletions and replacements that make rows of `hypothesis` those of `truth`, divided by the length of the latter if `normalize`."""
def eig(tensor, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """Eigenvalues [..., n] and eigenvectors, as columns [..., n, n], of square matrices."""
def eigvals(tensor, name=...) -> _as_Tensor: """Eigenvalues of square matrices, complex, of shape [..., n]."""
def einsum(equation, *inputs, name=..., **options) -> _as_Tensor: """Sums of products in Einstein summation notation."""
def enable_eager_execution(config=..., device_policy=..., execution_mode=...) -> None: """Nothing: operations run eagerly wherever no graph is being built."""
def enable_v2_behavior(config=..., device_policy=..., execution_mode=...) -> None: """Nothing: operations run eagerly wherever no graph is being built."""
def ensure_shape(x, *, shape, name=...) -> _as_Tensor: """The same value, checked to have the shape `shape`. None matches any size."""
def equal(x, y, *, name=...) -> _as_Tensor: """`x == y` for each element, as bool; the shapes broadcast."""
class errors:
    AbortedError: TypeAlias = _as_errors__AbortedError
    AlreadyExistsError: TypeAlias = _as_errors__AlreadyExistsError
    AssertionFailedError: TypeAlias = _as_errors__AssertionFailedError
    BindingError: TypeAlias = _as_errors__BindingError
    CancelledError: TypeAlias = _as_errors__CancelledError
    DTypeError: TypeAlias = _as_errors__DTypeError
    DataLossError: TypeAlias = _as_errors__DataLossError
    DeadlineExceededError: TypeAlias = _as_errors__DeadlineExceededError
    DeclaredResultError: TypeAlias = _as_errors__DeclaredResultError
    FailedPreconditionError: TypeAlias = _as_errors__FailedPreconditionError
    FileMissingError: TypeAlias = _as_errors__FileMissingError
    InaccessibleTensorError: TypeAlias = _as_errors__InaccessibleTensorError
    InconsistentBranchError: TypeAlias = _as_errors__InconsistentBranchError
    InconsistentLoopError: TypeAlias = _as_errors__InconsistentLoopError
    InternalError: TypeAlias = _as_errors__InternalError
    InvalidArgumentError: TypeAlias = _as_errors__InvalidArgumentError
    NoArrayError: TypeAlias = _as_errors__NoArrayError
    NoLengthError: TypeAlias = _as_errors__NoLengthError
    NotFoundError: TypeAlias = _as_errors__NotFoundError
    NotSavableError: TypeAlias = _as_errors__NotSavableError
    OpError: TypeAlias = _as_errors__OpError
    OperatorNotAllowedInGraphError: TypeAlias = _as_errors__OperatorNotAllowedInGraphError
    OutOfBoundsError: TypeAlias = _as_errors__OutOfBoundsError
    OutOfRangeError: TypeAlias = _as_errors__OutOfRangeError
    OutOfScopeError: TypeAlias = _as_errors__InaccessibleTensorError
    PermissionDeniedError: TypeAlias = _as_errors__PermissionDeniedError
    RecursionLimitError: TypeAlias = _as_errors__RecursionLimitError
    ResourceExhaustedError: TypeAlias = _as_errors__ResourceExhaustedError
    RetracingLimitError: TypeAlias = _as_errors__RetracingLimitError
    RetracingWarning: TypeAlias = _as_errors__RetracingWarning
    ShapeError: TypeAlias = _as_errors__ShapeError
    StagedHandlerError: TypeAlias = _as_errors__StagedHandlerError
    StagingError: TypeAlias = _as_errors__StagingError
    SymbolicValueError: TypeAlias = _as_errors__OperatorNotAllowedInGraphError
    UnavailableError: TypeAlias = _as_errors__UnavailableError
    UnimplementedError: TypeAlias = _as_errors__UnimplementedError
    UnknownError: TypeAlias = _as_errors__UnknownError
    UnrolledLoopWarning: TypeAlias = _as_errors__UnrolledLoopWarning
    UnsetByBranchError: Any
    UnsetError: TypeAlias = _as_errors__UnsetError
    UntrackedError: TypeAlias = _as_errors__UntrackedError
def executing_eagerly() -> builtins.bool: """Whether operations run at once (True), or are recorded into a graph (False)."""
def exp(x, *, name=...) -> _as_Tensor: """`e ** x` for each element."""
def expand_dims(input, axis, name=...) -> _as_Tensor: """`input` with an axis of size 1 inserted at the position `axis` of the result."""
class experimental:
    BatchableExtensionType: TypeAlias = _as_experimental__BatchableExtensionType
    ExtensionType: TypeAlias = _as_experimental__ExtensionType
    ExtensionTypeSpec: TypeAlias = _as_experimental__ExtensionTypeSpec
    Optional: TypeAlias = _as_experimental__Optional
    @staticmethod
    def async_clear_error() -> None: """Forget errors of operations that ran later than their call; there are none."""
    @staticmethod
    def async_scope() -> Any: """A context manager; operations run when they are called, and their errors are raised there."""
    @staticmethod
    def dispatch_for_api(api, *signatures) -> Any: """Decorator for a function that says what the public function `api` means for extension types."""
    @staticmethod
    def dispatch_for_binary_elementwise_apis(x_type, y_type) -> Any: """Decorator for a function that says what functions of two elements mean for two types."""
    @staticmethod
    def dispatch_for_unary_elementwise_apis(x_type) -> Any: """Decorator for a function that says what functions of each element mean for a type."""
    class dlpack:
        @staticmethod
        def from_dlpack(dlcapsule) -> _as_Tensor: """The tensor of a DLPack capsule, or of any array with `__dlpack__`; the memory is shared."""
        @staticmethod
        def to_dlpack(tf_tensor) -> Any: """A DLPack capsule of a tensor, to be read once by another library."""
    @staticmethod
    def enable_numpy_behavior(prefer_float32=..., dtype_conversion_mode=..., enabled=...) -> None: """Make tensors behave like NumPy arrays, in the whole process."""
    @staticmethod
    def enable_strict_mode() -> None: """Make warnings about deprecated names errors; no name is deprecated."""
    class extension_type:
        @staticmethod
        def as_dict(value) -> builtins.dict: """The fields of an extension value by name."""
    @staticmethod
    def function_executor_type(executor_type) -> Any: """A context manager; functions run as they do elsewhere."""
    numpy: Any
    @staticmethod
    def unregister_dispatch_for(dispatch_target) -> None: """Undo the registration of a function. Raises ValueError if it was not registered."""
def explore(function, /, *args, **kwargs) -> Any: """One page that links a function's source with what becomes of it."""
def eye(num_rows, num_columns=..., batch_shape=..., dtype=..., name=...) -> _as_Tensor: """The identity matrix of shape [num_rows, num_columns], repeated for `batch_shape`."""
def fft(input, name=...) -> _as_Tensor: """The Fourier transform of complex numbers over the last axis."""
def fftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The Fourier transform of complex numbers over any axes, by default all."""
def fill(dims, value, *, name=...) -> _as_Tensor: """A tensor of shape `dims` filled with the scalar `value`, in the dtype of `value`."""
def fingerprint(data, method=..., name=...) -> _as_Tensor: """A number of 64 bits for the content of each row, as 8 bytes: [rows, 8]."""
float16: _as_DType
float32: _as_DType
float64: _as_DType
def floor(x, *, name=...) -> _as_Tensor: """The largest integer not greater than each element, as a float of the same dtype."""
def floordiv(x, y, *, name=...) -> _as_Tensor: """`x // y`, rounded towards minus infinity; the shapes broadcast."""
def foldl(fn, elems, initializer=..., parallel_iterations=..., back_prop=..., swap_memory=..., name=...) -> Any: """The last value of `a = fn(a, element)`, from the first element to the last."""
def foldr(fn, elems, initializer=..., parallel_iterations=..., back_prop=..., swap_memory=..., name=...) -> Any: """The last value of `a = fn(a, element)`, from the last element to the first."""
@overload
def function(func: Callable[_P, _R], input_signature=..., autograph=..., jit_compile=..., reduce_retracing=..., experimental_implements=..., experimental_autograph_options=..., experimental_attributes=..., experimental_relax_shapes=..., experimental_compile=..., experimental_follow_type_hints=..., *, output_signature=..., guard_globals=..., guard_objects=..., strict=..., kernel_compiler=..., device=...) -> _PolymorphicFunction[_P, _R]: """Compile a Python function into graphs: `@function`, `@function(...)` or `function(f)`."""
@overload
def function(func: None = ..., input_signature=..., autograph=..., jit_compile=..., reduce_retracing=..., experimental_implements=..., experimental_autograph_options=..., experimental_attributes=..., experimental_relax_shapes=..., experimental_compile=..., experimental_follow_type_hints=..., *, output_signature=..., guard_globals=..., guard_objects=..., strict=..., kernel_compiler=..., device=...) -> Callable[[Callable[_P, _R]], _PolymorphicFunction[_P, _R]]: """Compile a Python function into graphs: `@function`, `@function(...)` or `function(f)`."""
def gather(params, indices, validate_indices=..., axis=..., batch_dims=..., name=...) -> _as_Tensor: """Slices of `params` along `axis`, selected by integer `indices`."""
def gather_nd(params, indices, *, batch_dims=..., name=...) -> _as_Tensor: """Slices of `params` selected by index vectors, which are the last axis of `indices`."""
def get_current_name_scope() -> builtins.str: """The names of the enclosing name scopes."""
def get_default_graph() -> _as_Graph: """The graph being built, or None when operations run eagerly."""
def get_logger() -> Any: """The logger of this package, of Python's module `logging`."""
def get_static_value(tensor, partial=...) -> np.ndarray | None: """The value of a tensor as a NumPy array where it is known now, else None."""
def grad_pass_through(f) -> Any: """A function whose gradient is that of the identity, as for rounding."""
def gradients(ys, xs, grad_ys=..., name=..., gate_gradients=..., aggregation_method=..., stop_gradients=..., unconnected_gradients=...) -> Any: """The derivatives of the sum of `ys` with respect to each of `xs`, inside a graph: a list."""
def greater(x, y, *, name=...) -> _as_Tensor: """`x > y` for each element, as bool; the shapes broadcast."""
def greater_equal(x, y, *, name=...) -> _as_Tensor: """`x >= y` for each element, as bool; the shapes broadcast."""
def group(*inputs, name=...) -> None: """An operation after all `inputs`: they have run, since program order is kept."""
def guarantee_const(input, name=...) -> _as_Tensor: """The tensor; that it is a constant follows from the graph."""
half: _as_DType
def hessians(ys, xs, gate_gradients=..., aggregation_method=..., name=...) -> Any: """The second derivatives of the sum of `ys` with respect to each of `xs`, inside a graph: a list of tensors of twice the axes."""
def histogram_fixed_width(values, value_range, nbins=..., dtype=..., name=...) -> _as_Tensor: """How many values are in each of `nbins` bins of equal width."""
def histogram_fixed_width_bins(values, value_range, nbins=..., dtype=..., name=...) -> _as_Tensor: """The bin of each value, of `nbins` of equal width; values outside are in the outer ones."""
def identity(x, *, name=...) -> _as_Tensor: """The same value."""
def identity_n(input, name=...) -> builtins.list[_as_Tensor]: """The tensors of a list, as they are."""
def ifft(input, name=...) -> _as_Tensor: """The inverse of `signal.fft`, over the last axis."""
def ifftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The inverse of `fftnd`."""
class image:
    ResizeMethod: TypeAlias = _as_image__ResizeMethod
    @staticmethod
    def adjust_brightness(image, delta) -> _as_Tensor: """Images with `delta` added to each value; the values of integers are counted from 0 to 1."""
    @staticmethod
    def adjust_contrast(images, contrast_factor) -> _as_Tensor: """Images whose differences from the mean of their channel are multiplied by a factor."""
    @staticmethod
    def adjust_gamma(image, gamma=..., gain=...) -> _as_Tensor: """Images whose values are `gain * value ** gamma`."""
    @staticmethod
    def adjust_hue(image, delta, name=...) -> _as_Tensor: """Images [..., 3] of red, green and blue whose hue is turned by `delta`, from -1 to 1."""
    @staticmethod
    def adjust_jpeg_quality(image, jpeg_quality, name=...) -> _as_Tensor: """An image as a JPEG file of this quality, from 0 to 100, shows it. Needs the package pillow."""
    @staticmethod
    def adjust_saturation(image, saturation_factor, name=...) -> _as_Tensor: """Images [..., 3] of red, green and blue whose saturation is multiplied by a factor."""
    @staticmethod
    def central_crop(image, central_fraction) -> _as_Tensor: """The middle of images: this fraction of their height and width."""
    @staticmethod
    def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=..., score_threshold=..., pad_per_class=..., clip_boxes=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor, _as_Tensor, _as_Tensor]: """`image.non_max_suppression` of each class of a batch of images, and the best of all classes."""
    @staticmethod
    def convert_image_dtype(image, dtype, saturate=..., name=...) -> _as_Tensor: """Images in another data type, scaled: floats are from 0 to 1, integers up to their maximum."""
    @staticmethod
    def crop_and_resize(image, boxes, box_indices, crop_size, method=..., extrapolation_value=..., name=...) -> _as_Tensor: """Parts of a batch of images, each in the size `crop_size` (height, width), as float32."""
    @staticmethod
    def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width) -> _as_Tensor: """The part of images that starts at the offsets and has the target size."""
    @staticmethod
    def decode_and_crop_jpeg(contents, crop_window, channels=..., ratio=..., name=..., **options) -> _as_Tensor: """A part (top, left, height, width) of the image in a JPEG file."""
    @staticmethod
    def decode_bmp(contents, channels=..., name=...) -> _as_Tensor: """The pixels [height, width, channels] of a BMP file, uint8. Needs the package pillow."""
    @staticmethod
    def decode_gif(contents, name=...) -> _as_Tensor: """The frames [frames, height, width, 3] of a GIF file, uint8. Needs the package pillow."""
    @staticmethod
    def decode_image(contents, channels=..., dtype=..., name=..., expand_animations=...) -> _as_Tensor: """The pixels of a file of PNG, JPEG, BMP or GIF. Needs the package pillow."""
    @staticmethod
    def decode_jpeg(contents, channels=..., ratio=..., fancy_upscaling=..., try_recover_truncated=..., acceptable_fraction=..., dct_method=..., name=...) -> _as_Tensor: """The pixels [height, width, channels] of a JPEG file, uint8; other formats are read too."""
    @staticmethod
    def decode_png(contents, channels=..., dtype=..., name=...) -> _as_Tensor: """The pixels [height, width, channels] of a PNG file; also of JPEG, BMP, and one GIF frame."""
    @staticmethod
    def draw_bounding_boxes(images, boxes, colors=..., name=...) -> _as_Tensor: """A batch of images with lines around `boxes` [batch, n, 4]."""
    @staticmethod
    def encode_jpeg(image, format=..., quality=..., progressive=..., optimize_size=..., chroma_downsampling=..., density_unit=..., x_density=..., y_density=..., xmp_metadata=..., name=...) -> _as_Tensor: """A JPEG file of an image [height, width, 1 or 3] of uint8. Needs the package pillow."""
    @staticmethod
    def encode_png(image, compression=..., name=...) -> _as_Tensor: """A PNG file of an image [height, width, channels] of uint8, or gray uint16."""
    @staticmethod
    def extract_jpeg_shape(contents, output_type=..., name=...) -> _as_Tensor: """The height, the width and the number of channels of a JPEG file."""
    @staticmethod
    def extract_patches(images, sizes, strides, rates, padding, name=...) -> _as_Tensor: """The windows of a batch of images: [batch, rows, columns, height * width * channels]."""
    @staticmethod
    def flip_left_right(image) -> _as_Tensor: """Images with their columns in reverse."""
    @staticmethod
    def flip_up_down(image) -> _as_Tensor: """Images with their rows in reverse."""
    @staticmethod
    def grayscale_to_rgb(images, name=...) -> _as_Tensor: """Images [..., 1] as images [..., 3] of three equal channels."""
    @staticmethod
    def hsv_to_rgb(images, name=...) -> _as_Tensor: """Images of hue, saturation and value from 0 to 1 as red, green and blue."""
    @staticmethod
    def image_gradients(image) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The differences to the next row and to the next column of a batch of images."""
    @staticmethod
    def is_jpeg(contents, name=...) -> _as_Tensor: """Whether a string starts as a JPEG file does."""
    @staticmethod
    def non_max_suppression(boxes, scores, max_output_size, iou_threshold=..., score_threshold=..., name=...) -> _as_Tensor: """The indices of boxes [n, 4] by falling score, without those that overlap a better one."""
    @staticmethod
    def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=..., score_threshold=..., name=...) -> _as_Tensor: """`image.non_max_suppression` of what each two boxes overlap, [n, n]."""
    @staticmethod
    def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=..., score_threshold=..., pad_to_max_output_size=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """`image.non_max_suppression` and the number of boxes; zeros fill the rest if asked to."""
    @staticmethod
    def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=..., score_threshold=..., soft_nms_sigma=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """`image.non_max_suppression` and the scores; with a sigma, overlaps reduce scores instead."""
    @staticmethod
    def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width) -> _as_Tensor: """Images at the offsets in an image of zeros of the target size."""
    @staticmethod
    def per_image_standardization(image) -> _as_Tensor: """Images scaled to the mean 0 and the variance 1, as floats."""
    @staticmethod
    def psnr(a, b, max_val, name=...) -> _as_Tensor: """The ratio of the largest value to the mean squared difference of two images, in decibels."""
    @staticmethod
    def random_brightness(image, max_delta, seed=...) -> _as_Tensor: """`image.adjust_brightness` with a delta from `-max_delta` to `max_delta`."""
    @staticmethod
    def random_contrast(image, lower, upper, seed=...) -> _as_Tensor: """`image.adjust_contrast` with a factor from `lower` to `upper`."""
    @staticmethod
    def random_crop(value, size, seed=..., name=...) -> _as_Tensor: """A part of the size `size` of a tensor, at a random place."""
    @staticmethod
    def random_flip_left_right(image, seed=...) -> _as_Tensor: """Each image as it is, or with its columns in reverse, with probability 1/2."""
    @staticmethod
    def random_flip_up_down(image, seed=...) -> _as_Tensor: """Each image as it is, or with its rows in reverse, with probability 1/2."""
    @staticmethod
    def random_hue(image, max_delta, seed=...) -> _as_Tensor: """`image.adjust_hue` with a delta from `-max_delta` to `max_delta`."""
    @staticmethod
    def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=...) -> _as_Tensor: """`image.adjust_jpeg_quality` with a quality from the minimum to below the maximum."""
    @staticmethod
    def random_saturation(image, lower, upper, seed=...) -> _as_Tensor: """`image.adjust_saturation` with a factor from `lower` to `upper`."""
    @staticmethod
    def resize(images, size, method=..., preserve_aspect_ratio=..., antialias=..., name=...) -> _as_Tensor: """Images [height, width, channels], or a batch of them, in the `size` (height, width)."""
    @staticmethod
    def resize_with_crop_or_pad(image, target_height, target_width) -> _as_Tensor: """The middle of images, or images with zeros around them, in the target size."""
    @staticmethod
    def resize_with_pad(image, target_height, target_width, method=..., antialias=...) -> _as_Tensor: """An image in the largest size that fits and keeps its proportions, with zeros around it."""
    @staticmethod
    def rgb_to_grayscale(images, name=...) -> _as_Tensor: """Images [..., 3] of red, green and blue as images [..., 1] of their brightness."""
    @staticmethod
    def rgb_to_hsv(images, name=...) -> _as_Tensor: """Images of red, green and blue floats from 0 to 1 as hue, saturation and value."""
    @staticmethod
    def rgb_to_yiq(images) -> _as_Tensor: """Images of red, green and blue floats [..., 3] as luma and the two chroma values of NTSC."""
    @staticmethod
    def rgb_to_yuv(images) -> _as_Tensor: """Images of red, green and blue floats [..., 3] as luma and the two chroma values of PAL."""
    @staticmethod
    def rot90(image, k=..., name=...) -> _as_Tensor: """Images rotated `k` times by a quarter, counter-clockwise."""
    @staticmethod
    def sobel_edges(image) -> _as_Tensor: """The vertical and the horizontal edges of a batch of images: [..., channels, 2]."""
    @staticmethod
    def ssim(img1, img2, max_val, filter_size=..., filter_sigma=..., k1=..., k2=..., return_index_map=..., name=...) -> _as_Tensor: """The structural similarity of images, at most 1: one number for each image of a batch."""
    @staticmethod
    def ssim_multiscale(img1, img2, max_val, power_factors=..., filter_size=..., filter_sigma=..., k1=..., k2=..., name=...) -> _as_Tensor: """The structural similarity of images at several scales, each half as fine as the one before."""
    @staticmethod
    def stateless_random_brightness(image, max_delta, seed) -> _as_Tensor: """`image.random_brightness` with the same result for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_contrast(image, lower, upper, seed) -> _as_Tensor: """`image.random_contrast` with the same result for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_crop(value, size, seed, name=...) -> _as_Tensor: """A part of the size `size` of a tensor, the same for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_flip_left_right(image, seed) -> _as_Tensor: """`image.random_flip_left_right` with the same result for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_flip_up_down(image, seed) -> _as_Tensor: """`image.random_flip_up_down` with the same result for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_hue(image, max_delta, seed) -> _as_Tensor: """`image.random_hue` with the same result for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed) -> _as_Tensor: """`image.random_jpeg_quality` with the same result for the same `seed`, two integers."""
    @staticmethod
    def stateless_random_saturation(image, lower, upper, seed=...) -> _as_Tensor: """`image.random_saturation` with the same result for the same `seed`, two integers."""
    @staticmethod
    def total_variation(images, name=...) -> _as_Tensor: """The sum of the absolute differences of neighbors: one number for each image of a batch."""
    @staticmethod
    def transpose(image, name=...) -> _as_Tensor: """Images with rows and columns exchanged."""
    @staticmethod
    def yiq_to_rgb(images) -> _as_Tensor: """What `image.rgb_to_yiq` made, as red, green and blue."""
    @staticmethod
    def yuv_to_rgb(images) -> _as_Tensor: """What `image.rgb_to_yuv` made, as red, green and blue."""
def init_scope() -> Any: """Lift operations out of every graph that is being built: inside, they run eagerly."""
class initializers:
    Constant: TypeAlias = _as_constant_initializer
    GlorotNormal: type[_as_initializers__VarianceScaling]
    GlorotUniform: type[_as_initializers__VarianceScaling]
    HeNormal: type[_as_initializers__VarianceScaling]
    HeUniform: type[_as_initializers__VarianceScaling]
    Identity: TypeAlias = _as_initializers__Identity
    IdentityInitializer: TypeAlias = _as_initializers__Identity
    Initializer: TypeAlias = _as_initializers__Initializer
    LecunNormal: type[_as_initializers__VarianceScaling]
    LecunUniform: type[_as_initializers__VarianceScaling]
    Ones: TypeAlias = _as_ones_initializer
    Orthogonal: TypeAlias = _as_orthogonal_initializer
    OrthogonalInitializer: TypeAlias = _as_orthogonal_initializer
    RandomNormal: TypeAlias = _as_random_normal_initializer
    RandomUniform: TypeAlias = _as_random_uniform_initializer
    TruncatedNormal: TypeAlias = _as_truncated_normal_initializer
    VarianceScaling: TypeAlias = _as_initializers__VarianceScaling
    Zeros: TypeAlias = _as_zeros_initializer
    constant: TypeAlias = _as_constant_initializer
    glorot_normal: type[_as_initializers__VarianceScaling]
    glorot_uniform: type[_as_initializers__VarianceScaling]
    he_normal: type[_as_initializers__VarianceScaling]
    he_uniform: type[_as_initializers__VarianceScaling]
    identity: TypeAlias = _as_initializers__Identity
    lecun_normal: type[_as_initializers__VarianceScaling]
    lecun_uniform: type[_as_initializers__VarianceScaling]
    normal: TypeAlias = _as_random_normal_initializer
    one: TypeAlias = _as_ones_initializer
    ones: TypeAlias = _as_ones_initializer
    orthogonal: TypeAlias = _as_orthogonal_initializer
    random_normal: TypeAlias = _as_random_normal_initializer
    random_uniform: TypeAlias = _as_random_uniform_initializer
    truncated_normal: TypeAlias = _as_truncated_normal_initializer
    uniform: TypeAlias = _as_random_uniform_initializer
    variance_scaling: TypeAlias = _as_initializers__VarianceScaling
    zero: TypeAlias = _as_zeros_initializer
    zeros: TypeAlias = _as_zeros_initializer
def inside_function() -> builtins.bool: """Whether a graph is being built here."""
int16: _as_DType
int32: _as_DType
int64: _as_DType
int8: _as_DType
class io:
    FixedLenFeature: TypeAlias = _as_io__FixedLenFeature
    FixedLenSequenceFeature: TypeAlias = _as_io__FixedLenSequenceFeature
    RaggedFeature: TypeAlias = _as_io__RaggedFeature
    SparseFeature: TypeAlias = _as_io__SparseFeature
    TFRecordOptions: TypeAlias = _as_io__TFRecordOptions
    TFRecordWriter: TypeAlias = _as_io__TFRecordWriter
    VarLenFeature: TypeAlias = _as_io__VarLenFeature
    @staticmethod
    def decode_and_crop_jpeg(contents, crop_window, channels=..., ratio=..., name=..., **options) -> _as_Tensor: """A part (top, left, height, width) of the image in a JPEG file."""
    @staticmethod
    def decode_base64(input, *, name=...) -> _as_Tensor: """Each string decoded from URL-safe base64, with or without padding."""
    @staticmethod
    def decode_bmp(contents, channels=..., name=...) -> _as_Tensor: """The pixels [height, width, channels] of a BMP file, uint8. Needs the package pillow."""
    @staticmethod
    def decode_compressed(bytes, compression_type=..., name=...) -> _as_Tensor: """Each string decompressed, for the `compression_type` 'ZLIB', 'GZIP' or '' (none)."""
    @staticmethod
    def decode_csv(records, record_defaults, field_delim=..., use_quote_delim=..., na_value=..., select_cols=..., name=...) -> builtins.list[_as_Tensor]: """The columns of CSV records, as a list of tensors in the shape of `records`."""
    @staticmethod
    def decode_gif(contents, name=...) -> _as_Tensor: """The frames [frames, height, width, 3] of a GIF file, uint8. Needs the package pillow."""
    @staticmethod
    def decode_image(contents, channels=..., dtype=..., name=..., expand_animations=...) -> _as_Tensor: """The pixels of a file of PNG, JPEG, BMP or GIF. Needs the package pillow."""
    @staticmethod
    def decode_jpeg(contents, channels=..., ratio=..., fancy_upscaling=..., try_recover_truncated=..., acceptable_fraction=..., dct_method=..., name=...) -> _as_Tensor: """The pixels [height, width, channels] of a JPEG file, uint8; other formats are read too."""
    @staticmethod
    def decode_png(contents, channels=..., dtype=..., name=...) -> _as_Tensor: """The pixels [height, width, channels] of a PNG file; also of JPEG, BMP, and one GIF frame."""
    @staticmethod
    def decode_raw(input_bytes, out_type, little_endian=..., fixed_length=..., name=...) -> _as_Tensor: """The bytes of each string as numbers of `out_type`, along a new last axis."""
    @staticmethod
    def deserialize_many_sparse(serialized_sparse, dtype, rank=..., name=...) -> _as_SparseTensor: """A SparseTensor of rows that `io.serialize_sparse` wrote, a matrix of strings [rows, 3]."""
    @staticmethod
    def encode_base64(input, *, pad=..., name=...) -> _as_Tensor: """Each string encoded in base64, with the URL-safe alphabet."""
    @staticmethod
    def encode_jpeg(image, format=..., quality=..., progressive=..., optimize_size=..., chroma_downsampling=..., density_unit=..., x_density=..., y_density=..., xmp_metadata=..., name=...) -> _as_Tensor: """A JPEG file of an image [height, width, 1 or 3] of uint8. Needs the package pillow."""
    @staticmethod
    def encode_png(image, compression=..., name=...) -> _as_Tensor: """A PNG file of an image [height, width, channels] of uint8, or gray uint16."""
    @staticmethod
    def extract_jpeg_shape(contents, output_type=..., name=...) -> _as_Tensor: """The height, the width and the number of channels of a JPEG file."""
    class gfile:
        GFile: TypeAlias = _as_io__gfile__GFile
        Open: TypeAlias = _as_io__gfile__GFile
        @staticmethod
        def copy(src, dst, overwrite=...) -> None: """Copy a file."""
        @staticmethod
        def exists(path) -> builtins.bool: """Whether a file or folder of this name exists."""
        @staticmethod
        def glob(pattern) -> builtins.list[builtins.str]: """The paths that match a pattern, or any of several; those of each pattern sorted."""
        @staticmethod
        def isdir(path) -> builtins.bool: """Whether the path is an existing folder."""
        @staticmethod
        def join(path, *paths) -> builtins.str: """Path components joined."""
        @staticmethod
        def listdir(path) -> builtins.list[builtins.str]: """The names in a folder, in arbitrary order. Raises NotFoundError if it does not exist."""
        @staticmethod
        def makedirs(path) -> None: """Create a folder and missing parent folders; an existing folder is no error."""
        @staticmethod
        def mkdir(path) -> None: """Create a folder."""
        @staticmethod
        def remove(path) -> None: """Remove a file. Raises NotFoundError if it does not exist."""
        @staticmethod
        def rename(src, dst, overwrite=...) -> None: """Rename a file or folder."""
        @staticmethod
        def rmtree(path) -> None: """Remove a folder and all of its content. Raises NotFoundError if it does not exist."""
        @staticmethod
        def stat(path) -> Any: """The size in bytes, the modification time in nanoseconds, and whether it is a folder."""
        @staticmethod
        def walk(top, topdown=..., onerror=...) -> Any: """The folders below a path, as tuples (path, names of folders, names of files)."""
    @staticmethod
    def is_jpeg(contents, name=...) -> _as_Tensor: """Whether a string starts as a JPEG file does."""
    @staticmethod
    def match_filenames_once(pattern, name=...) -> _as_Variable: """A variable with the names of the files that match a pattern now."""
    @staticmethod
    def matching_files(pattern, *, name=...) -> _as_Tensor: """The names of the files that match a pattern, or any of several, as a sorted vector."""
    @staticmethod
    def parse_example(serialized, features, example_names=..., name=...) -> builtins.dict: """The features of a serialized Example, or of a tensor of them, as a dict of tensors."""
    @staticmethod
    def parse_sequence_example(serialized, context_features=..., sequence_features=..., example_names=..., name=...) -> builtins.tuple[builtins.dict, builtins.dict, builtins.dict]: """The features of a vector of serialized SequenceExamples, as three dicts."""
    @staticmethod
    def parse_single_example(serialized, features, example_names=..., name=...) -> builtins.dict: """The features of a serialized Example, or of a tensor of them, as a dict of tensors."""
    @staticmethod
    def parse_single_sequence_example(serialized, context_features=..., sequence_features=..., example_name=..., name=...) -> builtins.tuple[builtins.dict, builtins.dict]: """The features of one serialized SequenceExample: those of the context, and of the steps."""
    @staticmethod
    def parse_tensor(serialized, out_type, name=...) -> _as_Tensor: """The tensor in a scalar string of `io.serialize_tensor`, with the dtype `out_type`."""
    @staticmethod
    def read_file(filename, *, name=...) -> _as_Tensor: """The content of a file as a scalar string. Raises NotFoundError if there is no such file."""
    @staticmethod
    def serialize_many_sparse(sp_input, out_type=..., name=...) -> _as_Tensor: """Each row of a SparseTensor as a vector of three strings: a matrix [rows, 3]."""
    @staticmethod
    def serialize_sparse(sp_input, out_type=..., name=...) -> _as_Tensor: """A SparseTensor as a vector of three strings: its indices, values and shape."""
    @staticmethod
    def serialize_tensor(tensor, *, name=...) -> _as_Tensor: """A tensor as a scalar string, which `io.parse_tensor` reads."""
    @staticmethod
    def write_file(filename, contents, name=...) -> None: """Write a scalar string to a file when the program runs; missing folders are created."""
    @staticmethod
    def write_graph(graph_or_graph_def, logdir, name, as_text=...) -> builtins.str: """Write the text of a graph to a file; returns its path. Raises ValueError for other forms."""
def irfftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The inverse of `rfftnd`."""
def is_non_decreasing(x, name=...) -> _as_Tensor: """Whether each element, in row-major order, is at least the one before."""
def is_strictly_increasing(x, name=...) -> _as_Tensor: """Whether each element, in row-major order, is greater than the one before."""
def is_symbolic_tensor(tensor) -> builtins.bool: """Whether `tensor` is one of a graph, whose value is known only when the graph runs."""
def is_tensor(x) -> builtins.bool: """Whether `x` is a tensor, ragged or sparse ones included, or stands for one as variables do."""
class jax:
    @staticmethod
    def function(func) -> Any: """A function on JAX arrays and pytrees, whose `if`, `while` and `for` traced values may drive."""
@overload
def jit(function: Callable[_P, _R], *, kernel_compiler=..., device=...) -> _JitFunction[_P, _R]: """A decorator for functions of NumPy arrays: they run as native code, and mean the same."""
@overload
def jit(function: None = ..., *, kernel_compiler=..., device=...) -> Callable[[Callable[_P, _R]], _JitFunction[_P, _R]]: """A decorator for functions of NumPy arrays: they run as native code, and mean the same."""
class keras:
    DTypePolicy: TypeAlias = _as_keras__DTypePolicy
    FloatDTypePolicy: TypeAlias = _as_keras__DTypePolicy
    Initializer: TypeAlias = _as_initializers__Initializer
    @staticmethod
    def Input(shape=..., batch_size=..., dtype=..., name=..., batch_shape=...) -> _as_keras__KerasTensor: """A placeholder for inputs of shape [batch_size, *shape], for the functional API."""
    InputSpec: TypeAlias = _as_keras__InputSpec
    KerasTensor: TypeAlias = _as_keras__KerasTensor
    Layer: TypeAlias = _as_keras__Layer
    Loss: TypeAlias = _as_keras__Loss
    Metric: TypeAlias = _as_keras__Metric
    Model: TypeAlias = _as_keras__Model
    Optimizer: TypeAlias = _as_keras__Optimizer
    Regularizer: TypeAlias = _as_keras__Regularizer
    Sequential: TypeAlias = _as_keras__Sequential
    @staticmethod
    def Variable(initializer, shape=..., dtype=..., trainable=..., autocast=..., aggregation=..., synchronization=..., name=..., **kwargs) -> Any: """A variable of a value, or of an initializer and a shape."""
    class activations:
        @staticmethod
        def celu(x, alpha=...) -> _as_Tensor: """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`."""
        @staticmethod
        def deserialize(config, custom_objects=...) -> Any: """The member of keras.activations that `serialize` described."""
        @staticmethod
        def elu(x, alpha=...) -> _as_Tensor: """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
        @staticmethod
        def exponential(x) -> _as_Tensor: """`exp(x)`."""
        @staticmethod
        def gelu(x, approximate=...) -> _as_Tensor: """`x` times the CDF of the standard normal distribution, or its tanh approximation."""
        @staticmethod
        def get(identifier) -> Any: """The member of keras.activations for a name, a configuration, a class or a member."""
        @staticmethod
        def glu(x, axis=...) -> _as_Tensor: """The first half along an axis times the sigmoid of the second half."""
        @staticmethod
        def hard_shrink(x, threshold=...) -> _as_Tensor: """`x` where its absolute value is above the threshold, else 0."""
        @staticmethod
        def hard_sigmoid(x) -> _as_Tensor: """A piecewise linear sigmoid: `x / 6 + 0.5`, clipped to the range from 0 to 1."""
        @staticmethod
        def hard_silu(x) -> _as_Tensor: """`x * hard_sigmoid(x)`."""
        @staticmethod
        def hard_swish(x) -> _as_Tensor: """`x * hard_sigmoid(x)`."""
        @staticmethod
        def hard_tanh(x) -> _as_Tensor: """The elements limited to the range from -1 to 1."""
        @staticmethod
        def leaky_relu(x, negative_slope=...) -> _as_Tensor: """`x` where it is positive, else `negative_slope * x`."""
        @staticmethod
        def linear(x) -> _as_Tensor: """The identity function."""
        @staticmethod
        def log_sigmoid(x) -> _as_Tensor: """The logarithm of the sigmoid, without overflow."""
        @staticmethod
        def log_softmax(x, axis=...) -> _as_Tensor: """The logarithm of `softmax`."""
        @staticmethod
        def mish(x) -> _as_Tensor: """`x * tanh(softplus(x))`."""
        @staticmethod
        def relu(x, negative_slope=..., max_value=..., threshold=...) -> _as_Tensor: """`max(x, 0)`, optionally with a slope below the threshold and a maximal value."""
        @staticmethod
        def relu6(features, name=...) -> _as_Tensor: """`min(max(x, 0), 6)` for each element."""
        @staticmethod
        def selu(features, name=...) -> _as_Tensor: """The scaled exponential linear unit, which preserves mean 0 and variance 1."""
        @staticmethod
        def serialize(member) -> builtins.str: """A member of keras.activations as data, for `deserialize`."""
        @staticmethod
        def sigmoid(x, *, name=...) -> _as_Tensor: """`1 / (1 + exp(-x))` for each element."""
        @staticmethod
        def silu(x) -> _as_Tensor: """`x * sigmoid(x)`."""
        @staticmethod
        def soft_shrink(x, threshold=...) -> _as_Tensor: """`x` moved towards 0 by the threshold, or 0 if it is nearer."""
        @staticmethod
        def softmax(x, axis=...) -> _as_Tensor: """`exp(x)` divided by its sum along `axis`."""
        @staticmethod
        def softplus(x, *, name=...) -> _as_Tensor: """`log(1 + exp(x))`, without overflow."""
        @staticmethod
        def softsign(x, *, name=...) -> _as_Tensor: """`x / (1 + abs(x))` for each element."""
        @staticmethod
        def sparse_plus(x) -> _as_Tensor: """0 below -1, `(x + 1) ** 2 / 4` up to 1, and `x` above."""
        @staticmethod
        def sparse_sigmoid(x) -> _as_Tensor: """`(x + 1) / 2`, limited to the range from 0 to 1."""
        @staticmethod
        def sparsemax(x, axis=...) -> _as_Tensor: """The nearest probabilities, of which many are 0."""
        @staticmethod
        def squareplus(x, b=...) -> _as_Tensor: """`(x + sqrt(x ** 2 + b)) / 2`."""
        @staticmethod
        def swish(x) -> _as_Tensor: """`x * sigmoid(x)`."""
        @staticmethod
        def tanh(x, *, name=...) -> _as_Tensor: """The hyperbolic tangent of each element."""
        @staticmethod
        def tanh_shrink(x) -> _as_Tensor: """`x - tanh(x)`."""
        @staticmethod
        def threshold(x, threshold, default_value) -> _as_Tensor: """`x` where it is above the threshold, else another value."""
    class backend:
        @staticmethod
        def abs(*args, **kwargs) -> _as_Tensor: """See `abs`."""
        @staticmethod
        def all(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_all`."""
        @staticmethod
        def any(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_any`."""
        @staticmethod
        def arange(start, stop=..., step=..., dtype=...) -> _as_Tensor: """Numbers from `start` to before `stop`."""
        @staticmethod
        def argmax(x, axis=...) -> _as_Tensor: """The index of the largest element along an axis."""
        @staticmethod
        def argmin(x, axis=...) -> _as_Tensor: """The index of the smallest element along an axis."""
        @staticmethod
        def backend() -> builtins.str: """The name of the vocabulary that layers are written in: 'tensorflow'."""
        @staticmethod
        def batch_flatten(x) -> _as_Tensor: """All axes after the first flattened into one."""
        @staticmethod
        def batch_normalization(x, mean, var, beta, gamma, axis=..., epsilon=...) -> _as_Tensor: """Elements less the mean, over the deviation, times gamma, plus beta, along an axis."""
        @staticmethod
        def bias_add(x, bias, data_format=...) -> _as_Tensor: """x plus a vector along its channels, which are the last axis unless `data_format` is 'channels_first'."""
        @staticmethod
        def binary_crossentropy(target, output, from_logits=...) -> _as_Tensor: """The cross entropy of each element."""
        @staticmethod
        def cast(x, dtype) -> _as_Tensor: """A tensor with its elements converted."""
        @staticmethod
        def categorical_crossentropy(target, output, from_logits=..., axis=...) -> _as_Tensor: """The cross entropy along an axis."""
        @staticmethod
        def clear_session() -> None: """Restart the numbering of layer names."""
        @staticmethod
        def clip(*args, **kwargs) -> _as_Tensor: """See `clip_by_value`."""
        @staticmethod
        def concatenate(tensors, axis=...) -> _as_Tensor: """Tensors joined along an axis."""
        @staticmethod
        def constant(*args, **kwargs) -> _as_Tensor: """See `constant`."""
        @staticmethod
        def cos(*args, **kwargs) -> _as_Tensor: """See `cos`."""
        @staticmethod
        def count_params(x) -> builtins.int: """The number of elements."""
        @staticmethod
        def cumprod(x, axis=...) -> _as_Tensor: """The running products along an axis."""
        @staticmethod
        def cumsum(x, axis=...) -> _as_Tensor: """The running sums along an axis."""
        @staticmethod
        def dot(x, y) -> _as_Tensor: """The matrix product, over the last axis of x and the last but one of y."""
        @staticmethod
        def dropout(x, level, noise_shape=..., seed=...) -> _as_Tensor: """Elements set to 0 with probability `level`, the others scaled up."""
        @staticmethod
        def dtype(x) -> builtins.str: """The name of the data type."""
        @staticmethod
        def elu(*args, **kwargs) -> _as_Tensor: """See `keras.activations.elu`."""
        @staticmethod
        def epsilon() -> builtins.float: """The small number that keeps divisors and arguments of logarithms from 0."""
        @staticmethod
        def equal(*args, **kwargs) -> _as_Tensor: """See `equal`."""
        @staticmethod
        def eval(x) -> Any: """The value of a tensor or a variable as a NumPy array."""
        @staticmethod
        def exp(*args, **kwargs) -> _as_Tensor: """See `exp`."""
        @staticmethod
        def expand_dims(x, axis=...) -> _as_Tensor: """A tensor with a new axis of size 1."""
        @staticmethod
        def eye(size, dtype=..., name=...) -> _as_Tensor: """The unit matrix of a size, or (rows, columns)."""
        @staticmethod
        def flatten(x) -> _as_Tensor: """All elements as a vector."""
        @staticmethod
        def floatx() -> builtins.str: """The data type of layers that are made without a dtype, by name."""
        @staticmethod
        def foldl(*args, **kwargs) -> Any: """See `foldl`."""
        @staticmethod
        def foldr(*args, **kwargs) -> Any: """See `foldr`."""
        @staticmethod
        def gather(*args, **kwargs) -> _as_Tensor: """See `gather`."""
        @staticmethod
        def get_uid(prefix=...) -> builtins.int: """A number that is new for this prefix."""
        @staticmethod
        def get_value(x) -> Any: """The value of a tensor or a variable as a NumPy array."""
        @staticmethod
        def greater(*args, **kwargs) -> _as_Tensor: """See `greater`."""
        @staticmethod
        def greater_equal(*args, **kwargs) -> _as_Tensor: """See `greater_equal`."""
        @staticmethod
        def hard_sigmoid(*args, **kwargs) -> _as_Tensor: """See `keras.activations.hard_sigmoid`."""
        @staticmethod
        def image_data_format() -> builtins.str: """The layout of images where none is given: channels are the last axis."""
        @staticmethod
        def in_top_k(predictions, targets, k) -> _as_Tensor: """Whether each target is the index of one of the `k` largest predictions."""
        @staticmethod
        def int_shape(x) -> builtins.tuple: """The sizes of the axes, None where they are unknown."""
        @staticmethod
        def is_float_dtype(dtype) -> builtins.bool: """Whether a data type is one of floats."""
        @staticmethod
        def is_int_dtype(dtype) -> builtins.bool: """Whether a data type is one of integers."""
        @staticmethod
        def is_keras_tensor(x) -> builtins.bool: """Whether an object is a placeholder of the functional API."""
        @staticmethod
        def l2_normalize(*args, **kwargs) -> _as_Tensor: """See `nn.l2_normalize`."""
        @staticmethod
        def less(*args, **kwargs) -> _as_Tensor: """See `less`."""
        @staticmethod
        def less_equal(*args, **kwargs) -> _as_Tensor: """See `less_equal`."""
        @staticmethod
        def log(*args, **kwargs) -> _as_Tensor: """See `math.log`."""
        @staticmethod
        def map_fn(fn, elems, name=..., dtype=...) -> Any: """The results of a function for each item along the first axis."""
        @staticmethod
        def max(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_max`."""
        @staticmethod
        def maximum(*args, **kwargs) -> _as_Tensor: """See `maximum`."""
        @staticmethod
        def mean(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_mean`."""
        @staticmethod
        def min(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_min`."""
        @staticmethod
        def minimum(*args, **kwargs) -> _as_Tensor: """See `minimum`."""
        @staticmethod
        def name_scope(*args, **kwargs) -> _as_name_scope: """See `name_scope`."""
        @staticmethod
        def ndim(x) -> builtins.int: """The number of axes."""
        @staticmethod
        def not_equal(*args, **kwargs) -> _as_Tensor: """See `not_equal`."""
        @staticmethod
        def one_hot(*args, **kwargs) -> _as_Tensor: """See `one_hot`."""
        @staticmethod
        def ones(*args, **kwargs) -> _as_Tensor: """See `ones`."""
        @staticmethod
        def ones_like(*args, **kwargs) -> _as_Tensor: """See `ones_like`."""
        @staticmethod
        def permute_dimensions(x, pattern) -> _as_Tensor: """A tensor with its axes in another order."""
        @staticmethod
        def pow(*args, **kwargs) -> _as_Tensor: """See `pow`."""
        @staticmethod
        def prod(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_prod`."""
        @staticmethod
        def random_normal(*args, **kwargs) -> _as_Tensor: """See `random.normal`."""
        @staticmethod
        def random_uniform(*args, **kwargs) -> _as_Tensor: """See `random.uniform`."""
        @staticmethod
        def relu(*args, **kwargs) -> _as_Tensor: """See `keras.activations.relu`."""
        @staticmethod
        def repeat_elements(x, rep, axis) -> _as_Tensor: """Each slice along an axis repeated."""
        @staticmethod
        def reshape(*args, **kwargs) -> _as_Tensor: """See `reshape`."""
        @staticmethod
        def result_type(*dtypes) -> builtins.str: """The name of the data type in which `keras.ops` computes with these types."""
        @staticmethod
        def reverse(*args, **kwargs) -> _as_Tensor: """See `reverse`."""
        @staticmethod
        def round(*args, **kwargs) -> _as_Tensor: """See `round`."""
        @staticmethod
        def set_epsilon(value) -> None: """Set what `epsilon()` returns."""
        @staticmethod
        def set_floatx(value) -> None: """Set the data type of layers that are made without a dtype."""
        @staticmethod
        def set_image_data_format(data_format) -> None: """Accept 'channels_last'. Raises ValueError otherwise: give layers their data_format."""
        @staticmethod
        def set_value(x, value) -> _as_Variable: """Assign a value to a variable."""
        @staticmethod
        def shape(*args, **kwargs) -> _as_Tensor: """See `shape`."""
        @staticmethod
        def sigmoid(*args, **kwargs) -> _as_Tensor: """See `sigmoid`."""
        @staticmethod
        def sign(*args, **kwargs) -> _as_Tensor: """See `sign`."""
        @staticmethod
        def sin(*args, **kwargs) -> _as_Tensor: """See `sin`."""
        @staticmethod
        def softmax(*args, **kwargs) -> _as_Tensor: """See `nn.softmax`."""
        @staticmethod
        def softplus(*args, **kwargs) -> _as_Tensor: """See `nn.softplus`."""
        @staticmethod
        def softsign(*args, **kwargs) -> _as_Tensor: """See `nn.softsign`."""
        @staticmethod
        def sparse_categorical_crossentropy(target, output, from_logits=..., axis=...) -> _as_Tensor: """The cross entropy of class numbers."""
        @staticmethod
        def sqrt(x) -> _as_Tensor: """The root of each element; that of negative ones is 0."""
        @staticmethod
        def square(*args, **kwargs) -> _as_Tensor: """See `square`."""
        @staticmethod
        def squeeze(*args, **kwargs) -> _as_Tensor: """See `squeeze`."""
        @staticmethod
        def stack(*args, **kwargs) -> _as_Tensor: """See `stack`."""
        @staticmethod
        def standardize_dtype(dtype) -> builtins.str: """The name of a data type; None is that of layers."""
        @staticmethod
        def std(x, axis=..., keepdims=...) -> _as_Tensor: """See `math.reduce_std`."""
        @staticmethod
        def stop_gradient(*args, **kwargs) -> _as_Tensor: """See `stop_gradient`."""
        @staticmethod
        def sum(x, axis=..., keepdims=...) -> _as_Tensor: """See `reduce_sum`."""
        @staticmethod
        def switch(condition, then_expression, else_expression) -> _as_Tensor: """One of two values, or of the results of two functions, by a condition."""
        @staticmethod
        def tanh(*args, **kwargs) -> _as_Tensor: """See `tanh`."""
        @staticmethod
        def tile(x, n) -> _as_Tensor: """x repeated `n` times along each axis; one number is for all axes."""
        @staticmethod
        def transpose(*args, **kwargs) -> _as_Tensor: """See `transpose`."""
        @staticmethod
        def truncated_normal(*args, **kwargs) -> _as_Tensor: """See `random.truncated_normal`."""
        @staticmethod
        def update(x, value) -> _as_Variable: """Assign a value to a variable."""
        @staticmethod
        def update_add(x, increment) -> _as_Variable: """Add to a variable."""
        @staticmethod
        def update_sub(x, decrement) -> _as_Variable: """Subtract from a variable."""
        @staticmethod
        def var(x, axis=..., keepdims=...) -> _as_Tensor: """See `math.reduce_variance`."""
        @staticmethod
        def variable(value, dtype=..., name=..., constraint=...) -> _as_Variable: """A new variable."""
        @staticmethod
        def zeros(*args, **kwargs) -> _as_Tensor: """See `zeros`."""
        @staticmethod
        def zeros_like(*args, **kwargs) -> _as_Tensor: """See `zeros_like`."""
    class callbacks:
        BackupAndRestore: TypeAlias = _as_keras__callbacks__BackupAndRestore
        CSVLogger: TypeAlias = _as_keras__callbacks__CSVLogger
        Callback: TypeAlias = _as_keras__callbacks__Callback
        EarlyStopping: TypeAlias = _as_keras__callbacks__EarlyStopping
        History: TypeAlias = _as_keras__callbacks__History
        LambdaCallback: TypeAlias = _as_keras__callbacks__LambdaCallback
        LearningRateScheduler: TypeAlias = _as_keras__callbacks__LearningRateScheduler
        ModelCheckpoint: TypeAlias = _as_keras__callbacks__ModelCheckpoint
        ProgbarLogger: TypeAlias = _as_keras__callbacks__ProgbarLogger
        ReduceLROnPlateau: TypeAlias = _as_keras__callbacks__ReduceLROnPlateau
        TensorBoard: TypeAlias = _as_keras__callbacks__TensorBoard
        TerminateOnNaN: TypeAlias = _as_keras__callbacks__TerminateOnNaN
    class config:
        @staticmethod
        def backend() -> builtins.str: """The name of the vocabulary that layers are written in: 'tensorflow'."""
        @staticmethod
        def dtype_policy() -> _as_keras__DTypePolicy: """The policy of layers that are made without a dtype."""
        @staticmethod
        def epsilon() -> builtins.float: """The small number that keeps divisors and arguments of logarithms from 0."""
        @staticmethod
        def floatx() -> builtins.str: """The data type of layers that are made without a dtype, by name."""
        @staticmethod
        def image_data_format() -> builtins.str: """The layout of images where none is given: channels are the last axis."""
        @staticmethod
        def set_epsilon(value) -> None: """Set what `epsilon()` returns."""
        @staticmethod
        def set_floatx(value) -> None: """Set the data type of layers that are made without a dtype."""
        @staticmethod
        def set_image_data_format(data_format) -> None: """Accept 'channels_last'. Raises ValueError otherwise: give layers their data_format."""
    class constraints:
        Constraint: TypeAlias = _as_keras__constraints__Constraint
        MaxNorm: TypeAlias = _as_keras__constraints__MaxNorm
        MinMaxNorm: TypeAlias = _as_keras__constraints__MinMaxNorm
        NonNeg: TypeAlias = _as_keras__constraints__NonNeg
        UnitNorm: TypeAlias = _as_keras__constraints__UnitNorm
        @staticmethod
        def deserialize(config, custom_objects=...) -> Any: """The member of keras.constraints that `serialize` described."""
        @staticmethod
        def get(identifier) -> Any: """The member of keras.constraints for a name, a configuration, a class or a member."""
        max_norm: TypeAlias = _as_keras__constraints__MaxNorm
        min_max_norm: TypeAlias = _as_keras__constraints__MinMaxNorm
        non_neg: TypeAlias = _as_keras__constraints__NonNeg
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.constraints as data, for `deserialize`."""
        unit_norm: TypeAlias = _as_keras__constraints__UnitNorm
    class initializers:
        Constant: TypeAlias = _as_constant_initializer
        GlorotNormal: type[_as_initializers__VarianceScaling]
        GlorotUniform: type[_as_initializers__VarianceScaling]
        HeNormal: type[_as_initializers__VarianceScaling]
        HeUniform: type[_as_initializers__VarianceScaling]
        Identity: TypeAlias = _as_initializers__Identity
        IdentityInitializer: TypeAlias = _as_initializers__Identity
        Initializer: TypeAlias = _as_initializers__Initializer
        LecunNormal: type[_as_initializers__VarianceScaling]
        LecunUniform: type[_as_initializers__VarianceScaling]
        Ones: TypeAlias = _as_ones_initializer
        Orthogonal: TypeAlias = _as_orthogonal_initializer
        OrthogonalInitializer: TypeAlias = _as_orthogonal_initializer
        RandomNormal: TypeAlias = _as_random_normal_initializer
        RandomUniform: TypeAlias = _as_random_uniform_initializer
        TruncatedNormal: TypeAlias = _as_truncated_normal_initializer
        VarianceScaling: TypeAlias = _as_initializers__VarianceScaling
        Zeros: TypeAlias = _as_zeros_initializer
        constant: TypeAlias = _as_constant_initializer
        @staticmethod
        def deserialize(config, custom_objects=...) -> Any: """The member of keras.initializers that `serialize` described."""
        @staticmethod
        def get(identifier) -> Any: """The member of keras.initializers for a name, a configuration, a class or a member."""
        glorot_normal: type[_as_initializers__VarianceScaling]
        glorot_uniform: type[_as_initializers__VarianceScaling]
        he_normal: type[_as_initializers__VarianceScaling]
        he_uniform: type[_as_initializers__VarianceScaling]
        identity: TypeAlias = _as_initializers__Identity
        lecun_normal: type[_as_initializers__VarianceScaling]
        lecun_uniform: type[_as_initializers__VarianceScaling]
        normal: TypeAlias = _as_random_normal_initializer
        one: TypeAlias = _as_ones_initializer
        ones: TypeAlias = _as_ones_initializer
        orthogonal: TypeAlias = _as_orthogonal_initializer
        random_normal: TypeAlias = _as_random_normal_initializer
        random_uniform: TypeAlias = _as_random_uniform_initializer
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.initializers as data, for `deserialize`."""
        truncated_normal: TypeAlias = _as_truncated_normal_initializer
        uniform: TypeAlias = _as_random_uniform_initializer
        variance_scaling: TypeAlias = _as_initializers__VarianceScaling
        zero: TypeAlias = _as_zeros_initializer
        zeros: TypeAlias = _as_zeros_initializer
    class layers:
        Activation: TypeAlias = _as_keras__layers__Activation
        ActivityRegularization: TypeAlias = _as_keras__layers__ActivityRegularization
        AdaptiveAveragePooling1D: type[_as_keras__Layer]
        AdaptiveAveragePooling2D: type[_as_keras__Layer]
        AdaptiveAveragePooling3D: type[_as_keras__Layer]
        AdaptiveMaxPooling1D: type[_as_keras__Layer]
        AdaptiveMaxPooling2D: type[_as_keras__Layer]
        AdaptiveMaxPooling3D: type[_as_keras__Layer]
        Add: type[_as_keras__Layer]
        AdditiveAttention: TypeAlias = _as_keras__layers__AdditiveAttention
        AlphaDropout: TypeAlias = _as_keras__layers__AlphaDropout
        Attention: TypeAlias = _as_keras__layers__Attention
        Average: type[_as_keras__Layer]
        AveragePooling1D: type[_as_keras__Layer]
        AveragePooling2D: type[_as_keras__Layer]
        AveragePooling3D: type[_as_keras__Layer]
        AvgPool1D: type[_as_keras__Layer]
        AvgPool2D: type[_as_keras__Layer]
        AvgPool3D: type[_as_keras__Layer]
        BatchNormalization: TypeAlias = _as_keras__layers__BatchNormalization
        Bidirectional: TypeAlias = _as_keras__layers__Bidirectional
        CategoryEncoding: TypeAlias = _as_keras__layers__CategoryEncoding
        CenterCrop: TypeAlias = _as_keras__layers__CenterCrop
        Concatenate: TypeAlias = _as_keras__layers__Concatenate
        Conv1D: type[_as_keras__Layer]
        Conv1DTranspose: type[_as_keras__Layer]
        Conv2D: type[_as_keras__Layer]
        Conv2DTranspose: type[_as_keras__Layer]
        Conv3D: type[_as_keras__Layer]
        Conv3DTranspose: type[_as_keras__Layer]
        ConvLSTM1D: type[_as_keras__layers__RNN]
        ConvLSTM2D: type[_as_keras__layers__RNN]
        ConvLSTM3D: type[_as_keras__layers__RNN]
        Convolution1D: type[_as_keras__Layer]
        Convolution1DTranspose: type[_as_keras__Layer]
        Convolution2D: type[_as_keras__Layer]
        Convolution2DTranspose: type[_as_keras__Layer]
        Convolution3D: type[_as_keras__Layer]
        Convolution3DTranspose: type[_as_keras__Layer]
        Cropping1D: type[_as_keras__Layer]
        Cropping2D: type[_as_keras__Layer]
        Cropping3D: type[_as_keras__Layer]
        Dense: TypeAlias = _as_keras__layers__Dense
        DepthwiseConv1D: type[_as_keras__Layer]
        DepthwiseConv2D: type[_as_keras__Layer]
        Discretization: TypeAlias = _as_keras__layers__Discretization
        Dot: TypeAlias = _as_keras__layers__Dot
        Dropout: TypeAlias = _as_keras__layers__Dropout
        ELU: TypeAlias = _as_keras__layers__ELU
        EinsumDense: TypeAlias = _as_keras__layers__EinsumDense
        Embedding: TypeAlias = _as_keras__layers__Embedding
        Flatten: TypeAlias = _as_keras__layers__Flatten
        GRU: type[_as_keras__layers__RNN]
        GRUCell: TypeAlias = _as_keras__layers__GRUCell
        GaussianDropout: TypeAlias = _as_keras__layers__GaussianDropout
        GaussianNoise: TypeAlias = _as_keras__layers__GaussianNoise
        GlobalAveragePooling1D: type[_as_keras__Layer]
        GlobalAveragePooling2D: type[_as_keras__Layer]
        GlobalAveragePooling3D: type[_as_keras__Layer]
        GlobalAvgPool1D: type[_as_keras__Layer]
        GlobalAvgPool2D: type[_as_keras__Layer]
        GlobalAvgPool3D: type[_as_keras__Layer]
        GlobalMaxPool1D: type[_as_keras__Layer]
        GlobalMaxPool2D: type[_as_keras__Layer]
        GlobalMaxPool3D: type[_as_keras__Layer]
        GlobalMaxPooling1D: type[_as_keras__Layer]
        GlobalMaxPooling2D: type[_as_keras__Layer]
        GlobalMaxPooling3D: type[_as_keras__Layer]
        GroupNormalization: TypeAlias = _as_keras__layers__GroupNormalization
        HashedCrossing: TypeAlias = _as_keras__layers__HashedCrossing
        Hashing: TypeAlias = _as_keras__layers__Hashing
        Identity: TypeAlias = _as_keras__layers__Identity
        @staticmethod
        def Input(shape=..., batch_size=..., dtype=..., name=..., batch_shape=...) -> _as_keras__KerasTensor: """A placeholder for inputs of shape [batch_size, *shape], for the functional API."""
        InputLayer: TypeAlias = _as_keras__layers__InputLayer
        InputSpec: TypeAlias = _as_keras__InputSpec
        IntegerLookup: TypeAlias = _as_keras__layers__IntegerLookup
        LSTM: type[_as_keras__layers__RNN]
        LSTMCell: TypeAlias = _as_keras__layers__LSTMCell
        Lambda: TypeAlias = _as_keras__layers__Lambda
        Layer: TypeAlias = _as_keras__Layer
        LayerNormalization: TypeAlias = _as_keras__layers__LayerNormalization
        LeakyReLU: TypeAlias = _as_keras__layers__LeakyReLU
        Masking: TypeAlias = _as_keras__layers__Masking
        MaxPool1D: type[_as_keras__Layer]
        MaxPool2D: type[_as_keras__Layer]
        MaxPool3D: type[_as_keras__Layer]
        MaxPooling1D: type[_as_keras__Layer]
        MaxPooling2D: type[_as_keras__Layer]
        MaxPooling3D: type[_as_keras__Layer]
        Maximum: type[_as_keras__Layer]
        Minimum: type[_as_keras__Layer]
        MultiHeadAttention: TypeAlias = _as_keras__layers__MultiHeadAttention
        Multiply: type[_as_keras__Layer]
        Normalization: TypeAlias = _as_keras__layers__Normalization
        PReLU: TypeAlias = _as_keras__layers__PReLU
        Permute: TypeAlias = _as_keras__layers__Permute
        RMSNormalization: TypeAlias = _as_keras__layers__RMSNormalization
        RNN: TypeAlias = _as_keras__layers__RNN
        RandomBrightness: TypeAlias = _as_keras__layers__RandomBrightness
        RandomContrast: TypeAlias = _as_keras__layers__RandomContrast
        RandomCrop: TypeAlias = _as_keras__layers__RandomCrop
        RandomFlip: TypeAlias = _as_keras__layers__RandomFlip
        RandomRotation: TypeAlias = _as_keras__layers__RandomRotation
        RandomTranslation: TypeAlias = _as_keras__layers__RandomTranslation
        RandomZoom: TypeAlias = _as_keras__layers__RandomZoom
        ReLU: TypeAlias = _as_keras__layers__ReLU
        RepeatVector: TypeAlias = _as_keras__layers__RepeatVector
        Rescaling: TypeAlias = _as_keras__layers__Rescaling
        Reshape: TypeAlias = _as_keras__layers__Reshape
        Resizing: TypeAlias = _as_keras__layers__Resizing
        SeparableConv1D: type[_as_keras__Layer]
        SeparableConv2D: type[_as_keras__Layer]
        SeparableConvolution1D: type[_as_keras__Layer]
        SeparableConvolution2D: type[_as_keras__Layer]
        SimpleRNN: type[_as_keras__layers__RNN]
        SimpleRNNCell: TypeAlias = _as_keras__layers__SimpleRNNCell
        Softmax: TypeAlias = _as_keras__layers__Softmax
        SpatialDropout1D: TypeAlias = _as_keras__layers__SpatialDropout1D
        SpatialDropout2D: TypeAlias = _as_keras__layers__SpatialDropout2D
        SpatialDropout3D: TypeAlias = _as_keras__layers__SpatialDropout3D
        SpectralNormalization: TypeAlias = _as_keras__layers__SpectralNormalization
        StackedRNNCells: TypeAlias = _as_keras__layers__StackedRNNCells
        StringLookup: TypeAlias = _as_keras__layers__StringLookup
        Subtract: type[_as_keras__Layer]
        TextVectorization: TypeAlias = _as_keras__layers__TextVectorization
        ThresholdedReLU: TypeAlias = _as_keras__layers__ThresholdedReLU
        TimeDistributed: TypeAlias = _as_keras__layers__TimeDistributed
        UnitNormalization: TypeAlias = _as_keras__layers__UnitNormalization
        UpSampling1D: type[_as_keras__Layer]
        UpSampling2D: type[_as_keras__Layer]
        UpSampling3D: type[_as_keras__Layer]
        Wrapper: TypeAlias = _as_keras__layers__Wrapper
        ZeroPadding1D: type[_as_keras__Layer]
        ZeroPadding2D: type[_as_keras__Layer]
        ZeroPadding3D: type[_as_keras__Layer]
        @staticmethod
        def add(inputs, **kwargs) -> Any: """A call of a new layer `Add`."""
        @staticmethod
        def average(inputs, **kwargs) -> Any: """A call of a new layer `Average`."""
        @staticmethod
        def concatenate(inputs, **kwargs) -> Any: """A call of a new layer `Concatenate`."""
        @staticmethod
        def deserialize(config, custom_objects=...) -> _as_keras__layers__Layer: """The member of keras.layers that `serialize` described."""
        @staticmethod
        def dot(inputs, axes=..., normalize=..., **kwargs) -> Any: """A call of a new layer `Dot`."""
        @staticmethod
        def maximum(inputs, **kwargs) -> Any: """A call of a new layer `Maximum`."""
        @staticmethod
        def minimum(inputs, **kwargs) -> Any: """A call of a new layer `Minimum`."""
        @staticmethod
        def multiply(inputs, **kwargs) -> Any: """A call of a new layer `Multiply`."""
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.layers as data, for `deserialize`."""
        @staticmethod
        def subtract(inputs, **kwargs) -> Any: """A call of a new layer `Subtract`."""
    class losses:
        BinaryCrossentropy: type[_as_keras__Loss]
        BinaryFocalCrossentropy: type[_as_keras__Loss]
        CTC: type[_as_keras__Loss]
        CategoricalCrossentropy: type[_as_keras__Loss]
        CategoricalFocalCrossentropy: type[_as_keras__Loss]
        CategoricalGeneralizedCrossEntropy: type[_as_keras__Loss]
        CategoricalHinge: type[_as_keras__Loss]
        Circle: type[_as_keras__Loss]
        CosineSimilarity: type[_as_keras__Loss]
        Dice: type[_as_keras__Loss]
        Hinge: type[_as_keras__Loss]
        Huber: type[_as_keras__Loss]
        @staticmethod
        def KLD(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        KLDivergence: type[_as_keras__Loss]
        LogCosh: type[_as_keras__Loss]
        Loss: TypeAlias = _as_keras__Loss
        @staticmethod
        def MAE(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
        @staticmethod
        def MAPE(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
        @staticmethod
        def MSE(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
        @staticmethod
        def MSLE(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
        MeanAbsoluteError: type[_as_keras__Loss]
        MeanAbsolutePercentageError: type[_as_keras__Loss]
        MeanSquaredError: type[_as_keras__Loss]
        MeanSquaredLogarithmicError: type[_as_keras__Loss]
        Poisson: type[_as_keras__Loss]
        Reduction: TypeAlias = _as_losses__Reduction
        SparseCategoricalCrossentropy: type[_as_keras__Loss]
        SquaredHinge: type[_as_keras__Loss]
        Tversky: type[_as_keras__Loss]
        @staticmethod
        def binary_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=...) -> _as_Tensor: """The mean of `-y * log(p) - (1 - y) * log(1 - p)` over the last axis."""
        @staticmethod
        def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=..., alpha=..., gamma=..., from_logits=..., label_smoothing=...) -> _as_Tensor: """The binary cross entropy times `(1 - p) ** gamma`, p being that of the label."""
        @staticmethod
        def categorical_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """`-sum(y_true * log(p))` along `axis`; `y_true` contains probabilities or one-hot vectors."""
        @staticmethod
        def categorical_focal_crossentropy(y_true, y_pred, alpha=..., gamma=..., from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """The categorical cross entropy with each term times `alpha * (1 - p) ** gamma`."""
        @staticmethod
        def categorical_generalized_cross_entropy(y_true, y_pred, q=...) -> _as_Tensor: """`(1 - p ** q) / q` for the probability p of the label, which noisy labels disturb less."""
        @staticmethod
        def categorical_hinge(y_true, y_pred) -> _as_Tensor: """`max(1 + the largest prediction of other classes - that of the class, 0)`."""
        @staticmethod
        def circle(y_true, y_pred, ref_labels=..., ref_embeddings=..., remove_diagonal=..., gamma=..., margin=...) -> _as_Tensor: """The circle loss of normalized embeddings [batch, size] with integer labels."""
        @staticmethod
        def cosine_similarity(y_true, y_pred, axis=...) -> _as_Tensor: """The negative cosine of the angle between vectors along `axis`: -1 for equal directions."""
        @staticmethod
        def ctc(y_true, y_pred) -> _as_Tensor: """The CTC loss of label sequences [batch, length], padded with 0, and logits [batch, time, classes]; 0 is also the class that stands for no label."""
        @staticmethod
        def deserialize(config, custom_objects=...) -> _as_keras__losses__Loss: """The member of keras.losses that `serialize` described."""
        @staticmethod
        def dice(y_true, y_pred, axis=...) -> _as_Tensor: """1 minus the Dice coefficient, twice the overlap divided by the sum of both."""
        @staticmethod
        def get(identifier) -> Any: """The member of keras.losses for a name, a configuration, a class or a member."""
        @staticmethod
        def hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0)` over the last axis."""
        @staticmethod
        def huber(y_true, y_pred, delta=...) -> _as_Tensor: """The Huber loss: half the squared error up to `delta`, linear beyond; mean of last axis."""
        @staticmethod
        def kl_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        @staticmethod
        def kld(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        @staticmethod
        def kullback_leibler_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        @staticmethod
        def log_cosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
        @staticmethod
        def logcosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
        @staticmethod
        def mae(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
        @staticmethod
        def mape(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
        @staticmethod
        def mean_absolute_error(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
        @staticmethod
        def mean_absolute_percentage_error(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
        @staticmethod
        def mean_squared_error(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
        @staticmethod
        def mean_squared_logarithmic_error(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
        @staticmethod
        def mse(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
        @staticmethod
        def msle(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
        @staticmethod
        def poisson(y_true, y_pred) -> _as_Tensor: """The mean of `y_pred - y_true * log(y_pred)` over the last axis."""
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.losses as data, for `deserialize`."""
        @staticmethod
        def sparse_categorical_crossentropy(y_true, y_pred, from_logits=..., ignore_class=..., axis=...) -> _as_Tensor: """`-log(p[label])` along the last axis; `y_true` contains integer labels."""
        @staticmethod
        def squared_hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0) ** 2` over the last axis."""
        @staticmethod
        def tversky(y_true, y_pred, alpha=..., beta=..., axis=...) -> _as_Tensor: """1 minus the Tversky index: `alpha` weighs false positives, `beta` false negatives."""
    class metrics:
        AUC: TypeAlias = _as_metrics__AUC
        Accuracy: type[_as_metrics__MeanMetricWrapper]
        BinaryAccuracy: type[_as_metrics__MeanMetricWrapper]
        BinaryCrossentropy: type[_as_metrics__MeanMetricWrapper]
        BinaryIoU: TypeAlias = _as_metrics__BinaryIoU
        CategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
        CategoricalCrossentropy: type[_as_metrics__MeanMetricWrapper]
        CategoricalHinge: type[_as_metrics__MeanMetricWrapper]
        CosineSimilarity: TypeAlias = _as_metrics__CosineSimilarity
        F1Score: TypeAlias = _as_metrics__F1Score
        FBetaScore: TypeAlias = _as_metrics__FBetaScore
        FalseNegatives: type[_as_keras__Metric]
        FalsePositives: type[_as_keras__Metric]
        Hinge: type[_as_metrics__MeanMetricWrapper]
        IoU: TypeAlias = _as_metrics__IoU
        @staticmethod
        def KLD(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        KLDivergence: type[_as_metrics__MeanMetricWrapper]
        LogCoshError: type[_as_metrics__MeanMetricWrapper]
        @staticmethod
        def MAE(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
        @staticmethod
        def MAPE(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
        @staticmethod
        def MSE(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
        @staticmethod
        def MSLE(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
        Mean: TypeAlias = _as_metrics__Mean
        MeanAbsoluteError: type[_as_metrics__MeanMetricWrapper]
        MeanAbsolutePercentageError: type[_as_metrics__MeanMetricWrapper]
        MeanIoU: TypeAlias = _as_metrics__MeanIoU
        MeanMetricWrapper: TypeAlias = _as_metrics__MeanMetricWrapper
        MeanSquaredError: type[_as_metrics__MeanMetricWrapper]
        MeanSquaredLogarithmicError: type[_as_metrics__MeanMetricWrapper]
        Metric: TypeAlias = _as_keras__Metric
        OneHotIoU: TypeAlias = _as_metrics__OneHotIoU
        OneHotMeanIoU: TypeAlias = _as_metrics__OneHotMeanIoU
        Poisson: type[_as_metrics__MeanMetricWrapper]
        Precision: type[_as_keras__Metric]
        PrecisionAtRecall: type[_as_keras__Metric]
        R2Score: TypeAlias = _as_metrics__R2Score
        Recall: type[_as_keras__Metric]
        RecallAtPrecision: type[_as_keras__Metric]
        RootMeanSquaredError: TypeAlias = _as_metrics__RootMeanSquaredError
        SensitivityAtSpecificity: type[_as_keras__Metric]
        SparseCategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
        SparseCategoricalCrossentropy: type[_as_metrics__MeanMetricWrapper]
        SparseTopKCategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
        SpecificityAtSensitivity: type[_as_keras__Metric]
        SquaredHinge: type[_as_metrics__MeanMetricWrapper]
        Sum: TypeAlias = _as_metrics__Sum
        TopKCategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
        TrueNegatives: type[_as_keras__Metric]
        TruePositives: type[_as_keras__Metric]
        @staticmethod
        def binary_accuracy(y_true, y_pred, threshold=...) -> _as_Tensor: """The fraction of predictions on the correct side of the threshold, over the last axis."""
        @staticmethod
        def binary_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=...) -> _as_Tensor: """The mean of `-y * log(p) - (1 - y) * log(1 - p)` over the last axis."""
        @staticmethod
        def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=..., alpha=..., gamma=..., from_logits=..., label_smoothing=...) -> _as_Tensor: """The binary cross entropy times `(1 - p) ** gamma`, p being that of the label."""
        @staticmethod
        def categorical_accuracy(y_true, y_pred) -> _as_Tensor: """1 where the largest prediction has the index of the largest label, else 0."""
        @staticmethod
        def categorical_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """`-sum(y_true * log(p))` along `axis`; `y_true` contains probabilities or one-hot vectors."""
        @staticmethod
        def categorical_focal_crossentropy(y_true, y_pred, alpha=..., gamma=..., from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """The categorical cross entropy with each term times `alpha * (1 - p) ** gamma`."""
        @staticmethod
        def categorical_hinge(y_true, y_pred) -> _as_Tensor: """`max(1 + the largest prediction of other classes - that of the class, 0)`."""
        @staticmethod
        def cosine_similarity(y_true, y_pred, axis=...) -> _as_Tensor: """The negative cosine of the angle between vectors along `axis`: -1 for equal directions."""
        @staticmethod
        def deserialize(config, custom_objects=...) -> _as_keras__metrics__Metric: """The member of keras.metrics that `serialize` described."""
        @staticmethod
        def get(identifier) -> Any: """The metric for a name, a function, a configuration, or a metric."""
        @staticmethod
        def hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0)` over the last axis."""
        @staticmethod
        def huber(y_true, y_pred, delta=...) -> _as_Tensor: """The Huber loss: half the squared error up to `delta`, linear beyond; mean of last axis."""
        @staticmethod
        def kl_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        @staticmethod
        def kld(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        @staticmethod
        def kullback_leibler_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
        @staticmethod
        def log_cosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
        @staticmethod
        def logcosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
        @staticmethod
        def mae(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
        @staticmethod
        def mape(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
        @staticmethod
        def mean_absolute_error(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
        @staticmethod
        def mean_absolute_percentage_error(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
        @staticmethod
        def mean_squared_error(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
        @staticmethod
        def mean_squared_logarithmic_error(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
        @staticmethod
        def mse(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
        @staticmethod
        def msle(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
        @staticmethod
        def poisson(y_true, y_pred) -> _as_Tensor: """The mean of `y_pred - y_true * log(y_pred)` over the last axis."""
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.metrics as data, for `deserialize`."""
        @staticmethod
        def sparse_categorical_accuracy(y_true, y_pred) -> _as_Tensor: """1 where the largest prediction has the index of the integer label, else 0."""
        @staticmethod
        def sparse_categorical_crossentropy(y_true, y_pred, from_logits=..., ignore_class=..., axis=...) -> _as_Tensor: """`-log(p[label])` along the last axis; `y_true` contains integer labels."""
        @staticmethod
        def sparse_top_k_categorical_accuracy(y_true, y_pred, k=...) -> _as_Tensor: """1 where the integer label is the index of one of the `k` largest predictions, else 0."""
        @staticmethod
        def squared_hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0) ** 2` over the last axis."""
        @staticmethod
        def top_k_categorical_accuracy(y_true, y_pred, k=...) -> _as_Tensor: """1 where the index of the largest label is one of the `k` largest predictions, else 0."""
    class mixed_precision:
        DTypePolicy: TypeAlias = _as_keras__DTypePolicy
        LossScaleOptimizer: TypeAlias = _as_optimizers__LossScaleOptimizer
        Policy: TypeAlias = _as_keras__DTypePolicy
        @staticmethod
        def dtype_policy() -> _as_keras__DTypePolicy: """The policy of layers that are made without a dtype."""
        @staticmethod
        def global_policy() -> _as_keras__DTypePolicy: """The policy of layers that are made without a dtype."""
        @staticmethod
        def set_dtype_policy(policy) -> None: """Set the policy of layers that are made without a dtype: a name, or a `Policy`."""
        @staticmethod
        def set_global_policy(policy) -> None: """Set the policy of layers that are made without a dtype: a name, or a `Policy`."""
    class models:
        Model: TypeAlias = _as_keras__Model
        Sequential: TypeAlias = _as_keras__Sequential
        @staticmethod
        def clone_model(model, input_tensors=..., clone_function=...) -> _as_keras__Model: """A model with the same layers and new weights, built for the same inputs."""
        @staticmethod
        def load_model(filepath, custom_objects=..., compile=..., safe_mode=...) -> _as_keras__Model: """The model of a file of `Model.save`, compiled if it was."""
        @staticmethod
        def model_from_config(config, custom_objects=...) -> _as_keras__Model: """A new model from a dict with `class_name` and `config`."""
        @staticmethod
        def model_from_json(json_string, custom_objects=...) -> _as_keras__Model: """A new model from the result of `Model.to_json`."""
        @staticmethod
        def save_model(model, filepath, overwrite=..., **kwargs) -> None: """Write a model to a file: its layers, its weights, and what `compile` was given."""
    class ops:
        @staticmethod
        def abs(x) -> _as_Tensor: """NumPy's `abs` with the data types of Keras."""
        @staticmethod
        def absolute(x) -> _as_Tensor: """NumPy's `absolute` with the data types of Keras."""
        @staticmethod
        def adaptive_average_pool(inputs, output_size, data_format=...) -> _as_Tensor: """The means of windows chosen such that the result has `output_size`."""
        @staticmethod
        def adaptive_max_pool(inputs, output_size, data_format=...) -> _as_Tensor: """The largest elements of windows chosen such that the result has `output_size`."""
        @staticmethod
        def add(x1, x2) -> _as_Tensor: """NumPy's `add` with the data types of Keras."""
        @staticmethod
        def all(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `all` with the data types of Keras."""
        @staticmethod
        def allclose(x1, x2, rtol=..., atol=..., equal_nan=...) -> _as_Tensor: """NumPy's `allclose` with the data types of Keras."""
        @staticmethod
        def amax(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `amax` with the data types of Keras."""
        @staticmethod
        def amin(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `amin` with the data types of Keras."""
        @staticmethod
        def angle(x) -> _as_Tensor: """NumPy's `angle` with the data types of Keras."""
        @staticmethod
        def any(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `any` with the data types of Keras."""
        @staticmethod
        def append(x1, x2, axis=...) -> _as_Tensor: """NumPy's `append` with the data types of Keras."""
        @staticmethod
        def arange(start, stop=..., step=..., dtype=...) -> _as_Tensor: """Numbers from `start` to before `stop`: int32 for integers, `floatx` for floats."""
        @staticmethod
        def arccos(x) -> _as_Tensor: """NumPy's `arccos` with the data types of Keras."""
        @staticmethod
        def arccosh(x) -> _as_Tensor: """NumPy's `arccosh` with the data types of Keras."""
        @staticmethod
        def arcsin(x) -> _as_Tensor: """NumPy's `arcsin` with the data types of Keras."""
        @staticmethod
        def arcsinh(x) -> _as_Tensor: """NumPy's `arcsinh` with the data types of Keras."""
        @staticmethod
        def arctan(x) -> _as_Tensor: """NumPy's `arctan` with the data types of Keras."""
        @staticmethod
        def arctan2(x1, x2) -> _as_Tensor: """NumPy's `arctan2` with the data types of Keras."""
        @staticmethod
        def arctanh(x) -> _as_Tensor: """NumPy's `arctanh` with the data types of Keras."""
        @staticmethod
        def argmax(x, axis=..., keepdims=...) -> _as_Tensor: """The index of the first largest element along an axis, or in the flattened array."""
        @staticmethod
        def argmin(x, axis=..., keepdims=...) -> _as_Tensor: """The index of the first smallest element along an axis, or in the flattened array."""
        @staticmethod
        def argpartition(x, kth, axis=...) -> _as_Tensor: """NumPy's `argpartition` with the data types of Keras."""
        @staticmethod
        def argsort(x, axis=...) -> _as_Tensor: """NumPy's `argsort` with the data types of Keras."""
        @staticmethod
        def array(x, dtype=..., sparse=..., ragged=...) -> _as_Tensor: """A tensor of a value, cast to `dtype` if one is given."""
        @staticmethod
        def array_split(x, indices_or_sections, axis=...) -> builtins.list[_as_Tensor]: """Like `split`; the first parts may be longer by one."""
        @staticmethod
        def associative_scan(f, elems, reverse=..., axis=...) -> Any: """The running results of an associative function of two batches along an axis."""
        @staticmethod
        def average(x, axis=..., weights=...) -> _as_Tensor: """The mean along an axis, weighted if there are weights."""
        @staticmethod
        def average_pool(inputs, pool_size, strides=..., padding=..., data_format=...) -> _as_Tensor: """The mean of each window."""
        @staticmethod
        def bartlett(x) -> _as_Tensor: """NumPy's window `bartlett` of x points."""
        @staticmethod
        def batch_normalization(x, mean, variance, axis, offset=..., scale=..., epsilon=...) -> _as_Tensor: """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, with vectors along `axis`."""
        @staticmethod
        def binary_crossentropy(target, output, from_logits=...) -> _as_Tensor: """`-t * log(p) - (1 - t) * log(1 - p)` for each element."""
        @staticmethod
        def bincount(x, weights=..., minlength=..., sparse=...) -> _as_Tensor: """How often each number occurs, or the sum of its weights; int32 or the type of the weights."""
        @staticmethod
        def bitwise_and(x, y) -> _as_Tensor: """NumPy's `bitwise_and` with the data types of Keras."""
        @staticmethod
        def bitwise_invert(x) -> _as_Tensor: """NumPy's `bitwise_invert` with the data types of Keras."""
        @staticmethod
        def bitwise_left_shift(x, y) -> _as_Tensor: """NumPy's `bitwise_left_shift` with the data types of Keras."""
        @staticmethod
        def bitwise_not(x) -> _as_Tensor: """NumPy's `bitwise_not` with the data types of Keras."""
        @staticmethod
        def bitwise_or(x, y) -> _as_Tensor: """NumPy's `bitwise_or` with the data types of Keras."""
        @staticmethod
        def bitwise_right_shift(x, y) -> _as_Tensor: """NumPy's `bitwise_right_shift` with the data types of Keras."""
        @staticmethod
        def bitwise_xor(x, y) -> _as_Tensor: """NumPy's `bitwise_xor` with the data types of Keras."""
        @staticmethod
        def blackman(x) -> _as_Tensor: """NumPy's window `blackman` of x points."""
        @staticmethod
        def broadcast_to(x, shape) -> _as_Tensor: """NumPy's `broadcast_to` with the data types of Keras."""
        @staticmethod
        def cast(x, dtype) -> _as_Tensor: """A tensor with its elements converted to `dtype`."""
        @staticmethod
        def categorical_crossentropy(target, output, from_logits=..., axis=...) -> _as_Tensor: """`-sum(t * log(p))` along `axis`."""
        @staticmethod
        def cbrt(x) -> _as_Tensor: """NumPy's `cbrt` with the data types of Keras."""
        @staticmethod
        def cdist(x, y) -> _as_Tensor: """The distances of all pairs of rows."""
        @staticmethod
        def ceil(x) -> _as_Tensor: """NumPy's `ceil` with the data types of Keras."""
        @staticmethod
        def celu(x, alpha=...) -> Any: """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`."""
        @staticmethod
        def cholesky(x, upper=...) -> _as_Tensor: """The lower triangular L with `L @ L.T == x`, or its transpose."""
        @staticmethod
        def cholesky_inverse(x, upper=...) -> _as_Tensor: """The inverse of the matrix whose Cholesky factor is `x`."""
        @staticmethod
        def clip(x, x_min, x_max) -> _as_Tensor: """The elements limited to a range; the type is that of `x`."""
        @staticmethod
        def concatenate(xs, axis=...) -> _as_Tensor: """NumPy's `concatenate` with the data types of Keras."""
        @staticmethod
        def cond(pred, true_fn, false_fn) -> Any: """The result of `true_fn()` if `pred` holds, else of `false_fn()`."""
        @staticmethod
        def conj(x) -> _as_Tensor: """NumPy's `conj` with the data types of Keras."""
        @staticmethod
        def conjugate(x) -> _as_Tensor: """NumPy's `conjugate` with the data types of Keras."""
        @staticmethod
        def conv(inputs, kernel, strides=..., padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """Convolution over one to three axes: inputs [batch, *space, channels], kernel [*sizes, channels / groups, outputs]."""
        @staticmethod
        def conv_transpose(inputs, kernel, strides=..., padding=..., output_padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """Transposed convolution: kernel [*sizes, outputs, channels]."""
        @staticmethod
        def convert_to_numpy(x) -> np.ndarray: """The value of a tensor as a NumPy array."""
        @staticmethod
        def convert_to_tensor(x, dtype=..., sparse=..., ragged=...) -> _as_Tensor: """A tensor of a value, cast to `dtype` if one is given."""
        @staticmethod
        def copy(x) -> _as_Tensor: """NumPy's `copy` with the data types of Keras."""
        @staticmethod
        def corrcoef(x) -> _as_Tensor: """The correlations of the rows of a matrix with each other."""
        @staticmethod
        def correlate(x1, x2, mode=...) -> _as_Tensor: """NumPy's `correlate` with the data types of Keras."""
        @staticmethod
        def cos(x) -> _as_Tensor: """NumPy's `cos` with the data types of Keras."""
        @staticmethod
        def cosh(x) -> _as_Tensor: """NumPy's `cosh` with the data types of Keras."""
        @staticmethod
        def count_nonzero(x, axis=...) -> _as_Tensor: """NumPy's `count_nonzero` with the data types of Keras."""
        @staticmethod
        def cross(x1, x2, axisa=..., axisb=..., axisc=..., axis=...) -> _as_Tensor: """NumPy's `cross` with the data types of Keras."""
        @staticmethod
        def ctc_loss(target, output, target_length, output_length, mask_index=...) -> _as_Tensor: """The CTC loss of label sequences, given logits [batch, time, classes]."""
        @staticmethod
        def cumprod(x, axis=..., dtype=...) -> _as_Tensor: """NumPy's `cumprod` with the data types of Keras."""
        @staticmethod
        def cumsum(x, axis=..., dtype=...) -> _as_Tensor: """NumPy's `cumsum` with the data types of Keras."""
        @staticmethod
        def custom_gradient(f) -> Any: """A function with a user-defined gradient: `f(*tensors)` returns `(y, grad)`."""
        @staticmethod
        def deg2rad(x) -> _as_Tensor: """NumPy's `deg2rad` with the data types of Keras."""
        @staticmethod
        def depth_to_space(x, block_size, data_format=...) -> _as_Tensor: """Channels become blocks of pixels."""
        @staticmethod
        def depthwise_conv(inputs, kernel, strides=..., padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """Convolution of each channel by itself: kernel [*sizes, channels, multiplier]."""
        @staticmethod
        def det(x) -> _as_Tensor: """The determinant."""
        @staticmethod
        def diag(x, k=...) -> _as_Tensor: """NumPy's `diag` with the data types of Keras."""
        @staticmethod
        def diagflat(x, k=...) -> _as_Tensor: """NumPy's `diagflat` with the data types of Keras."""
        @staticmethod
        def diagonal(x, offset=..., axis1=..., axis2=...) -> _as_Tensor: """NumPy's `diagonal` with the data types of Keras."""
        @staticmethod
        def diff(a, n=..., axis=...) -> _as_Tensor: """NumPy's `diff` with the data types of Keras."""
        @staticmethod
        def digitize(x, bins) -> _as_Tensor: """The number of the interval of each element, between sorted bounds."""
        @staticmethod
        def divide(x1, x2) -> _as_Tensor: """NumPy's `divide` with the data types of Keras."""
        @staticmethod
        def divide_no_nan(x1, x2) -> _as_Tensor: """The quotient, and 0 where the divisor is 0."""
        @staticmethod
        def dot(x1, x2) -> _as_Tensor: """NumPy's `dot` with the data types of Keras."""
        @staticmethod
        def dot_product_attention(query, key, value, bias=..., mask=..., scale=..., is_causal=..., flash_attention=..., attn_logits_soft_cap=...) -> _as_Tensor: """Means of values [batch, time, heads, size] weighted by softmax(query * key * scale)."""
        @staticmethod
        def dsplit(x, indices_or_sections) -> builtins.list[_as_Tensor]: """Parts along the third axis."""
        @staticmethod
        def dstack(xs) -> _as_Tensor: """NumPy's `dstack` with the data types of Keras."""
        @staticmethod
        def dtype(x) -> builtins.str: """The name of the data type of a tensor."""
        @staticmethod
        def eig(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The eigenvalues and the eigenvectors."""
        @staticmethod
        def eigh(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The eigenvalues and the eigenvectors of a symmetric matrix."""
        @staticmethod
        def einsum(subscripts, *operands_, **kwargs) -> _as_Tensor: """Sums of products by the names of axes."""
        @staticmethod
        def elu(x, alpha=...) -> _as_Tensor: """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
        @staticmethod
        def empty(shape, dtype=...) -> _as_Tensor: """An array to be filled; it holds zeros."""
        @staticmethod
        def empty_like(x, dtype=...) -> _as_Tensor: """An array like `x` to be filled; it holds zeros."""
        @staticmethod
        def equal(x1, x2) -> _as_Tensor: """NumPy's `equal` with the data types of Keras."""
        @staticmethod
        def erf(x, *, name=...) -> Any: """The error function of each float."""
        @staticmethod
        def erfc(x, *, name=...) -> Any: """`1 - erf(x)`, accurate for large `x`."""
        @staticmethod
        def erfinv(x, *, name=...) -> Any: """The inverse of `erf`."""
        @staticmethod
        def exp(x) -> _as_Tensor: """NumPy's `exp` with the data types of Keras."""
        @staticmethod
        def exp2(x) -> _as_Tensor: """NumPy's `exp2` with the data types of Keras."""
        @staticmethod
        def expand_dims(x, axis) -> _as_Tensor: """NumPy's `expand_dims` with the data types of Keras."""
        @staticmethod
        def expm1(x) -> _as_Tensor: """NumPy's `expm1` with the data types of Keras."""
        @staticmethod
        def extract_sequences(x, sequence_length, sequence_stride) -> _as_Tensor: """Windows of the last axis, as rows."""
        @staticmethod
        def eye(N, M=..., k=..., dtype=...) -> _as_Tensor: """Ones on a diagonal."""
        @staticmethod
        def fabs(x) -> _as_Tensor: """NumPy's `fabs` with the data types of Keras."""
        @staticmethod
        def fft(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The Fourier transform of (real, imaginary) parts along the last axis."""
        @staticmethod
        def fft2(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The Fourier transform of (real, imaginary) parts along the last two axes."""
        @staticmethod
        def flip(x, axis=...) -> _as_Tensor: """NumPy's `flip` with the data types of Keras."""
        @staticmethod
        def fliplr(x) -> _as_Tensor: """NumPy's `fliplr` with the data types of Keras."""
        @staticmethod
        def flipud(x) -> _as_Tensor: """NumPy's `flipud` with the data types of Keras."""
        @staticmethod
        def floor(x) -> _as_Tensor: """NumPy's `floor` with the data types of Keras."""
        @staticmethod
        def floor_divide(x1, x2) -> _as_Tensor: """NumPy's `floor_divide` with the data types of Keras."""
        @staticmethod
        def fmax(x1, x2) -> _as_Tensor: """NumPy's `fmax` with the data types of Keras."""
        @staticmethod
        def fmin(x1, x2) -> _as_Tensor: """NumPy's `fmin` with the data types of Keras."""
        @staticmethod
        def fmod(x1, x2) -> _as_Tensor: """NumPy's `fmod` with the data types of Keras."""
        @staticmethod
        def fori_loop(lower, upper, body_fun, init_val) -> _as_Tensor: """Repeat `value = body_fun(index, value)` for the indices from `lower` to `upper - 1`."""
        @staticmethod
        def full(shape, fill_value, dtype=...) -> _as_Tensor: """An array of one value, of `floatx` by default."""
        @staticmethod
        def full_like(x, fill_value, dtype=...) -> _as_Tensor: """One value in the shape of `x`."""
        @staticmethod
        def gcd(x1, x2) -> _as_Tensor: """NumPy's `gcd` with the data types of Keras."""
        @staticmethod
        def gelu(x, approximate=...) -> _as_Tensor: """x times the normal distribution of x, by `tanh` where it is approximated."""
        @staticmethod
        def geomspace(start, stop, num=..., endpoint=..., dtype=..., axis=...) -> _as_Tensor: """Numbers with one ratio between neighbors."""
        @staticmethod
        def get_item(x, key) -> _as_Tensor: """`x[key]`."""
        @staticmethod
        def glu(x, axis=...) -> Any: """The first half along an axis times the sigmoid of the second half."""
        @staticmethod
        def greater(x1, x2) -> _as_Tensor: """NumPy's `greater` with the data types of Keras."""
        @staticmethod
        def greater_equal(x1, x2) -> _as_Tensor: """NumPy's `greater_equal` with the data types of Keras."""
        @staticmethod
        def hamming(x) -> _as_Tensor: """NumPy's window `hamming` of x points."""
        @staticmethod
        def hanning(x) -> _as_Tensor: """NumPy's window `hanning` of x points."""
        @staticmethod
        def hard_shrink(x, threshold=...) -> _as_Tensor: """`x` where its absolute value is above the threshold, else 0."""
        @staticmethod
        def hard_sigmoid(x) -> _as_Tensor: """A piecewise linear sigmoid: `x / 6 + 0.5`, clipped to the range from 0 to 1."""
        @staticmethod
        def hard_silu(x) -> _as_Tensor: """`x * hard_sigmoid(x)`."""
        @staticmethod
        def hard_swish(x) -> _as_Tensor: """`x * hard_sigmoid(x)`."""
        @staticmethod
        def hard_tanh(x) -> _as_Tensor: """The elements limited to the range from -1 to 1."""
        @staticmethod
        def heaviside(x1, x2) -> _as_Tensor: """NumPy's `heaviside` with the data types of Keras."""
        @staticmethod
        def histogram(x, bins=..., range=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The number of elements in each of several equal intervals, and their bounds."""
        @staticmethod
        def hsplit(x, indices_or_sections) -> builtins.list[_as_Tensor]: """Parts along the second axis, or the only one."""
        @staticmethod
        def hstack(xs) -> _as_Tensor: """NumPy's `hstack` with the data types of Keras."""
        @staticmethod
        def hypot(x1, x2) -> _as_Tensor: """NumPy's `hypot` with the data types of Keras."""
        @staticmethod
        def i0(x) -> _as_Tensor: """The modified Bessel function of the first kind and order 0."""
        @staticmethod
        def identity(n, dtype=...) -> _as_Tensor: """The identity matrix."""
        @staticmethod
        def ifft2(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The inverse of `fft2`."""
        @staticmethod
        def imag(x) -> _as_Tensor: """NumPy's `imag` with the data types of Keras."""
        class image:
            @staticmethod
            def crop_images(images, top_cropping=..., left_cropping=..., bottom_cropping=..., right_cropping=..., target_height=..., target_width=..., data_format=...) -> _as_Tensor: """A part of images, by the pixels to cut or by the size to keep."""
            @staticmethod
            def extract_patches(images, size, strides=..., dilation_rate=..., padding=..., data_format=...) -> _as_Tensor: """The windows of images, each as a row of numbers."""
            @staticmethod
            def hsv_to_rgb(images, data_format=...) -> _as_Tensor: """See `image.hsv_to_rgb`."""
            @staticmethod
            def map_coordinates(inputs, coordinates, order, fill_mode=..., fill_value=...) -> _as_Tensor: """The values of an array at coordinates between its elements: of the nearest one (order 0), or linear between neighbors (order 1)."""
            @staticmethod
            def pad_images(images, top_padding=..., left_padding=..., bottom_padding=..., right_padding=..., target_height=..., target_width=..., data_format=...) -> _as_Tensor: """Images with zeros around them, by the pixels to add or by the size of the result."""
            @staticmethod
            def resize(images, size, interpolation=..., antialias=..., crop_to_aspect_ratio=..., pad_to_aspect_ratio=..., fill_mode=..., fill_value=..., data_format=...) -> _as_Tensor: """Images [height, width, channels], or a batch, in the `size` (height, width)."""
            @staticmethod
            def rgb_to_grayscale(images, data_format=...) -> _as_Tensor: """See `image.rgb_to_grayscale`."""
            @staticmethod
            def rgb_to_hsv(images, data_format=...) -> _as_Tensor: """See `image.rgb_to_hsv`."""
        @staticmethod
        def in_top_k(targets, predictions, k) -> _as_Tensor: """Whether each target is among the k largest predictions."""
        @staticmethod
        def inner(x1, x2) -> _as_Tensor: """NumPy's `inner` with the data types of Keras."""
        @staticmethod
        def inv(x) -> _as_Tensor: """The inverse."""
        @staticmethod
        def irfft(x, fft_length=...) -> _as_Tensor: """The inverse of `rfft`."""
        @staticmethod
        def is_tensor(x) -> builtins.bool: """Whether an object is a tensor."""
        @staticmethod
        def isclose(x1, x2, rtol=..., atol=..., equal_nan=...) -> _as_Tensor: """NumPy's `isclose` with the data types of Keras."""
        @staticmethod
        def isfinite(x) -> _as_Tensor: """NumPy's `isfinite` with the data types of Keras."""
        @staticmethod
        def isin(x1, x2, assume_unique=..., invert=...) -> _as_Tensor: """NumPy's `isin` with the data types of Keras."""
        @staticmethod
        def isinf(x) -> _as_Tensor: """NumPy's `isinf` with the data types of Keras."""
        @staticmethod
        def isnan(x) -> _as_Tensor: """NumPy's `isnan` with the data types of Keras."""
        @staticmethod
        def isneginf(x) -> _as_Tensor: """NumPy's `isneginf` with the data types of Keras."""
        @staticmethod
        def isposinf(x) -> _as_Tensor: """NumPy's `isposinf` with the data types of Keras."""
        @staticmethod
        def isreal(x) -> _as_Tensor: """NumPy's `isreal` with the data types of Keras."""
        @staticmethod
        def istft(x, sequence_length, sequence_stride, fft_length, length=..., window=..., center=...) -> _as_Tensor: """The signal whose windows have these spectra: the inverse of `stft`."""
        @staticmethod
        def jvp(fun, primals, tangents, has_aux=...) -> Any: """The results of a function, and their derivatives along tangents."""
        @staticmethod
        def kaiser(x, beta) -> _as_Tensor: """The Kaiser window of x points."""
        @staticmethod
        def kron(x1, x2) -> _as_Tensor: """NumPy's `kron` with the data types of Keras."""
        @staticmethod
        def layer_normalization(x, gamma=..., beta=..., axis=..., epsilon=..., **kwargs) -> _as_Tensor: """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, with moments over `axis`."""
        @staticmethod
        def lcm(x1, x2) -> _as_Tensor: """NumPy's `lcm` with the data types of Keras."""
        @staticmethod
        def ldexp(x1, x2) -> _as_Tensor: """`x1 * 2 ** x2`."""
        @staticmethod
        def leaky_relu(x, negative_slope=...) -> _as_Tensor: """`x` where it is positive, else `negative_slope * x`."""
        @staticmethod
        def left_shift(x, y) -> _as_Tensor: """NumPy's `left_shift` with the data types of Keras."""
        @staticmethod
        def less(x1, x2) -> _as_Tensor: """NumPy's `less` with the data types of Keras."""
        @staticmethod
        def less_equal(x1, x2) -> _as_Tensor: """NumPy's `less_equal` with the data types of Keras."""
        class linalg:
            @staticmethod
            def cholesky(x, upper=...) -> _as_Tensor: """The lower triangular L with `L @ L.T == x`, or its transpose."""
            @staticmethod
            def cholesky_inverse(x, upper=...) -> _as_Tensor: """The inverse of the matrix whose Cholesky factor is `x`."""
            @staticmethod
            def det(x) -> _as_Tensor: """The determinant."""
            @staticmethod
            def eig(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The eigenvalues and the eigenvectors."""
            @staticmethod
            def eigh(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The eigenvalues and the eigenvectors of a symmetric matrix."""
            @staticmethod
            def inv(x) -> _as_Tensor: """The inverse."""
            @staticmethod
            def jvp(fun, primals, tangents, has_aux=...) -> Any: """The results of a function, and their derivatives along tangents."""
            @staticmethod
            def lstsq(a, b, rcond=...) -> _as_Tensor: """The x with the least norm of `a @ x - b`, and of x among these."""
            @staticmethod
            def lu_factor(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The LU factors in one matrix, and the pivots."""
            @staticmethod
            def matrix_rank(x, tol=...) -> _as_Tensor: """The number of singular values above a tolerance."""
            @staticmethod
            def norm(x, ord=..., axis=..., keepdims=...) -> _as_Tensor: """The norm of vectors or matrices, as NumPy counts them."""
            @staticmethod
            def pinv(x, rcond=...) -> _as_Tensor: """The pseudo-inverse."""
            @staticmethod
            def qr(x, mode=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """Q and R with `Q @ R == x`."""
            @staticmethod
            def solve(a, b) -> _as_Tensor: """The solution of `a @ x = b`; `b` is a vector or a matrix."""
            @staticmethod
            def solve_triangular(a, b, lower=...) -> _as_Tensor: """The solution of `a @ x = b` for a triangular matrix."""
            @staticmethod
            def svd(x, full_matrices=..., compute_uv=...) -> builtins.tuple[_as_Tensor, _as_Tensor, _as_Tensor]: """The singular value decomposition: U, the values, and the conjugate transpose of V."""
        @staticmethod
        def linspace(start, stop, num=..., endpoint=..., retstep=..., dtype=..., axis=...) -> _as_Tensor: """Evenly spaced numbers."""
        @staticmethod
        def log(x) -> _as_Tensor: """NumPy's `log` with the data types of Keras."""
        @staticmethod
        def log10(x) -> _as_Tensor: """NumPy's `log10` with the data types of Keras."""
        @staticmethod
        def log1p(x) -> _as_Tensor: """NumPy's `log1p` with the data types of Keras."""
        @staticmethod
        def log2(x) -> _as_Tensor: """NumPy's `log2` with the data types of Keras."""
        @staticmethod
        def log_sigmoid(x) -> _as_Tensor: """The logarithm of the sigmoid, without overflow."""
        @staticmethod
        def log_softmax(x, axis=...) -> _as_Tensor: """The logarithm of `softmax`."""
        @staticmethod
        def logaddexp(x1, x2) -> _as_Tensor: """NumPy's `logaddexp` with the data types of Keras."""
        @staticmethod
        def logaddexp2(x1, x2) -> _as_Tensor: """NumPy's `logaddexp2` with the data types of Keras."""
        @staticmethod
        def logdet(x) -> _as_Tensor: """The logarithm of the determinant of a positive definite matrix."""
        @staticmethod
        def logical_and(x1, x2) -> _as_Tensor: """NumPy's `logical_and` with the data types of Keras."""
        @staticmethod
        def logical_not(x) -> _as_Tensor: """NumPy's `logical_not` with the data types of Keras."""
        @staticmethod
        def logical_or(x1, x2) -> _as_Tensor: """NumPy's `logical_or` with the data types of Keras."""
        @staticmethod
        def logical_xor(x1, x2) -> _as_Tensor: """NumPy's `logical_xor` with the data types of Keras."""
        @staticmethod
        def logspace(start, stop, num=..., endpoint=..., base=..., dtype=..., axis=...) -> _as_Tensor: """Powers of `base` with evenly spaced exponents."""
        @staticmethod
        def logsumexp(x, axis=..., keepdims=...) -> _as_Tensor: """The logarithm of the sum of exponentials."""
        @staticmethod
        def lstsq(a, b, rcond=...) -> _as_Tensor: """The x with the least norm of `a @ x - b`, and of x among these."""
        @staticmethod
        def lu_factor(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The LU factors in one matrix, and the pivots."""
        @staticmethod
        def map(f, xs) -> Any: """The results of `f` for the rows of `xs`, stacked."""
        @staticmethod
        def matmul(x1, x2) -> _as_Tensor: """NumPy's `matmul` with the data types of Keras."""
        @staticmethod
        def matrix_rank(x, tol=...) -> _as_Tensor: """The number of singular values above a tolerance."""
        @staticmethod
        def max(x, axis=..., keepdims=..., initial=...) -> _as_Tensor: """NumPy's `max` with the data types of Keras."""
        @staticmethod
        def max_pool(inputs, pool_size, strides=..., padding=..., data_format=...) -> _as_Tensor: """The largest element of each window."""
        @staticmethod
        def maximum(x1, x2) -> _as_Tensor: """NumPy's `maximum` with the data types of Keras."""
        @staticmethod
        def mean(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `mean` with the data types of Keras."""
        @staticmethod
        def median(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `median` with the data types of Keras."""
        @staticmethod
        def meshgrid(*x, indexing=...) -> builtins.list[_as_Tensor]: """Matrices of coordinates, as a list."""
        @staticmethod
        def min(x, axis=..., keepdims=..., initial=...) -> _as_Tensor: """NumPy's `min` with the data types of Keras."""
        @staticmethod
        def minimum(x1, x2) -> _as_Tensor: """NumPy's `minimum` with the data types of Keras."""
        @staticmethod
        def mod(x1, x2) -> _as_Tensor: """NumPy's `mod` with the data types of Keras."""
        @staticmethod
        def moments(x, axes, keepdims=..., synchronized=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The mean and the variance over axes."""
        @staticmethod
        def moveaxis(x, source, destination) -> _as_Tensor: """NumPy's `moveaxis` with the data types of Keras."""
        @staticmethod
        def multi_hot(inputs, num_classes=..., axis=..., dtype=..., sparse=..., **kwargs) -> _as_Tensor: """Vectors with a 1 at each index that a row of `inputs` contains."""
        @staticmethod
        def multiply(x1, x2) -> _as_Tensor: """NumPy's `multiply` with the data types of Keras."""
        @staticmethod
        def nan_to_num(x, nan=..., posinf=..., neginf=...) -> _as_Tensor: """NumPy's `nan_to_num` with the data types of Keras."""
        @staticmethod
        def nanargmax(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanargmax` with the data types of Keras."""
        @staticmethod
        def nanargmin(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanargmin` with the data types of Keras."""
        @staticmethod
        def nancumprod(x, axis=..., dtype=...) -> _as_Tensor: """The cumulative product, with 1 for NaN."""
        @staticmethod
        def nancumsum(x, axis=..., dtype=...) -> _as_Tensor: """The cumulative sum, with 0 for NaN."""
        @staticmethod
        def nanmax(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanmax` with the data types of Keras."""
        @staticmethod
        def nanmean(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanmean` with the data types of Keras."""
        @staticmethod
        def nanmedian(x, axis=..., keepdims=...) -> _as_Tensor: """The medians of the elements along axes that are not NaN."""
        @staticmethod
        def nanmin(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanmin` with the data types of Keras."""
        @staticmethod
        def nanpercentile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """The percentiles of the elements along axes that are not NaN."""
        @staticmethod
        def nanprod(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanprod` with the data types of Keras."""
        @staticmethod
        def nanquantile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """The quantiles of the elements along axes that are not NaN."""
        @staticmethod
        def nanstd(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanstd` with the data types of Keras."""
        @staticmethod
        def nansum(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nansum` with the data types of Keras."""
        @staticmethod
        def nanvar(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanvar` with the data types of Keras."""
        @staticmethod
        def ndim(x) -> builtins.int: """The number of axes."""
        @staticmethod
        def negative(x) -> _as_Tensor: """NumPy's `negative` with the data types of Keras."""
        @staticmethod
        def nextafter(x1, x2) -> _as_Tensor: """NumPy's `nextafter` with the data types of Keras."""
        class nn:
            @staticmethod
            def adaptive_average_pool(inputs, output_size, data_format=...) -> _as_Tensor: """The means of windows chosen such that the result has `output_size`."""
            @staticmethod
            def adaptive_max_pool(inputs, output_size, data_format=...) -> _as_Tensor: """The largest elements of windows chosen such that the result has `output_size`."""
            @staticmethod
            def average_pool(inputs, pool_size, strides=..., padding=..., data_format=...) -> _as_Tensor: """The mean of each window."""
            @staticmethod
            def batch_normalization(x, mean, variance, axis, offset=..., scale=..., epsilon=...) -> _as_Tensor: """`(x - mean) / sqrt(variance + epsilon) * scale + offset`, with vectors along `axis`."""
            @staticmethod
            def binary_crossentropy(target, output, from_logits=...) -> _as_Tensor: """`-t * log(p) - (1 - t) * log(1 - p)` for each element."""
            @staticmethod
            def categorical_crossentropy(target, output, from_logits=..., axis=...) -> _as_Tensor: """`-sum(t * log(p))` along `axis`."""
            @staticmethod
            def celu(x, alpha=...) -> Any: """`max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)`."""
            @staticmethod
            def conv(inputs, kernel, strides=..., padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """Convolution over one to three axes: inputs [batch, *space, channels], kernel [*sizes, channels / groups, outputs]."""
            @staticmethod
            def conv_transpose(inputs, kernel, strides=..., padding=..., output_padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """Transposed convolution: kernel [*sizes, outputs, channels]."""
            @staticmethod
            def ctc_loss(target, output, target_length, output_length, mask_index=...) -> _as_Tensor: """The CTC loss of label sequences, given logits [batch, time, classes]."""
            @staticmethod
            def depth_to_space(x, block_size, data_format=...) -> _as_Tensor: """Channels become blocks of pixels."""
            @staticmethod
            def depthwise_conv(inputs, kernel, strides=..., padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """Convolution of each channel by itself: kernel [*sizes, channels, multiplier]."""
            @staticmethod
            def dot_product_attention(query, key, value, bias=..., mask=..., scale=..., is_causal=..., flash_attention=..., attn_logits_soft_cap=...) -> _as_Tensor: """Means of values [batch, time, heads, size] weighted by softmax(query * key * scale)."""
            @staticmethod
            def elu(x, alpha=...) -> _as_Tensor: """`x` where it is positive, else `alpha * (exp(x) - 1)`."""
            @staticmethod
            def gelu(x, approximate=...) -> _as_Tensor: """x times the normal distribution of x, by `tanh` where it is approximated."""
            @staticmethod
            def glu(x, axis=...) -> Any: """The first half along an axis times the sigmoid of the second half."""
            @staticmethod
            def hard_shrink(x, threshold=...) -> _as_Tensor: """`x` where its absolute value is above the threshold, else 0."""
            @staticmethod
            def hard_sigmoid(x) -> _as_Tensor: """A piecewise linear sigmoid: `x / 6 + 0.5`, clipped to the range from 0 to 1."""
            @staticmethod
            def hard_silu(x) -> _as_Tensor: """`x * hard_sigmoid(x)`."""
            @staticmethod
            def hard_swish(x) -> _as_Tensor: """`x * hard_sigmoid(x)`."""
            @staticmethod
            def hard_tanh(x) -> _as_Tensor: """The elements limited to the range from -1 to 1."""
            @staticmethod
            def layer_normalization(x, gamma=..., beta=..., axis=..., epsilon=..., **kwargs) -> _as_Tensor: """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, with moments over `axis`."""
            @staticmethod
            def leaky_relu(x, negative_slope=...) -> _as_Tensor: """`x` where it is positive, else `negative_slope * x`."""
            @staticmethod
            def log_sigmoid(x) -> _as_Tensor: """The logarithm of the sigmoid, without overflow."""
            @staticmethod
            def log_softmax(x, axis=...) -> _as_Tensor: """The logarithm of `softmax`."""
            @staticmethod
            def max_pool(inputs, pool_size, strides=..., padding=..., data_format=...) -> _as_Tensor: """The largest element of each window."""
            @staticmethod
            def moments(x, axes, keepdims=..., synchronized=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The mean and the variance over axes."""
            @staticmethod
            def multi_hot(inputs, num_classes=..., axis=..., dtype=..., sparse=..., **kwargs) -> _as_Tensor: """Vectors with a 1 at each index that a row of `inputs` contains."""
            @staticmethod
            def normalize(x, axis=..., order=..., epsilon=...) -> _as_Tensor: """Vectors along `axis` scaled to norm 1; norms below `epsilon` are taken as `epsilon`."""
            @staticmethod
            def one_hot(x, num_classes, axis=..., dtype=..., sparse=...) -> _as_Tensor: """Vectors with a 1 at each index of `x`."""
            @staticmethod
            def polar(abs_, angle) -> _as_Tensor: """Complex numbers of absolute values and angles."""
            @staticmethod
            def psnr(x1, x2, max_val) -> _as_Tensor: """The peak signal-to-noise ratio of two arrays, in decibels."""
            @staticmethod
            def relu(x) -> _as_Tensor: """`max(x, 0)` for each element."""
            @staticmethod
            def relu6(features, name=...) -> Any: """`min(max(x, 0), 6)` for each element."""
            @staticmethod
            def rms_normalization(x, scale=..., axis=..., epsilon=...) -> _as_Tensor: """`x / sqrt(mean(x ** 2) + epsilon) * scale`, with the mean over `axis`."""
            @staticmethod
            def selu(features, name=...) -> Any: """The scaled exponential linear unit, which preserves mean 0 and variance 1."""
            @staticmethod
            def separable_conv(inputs, depthwise_kernel, pointwise_kernel, strides=..., padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """A convolution of each channel, then one across channels."""
            @staticmethod
            def sigmoid(x, *, name=...) -> Any: """`1 / (1 + exp(-x))` for each element."""
            @staticmethod
            def silu(x) -> _as_Tensor: """`x * sigmoid(x)`."""
            @staticmethod
            def soft_shrink(x, threshold=...) -> Any: """`x` moved towards 0 by the threshold, or 0 if it is nearer."""
            @staticmethod
            def softmax(x, axis=...) -> _as_Tensor: """`exp(x)` divided by its sum along `axis`."""
            @staticmethod
            def softplus(x, *, name=...) -> Any: """`log(1 + exp(x))`, without overflow."""
            @staticmethod
            def softsign(x, *, name=...) -> Any: """`x / (1 + abs(x))` for each element."""
            @staticmethod
            def space_to_depth(x, block_size, data_format=...) -> _as_Tensor: """Blocks of pixels become channels."""
            @staticmethod
            def sparse_categorical_crossentropy(target, output, from_logits=..., axis=...) -> _as_Tensor: """`-log(p[t])` along `axis`; the targets are class numbers."""
            @staticmethod
            def sparse_plus(x) -> _as_Tensor: """0 below -1, `(x + 1) ** 2 / 4` up to 1, and `x` above."""
            @staticmethod
            def sparse_sigmoid(x) -> _as_Tensor: """`(x + 1) / 2`, limited to the range from 0 to 1."""
            @staticmethod
            def sparsemax(x, axis=...) -> Any: """The nearest probabilities, of which many are 0."""
            @staticmethod
            def squareplus(x, b=...) -> _as_Tensor: """`(x + sqrt(x ** 2 + b)) / 2`."""
            @staticmethod
            def swish(x) -> _as_Tensor: """`x * sigmoid(x)`."""
            @staticmethod
            def tanh_shrink(x) -> _as_Tensor: """`x - tanh(x)`."""
            @staticmethod
            def threshold(x, threshold, default_value) -> _as_Tensor: """`x` where it is above the threshold, else another value."""
        @staticmethod
        def nonzero(x) -> builtins.list[_as_Tensor]: """The indices of elements other than 0, a vector for each axis."""
        @staticmethod
        def norm(x, ord=..., axis=..., keepdims=...) -> _as_Tensor: """The norm of vectors or matrices, as NumPy counts them."""
        @staticmethod
        def normalize(x, axis=..., order=..., epsilon=...) -> _as_Tensor: """Vectors along `axis` scaled to norm 1; norms below `epsilon` are taken as `epsilon`."""
        @staticmethod
        def not_equal(x1, x2) -> _as_Tensor: """NumPy's `not_equal` with the data types of Keras."""
        class numpy:
            @staticmethod
            def abs(x) -> _as_Tensor: """NumPy's `abs` with the data types of Keras."""
            @staticmethod
            def absolute(x) -> _as_Tensor: """NumPy's `absolute` with the data types of Keras."""
            @staticmethod
            def add(x1, x2) -> _as_Tensor: """NumPy's `add` with the data types of Keras."""
            @staticmethod
            def all(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `all` with the data types of Keras."""
            @staticmethod
            def allclose(x1, x2, rtol=..., atol=..., equal_nan=...) -> _as_Tensor: """NumPy's `allclose` with the data types of Keras."""
            @staticmethod
            def amax(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `amax` with the data types of Keras."""
            @staticmethod
            def amin(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `amin` with the data types of Keras."""
            @staticmethod
            def angle(x) -> _as_Tensor: """NumPy's `angle` with the data types of Keras."""
            @staticmethod
            def any(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `any` with the data types of Keras."""
            @staticmethod
            def append(x1, x2, axis=...) -> _as_Tensor: """NumPy's `append` with the data types of Keras."""
            @staticmethod
            def arange(start, stop=..., step=..., dtype=...) -> _as_Tensor: """Numbers from `start` to before `stop`: int32 for integers, `floatx` for floats."""
            @staticmethod
            def arccos(x) -> _as_Tensor: """NumPy's `arccos` with the data types of Keras."""
            @staticmethod
            def arccosh(x) -> _as_Tensor: """NumPy's `arccosh` with the data types of Keras."""
            @staticmethod
            def arcsin(x) -> _as_Tensor: """NumPy's `arcsin` with the data types of Keras."""
            @staticmethod
            def arcsinh(x) -> _as_Tensor: """NumPy's `arcsinh` with the data types of Keras."""
            @staticmethod
            def arctan(x) -> _as_Tensor: """NumPy's `arctan` with the data types of Keras."""
            @staticmethod
            def arctan2(x1, x2) -> _as_Tensor: """NumPy's `arctan2` with the data types of Keras."""
            @staticmethod
            def arctanh(x) -> _as_Tensor: """NumPy's `arctanh` with the data types of Keras."""
            @staticmethod
            def argmax(x, axis=..., keepdims=...) -> _as_Tensor: """The index of the first largest element along an axis, or in the flattened array."""
            @staticmethod
            def argmin(x, axis=..., keepdims=...) -> _as_Tensor: """The index of the first smallest element along an axis, or in the flattened array."""
            @staticmethod
            def argpartition(x, kth, axis=...) -> _as_Tensor: """NumPy's `argpartition` with the data types of Keras."""
            @staticmethod
            def argsort(x, axis=...) -> _as_Tensor: """NumPy's `argsort` with the data types of Keras."""
            @staticmethod
            def array(x, dtype=..., sparse=..., ragged=...) -> _as_Tensor: """A tensor of a value, cast to `dtype` if one is given."""
            @staticmethod
            def array_split(x, indices_or_sections, axis=...) -> builtins.list[_as_Tensor]: """Like `split`; the first parts may be longer by one."""
            @staticmethod
            def average(x, axis=..., weights=...) -> _as_Tensor: """The mean along an axis, weighted if there are weights."""
            @staticmethod
            def bartlett(x) -> _as_Tensor: """NumPy's window `bartlett` of x points."""
            @staticmethod
            def bincount(x, weights=..., minlength=..., sparse=...) -> _as_Tensor: """How often each number occurs, or the sum of its weights; int32 or the type of the weights."""
            @staticmethod
            def bitwise_and(x, y) -> _as_Tensor: """NumPy's `bitwise_and` with the data types of Keras."""
            @staticmethod
            def bitwise_invert(x) -> _as_Tensor: """NumPy's `bitwise_invert` with the data types of Keras."""
            @staticmethod
            def bitwise_left_shift(x, y) -> _as_Tensor: """NumPy's `bitwise_left_shift` with the data types of Keras."""
            @staticmethod
            def bitwise_not(x) -> _as_Tensor: """NumPy's `bitwise_not` with the data types of Keras."""
            @staticmethod
            def bitwise_or(x, y) -> _as_Tensor: """NumPy's `bitwise_or` with the data types of Keras."""
            @staticmethod
            def bitwise_right_shift(x, y) -> _as_Tensor: """NumPy's `bitwise_right_shift` with the data types of Keras."""
            @staticmethod
            def bitwise_xor(x, y) -> _as_Tensor: """NumPy's `bitwise_xor` with the data types of Keras."""
            @staticmethod
            def blackman(x) -> _as_Tensor: """NumPy's window `blackman` of x points."""
            @staticmethod
            def broadcast_to(x, shape) -> _as_Tensor: """NumPy's `broadcast_to` with the data types of Keras."""
            @staticmethod
            def cbrt(x) -> _as_Tensor: """NumPy's `cbrt` with the data types of Keras."""
            @staticmethod
            def ceil(x) -> _as_Tensor: """NumPy's `ceil` with the data types of Keras."""
            @staticmethod
            def clip(x, x_min, x_max) -> _as_Tensor: """The elements limited to a range; the type is that of `x`."""
            @staticmethod
            def concatenate(xs, axis=...) -> _as_Tensor: """NumPy's `concatenate` with the data types of Keras."""
            @staticmethod
            def conj(x) -> _as_Tensor: """NumPy's `conj` with the data types of Keras."""
            @staticmethod
            def conjugate(x) -> _as_Tensor: """NumPy's `conjugate` with the data types of Keras."""
            @staticmethod
            def copy(x) -> _as_Tensor: """NumPy's `copy` with the data types of Keras."""
            @staticmethod
            def corrcoef(x) -> _as_Tensor: """The correlations of the rows of a matrix with each other."""
            @staticmethod
            def correlate(x1, x2, mode=...) -> _as_Tensor: """NumPy's `correlate` with the data types of Keras."""
            @staticmethod
            def cos(x) -> _as_Tensor: """NumPy's `cos` with the data types of Keras."""
            @staticmethod
            def cosh(x) -> _as_Tensor: """NumPy's `cosh` with the data types of Keras."""
            @staticmethod
            def count_nonzero(x, axis=...) -> _as_Tensor: """NumPy's `count_nonzero` with the data types of Keras."""
            @staticmethod
            def cross(x1, x2, axisa=..., axisb=..., axisc=..., axis=...) -> _as_Tensor: """NumPy's `cross` with the data types of Keras."""
            @staticmethod
            def cumprod(x, axis=..., dtype=...) -> _as_Tensor: """NumPy's `cumprod` with the data types of Keras."""
            @staticmethod
            def cumsum(x, axis=..., dtype=...) -> _as_Tensor: """NumPy's `cumsum` with the data types of Keras."""
            @staticmethod
            def deg2rad(x) -> _as_Tensor: """NumPy's `deg2rad` with the data types of Keras."""
            @staticmethod
            def diag(x, k=...) -> _as_Tensor: """NumPy's `diag` with the data types of Keras."""
            @staticmethod
            def diagflat(x, k=...) -> _as_Tensor: """NumPy's `diagflat` with the data types of Keras."""
            @staticmethod
            def diagonal(x, offset=..., axis1=..., axis2=...) -> _as_Tensor: """NumPy's `diagonal` with the data types of Keras."""
            @staticmethod
            def diff(a, n=..., axis=...) -> _as_Tensor: """NumPy's `diff` with the data types of Keras."""
            @staticmethod
            def digitize(x, bins) -> _as_Tensor: """The number of the interval of each element, between sorted bounds."""
            @staticmethod
            def divide(x1, x2) -> _as_Tensor: """NumPy's `divide` with the data types of Keras."""
            @staticmethod
            def divide_no_nan(x1, x2) -> _as_Tensor: """The quotient, and 0 where the divisor is 0."""
            @staticmethod
            def dot(x1, x2) -> _as_Tensor: """NumPy's `dot` with the data types of Keras."""
            @staticmethod
            def dsplit(x, indices_or_sections) -> builtins.list[_as_Tensor]: """Parts along the third axis."""
            @staticmethod
            def dstack(xs) -> _as_Tensor: """NumPy's `dstack` with the data types of Keras."""
            @staticmethod
            def einsum(subscripts, *operands_, **kwargs) -> _as_Tensor: """Sums of products by the names of axes."""
            @staticmethod
            def empty(shape, dtype=...) -> _as_Tensor: """An array to be filled; it holds zeros."""
            @staticmethod
            def empty_like(x, dtype=...) -> _as_Tensor: """An array like `x` to be filled; it holds zeros."""
            @staticmethod
            def equal(x1, x2) -> _as_Tensor: """NumPy's `equal` with the data types of Keras."""
            @staticmethod
            def exp(x) -> _as_Tensor: """NumPy's `exp` with the data types of Keras."""
            @staticmethod
            def exp2(x) -> _as_Tensor: """NumPy's `exp2` with the data types of Keras."""
            @staticmethod
            def expand_dims(x, axis) -> _as_Tensor: """NumPy's `expand_dims` with the data types of Keras."""
            @staticmethod
            def expm1(x) -> _as_Tensor: """NumPy's `expm1` with the data types of Keras."""
            @staticmethod
            def eye(N, M=..., k=..., dtype=...) -> _as_Tensor: """Ones on a diagonal."""
            @staticmethod
            def fabs(x) -> _as_Tensor: """NumPy's `fabs` with the data types of Keras."""
            @staticmethod
            def flip(x, axis=...) -> _as_Tensor: """NumPy's `flip` with the data types of Keras."""
            @staticmethod
            def fliplr(x) -> _as_Tensor: """NumPy's `fliplr` with the data types of Keras."""
            @staticmethod
            def flipud(x) -> _as_Tensor: """NumPy's `flipud` with the data types of Keras."""
            @staticmethod
            def floor(x) -> _as_Tensor: """NumPy's `floor` with the data types of Keras."""
            @staticmethod
            def floor_divide(x1, x2) -> _as_Tensor: """NumPy's `floor_divide` with the data types of Keras."""
            @staticmethod
            def fmax(x1, x2) -> _as_Tensor: """NumPy's `fmax` with the data types of Keras."""
            @staticmethod
            def fmin(x1, x2) -> _as_Tensor: """NumPy's `fmin` with the data types of Keras."""
            @staticmethod
            def fmod(x1, x2) -> _as_Tensor: """NumPy's `fmod` with the data types of Keras."""
            @staticmethod
            def full(shape, fill_value, dtype=...) -> _as_Tensor: """An array of one value, of `floatx` by default."""
            @staticmethod
            def full_like(x, fill_value, dtype=...) -> _as_Tensor: """One value in the shape of `x`."""
            @staticmethod
            def gcd(x1, x2) -> _as_Tensor: """NumPy's `gcd` with the data types of Keras."""
            @staticmethod
            def geomspace(start, stop, num=..., endpoint=..., dtype=..., axis=...) -> _as_Tensor: """Numbers with one ratio between neighbors."""
            @staticmethod
            def get_item(x, key) -> _as_Tensor: """`x[key]`."""
            @staticmethod
            def greater(x1, x2) -> _as_Tensor: """NumPy's `greater` with the data types of Keras."""
            @staticmethod
            def greater_equal(x1, x2) -> _as_Tensor: """NumPy's `greater_equal` with the data types of Keras."""
            @staticmethod
            def hamming(x) -> _as_Tensor: """NumPy's window `hamming` of x points."""
            @staticmethod
            def hanning(x) -> _as_Tensor: """NumPy's window `hanning` of x points."""
            @staticmethod
            def heaviside(x1, x2) -> _as_Tensor: """NumPy's `heaviside` with the data types of Keras."""
            @staticmethod
            def histogram(x, bins=..., range=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The number of elements in each of several equal intervals, and their bounds."""
            @staticmethod
            def hsplit(x, indices_or_sections) -> builtins.list[_as_Tensor]: """Parts along the second axis, or the only one."""
            @staticmethod
            def hstack(xs) -> _as_Tensor: """NumPy's `hstack` with the data types of Keras."""
            @staticmethod
            def hypot(x1, x2) -> _as_Tensor: """NumPy's `hypot` with the data types of Keras."""
            @staticmethod
            def i0(x) -> _as_Tensor: """The modified Bessel function of the first kind and order 0."""
            @staticmethod
            def identity(n, dtype=...) -> _as_Tensor: """The identity matrix."""
            @staticmethod
            def imag(x) -> _as_Tensor: """NumPy's `imag` with the data types of Keras."""
            @staticmethod
            def inner(x1, x2) -> _as_Tensor: """NumPy's `inner` with the data types of Keras."""
            @staticmethod
            def isclose(x1, x2, rtol=..., atol=..., equal_nan=...) -> _as_Tensor: """NumPy's `isclose` with the data types of Keras."""
            @staticmethod
            def isfinite(x) -> _as_Tensor: """NumPy's `isfinite` with the data types of Keras."""
            @staticmethod
            def isin(x1, x2, assume_unique=..., invert=...) -> _as_Tensor: """NumPy's `isin` with the data types of Keras."""
            @staticmethod
            def isinf(x) -> _as_Tensor: """NumPy's `isinf` with the data types of Keras."""
            @staticmethod
            def isnan(x) -> _as_Tensor: """NumPy's `isnan` with the data types of Keras."""
            @staticmethod
            def isneginf(x) -> _as_Tensor: """NumPy's `isneginf` with the data types of Keras."""
            @staticmethod
            def isposinf(x) -> _as_Tensor: """NumPy's `isposinf` with the data types of Keras."""
            @staticmethod
            def isreal(x) -> _as_Tensor: """NumPy's `isreal` with the data types of Keras."""
            @staticmethod
            def kaiser(x, beta) -> _as_Tensor: """The Kaiser window of x points."""
            @staticmethod
            def kron(x1, x2) -> _as_Tensor: """NumPy's `kron` with the data types of Keras."""
            @staticmethod
            def lcm(x1, x2) -> _as_Tensor: """NumPy's `lcm` with the data types of Keras."""
            @staticmethod
            def ldexp(x1, x2) -> _as_Tensor: """`x1 * 2 ** x2`."""
            @staticmethod
            def left_shift(x, y) -> _as_Tensor: """NumPy's `left_shift` with the data types of Keras."""
            @staticmethod
            def less(x1, x2) -> _as_Tensor: """NumPy's `less` with the data types of Keras."""
            @staticmethod
            def less_equal(x1, x2) -> _as_Tensor: """NumPy's `less_equal` with the data types of Keras."""
            @staticmethod
            def linspace(start, stop, num=..., endpoint=..., retstep=..., dtype=..., axis=...) -> _as_Tensor: """Evenly spaced numbers."""
            @staticmethod
            def log(x) -> _as_Tensor: """NumPy's `log` with the data types of Keras."""
            @staticmethod
            def log10(x) -> _as_Tensor: """NumPy's `log10` with the data types of Keras."""
            @staticmethod
            def log1p(x) -> _as_Tensor: """NumPy's `log1p` with the data types of Keras."""
            @staticmethod
            def log2(x) -> _as_Tensor: """NumPy's `log2` with the data types of Keras."""
            @staticmethod
            def logaddexp(x1, x2) -> _as_Tensor: """NumPy's `logaddexp` with the data types of Keras."""
            @staticmethod
            def logaddexp2(x1, x2) -> _as_Tensor: """NumPy's `logaddexp2` with the data types of Keras."""
            @staticmethod
            def logical_and(x1, x2) -> _as_Tensor: """NumPy's `logical_and` with the data types of Keras."""
            @staticmethod
            def logical_not(x) -> _as_Tensor: """NumPy's `logical_not` with the data types of Keras."""
            @staticmethod
            def logical_or(x1, x2) -> _as_Tensor: """NumPy's `logical_or` with the data types of Keras."""
            @staticmethod
            def logical_xor(x1, x2) -> _as_Tensor: """NumPy's `logical_xor` with the data types of Keras."""
            @staticmethod
            def logspace(start, stop, num=..., endpoint=..., base=..., dtype=..., axis=...) -> _as_Tensor: """Powers of `base` with evenly spaced exponents."""
            @staticmethod
            def matmul(x1, x2) -> _as_Tensor: """NumPy's `matmul` with the data types of Keras."""
            @staticmethod
            def max(x, axis=..., keepdims=..., initial=...) -> _as_Tensor: """NumPy's `max` with the data types of Keras."""
            @staticmethod
            def maximum(x1, x2) -> _as_Tensor: """NumPy's `maximum` with the data types of Keras."""
            @staticmethod
            def mean(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `mean` with the data types of Keras."""
            @staticmethod
            def median(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `median` with the data types of Keras."""
            @staticmethod
            def meshgrid(*x, indexing=...) -> builtins.list[_as_Tensor]: """Matrices of coordinates, as a list."""
            @staticmethod
            def min(x, axis=..., keepdims=..., initial=...) -> _as_Tensor: """NumPy's `min` with the data types of Keras."""
            @staticmethod
            def minimum(x1, x2) -> _as_Tensor: """NumPy's `minimum` with the data types of Keras."""
            @staticmethod
            def mod(x1, x2) -> _as_Tensor: """NumPy's `mod` with the data types of Keras."""
            @staticmethod
            def moveaxis(x, source, destination) -> _as_Tensor: """NumPy's `moveaxis` with the data types of Keras."""
            @staticmethod
            def multiply(x1, x2) -> _as_Tensor: """NumPy's `multiply` with the data types of Keras."""
            @staticmethod
            def nan_to_num(x, nan=..., posinf=..., neginf=...) -> _as_Tensor: """NumPy's `nan_to_num` with the data types of Keras."""
            @staticmethod
            def nanargmax(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanargmax` with the data types of Keras."""
            @staticmethod
            def nanargmin(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanargmin` with the data types of Keras."""
            @staticmethod
            def nancumprod(x, axis=..., dtype=...) -> _as_Tensor: """The cumulative product, with 1 for NaN."""
            @staticmethod
            def nancumsum(x, axis=..., dtype=...) -> _as_Tensor: """The cumulative sum, with 0 for NaN."""
            @staticmethod
            def nanmax(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanmax` with the data types of Keras."""
            @staticmethod
            def nanmean(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanmean` with the data types of Keras."""
            @staticmethod
            def nanmedian(x, axis=..., keepdims=...) -> _as_Tensor: """The medians of the elements along axes that are not NaN."""
            @staticmethod
            def nanmin(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanmin` with the data types of Keras."""
            @staticmethod
            def nanpercentile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """The percentiles of the elements along axes that are not NaN."""
            @staticmethod
            def nanprod(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanprod` with the data types of Keras."""
            @staticmethod
            def nanquantile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """The quantiles of the elements along axes that are not NaN."""
            @staticmethod
            def nanstd(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanstd` with the data types of Keras."""
            @staticmethod
            def nansum(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nansum` with the data types of Keras."""
            @staticmethod
            def nanvar(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `nanvar` with the data types of Keras."""
            @staticmethod
            def ndim(x) -> builtins.int: """The number of axes."""
            @staticmethod
            def negative(x) -> _as_Tensor: """NumPy's `negative` with the data types of Keras."""
            @staticmethod
            def nextafter(x1, x2) -> _as_Tensor: """NumPy's `nextafter` with the data types of Keras."""
            @staticmethod
            def nonzero(x) -> builtins.list[_as_Tensor]: """The indices of elements other than 0, a vector for each axis."""
            @staticmethod
            def not_equal(x1, x2) -> _as_Tensor: """NumPy's `not_equal` with the data types of Keras."""
            @staticmethod
            def ones(shape, dtype=...) -> _as_Tensor: """Ones, of `floatx` by default."""
            @staticmethod
            def ones_like(x, dtype=...) -> _as_Tensor: """Ones of the shape and the data type of `x`."""
            @staticmethod
            def outer(x1, x2) -> _as_Tensor: """NumPy's `outer` with the data types of Keras."""
            @staticmethod
            def pad(x, pad_width, mode=..., constant_values=...) -> _as_Tensor: """An array with its edges extended."""
            @staticmethod
            def percentile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """NumPy's `percentile` with the data types of Keras."""
            @staticmethod
            def power(x1, x2) -> _as_Tensor: """NumPy's `power` with the data types of Keras."""
            @staticmethod
            def prod(x, axis=..., keepdims=..., dtype=...) -> _as_Tensor: """NumPy's `prod` with the data types of Keras."""
            @staticmethod
            def ptp(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `ptp` with the data types of Keras."""
            @staticmethod
            def quantile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """NumPy's `quantile` with the data types of Keras."""
            @staticmethod
            def rad2deg(x) -> _as_Tensor: """NumPy's `rad2deg` with the data types of Keras."""
            @staticmethod
            def ravel(x) -> _as_Tensor: """NumPy's `ravel` with the data types of Keras."""
            @staticmethod
            def real(x) -> _as_Tensor: """NumPy's `real` with the data types of Keras."""
            @staticmethod
            def reciprocal(x) -> _as_Tensor: """NumPy's `reciprocal` with the data types of Keras."""
            @staticmethod
            def repeat(x, repeats, axis=...) -> _as_Tensor: """NumPy's `repeat` with the data types of Keras."""
            @staticmethod
            def reshape(x, newshape) -> _as_Tensor: """The elements in another shape; one size may be -1."""
            @staticmethod
            def right_shift(x, y) -> _as_Tensor: """NumPy's `right_shift` with the data types of Keras."""
            @staticmethod
            def roll(x, shift, axis=...) -> _as_Tensor: """NumPy's `roll` with the data types of Keras."""
            @staticmethod
            def rot90(array, k=..., axes=...) -> _as_Tensor: """NumPy's `rot90` with the data types of Keras."""
            @staticmethod
            def round(x, decimals=...) -> _as_Tensor: """NumPy's `round` with the data types of Keras."""
            @staticmethod
            def searchsorted(sorted_sequence, values, side=...) -> _as_Tensor: """Where each value belongs in a sorted sequence."""
            @staticmethod
            def select(condlist, choicelist, default=...) -> _as_Tensor: """The element of the first choice whose condition holds, else the default."""
            @staticmethod
            def sign(x) -> _as_Tensor: """NumPy's `sign` with the data types of Keras."""
            @staticmethod
            def signbit(x) -> _as_Tensor: """NumPy's `signbit` with the data types of Keras."""
            @staticmethod
            def sin(x) -> _as_Tensor: """NumPy's `sin` with the data types of Keras."""
            @staticmethod
            def sinc(x) -> _as_Tensor: """NumPy's `sinc` with the data types of Keras."""
            @staticmethod
            def sinh(x) -> _as_Tensor: """NumPy's `sinh` with the data types of Keras."""
            @staticmethod
            def size(x) -> _as_Tensor: """The number of elements."""
            @staticmethod
            def sort(x, axis=...) -> _as_Tensor: """NumPy's `sort` with the data types of Keras."""
            @staticmethod
            def split(x, indices_or_sections, axis=...) -> builtins.list[_as_Tensor]: """Parts of an array along an axis, as a list."""
            @staticmethod
            def sqrt(x) -> _as_Tensor: """NumPy's `sqrt` with the data types of Keras."""
            @staticmethod
            def square(x) -> _as_Tensor: """NumPy's `square` with the data types of Keras."""
            @staticmethod
            def squeeze(x, axis=...) -> _as_Tensor: """An array without axes of size 1."""
            @staticmethod
            def stack(x, axis=...) -> _as_Tensor: """Arrays stacked along a new axis."""
            @staticmethod
            def std(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `std` with the data types of Keras."""
            @staticmethod
            def subtract(x1, x2) -> _as_Tensor: """NumPy's `subtract` with the data types of Keras."""
            @staticmethod
            def sum(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `sum` with the data types of Keras."""
            @staticmethod
            def swapaxes(x, axis1, axis2) -> _as_Tensor: """NumPy's `swapaxes` with the data types of Keras."""
            @staticmethod
            def take(x, indices, axis=...) -> _as_Tensor: """The elements at `indices` along an axis, or of the flattened array; negative ones count from the end."""
            @staticmethod
            def take_along_axis(x, indices, axis=...) -> _as_Tensor: """NumPy's `take_along_axis` with the data types of Keras."""
            @staticmethod
            def tan(x) -> _as_Tensor: """NumPy's `tan` with the data types of Keras."""
            @staticmethod
            def tanh(x) -> _as_Tensor: """NumPy's `tanh` with the data types of Keras."""
            @staticmethod
            def tensordot(x1, x2, axes=...) -> _as_Tensor: """NumPy's `tensordot` with the data types of Keras."""
            @staticmethod
            def tile(x, repeats) -> _as_Tensor: """NumPy's `tile` with the data types of Keras."""
            @staticmethod
            def trace(x, offset=..., axis1=..., axis2=...) -> _as_Tensor: """NumPy's `trace` with the data types of Keras."""
            @staticmethod
            def transpose(x, axes=...) -> _as_Tensor: """NumPy's `transpose` with the data types of Keras."""
            @staticmethod
            def trapezoid(y, x=..., dx=..., axis=...) -> _as_Tensor: """The area below points, by the trapezoidal rule."""
            @staticmethod
            def tri(N, M=..., k=..., dtype=...) -> _as_Tensor: """Ones on and below a diagonal."""
            @staticmethod
            def tril(x, k=...) -> _as_Tensor: """NumPy's `tril` with the data types of Keras."""
            @staticmethod
            def triu(x, k=...) -> _as_Tensor: """NumPy's `triu` with the data types of Keras."""
            @staticmethod
            def true_divide(x1, x2) -> _as_Tensor: """NumPy's `true_divide` with the data types of Keras."""
            @staticmethod
            def trunc(x) -> _as_Tensor: """NumPy's `trunc` with the data types of Keras."""
            @staticmethod
            def unique(x, sorted=..., return_index=..., return_inverse=..., return_counts=..., axis=..., size=..., fill_value=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The values that occur, in ascending order; optionally where, and how often."""
            @staticmethod
            def unravel_index(indices, shape) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The indices along each axis of flat indices."""
            @staticmethod
            def vander(x, N=..., increasing=...) -> _as_Tensor: """The powers of the elements of a vector, in the columns of a matrix."""
            @staticmethod
            def var(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `var` with the data types of Keras."""
            @staticmethod
            def vdot(x1, x2) -> _as_Tensor: """NumPy's `vdot` with the data types of Keras."""
            @staticmethod
            def vectorize(pyfunc, *, excluded=..., signature=...) -> Any: """A function of scalars as a function of arrays."""
            @staticmethod
            def view(x, dtype=...) -> _as_Tensor: """The same bytes as elements of another type."""
            @staticmethod
            def vsplit(x, indices_or_sections) -> builtins.list[_as_Tensor]: """Parts along the first axis."""
            @staticmethod
            def vstack(xs) -> _as_Tensor: """NumPy's `vstack` with the data types of Keras."""
            @staticmethod
            def where(condition, x1=..., x2=...) -> _as_Tensor: """`x1` where the condition holds, else `x2`; without them, the indices where it holds."""
            @staticmethod
            def zeros(shape, dtype=...) -> _as_Tensor: """Zeros, of `floatx` by default."""
            @staticmethod
            def zeros_like(x, dtype=...) -> _as_Tensor: """Zeros of the shape and the data type of `x`."""
        @staticmethod
        def one_hot(x, num_classes, axis=..., dtype=..., sparse=...) -> _as_Tensor: """Vectors with a 1 at each index of `x`."""
        @staticmethod
        def ones(shape, dtype=...) -> _as_Tensor: """Ones, of `floatx` by default."""
        @staticmethod
        def ones_like(x, dtype=...) -> _as_Tensor: """Ones of the shape and the data type of `x`."""
        @staticmethod
        def outer(x1, x2) -> _as_Tensor: """NumPy's `outer` with the data types of Keras."""
        @staticmethod
        def pad(x, pad_width, mode=..., constant_values=...) -> _as_Tensor: """An array with its edges extended."""
        @staticmethod
        def percentile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """NumPy's `percentile` with the data types of Keras."""
        @staticmethod
        def pinv(x, rcond=...) -> _as_Tensor: """The pseudo-inverse."""
        @staticmethod
        def polar(abs_, angle) -> _as_Tensor: """Complex numbers of absolute values and angles."""
        @staticmethod
        def power(x1, x2) -> _as_Tensor: """NumPy's `power` with the data types of Keras."""
        @staticmethod
        def prod(x, axis=..., keepdims=..., dtype=...) -> _as_Tensor: """NumPy's `prod` with the data types of Keras."""
        @staticmethod
        def psnr(x1, x2, max_val) -> _as_Tensor: """The peak signal-to-noise ratio of two arrays, in decibels."""
        @staticmethod
        def ptp(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `ptp` with the data types of Keras."""
        @staticmethod
        def qr(x, mode=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """Q and R with `Q @ R == x`."""
        @staticmethod
        def quantile(x, q, axis=..., method=..., keepdims=...) -> _as_Tensor: """NumPy's `quantile` with the data types of Keras."""
        @staticmethod
        def rad2deg(x) -> _as_Tensor: """NumPy's `rad2deg` with the data types of Keras."""
        @staticmethod
        def ravel(x) -> _as_Tensor: """NumPy's `ravel` with the data types of Keras."""
        @staticmethod
        def real(x) -> _as_Tensor: """NumPy's `real` with the data types of Keras."""
        @staticmethod
        def rearrange(tensor, pattern, **axes_lengths) -> _as_Tensor: """A tensor with its axes reordered, split and merged, as in 'b (h w) c -> b c h w'."""
        @staticmethod
        def reciprocal(x) -> _as_Tensor: """NumPy's `reciprocal` with the data types of Keras."""
        @staticmethod
        def relu(x) -> _as_Tensor: """`max(x, 0)` for each element."""
        @staticmethod
        def relu6(features, name=...) -> Any: """`min(max(x, 0), 6)` for each element."""
        @staticmethod
        def repeat(x, repeats, axis=...) -> _as_Tensor: """NumPy's `repeat` with the data types of Keras."""
        @staticmethod
        def reshape(x, newshape) -> _as_Tensor: """The elements in another shape; one size may be -1."""
        @staticmethod
        def rfft(x, fft_length=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The (real, imaginary) parts of the Fourier transform of real numbers."""
        @staticmethod
        def right_shift(x, y) -> _as_Tensor: """NumPy's `right_shift` with the data types of Keras."""
        @staticmethod
        def rms_normalization(x, scale=..., axis=..., epsilon=...) -> _as_Tensor: """`x / sqrt(mean(x ** 2) + epsilon) * scale`, with the mean over `axis`."""
        @staticmethod
        def roll(x, shift, axis=...) -> _as_Tensor: """NumPy's `roll` with the data types of Keras."""
        @staticmethod
        def rot90(array, k=..., axes=...) -> _as_Tensor: """NumPy's `rot90` with the data types of Keras."""
        @staticmethod
        def round(x, decimals=...) -> _as_Tensor: """NumPy's `round` with the data types of Keras."""
        @staticmethod
        def rsqrt(x, *, name=...) -> Any: """`1 / sqrt(x)` for each element."""
        @staticmethod
        def saturate_cast(x, dtype) -> _as_Tensor: """Like `cast`; elements outside of the range of `dtype` become its limits."""
        @staticmethod
        def scan(f, init, xs=..., length=..., reverse=..., unroll=...) -> Any: """Carry a value along the rows of `xs`: `carry, y = f(carry, x)`; the last carry, and all y."""
        @staticmethod
        def scatter(indices, values, shape) -> _as_Tensor: """Zeros of a shape with `values` added at `indices`."""
        @staticmethod
        def scatter_update(inputs, indices, updates, reduction=...) -> _as_Tensor: """A tensor with `updates` at `indices`; a `reduction` is 'add', 'max', 'min' or 'mul'."""
        @staticmethod
        def searchsorted(sorted_sequence, values, side=...) -> _as_Tensor: """Where each value belongs in a sorted sequence."""
        @staticmethod
        def segment_max(data, segment_ids, num_segments=..., sorted=...) -> _as_Tensor: """The max of the rows of each segment."""
        @staticmethod
        def segment_min(data, segment_ids, num_segments=..., sorted=...) -> _as_Tensor: """The min of the rows of each segment."""
        @staticmethod
        def segment_prod(data, segment_ids, num_segments=..., sorted=...) -> _as_Tensor: """The prod of the rows of each segment."""
        @staticmethod
        def segment_sum(data, segment_ids, num_segments=..., sorted=...) -> _as_Tensor: """The sum of the rows of each segment."""
        @staticmethod
        def select(condlist, choicelist, default=...) -> _as_Tensor: """The element of the first choice whose condition holds, else the default."""
        @staticmethod
        def selu(features, name=...) -> Any: """The scaled exponential linear unit, which preserves mean 0 and variance 1."""
        @staticmethod
        def separable_conv(inputs, depthwise_kernel, pointwise_kernel, strides=..., padding=..., data_format=..., dilation_rate=...) -> _as_Tensor: """A convolution of each channel, then one across channels."""
        @staticmethod
        def shape(x) -> builtins.tuple: """The sizes of the axes: numbers, or scalar tensors where they are unknown while tracing."""
        @staticmethod
        def sigmoid(x, *, name=...) -> Any: """`1 / (1 + exp(-x))` for each element."""
        @staticmethod
        def sign(x) -> _as_Tensor: """NumPy's `sign` with the data types of Keras."""
        @staticmethod
        def signbit(x) -> _as_Tensor: """NumPy's `signbit` with the data types of Keras."""
        @staticmethod
        def silu(x) -> _as_Tensor: """`x * sigmoid(x)`."""
        @staticmethod
        def sin(x) -> _as_Tensor: """NumPy's `sin` with the data types of Keras."""
        @staticmethod
        def sinc(x) -> _as_Tensor: """NumPy's `sinc` with the data types of Keras."""
        @staticmethod
        def sinh(x) -> _as_Tensor: """NumPy's `sinh` with the data types of Keras."""
        @staticmethod
        def size(x) -> _as_Tensor: """The number of elements."""
        @staticmethod
        def slice(inputs, start_indices, shape) -> _as_Tensor: """The part of a tensor that starts at `start_indices` and has this shape."""
        @staticmethod
        def slice_update(inputs, start_indices, updates) -> _as_Tensor: """A tensor with `updates` in place of the part that starts at `start_indices`."""
        @staticmethod
        def slogdet(x) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The sign and the logarithm of the absolute value of the determinant."""
        @staticmethod
        def soft_shrink(x, threshold=...) -> Any: """`x` moved towards 0 by the threshold, or 0 if it is nearer."""
        @staticmethod
        def softmax(x, axis=...) -> _as_Tensor: """`exp(x)` divided by its sum along `axis`."""
        @staticmethod
        def softplus(x, *, name=...) -> Any: """`log(1 + exp(x))`, without overflow."""
        @staticmethod
        def softsign(x, *, name=...) -> Any: """`x / (1 + abs(x))` for each element."""
        @staticmethod
        def solve(a, b) -> _as_Tensor: """The solution of `a @ x = b`; `b` is a vector or a matrix."""
        @staticmethod
        def solve_triangular(a, b, lower=...) -> _as_Tensor: """The solution of `a @ x = b` for a triangular matrix."""
        @staticmethod
        def sort(x, axis=...) -> _as_Tensor: """NumPy's `sort` with the data types of Keras."""
        @staticmethod
        def space_to_depth(x, block_size, data_format=...) -> _as_Tensor: """Blocks of pixels become channels."""
        @staticmethod
        def sparse_categorical_crossentropy(target, output, from_logits=..., axis=...) -> _as_Tensor: """`-log(p[t])` along `axis`; the targets are class numbers."""
        @staticmethod
        def sparse_plus(x) -> _as_Tensor: """0 below -1, `(x + 1) ** 2 / 4` up to 1, and `x` above."""
        @staticmethod
        def sparse_sigmoid(x) -> _as_Tensor: """`(x + 1) / 2`, limited to the range from 0 to 1."""
        @staticmethod
        def sparsemax(x, axis=...) -> Any: """The nearest probabilities, of which many are 0."""
        @staticmethod
        def split(x, indices_or_sections, axis=...) -> builtins.list[_as_Tensor]: """Parts of an array along an axis, as a list."""
        @staticmethod
        def sqrt(x) -> _as_Tensor: """NumPy's `sqrt` with the data types of Keras."""
        @staticmethod
        def square(x) -> _as_Tensor: """NumPy's `square` with the data types of Keras."""
        @staticmethod
        def squareplus(x, b=...) -> _as_Tensor: """`(x + sqrt(x ** 2 + b)) / 2`."""
        @staticmethod
        def squeeze(x, axis=...) -> _as_Tensor: """An array without axes of size 1."""
        @staticmethod
        def stack(x, axis=...) -> _as_Tensor: """Arrays stacked along a new axis."""
        @staticmethod
        def std(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `std` with the data types of Keras."""
        @staticmethod
        def stft(x, sequence_length, sequence_stride, fft_length, window=..., center=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The (real, imaginary) parts of the spectra of windows of a signal."""
        @staticmethod
        def stop_gradient(variable) -> _as_Tensor: """The value, through which no gradient passes."""
        @staticmethod
        def subtract(x1, x2) -> _as_Tensor: """NumPy's `subtract` with the data types of Keras."""
        @staticmethod
        def sum(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `sum` with the data types of Keras."""
        @staticmethod
        def svd(x, full_matrices=..., compute_uv=...) -> builtins.tuple[_as_Tensor, _as_Tensor, _as_Tensor]: """The singular value decomposition: U, the values, and the conjugate transpose of V."""
        @staticmethod
        def swapaxes(x, axis1, axis2) -> _as_Tensor: """NumPy's `swapaxes` with the data types of Keras."""
        @staticmethod
        def swish(x) -> _as_Tensor: """`x * sigmoid(x)`."""
        @staticmethod
        def switch(index, branches, *operands) -> Any: """The result of the branch with this index for the operands; the index is clipped."""
        @staticmethod
        def take(x, indices, axis=...) -> _as_Tensor: """The elements at `indices` along an axis, or of the flattened array; negative ones count from the end."""
        @staticmethod
        def take_along_axis(x, indices, axis=...) -> _as_Tensor: """NumPy's `take_along_axis` with the data types of Keras."""
        @staticmethod
        def tan(x) -> _as_Tensor: """NumPy's `tan` with the data types of Keras."""
        @staticmethod
        def tanh(x) -> _as_Tensor: """NumPy's `tanh` with the data types of Keras."""
        @staticmethod
        def tanh_shrink(x) -> _as_Tensor: """`x - tanh(x)`."""
        @staticmethod
        def tensordot(x1, x2, axes=...) -> _as_Tensor: """NumPy's `tensordot` with the data types of Keras."""
        @staticmethod
        def threshold(x, threshold, default_value) -> _as_Tensor: """`x` where it is above the threshold, else another value."""
        @staticmethod
        def tile(x, repeats) -> _as_Tensor: """NumPy's `tile` with the data types of Keras."""
        @staticmethod
        def top_k(x, k, sorted=...) -> Any: """The k largest elements of the last axis, and their indices."""
        @staticmethod
        def trace(x, offset=..., axis1=..., axis2=...) -> _as_Tensor: """NumPy's `trace` with the data types of Keras."""
        @staticmethod
        def transpose(x, axes=...) -> _as_Tensor: """NumPy's `transpose` with the data types of Keras."""
        @staticmethod
        def trapezoid(y, x=..., dx=..., axis=...) -> _as_Tensor: """The area below points, by the trapezoidal rule."""
        @staticmethod
        def tri(N, M=..., k=..., dtype=...) -> _as_Tensor: """Ones on and below a diagonal."""
        @staticmethod
        def tril(x, k=...) -> _as_Tensor: """NumPy's `tril` with the data types of Keras."""
        @staticmethod
        def triu(x, k=...) -> _as_Tensor: """NumPy's `triu` with the data types of Keras."""
        @staticmethod
        def true_divide(x1, x2) -> _as_Tensor: """NumPy's `true_divide` with the data types of Keras."""
        @staticmethod
        def trunc(x) -> _as_Tensor: """NumPy's `trunc` with the data types of Keras."""
        @staticmethod
        def unique(x, sorted=..., return_index=..., return_inverse=..., return_counts=..., axis=..., size=..., fill_value=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The values that occur, in ascending order; optionally where, and how often."""
        @staticmethod
        def unravel_index(indices, shape) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The indices along each axis of flat indices."""
        @staticmethod
        def unstack(x, num=..., axis=...) -> builtins.list[_as_Tensor]: """The slices along an axis, as a list."""
        @staticmethod
        def vander(x, N=..., increasing=...) -> _as_Tensor: """The powers of the elements of a vector, in the columns of a matrix."""
        @staticmethod
        def var(x, axis=..., keepdims=...) -> _as_Tensor: """NumPy's `var` with the data types of Keras."""
        @staticmethod
        def vdot(x1, x2) -> _as_Tensor: """NumPy's `vdot` with the data types of Keras."""
        @staticmethod
        def vectorize(pyfunc, *, excluded=..., signature=...) -> Any: """A function of scalars as a function of arrays."""
        @staticmethod
        def vectorized_map(function, elements) -> Any: """The results of `function` for the rows of `elements`, stacked."""
        @staticmethod
        def view(x, dtype=...) -> _as_Tensor: """The same bytes as elements of another type."""
        @staticmethod
        def view_as_complex(x) -> _as_Tensor: """Pairs along the last axis as complex numbers."""
        @staticmethod
        def view_as_real(x) -> _as_Tensor: """Complex numbers as pairs along a new last axis."""
        @staticmethod
        def vsplit(x, indices_or_sections) -> builtins.list[_as_Tensor]: """Parts along the first axis."""
        @staticmethod
        def vstack(xs) -> _as_Tensor: """NumPy's `vstack` with the data types of Keras."""
        @staticmethod
        def where(condition, x1=..., x2=...) -> _as_Tensor: """`x1` where the condition holds, else `x2`; without them, the indices where it holds."""
        @staticmethod
        def while_loop(cond, body, loop_vars, maximum_iterations=...) -> Any: """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds."""
        @staticmethod
        def zeros(shape, dtype=...) -> _as_Tensor: """Zeros, of `floatx` by default."""
        @staticmethod
        def zeros_like(x, dtype=...) -> _as_Tensor: """Zeros of the shape and the data type of `x`."""
    class optimizers:
        Adadelta: TypeAlias = _as_optimizers__Adadelta
        Adafactor: TypeAlias = _as_optimizers__Adafactor
        Adagrad: TypeAlias = _as_optimizers__Adagrad
        Adam: TypeAlias = _as_optimizers__Adam
        AdamW: TypeAlias = _as_optimizers__AdamW
        Adamax: TypeAlias = _as_optimizers__Adamax
        Ftrl: TypeAlias = _as_optimizers__Ftrl
        Lamb: TypeAlias = _as_optimizers__Lamb
        Lion: TypeAlias = _as_optimizers__Lion
        LossScaleOptimizer: TypeAlias = _as_optimizers__LossScaleOptimizer
        Nadam: TypeAlias = _as_optimizers__Nadam
        Optimizer: TypeAlias = _as_keras__Optimizer
        RMSprop: TypeAlias = _as_optimizers__RMSprop
        SGD: TypeAlias = _as_optimizers__SGD
        @staticmethod
        def deserialize(config, custom_objects=...) -> _as_keras__optimizers__Optimizer: """The member of keras.optimizers that `serialize` described."""
        @staticmethod
        def get(identifier) -> _as_keras__optimizers__Optimizer: """The member of keras.optimizers for a name, a configuration, a class or a member."""
        class schedules:
            CosineDecay: TypeAlias = _as_optimizers__schedules__CosineDecay
            CosineDecayRestarts: TypeAlias = _as_optimizers__schedules__CosineDecayRestarts
            ExponentialDecay: TypeAlias = _as_optimizers__schedules__ExponentialDecay
            InverseTimeDecay: TypeAlias = _as_optimizers__schedules__InverseTimeDecay
            LearningRateSchedule: TypeAlias = _as_optimizers__schedules__LearningRateSchedule
            PiecewiseConstantDecay: TypeAlias = _as_optimizers__schedules__PiecewiseConstantDecay
            PolynomialDecay: TypeAlias = _as_optimizers__schedules__PolynomialDecay
            @staticmethod
            def deserialize(config, custom_objects=...) -> Any: """The member of keras.optimizers.schedules that `serialize` described."""
            @staticmethod
            def serialize(member) -> builtins.dict: """A member of keras.optimizers.schedules as data, for `deserialize`."""
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.optimizers as data, for `deserialize`."""
    class preprocessing:
        class image:
            @staticmethod
            def array_to_img(x, data_format=..., scale=..., dtype=...) -> Any: """An image of Pillow of an array [height, width, channels] with 1, 3 or 4 channels."""
            @staticmethod
            def img_to_array(img, data_format=..., dtype=...) -> np.ndarray: """The pixels of an image of Pillow, as floats [height, width, channels]."""
            @staticmethod
            def load_img(path, color_mode=..., target_size=..., interpolation=..., keep_aspect_ratio=...) -> Any: """The image of a file, as one of Pillow, in the size (height, width) if one is given."""
            @staticmethod
            def save_img(path, x, data_format=..., file_format=..., scale=..., **kwargs) -> None: """Write an array [height, width, channels] as a file; its name says the format."""
        @staticmethod
        def image_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., color_mode=..., batch_size=..., image_size=..., shuffle=..., seed=..., validation_split=..., subset=..., interpolation=..., follow_links=..., crop_to_aspect_ratio=..., pad_to_aspect_ratio=..., data_format=..., verbose=...) -> _as_data__Dataset: """Batches of images, and the numbers of their classes, the folders of a directory."""
        class sequence:
            @staticmethod
            def pad_sequences(sequences, maxlen=..., dtype=..., padding=..., truncating=..., value=...) -> np.ndarray: """Sequences of several lengths in an array [count, maxlen]."""
        @staticmethod
        def text_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., batch_size=..., max_length=..., shuffle=..., seed=..., validation_split=..., subset=..., follow_links=..., verbose=...) -> _as_data__Dataset: """Batches of the contents of text files, and the numbers of their classes."""
        @staticmethod
        def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=..., sampling_rate=..., batch_size=..., shuffle=..., seed=..., start_index=..., end_index=...) -> _as_data__Dataset: """A dataset of batches of sequences from an array, with their targets unless these are None."""
    class random:
        SeedGenerator: TypeAlias = _as_keras__random__SeedGenerator
        @staticmethod
        def beta(shape, alpha, beta, dtype=..., seed=...) -> _as_Tensor: """Numbers of a beta distribution, between 0 and 1."""
        @staticmethod
        def binomial(shape, counts, probabilities, dtype=..., seed=...) -> _as_Tensor: """How many of `counts` trials succeed."""
        @staticmethod
        def categorical(logits, num_samples, dtype=..., seed=...) -> _as_Tensor: """Indices of classes with probabilities softmax(logits), [batch, num_samples]."""
        @staticmethod
        def dropout(inputs, rate, noise_shape=..., seed=...) -> _as_Tensor: """Elements set to 0 with probability `rate`, the others scaled up."""
        @staticmethod
        def gamma(shape, alpha, dtype=..., seed=...) -> _as_Tensor: """Numbers of a gamma distribution."""
        @staticmethod
        def normal(shape, mean=..., stddev=..., dtype=..., seed=...) -> _as_Tensor: """Normally distributed numbers; a number as `seed` gives the same ones each time."""
        @staticmethod
        def randint(shape, minval, maxval, dtype=..., seed=...) -> _as_Tensor: """Integers from `minval` to below `maxval`."""
        @staticmethod
        def shuffle(x, axis=..., seed=...) -> _as_Tensor: """The slices along an axis in a random order."""
        @staticmethod
        def truncated_normal(shape, mean=..., stddev=..., dtype=..., seed=...) -> _as_Tensor: """Like `normal`, without numbers that are more than two deviations from the mean."""
        @staticmethod
        def uniform(shape, minval=..., maxval=..., dtype=..., seed=...) -> _as_Tensor: """Numbers from `minval` to below `maxval`."""
    class regularizers:
        L1: TypeAlias = _as_keras__regularizers__L1
        L1L2: TypeAlias = _as_keras__regularizers__L1L2
        L2: TypeAlias = _as_keras__regularizers__L2
        OrthogonalRegularizer: TypeAlias = _as_keras__regularizers__OrthogonalRegularizer
        Regularizer: TypeAlias = _as_keras__Regularizer
        @staticmethod
        def deserialize(config, custom_objects=...) -> Any: """The member of keras.regularizers that `serialize` described."""
        @staticmethod
        def get(identifier) -> Any: """The member of keras.regularizers for a name, a configuration, a class or a member."""
        @staticmethod
        def l1(l1=...) -> Any: """`L1(l1)`."""
        @staticmethod
        def l1_l2(l1=..., l2=...) -> Any: """`L1L2(l1, l2)`."""
        @staticmethod
        def l2(l2=...) -> Any: """`L2(l2)`."""
        orthogonal_regularizer: TypeAlias = _as_keras__regularizers__OrthogonalRegularizer
        @staticmethod
        def serialize(member) -> builtins.dict: """A member of keras.regularizers as data, for `deserialize`."""
    class saving:
        @staticmethod
        def CustomObjectScope(objects) -> Any: """Register classes and functions by name inside a `with` statement."""
        @staticmethod
        def custom_object_scope(objects) -> Any: """Register classes and functions by name inside a `with` statement."""
        @staticmethod
        def deserialize_keras_object(config, custom_objects=..., safe_mode=...) -> Any: """The object of a configuration of `serialize_keras_object`."""
        @staticmethod
        def get_custom_objects() -> builtins.dict: """The registered classes and functions by name; a change of the dict registers."""
        @staticmethod
        def get_registered_name(obj) -> builtins.str: """The name of a class or function in files."""
        @staticmethod
        def get_registered_object(name, custom_objects=..., module_objects=...) -> Any: """The class or function that was registered with a name, or None."""
        @staticmethod
        def load_model(filepath, custom_objects=..., compile=..., safe_mode=...) -> _as_keras__Model: """The model of a file of `Model.save`, compiled if it was."""
        @staticmethod
        def register_keras_serializable(package=..., name=...) -> Any: """Decorator for a class or function that files of models may name, as `package>name`."""
        @staticmethod
        def save_model(model, filepath, overwrite=..., **kwargs) -> None: """Write a model to a file: its layers, its weights, and what `compile` was given."""
        @staticmethod
        def serialize_keras_object(obj) -> builtins.dict: """The configuration of a layer, initializer, optimizer...: its class and arguments."""
    class tree:
        @staticmethod
        def assert_same_structure(a, b, check_types=...) -> None: """Raise ValueError or TypeError unless both have one structure."""
        @staticmethod
        def flatten(structure, classify=...) -> builtins.list: """The leaves, in order."""
        @staticmethod
        def flatten_with_path(structure) -> builtins.list[Any]: """Pairs of a path, the keys and indices from the root, and a leaf."""
        @staticmethod
        def is_nested(structure) -> builtins.bool: """Whether `structure` is a container rather than a leaf."""
        @staticmethod
        def lists_to_tuples(structure) -> Any: """The structure with its lists as tuples."""
        @staticmethod
        def map_structure(func, *structures, none_is_leaf=...) -> Any: """The structure with the results of a function of its leaves."""
        @staticmethod
        def map_structure_up_to(shallow_structure, func, *structures) -> Any: """Like `map_structure`, with the leaves of the first structure as the places of leaves."""
        @staticmethod
        def pack_sequence_as(structure, flat_sequence, classify=...) -> Any: """The leaves in `flat_sequence`, arranged like `structure`; ValueError when the count differs."""
        @staticmethod
        def traverse(func, structure, top_down=...) -> Any: """The structure with each part that a function gives a result for replaced by it."""
    class utils:
        @staticmethod
        def CustomObjectScope(objects) -> Any: """Register classes and functions by name inside a `with` statement."""
        Progbar: TypeAlias = _as_keras__utils__Progbar
        PyDataset: TypeAlias = _as_keras__utils__PyDataset
        Sequence: TypeAlias = _as_keras__utils__PyDataset
        @staticmethod
        def array_to_img(x, data_format=..., scale=..., dtype=...) -> Any: """An image of Pillow of an array [height, width, channels] with 1, 3 or 4 channels."""
        @staticmethod
        def clear_session() -> None: """Restart the numbering of layer names."""
        @staticmethod
        def custom_object_scope(objects) -> Any: """Register classes and functions by name inside a `with` statement."""
        @staticmethod
        def deserialize_keras_object(config, custom_objects=..., safe_mode=...) -> Any: """The object of a configuration of `serialize_keras_object`."""
        @staticmethod
        def get_custom_objects() -> builtins.dict: """The registered classes and functions by name; a change of the dict registers."""
        @staticmethod
        def get_registered_name(obj) -> builtins.str: """The name of a class or function in files."""
        @staticmethod
        def get_registered_object(name, custom_objects=..., module_objects=...) -> Any: """The class or function that was registered with a name, or None."""
        @staticmethod
        def image_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., color_mode=..., batch_size=..., image_size=..., shuffle=..., seed=..., validation_split=..., subset=..., interpolation=..., follow_links=..., crop_to_aspect_ratio=..., pad_to_aspect_ratio=..., data_format=..., verbose=...) -> _as_data__Dataset: """Batches of images, and the numbers of their classes, the folders of a directory."""
        @staticmethod
        def img_to_array(img, data_format=..., dtype=...) -> np.ndarray: """The pixels of an image of Pillow, as floats [height, width, channels]."""
        @staticmethod
        def is_keras_tensor(x) -> builtins.bool: """Whether an object is a placeholder of the functional API."""
        @staticmethod
        def load_img(path, color_mode=..., target_size=..., interpolation=..., keep_aspect_ratio=...) -> Any: """The image of a file, as one of Pillow, in the size (height, width) if one is given."""
        @staticmethod
        def normalize(x, axis=..., order=...) -> np.ndarray: """Vectors along `axis` scaled to norm 1 of order `order`: a tensor if `x` is one."""
        @staticmethod
        def pack_x_y_sample_weight(x, y=..., sample_weight=...) -> Any: """A batch of inputs, labels and weights, without those that are None."""
        @staticmethod
        def pad_sequences(sequences, maxlen=..., dtype=..., padding=..., truncating=..., value=...) -> np.ndarray: """Sequences of several lengths in an array [count, maxlen]."""
        @staticmethod
        def register_keras_serializable(package=..., name=...) -> Any: """Decorator for a class or function that files of models may name, as `package>name`."""
        @staticmethod
        def save_img(path, x, data_format=..., file_format=..., scale=..., **kwargs) -> None: """Write an array [height, width, channels] as a file; its name says the format."""
        @staticmethod
        def serialize_keras_object(obj) -> builtins.dict: """The configuration of a layer, initializer, optimizer...: its class and arguments."""
        @staticmethod
        def set_random_seed(seed) -> None: """Set the seeds of the random generators of Python, NumPy and this package."""
        @staticmethod
        def split_dataset(dataset, left_size=..., right_size=..., shuffle=..., seed=..., preferred_backend=...) -> builtins.tuple[_as_data__Dataset, _as_data__Dataset]: """Two datasets of the first and the last elements of a dataset or of arrays."""
        @staticmethod
        def standardize_dtype(dtype) -> builtins.str: """The name of a data type; None is that of layers."""
        @staticmethod
        def text_dataset_from_directory(directory, labels=..., label_mode=..., class_names=..., batch_size=..., max_length=..., shuffle=..., seed=..., validation_split=..., subset=..., follow_links=..., verbose=...) -> _as_data__Dataset: """Batches of the contents of text files, and the numbers of their classes."""
        @staticmethod
        def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=..., sampling_rate=..., batch_size=..., shuffle=..., seed=..., start_index=..., end_index=...) -> _as_data__Dataset: """A dataset of batches of sequences from an array, with their targets unless these are None."""
        @staticmethod
        def to_categorical(y, num_classes=..., dtype=...) -> np.ndarray: """Integer labels as one-hot vectors along a new last axis, in a NumPy array."""
        @staticmethod
        def unpack_x_y_sample_weight(data) -> builtins.tuple: """A batch as (inputs, labels, weights), with None for missing components."""
    @staticmethod
    def version() -> builtins.str: """The version of the vocabulary of layers."""
class kernel_cache:
    @staticmethod
    def clear() -> builtins.int: """Remove the kernels and converted functions on disk, and temporary files; returns the number of bytes freed."""
    @staticmethod
    def folder() -> Any: """The folder of kernels and converted functions, with a folder inside for each set of versions."""
    @staticmethod
    def kernels() -> builtins.list[Any]: """The kernels on disk, those of other versions included, the newest first."""
    @staticmethod
    def problem() -> builtins.str: """Why kernels are not kept on disk, with a cure: others control the folder or the key, or the folder cannot be written."""
def less(x, y, *, name=...) -> _as_Tensor: """`x < y` for each element, as bool; the shapes broadcast."""
def less_equal(x, y, *, name=...) -> _as_Tensor: """`x <= y` for each element, as bool; the shapes broadcast."""
class linalg:
    LinearOperator: TypeAlias = _as_linalg__LinearOperator
    LinearOperatorAdjoint: TypeAlias = _as_linalg__LinearOperatorAdjoint
    LinearOperatorBlockDiag: TypeAlias = _as_linalg__LinearOperatorBlockDiag
    LinearOperatorBlockLowerTriangular: TypeAlias = _as_linalg__LinearOperatorBlockLowerTriangular
    LinearOperatorCirculant: TypeAlias = _as_linalg__LinearOperatorCirculant
    LinearOperatorComposition: TypeAlias = _as_linalg__LinearOperatorComposition
    LinearOperatorDiag: TypeAlias = _as_linalg__LinearOperatorDiag
    LinearOperatorFullMatrix: TypeAlias = _as_linalg__LinearOperatorFullMatrix
    LinearOperatorHouseholder: TypeAlias = _as_linalg__LinearOperatorHouseholder
    LinearOperatorIdentity: TypeAlias = _as_linalg__LinearOperatorIdentity
    LinearOperatorInversion: TypeAlias = _as_linalg__LinearOperatorInversion
    LinearOperatorKronecker: TypeAlias = _as_linalg__LinearOperatorKronecker
    LinearOperatorLowRankUpdate: TypeAlias = _as_linalg__LinearOperatorLowRankUpdate
    LinearOperatorLowerTriangular: TypeAlias = _as_linalg__LinearOperatorLowerTriangular
    LinearOperatorPermutation: TypeAlias = _as_linalg__LinearOperatorPermutation
    LinearOperatorScaledIdentity: TypeAlias = _as_linalg__LinearOperatorScaledIdentity
    LinearOperatorToeplitz: TypeAlias = _as_linalg__LinearOperatorToeplitz
    LinearOperatorTridiag: TypeAlias = _as_linalg__LinearOperatorTridiag
    LinearOperatorZeros: TypeAlias = _as_linalg__LinearOperatorZeros
    @staticmethod
    def adjoint(matrix, name=...) -> _as_Tensor: """`matrix` with its last two axes exchanged and complex numbers conjugated."""
    @staticmethod
    def band_part(input, num_lower, num_upper, *, name=...) -> _as_Tensor: """Matrices with all elements outside a central band set to 0."""
    @staticmethod
    def banded_triangular_solve(bands, rhs, lower=..., adjoint=..., name=...) -> _as_Tensor: """The solution X of `A @ X = rhs` for triangular matrices A with few diagonals."""
    @staticmethod
    def cholesky(input, *, name=...) -> _as_Tensor: """The lower triangular L with `L @ adjoint(L)` equal to a positive definite matrix."""
    @staticmethod
    def cholesky_solve(chol, rhs, name=...) -> _as_Tensor: """The solution X of `A @ X = rhs`, where `chol` is the lower Cholesky factor of A."""
    @staticmethod
    def cross(a, b, name=...) -> _as_Tensor: """The cross product of vectors of length 3 along the last axis."""
    @staticmethod
    def det(input, *, name=...) -> _as_Tensor: """The determinant of square matrices of shape [..., n, n], of shape [...]."""
    @staticmethod
    def diag(diagonal, name=..., k=...) -> _as_Tensor: """Square matrices with `diagonal` on diagonal `k` and zeros elsewhere."""
    @staticmethod
    def diag_part(input, name=..., k=...) -> _as_Tensor: """Diagonal `k` of matrices of shape [..., rows, columns], along the last axis."""
    @staticmethod
    def eig(tensor, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """Eigenvalues [..., n] and eigenvectors, as columns [..., n, n], of square matrices."""
    @staticmethod
    def eigh(tensor, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """Eigenvalues and eigenvectors of symmetric or Hermitian matrices of shape [..., n, n]."""
    @staticmethod
    def eigh_tridiagonal(alpha, beta, eigvals_only=..., select=..., select_range=..., tol=..., name=...) -> _as_Tensor: """Eigenvalues of the symmetric tridiagonal matrix with these diagonals, in ascending order."""
    @staticmethod
    def eigvals(tensor, name=...) -> _as_Tensor: """Eigenvalues of square matrices, complex, of shape [..., n]."""
    @staticmethod
    def eigvalsh(tensor, name=...) -> _as_Tensor: """Eigenvalues of symmetric or Hermitian matrices of shape [..., n, n], in ascending order."""
    @staticmethod
    def einsum(equation, *inputs, name=..., **options) -> _as_Tensor: """Sums of products in Einstein summation notation."""
    class experimental:
        @staticmethod
        def conjugate_gradient(operator, rhs, preconditioner=..., x=..., tol=..., max_iter=..., name=...) -> Any: """The solution of `operator @ x = rhs` for a positive definite linear operator and a vector."""
    @staticmethod
    def expm(input, *, name=...) -> _as_Tensor: """The matrix exponential of square matrices of shape [..., n, n]."""
    @staticmethod
    def eye(num_rows, num_columns=..., batch_shape=..., dtype=..., name=...) -> _as_Tensor: """The identity matrix of shape [num_rows, num_columns], repeated for `batch_shape`."""
    @staticmethod
    def global_norm(t_list, name=...) -> _as_Tensor: """The Euclidean norm of all elements of a list of tensors, a scalar. None is skipped."""
    @staticmethod
    def inv(input, *, name=...) -> _as_Tensor: """The inverse of square matrices of shape [..., n, n]."""
    @staticmethod
    def l2_normalize(x, axis=..., epsilon=..., name=...) -> _as_Tensor: """Vectors along `axis` (all elements for None) scaled to Euclidean norm 1."""
    @staticmethod
    def logdet(matrix, name=...) -> _as_Tensor: """The logarithm of the determinant of positive definite matrices, of shape [...]."""
    @staticmethod
    def logm(input, *, name=...) -> _as_Tensor: """The principal logarithm of complex square matrices of shape [..., n, n]."""
    @staticmethod
    def lstsq(matrix, rhs, l2_regularizer=..., fast=..., name=...) -> _as_Tensor: """The least squares solution X of `matrix @ X = rhs`, for [..., m, n] and [..., m, k]."""
    @staticmethod
    def lu(input, output_idx_type=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The LU decomposition of square matrices [..., n, n] with partial pivoting."""
    @staticmethod
    def lu_matrix_inverse(lower_upper, perm, validate_args=..., name=...) -> _as_Tensor: """The inverse of A, where `linalg.lu(A)` gave `lower_upper` and `perm`."""
    @staticmethod
    def lu_reconstruct(lower_upper, perm, validate_args=..., name=...) -> _as_Tensor: """The matrices of which `linalg.lu` gave `lower_upper` and `perm`."""
    @staticmethod
    def lu_solve(lower_upper, perm, rhs, validate_args=..., name=...) -> _as_Tensor: """The solution X of `A @ X = rhs`, where `linalg.lu(A)` gave `lower_upper` and `perm`."""
    @staticmethod
    def matmul(a, b, transpose_a=..., transpose_b=..., adjoint_a=..., adjoint_b=..., name=...) -> _as_Tensor: """The matrix product of `a`, [..., m, k], and `b`, [..., k, n], of shape [..., m, n]."""
    @staticmethod
    def matrix_rank(a, tol=..., name=...) -> _as_Tensor: """The rank of matrices of shape [..., m, n], as int32 of shape [...]."""
    @staticmethod
    def matrix_transpose(a, conjugate=..., name=...) -> _as_Tensor: """`a` with its last two axes exchanged. `conjugate=True` also conjugates complex numbers."""
    @staticmethod
    def matvec(a, b, transpose_a=..., adjoint_a=..., name=...) -> _as_Tensor: """The product of matrices `a`, [..., m, k], and vectors `b`, [..., k], of shape [..., m]."""
    @staticmethod
    def norm(tensor, ord=..., axis=..., keepdims=..., name=...) -> _as_Tensor: """The norm of vectors along `axis`, or of all elements as one vector for None."""
    @staticmethod
    def normalize(tensor, ord=..., axis=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """`tensor` divided by its norm along `axis` (None: of all elements), and that norm."""
    @staticmethod
    def pinv(a, rcond=..., name=...) -> _as_Tensor: """The Moore-Penrose pseudo-inverse of matrices of shape [..., m, n], of shape [..., n, m]."""
    @staticmethod
    def qr(input, full_matrices=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The QR decomposition of matrices of shape [..., m, n]."""
    @staticmethod
    def set_diag(input, diagonal, name=..., k=...) -> _as_Tensor: """Matrices with diagonal `k` replaced by `diagonal`; the other elements are kept."""
    @staticmethod
    def slogdet(input, *, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The sign of the determinant and the logarithm of its absolute value, each of shape [...]."""
    @staticmethod
    def solve(matrix, rhs, adjoint=..., name=...) -> _as_Tensor: """The solution X of `matrix @ X = rhs`, for `matrix` [..., n, n] and `rhs` [..., n, k]."""
    @staticmethod
    def sqrtm(input, *, name=...) -> _as_Tensor: """The principal square root of square matrices of shape [..., n, n]."""
    @staticmethod
    def svd(tensor, full_matrices=..., compute_uv=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor, _as_Tensor]: """The singular value decomposition of matrices of shape [..., m, n]."""
    @staticmethod
    def tensor_diag(diagonal, name=...) -> _as_Tensor: """A tensor of shape [*s, *s] with `diagonal`, of shape s, on its diagonal; zeros elsewhere."""
    @staticmethod
    def tensor_diag_part(input, name=...) -> _as_Tensor: """The diagonal, of shape s, of a tensor of shape [*s, *s]."""
    @staticmethod
    def tensordot(a, b, axes, name=...) -> _as_Tensor: """The sum of products over pairs of axes of `a` and `b`."""
    @staticmethod
    def trace(x, name=...) -> _as_Tensor: """The sum of the main diagonal of matrices of shape [..., rows, columns]."""
    @staticmethod
    def transpose(a, perm=..., conjugate=..., name=...) -> _as_Tensor: """`a` with its axes permuted: axis i of the result is axis `perm[i]` of `a`."""
    @staticmethod
    def triangular_solve(matrix, rhs, lower=..., adjoint=..., name=...) -> _as_Tensor: """The solution X of `matrix @ X = rhs` for triangular matrices [..., n, n]."""
    @staticmethod
    def tridiagonal_matmul(diagonals, rhs, diagonals_format=..., name=...) -> _as_Tensor: """`A @ rhs` for tridiagonal matrices A, given as for `linalg.tridiagonal_solve`."""
    @staticmethod
    def tridiagonal_solve(diagonals, rhs, diagonals_format=..., transpose_rhs=..., conjugate_rhs=..., name=..., partial_pivoting=..., perturb_singular=...) -> _as_Tensor: """The solution X of `A @ X = rhs` for tridiagonal matrices A."""
def linspace(start, stop, num, name=..., axis=...) -> _as_Tensor: """`num` values from `start` to `stop`, both included, evenly spaced along a new `axis`."""
def load_ipython_extension(ipython) -> None: """Register `%%allograph`. IPython calls it for `%load_ext allograph`."""
def logical_and(x, y, *, name=...) -> _as_Tensor: """`x and y` for each element of two bool tensors; the shapes broadcast."""
def logical_not(x, *, name=...) -> _as_Tensor: """`not x` for each element of a bool tensor."""
def logical_or(x, y, *, name=...) -> _as_Tensor: """`x or y` for each element of two bool tensors; the shapes broadcast."""
def logical_xor(x, y, *, name=...) -> _as_Tensor: """True where exactly one of `x` and `y` is true; the shapes broadcast."""
class lookup:
    KeyValueTensorInitializer: TypeAlias = _as_lookup__KeyValueTensorInitializer
    StaticHashTable: TypeAlias = _as_lookup__StaticHashTable
    StaticVocabularyTable: TypeAlias = _as_lookup__StaticVocabularyTable
    TextFileIndex: TypeAlias = _as_lookup__TextFileIndex
    TextFileInitializer: TypeAlias = _as_lookup__TextFileInitializer
    class experimental:
        DenseHashTable: TypeAlias = _as_lookup__experimental__DenseHashTable
        MutableHashTable: TypeAlias = _as_lookup__experimental__DenseHashTable
class losses:
    BinaryCrossentropy: type[_as_keras__Loss]
    BinaryFocalCrossentropy: type[_as_keras__Loss]
    CTC: type[_as_keras__Loss]
    CategoricalCrossentropy: type[_as_keras__Loss]
    CategoricalFocalCrossentropy: type[_as_keras__Loss]
    CategoricalGeneralizedCrossEntropy: type[_as_keras__Loss]
    CategoricalHinge: type[_as_keras__Loss]
    Circle: type[_as_keras__Loss]
    CosineSimilarity: type[_as_keras__Loss]
    Dice: type[_as_keras__Loss]
    Hinge: type[_as_keras__Loss]
    Huber: type[_as_keras__Loss]
    @staticmethod
    def KLD(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    KLDivergence: type[_as_keras__Loss]
    LogCosh: type[_as_keras__Loss]
    Loss: TypeAlias = _as_keras__Loss
    @staticmethod
    def MAE(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
    @staticmethod
    def MAPE(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    @staticmethod
    def MSE(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    @staticmethod
    def MSLE(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    MeanAbsoluteError: type[_as_keras__Loss]
    MeanAbsolutePercentageError: type[_as_keras__Loss]
    MeanSquaredError: type[_as_keras__Loss]
    MeanSquaredLogarithmicError: type[_as_keras__Loss]
    Poisson: type[_as_keras__Loss]
    Reduction: TypeAlias = _as_losses__Reduction
    SparseCategoricalCrossentropy: type[_as_keras__Loss]
    SquaredHinge: type[_as_keras__Loss]
    Tversky: type[_as_keras__Loss]
    @staticmethod
    def binary_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=...) -> _as_Tensor: """The mean of `-y * log(p) - (1 - y) * log(1 - p)` over the last axis."""
    @staticmethod
    def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=..., alpha=..., gamma=..., from_logits=..., label_smoothing=...) -> _as_Tensor: """The binary cross entropy times `(1 - p) ** gamma`, p being that of the label."""
    @staticmethod
    def categorical_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """`-sum(y_true * log(p))` along `axis`; `y_true` contains probabilities or one-hot vectors."""
    @staticmethod
    def categorical_focal_crossentropy(y_true, y_pred, alpha=..., gamma=..., from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """The categorical cross entropy with each term times `alpha * (1 - p) ** gamma`."""
    @staticmethod
    def categorical_generalized_cross_entropy(y_true, y_pred, q=...) -> _as_Tensor: """`(1 - p ** q) / q` for the probability p of the label, which noisy labels disturb less."""
    @staticmethod
    def categorical_hinge(y_true, y_pred) -> _as_Tensor: """`max(1 + the largest prediction of other classes - that of the class, 0)`."""
    @staticmethod
    def circle(y_true, y_pred, ref_labels=..., ref_embeddings=..., remove_diagonal=..., gamma=..., margin=...) -> _as_Tensor: """The circle loss of normalized embeddings [batch, size] with integer labels."""
    @staticmethod
    def cosine_similarity(y_true, y_pred, axis=...) -> _as_Tensor: """The negative cosine of the angle between vectors along `axis`: -1 for equal directions."""
    @staticmethod
    def ctc(y_true, y_pred) -> _as_Tensor: """The CTC loss of label sequences [batch, length], padded with 0, and logits [batch, time, classes]; 0 is also the class that stands for no label."""
    @staticmethod
    def dice(y_true, y_pred, axis=...) -> _as_Tensor: """1 minus the Dice coefficient, twice the overlap divided by the sum of both."""
    @staticmethod
    def hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0)` over the last axis."""
    @staticmethod
    def huber(y_true, y_pred, delta=...) -> _as_Tensor: """The Huber loss: half the squared error up to `delta`, linear beyond; mean of last axis."""
    @staticmethod
    def kl_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    @staticmethod
    def kld(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    @staticmethod
    def kullback_leibler_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    @staticmethod
    def log_cosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
    @staticmethod
    def logcosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
    @staticmethod
    def mae(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
    @staticmethod
    def mape(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    @staticmethod
    def mean_absolute_error(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
    @staticmethod
    def mean_absolute_percentage_error(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    @staticmethod
    def mean_squared_error(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    @staticmethod
    def mean_squared_logarithmic_error(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    @staticmethod
    def mse(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    @staticmethod
    def msle(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    @staticmethod
    def poisson(y_true, y_pred) -> _as_Tensor: """The mean of `y_pred - y_true * log(y_pred)` over the last axis."""
    @staticmethod
    def sparse_categorical_crossentropy(y_true, y_pred, from_logits=..., ignore_class=..., axis=...) -> _as_Tensor: """`-log(p[label])` along the last axis; `y_true` contains integer labels."""
    @staticmethod
    def squared_hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0) ** 2` over the last axis."""
    @staticmethod
    def tversky(y_true, y_pred, alpha=..., beta=..., axis=...) -> _as_Tensor: """1 minus the Tversky index: `alpha` weighs false positives, `beta` false negatives."""
def make_ndarray(tensor) -> np.ndarray: """The array in a message of `make_tensor_proto`."""
def make_tensor_proto(values, dtype=..., shape=..., verify_shape=..., allow_broadcast=...) -> Any: """A message that holds a tensor, which `make_ndarray` reads."""
def map_fn(fn, elems, dtype=..., parallel_iterations=..., back_prop=..., swap_memory=..., infer_shape=..., name=..., fn_output_signature=...) -> Any: """The results of `fn` for each slice of `elems` along the first axis, stacked."""
class math:
    @staticmethod
    def abs(x, *, name=...) -> _as_Tensor: """The absolute value of each element; for complex numbers the magnitude, as a float."""
    @staticmethod
    def accumulate_n(inputs, name=...) -> _as_Tensor: """The elementwise sum of a list of tensors of one shape and dtype."""
    @staticmethod
    def acos(x, *, name=...) -> _as_Tensor: """The inverse cosine of each element, in radians; NaN for reals outside [-1, 1]."""
    @staticmethod
    def acosh(x, *, name=...) -> _as_Tensor: """The inverse hyperbolic cosine of each element; NaN for reals below 1."""
    @staticmethod
    def add(x, y, *, name=...) -> _as_Tensor: """`x + y`; strings are concatenated. The shapes broadcast."""
    @staticmethod
    def add_n(inputs, name=...) -> _as_Tensor: """The elementwise sum of a list of tensors of one shape and dtype."""
    @staticmethod
    def angle(x, *, name=...) -> _as_Tensor: """The argument (angle in radians) of each element; for real numbers 0, or pi if negative."""
    @staticmethod
    def approx_max_k(operand, k, reduction_dimension=..., recall_target=..., reduction_input_size_override=..., aggregate_to_topk=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The `k` largest elements along an axis, largest first, and their int32 indices."""
    @staticmethod
    def approx_min_k(operand, k, reduction_dimension=..., recall_target=..., reduction_input_size_override=..., aggregate_to_topk=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The `k` smallest elements along an axis, smallest first, and their int32 indices."""
    @staticmethod
    def argmax(input, axis=..., output_type=..., name=...) -> _as_Tensor: """The index of the largest element along `axis` (default 0); the first one in case of ties."""
    @staticmethod
    def argmin(input, axis=..., output_type=..., name=...) -> _as_Tensor: """The index of the smallest element along `axis` (default 0); the first one in case of ties."""
    @staticmethod
    def asin(x, *, name=...) -> _as_Tensor: """The inverse sine of each element, in radians; NaN for reals outside [-1, 1]."""
    @staticmethod
    def asinh(x, *, name=...) -> _as_Tensor: """The inverse hyperbolic sine of each element."""
    @staticmethod
    def atan(x, *, name=...) -> _as_Tensor: """The inverse tangent of each element, in radians."""
    @staticmethod
    def atan2(y, x, *, name=...) -> _as_Tensor: """The angle of the point `(x, y)` in radians, from -pi to pi; the shapes broadcast."""
    @staticmethod
    def atanh(x, *, name=...) -> _as_Tensor: """The inverse hyperbolic tangent of each element; NaN for reals outside [-1, 1]."""
    @staticmethod
    def bessel_i0(x, *, name=...) -> _as_Tensor: """The modified Bessel function of the first kind and order 0 of each float."""
    @staticmethod
    def bessel_i0e(x, *, name=...) -> _as_Tensor: """The function `exp(-abs(x)) * bessel_i0(x)` of each float."""
    @staticmethod
    def bessel_i1(x, *, name=...) -> _as_Tensor: """The modified Bessel function of the first kind and order 1 of each float."""
    @staticmethod
    def bessel_i1e(x, *, name=...) -> _as_Tensor: """The function `exp(-abs(x)) * bessel_i1(x)` of each float."""
    @staticmethod
    def betainc(a, b, x, *, name=...) -> _as_Tensor: """The regularized incomplete beta function of `a`, `b` and `x`; the shapes broadcast."""
    @staticmethod
    def bincount(arr, weights=..., minlength=..., maxlength=..., dtype=..., name=..., axis=..., binary_output=...) -> _as_Tensor: """How often each integer occurs, or the sums of the weights of its places."""
    @staticmethod
    def ceil(x, *, name=...) -> _as_Tensor: """The smallest integer not less than each element, as a float of the same dtype."""
    @staticmethod
    def ceiling(x, *, name=...) -> _as_Tensor: """The smallest integer not less than each element, as a float of the same dtype."""
    @staticmethod
    def confusion_matrix(labels, predictions, num_classes=..., weights=..., dtype=..., name=...) -> _as_Tensor: """How often each label (row) was predicted as each class (column)."""
    @staticmethod
    def conj(x, *, name=...) -> _as_Tensor: """The complex conjugate of each element; real tensors are returned unchanged."""
    @staticmethod
    def cos(x, *, name=...) -> _as_Tensor: """The cosine of each element, an angle in radians."""
    @staticmethod
    def cosh(x, *, name=...) -> _as_Tensor: """The hyperbolic cosine of each element."""
    @staticmethod
    def count_nonzero(input, axis=..., keepdims=..., dtype=..., name=...) -> _as_Tensor: """The number of elements over `axis` (all axes for None) that are not 0, False or empty."""
    @staticmethod
    def cumprod(x, axis=..., exclusive=..., reverse=..., name=...) -> _as_Tensor: """The cumulative product along `axis`, with the shape and dtype of `x`."""
    @staticmethod
    def cumsum(x, axis=..., exclusive=..., reverse=..., name=...) -> _as_Tensor: """The cumulative sum along `axis`, with the shape and dtype of `x`."""
    @staticmethod
    def cumulative_logsumexp(x, axis=..., exclusive=..., reverse=..., name=...) -> _as_Tensor: """The logarithm of the cumulative sum of `exp(x)` along `axis`, without overflow."""
    @staticmethod
    def digamma(x, *, name=...) -> _as_Tensor: """The derivative of `lgamma`."""
    @staticmethod
    def divide(x, y, *, name=...) -> _as_Tensor: """`x / y`; the shapes broadcast."""
    @staticmethod
    def divide_no_nan(x, y, *, name=...) -> _as_Tensor: """`x / y`, but 0 where `y` is 0. The shapes broadcast."""
    @staticmethod
    def equal(x, y, *, name=...) -> _as_Tensor: """`x == y` for each element, as bool; the shapes broadcast."""
    @staticmethod
    def erf(x, *, name=...) -> _as_Tensor: """The error function of each float."""
    @staticmethod
    def erfc(x, *, name=...) -> _as_Tensor: """`1 - erf(x)`, accurate for large `x`."""
    @staticmethod
    def erfcinv(x, *, name=...) -> _as_Tensor: """The inverse of `erfc`."""
    @staticmethod
    def erfinv(x, *, name=...) -> _as_Tensor: """The inverse of `erf`."""
    @staticmethod
    def exp(x, *, name=...) -> _as_Tensor: """`e ** x` for each element."""
    @staticmethod
    def expm1(x, *, name=...) -> _as_Tensor: """`e ** x - 1`, accurate near 0."""
    @staticmethod
    def floor(x, *, name=...) -> _as_Tensor: """The largest integer not greater than each element, as a float of the same dtype."""
    @staticmethod
    def floor_div(x, y, *, name=...) -> _as_Tensor: """`x // y`, rounded towards minus infinity; the shapes broadcast."""
    @staticmethod
    def floor_mod(x, y, *, name=...) -> _as_Tensor: """`x % y`, with the sign of `y`; the shapes broadcast."""
    @staticmethod
    def floordiv(x, y, *, name=...) -> _as_Tensor: """`x // y`, rounded towards minus infinity; the shapes broadcast."""
    @staticmethod
    def floormod(x, y, *, name=...) -> _as_Tensor: """`x % y`, with the sign of `y`; the shapes broadcast."""
    @staticmethod
    def greater(x, y, *, name=...) -> _as_Tensor: """`x > y` for each element, as bool; the shapes broadcast."""
    @staticmethod
    def greater_equal(x, y, *, name=...) -> _as_Tensor: """`x >= y` for each element, as bool; the shapes broadcast."""
    @staticmethod
    def hypot(x, y, *, name=...) -> _as_Tensor: """`sqrt(x * x + y * y)`, without overflow; the shapes broadcast."""
    @staticmethod
    def igamma(a, x, *, name=...) -> _as_Tensor: """The regularized lower incomplete gamma function P(a, x); the shapes broadcast."""
    @staticmethod
    def igammac(a, x, *, name=...) -> _as_Tensor: """The regularized upper incomplete gamma function, `1 - igamma(a, x)`; the shapes broadcast."""
    @staticmethod
    def imag(x, *, name=...) -> _as_Tensor: """The imaginary part of each complex element, as a float of half the size."""
    @staticmethod
    def in_top_k(targets, predictions, k, *, name=...) -> _as_Tensor: """Whether the prediction for the target is finite and among the `k` largest of its row."""
    @staticmethod
    def invert_permutation(x, name=...) -> _as_Tensor: """The permutation that undoes another one."""
    @staticmethod
    def is_close(x, y, rtol=..., atol=...) -> _as_Tensor: """Whether `abs(x - y) <= atol + rtol * abs(y)`, as bool for each element."""
    @staticmethod
    def is_finite(x, *, name=...) -> _as_Tensor: """Whether each float is neither infinite nor NaN, as bool."""
    @staticmethod
    def is_inf(x, *, name=...) -> _as_Tensor: """Whether each float is infinite, as bool."""
    @staticmethod
    def is_nan(x, *, name=...) -> _as_Tensor: """Whether each float is NaN, as bool."""
    @staticmethod
    def is_non_decreasing(x, name=...) -> _as_Tensor: """Whether each element, in row-major order, is at least the one before."""
    @staticmethod
    def is_strictly_increasing(x, name=...) -> _as_Tensor: """Whether each element, in row-major order, is greater than the one before."""
    @staticmethod
    def l2_normalize(x, axis=..., epsilon=..., name=...) -> _as_Tensor: """Vectors along `axis` (all elements for None) scaled to Euclidean norm 1."""
    @staticmethod
    def lbeta(x, name=...) -> _as_Tensor: """The logarithm of the absolute value of the beta function of the last axis."""
    @staticmethod
    def less(x, y, *, name=...) -> _as_Tensor: """`x < y` for each element, as bool; the shapes broadcast."""
    @staticmethod
    def less_equal(x, y, *, name=...) -> _as_Tensor: """`x <= y` for each element, as bool; the shapes broadcast."""
    @staticmethod
    def lgamma(x, *, name=...) -> _as_Tensor: """The logarithm of the absolute value of the gamma function."""
    @staticmethod
    def log(x, *, name=...) -> _as_Tensor: """The natural logarithm of each element; NaN for negative numbers, minus infinity for 0."""
    @staticmethod
    def log1p(x, *, name=...) -> _as_Tensor: """`log(1 + x)`, accurate near 0."""
    @staticmethod
    def log_sigmoid(x, *, name=...) -> _as_Tensor: """`log(sigmoid(x))`, without underflow."""
    @staticmethod
    def log_softmax(logits, axis=..., name=...) -> _as_Tensor: """The logarithm of `softmax`, without underflow."""
    @staticmethod
    def logical_and(x, y, *, name=...) -> _as_Tensor: """`x and y` for each element of two bool tensors; the shapes broadcast."""
    @staticmethod
    def logical_not(x, *, name=...) -> _as_Tensor: """`not x` for each element of a bool tensor."""
    @staticmethod
    def logical_or(x, y, *, name=...) -> _as_Tensor: """`x or y` for each element of two bool tensors; the shapes broadcast."""
    @staticmethod
    def logical_xor(x, y, *, name=...) -> _as_Tensor: """True where exactly one of `x` and `y` is true; the shapes broadcast."""
    @staticmethod
    def maximum(x, y, *, name=...) -> _as_Tensor: """The larger of `x` and `y`, elementwise; NaN if either is NaN. The shapes broadcast."""
    @staticmethod
    def minimum(x, y, *, name=...) -> _as_Tensor: """The smaller of `x` and `y`, elementwise; NaN if either is NaN. The shapes broadcast."""
    @staticmethod
    def mod(x, y, *, name=...) -> _as_Tensor: """`x % y`, with the sign of `y`; the shapes broadcast."""
    @staticmethod
    def multiply(x, y, *, name=...) -> _as_Tensor: """`x * y`; the shapes broadcast."""
    @staticmethod
    def multiply_no_nan(x, y, *, name=...) -> _as_Tensor: """`x * y`, but 0 where `y` is 0 even if `x` is not finite. The shapes broadcast."""
    @staticmethod
    def ndtri(x, *, name=...) -> _as_Tensor: """The quantile function of the standard normal distribution, the inverse of its CDF."""
    @staticmethod
    def negative(x, *, name=...) -> _as_Tensor: """`-x` for each element."""
    @staticmethod
    def nextafter(x1, x2, *, name=...) -> _as_Tensor: """The next float after `x1` in the direction of `x2`; the shapes broadcast."""
    @staticmethod
    def not_equal(x, y, *, name=...) -> _as_Tensor: """`x != y` for each element, as bool; the shapes broadcast."""
    @staticmethod
    def polygamma(a, x, *, name=...) -> _as_Tensor: """The derivative of order `a` of `digamma`; the shapes broadcast."""
    @staticmethod
    def polyval(coeffs, x, name=...) -> _as_Tensor: """The polynomial with these coefficients at `x`; the first is that of the highest power."""
    @staticmethod
    def pow(x, y, *, name=...) -> _as_Tensor: """`x ** y`; integers give integers. The shapes broadcast."""
    @staticmethod
    def real(x, *, name=...) -> _as_Tensor: """The real part of each element: float32 for complex64, float64 for complex128."""
    @staticmethod
    def reciprocal(x, *, name=...) -> _as_Tensor: """`1 / x` for each float or complex element."""
    @staticmethod
    def reciprocal_no_nan(x, *, name=...) -> _as_Tensor: """`1 / x`, but 0 where `x` is 0."""
    @staticmethod
    def reduce_all(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """Whether all elements of a bool tensor are true over `axis` (all axes for None)."""
    @staticmethod
    def reduce_any(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """Whether any element of a bool tensor is true over `axis` (all axes for None)."""
    @staticmethod
    def reduce_euclidean_norm(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The square root of the sum of squares over `axis` (all axes for None)."""
    @staticmethod
    def reduce_logsumexp(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """`log(sum(exp(x)))` over `axis` (all axes for None), without overflow."""
    @staticmethod
    def reduce_max(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The largest element over `axis` (all axes for None); NaN if any element is NaN."""
    @staticmethod
    def reduce_mean(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The mean over `axis` (all axes for None), in the dtype of the input."""
    @staticmethod
    def reduce_min(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The smallest element over `axis` (all axes for None); NaN if any element is NaN."""
    @staticmethod
    def reduce_prod(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The product over `axis` (all axes for None), in the dtype of the input; 1 if empty."""
    @staticmethod
    def reduce_std(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The standard deviation over `axis` (all axes for None): the square root of the variance."""
    @staticmethod
    def reduce_sum(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The sum over `axis` (all axes for None), in the dtype of the input; 0 if empty."""
    @staticmethod
    def reduce_variance(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The variance over `axis` (all axes for None): the mean squared distance from the mean."""
    @staticmethod
    def rint(x, *, name=...) -> _as_Tensor: """Each element rounded to the nearest integer, halves to even. The dtype is kept."""
    @staticmethod
    def round(x, *, name=...) -> _as_Tensor: """Each element rounded to the nearest integer, halves to even. The dtype is kept."""
    @staticmethod
    def rsqrt(x, *, name=...) -> _as_Tensor: """`1 / sqrt(x)` for each element."""
    @staticmethod
    def scalar_mul(x, y, *, name=...) -> _as_Tensor: """`x * y`; the shapes broadcast."""
    @staticmethod
    def segment_max(data, segment_ids, *, name=...) -> _as_Tensor: """Elementwise maxima of the rows of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def segment_mean(data, segment_ids, name=...) -> _as_Tensor: """Means of the rows of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def segment_min(data, segment_ids, *, name=...) -> _as_Tensor: """Elementwise minima of the rows of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def segment_prod(data, segment_ids, *, name=...) -> _as_Tensor: """Products of the rows of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def segment_sum(data, segment_ids, *, name=...) -> _as_Tensor: """Sums of the rows of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def sigmoid(x, *, name=...) -> _as_Tensor: """`1 / (1 + exp(-x))` for each element."""
    @staticmethod
    def sign(x, *, name=...) -> _as_Tensor: """The sign of each element: -1, 0 or 1. NaN stays NaN."""
    @staticmethod
    def sin(x, *, name=...) -> _as_Tensor: """The sine of each element, an angle in radians."""
    @staticmethod
    def sinh(x, *, name=...) -> _as_Tensor: """The hyperbolic sine of each element."""
    @staticmethod
    def sobol_sample(dim, num_results, skip=..., dtype=..., name=...) -> _as_Tensor: """Points of the Sobol sequence, [num_results, dim], which fill the unit cube evenly."""
    @staticmethod
    def softmax(logits, axis=..., name=...) -> _as_Tensor: """`exp(logits)` divided by its sum along `axis`, without overflow."""
    @staticmethod
    def softplus(x, *, name=...) -> _as_Tensor: """`log(1 + exp(x))`, without overflow."""
    @staticmethod
    def softsign(x, *, name=...) -> _as_Tensor: """`x / (1 + abs(x))` for each element."""
    class special:
        @staticmethod
        def bessel_i0(x, *, name=...) -> _as_Tensor: """The modified Bessel function of the first kind and order 0 of each float."""
        @staticmethod
        def bessel_i0e(x, *, name=...) -> _as_Tensor: """The function `exp(-abs(x)) * bessel_i0(x)` of each float."""
        @staticmethod
        def bessel_i1(x, *, name=...) -> _as_Tensor: """The modified Bessel function of the first kind and order 1 of each float."""
        @staticmethod
        def bessel_i1e(x, *, name=...) -> _as_Tensor: """The function `exp(-abs(x)) * bessel_i1(x)` of each float."""
        @staticmethod
        def bessel_j0(x, *, name=...) -> _as_Tensor: """The Bessel function of the first kind and order 0 of each float."""
        @staticmethod
        def bessel_j1(x, *, name=...) -> _as_Tensor: """The Bessel function of the first kind and order 1 of each float."""
        @staticmethod
        def bessel_k0(x, *, name=...) -> _as_Tensor: """The modified Bessel function of the second kind and order 0 of each float."""
        @staticmethod
        def bessel_k0e(x, *, name=...) -> _as_Tensor: """The function `exp(x) * bessel_k0(x)` of each float."""
        @staticmethod
        def bessel_k1(x, *, name=...) -> _as_Tensor: """The modified Bessel function of the second kind and order 1 of each float."""
        @staticmethod
        def bessel_k1e(x, *, name=...) -> _as_Tensor: """The function `exp(x) * bessel_k1(x)` of each float."""
        @staticmethod
        def bessel_y0(x, *, name=...) -> _as_Tensor: """The Bessel function of the second kind and order 0 of each float."""
        @staticmethod
        def bessel_y1(x, *, name=...) -> _as_Tensor: """The Bessel function of the second kind and order 1 of each float."""
        @staticmethod
        def dawsn(x, *, name=...) -> _as_Tensor: """Dawson's integral `exp(-x**2)` times the integral of `exp(t**2)` from 0 to x."""
        @staticmethod
        def expint(x, *, name=...) -> _as_Tensor: """The exponential integral Ei."""
        @staticmethod
        def fresnel_cos(x, *, name=...) -> _as_Tensor: """The integral of `cos(pi * t**2 / 2)` from 0 to x."""
        @staticmethod
        def fresnel_sin(x, *, name=...) -> _as_Tensor: """The integral of `sin(pi * t**2 / 2)` from 0 to x."""
        @staticmethod
        def spence(x, *, name=...) -> _as_Tensor: """The integral of `log(t) / (1 - t)` from 1 to x, Spence's function."""
    @staticmethod
    def sqrt(x, *, name=...) -> _as_Tensor: """The square root of each element; NaN for negative numbers."""
    @staticmethod
    def square(x, *, name=...) -> _as_Tensor: """`x * x` for each element."""
    @staticmethod
    def squared_difference(x, y, *, name=...) -> _as_Tensor: """`(x - y) * (x - y)`; the shapes broadcast."""
    @staticmethod
    def subtract(x, y, *, name=...) -> _as_Tensor: """`x - y`; the shapes broadcast."""
    @staticmethod
    def tan(x, *, name=...) -> _as_Tensor: """The tangent of each element, an angle in radians."""
    @staticmethod
    def tanh(x, *, name=...) -> _as_Tensor: """The hyperbolic tangent of each element."""
    @staticmethod
    def top_k(input, k=..., sorted=..., index_type=..., name=...) -> Any: """The `k` largest elements along the last axis, largest first, and their indices."""
    @staticmethod
    def truediv(x, y, *, name=...) -> _as_Tensor: """`x / y`; the shapes broadcast."""
    @staticmethod
    def truncatediv(x, y, *, name=...) -> _as_Tensor: """`x / y` of integers, rounded towards 0. The shapes broadcast."""
    @staticmethod
    def truncatemod(x, y, *, name=...) -> _as_Tensor: """The remainder of `x / y`, with the sign of `x`. The shapes broadcast."""
    @staticmethod
    def unsorted_segment_max(data, segment_ids, num_segments, *, name=...) -> _as_Tensor: """Elementwise maxima of the slices of `data` with the same segment id."""
    @staticmethod
    def unsorted_segment_mean(data, segment_ids, num_segments, name=...) -> _as_Tensor: """Means of the slices of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def unsorted_segment_min(data, segment_ids, num_segments, *, name=...) -> _as_Tensor: """Elementwise minima of the slices of `data` with the same segment id."""
    @staticmethod
    def unsorted_segment_prod(data, segment_ids, num_segments, *, name=...) -> _as_Tensor: """Products of the slices of `data` with the same segment id; 1 for empty segments."""
    @staticmethod
    def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=...) -> _as_Tensor: """Sums of the slices of `data` with the same segment id, divided by the root of their number."""
    @staticmethod
    def unsorted_segment_sum(data, segment_ids, num_segments, *, name=...) -> _as_Tensor: """Sums of the slices of `data` with the same segment id; 0 for empty segments."""
    @staticmethod
    def xdivy(x, y, *, name=...) -> _as_Tensor: """`x / y`, but 0 where `x` is 0. The shapes broadcast."""
    @staticmethod
    def xlog1py(x, y, *, name=...) -> _as_Tensor: """`x * log(1 + y)`, but 0 where `x` is 0. The shapes broadcast."""
    @staticmethod
    def xlogy(x, y, *, name=...) -> _as_Tensor: """`x * log(y)`, but 0 where `x` is 0. The shapes broadcast."""
    @staticmethod
    def zero_fraction(value, name=...) -> _as_Tensor: """The fraction of elements that are 0, as a float32 scalar."""
    @staticmethod
    def zeta(x, q, *, name=...) -> _as_Tensor: """The Hurwitz zeta function, the sum of `(q + n) ** -x` over n = 0, 1, ..."""
def matmul(a, b, transpose_a=..., transpose_b=..., adjoint_a=..., adjoint_b=..., name=...) -> _as_Tensor: """The matrix product of `a`, [..., m, k], and `b`, [..., k, n], of shape [..., m, n]."""
def matrix_square_root(input, *, name=...) -> _as_Tensor: """The principal square root of square matrices of shape [..., n, n]."""
def maximum(x, y, *, name=...) -> _as_Tensor: """The larger of `x` and `y`, elementwise; NaN if either is NaN. The shapes broadcast."""
def meshgrid(*args, indexing=..., name=...) -> builtins.list[_as_Tensor]: """Coordinate grids from n vectors: a list of n tensors of one shape and rank n."""
class metrics:
    AUC: TypeAlias = _as_metrics__AUC
    Accuracy: type[_as_metrics__MeanMetricWrapper]
    BinaryAccuracy: type[_as_metrics__MeanMetricWrapper]
    BinaryCrossentropy: type[_as_metrics__MeanMetricWrapper]
    BinaryIoU: TypeAlias = _as_metrics__BinaryIoU
    CategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
    CategoricalCrossentropy: type[_as_metrics__MeanMetricWrapper]
    CategoricalHinge: type[_as_metrics__MeanMetricWrapper]
    CosineSimilarity: TypeAlias = _as_metrics__CosineSimilarity
    F1Score: TypeAlias = _as_metrics__F1Score
    FBetaScore: TypeAlias = _as_metrics__FBetaScore
    FalseNegatives: type[_as_keras__Metric]
    FalsePositives: type[_as_keras__Metric]
    Hinge: type[_as_metrics__MeanMetricWrapper]
    IoU: TypeAlias = _as_metrics__IoU
    @staticmethod
    def KLD(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    KLDivergence: type[_as_metrics__MeanMetricWrapper]
    LogCoshError: type[_as_metrics__MeanMetricWrapper]
    @staticmethod
    def MAE(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
    @staticmethod
    def MAPE(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    @staticmethod
    def MSE(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    @staticmethod
    def MSLE(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    Mean: TypeAlias = _as_metrics__Mean
    MeanAbsoluteError: type[_as_metrics__MeanMetricWrapper]
    MeanAbsolutePercentageError: type[_as_metrics__MeanMetricWrapper]
    MeanIoU: TypeAlias = _as_metrics__MeanIoU
    MeanMetricWrapper: TypeAlias = _as_metrics__MeanMetricWrapper
    MeanSquaredError: type[_as_metrics__MeanMetricWrapper]
    MeanSquaredLogarithmicError: type[_as_metrics__MeanMetricWrapper]
    Metric: TypeAlias = _as_keras__Metric
    OneHotIoU: TypeAlias = _as_metrics__OneHotIoU
    OneHotMeanIoU: TypeAlias = _as_metrics__OneHotMeanIoU
    Poisson: type[_as_metrics__MeanMetricWrapper]
    Precision: type[_as_keras__Metric]
    PrecisionAtRecall: type[_as_keras__Metric]
    R2Score: TypeAlias = _as_metrics__R2Score
    Recall: type[_as_keras__Metric]
    RecallAtPrecision: type[_as_keras__Metric]
    RootMeanSquaredError: TypeAlias = _as_metrics__RootMeanSquaredError
    SensitivityAtSpecificity: type[_as_keras__Metric]
    SparseCategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
    SparseCategoricalCrossentropy: type[_as_metrics__MeanMetricWrapper]
    SparseTopKCategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
    SpecificityAtSensitivity: type[_as_keras__Metric]
    SquaredHinge: type[_as_metrics__MeanMetricWrapper]
    Sum: TypeAlias = _as_metrics__Sum
    TopKCategoricalAccuracy: type[_as_metrics__MeanMetricWrapper]
    TrueNegatives: type[_as_keras__Metric]
    TruePositives: type[_as_keras__Metric]
    @staticmethod
    def binary_accuracy(y_true, y_pred, threshold=...) -> _as_Tensor: """The fraction of predictions on the correct side of the threshold, over the last axis."""
    @staticmethod
    def binary_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=...) -> _as_Tensor: """The mean of `-y * log(p) - (1 - y) * log(1 - p)` over the last axis."""
    @staticmethod
    def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=..., alpha=..., gamma=..., from_logits=..., label_smoothing=...) -> _as_Tensor: """The binary cross entropy times `(1 - p) ** gamma`, p being that of the label."""
    @staticmethod
    def categorical_accuracy(y_true, y_pred) -> _as_Tensor: """1 where the largest prediction has the index of the largest label, else 0."""
    @staticmethod
    def categorical_crossentropy(y_true, y_pred, from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """`-sum(y_true * log(p))` along `axis`; `y_true` contains probabilities or one-hot vectors."""
    @staticmethod
    def categorical_focal_crossentropy(y_true, y_pred, alpha=..., gamma=..., from_logits=..., label_smoothing=..., axis=...) -> _as_Tensor: """The categorical cross entropy with each term times `alpha * (1 - p) ** gamma`."""
    @staticmethod
    def categorical_hinge(y_true, y_pred) -> _as_Tensor: """`max(1 + the largest prediction of other classes - that of the class, 0)`."""
    @staticmethod
    def cosine_similarity(y_true, y_pred, axis=...) -> _as_Tensor: """The negative cosine of the angle between vectors along `axis`: -1 for equal directions."""
    @staticmethod
    def get(identifier) -> Any: """The metric for a name, a function, a configuration, or a metric."""
    @staticmethod
    def hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0)` over the last axis."""
    @staticmethod
    def huber(y_true, y_pred, delta=...) -> _as_Tensor: """The Huber loss: half the squared error up to `delta`, linear beyond; mean of last axis."""
    @staticmethod
    def kl_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    @staticmethod
    def kld(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    @staticmethod
    def kullback_leibler_divergence(y_true, y_pred) -> _as_Tensor: """`sum(y_true * log(y_true / y_pred))` over the last axis."""
    @staticmethod
    def log_cosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
    @staticmethod
    def logcosh(y_true, y_pred) -> _as_Tensor: """The mean of `log(cosh(y_pred - y_true))` over the last axis."""
    @staticmethod
    def mae(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
    @staticmethod
    def mape(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    @staticmethod
    def mean_absolute_error(y_true, y_pred) -> _as_Tensor: """The mean of `abs(y_true - y_pred)` over the last axis."""
    @staticmethod
    def mean_absolute_percentage_error(y_true, y_pred) -> _as_Tensor: """The mean of `100 * abs((y_true - y_pred) / y_true)` over the last axis."""
    @staticmethod
    def mean_squared_error(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    @staticmethod
    def mean_squared_logarithmic_error(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    @staticmethod
    def mse(y_true, y_pred) -> _as_Tensor: """The mean of `(y_true - y_pred) ** 2` over the last axis."""
    @staticmethod
    def msle(y_true, y_pred) -> _as_Tensor: """The mean of `(log(y_true + 1) - log(y_pred + 1)) ** 2` over the last axis."""
    @staticmethod
    def poisson(y_true, y_pred) -> _as_Tensor: """The mean of `y_pred - y_true * log(y_pred)` over the last axis."""
    @staticmethod
    def sparse_categorical_accuracy(y_true, y_pred) -> _as_Tensor: """1 where the largest prediction has the index of the integer label, else 0."""
    @staticmethod
    def sparse_categorical_crossentropy(y_true, y_pred, from_logits=..., ignore_class=..., axis=...) -> _as_Tensor: """`-log(p[label])` along the last axis; `y_true` contains integer labels."""
    @staticmethod
    def sparse_top_k_categorical_accuracy(y_true, y_pred, k=...) -> _as_Tensor: """1 where the integer label is the index of one of the `k` largest predictions, else 0."""
    @staticmethod
    def squared_hinge(y_true, y_pred) -> _as_Tensor: """The mean of `max(1 - y_true * y_pred, 0) ** 2` over the last axis."""
    @staticmethod
    def top_k_categorical_accuracy(y_true, y_pred, k=...) -> _as_Tensor: """1 where the index of the largest label is one of the `k` largest predictions, else 0."""
def minimum(x, y, *, name=...) -> _as_Tensor: """The smaller of `x` and `y`, elementwise; NaN if either is NaN. The shapes broadcast."""
def multiply(x, y, *, name=...) -> _as_Tensor: """`x * y`; the shapes broadcast."""
from .runtime.tensors.name_scopes import name_scope as name_scope
def negative(x, *, name=...) -> _as_Tensor: """`-x` for each element."""
class nest:
    @staticmethod
    def assert_same_structure(nest1, nest2, check_types=..., expand_composites=...) -> None: """Raise TypeError or ValueError unless both have the same containers in the same positions."""
    @staticmethod
    def flatten(structure, expand_composites=...) -> builtins.list: """The leaves, in order. Datasets and the like are leaves unless `expand_composites`."""
    @staticmethod
    def is_nested(structure) -> builtins.bool: """Whether `structure` is a container rather than a leaf; datasets and the like are leaves."""
    @staticmethod
    def map_structure(func, *structure, check_types=..., expand_composites=...) -> Any: """Apply `func` to corresponding leaves; without `check_types`, of lists and tuples alike."""
    @staticmethod
    def pack_sequence_as(structure, flat_sequence, expand_composites=...) -> Any: """The leaves in `flat_sequence`, arranged like `structure`; ValueError when the count differs."""
class nn:
    @staticmethod
    def approx_max_k(operand, k, reduction_dimension=..., recall_target=..., **options) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The k largest elements along an axis, and their indices: the exact ones."""
    @staticmethod
    def approx_min_k(operand, k, reduction_dimension=..., recall_target=..., **options) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The k smallest elements along an axis, and their indices: the exact ones."""
    @staticmethod
    def atrous_conv2d(value, filters, rate, padding, name=...) -> _as_Tensor: """A convolution of images with filters whose elements are `rate` pixels apart."""
    @staticmethod
    def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=...) -> _as_Tensor: """The transposed convolution of `nn.atrous_conv2d`; see `nn.conv_transpose`."""
    @staticmethod
    def avg_pool(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The mean of each window of an array [batch, *space, channels]; padding is excluded."""
    @staticmethod
    def avg_pool1d(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The mean of each window of an array [batch, *space, channels]; padding is excluded."""
    @staticmethod
    def avg_pool2d(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The mean of each window of an array [batch, *space, channels]; padding is excluded."""
    @staticmethod
    def avg_pool3d(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The mean of each window of an array [batch, *space, channels]; padding is excluded."""
    @staticmethod
    def batch_norm_with_global_normalization(input, mean, variance, beta, gamma, variance_epsilon, scale_after_normalization, name=...) -> _as_Tensor: """`nn.batch_normalization`, which scales by `gamma` if `scale_after_normalization`."""
    @staticmethod
    def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=...) -> _as_Tensor: """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`."""
    @staticmethod
    def bias_add(value, bias, data_format=..., name=...) -> _as_Tensor: """`value` plus the vector `bias` along the channel axis."""
    @staticmethod
    def collapse_repeated(labels, seq_length, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """Label sequences [batch, length] without repetitions, padded with 0, and their lengths."""
    @staticmethod
    def compute_average_loss(per_example_loss, sample_weight=..., global_batch_size=..., max_sequence_length=...) -> _as_Tensor: """The sum of the losses of a batch over `global_batch_size`, by default their number."""
    @staticmethod
    def conv1d(input, filters, stride=..., padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Convolution over one axis: `input` [batch, width, channels], filters [width, channels, out]."""
    @staticmethod
    def conv1d_transpose(input, filters, output_shape, strides, padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Transposed convolution over one axis; see `nn.conv_transpose`."""
    @staticmethod
    def conv2d(input, filters, strides=..., padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Convolution of images of shape [batch, height, width, channels]."""
    @staticmethod
    def conv2d_transpose(input, filters, output_shape, strides, padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Transposed convolution of images; see `nn.conv_transpose`."""
    @staticmethod
    def conv3d(input, filters, strides=..., padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Convolution over three spatial axes: `input` [batch, depth, height, width, channels]."""
    @staticmethod
    def conv3d_transpose(input, filters, output_shape, strides, padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Transposed convolution over three axes; see `nn.conv_transpose`."""
    @staticmethod
    def conv_transpose(input, filters, output_shape, strides, padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Transposed convolution, the gradient of a convolution with respect to its input."""
    @staticmethod
    def convolution(input, filters, strides=..., padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """Convolution over one or more spatial axes: products of `filters` with each window, summed."""
    @staticmethod
    def crelu(features, axis=..., name=...) -> _as_Tensor: """`relu(x)` and `relu(-x)`, concatenated along `axis`."""
    @staticmethod
    def ctc_beam_search_decoder(inputs, sequence_length, beam_width=..., top_paths=...) -> builtins.tuple[builtins.list[_as_SparseTensor], _as_Tensor]: """The most probable label sequences of logits [time, batch, classes]; the last class is blank."""
    @staticmethod
    def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=..., blank_index=...) -> builtins.tuple[builtins.list[_as_SparseTensor], _as_Tensor]: """The labels of the most probable class of each step of logits [time, batch, classes]."""
    @staticmethod
    def ctc_loss(labels, logits, label_length, logit_length, logits_time_major=..., unique=..., blank_index=..., name=...) -> _as_Tensor: """The CTC loss: minus the log-probability of label sequences, given logits for each step."""
    @staticmethod
    def ctc_unique_labels(labels, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The distinct labels of each row, padded with 0, and where each label is among them."""
    @staticmethod
    def depth_to_space(input, block_size, data_format=..., name=...) -> _as_Tensor: """Rearrange channels into blocks of pixels: [n, h, w, b * b * c] to [n, h * b, w * b, c]."""
    @staticmethod
    def depthwise_conv2d(input, filter, strides, padding, data_format=..., dilations=..., name=...) -> _as_Tensor: """Depthwise convolution: each channel of images is convolved with its own filters."""
    @staticmethod
    def depthwise_conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, data_format=..., dilations=..., name=...) -> _as_Tensor: """The gradient of `nn.depthwise_conv2d` with respect to its filters."""
    @staticmethod
    def depthwise_conv2d_backprop_input(input_sizes, filter, out_backprop, strides, padding, data_format=..., dilations=..., name=...) -> _as_Tensor: """The gradient of `nn.depthwise_conv2d` with respect to its images."""
    @staticmethod
    def dilation2d(input, filters, strides, padding, data_format, dilations, name=...) -> _as_Tensor: """The largest sum of a filter and a window of images: gray-scale dilation."""
    @staticmethod
    def dropout(x, rate=..., noise_shape=..., seed=..., name=..., *, keep_prob=..., keep_probability=...) -> _as_Tensor: """Sets elements to 0 with probability `rate` and divides the others by `1 - rate`."""
    @staticmethod
    def elu(features, name=...) -> _as_Tensor: """`x` where it is positive, else `exp(x) - 1`."""
    @staticmethod
    def embedding_lookup(params, ids, max_norm=..., name=...) -> _as_Tensor: """The rows of `params` at the indices `ids`."""
    @staticmethod
    def embedding_lookup_sparse(params, sp_ids, sp_weights, combiner=..., max_norm=..., name=..., allow_fast_lookup=...) -> _as_Tensor: """For each row of sparse ids, the rows of `params` with these ids, combined."""
    @staticmethod
    def erosion2d(value, filters, strides, padding, data_format, dilations, name=...) -> _as_Tensor: """The smallest difference of a window of images and the mirrored filter: gray-scale erosion."""
    class experimental:
        @staticmethod
        def general_dropout(x, rate, uniform_sampler, noise_shape=..., name=...) -> _as_Tensor: """Dropout with numbers of `uniform_sampler(shape, dtype)`, from 0 to 1."""
        @staticmethod
        def stateless_dropout(x, rate, seed, rng_alg=..., noise_shape=..., name=...) -> _as_Tensor: """Elements set to 0 with probability `rate`, the others scaled up, determined by `seed`."""
    @staticmethod
    def fractional_avg_pool(value, pooling_ratio, pseudo_random=..., overlapping=..., seed=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor, _as_Tensor]: """The means of windows of random sizes; see `nn.fractional_max_pool`."""
    @staticmethod
    def fractional_max_pool(value, pooling_ratio, pseudo_random=..., overlapping=..., seed=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor, _as_Tensor]: """The largest elements of windows of random sizes, about `pooling_ratio` pixels wide."""
    @staticmethod
    def gelu(features, approximate=..., name=...) -> _as_Tensor: """`x` times the CDF of the standard normal distribution; `approximate` uses a tanh."""
    @staticmethod
    def in_top_k(targets, predictions, k, *, name=...) -> _as_Tensor: """Whether the prediction for the target is finite and among the `k` largest of its row."""
    @staticmethod
    def isotonic_regression(inputs, decreasing=..., axis=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The falling sequence with the least squared distance from `inputs`, along an axis."""
    @staticmethod
    def l2_loss(t, name=...) -> _as_Tensor: """Half the sum of the squares of all elements, a scalar."""
    @staticmethod
    def l2_normalize(x, axis=..., epsilon=..., name=...) -> _as_Tensor: """Vectors along `axis` (all elements for None) scaled to Euclidean norm 1."""
    @staticmethod
    def leaky_relu(features, alpha=..., name=...) -> _as_Tensor: """`x` where it is positive, else `alpha * x`."""
    @staticmethod
    def local_response_normalization(input, depth_radius=..., bias=..., alpha=..., beta=..., name=...) -> _as_Tensor: """Each element divided by a power of the sum of squares of its neighbors in the last axis."""
    @staticmethod
    def log_poisson_loss(targets, log_input, compute_full_loss=..., name=...) -> _as_Tensor: """`exp(log_input) - log_input * targets` for each element."""
    @staticmethod
    def log_sigmoid(x, *, name=...) -> _as_Tensor: """`log(sigmoid(x))`, without underflow."""
    @staticmethod
    def log_softmax(logits, axis=..., name=...) -> _as_Tensor: """The logarithm of `softmax`, without underflow."""
    @staticmethod
    def lrn(input, depth_radius=..., bias=..., alpha=..., beta=..., name=...) -> _as_Tensor: """Each element divided by a power of the sum of squares of its neighbors in the last axis."""
    @staticmethod
    def max_pool(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The largest element of each window of an array [batch, *space, channels]."""
    @staticmethod
    def max_pool1d(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The largest element of each window of an array [batch, *space, channels]."""
    @staticmethod
    def max_pool2d(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The largest element of each window of an array [batch, *space, channels]."""
    @staticmethod
    def max_pool3d(input, ksize, strides, padding, data_format=..., name=...) -> _as_Tensor: """The largest element of each window of an array [batch, *space, channels]."""
    @staticmethod
    def max_pool_with_argmax(input, ksize, strides, padding, data_format=..., output_dtype=..., include_batch_in_index=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The largest element of each window, and its index in the flattened image."""
    @staticmethod
    def moments(x, axes, shift=..., keepdims=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The mean and the variance over `axes`, as a pair of tensors."""
    @staticmethod
    def normalize_moments(counts, mean_ss, variance_ss, shift, name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The mean and the variance from the results of `nn.sufficient_statistics`."""
    @staticmethod
    def pool(input, window_shape, pooling_type, strides=..., padding=..., data_format=..., dilations=..., name=...) -> _as_Tensor: """The largest element or the mean of each window, for the `pooling_type` 'MAX' or 'AVG'."""
    @staticmethod
    def relu(features, name=...) -> _as_Tensor: """`max(x, 0)` for each element."""
    @staticmethod
    def relu6(features, name=...) -> _as_Tensor: """`min(max(x, 0), 6)` for each element."""
    @staticmethod
    def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=..., combiner=..., default_id=..., max_norm=..., name=..., allow_fast_lookup=...) -> _as_Tensor: """`nn.embedding_lookup_sparse` without negative ids and without weights that are not positive."""
    @staticmethod
    def scale_regularization_loss(regularization_loss) -> _as_Tensor: """The sum of all elements of a penalty, a scalar."""
    @staticmethod
    def selu(features, name=...) -> _as_Tensor: """The scaled exponential linear unit, which preserves mean 0 and variance 1."""
    @staticmethod
    def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=..., dilations=..., name=...) -> _as_Tensor: """A depthwise convolution, followed by a convolution with filters of size 1."""
    @staticmethod
    def sigmoid(x, *, name=...) -> _as_Tensor: """`1 / (1 + exp(-x))` for each element."""
    @staticmethod
    def sigmoid_cross_entropy_with_logits(labels=..., logits=..., name=...) -> _as_Tensor: """`-z * log(p) - (1 - z) * log(1 - p)` for each label z and logit, with p = sigmoid(logit)."""
    @staticmethod
    def silu(features, beta=...) -> _as_Tensor: """`x * sigmoid(beta * x)` for each element."""
    @staticmethod
    def softmax(logits, axis=..., name=...) -> _as_Tensor: """`exp(logits)` divided by its sum along `axis`, without overflow."""
    @staticmethod
    def softmax_cross_entropy_with_logits(labels, logits, axis=..., name=...) -> _as_Tensor: """`-sum(labels * log(softmax(logits)))` along `axis`; labels are probabilities."""
    @staticmethod
    def softplus(x, *, name=...) -> _as_Tensor: """`log(1 + exp(x))`, without overflow."""
    @staticmethod
    def softsign(x, *, name=...) -> _as_Tensor: """`x / (1 + abs(x))` for each element."""
    @staticmethod
    def space_to_batch(input, block_shape, paddings, name=...) -> _as_Tensor: """Moves blocks of space into the batch: [n, h, w, c] to [n * b0 * b1, h / b0, w / b1, c]."""
    @staticmethod
    def space_to_depth(input, block_size, data_format=..., name=...) -> _as_Tensor: """Rearrange blocks of pixels into channels: [n, h, w, c] to [n, h / b, w / b, b * b * c]."""
    @staticmethod
    def sparse_softmax_cross_entropy_with_logits(labels, logits, name=...) -> _as_Tensor: """`-log(softmax(logits)[label])` along the last axis; labels are integers."""
    @staticmethod
    def sufficient_statistics(x, axes, shift=..., keepdims=..., name=...) -> Any: """The count, the sum and the sum of squares of `x - shift` over `axes`, and `shift`."""
    @staticmethod
    def swish(features, beta=...) -> _as_Tensor: """`x * sigmoid(beta * x)` for each element."""
    @staticmethod
    def tanh(x, *, name=...) -> _as_Tensor: """The hyperbolic tangent of each element."""
    @staticmethod
    def top_k(input, k=..., sorted=..., index_type=..., name=...) -> Any: """The `k` largest elements along the last axis, largest first, and their indices."""
    @staticmethod
    def weighted_cross_entropy_with_logits(labels, logits, pos_weight, name=...) -> _as_Tensor: """The sigmoid cross-entropy with the term of positive labels multiplied by `pos_weight`."""
    @staticmethod
    def weighted_moments(x, axes, frequency_weights, keepdims=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The weighted mean and variance over `axes`; the weights broadcast against `x`."""
    @staticmethod
    def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=..., spatial_dims=..., data_format=...) -> _as_Tensor: """`op` on the blocks of space that are `dilation_rate` apart, as if its windows had gaps."""
    @staticmethod
    def zero_fraction(value, name=...) -> _as_Tensor: """The fraction of elements that are 0, as a float32 scalar."""
def no_op(name=...) -> None: """Nothing."""
def norm(tensor, ord=..., axis=..., keepdims=..., name=...) -> _as_Tensor: """The norm of vectors along `axis`, or of all elements as one vector for None."""
def not_equal(x, y, *, name=...) -> _as_Tensor: """`x != y` for each element, as bool; the shapes broadcast."""
def numba_op(function=..., *, shape=..., gradient=..., stateful=...) -> Any: """A function of Numba's `@njit`, `@vectorize` or `@guvectorize` as an operation on tensors."""
def numpy_function(func=..., inp=..., Tout=..., stateful=..., name=...) -> Any: """Call a Python function with NumPy arrays whenever the graph runs."""
def one_hot(indices, depth, on_value=..., off_value=..., axis=..., dtype=..., name=...) -> _as_Tensor: """Vectors of length `depth` that are 1 (`on_value`) at `indices` and 0 (`off_value`) elsewhere."""
def ones(shape, dtype=..., name=...) -> _as_Tensor: """A tensor of ones; of True for `bool`."""
from .library.keras.layers.initializers import Ones as _ones_initializer
ones_initializer = _ones_initializer
def ones_like(input, dtype=..., name=...) -> _as_Tensor: """Ones in the shape of `input`, in its dtype unless `dtype` is given."""
class onnx:
    @staticmethod
    def export(function, path, *args, opset=..., checks=..., state=..., **kwargs) -> Any: """Write a function as an ONNX model, which other runtimes execute. Gives the model."""
    @staticmethod
    def load(path) -> _as_types__experimental__PolymorphicFunction: """A model of ONNX as a decorated function of its inputs, in order or by name."""
class optimizers:
    Adadelta: TypeAlias = _as_optimizers__Adadelta
    Adafactor: TypeAlias = _as_optimizers__Adafactor
    Adagrad: TypeAlias = _as_optimizers__Adagrad
    Adam: TypeAlias = _as_optimizers__Adam
    AdamW: TypeAlias = _as_optimizers__AdamW
    Adamax: TypeAlias = _as_optimizers__Adamax
    Ftrl: TypeAlias = _as_optimizers__Ftrl
    Lamb: TypeAlias = _as_optimizers__Lamb
    Lion: TypeAlias = _as_optimizers__Lion
    LossScaleOptimizer: TypeAlias = _as_optimizers__LossScaleOptimizer
    Nadam: TypeAlias = _as_optimizers__Nadam
    Optimizer: TypeAlias = _as_keras__Optimizer
    RMSprop: TypeAlias = _as_optimizers__RMSprop
    SGD: TypeAlias = _as_optimizers__SGD
    class schedules:
        CosineDecay: TypeAlias = _as_optimizers__schedules__CosineDecay
        CosineDecayRestarts: TypeAlias = _as_optimizers__schedules__CosineDecayRestarts
        ExponentialDecay: TypeAlias = _as_optimizers__schedules__ExponentialDecay
        InverseTimeDecay: TypeAlias = _as_optimizers__schedules__InverseTimeDecay
        LearningRateSchedule: TypeAlias = _as_optimizers__schedules__LearningRateSchedule
        PiecewiseConstantDecay: TypeAlias = _as_optimizers__schedules__PiecewiseConstantDecay
        PolynomialDecay: TypeAlias = _as_optimizers__schedules__PolynomialDecay
from .library.keras.layers.initializers import Orthogonal as _orthogonal_initializer
orthogonal_initializer = _orthogonal_initializer
def pad(tensor, paddings, mode=..., constant_values=..., name=...) -> _as_Tensor: """`tensor` with a border of `paddings[i] = [before, after]` elements on each axis i."""
def parallel_stack(values, axis=..., name=...) -> _as_Tensor: """Tensors of one shape and dtype stacked along a new axis, at position `axis`."""
def placeholder(dtype, shape=..., name=...) -> Any: """A tensor of the graph being filled, whose value is fed when a `Session` runs it."""
def pow(x, y, *, name=...) -> _as_Tensor: """`x ** y`; integers give integers. The shapes broadcast."""
def prange(*bounds) -> Any: """`range`, under the name that Numba has for it: loops over both are the same."""
def print(*inputs, output_stream=..., summarize=..., sep=..., end=..., name=...) -> None: """Print values when the program runs, on every call and in every iteration."""
class profiler:
    class experimental:
        Profile: TypeAlias = _as_profiler__experimental__Profile
        ProfilerOptions: TypeAlias = _as_profiler__experimental__ProfilerOptions
        @staticmethod
        def Trace(name, **details) -> Any: """A context manager that records a named block in the active profile, with `details`."""
        @staticmethod
        def start(logdir, options=...) -> None: """Start recording the time of each operation; `stop` writes the profile below `logdir`."""
        @staticmethod
        def stop(save=...) -> Any: """Stop the profile and return the recording."""
def py_function(func=..., inp=..., Tout=..., name=...) -> Any: """Call a Python function with eager tensors whenever the graph runs."""
class ragged:
    @staticmethod
    def boolean_mask(data, mask, name=...) -> Any: """The elements of `data` where the mask is true; the rows of the mask stay rows."""
    @staticmethod
    def constant(pylist, dtype=..., ragged_rank=..., inner_shape=..., name=..., row_splits_dtype=...) -> _as_RaggedTensor: """A ragged tensor of nested lists; an ordinary tensor of a number or a flat list."""
    @staticmethod
    def cross(inputs, name=...) -> _as_RaggedTensor: """For each row, the texts of all combinations of one value of each input, joined by '_X_'."""
    @staticmethod
    def cross_hashed(inputs, num_buckets=..., hash_key=..., name=...) -> _as_RaggedTensor: """For each row, a bucket for each combination of one value of each input."""
    @staticmethod
    def map_flat_values(op, *args, **kwargs) -> Any: """A function of the elements, applied to the flat values of ragged tensors with the same rows."""
    @staticmethod
    def range(starts, limits=..., deltas=..., dtype=..., name=..., row_splits_dtype=...) -> Any: """A row `range(start, limit, delta)` for each start and limit; scalars stand for all rows."""
    @staticmethod
    def row_splits_to_segment_ids(splits, name=..., out_type=...) -> _as_Tensor: """The row number of each element, for row splits."""
    @staticmethod
    def segment_ids_to_row_splits(segment_ids, num_segments=..., out_type=..., name=...) -> _as_Tensor: """The row splits for sorted row numbers; by default, the last row has an element."""
    @staticmethod
    def stack(values, axis=..., name=...) -> Any: """Tensors of one rank, ordinary or ragged, stacked along a new axis: a ragged tensor."""
    @staticmethod
    def stack_dynamic_partitions(data, partitions, num_partitions, name=...) -> _as_RaggedTensor: """The slices of `data` in the rows that `partitions` tells, in their order."""
class random:
    Algorithm: TypeAlias = _as_random__Algorithm
    Generator: TypeAlias = _as_random__Generator
    @staticmethod
    def categorical(logits, num_samples, dtype=..., seed=..., name=...) -> _as_Tensor: """Random class indices of shape [batch, num_samples], with probabilities softmax(logits)."""
    @staticmethod
    def create_rng_state(seed, alg=...) -> _as_Tensor: """The state for a `random.Generator`, of a seed: an integer, or a vector of up to three."""
    class experimental:
        Algorithm: TypeAlias = _as_random__Algorithm
        Generator: TypeAlias = _as_random__Generator
        @staticmethod
        def create_rng_state(seed, alg=...) -> _as_Tensor: """The state for a `random.Generator`, of a seed: an integer, or a vector of up to three."""
        @staticmethod
        def get_global_generator() -> _as_random__Generator: """The global generator of the process, created on first use with a random state."""
        @staticmethod
        def set_global_generator(generator) -> None: """Make `generator` the global generator of the process."""
        @staticmethod
        def stateless_fold_in(seed, data, alg=...) -> _as_Tensor: """A seed made of a seed and an integer, such as the number of a step."""
        @staticmethod
        def stateless_split(seed, num=..., alg=...) -> _as_Tensor: """`num` independent seeds made of one, as a tensor of shape [num, 2]."""
    @staticmethod
    def fold_in(seed, data, alg=...) -> _as_Tensor: """A seed made of a seed and an integer, such as the number of a step."""
    @staticmethod
    def gamma(shape, alpha, beta=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Gamma distributed numbers: `shape` samples for each of the parameters."""
    @staticmethod
    def get_global_generator() -> _as_random__Generator: """The global generator of the process, created on first use with a random state."""
    @staticmethod
    def normal(shape, mean=..., stddev=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Normally distributed floats in the shape `shape`."""
    @staticmethod
    def poisson(shape, lam, dtype=..., seed=..., name=...) -> _as_Tensor: """Poisson distributed numbers: `shape` samples for each element of `lam`."""
    @staticmethod
    def set_global_generator(generator) -> None: """Make `generator` the global generator of the process."""
    @staticmethod
    def set_seed(seed) -> None: """Reset the random state of this process; the same seed gives the same numbers."""
    @staticmethod
    def shuffle(value, seed=..., name=...) -> _as_Tensor: """`value` with its slices along the first axis in random order."""
    @staticmethod
    def split(seed, num=..., alg=...) -> _as_Tensor: """`num` independent seeds made of one, as a tensor of shape [num, 2]."""
    @staticmethod
    def stateless_binomial(shape, seed, counts, probs, output_dtype=..., name=...) -> _as_Tensor: """Numbers of successes in `counts` trials, determined by `seed`."""
    @staticmethod
    def stateless_categorical(logits, num_samples, seed, dtype=..., name=...) -> _as_Tensor: """Random class indices determined by `seed`, a vector of two integers."""
    @staticmethod
    def stateless_gamma(shape, seed, alpha, beta=..., dtype=..., name=...) -> _as_Tensor: """Gamma distributed numbers determined by `seed`; `shape` ends with that of the parameters."""
    @staticmethod
    def stateless_normal(shape, seed, mean=..., stddev=..., dtype=..., name=..., alg=...) -> _as_Tensor: """Normally distributed floats determined by `seed`, a vector of two integers."""
    @staticmethod
    def stateless_parameterized_truncated_normal(shape, seed, means=..., stddevs=..., minvals=..., maxvals=..., name=...) -> _as_Tensor: """Normally distributed numbers between `minvals` and `maxvals`, determined by `seed`."""
    @staticmethod
    def stateless_poisson(shape, seed, lam, dtype=..., name=...) -> _as_Tensor: """Poisson distributed numbers determined by `seed`; `shape` ends with that of `lam`."""
    @staticmethod
    def stateless_truncated_normal(shape, seed, mean=..., stddev=..., dtype=..., name=..., alg=...) -> _as_Tensor: """Truncated normal floats determined by `seed`, a vector of two integers."""
    @staticmethod
    def stateless_uniform(shape, seed, minval=..., maxval=..., dtype=..., name=..., alg=...) -> _as_Tensor: """Uniformly distributed numbers determined by `seed`, a vector of two integers."""
    @staticmethod
    def truncated_normal(shape, mean=..., stddev=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Normally distributed floats within two standard deviations of the mean."""
    @staticmethod
    def uniform(shape, minval=..., maxval=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Uniformly distributed numbers, `minval <= x < maxval`, in the shape `shape`."""
def random_normal(shape, mean=..., stddev=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Normally distributed floats in the shape `shape`."""
from .library.keras.layers.initializers import RandomNormal as _random_normal_initializer
random_normal_initializer = _random_normal_initializer
def random_uniform(shape, minval=..., maxval=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Uniformly distributed numbers, `minval <= x < maxval`, in the shape `shape`."""
from .library.keras.layers.initializers import RandomUniform as _random_uniform_initializer
random_uniform_initializer = _random_uniform_initializer
def range(start, limit=..., delta=..., dtype=..., name=...) -> _as_Tensor: """`range(limit)`, `range(start, limit)` or `range(start, limit, delta)` as a vector."""
def rank(x, *, name=...) -> _as_Tensor: """The number of axes, as an int32 scalar."""
def realdiv(x, y, name=...) -> _as_Tensor: """`x / y` for each element of floats or complex numbers."""
def reciprocal(x, *, name=...) -> _as_Tensor: """`1 / x` for each float or complex element."""
def recompute_grad(f) -> Any: """`f` with a gradient that runs `f` again instead of saving intermediate values."""
def reduce_all(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """Whether all elements of a bool tensor are true over `axis` (all axes for None)."""
def reduce_any(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """Whether any element of a bool tensor is true over `axis` (all axes for None)."""
def reduce_logsumexp(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """`log(sum(exp(x)))` over `axis` (all axes for None), without overflow."""
def reduce_max(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The largest element over `axis` (all axes for None); NaN if any element is NaN."""
def reduce_mean(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The mean over `axis` (all axes for None), in the dtype of the input."""
def reduce_min(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The smallest element over `axis` (all axes for None); NaN if any element is NaN."""
def reduce_prod(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The product over `axis` (all axes for None), in the dtype of the input; 1 if empty."""
def reduce_sum(input_tensor, axis=..., keepdims=..., name=...) -> _as_Tensor: """The sum over `axis` (all axes for None), in the dtype of the input; 0 if empty."""
def register_tensor_conversion_function(base_type, conversion_func, priority=...) -> None: """Let operations take the objects of a class: `conversion_func(value, dtype, name, as_ref)` gives the tensor of one."""
def repeat(input, repeats, axis=..., name=...) -> _as_Tensor: """The slices of `input` along `axis`, each repeated `repeats` times."""
def replaces(original, *, changes=...) -> Any: """A decorator: traces convert the decorated function in place of `original`."""
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The paddings that make sizes multiples of blocks, and the crops that undo what they add."""
def reshape(tensor, shape, *, name=...) -> _as_Tensor: """The same elements, in row-major order, in the shape `shape`."""
def reverse(tensor, axis, name=...) -> _as_Tensor: """`tensor` with its elements in reverse order along the listed axes."""
def reverse_sequence(input, seq_lengths, seq_axis=..., batch_axis=..., name=...) -> _as_Tensor: """The first `seq_lengths[i]` entries along `seq_axis` reversed, for each i along `batch_axis`."""
def rfftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The first half of the Fourier transform of real numbers over any axes, by default all."""
def roll(input, shift, axis, name=...) -> _as_Tensor: """`input` shifted cyclically by `shift` elements along `axis`."""
def round(x, *, name=...) -> _as_Tensor: """Each element rounded to the nearest integer, halves to even. The dtype is kept."""
def saturate_cast(value, dtype, name=...) -> _as_Tensor: """`value` converted to another dtype, clipped to the range of that dtype."""
class saved_model:
    CLASSIFY_INPUTS: builtins.str
    CLASSIFY_METHOD_NAME: builtins.str
    CLASSIFY_OUTPUT_CLASSES: builtins.str
    CLASSIFY_OUTPUT_SCORES: builtins.str
    DEFAULT_SERVING_SIGNATURE_DEF_KEY: builtins.str
    GPU: builtins.str
    LoadOptions: TypeAlias = _as_saved_model__LoadOptions
    PREDICT_INPUTS: builtins.str
    PREDICT_METHOD_NAME: builtins.str
    PREDICT_OUTPUTS: builtins.str
    REGRESS_INPUTS: builtins.str
    REGRESS_METHOD_NAME: builtins.str
    REGRESS_OUTPUTS: builtins.str
    SERVING: builtins.str
    SaveOptions: TypeAlias = _as_saved_model__SaveOptions
    TPU: builtins.str
    TRAINING: builtins.str
    @staticmethod
    def contains_saved_model(export_dir) -> builtins.bool: """Whether a folder contains a saved module."""
    @staticmethod
    def load(export_dir, tags=..., options=..., *, allow_files=..., allow_functions=...) -> Any: """Load the module that `saved_model.save` wrote to a folder, without its Python source."""
    @staticmethod
    def register(cls=..., *, name=...) -> Any: """Let saved modules make objects of a named tuple or dataclass when they are loaded."""
    @staticmethod
    def save(obj, export_dir, signatures=..., options=...) -> None: """Save a module with its variables and functions to a folder, for `saved_model.load`."""
def scalar_mul(x, y, *, name=...) -> _as_Tensor: """`x * y`; the shapes broadcast."""
def scan(fn, elems, initializer=..., parallel_iterations=..., back_prop=..., swap_memory=..., infer_shape=..., reverse=..., name=...) -> Any: """All values of `a = fn(a, element)` for the slices of `elems` along the first axis, stacked."""
def scatter_nd(indices, updates, shape, name=...) -> _as_Tensor: """Zeros of `shape` with `updates` added at the index vectors `indices`."""
def searchsorted(sorted_sequence, values, side=..., out_type=..., name=...) -> _as_Tensor: """The indices at which `values` would be inserted to keep `sorted_sequence` sorted."""
def sequence_mask(lengths, maxlen=..., dtype=..., name=...) -> _as_Tensor: """For each length that many True, then False up to `maxlen`, along a new last axis."""
def set_random_seed(seed) -> None: """Reset the random state of this process; the same seed gives the same numbers."""
class sets:
    @staticmethod
    def difference(a, b, aminusb=..., validate_indices=...) -> _as_SparseTensor: """The values of a row of `a` that are not in that of `b`, in order, as a `SparseTensor`."""
    @staticmethod
    def intersection(a, b, validate_indices=...) -> _as_SparseTensor: """The values that are in a row of `a` and in that of `b`, in order, as a `SparseTensor`."""
    @staticmethod
    def size(a, validate_indices=...) -> _as_Tensor: """The number of distinct values in each row of a sparse tensor, int32."""
    @staticmethod
    def union(a, b, validate_indices=...) -> _as_SparseTensor: """The values that are in a row of `a` or in that of `b`, in order, as a `SparseTensor`."""
def shape(input, out_type=..., name=...) -> _as_Tensor: """The shape of `input`, as a vector of `out_type` (int32 or int64)."""
def shape_n(input, out_type=..., name=...) -> builtins.list[_as_Tensor]: """The shapes of a list of tensors, as a list of vectors of `out_type`."""
def sigmoid(x, *, name=...) -> _as_Tensor: """`1 / (1 + exp(-x))` for each element."""
def sign(x, *, name=...) -> _as_Tensor: """The sign of each element: -1, 0 or 1. NaN stays NaN."""
class signal:
    @staticmethod
    def dct(input, type=..., n=..., axis=..., norm=..., name=...) -> _as_Tensor: """The cosine transform of the types 1 to 4 over the last axis, which is cut or padded to `n`."""
    @staticmethod
    def fft(input, name=...) -> _as_Tensor: """The Fourier transform of complex numbers over the last axis."""
    @staticmethod
    def fft2d(input, name=...) -> _as_Tensor: """The Fourier transform of complex numbers over the last 2 axes."""
    @staticmethod
    def fft3d(input, name=...) -> _as_Tensor: """The Fourier transform of complex numbers over the last 3 axes."""
    @staticmethod
    def fftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The Fourier transform of complex numbers over any axes, by default all."""
    @staticmethod
    def fftshift(x, axes=..., name=...) -> _as_Tensor: """`x` with the element of frequency 0 in the middle of the axes, by default all."""
    @staticmethod
    def frame(signal, frame_length, frame_step, pad_end=..., pad_value=..., axis=..., name=...) -> _as_Tensor: """Frames of `frame_length` samples, which start every `frame_step` samples along `axis`."""
    @staticmethod
    def hamming_window(window_length, periodic=..., dtype=..., name=...) -> _as_Tensor: """A Hamming window: a raised cosine that starts at 0.08."""
    @staticmethod
    def hann_window(window_length, periodic=..., dtype=..., name=...) -> _as_Tensor: """A Hann window: a raised cosine that starts at 0."""
    @staticmethod
    def idct(input, type=..., n=..., axis=..., norm=..., name=...) -> _as_Tensor: """The cosine transform that undoes `signal.dct` of this type, up to a factor."""
    @staticmethod
    def ifft(input, name=...) -> _as_Tensor: """The inverse of `signal.fft`, over the last axis."""
    @staticmethod
    def ifft2d(input, name=...) -> _as_Tensor: """The inverse of `signal.fft2d`, over the last 2 axes."""
    @staticmethod
    def ifft3d(input, name=...) -> _as_Tensor: """The inverse of `signal.fft3d`, over the last 3 axes."""
    @staticmethod
    def ifftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The inverse of `fftnd`."""
    @staticmethod
    def ifftshift(x, axes=..., name=...) -> _as_Tensor: """The inverse of `signal.fftshift`."""
    @staticmethod
    def inverse_mdct(mdcts, window_fn=..., norm=..., name=...) -> _as_Tensor: """The signal of which `signal.mdct` gave `mdcts` [..., frames, half]."""
    @staticmethod
    def inverse_stft(stfts, frame_length, frame_step, fft_length=..., window_fn=..., name=...) -> _as_Tensor: """The signal whose frames have the spectra `stfts` [..., frames, bins]."""
    @staticmethod
    def inverse_stft_window_fn(frame_step, forward_window_fn=..., name=...) -> Any: """The window with which `signal.inverse_stft` undoes `signal.stft`, as a function of a length."""
    @staticmethod
    def irfft(input_tensor, fft_length=..., name=...) -> _as_Tensor: """The inverse of `signal.rfft`, over the last axis."""
    @staticmethod
    def irfft2d(input_tensor, fft_length=..., name=...) -> _as_Tensor: """The inverse of `signal.rfft2d`, over the last 2 axes."""
    @staticmethod
    def irfft3d(input_tensor, fft_length=..., name=...) -> _as_Tensor: """The inverse of `signal.rfft3d`, over the last 3 axes."""
    @staticmethod
    def irfftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The inverse of `rfftnd`."""
    @staticmethod
    def kaiser_bessel_derived_window(window_length, beta=..., dtype=..., name=...) -> _as_Tensor: """A Kaiser-Bessel derived window, for `signal.mdct`; its length is even."""
    @staticmethod
    def kaiser_window(window_length, beta=..., dtype=..., name=...) -> _as_Tensor: """A Kaiser window; a large `beta` makes it narrow."""
    @staticmethod
    def linear_to_mel_weight_matrix(num_mel_bins=..., num_spectrogram_bins=..., sample_rate=..., lower_edge_hertz=..., upper_edge_hertz=..., dtype=..., name=...) -> _as_Tensor: """The matrix [num_spectrogram_bins, num_mel_bins] that brings spectra to the mel scale."""
    @staticmethod
    def mdct(signals, frame_length, window_fn=..., pad_end=..., norm=..., name=...) -> _as_Tensor: """The modified cosine transform of `signals` [..., samples]: [..., frames, frame_length // 2]."""
    @staticmethod
    def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=...) -> _as_Tensor: """The mel-frequency cepstral coefficients of logarithms of spectra in the mel scale."""
    @staticmethod
    def overlap_and_add(signal, frame_step, name=...) -> _as_Tensor: """The signal of which `signal` [..., frames, frame_length] has the frames, summed."""
    @staticmethod
    def rfft(input_tensor, fft_length=..., name=...) -> _as_Tensor: """The first half of the Fourier transform of real numbers over the last axis."""
    @staticmethod
    def rfft2d(input_tensor, fft_length=..., name=...) -> _as_Tensor: """The first half of the Fourier transform of real numbers over the last 2 axes."""
    @staticmethod
    def rfft3d(input_tensor, fft_length=..., name=...) -> _as_Tensor: """The first half of the Fourier transform of real numbers over the last 3 axes."""
    @staticmethod
    def rfftnd(input, fft_length=..., axes=..., norm=..., name=...) -> _as_Tensor: """The first half of the Fourier transform of real numbers over any axes, by default all."""
    @staticmethod
    def stft(signals, frame_length, frame_step, fft_length=..., window_fn=..., pad_end=..., name=...) -> _as_Tensor: """The short-time Fourier transform: the spectrum of each frame of `signals` [..., samples]."""
    @staticmethod
    def vorbis_window(window_length, dtype=..., name=...) -> _as_Tensor: """The window of Vorbis, for `signal.mdct`."""
def sin(x, *, name=...) -> _as_Tensor: """The sine of each element, an angle in radians."""
def sinh(x, *, name=...) -> _as_Tensor: """The hyperbolic sine of each element."""
def size(input, out_type=..., name=...) -> _as_Tensor: """The number of elements of `input`, as a scalar of `out_type`."""
def slice(input_, begin, size, name=...) -> _as_Tensor: """`size[i]` elements from `begin[i]` on, along each axis i; -1 takes the rest of the axis."""
def sort(values, axis=..., direction=..., name=...) -> _as_Tensor: """The elements sorted along `axis`, with the shape and dtype of `values`."""
def space_to_batch(input, block_shape, paddings, name=...) -> _as_Tensor: """Moves blocks of space into the batch: [n, h, w, c] to [n * b0 * b1, h / b0, w / b1, c]."""
def space_to_batch_nd(input, block_shape, paddings, name=...) -> _as_Tensor: """Moves blocks of space into the batch: [n, h, w, c] to [n * b0 * b1, h / b0, w / b1, c]."""
class sparse:
    SparseTensor: TypeAlias = _as_SparseTensor
    @staticmethod
    def add(a, b, threshold=...) -> Any: """The sum of two sparse tensors, which is sparse, or of a sparse and a dense one."""
    @staticmethod
    def bincount(values, weights=..., axis=..., minlength=..., maxlength=..., binary_output=..., name=...) -> _as_SparseTensor: """How often each integer occurs, as a sparse vector; for each row with `axis=-1`."""
    @staticmethod
    def concat(axis, sp_inputs, expand_nonconcat_dims=..., name=...) -> _as_SparseTensor: """Sparse tensors joined along an axis; the elements are sorted."""
    @staticmethod
    def cross(inputs, name=..., separator=...) -> _as_SparseTensor: """For each row, the texts of all combinations of one value of each input."""
    @staticmethod
    def cross_hashed(inputs, num_buckets=..., hash_key=..., name=...) -> _as_SparseTensor: """For each row, a bucket for each combination of one value of each input."""
    @staticmethod
    def expand_dims(sp_input, axis=..., name=...) -> _as_SparseTensor: """A new axis of size 1, by default the last."""
    @staticmethod
    def eye(num_rows, num_columns=..., dtype=..., name=...) -> _as_SparseTensor: """The identity matrix."""
    @staticmethod
    def fill_empty_rows(sp_input, default_value, name=...) -> builtins.tuple[_as_SparseTensor, _as_Tensor]: """A matrix with `default_value` at the start of empty rows, and which rows were empty."""
    @staticmethod
    def from_dense(tensor, name=...) -> _as_SparseTensor: """The elements of a tensor that are not zero; of strings, those that are not empty."""
    @staticmethod
    def map_values(op, *args, **kwargs) -> _as_SparseTensor: """A function applied to the values of sparse tensors with the same indices."""
    @staticmethod
    def mask(a, mask_indices, name=...) -> Any: """`IndexedSlices` without those at the given indices."""
    @staticmethod
    def maximum(sp_a, sp_b, name=...) -> _as_SparseTensor: """The larger of each two elements, where one of them is stored."""
    @staticmethod
    def minimum(sp_a, sp_b, name=...) -> _as_SparseTensor: """The smaller of each two elements, where one of them is stored."""
    @staticmethod
    def reduce_max(sp_input, axis=..., keepdims=..., output_is_sparse=..., name=...) -> Any: """The largest stored elements over axes; 0 where there are none."""
    @staticmethod
    def reduce_sum(sp_input, axis=..., keepdims=..., output_is_sparse=..., name=...) -> Any: """Sums over axes, by default all: a dense tensor, or a sparse one with `output_is_sparse`."""
    @staticmethod
    def reorder(sp_input, name=...) -> _as_SparseTensor: """The same elements, sorted by their indices."""
    @staticmethod
    def reset_shape(sp_input, new_shape=...) -> _as_SparseTensor: """The same elements in a larger dense shape; by default in the smallest that holds them."""
    @staticmethod
    def reshape(sp_input, shape, name=...) -> _as_SparseTensor: """The same elements in row-major order in another dense shape; a size may be -1."""
    @staticmethod
    def retain(sp_input, to_retain) -> _as_SparseTensor: """The stored elements for which `to_retain` is true."""
    @staticmethod
    def segment_mean(data, indices, segment_ids, num_segments=..., name=...) -> _as_Tensor: """The means of the rows of `data` at `indices` that have the same segment number."""
    @staticmethod
    def segment_sqrt_n(data, indices, segment_ids, num_segments=..., name=...) -> _as_Tensor: """The sums of the rows at `indices` of each segment, divided by the root of their number."""
    @staticmethod
    def segment_sum(data, indices, segment_ids, num_segments=..., name=...) -> _as_Tensor: """The sums of the rows of `data` at `indices` that have the same segment number."""
    @staticmethod
    def slice(sp_input, start, size, name=...) -> _as_SparseTensor: """The window of `size` elements from `start` on, along each axis."""
    @staticmethod
    def softmax(sp_input, name=...) -> _as_SparseTensor: """The softmax of the stored elements along the last axis."""
    @staticmethod
    def sparse_dense_matmul(sp_a, b, adjoint_a=..., adjoint_b=..., name=...) -> _as_Tensor: """The product of a sparse and a dense matrix, in either order: a dense matrix."""
    @staticmethod
    def split(sp_input=..., num_split=..., axis=..., name=...) -> builtins.list[_as_SparseTensor]: """Consecutive sections along an axis; the first ones are longer by one if need be."""
    @staticmethod
    def to_dense(sp_input, default_value=..., validate_indices=..., name=...) -> _as_Tensor: """The dense tensor; what is not stored is `default_value`, by default 0, False or ''."""
    @staticmethod
    def to_indicator(sp_input, vocab_size, name=...) -> _as_Tensor: """Booleans with an axis of `vocab_size` in place of the last: which values each row has."""
    @staticmethod
    def transpose(sp_input, perm=..., name=...) -> _as_SparseTensor: """The axes in another order, by default reversed; the elements are sorted."""
def split(value, num_or_size_splits, axis=..., num=..., name=...) -> builtins.list[_as_Tensor]: """Consecutive slices along `axis`, as a list of tensors."""
def sqrt(x, *, name=...) -> _as_Tensor: """The square root of each element; NaN for negative numbers."""
def square(x, *, name=...) -> _as_Tensor: """`x * x` for each element."""
def squared_difference(x, y, *, name=...) -> _as_Tensor: """`(x - y) * (x - y)`; the shapes broadcast."""
def squeeze(input, axis=..., name=...) -> _as_Tensor: """`input` without its axes of size 1, or without those listed in `axis`."""
def stack(values, axis=..., name=...) -> _as_Tensor: """Tensors of one shape and dtype stacked along a new axis, at position `axis`."""
def stop_gradient(x, *, name=...) -> _as_Tensor: """The same value, but a constant for every gradient."""
def strided_slice(input_, begin, end, strides=..., begin_mask=..., end_mask=..., ellipsis_mask=..., new_axis_mask=..., shrink_axis_mask=..., var=..., name=...) -> _as_Tensor: """`input_[begin[0]:end[0]:strides[0], ...]`."""
string: _as_DType
class strings:
    @staticmethod
    def as_string(input, precision=..., scientific=..., shortest=..., width=..., fill=..., name=...) -> _as_Tensor: """Each number or bool formatted as a string."""
    @staticmethod
    def bytes_split(input, name=...) -> Any: """The bytes of each string, as strings of length 1."""
    @staticmethod
    def format(template, inputs, placeholder=..., summarize=..., name=...) -> _as_Tensor: """The template with each placeholder `{}` replaced by the value of a tensor: a scalar string."""
    @staticmethod
    def join(inputs, separator=..., name=...) -> _as_Tensor: """A list of string tensors joined elementwise, with `separator` between them."""
    @staticmethod
    def length(input, unit=..., name=...) -> _as_Tensor: """The number of bytes of each string, int32; of characters with `unit='UTF8_CHAR'`."""
    @staticmethod
    def lower(input, *, encoding=..., name=...) -> _as_Tensor: """Each string in lower case; `encoding='utf-8'` also changes letters beyond ASCII."""
    @staticmethod
    def ngrams(data, ngram_width, separator=..., pad_values=..., padding_width=..., preserve_short_sequences=..., name=...) -> Any: """The runs of `ngram_width` neighbors in the rows of strings, each joined by `separator`."""
    @staticmethod
    def reduce_join(inputs, axis=..., keepdims=..., separator=..., name=...) -> _as_Tensor: """Strings joined along `axis` (all axes for None), with `separator` between them."""
    @staticmethod
    def regex_full_match(input, pattern, name=...) -> _as_Tensor: """Whether the regular expression `pattern` matches each whole string, as bool."""
    @staticmethod
    def regex_replace(input, pattern, rewrite, replace_global=..., name=...) -> _as_Tensor: """Each string with the matches of the regular expression `pattern` replaced by `rewrite`."""
    @staticmethod
    def split(input, sep=..., maxsplit=..., name=...) -> Any: """Each string split at whitespace, or at the separator `sep`."""
    @staticmethod
    def strip(input, *, name=...) -> _as_Tensor: """Each string without leading and trailing whitespace."""
    @staticmethod
    def substr(input, pos, len, unit=..., name=...) -> _as_Tensor: """`len` bytes of each string from `pos` on; characters with `unit='UTF8_CHAR'`."""
    @staticmethod
    def to_hash_bucket(input, num_buckets, name=...) -> _as_Tensor: """A bucket for each string, below `num_buckets`, by MurmurHash."""
    @staticmethod
    def to_hash_bucket_fast(input, num_buckets, name=...) -> _as_Tensor: """A bucket for each string, below `num_buckets`, by FarmHash."""
    @staticmethod
    def to_hash_bucket_strong(input, num_buckets, key, name=...) -> _as_Tensor: """A bucket for each string, below `num_buckets`, by SipHash with a `key` of two integers."""
    @staticmethod
    def to_number(input, out_type=..., name=...) -> _as_Tensor: """Each string parsed as a number of `out_type`, in the shape of `input`."""
    @staticmethod
    def unicode_decode(input, input_encoding, errors=..., replacement_char=..., replace_control_characters=..., name=...) -> _as_RaggedTensor: """The code points of each string, int32."""
    @staticmethod
    def unicode_decode_with_offsets(input, input_encoding, errors=..., replacement_char=..., replace_control_characters=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The code points of each string, as of `strings.unicode_decode`, and their first bytes, int64."""
    @staticmethod
    def unicode_encode(input, output_encoding, errors=..., replacement_char=..., name=...) -> _as_Tensor: """The string of each row of code points; the encoding is 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'."""
    @staticmethod
    def unicode_split(input, input_encoding, errors=..., replacement_char=..., name=...) -> _as_RaggedTensor: """The characters of each string, as strings of the same encoding."""
    @staticmethod
    def unicode_split_with_offsets(input, input_encoding, errors=..., replacement_char=..., name=...) -> builtins.tuple[_as_Tensor, _as_Tensor]: """The characters of each string, as of `strings.unicode_split`, and their first bytes, int64."""
    @staticmethod
    def unicode_transcode(input, input_encoding, output_encoding, errors=..., replacement_char=..., replace_control_characters=..., name=...) -> _as_Tensor: """Each string of one encoding in another: 'UTF-8', 'UTF-16-BE' or 'UTF-32-BE'."""
    @staticmethod
    def unsorted_segment_join(inputs, segment_ids, num_segments, separator=..., name=...) -> _as_Tensor: """The strings of each segment joined by `separator`."""
    @staticmethod
    def upper(input, *, encoding=..., name=...) -> _as_Tensor: """Each string in upper case; `encoding='utf-8'` also changes letters beyond ASCII."""
def subtract(x, y, *, name=...) -> _as_Tensor: """`x - y`; the shapes broadcast."""
class summary:
    SummaryWriter: TypeAlias = _as_summary__SummaryWriter
    @staticmethod
    def create_file_writer(logdir, max_queue=..., flush_millis=..., filename_suffix=..., name=...) -> _as_summary__SummaryWriter: """A writer of an event file in the folder `logdir`, for TensorBoard."""
    @staticmethod
    def create_noop_writer() -> Any: """A writer that discards everything, to disable summaries."""
    class experimental:
        @staticmethod
        def get_step() -> Any: """The default step of summaries, or None."""
        @staticmethod
        def set_step(step) -> None: """Set the default step of summaries; a variable is read whenever a summary is written."""
    @staticmethod
    def flush(writer=..., name=...) -> None: """Write the buffered events of `writer`, by default of the default writer, to its file."""
    @staticmethod
    def graph(graph_data) -> _as_Tensor: """Write the graph of a concrete function (`concrete.graph`) for TensorBoard."""
    @staticmethod
    def histogram(name, data, step=..., buckets=..., description=...) -> _as_Tensor: """Write a histogram of the elements of a tensor with `buckets` equal intervals (default 30)."""
    @staticmethod
    def image(name, data, step=..., max_outputs=..., description=...) -> _as_Tensor: """Write the first `max_outputs` images of a tensor of shape [count, height, width, channels]."""
    @staticmethod
    def record_if(condition) -> Any: """A context manager in which summaries are written only if `condition` is true."""
    @staticmethod
    def scalar(name, data, step=..., description=...) -> _as_Tensor: """Write a scalar, converted to float32; see `summary.write`."""
    @staticmethod
    def should_record_summaries() -> _as_Tensor: """Whether there is a default writer and the condition of `record_if` is true: a bool tensor."""
    @staticmethod
    def text(name, data, step=..., description=...) -> _as_Tensor: """Write a tensor of strings, which TensorBoard shows as Markdown."""
    @staticmethod
    def trace_export(name, step=..., profiler_outdir=...) -> None: """Write the graphs collected since `trace_on` with the default writer, and stop collecting."""
    @staticmethod
    def trace_off() -> None: """Stop collecting without writing."""
    @staticmethod
    def trace_on(graph=..., profiler=..., profiler_outdir=...) -> None: """Start collecting the graphs of functions that run, and with `profiler` also a profile."""
    @staticmethod
    def write(tag, tensor, step=..., metadata=..., name=...) -> _as_Tensor: """Write a tensor under a tag; `metadata` may be the name of a plugin of TensorBoard."""
def switch_case(branch_index, branch_fns, default=..., name=...) -> Any: """The result of the branch with this index; out of range means `default`, else the last branch."""
def tan(x, *, name=...) -> _as_Tensor: """The tangent of each element, an angle in radians."""
def tanh(x, *, name=...) -> _as_Tensor: """The hyperbolic tangent of each element."""
def tensor_scatter_nd_add(tensor, indices, updates, *, name=...) -> _as_Tensor: """`tensor` with `updates` added to the slices at the index vectors `indices`."""
def tensor_scatter_nd_max(tensor, indices, updates, *, name=...) -> _as_Tensor: """`tensor` with the elementwise maximum of its slices at `indices` and `updates` there."""
def tensor_scatter_nd_min(tensor, indices, updates, *, name=...) -> _as_Tensor: """`tensor` with the elementwise minimum of its slices at `indices` and `updates` there."""
def tensor_scatter_nd_sub(tensor, indices, updates, *, name=...) -> _as_Tensor: """`tensor` with `updates` subtracted from the slices at the index vectors `indices`."""
def tensor_scatter_nd_update(tensor, indices, updates, *, name=...) -> _as_Tensor: """`tensor` with the slices at the index vectors `indices` replaced by `updates`."""
def tensor_set_item(target, key, value) -> _as_Tensor: """A copy of `target` with `target[key]` replaced, as `x[key] = value` does for a tensor."""
def tensordot(a, b, axes, name=...) -> _as_Tensor: """The sum of products over pairs of axes of `a` and `b`."""
class testing:
    @staticmethod
    def assert_traces(function, count) -> None: """Raise AssertionError, with the reason for each trace, unless there are `count` traces."""
def tile(input, multiples, *, name=...) -> _as_Tensor: """`input` repeated `multiples[i]` times along each axis i."""
def timestamp(*, name=...) -> _as_Tensor: """The seconds since 1970, as float64, when it runs."""
class train:
    AdagradOptimizer: TypeAlias = _as_train__AdagradOptimizer
    AdamOptimizer: TypeAlias = _as_train__AdamOptimizer
    BytesList: TypeAlias = _as_train__BytesList
    Checkpoint: TypeAlias = _as_train__Checkpoint
    CheckpointManager: TypeAlias = _as_train__CheckpointManager
    CheckpointOptions: TypeAlias = _as_train__CheckpointOptions
    Coordinator: TypeAlias = _as_train__Coordinator
    Example: TypeAlias = _as_train__Example
    ExponentialMovingAverage: TypeAlias = _as_train__ExponentialMovingAverage
    Feature: TypeAlias = _as_train__Feature
    FeatureList: TypeAlias = _as_train__FeatureList
    FeatureLists: TypeAlias = _as_train__FeatureLists
    Features: TypeAlias = _as_train__Features
    FloatList: TypeAlias = _as_train__FloatList
    GradientDescentOptimizer: TypeAlias = _as_train__GradientDescentOptimizer
    Int64List: TypeAlias = _as_train__Int64List
    MomentumOptimizer: TypeAlias = _as_train__MomentumOptimizer
    Optimizer: TypeAlias = _as_train__Optimizer
    RMSPropOptimizer: TypeAlias = _as_train__RMSPropOptimizer
    SequenceExample: TypeAlias = _as_train__SequenceExample
    @staticmethod
    def checkpoints_iterator(checkpoint_dir, min_interval_secs=..., timeout=..., timeout_fn=...) -> Any: """The paths of checkpoints of a directory, each when it appears."""
    @staticmethod
    def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=..., name=...) -> Any: """A function that returns `learning_rate * decay_rate ** (global_step / decay_steps)`."""
    @staticmethod
    def get_checkpoint_state(checkpoint_dir, latest_filename=...) -> None: """The content of the state file of a folder, or None if there is none."""
    @staticmethod
    def get_global_step() -> _as_Variable | None: """The global step counter of the process, None if it does not exist."""
    @staticmethod
    def get_or_create_global_step() -> _as_Variable: """The global step counter of the process, an int64 variable, created on first use."""
    @staticmethod
    def latest_checkpoint(checkpoint_dir, latest_filename=...) -> builtins.str | None: """The path of the latest checkpoint in a folder, for `restore`, or None."""
    @staticmethod
    def list_variables(ckpt_dir_or_file) -> builtins.list[builtins.tuple[builtins.str, builtins.list[builtins.int]]]: """The names and shapes of the variables in a checkpoint, or in the latest one of a folder."""
    @staticmethod
    def load_checkpoint(ckpt_dir_or_file) -> Any: """A reader of the tensors in a checkpoint, or in the latest one of a folder."""
    @staticmethod
    def load_variable(ckpt_dir_or_file, name) -> np.ndarray: """The value of a variable in a checkpoint, or in the latest one of a folder."""
def transpose(a, perm=..., conjugate=..., name=...) -> _as_Tensor: """`a` with its axes permuted: axis i of the result is axis `perm[i]` of `a`."""
def truediv(x, y, *, name=...) -> _as_Tensor: """`x / y`; the shapes broadcast."""
def truncated_normal(shape, mean=..., stddev=..., dtype=..., seed=..., name=...) -> _as_Tensor: """Normally distributed floats within two standard deviations of the mean."""
from .library.keras.layers.initializers import TruncatedNormal as _truncated_normal_initializer
truncated_normal_initializer = _truncated_normal_initializer
def truncatediv(x, y, *, name=...) -> _as_Tensor: """`x / y` of integers, rounded towards 0. The shapes broadcast."""
def truncatemod(x, y, *, name=...) -> _as_Tensor: """The remainder of `x / y`, with the sign of `x`. The shapes broadcast."""
def tuple(input, name=...) -> builtins.list[_as_Tensor]: """The tensors of a list, as they are."""
def type_spec_from_value(value) -> _as_TypeSpec: """The spec of a tensor or of an extension type's value."""
class types:
    class experimental:
        AtomicFunction: TypeAlias = _as_types__experimental__AtomicFunction
        Callable: TypeAlias = _as_types__experimental__Callable
        ConcreteFunction: TypeAlias = _as_types__experimental__ConcreteFunction
        FunctionType: TypeAlias = _as_types__experimental__FunctionType
        GenericFunction: TypeAlias = _as_types__experimental__Callable
        JitTrace: TypeAlias = _as_types__experimental__JitTrace
        PolymorphicFunction: TypeAlias = _PolymorphicFunction
        SupportsTracingProtocol: TypeAlias = _as_types__experimental__SupportsTracingProtocol
        TensorLike: Any
        TraceType: TypeAlias = _as_types__experimental__TraceType
        @staticmethod
        def trace_type(value) -> _as_types__experimental__TraceType: """The trace type of an argument."""
uint16: _as_DType
uint32: _as_DType
uint64: _as_DType
uint8: _as_DType
def unique(x, out_idx=..., name=...) -> Any: """The distinct values of a vector, in order of first appearance, and each element's index."""
def unique_with_counts(x, out_idx=..., name=...) -> Any: """The distinct values of a vector, each element's index among them, and their counts."""
def unravel_index(indices, dims, name=...) -> _as_Tensor: """The coordinates of flat indices, one row for each of the dimensions `dims`."""
def unstack(value, num=..., axis=..., name=...) -> builtins.list[_as_Tensor]: """The slices along `axis`, as a list of `num` tensors with one axis less."""
variant: _as_DType
def vectorized_map(fn, elems, fallback_to_while_loop=..., warn=...) -> Any: """The results of `fn` for each slice of `elems` along the first axis, stacked."""
class version:
    GIT_VERSION: builtins.str
    VERSION: builtins.str
def where(condition, x=..., y=..., name=...) -> _as_Tensor: """`x` where the bool `condition` is true, else `y`; the three shapes broadcast."""
def while_loop(cond, body, loop_vars, shape_invariants=..., parallel_iterations=..., back_prop=..., swap_memory=..., maximum_iterations=..., name=...) -> Any: """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)`; the last loop variables."""
def zeros(shape, dtype=..., name=...) -> _as_Tensor: """A tensor of zeros; of False for `bool` and of empty strings for `string`."""
from .library.keras.layers.initializers import Zeros as _zeros_initializer
zeros_initializer = _zeros_initializer
def zeros_like(input, dtype=..., name=...) -> _as_Tensor: """Zeros in the shape of `input`, in its dtype unless `dtype` is given."""
