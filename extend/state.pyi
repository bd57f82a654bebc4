from ..runtime.ops.state.variables import CREATION as CREATION
from ..runtime.ops.state.variables import Cell as Cell
from ..runtime.ops.state.variables import FOR_A_FUNCTION as FOR_A_FUNCTION
from ..runtime.ops.state.variables import RESTORATIONS as RESTORATIONS
from ..runtime.ops.state.variables import handle_of as handle_of
from ..runtime.tensors.name_scopes import NAMES as NAMES
from ..runtime.tensors.name_scopes import within as within
from ..runtime.gpu.devices.device_list import devices as _devices_besides_the_cpu
devices_besides_the_cpu = _devices_besides_the_cpu
from ..runtime.gpu.placement import SOFT as _SOFT_PLACEMENT
SOFT_PLACEMENT = _SOFT_PLACEMENT
from ..runtime.gpu.placement import read_device as read_device
from ..runtime.ir.random_streams import EAGER as _EAGER_PLACE
EAGER_PLACE = _EAGER_PLACE
from ..runtime.ir.random_streams import LIMIT as LIMIT
from ..runtime.ir.random_streams import STATE as _RANDOM_STATE
RANDOM_STATE = _RANDOM_STATE
from ..runtime.ir.random_streams import philox as philox
from ..runtime.kernels.random.philox_parameters import MULTIPLIERS as MULTIPLIERS
from ..runtime.kernels.random.philox_parameters import WEYL as WEYL
from ..runtime.core.locks import Lock as Lock
from ..runtime.core.locks import RLock as RLock
from ..tracing.structures.config import CONFIG as CONFIG
