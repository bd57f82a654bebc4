"""The list of packages, and the wheel built from it."""

import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from shutil import copytree, ignore_patterns, make_archive

import pytest
from source_tree import ROOMS

import allograph

ROOT = Path(__file__).parents[2]
FOLDERS = (*ROOMS, "docs", "examples", "tests", "benchmarks", ".github")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages_on_disk():
    folders = {path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    return {".".join(("allograph", *folder.relative_to(ROOT).parts)) for folder in folders}


def test_the_package_list_names_every_folder_with_python_files_and_no_other():
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted({"allograph"} | packages_on_disk())


def test_every_package_folder_has_an_init_file():
    for package in PROJECT["tool"]["setuptools"]["packages"]:
        folder = ROOT.joinpath(*package.split(".")[1:])
        assert (folder / "__init__.py").is_file(), package


def test_every_dependency_has_its_reason_in_the_documentation():
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(row for rows in extras for row in rows)]
    names = {re.match(r"[\w-]+", row).group() for row in wanted} - {"allograph"}
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE))
    assert documented == names


SHELL = ("*.md", "*.py", "*.toml", "*.txt", "*.yml", "Makefile")


def test_extras_are_quoted_wherever_they_are_installed():
    """Brackets are patterns of files for zsh, the shell of macOS."""
    folders = [ROOT.joinpath(folder) for folder in FOLDERS]
    texts = [path for pattern in SHELL for folder in folders for path in folder.rglob(pattern)]
    texts += [path for pattern in SHELL for path in ROOT.glob(pattern)]
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in texts
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"pip install (--?\S+ )*[\w.]+\[", line)
    ]
    assert len(texts) > 1000
    assert not found


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The Python of a clean environment in which the built wheel is installed.

    Its dependencies are those of the running environment, joined by a path file after the
    installation, so that no network is needed and the editable installation stays out of sight.
    """
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
        "--wheel-dir", folder, copy_of_the_sources(folder / "sources"))  # fmt: skip
    (wheel,) = folder.glob("allograph-*.whl")
    venv.create(folder / "clean", with_pip=False)
    paths = {"base": str(folder / "clean"), "platbase": str(folder / "clean")}
    scheme = sysconfig.get_preferred_scheme("prefix")
    python = Path(sysconfig.get_path("scripts", scheme, paths)) / Path(sys.executable).name
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps",
        "--no-index", wheel)  # fmt: skip
    site = Path(sysconfig.get_path("purelib", scheme, paths))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python, wheel


def copy_of_the_sources(folder):
    """The files of the packages, so that a build leaves nothing in the checkout."""
    keep_out = ignore_patterns("__pycache__", ".*", "build", "dist", "*.egg-info", "demo-output")
    return copytree(ROOT, folder, ignore=keep_out)


def run(*command, **options):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_zip_file_of_the_package_can_be_imported(tmp_path):
    root = copy_of_the_sources(tmp_path / "sources" / "allograph").parent
    archive = make_archive(str(tmp_path / "packages"), "zip", root)
    script = (
        f"import sys; sys.path.insert(0, {archive!r})\n"
        "import allograph as ag\n"
        "print(ag.__file__)\n"
        "draw = ag.function(lambda: ag.random.normal([3]), jit_compile=True)\n"
        "print(draw().shape)\n"
        "try:\n"
        "    ag.linalg.inverse\n"
        "except AttributeError as error:\n"
        "    print(error)\n"
    )
    place, shape, error = run(sys.executable, "-E", "-c", script, cwd=tmp_path).splitlines()
    assert place.startswith(archive)
    assert shape == "(3,)"
    assert error.endswith("Use ag.linalg.inv(x).")


@pytest.mark.slow
def test_the_wheel_works_in_a_clean_environment_from_another_directory(installed, tmp_path):
    python, _ = installed
    script = tmp_path / "use.py"
    script.write_text(
        "import allograph as ag\n"
        "@ag.function\n"
        "def double_until_large(x):\n"
        "    while ag.reduce_sum(x) < 100:\n"
        "        x = x * 2\n"
        "    return x\n"
        "print(ag.__file__)\n"
        "print(double_until_large(ag.constant([1.0, 2.0])).numpy().tolist())\n",
        encoding="utf-8",
    )
    place, answer = run(python, "-E", script, cwd=tmp_path).splitlines()
    assert not Path(place).is_relative_to(ROOT)
    assert answer == "[64.0, 128.0]"


@pytest.mark.slow
def test_the_wheel_imports_every_module_and_brings_the_command(installed, tmp_path):
    python, _ = installed
    modules = run(
        python, "-c",
        "from allograph.loading import SUBPACKAGES, modules\n"
        "for module in modules(*SUBPACKAGES): print(module.__name__)\n",
        cwd=tmp_path,
    ).split()  # fmt: skip
    assert {"allograph.runtime.ir.op", "allograph.tools.cli"} <= set(modules)
    assert "usage" in run(python.with_name("allograph"), "--help", cwd=tmp_path).lower()


@pytest.mark.slow
def test_the_wheel_is_small_pure_python_and_holds_the_package_alone(installed):
    from zipfile import ZipFile

    _, wheel = installed
    assert wheel.name.endswith("-py3-none-any.whl")
    assert wheel.stat().st_size < 2_450_000
    names = ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"allograph", f"allograph-{allograph.__version__}.dist-info"}
    inside = [name.split("/")[1:] for name in names if name.startswith("allograph/")]
    assert {path[0] for path in inside if len(path) > 1} == set(ROOMS)
    assert ["py.typed"] in inside
    assert ["library", "explore", "dagre.LICENSE.txt"] in inside  # beside the code of others
    assert ["tools", "reference_examples.txt"] in inside
