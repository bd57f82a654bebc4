"""Images: sizes, colors, windows, boxes and files, eager and traced, and their gradients."""

import io

import numpy as np
import pytest

import allograph as ag

RNG = np.random.default_rng(5)
IMAGES = RNG.random((2, 6, 5, 3)).astype(np.float32)
ROW = np.float32([0, 1, 4, 2]).reshape(1, 4, 1)
# What TensorFlow makes of ROW in six and in two columns, with antialias in two.
RESIZED = {
    "bilinear": ([0, 0.5, 1.5, 3.5, 3, 2], [0.5, 3], [1, 2.7143]),
    "nearest": ([0, 1, 1, 4, 2, 2], [1, 2], [1, 2]),
    "area": ([0, 0.5, 1, 4, 3, 2], [0.5, 3], [0.5, 3]),
}
ONE_IMAGE = {
    "flip_left_right": [],
    "rot90": [3],
    "rgb_to_grayscale": [],
    "rgb_to_hsv": [],
    "adjust_hue": [0.2],
    "adjust_saturation": [0.6],
    "adjust_contrast": [1.5],
    "per_image_standardization": [],
    "central_crop": [0.6],
    "resize": [[4, 7]],
    "resize_with_pad": [8, 8],
    "resize_with_crop_or_pad": [4, 8],
    "total_variation": [],
    "sobel_edges": [],
    "extract_patches": [[1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 1, 1], "SAME"],
}


@pytest.mark.parametrize("method", RESIZED)
def test_sizes_change_as_the_reference_changes_them(method):
    larger, smaller, averaged = RESIZED[method]
    for width, antialias, expected in (
        (6, False, larger),
        (2, False, smaller),
        (2, True, averaged),
    ):
        found = ag.image.resize(ROW, [1, width], method, antialias=antialias)
        np.testing.assert_allclose(found.numpy().ravel(), expected, atol=1e-4)


def test_filters_keep_constants_and_the_data_type_where_nothing_is_mixed():
    for method in ("bicubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        for antialias in (False, True):
            found = ag.image.resize(
                np.uint8(np.full([5, 7, 2], 9)), [3, 11], method, False, antialias
            )
            np.testing.assert_allclose(found, np.full([3, 11, 2], 9.0), rtol=1e-6)
    assert ag.image.resize(np.uint8([[[1], [2]]]), [1, 4], "nearest").dtype is ag.uint8
    assert ag.image.resize(IMAGES, [12, 4], preserve_aspect_ratio=True).shape == (2, 5, 4, 3)


@pytest.mark.parametrize("name", ONE_IMAGE)
def test_graphs_of_unknown_sizes_compute_what_eager_code_does(name):
    function = getattr(ag.image, name)
    traced = ag.function(
        lambda x: function(x, *ONE_IMAGE[name]),
        input_signature=[ag.TensorSpec([None, None, None, 3])],
    )
    expected = function(IMAGES, *ONE_IMAGE[name])
    np.testing.assert_allclose(traced(IMAGES), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ag.image.resize(x, [4, 7], "bicubic"),
        lambda x: ag.image.resize(x, [4, 7], "nearest"),
        ag.image.rgb_to_hsv,
        ag.image.sobel_edges,
        lambda x: ag.image.crop_and_resize(x, [[0.1, 0.2, 0.7, 1.3]], [1], [3, 4]),
        lambda x: ag.image.ssim(x, IMAGES**2, 1.0, filter_size=3),
    ],
)
def test_gradients_are_those_of_finite_differences(function):
    weights = RNG.normal(size=function(IMAGES).shape).astype(np.float32)
    x = ag.constant(IMAGES)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.reduce_sum(function(x) * weights)
    slope = tape.gradient(y, x).numpy()
    length = float(np.linalg.norm(slope))
    step = slope / length * 2e-3
    ends = [float(np.sum(function(IMAGES + sign * step).numpy() * weights)) for sign in (1, -1)]
    assert length == pytest.approx((ends[0] - ends[1]) / 4e-3, rel=0.02)


def test_colors_return_from_each_space():
    for space in ("hsv", "yiq", "yuv"):
        there = getattr(ag.image, f"rgb_to_{space}")(IMAGES)
        back = getattr(ag.image, f"{space}_to_rgb")(there)
        np.testing.assert_allclose(back, IMAGES, atol=1e-3)


def test_data_types_are_scaled_and_saturate():
    convert = ag.image.convert_image_dtype
    assert convert(np.uint8([0, 255]), ag.float32).numpy().tolist() == [0, 1]
    assert convert(np.float32([0.5, 1]), ag.uint8).numpy().tolist() == [127, 255]
    assert convert(np.float32([-1, 2]), ag.uint8, saturate=True).numpy().tolist() == [0, 255]
    assert convert(np.uint8([1, 255]), ag.uint16).numpy().tolist() == [256, 65280]
    assert convert(np.uint16([256, 65535]), ag.uint8).numpy().tolist() == [1, 255]


def test_equal_images_have_the_similarity_one_and_others_less():
    other = np.clip(IMAGES + 0.2, 0, 1)
    assert ag.image.ssim(IMAGES, IMAGES, 1.0, filter_size=5).numpy().tolist() == [1, 1]
    assert np.all(ag.image.ssim(IMAGES, other, 1.0, filter_size=5) < 0.99)
    expected = -10 * np.log10(np.mean((IMAGES - other) ** 2, axis=(1, 2, 3)))
    np.testing.assert_allclose(ag.image.psnr(IMAGES, other, 1.0), expected, rtol=1e-5)
    with pytest.raises(ag.errors.InvalidArgumentError, match="smaller than the window"):
        ag.image.ssim(IMAGES, IMAGES, 1.0)


BOXES = np.float32([[0, 0, 1, 1], [0, 0.1, 1, 1], [0, 2, 1, 3], [0.5, 0, 1, 1]])
SCORES = np.float32([0.9, 0.95, 0.5, 0.4])


def test_boxes_that_overlap_a_better_one_are_left_out():
    found = ag.image.non_max_suppression(BOXES, SCORES, 4, 0.5)
    assert found.numpy().tolist() == [1, 2, 3]
    assert ag.image.non_max_suppression(BOXES, SCORES, 4, 0.3, 0.45).numpy().tolist() == [1, 2]
    _, scores = ag.image.non_max_suppression_with_scores(BOXES, SCORES, 4, 1.0, 0.0, 0.5)
    assert scores.numpy()[1] == pytest.approx(0.5)
    rows, scores, classes, counts = ag.image.combined_non_max_suppression(
        BOXES[None, :, None], np.stack([SCORES, SCORES[::-1]], -1)[None], 2, 3
    )
    assert counts.numpy().tolist() == [3]
    assert classes.numpy().tolist() == [[0, 1, 1]]
    np.testing.assert_allclose(scores, [[0.95, 0.95, 0.9]])


def test_cropped_boxes_read_outside_of_the_image_as_the_given_value():
    image = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)
    found = ag.image.crop_and_resize(image, [[0, 0, 2, 1]], [0], [3, 2], extrapolation_value=-1.0)
    assert found.numpy()[0, ..., 0].tolist() == [[0, 1], [2, 3], [-1, -1]]


def test_random_changes_are_inside_of_their_limits():
    picture = np.full([4, 4, 3], 0.5, np.float32)
    found = ag.image.random_brightness(picture, 0.2).numpy()
    assert np.ptp(found) == 0
    assert 0.3 <= found[0, 0, 0] <= 0.7
    flips = ag.image.random_flip_left_right(np.tile(ROW, [64, 1, 1, 1])).numpy()[:, 0, :, 0]
    assert {tuple(row) for row in flips.tolist()} == {(0, 1, 4, 2), (2, 4, 1, 0)}
    part = ag.image.stateless_random_crop(IMAGES[0], [3, 4, 3], [1, 2])
    again = ag.image.stateless_random_crop(IMAGES[0], [3, 4, 3], [1, 2])
    assert part.shape == (3, 4, 3)
    np.testing.assert_array_equal(part, again)


def test_files_give_their_pixels_in_datasets_too():
    pixels = np.uint8(IMAGES[0] * 255)
    contents = ag.io.encode_png(pixels)
    np.testing.assert_array_equal(ag.io.decode_png(contents), pixels)
    gray = np.uint16([[[1], [40000]]])
    np.testing.assert_array_equal(ag.io.decode_png(ag.io.encode_png(gray), dtype=ag.uint16), gray)
    files = ag.data.Dataset.from_tensors(contents).map(lambda one: ag.io.decode_png(one, 3))
    assert files.element_spec.shape.as_list() == [None, None, 3]
    np.testing.assert_array_equal(next(iter(files)), pixels)
    smooth = np.uint8(np.indices((16, 16)).sum(0)[..., None] * 4 + np.arange(3))
    jpeg = ag.io.encode_jpeg(smooth)
    assert np.max(abs(ag.io.decode_jpeg(jpeg).numpy().astype(int) - smooth)) < 8
    assert ag.io.extract_jpeg_shape(jpeg).numpy().tolist() == [16, 16, 3]
    with pytest.raises(ag.errors.InvalidArgumentError, match="not a file of PNG"):
        ag.io.decode_png(b"text")


def animation(frames: int) -> bytes:
    """A GIF file of 2 by 2 pixels."""
    import PIL.Image

    file, color = io.BytesIO(), lambda n: (n * 4, 255 - n, n)
    pictures = [PIL.Image.new("RGB", (2, 2), color(n)) for n in range(frames)]
    pictures[0].save(file, "GIF", save_all=True, append_images=pictures[1:])
    return file.getvalue()


def test_all_frames_of_an_animation_have_the_pixels_of_one_image():
    frames = 60
    content = bytearray(animation(frames))
    assert ag.io.decode_gif(bytes(content)).shape == [frames, 2, 2, 3]
    content[6:10] = (3000).to_bytes(2, "little") * 2  # 1.6 GB of pixels in 2 kB
    with pytest.raises(ag.errors.InvalidArgumentError, match="60 frames of 3,000 by 3,000"):
        ag.io.decode_gif(bytes(content))
    with pytest.raises(ag.errors.InvalidArgumentError, match="60 frames of 3,000 by 3,000"):
        ag.io.decode_image(bytes(content))


def test_a_damaged_frame_is_no_animation():
    content = animation(3)
    for length in range(30, len(content) - 1, 7):
        try:
            ag.io.decode_gif(content[:length])
        except ag.errors.InvalidArgumentError as error:
            assert "the GIF file cannot be read" in str(error)


def test_mirrored_borders_have_gradients():
    for mode, border, expected in (
        ("REFLECT", [1, 1], [1, 3, 1]),
        ("SYMMETRIC", [2, 0], [2, 2, 1]),
    ):
        x = ag.constant([1.0, 2.0, 3.0])
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = ag.pad(x, [border], mode)
        assert tape.gradient(y, x).numpy().tolist() == expected


def drawn(form: str, width: int, height: int, frames: int = 1) -> bytes:
    """A file with an image, or with an animation."""
    images = pytest.importorskip("PIL.Image")
    file, first, *others = (
        io.BytesIO(),
        *(images.new("RGB", (width, height), (90 * at, 7, 9)) for at in range(frames)),
    )
    first.save(file, form, **({"save_all": True, "append_images": others} if others else {}))
    return file.getvalue()


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize(
    "contents, decode",
    [
        (("PNG", 11, 10), "decode_png"), (("PNG", 11, 10), "decode_image"),
        (("JPEG", 101, 1), "decode_jpeg"), (("JPEG", 101, 1), "extract_jpeg_shape"),
        (("BMP", 1, 101), "decode_bmp"), (("GIF", 11, 10), "decode_gif"),
        (("GIF", 7, 6, 3), "decode_gif"), (("GIF", 7, 6, 3), "decode_image"),
    ],
)  # fmt: skip
def test_a_file_of_more_pixels_than_pillow_takes_is_refused(contents, decode, monkeypatch):
    contents = drawn(*contents)
    assert getattr(ag.io, decode)(contents).shape
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ag.errors.InvalidArgumentError, match="pixels, more than 100"):
        getattr(ag.io, decode)(contents)


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_an_image_file_of_more_pixels_than_pillow_takes_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(drawn("PNG", 11, 10))
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 100)
    with pytest.raises(ag.errors.InvalidArgumentError, match="10 by 11 pixels, more than 100"):
        ag.keras.utils.load_img(tmp_path / "a.png")
