"""Layers of images: sizes, and changes at random during training."""

import numpy as np
import pytest

import allograph as ag

layers = ag.keras.layers
IMAGES = (np.arange(48).reshape(2, 4, 6, 1) * 5 % 97).astype(np.float32)


def first(images):
    return images.numpy()[0, ..., 0].round(4).tolist()


def test_images_are_resized_cut_or_padded():
    assert first(layers.Resizing(2, 3)(IMAGES)) == [[17.5, 27.5, 37.5], [77.5, 39.0, 49.0]]
    square = layers.Resizing(2, 2, "nearest", crop_to_aspect_ratio=True)(IMAGES)
    assert first(square) == [[40, 50], [3, 13]]
    padded = layers.Resizing(6, 6, pad_to_aspect_ratio=True, fill_value=-1.0)(IMAGES)
    assert first(padded)[0] == [-1] * 6 and first(padded)[1:5] == first(ag.constant(IMAGES))


def test_the_middle_of_images_is_resized_where_they_are_too_small():
    assert first(layers.CenterCrop(2, 3)(IMAGES)) == [[35, 40, 45], [65, 70, 75]]
    assert layers.CenterCrop(3, 3)(IMAGES[0]).shape == (3, 3, 1)
    assert first(layers.CenterCrop(6, 4)(IMAGES))[0] == [10.0, 11.25, 13.75, 15.0]


# The first row of the first image, where the random numbers have one possible value.
MOVED = {
    "reflect": ([1.25, 1.25, 8.75, 16.25, 23.75, 23.75], [12, 17, 22, 27, 31, 30]),
    "wrap": ([16.75, 91.25, 26, 9.25, 16.75, 91.25], [74.48, 17.4, 22.4, 27.4, 84, 85]),
    "nearest": ([0, 1.25, 8.75, 16.25, 23.75, 25], [6, 11, 16, 21, 25, 25]),
    "constant": ([0, 0.3125, 2.1875, 4.0625, 5.9375, 0], [0, 0, 0, 0, 0, 0]),
}


@pytest.mark.parametrize("mode", MOVED)
def test_pixels_beyond_the_border_are_filled(mode):
    zoomed, shifted = MOVED[mode]
    zoom = layers.RandomZoom((0.5, 0.5), fill_mode=mode)
    shift = layers.RandomTranslation((0.3, 0.3), (-0.2, -0.2), fill_mode=mode)
    np.testing.assert_allclose(zoom(IMAGES)[0, 0, :, 0], zoomed, rtol=1e-5)
    np.testing.assert_allclose(shift(IMAGES)[0, 0, :, 0], shifted, rtol=1e-4, atol=1e-6)


def test_four_quarters_of_a_circle_are_the_image_again():
    square = IMAGES[:, :, :4]
    quarter = layers.RandomRotation((0.25, 0.25))
    np.testing.assert_allclose(quarter(square), np.rot90(square, axes=(1, 2)), atol=1e-3)
    turned = square
    for _ in range(4):
        turned = quarter(turned)
    np.testing.assert_allclose(turned, square, atol=1e-3)


def test_brightness_and_contrast_stay_within_the_range():
    bright = layers.RandomBrightness((0.2, 0.2), value_range=(0, 100))(IMAGES)
    np.testing.assert_allclose(bright, np.minimum(IMAGES + 20, 100))
    contrast = layers.RandomContrast(0.5)(IMAGES)
    assert float(ag.reduce_min(contrast)) >= 0 and contrast.shape == IMAGES.shape


def test_images_change_during_training_only():
    model = ag.keras.Sequential(
        [layers.RandomFlip(), layers.RandomZoom(0.3), layers.RandomCrop(4, 6)]
    )
    assert np.array_equal(model(IMAGES, training=False), IMAGES)
    flipped = np.concatenate([layers.RandomFlip("horizontal", seed=1)(IMAGES) for _ in range(8)])
    are_mirrored = [np.array_equal(one[:, ::-1], IMAGES[i % 2]) for i, one in enumerate(flipped)]
    are_same = [np.array_equal(one, IMAGES[i % 2]) for i, one in enumerate(flipped)]
    assert np.logical_xor(are_mirrored, are_same).all() and 0 < sum(are_mirrored) < 16


def test_layers_of_images_are_steps_of_datasets():
    steps = ag.keras.Sequential(
        [layers.RandomRotation(0.1), layers.RandomCrop(2, 2), layers.Resizing(3, 3)]
    )
    data = ag.data.Dataset.from_tensor_slices(IMAGES).map(lambda x: steps(x, training=True))
    assert [one.shape for one in data] == [(3, 3, 1)] * 2
    again = layers.RandomZoom.from_config(layers.RandomZoom(0.3, fill_mode="wrap").get_config())
    assert again.fill_mode == "wrap" and again.height_factor == (-0.3, 0.3)
