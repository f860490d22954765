# SPDX-License-Identifier: AGPL-3.0-or-later
"""Colours of the comments on gray and 1-bit pictures, plate by plate (tiffsep)."""
import numpy

import group_geometry
import pictures
import thin_job
import tiff_file
from sheet import Sheet

WIDTH, HEIGHT = 61, 47
CROP = (8.5, 5.25, 53, 40.5)
POSITION = thin_job.corners(120.3, 95.7, thin_job.turned(17, 103.3, 61.7))
# Ink that lies under the picture shows what is knocked out and what is not.
GROUND = "0.3 0 0.2 0 setcmykcolor 80 50 150 130 rectfill\n"


def separation(name, alternate):
    """An ink whose tint t is t times its equivalent in process inks."""
    body = " ".join(f"dup {thin_job.num(level)} mul exch" for level in alternate[:3])
    return f"[/Separation ({name}) cvn /DeviceCMYK {{{body} {thin_job.num(alternate[3])} mul}}]"


def truth_ink(levels, space, overprint=None):
    """`levels`: 8-bit ink, 255 = full."""
    height, width, _ = levels.shape
    text = "gsave\n" + ("" if overprint is None else f"{'true' if overprint else 'false'} setoverprint\n")
    text += thin_job.path(POSITION) + f"clip newpath [{thin_job.nums(thin_job.pixel_matrix(POSITION, CROP))}] concat\n"
    text += f"{space} setcolorspace << /ImageType 1 /Width {width} /Height {height} /BitsPerComponent 8 /Decode [0 1]\n"
    text += "/ImageMatrix [1 0 0 1 0 0] /DataSource currentfile /ASCIIHexDecode filter >> image\n"
    return text + thin_job.hex_lines(levels.tobytes()) + ">\ngrestore\n"


def ink(samples, tint=1.0):
    return numpy.rint((255 - samples.astype(float)) * tint).astype(numpy.uint8)


def process(samples, inks):
    """CMYK samples of a gray picture printed in several process inks."""
    return numpy.dstack([ink(samples, level) for level in inks])


def add_13(sheet, name, file_name, comments, truth):
    def thin(job):
        job.keep(GROUND)
        thin_job.block_13(job, file_name, POSITION, (WIDTH, HEIGHT), group_geometry.outward(CROP), CROP, more=comments)

    sheet.add(name, thin, GROUND + truth, [POSITION], tolerance=2)


def add_20(sheet, name, file_name, inks, truth):
    matrix = tuple(v * s for v, s in zip(thin_job.turned(17), (120.3, 120.3, 95.7, 95.7))) + (103.3, 61.7)

    def thin(job):
        job.keep(GROUND)
        included = (CROP[2] - CROP[0], CROP[3] - CROP[1])
        thin_job.block_20(job, file_name, matrix, (WIDTH, HEIGHT), CROP, included, more=[f"%%ImageInks: {inks}"])

    sheet.add(name, thin, GROUND + truth, [POSITION], tolerance=2)


def colour_lines(kind, inks, name, tint=None, *more):
    lines = [f"%ALDImageColorType: {kind}", f"%ALDImageColor: {thin_job.nums(inks)} ({name})"]
    return lines + ([f"%ALDImageTint: {thin_job.num(tint)}"] if tint is not None else []) + list(more)


RED = (0, 0.9, 0.7, 0)


def gray_cases(sheet, samples):
    red = separation("Spot Red", RED)
    truth_process = thin_job.truth_image
    add_13(sheet, "gray-spot", "gray.tif", colour_lines("Spot", RED, "Spot Red"), truth_ink(ink(samples), red))
    add_13(sheet, "gray-spot-tint", "gray.tif", colour_lines("Spot", RED, "Spot Red", 0.4), truth_ink(ink(samples, 0.4), red))
    add_13(sheet, "gray-spot-by-default", "gray.tif", [f"%ALDImageColor: {thin_job.nums(RED)} (Spot Red)"],
           truth_ink(ink(samples), red))
    add_13(sheet, "gray-white-is-zero-spot", "white.tif", colour_lines("Spot", RED, "Spot Red", 0.6),
           truth_ink(ink(samples, 0.6), red))
    add_13(sheet, "gray-process", "gray.tif", colour_lines("Process", (0.2, 0.9, 0, 0.1), "Mix"),
           truth_process(process(samples, (0.2, 0.9, 0, 0.1)), POSITION, CROP))
    add_13(sheet, "gray-process-tint", "gray.tif", colour_lines("Process", (0.2, 0.9, 0, 0.1), "Mix", 0.5),
           truth_process(process(samples, (0.1, 0.45, 0, 0.05)), POSITION, CROP))
    add_13(sheet, "gray-black-tint", "gray.tif", colour_lines("Process", (0, 0, 0, 1), "Black", 0.3),
           truth_process(process(samples, (0, 0, 0, 0.3)), POSITION, CROP))
    ramp = [round(65535 * (v / 15) ** 2) for v in range(16)]
    curve = numpy.interp(numpy.arange(256), numpy.arange(16) * 17, numpy.array(ramp) / 257)
    add_13(sheet, "gray-map", "gray.tif", ["%ALDImageGrayMap: " + " ".join(map(str, ramp[:9])),
                                           "%%+ " + " ".join(map(str, ramp[9:]))],
           truth_process(process(255 - ink(curve[samples]), (0, 0, 0, 1)), POSITION, CROP))
    add_13(sheet, "gray-overprint-spot", "gray.tif", colour_lines("Spot", RED, "Spot Red", None, "%ALDImageOverprint: true"),
           truth_ink(ink(samples), red, True))
    add_13(sheet, "gray-overprint-one-process-ink", "gray.tif",
           colour_lines("Process", (0, 1, 0, 0), "Magenta", None, "%ALDImageOverprint: true"),
           truth_ink(ink(samples), separation("Magenta", (0, 1, 0, 0)), True))
    add_13(sheet, "gray-knocks-out", "gray.tif", colour_lines("Spot", RED, "Spot Red", None, "%ALDImageOverprint: false"),
           truth_ink(ink(samples), red, False))
    add_20(sheet, "inks-spot", "gray.tif", "monochrome 1 (Spot Red) 0.8", truth_ink(ink(samples, 0.8), red))
    add_20(sheet, "inks-process", "gray.tif", "monochrome 2 (Cyan) 0.5 (Black) 0.2",
           truth_process(process(samples, (0.5, 0, 0, 0.2)), POSITION, CROP))
    add_20(sheet, "inks-full-color", "gray.tif", "full_color", truth_process(process(samples, (0, 0, 0, 1)), POSITION, CROP))
    add_20(sheet, "inks-registration", "gray.tif", "registration", truth_ink(ink(samples), separation("All", (1, 1, 1, 1))))


def line_art_cases(sheet, ones):
    red = separation("Spot Red", RED)

    def mask(colour):
        return thin_job.truth_mask(ones, POSITION, colour, CROP)

    add_13(sheet, "art-spot-tint", "art.tif", colour_lines("Spot", RED, "Spot Red", 0.7), mask(f"{red} setcolorspace 0.7 setcolor"))
    add_13(sheet, "art-process-tint", "art.tif", colour_lines("Process", (0.2, 0.4, 0.6, 0), "Mix", 0.5),
           mask("0.1 0.2 0.3 0 setcmykcolor"))
    add_13(sheet, "art-transparent", "art.tif", ["%ALDImageTransparency: true"], mask("0 0 0 1 setcmykcolor"))
    add_13(sheet, "art-opaque", "art.tif", ["%ALDImageTransparency: false"],
           thin_job.truth_image(process((1 - ones) * 255, (0, 0, 0, 1)), POSITION, CROP))
    add_13(sheet, "art-opaque-spot", "art.tif", colour_lines("Spot", RED, "Spot Red", 0.5, "%ALDImageTransparency: false"),
           truth_ink(ink((1 - ones) * 255, 0.5), red))
    add_20(sheet, "art-inks", "art.tif", "monochrome 1 (Spot Red) 0.5", mask(f"{red} setcolorspace 0.5 setcolor"))


def colour_sheet(bench):
    sheet = Sheet("plates", device="tiffsep")
    samples = pictures.cells(WIDTH, HEIGHT, 1, 81)
    ones = pictures.line_art(WIDTH, HEIGHT, 82)
    bench.put("gray.tif", tiff_file.tiff_bytes(samples, compression=tiff_file.LZW, rows=9))
    bench.put("white.tif", tiff_file.tiff_bytes(255 - samples, photometric=tiff_file.WHITE_IS_ZERO, rows=9))
    bench.put("art.tif", tiff_file.tiff_bytes(ones, bits=1, photometric=tiff_file.WHITE_IS_ZERO, rows=9))
    gray_cases(sheet, samples)
    line_art_cases(sheet, ones)
    return sheet


def rgb_ignores_colour(bench):
    """A composite picture is not tinted by a request for one ink."""
    sheet = Sheet("composite")
    samples = pictures.cells(WIDTH, HEIGHT, 3, 83)
    bench.put("rgb.tif", tiff_file.tiff_bytes(samples, rows=9))
    add_13(sheet, "rgb-spot", "rgb.tif", colour_lines("Spot", RED, "Spot Red", 0.5), thin_job.truth_image(samples, POSITION, CROP))
    return sheet


def colour(bench):
    sheet = colour_sheet(bench)
    yield sheet
    again = Sheet("plates-level-2-ascii85", "tiffsep", options=["--level", "2", "--encoding", "ascii85"], level=2)
    again.pages = sheet.pages
    yield again
    yield rgb_ignores_colour(bench)
