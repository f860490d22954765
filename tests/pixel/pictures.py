# SPDX-License-Identifier: AGPL-3.0-or-later
"""Sample arrays with a fixed seed: no symmetry, so that any wrong crop, turn or mirror shows."""
import numpy


def cells(width, height, channels, seed, cell=5, bits=8):
    """Random colours in cells of a few pixels, under a slope: (height, width, channels) of `bits`-bit samples."""
    random = numpy.random.default_rng(seed)
    rows, columns = -(-height // cell), -(-width // cell)
    coarse = random.integers(0, 206, (rows, columns, channels))
    picture = coarse.repeat(cell, 0).repeat(cell, 1)[:height, :width]
    slope = (numpy.arange(width)[None, :] * 25 // width + numpy.arange(height)[:, None] * 24 // height)[..., None]
    picture = picture + slope
    if bits == 16:
        return (picture * 256 + random.integers(0, 256, picture.shape)).astype(numpy.uint16)
    return (picture >> (8 - bits)).astype(numpy.uint8)


def smooth(width, height, channels, seed):
    """Waves without hard edges, for lossy compression."""
    random = numpy.random.default_rng(seed)
    x, y = numpy.arange(width)[None, :, None] / width, numpy.arange(height)[:, None, None] / height
    phase = random.uniform(0, 6, (1, 1, channels))
    wave = 128 + 60 * numpy.sin(5 * x + phase) + 60 * numpy.cos(4 * y * (1 + x) + 2 * phase)
    return wave.clip(0, 255).astype(numpy.uint8)


def line_art(width, height, seed):
    """1-bit cells: (height, width, 1) of 0 and 1, about a third ones."""
    random = numpy.random.default_rng(seed)
    rows, columns = -(-height // 3), -(-width // 3)
    return (random.random((rows, columns, 1)) < 0.35).astype(numpy.uint8).repeat(3, 0).repeat(3, 1)[:height, :width]


def to_8_bit(samples, bits):
    if bits == 16:
        return numpy.rint(samples / 257.0).astype(numpy.uint8)
    return (samples.astype(numpy.uint16) * 255 // ((1 << bits) - 1)).astype(numpy.uint8)
