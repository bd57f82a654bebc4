"""The examples, run as a user runs them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[2] / "examples"


def output_of(name, *words, cwd=None):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, words)],
        capture_output=True, text=True, check=False, cwd=cwd,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # small products, and other tests beside
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_collatz_finds_the_longest_run():
    assert "below 1000, 871 takes the most steps: 178" in output_of("collatz.py", 1000)


def test_newton_finds_square_roots():
    lines = output_of("newton.py", 2, 144).splitlines()
    assert lines[0].startswith("the square root of 2 is 1.414213562, after ")
    assert lines[1].startswith("the square root of 144 is 12, after ")


def test_newton_refuses_a_negative_number():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "newton.py", "-4"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "a negative number has no square root" in done.stderr


def word_for(n):
    if n % 15 == 0:
        return "fizzbuzz"
    return "fizz" if n % 3 == 0 else "buzz" if n % 5 == 0 else str(n)


def test_fizzbuzz_is_traced_once_and_prints_every_number_in_order():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "fizzbuzz.py", "20"], capture_output=True, text=True, check=True
    )
    said = (done.stdout + done.stderr).split()
    assert said.count("traced") == 1
    assert [word for word in said if word != "traced"] == [
        *map(word_for, range(1, 21)),
        "1",
        "2",
        "fizz",
    ]


def test_mandelbrot_draws_the_set():
    picture = output_of("mandelbrot.py", 60).splitlines()
    assert len(picture) == 20
    assert max(map(len, picture)) <= 60
    middle = picture[len(picture) // 2]
    assert "@@@@" in middle and middle.startswith(".")


def test_digits_are_read_well(tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    text = output_of("digits.py", tmp_path, "both", 20)
    shares = [float(share) for share in re.findall(r"([\d.]+) % of the images", text)]
    assert len(shares) == 2 and min(shares) > 96
    assert min(path.stat().st_size for path in tmp_path.glob("digits-*.png")) > 10_000


def test_characters_are_learned_a_little(tmp_path):
    pytest.importorskip("matplotlib")
    text = output_of("characters.py", 10, tmp_path)
    before, after = map(float, re.search(r"from ([\d.]+) to ([\d.]+) nats", text).groups())
    assert after <= before < 5
    assert (tmp_path / "characters.png").stat().st_size > 5_000


@pytest.mark.slow
def test_the_demonstration_denoises_a_photograph_and_shows_how(tmp_path):
    text = output_of("denoise.py", tmp_path / "pictures", cwd=tmp_path)
    before, after = map(float, re.search(r"quality ([\d.]+) dB before, ([\d.]+) dB", text).groups())
    assert after > before + 5
    assert "def if_body_1" in text and "ag__.while_stmt(" in text
    before, after = map(int, re.search(r"has (\d+) operations, (\d+) after", text).groups())
    assert 0 < after <= before
    pictures = {path.name: path.stat().st_size for path in (tmp_path / "pictures").iterdir()}
    assert set(pictures) == {"before.png", "after.png", "before-after.png", "convergence.png"}
    assert min(pictures.values()) > 10_000


# In the gallery: the arguments of a small run, the picture, and what is printed.
GALLERY = {
    "reaction_diffusion.py": (["400", "60"], "reaction_diffusion.png", "400 steps took"),
    "ray_marcher.py": (["80"], "ray_marcher.png", "3,600 rays took"),
    "n_body.py": (["30", "50"], "n_body.png", "45,000 forces took"),
    "kalman_filter.py": (["40"], "kalman_filter.png", "noise: true 0.40 m, learned 0."),
    "game_of_life.py": (["100", "40"], "game_of_life.gif", "160,000 cells took"),
    "mandelbrot_zoom.py": (["4", "40"], "mandelbrot_zoom.gif", "4,800 orbits took"),
    "language_model.py": (["30"], "language_model.png", "30 steps: from 4."),
}


def test_the_gallery_is_tested():
    assert GALLERY.keys() == {path.name for path in (EXAMPLES / "gallery").glob("*.py")}


@pytest.mark.parametrize("name", GALLERY)
def test_an_example_of_the_gallery_makes_its_picture(name, tmp_path):
    pytest.importorskip("matplotlib")
    arguments, picture, said = GALLERY[name]
    assert said in output_of(f"gallery/{name}", tmp_path, *arguments)
    assert (tmp_path / picture).stat().st_size > 1_000


def test_a_file_of_the_gallery_is_read_at_once():
    for name in GALLERY:
        lines = (EXAMPLES / "gallery" / name).read_text(encoding="utf-8").splitlines()
        assert len(lines) < 80, name


def test_scipy_calls_machine_code_with_the_results_of_python():
    lines = output_of("scipy_callbacks.py").splitlines()  # it compares them itself
    assert [line.split(":")[0] for line in lines] == ["integrate.quad", "ndimage.generic_filter"]


def test_an_image_is_denoised_block_by_block(tmp_path):
    shown = output_of("denoise_large.py", 300, tmp_path)
    before, after = re.search("the error was ([0-9.]+), it is ([0-9.]+)[.]", shown).groups()
    assert float(after) < 0.9 * float(before)
    assert "1 traces" in shown


def test_two_workers_learn_to_read_digits(tmp_path):
    shown = output_of("digits_on_workers.py", 2, 1, tmp_path)
    assert re.search("Epoch 1/1 - loss: [0-9.]+ - accuracy: 0.[0-9]+", shown)
