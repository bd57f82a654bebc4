"""Helpers of programs: locks, names of devices, threads that stop together, conversions."""

from __future__ import annotations

import contextlib
import enum
import logging
import threading
import time
from typing import Any

from ... import Tensor, convert_to_tensor
from ...extend.registration import expose, public
from ...extend.state import NAMES, RLock


@public("get_logger")
def get_logger() -> logging.Logger:
    """The logger of this package, of Python's module `logging`.

    >>> ag.get_logger().name
    'allograph'
    """
    return logging.getLogger("allograph")


@public("get_current_name_scope")
def get_current_name_scope() -> str:
    """The names of the enclosing name scopes.

    >>> with ag.name_scope("outer"), ag.name_scope("inner"):
    ...     ag.get_current_name_scope()
    'outer/inner'
    """
    return NAMES.get().rstrip("/")


@public("guarantee_const")
def guarantee_const(input, name=None):
    """The tensor; that it is a constant follows from the graph.

    >>> int(ag.guarantee_const(3))
    3
    """
    return convert_to_tensor(input)


@public("register_tensor_conversion_function")
def register_tensor_conversion_function(base_type, conversion_func, priority=100) -> None:
    """Let operations take the objects of a class: `conversion_func(value, dtype, name, as_ref)`
    gives the tensor of one.

    >>> class Meters:
    ...     def __init__(self, value):
    ...         self.value = value
    >>> ag.register_tensor_conversion_function(
    ...     Meters, lambda one, dtype=None, name=None, as_ref=False: ag.constant(one.value))
    >>> float(ag.constant(1.0) + Meters(2.0))
    3.0

    Raises TypeError for classes that no attributes can be added to, and for those of tensors.
    """
    for one in base_type if isinstance(base_type, tuple) else (base_type,):
        if issubclass(one, Tensor):
            raise TypeError(f"{one.__name__} is a class of tensors already")

        def convert(self, dtype=None, name=None):
            result = conversion_func(self, dtype, name, False)
            if result is NotImplemented:
                raise TypeError(f"{type(self).__name__} cannot be converted to a tensor")
            return result

        one.__tf_tensor__ = convert


@public("CriticalSection")
class CriticalSection:
    """A lock around calls of functions: no two run at once.

    >>> int(ag.CriticalSection().execute(lambda: ag.constant(2) + 1))
    3
    """

    def __init__(
        self, name=None, shared_name=None, critical_section_def=None, import_scope=None
    ) -> None:
        self.name = name or "critical_section"
        self._lock = RLock()

    def execute(self, fn, exclusive_resource_access=True, name=None) -> Any:
        """The result of `fn()`, while no other call runs; a graph runs its effects in order."""
        with self._lock:
            return fn()


# ---- choices that one process has no use for -------------------------------------------------


class AggregationMethod:
    """How gradients are summed; all ways give the same sum here."""

    ADD_N, DEFAULT, EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 0, 0, 1, 2


class VariableSynchronization(enum.Enum):
    """When copies of a variable on several machines are synchronized; here there is one."""

    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation(enum.Enum):
    """How copies of a variable on several machines become one value; here there is one."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


for _class in (AggregationMethod, VariableSynchronization, VariableAggregation):
    expose(_class, _class.__name__)


@public("DeviceSpec")
class DeviceSpec:
    """The parts of the name of a device.

    >>> ag.DeviceSpec(device_type="CPU", device_index=0).to_string()
    '/device:CPU:0'
    >>> ag.DeviceSpec.from_string("/job:worker/device:CPU:1").device_index
    1
    """

    def __init__(
        self, job=None, replica=None, task=None, device_type=None, device_index=None
    ) -> None:
        self.job, self.replica, self.task = job, replica, task
        self.device_type = None if device_type is None else str(device_type).upper()
        self.device_index = device_index

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The parts of a name. Raises ValueError for parts that no device has."""
        found: dict[str, Any] = {}
        for part in filter(None, spec.split("/")):
            key, *rest = part.split(":")
            if key in ("job", "replica", "task") and len(rest) == 1:
                found[key] = rest[0] if key == "job" else int(rest[0])
            elif key in ("device", "cpu", "gpu") and rest:
                *device, index = rest if key == "device" else (key, *rest)
                found["device_type"] = device[0] if device else index
                found["device_index"] = int(index) if device and index != "*" else None
            else:
                raise ValueError(f"{part!r} is no part of the name of a device, as in {spec!r}")
        return cls(**found)

    def replace(self, **parts) -> DeviceSpec:
        """A name with other parts."""
        return DeviceSpec(**{**vars(self), **parts})

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This name, with the parts that another one has."""
        return self.replace(**{key: var for key, var in vars(dev).items() if var is not None})

    def to_string(self) -> str:
        """The name."""
        parts = [
            f"/{key}:{value}"
            for key, value in (("job", self.job), ("replica", self.replica), ("task", self.task))
            if value is not None
        ]
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            parts.append(f"/device:{self.device_type}:{index}")
        return "".join(parts)

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f"DeviceSpec({self.to_string()!r})"


# ---- threads ---------------------------------------------------------------------------------


@public("train.Coordinator")
class Coordinator:
    """Lets threads stop together: each asks `should_stop`, one calls `request_stop`.

    >>> import threading
    >>> together = ag.train.Coordinator()
    >>> def work():
    ...     while not together.should_stop():
    ...         together.request_stop()
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> together.join([thread])
    """

    def __init__(self, clean_stop_exception_types=()):
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._clean = tuple(clean_stop_exception_types or ())
        self._threads: list[threading.Thread] = []

    def should_stop(self) -> bool:
        """Whether some thread requested a stop."""
        return self._stopped.is_set()

    def request_stop(self, ex=None) -> None:
        """Ask all threads to stop; `join` raises the exception, if one is given."""
        if ex is not None and self._error is None and not isinstance(ex, self._clean or ()):
            self._error = ex[1] if isinstance(ex, tuple) else ex
        self._stopped.set()

    def clear_stop(self) -> None:
        """Forget the request."""
        self._error = None
        self._stopped.clear()

    def wait_for_stop(self, timeout=None) -> bool:
        """Wait for a request; whether there is one."""
        return self._stopped.wait(timeout)

    def register_thread(self, thread) -> None:
        """Add a thread that `join` waits for."""
        self._threads.append(thread)

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A context manager that requests a stop for an exception."""
        try:
            yield
        except Exception as error:
            self.request_stop(error)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False) -> None:
        """Wait for the threads. Raises the exception of the request, and RuntimeError if a thread
        still runs some seconds after the request.
        """
        waiting = [*self._threads, *(threads or ())]
        while any(one.is_alive() for one in waiting) and not self._stopped.wait(0.01):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for one in waiting:
            one.join(max(0.0, end - time.monotonic()))
        if self._error is not None:
            raise self._error
        alive = [one.name for one in waiting if one.is_alive()]
        if alive and not ignore_live_threads:
            raise RuntimeError(f"threads did not stop: {', '.join(alive)}")
