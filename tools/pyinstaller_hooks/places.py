"""Where PyInstaller finds the hook of this package."""

import os


def folders() -> list[str]:
    """The folders with hooks of this package; the entry point `pyinstaller40` names this function.

    >>> [os.path.basename(folder) for folder in folders()]
    ['pyinstaller_hooks']
    """
    return [os.path.dirname(__file__)]
