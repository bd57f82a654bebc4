"""How many examples a property test tries."""

from hypothesis import settings


def examples(count: int, **others) -> settings:
    """Settings for `count` examples of a hundred that others try: fewer in the quick run, more
    where tests search for faults.
    """
    return settings(max_examples=max(1, count * settings.default.max_examples // 100), **others)
