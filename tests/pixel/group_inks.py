# SPDX-License-Identifier: AGPL-3.0-or-later
"""TIFFs in spot inks, plate by plate (tiffsep): CMYK with further inks, InkSet 2, one ink alone."""
import numpy

import group_colour
import pictures
import tiff_file
from group_colour import CROP, HEIGHT, POSITION, WIDTH, separation, truth_ink
from group_refusals import Refusal, block
from sheet import Sheet
from tiff_file import ASCII, CMYK, LZW, NONE, PACKBITS, SHORT, ZIP

ALTERNATES = {"Cyan": (1, 0, 0, 0), "Magenta": (0, 1, 0, 0), "Yellow": (0, 0, 1, 0), "Black": (0, 0, 0, 1),
              "Spot Red": (0, 0.9, 0.7, 0), "HKS 42 (K)": (1, 0.5, 0, 0.1), "Lack": (0, 0, 0, 0)}
PROCESS = list(ALTERNATES)[:4]
OPTIONS = [word for name in list(ALTERNATES)[4:]
           for word in ("--ink", f"{name}={','.join(str(v) for v in ALTERNATES[name])}")]


def ink_tags(names, ink_set, extra=None, count=None):
    text = b"".join(name.encode("latin-1") + b"\0" for name in names)
    tags = {332: (SHORT, [ink_set]), 333: (ASCII, list(text)), 334: (SHORT, [len(names) if count is None else count])}
    tags[338] = (SHORT, extra) if extra else None
    return tags


def ps_name(name):
    return name.replace("(", "\\(").replace(")", "\\)")


def truth_inks(levels, names):
    """One picture after the other, each in one ink: the first clears all plates, the others print on theirs only."""
    return "".join(truth_ink(levels[..., i:i + 1], separation(ps_name(name), ALTERNATES[name]), i > 0)
                   for i, name in enumerate(names))


def add(sheet, bench, name, samples, names, ink_set, extra=None, shown=None, **options):
    tags = ink_tags(names, ink_set, extra) | options.pop("tags", {})
    bits = options.get("bits", 8)
    bench.put(f"{name}.tif", tiff_file.tiff_bytes(samples, photometric=CMYK, tags=tags, **options))
    if shown is None:
        shown = pictures.to_8_bit(samples, bits)[..., :len(names)]
    group_colour.add_13(sheet, name, f"{name}.tif", [], truth_inks(shown, names))


def composite_sheet(bench):
    sheet = Sheet("inks", device="tiffsep", options=OPTIONS)
    five, five_names = pictures.cells(WIDTH, HEIGHT, 5, 201), PROCESS + ["Spot Red"]
    for name, options in (("none", {"rows": 9}), ("lzw-predictor", {"compression": LZW, "predictor": 2, "rows": 9}),
                          ("zip-predictor", {"compression": ZIP, "predictor": 2}), ("zip-tiles", {"compression": ZIP, "tile": (16, 32)}),
                          ("packbits-big-endian", {"compression": PACKBITS, "order": ">"}),
                          ("planes", {"separate": True, "rows": 7}), ("zip-planes", {"compression": ZIP, "separate": True})):
        add(sheet, bench, f"five-{name}", five, five_names, 1, [0], **options)
    for bits in (1, 2, 4, 16):
        add(sheet, bench, f"five-{bits}-bit", pictures.cells(WIDTH, HEIGHT, 5, 210 + bits, bits=bits), five_names, 1, [0],
            bits=bits, order=">")
    add(sheet, bench, "six", pictures.cells(WIDTH, HEIGHT, 6, 202), five_names + ["HKS 42 (K)"], 1, [0, 0], compression=LZW)
    # Unassociated alpha behind the inks is no ink.
    add(sheet, bench, "five-and-alpha", pictures.cells(WIDTH, HEIGHT, 6, 203), five_names, 1, [0, 2])
    add(sheet, bench, "three", pictures.cells(WIDTH, HEIGHT, 3, 204), ["Cyan", "Spot Red", "Black"], 2, compression=LZW)
    add(sheet, bench, "two-without-number", pictures.cells(WIDTH, HEIGHT, 2, 205), ["Spot Red", "Lack"], 2, tags={334: None})
    add(sheet, bench, "cmyk-by-names", pictures.cells(WIDTH, HEIGHT, 4, 206), PROCESS, 2)
    range_ = pictures.cells(WIDTH, HEIGHT, 5, 207)
    shown = numpy.rint((range_.astype(float) - 16).clip(0, 204) * 255 / 204).astype(numpy.uint8)
    add(sheet, bench, "five-dot-range", range_, five_names, 1, [0], shown=shown, tags={336: (SHORT, [16, 220])})
    return sheet


def one_ink_sheet(bench):
    """Separation is Level 2."""
    sheet = Sheet("one-ink", device="tiffsep", options=OPTIONS + ["--level", "2"], level=2)
    for name, options in (("none", {}), ("lzw", {"compression": LZW}), ("deep", {"bits": 16, "order": ">"}),
                          ("art", {"bits": 1, "compression": NONE})):
        samples = pictures.cells(WIDTH, HEIGHT, 1, 220, bits=options.get("bits", 8))
        add(sheet, bench, f"one-{name}", samples, ["Spot Red"], 2, **options)
    return sheet


def refused(bench):
    five, five_names = pictures.cells(80, 60, 5, 230), PROCESS + ["Spot Red"]

    def put(name, samples, tags):
        bench.put(name, tiff_file.tiff_bytes(samples, photometric=CMYK, tags=tags))

    put("spot.tif", five, ink_tags(five_names, 1, [0]))
    put("no-names.tif", five, {332: (SHORT, [1]), 338: (SHORT, [0])})
    put("multi-no-names.tif", five[..., :3], {332: (SHORT, [2]), 338: None})
    put("twice.tif", five, ink_tags(PROCESS + ["cyan"], 1, [0]))
    put("contradiction.tif", five, ink_tags(five_names, 1, [0], count=4))
    put("alpha-among.tif", pictures.cells(80, 60, 6, 231), ink_tags(five_names, 1, [2, 0]))
    put("other-order.tif", five, ink_tags(["Black", "Cyan", "Magenta", "Yellow", "Spot Red"], 1, [0]))
    for name, words, options in (
            ("spot.tif", ["'Spot Red'", "ink = Spot Red C M Y K", "--ink"], ()),
            ("spot.tif", ["'Spot Red'"], ("--ink", "PANTONE 185 C=0,0.91,0.76,0")),
            ("spot.tif", ["Level 3"], (*OPTIONS, "--level", "2")), ("no-names.tif", ["InkNames"], OPTIONS),
            ("multi-no-names.tif", ["no names"], OPTIONS), ("twice.tif", ["two channels", "'Cyan'"], OPTIONS),
            ("contradiction.tif", ["contradict"], OPTIONS), ("alpha-among.tif", ["alpha"], OPTIONS),
            ("other-order.tif", ["cyan, magenta, yellow and black"], OPTIONS)):
        yield Refusal(f"{name}-{len(options)}-{words[0]}".replace("'", "").replace(" ", "-"), [(block(name), name)], words, options)


def inks(bench):
    yield composite_sheet(bench)
    yield one_ink_sheet(bench)
    yield from refused(bench)
