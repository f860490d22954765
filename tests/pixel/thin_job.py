# SPDX-License-Identifier: AGPL-3.0-or-later
"""Thin jobs, piece by piece: what a resolver must keep, what it must take out, and the same page without OPI."""
import itertools
import re

import numpy

SIZE_PT = (300, 240)
SPACE = {1: "image", 3: "false 3 colorimage", 4: "false 4 colorimage"}


def num(value):
    return f"{value:.9g}"


def nums(values):
    return " ".join(num(value) for value in values)


def affine(matrix, point):
    a, b, c, d, e, f = matrix
    return a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f


def corners(width, height, matrix=(1, 0, 0, 1, 0, 0)):
    """ll, ul, ur, lr of a width x height box under a matrix: the order of ALDImagePosition."""
    return [affine(matrix, point) for point in ((0, 0), (0, height), (width, height), (width, 0))]


def turned(degrees, x=0.0, y=0.0, mirror=False, skew=0.0):
    angle = numpy.radians(degrees)
    cos, sin = float(numpy.cos(angle)), float(numpy.sin(angle))
    sign = -1 if mirror else 1
    return (sign * cos, sign * sin, -sin + skew * cos, cos + skew * sin, x, y)


class Pieces:
    """A job as pieces; each is kept or taken out. Text gets the job's line ends, bytes stay."""

    def __init__(self, line_end="\n"):
        self.pieces = []
        ends = {"mixed": ["\n", "\r\n", "\r"]}.get(line_end, [line_end])
        self.ends = itertools.cycle(ends)

    def _bytes(self, content):
        if isinstance(content, bytes):
            return content
        return re.sub("\n", lambda match: next(self.ends), content).encode("latin-1")

    def keep(self, content):
        self.pieces.append((True, self._bytes(content)))

    def drop(self, content):
        self.pieces.append((False, self._bytes(content)))

    def whole(self):
        return b"".join(content for _, content in self.pieces)

    def kept(self):
        """The runs of bytes that must come out as they went in."""
        runs, previous = [], None
        for keep, content in self.pieces:
            if keep and previous:
                runs[-1] += content
            elif keep:
                runs.append(content)
            previous = keep
        return runs


PROXY = "gsave 0.5 setgray 0 0 5000 5000 rectfill grestore (proxy) pop\n"


def fresh_header(pages, comments):
    return (f"%!PS-Adobe-3.0\n%%BoundingBox: 0 0 {SIZE_PT[0]} {SIZE_PT[1]}\n%%Pages: {pages}\n"
            + "".join(line + "\n" for line in comments) + "%%EndComments\n")


def block_13(job, name, position=None, dims=None, crop=None, fixed=None, more=(), proxy=PROXY, between=""):
    """OPI 1.3: the comments, then the object with the proxy."""
    lines = [f"%ALDImageFileName: {name}"]
    if dims:
        lines.append(f"%ALDImageDimensions: {nums(dims)}")
    if crop:
        lines.append(f"%ALDImageCropRect: {nums(crop)}")
    if fixed:
        lines.append(f"%ALDImageCropFixed: {nums(fixed)}")
    if position:
        flat = [value for point in position for value in point]
        lines.append(f"%ALDImagePosition: {nums(flat)}")
    job.drop("".join(line + "\n" for line in lines + list(more)))
    if between:
        job.keep(between)
    if proxy is not None:
        job.drop(f"%%BeginObject: image\n{proxy}%%EndObject\n")


def block_20(job, name, matrix, dims=None, crop=None, included=None, more=(), proxy=PROXY, setup=""):
    """OPI 2.0: the producer's own matrix, then the included image."""
    lines = ["%%BeginOPI: 2.0", f"%%ImageFileName: {name}"]
    if dims:
        lines.append(f"%%ImageDimensions: {nums(dims)}")
    if crop:
        lines.append(f"%%ImageCropRect: {nums(crop)}")
    job.drop("".join(line + "\n" for line in lines + list(more)))
    job.keep(f"gsave {setup}[{nums(matrix)}] concat\n")
    job.drop("%%BeginIncludedImage\n"
             + (f"%%IncludedImageDimensions: {nums(included)}\n" if included else "")
             + f"%%IncludedImageQuality: 1\n{proxy}%%EndIncludedImage\n")
    job.keep("grestore\n")
    job.drop("%%EndOPI\n")


# ---- the same without OPI

def path(points):
    text = "newpath " + nums(points[0]) + " moveto "
    return text + "".join(nums(point) + " lineto " for point in points[1:]) + "closepath "


def pixel_matrix(position, crop):
    """Picture pixels (y down) -> user space, solved from where three corners of the crop must land."""
    left, top, right, bottom = crop
    lower_left, upper_left, _, lower_right = position
    known = numpy.array([[left, bottom, 1], [left, top, 1], [right, bottom, 1]], float)
    wanted = numpy.array([lower_left, upper_left, lower_right], float)
    solved = numpy.linalg.solve(known, wanted)
    return solved.flatten().tolist()


def hex_lines(data):
    text = data.hex()
    return "".join(text[i:i + 120] + "\n" for i in range(0, len(text), 120))


def truth_image(samples, position, crop=None, clip=True):
    """Draws 8-bit samples by the plain operators; `crop` in pixels of the samples, `position` of the crop."""
    height, width, channels = samples.shape
    whole = (0, 0, width, height)
    crop = crop or whole
    text = "gsave\n"
    if clip and tuple(crop) != whole:
        text += path(position) + "clip newpath\n"
    text += f"[{nums(pixel_matrix(position, crop))}] concat /row {width * channels} string def\n"
    text += f"{width} {height} 8 [1 0 0 1 0 0] {{currentfile row readhexstring pop}} {SPACE[channels]}\n"
    return text + hex_lines(samples.tobytes()) + "grestore\n"


def truth_mask(bits, position, colour, crop=None):
    """Paints the ones of 1-bit samples in a colour, everything else stays."""
    height, width, _ = bits.shape
    packed = numpy.packbits(bits[..., 0], axis=1)
    text = "gsave\n"
    if crop:
        text += path(position) + "clip newpath\n"
    text += f"[{nums(pixel_matrix(position, crop or (0, 0, width, height)))}] concat {colour}\n"
    text += f"/row {packed.shape[1]} string def {width} {height} true [1 0 0 1 0 0]\n"
    text += "{currentfile row readhexstring pop} imagemask\n"
    return text + hex_lines(packed.tobytes()) + "grestore\n"
