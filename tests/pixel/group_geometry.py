# SPDX-License-Identifier: AGPL-3.0-or-later
"""Where a picture lands: crops, turns, mirrors, skews, matrices around it, documents inside documents, line ends."""
import math

import pictures
import thin_job
import tiff_file
from sheet import Sheet

WIDTH, HEIGHT = 80, 60
WHOLE = (0, 0, WIDTH, HEIGHT)
CROPS = {"whole": WHOLE, "middle": (20, 10, 60, 50), "top-left": (0, 0, 33, 21), "bottom": (11, 37, 80, 60),
         "fractional": (10.25, 7.5, 55.6, 41.3), "one-row": (7, 30, 71, 31)}
# Without the whole-number places where a pixel's edge falls on the centre of a device pixel.
TURNS = {"upright": (0, 41.3, 37.7, False, 0.0), "turned-30": (30, 97.3, 31.7, False, 0.0),
         "turned-90": (90, 211.3, 33.7, False, 0.0), "turned-180": (180, 231.7, 171.3, False, 0.0),
         "mirrored": (0, 231.7, 41.3, True, 0.0), "skewed": (0, 41.3, 43.7, False, 0.37),
         "mirrored-turned-skewed": (197, 71.3, 161.7, True, 0.21)}
# ref: the four worked examples of the crop arithmetic, at half size so that they fit the page.
VECTORS = {"vector-A": ([(72, 50), (72, 125), (172, 125), (172, 50)], (0, 0, 400, 300)),
           "vector-B": ([(72, 50), (72, 100), (122, 100), (122, 50)], (100, 50, 300, 250)),
           "vector-C": ([(100, 100), (75, 143.30127), (118.30127, 168.30127), (143.30127, 125)], (100, 50, 300, 250)),
           "vector-D": ([(172, 50), (172, 100), (122, 100), (122, 50)], (100, 50, 300, 250))}
OUTERS = {"scaled": (0.62, 0, 0, 0.71, 20.3, 31.1), "turned-page": (0, 1, -1, 0, 238.3, 3.1),
          "imposed": (0.5, 0, 0, 0.5, 143.7, 111.3), "turned-any": (0.8, 0.29, -0.29, 0.8, 61.3, 7.7)}


def at(turn, width, height):
    degrees, x, y, mirror, skew = TURNS[turn]
    return thin_job.turned(degrees, x, y, mirror, skew), width, height


def box(crop):
    """The size a crop is printed at: 2.1 by 1.9 points a pixel, small enough for every turn of the page."""
    return max((crop[2] - crop[0]) * 1.9, 3.1), max((crop[3] - crop[1]) * 1.7, 3.1)


def outward(crop):
    return tuple(map(math.floor, crop[:2])) + tuple(map(math.ceil, crop[2:]))


def add_13(sheet, name, samples, position, crop, **options):
    rect = outward(crop)
    fixed = crop if rect != tuple(crop) else None

    def thin(job):
        thin_job.block_13(job, "picture.tif", position, (WIDTH, HEIGHT), rect, fixed)

    sheet.add(name, thin, thin_job.truth_image(samples, position, crop), [position], **options)


def add_20(sheet, name, samples, matrix, crop, **options):
    position = thin_job.corners(1, 1, matrix)
    included = (crop[2] - crop[0], crop[3] - crop[1])

    def thin(job):
        thin_job.block_20(job, "picture.tif", matrix, (WIDTH, HEIGHT), crop, included)

    sheet.add(name, thin, thin_job.truth_image(samples, position, crop), [position], **options)


def unit_matrix(matrix, width, height):
    a, b, c, d, e, f = matrix
    return a * width, b * width, c * height, d * height, e, f


def add(sheet, version, name, samples, turn, crop, **options):
    width, height = box(crop)
    matrix = at(turn, width, height)[0]
    if version == "13":
        add_13(sheet, name, samples, thin_job.corners(width, height, matrix), crop, **options)
    else:
        add_20(sheet, name, samples, unit_matrix(matrix, width, height), crop, **options)


def picture(bench):
    samples = pictures.cells(WIDTH, HEIGHT, 3, 11)
    bench.put("picture.tif", tiff_file.tiff_bytes(samples, rows=7))
    return samples


def grid(version, samples):
    sheet = Sheet("crops-and-turns")
    for turn in TURNS:
        add(sheet, version, f"whole-{turn}", samples, turn, WHOLE)
    for crop in list(CROPS)[1:]:
        add(sheet, version, f"{crop}-upright", samples, "upright", CROPS[crop])
    for crop, turn in (("middle", "turned-30"), ("top-left", "turned-90"), ("bottom", "mirrored"),
                       ("fractional", "turned-180"), ("fractional", "mirrored-turned-skewed"), ("one-row", "turned-30"),
                       ("top-left", "skewed")):
        add(sheet, version, f"{crop}-{turn}", samples, turn, CROPS[crop])
    for outer, matrix in OUTERS.items():
        add(sheet, version, f"outer-{outer}", samples, "turned-30", CROPS["fractional"], outer=matrix)
    add(sheet, version, "outer-clip", samples, "upright", CROPS["middle"],
        setup="newpath 60 70 moveto 110 140 lineto 130 30 lineto closepath clip newpath ")
    return sheet


def line_ends(version, samples):
    for name, line_end in (("cr", "\r"), ("crlf", "\r\n"), ("mixed", "mixed")):
        sheet = Sheet(f"line-ends-{name}", line_end=line_end)
        add(sheet, version, "fractional", samples, "turned-30", CROPS["fractional"])
        add(sheet, version, "whole", samples, "upright", WHOLE)
        yield sheet


def nested(version, samples):
    """The same block inside one and two placed documents, each with a matrix of its own."""
    sheet = Sheet("nested-documents")
    inner = (0.8, 0.1, -0.1, 0.8, 23.3, 11.7)
    for depth in (1, 2):
        single = Sheet("unused")
        add(single, version, "inner", samples, "turned-30", CROPS["fractional"])
        page = single.pages[0]
        matrix = inner
        for _ in range(depth - 1):
            matrix = tuple(thin_job.affine(inner, matrix[i:i + 2])[k] - (inner[4 + k] if i < 4 else 0)
                           for i in (0, 2, 4) for k in (0, 1))

        def thin(job, page=page, depth=depth):
            for level in range(depth):
                job.keep(f"save /showpage {{}} def [{thin_job.nums(inner)}] concat\n%%BeginDocument: layout{level}.eps\n"
                         "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 300 240\n%%EndComments\n")
            page.thin(job)
            for _ in range(depth):
                job.keep("%%Trailer\n%%EOF\n%%EndDocument\nrestore\n")

        truth = f"gsave [{thin_job.nums(matrix)}] concat\n{page.truth}grestore\n"
        polygon = [[thin_job.affine(matrix, point) for point in thin_job.corners(*box(CROPS["fractional"]),
                    at("turned-30", 0, 0)[0])]]
        sheet.add(f"depth-{depth}", thin, truth, polygon)
    return sheet


def two_on_a_page(version, samples):
    """Four-up and side by side: every block under its own matrix, and the picture opened once."""
    sheet = Sheet("imposition")
    pages = []
    places = [(0.45, 0, 0, 0.45, 7.3, 9.1), (0.45, 0, 0, 0.45, 151.7, 9.1), (0, 0.45, -0.45, 0, 131.3, 103.7),
              (-0.45, 0, 0, -0.45, 291.3, 231.7)]
    for crop in ("whole", "middle", "fractional", "bottom"):
        single = Sheet("unused")
        add(single, version, crop, samples, "skewed", CROPS[crop])
        pages.append((single.pages[0], CROPS[crop]))

    def thin(job):
        for place, (page, _) in zip(places, pages):
            job.keep(f"gsave [{thin_job.nums(place)}] concat\n")
            page.thin(job)
            job.keep("grestore\n")

    truth = "".join(f"gsave [{thin_job.nums(place)}] concat\n{page.truth}grestore\n"
                    for place, (page, _) in zip(places, pages))
    polygons = [[thin_job.affine(place, point) for point in thin_job.corners(*box(crop), at("skewed", 0, 0)[0])]
                for place, (_, crop) in zip(places, pages)]
    sheet.add("four-up", thin, truth, polygons)
    return sheet


def vectors(bench):
    """The worked examples; the layout saw 400 x 300 pixels, the file has another resolution."""
    samples = pictures.cells(100, 75, 3, 12)
    bench.put("vector.tif", tiff_file.tiff_bytes(samples, compression=tiff_file.LZW, rows=9))
    sheet = Sheet("vectors")
    for name, (position, crop) in VECTORS.items():
        # Off the grid of whole points, where an edge would fall on the border of a device pixel.
        moved = [(x + 0.23, y + 0.31) for x, y in position]

        def thin(job, moved=moved, crop=crop):
            thin_job.block_13(job, "vector.tif", moved, (400, 300), crop)

        sheet.add(name, thin, thin_job.truth_image(samples, moved, [v / 4 for v in crop]), [moved])
    return sheet


def unit_squares(samples):
    """OPI 2.0: which rectangle the producer's unit square shows, by the size of the included raster."""
    sheet = Sheet("unit-squares")
    crop = (10.25, 7.5, 55.6, 26.3)  # of another shape than the whole, or a size could mean both
    matrix = (120.3, 20.7, -15.1, 100.9, 71.3, 43.7)
    for name, included, shown in (("exact", (45.35, 18.8), crop), ("whole", (80, 60), WHOLE),
                                  ("outward", (46, 20), (10, 7, 56, 27)), ("margin", (48, 22), (9, 6, 57, 28)),
                                  ("half", (40, 30), WHOLE), ("absent", None, crop)):
        position = thin_job.corners(1, 1, matrix)

        def thin(job, included=included):
            thin_job.block_20(job, "picture.tif", matrix, (WIDTH, HEIGHT), crop, included)

        sheet.add(name, thin, thin_job.truth_image(samples, position, shown), [position])

    def bare(job):
        thin_job.block_20(job, "picture.tif", matrix)

    sheet.add("no-sizes", bare, thin_job.truth_image(samples, position), [position])
    return sheet


def geometry_13(bench):
    samples = picture(bench)
    yield grid("13", samples)
    yield from line_ends("13", samples)
    yield nested("13", samples)
    yield two_on_a_page("13", samples)
    yield vectors(bench)
    sheet = Sheet("without-an-object")

    def thin(job):
        thin_job.block_13(job, "picture.tif", position, (WIDTH, HEIGHT), WHOLE, proxy=None)

    position = thin_job.corners(120, 90, at("turned-30", 0, 0)[0])
    sheet.add("comments-only", thin, thin_job.truth_image(samples, position), [position])
    yield sheet


def geometry_20(bench):
    samples = picture(bench)
    yield grid("20", samples)
    yield from line_ends("20", samples)
    yield nested("20", samples)
    yield two_on_a_page("20", samples)
    yield unit_squares(samples)
