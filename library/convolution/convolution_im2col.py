"""Convolution by im2col, depthwise convolution, and pooling in kernels, with three spatial axes.

Arrays are [batch, depth, height, width, channels]. A `geometry` is five triples: the
number of windows, their sizes, strides, dilations, and the padding before the first one. A *line*
is all windows along the width. Convolutions copy the windows of some lines to the rows of a
matrix, a block that stays in cache, and call BLAS for the product.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ...extend.kernels import kernel_function, product_added, product_of_matrices


@functools.cache
def functions() -> dict[str, object]:
    """The functions that kernels call."""
    return {**_convolutions(), **_depthwise(), **_poolings()}


@functools.cache
def _copies():
    @kernel_function
    def fill(x, rows, first, count, start, inner, geometry):
        """Copy the windows of `count` lines to rows: `inner` channels, from `start` on."""
        (deep, high, wide), (kd, kh, kw), (sd, sh, sw), (dd, dh, dw), _margins = geometry
        width, channels = x.shape[3], x.shape[4]
        whole = dw == 1 and inner == channels  # a window is contiguous in its line
        runs, run = (1, kw * channels) if whole else (kw, inner)
        for line in range(count):
            image, rest = divmod(first + line, deep * high)
            for a in range(kd):
                for b in range(kh):
                    d, h = rest // high * sd + a * dd, rest % high * sh + b * dh
                    source = x[image, d, h].reshape(width * channels)
                    for w in range(wide):
                        row = rows[line * wide + w]
                        to = (a * kh + b) * kw * inner
                        for c in range(runs):
                            place, at = (w * sw + c * dw) * channels + start, to + c * inner
                            given, made = source[place : place + run], row[at : at + run]
                            for i in range(run):
                                made[i] = given[i]

    @kernel_function
    def spread(x, rows, first, count, start, inner, geometry):
        """The transpose of `fill`: add rows to the elements that they were copied from."""
        (deep, high, wide), (kd, kh, kw), (sd, sh, sw), (dd, dh, dw), _margins = geometry
        width, channels = x.shape[3], x.shape[4]
        whole = dw == 1 and inner == channels
        runs, run = (1, kw * channels) if whole else (kw, inner)
        for line in range(count):
            image, rest = divmod(first + line, deep * high)
            for a in range(kd):
                for b in range(kh):
                    d, h = rest // high * sd + a * dd, rest % high * sh + b * dh
                    target = x[image, d, h].reshape(width * channels)
                    for w in range(wide):
                        row = rows[line * wide + w]
                        to = (a * kh + b) * kw * inner
                        for c in range(runs):
                            place, at = (w * sw + c * dw) * channels + start, to + c * inner
                            made, given = target[place : place + run], row[at : at + run]
                            for i in range(run):
                                made[i] += given[i]

    return fill, spread


@functools.cache
def _convolutions() -> dict[str, object]:
    fill, spread = _copies()

    @kernel_function
    def windows_pad(x, padded, first, count, geometry):
        """Some lines of `x` with a padding of zeros."""
        _counts, _sizes, _strides, _dilations, before = geometry
        end = before[2] + x.shape[3]
        for number in range(first, first + count):
            rest, row = divmod(number, padded.shape[2])
            image, plane = divmod(rest, padded.shape[1])
            line, d, h = padded[image, plane, row], plane - before[0], row - before[1]
            if 0 <= d < x.shape[1] and 0 <= h < x.shape[2]:
                line[: before[2]] = 0
                line[before[2] : end] = x[image, d, h]
                line[end:] = 0
            else:
                line[:] = 0

    @kernel_function
    def windows_crop(padded, x, geometry):
        """An array without its padding."""
        _counts, _sizes, _strides, _dilations, before = geometry
        for image in range(x.shape[0]):
            for d in range(x.shape[1]):
                for h in range(x.shape[2]):
                    line = padded[image, d + before[0], h + before[1]]
                    x[image, d, h] = line[before[2] : before[2] + x.shape[3]]

    @kernel_function(polls=True)
    def windows_convolve(x, filters, y, rows, groups, geometry):
        (deep, high, wide), _sizes, _strides, _dilations, _margins = geometry
        lines = x.shape[0] * deep * high
        block, inner, out = len(rows) // wide, x.shape[4] // groups, y.shape[1] // groups
        for group in range(groups):
            begin, end = group * out, (group + 1) * out
            for first in range(0, lines, block):
                count = min(block, lines - first)
                fill(x, rows, first, count, group * inner, inner, geometry)
                made = y[first * wide : (first + count) * wide, begin:end]
                product_of_matrices(rows[: count * wide], filters[:, begin:end], made)

    @kernel_function(polls=True)
    def windows_convolve_filters(x, made, dy, rows, groups, geometry):
        (deep, high, wide), _sizes, _strides, _dilations, _margins = geometry
        lines = x.shape[0] * deep * high
        block, inner, out = len(rows) // wide, x.shape[4] // groups, dy.shape[1] // groups
        made[:] = 0
        for group in range(groups):
            begin, end = group * out, (group + 1) * out
            for first in range(0, lines, block):
                count = min(block, lines - first)
                fill(x, rows, first, count, group * inner, inner, geometry)
                own = dy[first * wide : (first + count) * wide, begin:end]
                product_added(rows[: count * wide].T, own, made[:, begin:end])

    @kernel_function(polls=True)
    def windows_convolve_input(made, filters, dy, rows, groups, geometry):
        (deep, high, wide), _sizes, _strides, _dilations, _margins = geometry
        lines = made.shape[0] * deep * high
        block, inner, out = len(rows) // wide, made.shape[4] // groups, dy.shape[1] // groups
        made[:] = 0
        for group in range(groups):
            begin, end = group * out, (group + 1) * out
            for first in range(0, lines, block):
                count = min(block, lines - first)
                own = dy[first * wide : (first + count) * wide, begin:end]
                product_of_matrices(own, filters[:, begin:end].T, rows[: count * wide])
                spread(made, rows, first, count, group * inner, inner, geometry)

    made: tuple[Callable, ...] = (windows_pad, windows_crop, windows_convolve)
    made += (windows_convolve_filters, windows_convolve_input)
    return {function.__name__: function for function in made}


@functools.cache
def _depthwise() -> dict[str, object]:
    """Depthwise convolution: each channel has filters of its own."""

    @kernel_function
    def places(line, geometry):
        """The image of a line, and the first depth and height of its windows."""
        (deep, high, _), _sizes, (sd, sh, _), _dilations, _margins = geometry
        image, rest = divmod(line, deep * high)
        return image, rest // high * sd, rest % high * sh

    @kernel_function(polls=True)
    def windows_depthwise(x, filters, y, first, count, geometry):
        (_, _, wide), (kd, kh, kw), (_, _, sw), (dd, dh, dw), _margins = geometry
        channels, more = x.shape[4], y.shape[1] // x.shape[4]
        y = y[first * wide : (first + count) * wide]
        y[:] = 0
        for line in range(count):
            image, d, h = places(first + line, geometry)
            for position in range(kd * kh * kw):
                a, b, c = position // (kh * kw), position // kw % kh, position % kw
                source = x[image, d + a * dd, h + b * dh]
                weights = filters[position]
                for w in range(wide):
                    given, made = source[w * sw + c * dw], y[line * wide + w]
                    if more == 1:
                        for i in range(channels):
                            made[i] += given[i] * weights[i]
                    else:
                        for i in range(channels * more):
                            made[i] += given[i // more] * weights[i]

    @kernel_function(polls=True)
    def windows_depthwise_filters(x, made, dy, geometry):
        (_, _, wide), (kd, kh, kw), (_, _, sw), (dd, dh, dw), _margins = geometry
        more = dy.shape[1] // x.shape[4]
        made[:] = 0
        for line in range(len(dy) // wide):
            image, d, h = places(line, geometry)
            for position in range(kd * kh * kw):
                a, b, c = position // (kh * kw), position // kw % kh, position % kw
                source = x[image, d + a * dd, h + b * dh]
                total = made[position]
                for w in range(wide):
                    given, back = source[w * sw + c * dw], dy[line * wide + w]
                    for i in range(len(total)):
                        total[i] += given[i // more] * back[i]

    @kernel_function(polls=True)
    def windows_depthwise_input(made, filters, dy, geometry):
        (_, _, wide), (kd, kh, kw), (_, _, sw), (dd, dh, dw), _margins = geometry
        more = dy.shape[1] // made.shape[4]
        made[:] = 0
        for line in range(len(dy) // wide):
            image, d, h = places(line, geometry)
            for position in range(kd * kh * kw):
                a, b, c = position // (kh * kw), position // kw % kh, position % kw
                target = made[image, d + a * dd, h + b * dh]
                weights = filters[position]
                for w in range(wide):
                    total, back = target[w * sw + c * dw], dy[line * wide + w]
                    if more == 1:
                        for i in range(len(back)):
                            total[i] += weights[i] * back[i]
                    else:
                        for i in range(len(back)):
                            total[i // more] += weights[i] * back[i]

    made = (windows_depthwise, windows_depthwise_filters, windows_depthwise_input)
    return {function.__name__: function for function in made}


@functools.cache
def _poolings() -> dict[str, object]:
    @kernel_function
    def span(index, axis, size, geometry):
        """The range of a window along an axis that is inside the array."""
        _counts, sizes, strides, _dilations, before = geometry
        start = index * strides[axis] - before[axis]
        return max(start, 0), min(start + sizes[axis], size)

    @kernel_function
    def box(x, d, h, w, geometry):
        d0, d1 = span(d, 0, x.shape[1], geometry)
        h0, h1 = span(h, 1, x.shape[2], geometry)
        w0, w1 = span(w, 2, x.shape[3], geometry)
        return d0, d1, h0, h1, w0, w1

    @kernel_function
    def window_at(place, shape):
        """The image, depth, height and width of a window."""
        line, w = divmod(place, shape[3])
        rest, h = divmod(line, shape[2])
        return rest // shape[1], rest % shape[1], h, w

    @kernel_function(polls=True)
    def windows_max(x, y, lowest, first, count, geometry):
        across = y.shape[3]
        rows = y.reshape(y.size // y.shape[4], y.shape[4])[
            first * across : (first + count) * across
        ]
        for number in range(len(rows)):
            image, d, h, w = window_at(first * across + number, y.shape)
            d0, d1, h0, h1, w0, w1 = box(x, d, h, w, geometry)
            made = rows[number]
            made[:] = lowest
            for a in range(d0, d1):
                for b in range(h0, h1):
                    for c in range(w0, w1):
                        given = x[image, a, b, c]
                        for i in range(len(made)):
                            item, so_far = given[i], made[i]
                            made[i] = so_far if so_far >= item or so_far != so_far else item

    @kernel_function(polls=True)
    def windows_mean(x, y, first, count, geometry):
        across = y.shape[3]
        rows = y.reshape(y.size // y.shape[4], y.shape[4])[
            first * across : (first + count) * across
        ]
        for number in range(len(rows)):
            image, d, h, w = window_at(first * across + number, y.shape)
            d0, d1, h0, h1, w0, w1 = box(x, d, h, w, geometry)
            made = rows[number]
            made[:] = 0
            for a in range(d0, d1):
                for b in range(h0, h1):
                    for c in range(w0, w1):
                        given = x[image, a, b, c]
                        for i in range(len(made)):
                            made[i] += given[i]
            count = (d1 - d0) * (h1 - h0) * (w1 - w0)
            for i in range(len(made)):
                made[i] /= count

    @kernel_function(polls=True)
    def windows_max_gradient(x, y, dy, made, geometry):
        """The gradient of each window goes to the first of its largest elements."""
        made[:] = 0
        for place in range(y.size // y.shape[4]):
            image, d, h, w = window_at(place, y.shape)
            d0, d1, h0, h1, w0, w1 = box(x, d, h, w, geometry)
            for i in range(x.shape[4]):
                largest, waiting = y[image, d, h, w, i], True
                for a in range(d0, d1):
                    for b in range(h0, h1):
                        for c in range(w0, w1):
                            if waiting and x[image, a, b, c, i] == largest:
                                made[image, a, b, c, i] += dy[image, d, h, w, i]
                                waiting = False

    @kernel_function(polls=True)
    def windows_mean_gradient(dy, made, geometry):
        made[:] = 0
        for place in range(dy.size // dy.shape[4]):
            image, d, h, w = window_at(place, dy.shape)
            d0, d1, h0, h1, w0, w1 = box(made, d, h, w, geometry)
            count = (d1 - d0) * (h1 - h0) * (w1 - w0)
            back = dy[image, d, h, w]
            for a in range(d0, d1):
                for b in range(h0, h1):
                    for c in range(w0, w1):
                        target = made[image, a, b, c]
                        for i in range(len(back)):
                            target[i] += back[i] / dy.dtype.type(count)

    made = (windows_max, windows_mean, windows_max_gradient, windows_mean_gradient)
    return {function.__name__: function for function in made}
