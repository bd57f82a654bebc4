"""`keras.mixed_precision`: policies of data types. Layers compute in float32 or float64."""

from __future__ import annotations

import warnings

from ... import DType, as_dtype
from ...extend.errors import depth_of_user
from ...extend.registration import public


@public(
    "keras.mixed_precision.Policy", "keras.mixed_precision.DTypePolicy", "keras.DTypePolicy",
    "keras.FloatDTypePolicy",
)  # fmt: skip
class Policy:
    """A policy by name: "float32", "float64", or one of mixed precision.

    On a CPU, float16 is slower than float32. Layers of "mixed_float16" and "mixed_bfloat16" compute
    in float32, as `compute_dtype` says.

    >>> import warnings; warnings.simplefilter("ignore")
    >>> policy = ag.keras.mixed_precision.Policy("mixed_float16")
    >>> policy.name, policy.compute_dtype, policy.variable_dtype
    ('mixed_float16', 'float32', 'float32')
    """

    def __init__(self, name="float32"):
        self._name = name
        if name in ("mixed_float16", "mixed_bfloat16"):
            warnings.warn(
                f"{name}: layers compute in float32, which is faster on a CPU",
                stacklevel=depth_of_user(),
            )
            self._dtype = "float32"
        else:
            self._dtype = as_dtype(name).name

    @property
    def name(self) -> str:
        return self._name

    @property
    def compute_dtype(self) -> str:
        """The data type in which layers compute."""
        return self._dtype

    @property
    def variable_dtype(self) -> str:
        """The data type of weights."""
        return self._dtype

    def get_config(self) -> dict:
        return {"name": self._name}

    @classmethod
    def from_config(cls, config: dict):
        return cls(config["name"])

    def __eq__(self, other):
        return type(other) is Policy and other._name == self._name

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return f'<Policy "{self._name}">'


class _Global:
    policy: Policy | None = None


def dtype_of(policy) -> DType:
    """The data type that a policy, its name, or a data type means; None means the global policy."""
    if policy is None:
        return as_dtype(global_policy().compute_dtype)
    if isinstance(policy, str) and policy.startswith("mixed_"):
        policy = Policy(policy)
    return as_dtype(policy.compute_dtype if isinstance(policy, Policy) else policy)


@public(
    "keras.mixed_precision.global_policy", "keras.mixed_precision.dtype_policy",
    "keras.config.dtype_policy",
)  # fmt: skip
def global_policy() -> Policy:
    """The policy of layers that are made without a dtype.

    >>> ag.keras.mixed_precision.global_policy()
    <Policy "float32">
    """
    return _Global.policy or Policy("float32")


@public("keras.mixed_precision.set_global_policy", "keras.mixed_precision.set_dtype_policy")
def set_global_policy(policy) -> None:
    """Set the policy of layers that are made without a dtype: a name, or a `Policy`.

    >>> ag.keras.mixed_precision.set_global_policy("float64")
    >>> ag.keras.layers.Dense(1).dtype
    ag.float64
    >>> ag.keras.mixed_precision.set_global_policy("float32")
    """
    _Global.policy = policy if isinstance(policy, Policy) else Policy(policy)


@public("keras.backend.floatx", "keras.config.floatx")
def floatx() -> str:
    """The data type of layers that are made without a dtype, by name.

    >>> ag.keras.backend.floatx()
    'float32'
    """
    return global_policy().compute_dtype


@public("keras.backend.set_floatx", "keras.config.set_floatx")
def set_floatx(value) -> None:
    """Set the data type of layers that are made without a dtype."""
    set_global_policy(as_dtype(value).name)
