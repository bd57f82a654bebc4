"""Options of saved modules and checkpoints, by the names of the reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...extend.registration import expose, public


@public("saved_model.SaveOptions")
@dataclass
class SaveOptions:
    """Options of `saved_model.save`. None of them changes the files, which hold all variables.

    >>> import allograph as ag
    >>> ag.saved_model.SaveOptions(experimental_custom_gradients=True).function_aliases
    {}
    """

    namespace_whitelist: Any = None
    save_debug_info: bool = False
    function_aliases: dict = field(default_factory=dict)
    experimental_debug_stripper: bool = False
    experimental_io_device: str | None = None
    experimental_variable_policy: Any = None
    experimental_custom_gradients: bool = True
    experimental_image_format: bool = False
    experimental_skip_saver: bool = False
    experimental_sharding_callback: Any = None
    extra_tags: Any = None


@public("saved_model.LoadOptions")
@dataclass
class LoadOptions:
    """Options of `saved_model.load`. None of them changes what is loaded.

    >>> import allograph as ag
    >>> ag.saved_model.LoadOptions().experimental_io_device
    """

    allow_partial_checkpoint: bool = False
    experimental_io_device: str | None = None
    experimental_skip_checkpoint: bool = False
    experimental_variable_policy: Any = None
    experimental_load_function_aliases: bool = False


@public("train.CheckpointOptions")
@dataclass
class CheckpointOptions:
    """Options of `train.Checkpoint`. None of them changes the files, which are written at once.

    >>> import allograph as ag
    >>> ag.train.CheckpointOptions(experimental_io_device="/job:localhost").enable_async
    False
    """

    experimental_io_device: str | None = None
    experimental_enable_async_checkpoint: bool = False
    experimental_write_callbacks: Any = None
    enable_async: bool = False
    experimental_sharding_callback: Any = None
    experimental_skip_slot_variables: bool = False


for _name, _value in {
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
    "PREDICT_INPUTS": "inputs",
    "PREDICT_OUTPUTS": "outputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
    "SERVING": "serve",
    "TRAINING": "train",
    "GPU": "gpu",
    "TPU": "tpu",
    "CLASSIFY_INPUTS": "inputs",
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "REGRESS_INPUTS": "inputs",
    "REGRESS_OUTPUTS": "outputs",
}.items():
    expose(_value, f"saved_model.{_name}")
