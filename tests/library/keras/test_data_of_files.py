"""Images and texts of directories, batches of `PyDataset`, and parts of datasets."""

import numpy as np
import pytest

import allograph as ag

utils = ag.keras.utils


class Batches(utils.PyDataset):
    def __init__(self):
        super().__init__()
        self.passes, self.seen = 0, []

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.seen.append(index)
        return np.full((2, 1), index, np.float32), np.zeros((2, 1), np.float32)

    def on_epoch_end(self):
        self.passes += 1


def test_a_model_trains_on_batches_that_are_indexed():
    batches = Batches()
    model = ag.keras.Sequential([ag.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(batches, epochs=2, verbose=0)
    assert batches.passes == 2
    assert sorted(batches.seen) == [0, 0, 1, 1, 2, 2]
    batches.seen.clear()
    assert model.predict(batches, verbose=0).shape == (6, 1)
    assert batches.seen == [0, 1, 2]


def test_parts_of_a_dataset():
    data = ag.data.Dataset.range(10)
    one, other = utils.split_dataset(data, left_size=0.7)
    assert ([int(x) for x in one], [int(x) for x in other]) == ([*range(7)], [7, 8, 9])
    one, other = utils.split_dataset(data, right_size=4, shuffle=True, seed=1)
    assert sorted(int(x) for part in (one, other) for x in part) == [*range(10)]
    with pytest.raises(ValueError, match="elements"):
        utils.split_dataset(data, left_size=20)


@pytest.fixture
def pictures(tmp_path):
    pytest.importorskip("PIL")
    for number, name in enumerate(["cats", "dogs"]):
        (tmp_path / name).mkdir()
        for index in range(4):
            pixels = np.full((6, 5, 3), 100 * number + 10 * index)
            utils.save_img(tmp_path / name / f"{index}.png", pixels, scale=False)
    return tmp_path


def test_images_of_folders_are_classes(pictures):
    data = utils.image_dataset_from_directory(
        pictures, image_size=(4, 3), batch_size=3, shuffle=False
    )
    assert data.class_names == ["cats", "dogs"]
    batches = [(x.numpy(), y.numpy()) for x, y in data]
    assert [x.shape for x, _ in batches] == [(3, 4, 3, 3)] * 2 + [(2, 4, 3, 3)]
    labels = np.concatenate([y for _, y in batches])
    assert labels.tolist() == [0] * 4 + [1] * 4
    first = np.concatenate([x[:, 0, 0, 0] for x, _ in batches])
    assert first.round(3).tolist() == [0, 10, 20, 30, 100, 110, 120, 130]


def test_subsets_have_no_images_in_common(pictures):
    seen = [
        x.numpy()[0, 0, 0]
        for subset in ("training", "validation")
        for x, _ in utils.image_dataset_from_directory(
            pictures, image_size=(2, 2), batch_size=None, color_mode="grayscale", seed=4,
            label_mode="categorical", validation_split=0.25, subset=subset,
        )
    ]  # fmt: skip
    assert sorted(seen) == [0, 10, 20, 30, 100, 110, 120, 130]
    with pytest.raises(ValueError, match="give a seed"):
        utils.image_dataset_from_directory(pictures, validation_split=0.5, subset="training")


def test_a_file_that_other_programs_execute_is_no_image(tmp_path):
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n"
    (tmp_path / "drawing.png").write_bytes(postscript)
    with pytest.raises(ag.errors.InvalidArgumentError, match="cannot be read"):
        utils.load_img(tmp_path / "drawing.png")
    with pytest.raises(ag.errors.NotFoundError):
        utils.load_img(tmp_path / "nothing.png")


def test_images_of_pillow(pictures):
    image = utils.load_img(pictures / "dogs" / "1.png", target_size=(3, 4))
    assert image.size == (4, 3)
    assert (utils.img_to_array(image) == 110).all()
    assert utils.img_to_array(utils.load_img(pictures / "dogs" / "1.png", "grayscale")).shape == (
        6, 5, 1,
    )  # fmt: skip
    whole = utils.load_img(pictures / "dogs" / "1.png", target_size=(4, 4), keep_aspect_ratio=True)
    assert whole.size == (4, 4)
    with pytest.raises(ValueError, match="color_mode"):
        utils.load_img(pictures / "dogs" / "1.png", "cmyk")
    with pytest.raises(ValueError, match="an image is"):
        utils.array_to_img(np.ones([2, 2]))


def test_texts_of_folders(tmp_path):
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.txt").write_text(f"it was {name}")
    data = utils.text_dataset_from_directory(
        tmp_path, label_mode="binary", shuffle=False, max_length=10
    )
    ((texts, labels),) = data
    assert texts.numpy().tolist() == [b"it was bad", b"it was goo"]
    assert labels.numpy().tolist() == [[0.0], [1.0]]
    with pytest.raises(FileNotFoundError):
        utils.text_dataset_from_directory(tmp_path / "none")
