"""PyInstaller's hook. Modules are found by name when they are first used, which no scan of imports
sees, and some functions of the package are converted or compiled from their source.
"""

from PyInstaller.utils.hooks import (  # type: ignore[import-untyped]
    collect_data_files,
    collect_submodules,
)

hiddenimports = collect_submodules("allograph", on_error="ignore")
datas = collect_data_files("allograph")
excludedimports = ["IPython", "jax", "tkinter", "torch"]  # which the package meets, and never needs
module_collection_mode = {"allograph": "pyz+py"}
