"""The public vocabulary as a whole."""

from allograph.runtime.core.public_names import PUBLIC, index, lookup


def public_objects() -> dict[str, object]:
    """Every public name with its object. All modules that register names are imported."""
    return {name: lookup(name) for name in {**PUBLIC, **index()}}
