"""State: variables, streams of random numbers, scopes of names, locks, settings."""

from ..loading import members

MEMBERS = """
runtime.ops.state.variables CREATION Cell FOR_A_FUNCTION RESTORATIONS handle_of
runtime.tensors.name_scopes NAMES within
runtime.gpu.devices.device_list devices=devices_besides_the_cpu
runtime.gpu.placement SOFT=SOFT_PLACEMENT read_device
runtime.ir.random_streams EAGER=EAGER_PLACE LIMIT STATE=RANDOM_STATE philox
runtime.kernels.random.philox_parameters MULTIPLIERS WEYL
runtime.core.locks Lock RLock
tracing.structures.config CONFIG
"""
__getattr__, __dir__ = members(__name__, MEMBERS)
