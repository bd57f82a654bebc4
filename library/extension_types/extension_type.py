"""`ExtensionType`: classes of typed, immutable fields, which functions take and return."""

from __future__ import annotations

import abc
import functools
import inspect
import sys
import types
import typing

from ... import Tensor, TypeSpec
from ...extend import nest
from ...extend.operations import OPERATIONS
from ...extend.registration import expose, public
from ...extend.specs import ExtensionSpec, trace_type, value_of
from . import api_dispatch
from .field_types import check, fit, may_hold_tensors


class _Meta(abc.ABCMeta):
    """Calling a class creates an instance, converts its fields and makes it immutable."""

    def __call__(cls, *args, **kwargs):
        value = super().__call__(*args, **kwargs)
        for name, annotation in cls._annotations().items():
            if name not in value.__dict__:
                raise AttributeError(f"{cls.__name__}: the field '{name}' has no value")
            value.__dict__[name] = fit(value.__dict__[name], annotation, f"{cls.__name__}.{name}")
        value.__dict__["_is_complete"] = True
        value.__validate__()
        return value


@public("experimental.ExtensionType")
class ExtensionType(metaclass=_Meta):
    """Base of classes whose annotated fields are typed and immutable, tensors among them.

    Such a value can be an argument and a result of a decorated function and a variable of a staged
    loop or branch. Its tensors go through the graph; its other fields belong to the trace, which
    is made for the class and these fields (`value.Spec` is the type).

    Fields are tensors (`ag.Tensor`, or a `TensorSpec`), numbers, text, None, DType, TensorShape,
    other extension types, and `tuple`, `Mapping`, `Union` and `Literal` of them. They may have
    defaults. A constructor of your own may assign them; `__validate__` may check them. A class
    `Spec` inside may give the type another constructor, which assigns a spec to each field.

    >>> import allograph as ag
    >>> class Masked(ag.experimental.ExtensionType):
    ...     values: ag.Tensor
    ...     factor: int = 1
    >>> @ag.function
    ... def doubled(m):
    ...     return Masked(m.values * 2, m.factor)
    >>> doubled(Masked([1, 2], factor=3))
    Masked(values=<ag.Tensor: shape=(2,), dtype=int32, numpy=array([2, 4], dtype=int32)>, factor=3)

    Raises TypeError where a value does not fit its field, AttributeError when a field is set later.
    """

    __tf_composite__ = True  # a leaf of the structures that users walk, unless they ask
    _fields = {}  # type: ignore[var-annotated]  # annotation by name
    _moving = ()  # the names of those that may hold tensors
    _parameters = inspect.Signature()
    _is_resolved = True

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        own = _own_annotations(cls)
        if "Spec" in own or any(name.startswith("_tf_") for name in own):
            raise ValueError(f"{cls.__name__}: a field may not be called 'Spec' or '_tf_...'")
        inherited = [base._fields for base in cls.__mro__[1:] if hasattr(base, "_fields")]
        cls._fields = {**(inherited[0] if inherited else {}), **own}
        cls._parameters = cls._signature()
        cls._resolve(_names_around(cls))
        cls.Spec = _spec_class(cls, cls.__dict__.get("Spec"))
        cls.Spec.__qualname__ = f"{cls.__qualname__}.Spec"
        cls.Spec.__module__ = cls.__module__
        if "__init__" not in cls.__dict__:
            cls.__signature__ = cls._parameters

    @classmethod
    def _resolve(cls, names) -> None:
        """Evaluate string annotations; a name that does not exist yet is tried again later."""
        module = sys.modules.get(cls.__module__, typing)
        try:
            hints = typing.get_type_hints(cls, vars(module), {**names, cls.__name__: cls})
        except NameError:
            cls._is_resolved = False
            return
        found = {name: hints[name] for name in cls._fields}
        for name, annotation in found.items():
            check(annotation, f"{cls.__name__}.{name}")
        cls._fields, cls._is_resolved = found, True
        cls._moving = tuple(name for name, one in found.items() if may_hold_tensors(one))

    @classmethod
    def _annotations(cls) -> dict:
        if not cls._is_resolved:
            cls._resolve({})
        if not cls._is_resolved:
            raise TypeError(f"{cls.__name__}: the type of a field is a name that does not exist")
        return cls._fields

    @classmethod
    def _signature(cls) -> inspect.Signature:
        make, parameters = inspect.Parameter, []
        for name in cls._fields:
            default = getattr(cls, name, make.empty)
            parameters.append(make(name, make.POSITIONAL_OR_KEYWORD, default=default))
        try:
            return inspect.Signature(parameters)
        except ValueError as error:
            raise ValueError(f"{cls.__name__}: {error}") from None

    def __init__(self, *args, **kwargs):
        if len(args) == len(self._fields) and not kwargs:
            self.__dict__.update(zip(self._fields, args, strict=True))
            return
        try:
            bound = self._parameters.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}: {error}") from None
        bound.apply_defaults()
        self.__dict__.update(bound.arguments)

    def __validate__(self) -> None:
        """Raise an error if the fields are inconsistent; subclasses override it."""

    def __setattr__(self, name, value):
        if "_is_complete" in self.__dict__:
            raise AttributeError(f"{type(self).__name__} does not change: '{name}' cannot be set")
        if name not in self._fields:
            raise AttributeError(f"{type(self).__name__} declares no field '{name}'")
        self.__dict__[name] = value

    def __delattr__(self, name):
        raise AttributeError(f"{type(self).__name__} does not change: '{name}' cannot be deleted")

    def __eq__(self, other):
        """Whether types, shapes and all elements agree; a boolean tensor where tensors decide."""
        if type(self) is not type(other):
            return NotImplemented
        if trace_type(self) != trace_type(other):
            return False
        pairs = zip(nest.flatten(self), nest.flatten(other), strict=True)
        tests = [OPERATIONS["equal"](a, b) for a, b in pairs if isinstance(a, Tensor)]
        tests = [OPERATIONS["reduce_all"](test) for test in tests]
        return functools.reduce(OPERATIONS["logical_and"], tests) if tests else True

    def __ne__(self, other):
        same = self.__eq__(other)
        if same is NotImplemented:
            return True
        return not same if isinstance(same, bool) else ~same

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self):
        rows = ", ".join(f"{name}={self.__dict__.get(name)!r}" for name in self._fields)
        return f"{type(self).__qualname__}({rows})"

    @staticmethod
    def __tf_dispatch__(function, args, kwargs):
        return api_dispatch.dispatch(function, args, kwargs)

    # ---- in graphs -----------------------------------------------------------------------

    def __tf_tracing_type__(self, context):
        return self.Spec.of_fields({name: trace_type(self.__dict__[name]) for name in self._fields})

    def __tf_flatten__(self):
        """Trace types of constant fields (None for others), and the values of the others."""
        moving = self._moving
        fixed = tuple(
            (name, None if name in moving else trace_type(self.__dict__[name]))
            for name in self._fields
        )
        return fixed, tuple(self.__dict__[name] for name in moving)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        moving = iter(components)
        return cls._with_fields(
            {
                name: next(moving) if field_type is None else value_of(field_type)
                for name, field_type in metadata
            }
        )

    @classmethod
    def _with_fields(cls, fields: dict):
        """An instance with these fields, without checks."""
        value = object.__new__(cls)
        value.__dict__.update(fields, _is_complete=True)
        return value


ExtensionSpec.value_type = ExtensionType
expose(ExtensionSpec, "experimental.ExtensionTypeSpec")


def _spec_class(cls, custom: type | None) -> type:
    """The class of a type's specs; `custom` may give it another constructor and other methods."""
    if custom is None:
        return type("Spec", (ExtensionSpec,), {"value_type": cls})
    members: dict = {"value_type": cls}
    if "__init__" in custom.__dict__:

        def initialize(self, *args, **kwargs):
            custom.__init__(self, *args, **kwargs)  # type: ignore[misc]
            self.fields = {name: trace_type(self.__dict__.pop(name)) for name in cls._fields}

        members["__init__"] = initialize
    return type("Spec", (custom, ExtensionSpec), members)


def _own_annotations(cls) -> dict:
    """The annotations of a class body; names in them need not exist yet."""
    if sys.version_info >= (3, 14):
        import annotationlib  # new in Python 3.14

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return inspect.get_annotations(cls)


def _names_around(cls) -> dict:
    """The names in scope where a class is being defined."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") != cls.__module__:
        frame = frame.f_back
    return {} if frame is None else {**frame.f_globals, **frame.f_locals}


@public("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An `ExtensionType`, each of whose tensors gets a batch axis in batches of datasets.

    All extension types can be batched here, field by field.

    >>> import allograph as ag
    >>> class Point(ag.experimental.BatchableExtensionType):
    ...     x: ag.Tensor
    >>> points = ag.data.Dataset.range(2).map(lambda i: Point(i))
    >>> [batch.x.numpy().tolist() for batch in points.batch(2)]
    [[0, 1]]
    """


@public("type_spec_from_value")
def type_spec_from_value(value) -> TypeSpec:
    """The spec of a tensor or of an extension type's value.

    >>> import allograph as ag
    >>> ag.type_spec_from_value(ag.constant([1, 2]))
    TensorSpec(shape=(2,), dtype=ag.int32, name=None)

    Raises TypeError for other values.
    """
    result = trace_type(value)
    if not isinstance(result, TypeSpec):
        raise TypeError(f"{value!r} has no type specification")
    return result


@public("experimental.extension_type.as_dict")
def as_dict(value: ExtensionType) -> dict:
    """The fields of an extension value by name.

    >>> import allograph as ag
    >>> class Pair(ag.experimental.ExtensionType):
    ...     first: int
    ...     second: int
    >>> ag.experimental.extension_type.as_dict(Pair(1, 2))
    {'first': 1, 'second': 2}
    """
    return {name: value.__dict__[name] for name in value._fields}
