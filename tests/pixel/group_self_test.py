# SPDX-License-Identifier: AGPL-3.0-or-later
"""The suite judged: a wrong placement must be noticed, a right one pass, and the TIFF writer agree with libtiff."""
import io
import os
import subprocess
import zlib

import numpy
from PIL import Image

import group_jpeg
import output_checks
import pictures
import render
import thin_job
import tiff_file
from sheet import Page, compare_pages

POSITION = thin_job.corners(100.3, 70.1, thin_job.turned(20, 90.7, 60.3))
CROP = (20, 10, 60, 50)


class Check:
    """One named question; ask() returns complaints."""

    def __init__(self, name, ask):
        self.name, self.ask = name, ask

    def run(self, bench):
        return [f"{self.name}: {complaint}" for complaint in self.ask(bench)]


def rendered(bench, name, bodies, device="ppmraw"):
    folder = bench.fresh_folder(name)
    path = os.path.join(folder, "page.ps")
    with open(path, "wb") as out:
        out.write((thin_job.fresh_header(len(bodies), ())
                   + "".join(body + "showpage\n" for body in bodies)).encode("latin-1"))
    return render.render(path, os.path.join(folder, "pages"), device, thin_job.SIZE_PT)


def placements(samples):
    """Name -> a placement that differs from the first one by the mistake in its name."""
    def shifted(points, dx, dy):
        return [(x + dx, y + dy) for x, y in points]

    ll, ul, ur, lr = POSITION
    return {
        "right": (POSITION, CROP),
        "one pixel of the crop to the left": (POSITION, (19, 10, 59, 50)),
        "half a pixel of the crop down": (POSITION, (20, 10.5, 60, 50.5)),
        "crop counted from the bottom": (POSITION, (20, 60 - 50, 60, 60 - 11)),
        "no crop": (POSITION, (0, 0, 80, 60)),
        "mirrored": ([lr, ur, ul, ll], CROP),
        "corners in the order ll lr ur ul": ([ll, lr, ur, ul], CROP),
        "a point to the right": (shifted(POSITION, 1, 0), CROP),
        "half a point down": (shifted(POSITION, 0, -0.5), CROP),
    }


def mistakes_are_noticed(bench):
    samples = pictures.cells(80, 60, 3, 11)
    cases = placements(samples)
    pages, said = rendered(bench, "mistakes", [thin_job.truth_image(samples, *case) for case in cases.values()])
    if said or len(pages) != len(cases):
        return [f"{len(pages)} pages, {said}"]
    page = Page("mistake", None, "", [POSITION])
    found = []
    for name, got in zip(cases, pages):
        noticed = bool(compare_pages(page, got, pages[0]))
        if noticed == (name == "right"):
            found.append(f"'{name}' was {'reported' if noticed else 'not noticed'}")
    return found


def small_spots_are_noticed(bench):
    del bench
    want = numpy.full((480, 600, 3), 200, numpy.uint8)
    page = Page("spot", None, "", [POSITION])
    found = []
    inside, outside = want.copy(), want.copy()
    inside[240, 280] = 90
    outside[5, 5] = 90
    for name, got in (("inside", inside), ("far outside", outside)):
        if not compare_pages(page, got, want):
            found.append(f"a spot {name} was not noticed")
    x, y = (int(v) for v in Page.to_device(POSITION[0]))
    edge = want.copy()
    edge[y, x] = 90
    if compare_pages(page, edge, want):
        found.append("one pixel at a corner was held against the picture")
    return found


def outputs_are_judged(bench):
    del bench
    good = b"kept\n%%BeginData: 9 Binary Bytes\n{} exec\nX\n%%EndData\nend\n"
    runs = [b"kept\n", b"end\n"]
    bad = {"a count too small": (good.replace(b": 9", b": 8"), {}),
           "a changed byte": (good.replace(b"kept", b"Kept"), {}),
           "bytes behind the end": (good + b" ", {}),
           "a 16-bit image": (good.replace(b"kept\n", b"kept\n/BitsPerComponent 16 "), {}),
           "a Level 3 word": (good.replace(b"kept\n", b"kept\n/FlateDecode "), {"level": 2}),
           "a comment left over": (good.replace(b"kept\n", b"kept\n%%EndOPI\n"), {}),
           "an 8-bit byte": (good.replace(b"\nX", b"\n\xe4"), {"ascii_only": True})}
    found = []
    if complaints := output_checks.check_output(good, runs, 2, True):
        found.append(f"a good job was refused: {complaints}")
    for name, (job, options) in bad.items():
        if not output_checks.check_output(job, runs, **options):
            found.append(f"{name} was not noticed")
    return found


IMAGE = (b"systemdict begin 24 dict begin gsave\n[9 0 0 9 0 0] concat\n/oLen [%d] def\n/oCount 1 def /oIndex 0 def\n"
         b"/oNext {/oRaw currentfile oLen oIndex get () /SubFileDecode filter def\n/oSrc oRaw%s def /oIndex 1 def} bind def\n"
         b"/DeviceGray setcolorspace\n%%%%BeginData: %d Binary Bytes\n%s%s\n%%%%EndData\ngrestore end end\n")
OPERATOR = (b"{oNext << /ImageType 1 /Width 3 /Height 2 /BitsPerComponent 8\n/ImageMatrix [3 0 0 -2 0 2] /Decode [0 1]\n"
            b"/DataSource {oRead} >> image oRaw flushfile} exec\n")


def strict_image(data=b"ABCDEF", code="", operator=OPERATOR):
    code = code.encode()
    return IMAGE % (len(data), b" " + code if code else b"", len(operator) + len(data) + 1, operator, data)


def strict_cases():
    """name, the code that is inserted, the level at which it must be complained of."""
    good, jpeg = strict_image(), group_jpeg.jpeg_bytes(pictures.smooth(3, 2, 1, 1))
    dct = "<< /ColorTransform 0 >> /DCTDecode filter"
    yield "good", good, None
    yield "good LZW", strict_image(tiff_file.lzw(b"ABCDEF"), "/LZWDecode filter"), None
    yield "good PackBits", strict_image(tiff_file.packbits(b"AAAABB"), "/RunLengthDecode filter"), None
    yield "good JPEG", strict_image(jpeg, dct), None
    yield "a sample missing", strict_image(b"ABCDE"), 3
    yield "LZW cut short", strict_image(tiff_file.lzw(b"ABCDE"), "/LZWDecode filter"), 3
    yield "an early end in PackBits", strict_image(b"\x80" + tiff_file.packbits(b"AAAABB"), "/RunLengthDecode filter"), 3
    yield "runs that don't add up", good.replace(b"[6]", b"[5]"), 3
    yield "one run too many", good.replace(b"/oCount 1", b"/oCount 2"), 3
    yield "progressive JPEG", strict_image(group_jpeg.jpeg_bytes(pictures.smooth(3, 2, 1, 1), progressive=True), dct), 3
    yield "JPEG without its end", strict_image(jpeg[:-2], dct), 3
    yield "16 bits", strict_image(b"ABCDEFABCDEF", operator=OPERATOR.replace(b"Component 8", b"Component 16")), 3
    yield "half a Decode array", strict_image(operator=OPERATOR.replace(b"[0 1]", b"[0]")), 3
    yield "Flate", strict_image(zlib.compress(b"ABCDEF"), "/FlateDecode filter"), 2
    yield "a predictor", strict_image(tiff_file.lzw(b"ABCDEF"), "<< /Predictor 1 >> /LZWDecode filter"), 2
    yield "a foreign key", strict_image(jpeg, "<< /Columns 3 >> /DCTDecode filter"), 3
    yield "ImageType 4", strict_image(operator=OPERATOR.replace(b"ImageType 1", b"ImageType 4")), 2
    yield "DeviceN", good + b"[/DeviceN [/Cyan] /DeviceCMYK {0 0 0}] setcolorspace\n", 2
    yield "shfill", good + b"<< >> shfill\n", 2
    yield "a long string", good + b"(" + b"a" * 65536 + b") pop\n", 3
    yield "a long array", good + b"[" + b"1 " * 65536 + b"] pop\n", 3
    yield "a large number", good + b"2147483648 pop\n", 3
    yield "a decimal comma", good + b"1,5 pop\n", 3
    yield "an open brace", good + b"{ 1\n", 3
    yield "a bracket too many", good + b"1 ]\n", 3
    yield "a count too small", good.replace(b"BeginData: ", b"BeginData: 1"), 3
    yield "an open document", good + b"%%BeginDocument: a.eps\n", 3
    yield "an end of nothing", good + b"%%EndResource\n", 3
    yield "a page too many", good + b"%%Page: 2 2\n", 3


def strictness(bench):
    del bench
    found = []
    head, tail = b"%!PS-Adobe-3.0\n%%Pages: 1\n%%EndComments\n%%Page: 1 1\n", b"showpage\n%%EOF\n"
    for name, code, level in strict_cases():
        for tried in (2, 3):
            complaints = output_checks.check_output(head + code + tail, [head, tail], tried)
            wanted = level is not None and tried <= level
            if bool(complaints) != wanted:
                found.append(f"{name} at Level {tried}: {complaints or 'not noticed'}")
    return found


def tiff_layouts():
    three = pictures.cells(61, 47, 3, 5)
    sixteen = pictures.cells(33, 20, 1, 6, bits=16)
    for compression in (tiff_file.NONE, tiff_file.LZW, tiff_file.ZIP, tiff_file.OLD_ZIP, tiff_file.PACKBITS):
        for options in ({"rows": 7}, {"order": ">", "big": True, "ifd_first": True}, {"tile": (16, 32)},
                        {"separate": True, "rows": 9}, {"rows": 5, "backwards": True}):
            yield f"{compression} {options}", three, {"compression": compression, **options}
    # Long enough for LZW to fill its table and begin anew.
    noise = numpy.random.default_rng(1).integers(0, 256, (90, 120, 1)).astype(numpy.uint8)
    yield "lzw noise", noise, {"compression": tiff_file.LZW}
    yield "predictor", three, {"compression": tiff_file.LZW, "predictor": 2, "rows": 4}
    yield "16 bit", sixteen, {"bits": 16, "order": ">", "predictor": 2, "compression": tiff_file.ZIP}
    yield "1 bit", pictures.line_art(61, 47, 3), {"bits": 1, "rows": 10, "compression": tiff_file.PACKBITS}


def tiffs_are_right(bench):
    """libtiff's own reading (tiffcp to plain strips, then PIL) must give the samples that were written."""
    found = []
    folder = bench.fresh_folder("written")
    for i, (name, samples, options) in enumerate(tiff_layouts()):
        source, plain = os.path.join(folder, f"{i}.tif"), os.path.join(folder, f"{i}-plain.tif")
        tiff_file.write_tiff(source, samples, **options)
        # tiffcp reads planes row by row, which compressed planes don't allow: PIL asks libtiff for them.
        if options.get("separate"):
            with Image.open(source) as image:
                again = numpy.asarray(image)
            if not numpy.array_equal(again, samples):
                found.append(f"{name}: other samples came back")
            continue
        done = subprocess.run(["tiffcp", "-s", "-c", "none", source, plain], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode or done.stdout:
            found.append(f"{name}: tiffcp said {done.stdout[:200]!r}")
            continue
        with open(plain, "rb") as read, Image.open(io.BytesIO(read.read())) as image:
            again = numpy.asarray(image)
        if not numpy.array_equal(again.reshape(samples.shape).astype(int), samples.astype(int)):
            found.append(f"{name}: other samples came back")
    return found


def self_test(bench):
    del bench
    yield Check("mistakes", mistakes_are_noticed)
    yield Check("spots", small_spots_are_noticed)
    yield Check("outputs", outputs_are_judged)
    yield Check("strictness", strictness)
    yield Check("tiff-writer", tiffs_are_right)
