"""Images: sizes, colors, windows, measures, boxes, and the formats of files that Pillow reads."""

from . import boxes, codecs, colors, cropping, flipping, measures, patches, pillow_images, resizing
