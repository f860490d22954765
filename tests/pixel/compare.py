# SPDX-License-Identifier: AGPL-3.0-or-later
"""Compares two rendered pages: nearly all pixels equal, and those that differ lie on the outline of a picture."""
import math

import numpy
from PIL import Image, ImageDraw

# A clip touches every pixel it cuts, a picture's own edge follows pixel centres: a fringe is allowed, nothing else.
BAND_PX = 2
WANTED_SHARE = 0.995
# Two matrices that agree to seven digits may still give a pixel whose centre lies on the border of two samples to either
# of them: so few pixels may show what the truth shows one pixel further.
ROUNDING_SHARE = 0.0005


def outline_distance(shape, polygons):
    """Distance of each pixel centre from the nearest edge of the polygons (device pixels, y down)."""
    y, x = numpy.mgrid[0:shape[0], 0:shape[1]] + 0.5
    nearest = numpy.full(shape[:2], math.inf)
    for polygon in polygons:
        for (ax, ay), (bx, by) in zip(polygon, polygon[1:] + polygon[:1]):
            dx, dy = bx - ax, by - ay
            length = dx * dx + dy * dy
            along = ((x - ax) * dx + (y - ay) * dy) / length if length else numpy.zeros(shape[:2])
            along = along.clip(0, 1)
            nearest = numpy.minimum(nearest, numpy.hypot(x - ax - along * dx, y - ay - along * dy))
    return nearest


def judged_area(shape, polygons):
    """Pixels of the pictures themselves: the share is taken of these, not of the white paper around them."""
    mask = Image.new("1", (shape[1], shape[0]), 0)
    for polygon in polygons:
        ImageDraw.Draw(mask).polygon([tuple(point) for point in polygon], fill=1)
    return numpy.asarray(mask)


def shown_nearby(got, want, wrong, tolerance):
    """The wrong pixels that show what the truth shows at one of the eight neighbours."""
    height, width = wrong.shape
    padded = numpy.pad(want.astype(int), ((1, 1), (1, 1), (0, 0)), mode="edge")
    found = numpy.zeros_like(wrong)
    for dy in range(3):
        for dx in range(3):
            neighbour = padded[dy:dy + height, dx:dx + width]
            found |= (numpy.abs(got.astype(int) - neighbour) <= tolerance).all(axis=2)
    return wrong & found


def differences(got, want, polygons, tolerance):
    """Complaints, empty if the pages agree. Arrays are (height, width, channels) of bytes."""
    if got.shape != want.shape:
        return [f"the page is {got.shape}, not {want.shape}"]
    wrong = (numpy.abs(got.astype(int) - want.astype(int)) > tolerance).any(axis=2)
    if not wrong.any():
        return []
    found = []
    area = max(int(judged_area(wrong.shape, polygons).sum()), 1)
    share = 1 - wrong.sum() / area
    if share < WANTED_SHARE:
        found.append(f"{wrong.sum()} of {area} pixels differ by more than {tolerance}")
    far = wrong & (outline_distance(wrong.shape, polygons) > BAND_PX)
    rounding = shown_nearby(got, want, far, tolerance)
    if rounding.sum() <= max(ROUNDING_SHARE * area, 2):
        far &= ~rounding
    if far.any():
        rows, columns = numpy.nonzero(far)
        found.append(f"{far.sum()} pixels differ away from the outline, the first at {columns[0]},{rows[0]}: "
                     f"{got[rows[0], columns[0]].tolist()} instead of {want[rows[0], columns[0]].tolist()}")
    return found
