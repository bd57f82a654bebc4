"""Damaged and hostile files by the thousand: `python tests/helpers/hostile_files.py all 1000`.

Each file is made from a good one by changing bytes, numbers, words or structures, often with its
checksum made right again. Reading it has to end with a value or one of the documented errors:
without a signal, a hang, a large allocation, code that runs, or a file that is written. Ends with
status 1 and the cases that did not.
"""

import contextlib
import difflib  # noqa: F401 - messages import it, which executes text
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import hostile_formats
import hostile_models
from hostile_changes import change
from hostile_formats import Format, Layer

FORMATS = hostile_formats.FORMATS | hostile_models.FORMATS
SECONDS = 20  # of processor time, for one file
MEMORY = 4 << 30  # bytes of address space beyond those that the process has


# ---- what must not happen --------------------------------------------------------------------


class Hang(BaseException):
    """Reading took too long."""


FORBIDDEN = re.compile(
    r"os\.(system|exec|fork|posix_spawn|spawn|remove|rename|rmdir|truncate|link|symlink|chmod|kill)"
    r"|subprocess|pickle|code\.__new__|socket|shutil|ctypes\.dlopen|urllib"
)
OWN_CODE = ("<allograph ", "<frozen ")  # the names of code that this package and Python make
OWN_CALLER = os.path.join("runtime", "core", "classes.py")  # which writes constructors
_events: list[str] = []
_is_watching = False


def watch(event: str, arguments: tuple) -> None:
    """Note what no reader does: run code of a file, write, or leave the folder."""
    if not _is_watching or threading.current_thread() is not threading.main_thread():
        return  # the background compiler imports what it needs
    if event == "exec":
        file = arguments[0].co_filename
        caller = sys._getframe(1).f_code.co_filename
        is_own = file.startswith(OWN_CODE) or caller.endswith(OWN_CALLER)
        if not is_own and not file.endswith(".py"):
            _events.append(f"exec {file!r}")
    elif event == "open":
        path, mode, flags = arguments
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (writes or set(mode or "") & set("wax+")) and "__pycache__" not in str(path):
            _events.append(f"open {path!r} {mode!r}")
    elif FORBIDDEN.match(event):
        _events.append(f"{event} {arguments!r}"[:200])


def _interrupt(*_) -> None:
    raise Hang


@contextlib.contextmanager
def watched() -> Iterator[None]:
    global _is_watching
    _events.clear()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    _is_watching = True
    try:
        yield
    finally:
        _is_watching = False
        signal.setitimer(signal.ITIMER_PROF, 0)


def case(one: Format, folder: Path, layers: list[Layer], number: str) -> str | None:
    """Read one changed file; what went wrong, an empty string, or None where it is refused."""
    choose = random.Random(number)
    layer = choose.choice(layers)
    content = layer.content
    for _ in range(choose.choice([1, 1, 1, 2, 4])):
        content = change(content, choose)[: 1 << 22]
    layer.path.write_bytes(layer.file(content))
    try:
        with watched():
            one.read(folder)
    except one.errors:
        return None if not _events else f"code ran, or files were written: {_events}"
    except BaseException:
        return traceback.format_exc()
    return "" if not _events else f"code ran, or files were written: {_events}"


# ---- other things in place of a file ---------------------------------------------------------

# The formats whose files this package opens itself.
OPENED = {
    "manifest", "checkpoint", "checkpoint state", "dataset", "records", "gzip", "zlib", "table",
    "weights", "model", "onnx", "words", "image file",
}  # fmt: skip
SECRET = "root:x:0:0:a secret of this user\nanother line\n"


def linked(path: Path) -> None:
    secret = path.parent / "secret"
    secret.write_text(SECRET)
    path.symlink_to(secret)


def hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


PLACED: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo if hasattr(os, "mkfifo") else Path.touch,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a hole": hole,
    "a link to another file": linked,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "an empty file": Path.touch,
    "nothing": lambda path: None,
}


def replaced(name: str, good: Path, folder: Path) -> list[str]:
    """Read a format with something else in place of each of its files."""
    one, broken = FORMATS[name], []
    files = [path.relative_to(good) for path in sorted(good.rglob("*")) if path.is_file()]
    for file in files if name in OPENED else ():
        for what, place in PLACED.items():
            shutil.rmtree(folder)
            shutil.copytree(good, folder)
            (folder / file).unlink()
            place(folder / file)
            signal.alarm(SECONDS)  # a pipe takes no time of the processor
            try:
                one.read(folder)
            except (*one.errors, *hostile_formats.ERRORS) as error:
                if "secret of" in str(error):
                    broken.append(f"{name}, {what} as {file}: {error}")
            except BaseException:
                broken.append(f"{name}, {what} as {file}: {traceback.format_exc()}")
            finally:
                signal.alarm(0)
    return broken


# ---- the command -----------------------------------------------------------------------------


def run(name: str, count: int, seed: int) -> tuple[int, list[str]]:
    """How many files of a format are refused, and the cases that ended otherwise."""
    one, broken, refused = FORMATS[name], [], 0
    with tempfile.TemporaryDirectory() as temporary:
        good, folder = Path(temporary, "good"), Path(temporary, "changed")
        good.mkdir()
        one.write(good)
        shutil.copytree(good, folder)
        one.read(folder)  # also imports what reading imports
        broken += replaced(name, good, folder)
        for position in range(count):
            shutil.rmtree(folder)
            shutil.copytree(good, folder)
            number = f"{name} {seed} {position}"
            found = case(one, folder, one.layers(folder), number)
            refused += found is None
            if found:
                broken.append(f"{number}: {found}")
    return refused, broken


def main() -> int:
    names, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if sys.platform == "linux":
        import resource

        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    signal.signal(signal.SIGPROF, _interrupt)
    signal.signal(signal.SIGALRM, _interrupt)
    sys.addaudithook(watch)
    total = 0
    for each in FORMATS if names == "all" else names.split(","):
        begin = time.perf_counter()
        refused, broken = run(each, count, seed)
        total += len(broken)
        seconds = time.perf_counter() - begin
        print(f"{each}: {count} files, {refused} refused, {len(broken)} broken, {seconds:.1f} s")
        for text in broken[:5]:
            print(text, flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
