"""The notebooks of the examples run, and their cells show HTML."""

from pathlib import Path

import nbclient
import nbformat
import pytest

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).parents[3] / "examples" / "notebooks"
# In each notebook, what its outputs show, in order.
SHOWN = {
    "first_steps": ["curve of 200", "heat map of", "operations", "native", "generated code"],
    "numpy_functions": ["heat map of", "jit function"],
    "training": [
        "Dataset",
        "parameters",
        "Epoch 40/40 - loss",
        "curve of 40",
        "heat map of 64 x 64",
    ],
}


def test_every_notebook_is_known():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == SHOWN.keys()


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows_what_it_makes(name, monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")  # the kernel's own, about its debugger
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    pages = []
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            shown = output.get("data", {})
            pages.append(shown.get("text/html", shown.get("text/plain", "")))
    at = 0
    for wanted in SHOWN[name]:
        found = [index for index, page in enumerate(pages[at:], at) if wanted in page]
        assert found, wanted
        at = found[0]
