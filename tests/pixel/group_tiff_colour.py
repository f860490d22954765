# SPDX-License-Identifier: AGPL-3.0-or-later
"""TIFF colour models and depths, codings that only libraries write, and what stands beside the picture in its file."""
import io
import os

import numpy
from PIL import Image

import group_geometry
import pictures
import thin_job
import tiff_file
from group_tiff import CROP, HEIGHT, LONG, SHORT, WIDTH, add, place, tiffcp
from sheet import Sheet
from tiff_file import CMYK, LZW, PACKBITS, RGB, ZIP

YCBCR, CIELAB, ICCLAB, OLD_JPEG = 6, 8, 9, 6


def depth_sheet(bench):
    """RGB of every depth; several samples share a byte, rows end anywhere in one."""
    sheet = Sheet("depths")
    for bits in (1, 2, 4, 16):
        samples = pictures.cells(WIDTH, HEIGHT, 3, 400 + bits, bits=bits)
        for name, options in (("none", {"rows": 9}), ("zip-tiles", {"compression": ZIP, "tile": (16, 16)}),
                              ("lzw-planes", {"compression": LZW, "separate": True, "order": ">"}),
                              ("reversed", {"reverse_bits": True, "compression": PACKBITS})):
            file_name = f"rgb{bits}-{name}.tif"
            bench.put(file_name, tiff_file.tiff_bytes(samples, photometric=RGB, bits=bits, **options))
            add(sheet, f"rgb-{bits}-bit-{name}", file_name, pictures.to_8_bit(samples, bits), tolerance=2)
    return sheet


def cmyk_depth_sheet(bench):
    sheet = Sheet("cmyk-depths", device="tiff32nc")
    for bits in (1, 2, 4, 16):
        samples = pictures.cells(WIDTH, HEIGHT, 4, 410 + bits, bits=bits)
        for name, options in (("none", {"rows": 9}), ("zip-tiles", {"compression": ZIP, "tile": (16, 16)}),
                              ("planes", {"separate": True, "order": ">"}), ("big", {"big": True, "compression": LZW})):
            file_name = f"cmyk{bits}-{name}.tif"
            bench.put(file_name, tiff_file.tiff_bytes(samples, photometric=CMYK, bits=bits, **options))
            add(sheet, f"cmyk-{bits}-bit-{name}", file_name, pictures.to_8_bit(samples, bits), tolerance=2)
    samples = pictures.cells(WIDTH, HEIGHT, 4, 420)
    for name, low, high in (("one", (16,) * 4, (220,) * 4), ("each", (16, 0, 30, 5), (220, 255, 200, 230))):
        low, high = numpy.array(low), numpy.array(high)
        shown = numpy.rint((samples.astype(float) - low).clip(0, high - low) * 255 / (high - low)).astype(numpy.uint8)
        pairs = [int(v) for pair in zip(low, high) for v in pair][:2 if name == "one" else 8]
        bench.put(f"range-{name}.tif", tiff_file.tiff_bytes(samples, photometric=CMYK, tags={336: (SHORT, pairs)}))
        add(sheet, f"cmyk-dot-range-{name}", f"range-{name}.tif", shown, tolerance=2)
    return sheet


def ycc(samples):
    """RGB of full-range YCbCr (ITU-R BT.601, TIFF 6.0 section 21)."""
    y, cb, cr = (samples[..., i].astype(float) - (0, 128, 128)[i] for i in range(3))
    rgb = numpy.dstack([y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb])
    return numpy.rint(rgb.clip(0, 255)).astype(numpy.uint8)


def subsampled(samples, across, down):
    """(bytes of one strip, the samples it stands for): blocks of across x down luminances, then Cb and Cr."""
    height, width, _ = samples.shape
    shown, data = samples.copy(), bytearray()
    padded = numpy.pad(samples, ((0, -height % down), (0, -width % across), (0, 0)), mode="edge")
    for y in range(0, height, down):
        for x in range(0, width, across):
            part = padded[y:y + down, x:x + across]
            data += part[..., 0].tobytes() + bytes(part[0, 0, 1:].tolist())
            shown[y:y + down, x:x + across, 1:] = part[0, 0, 1:]
    return bytes(data), shown


def ycbcr_sheet(bench):
    sheet = Sheet("ycbcr")
    samples = pictures.smooth(WIDTH, HEIGHT, 3, 421)
    for across, down in ((1, 1), (2, 1), (2, 2)):
        data, shown = subsampled(samples, across, down)
        name = f"ycbcr-{across}{down}"
        bench.put(f"{name}.tif", tiff_file.tiff_bytes(samples, photometric=YCBCR, encode=lambda rows, data=data: data,
                                                      tags={530: (SHORT, [across, down])}))
        add(sheet, name, f"{name}.tif", ycc(shown), tolerance=3)
    # JPEG the old way: a whole JPEG file that the directory points into.
    buffer = io.BytesIO()
    Image.fromarray(ycc(samples)).save(buffer, "JPEG", quality=95, subsampling=0)
    jpeg = buffer.getvalue()
    tags = {513: (LONG, [8]), 514: (LONG, [len(jpeg)]), 530: (SHORT, [1, 1])}
    bench.put("old-jpeg.tif", tiff_file.tiff_bytes(samples, photometric=YCBCR, compression=OLD_JPEG, tags=tags,
                                                   encode=lambda rows: jpeg))
    with Image.open(io.BytesIO(jpeg)) as image:
        add(sheet, "old-jpeg", "old-jpeg.tif", numpy.asarray(image), tolerance=3)
    return sheet


def jpeg_sheet(bench):
    """JPEG strips and tiles; the truth is what another reader decodes."""
    sheet = Sheet("jpeg-in-tiff")
    bench.put("smooth.tif", tiff_file.tiff_bytes(pictures.smooth(WIDTH, HEIGHT, 3, 431)))
    for name, options in (("ycbcr", ("-c", "jpeg:92", "-r", "48")), ("rgb", ("-c", "jpeg:r:92", "-r", "48")), ("strips", ("-c", "jpeg:92", "-r", "16")),
                          ("rgb-tiles", ("-c", "jpeg:r:92", "-t", "-w", "32", "-l", "32")),
                          ("rgb-planes", ("-c", "jpeg:r:92", "-r", "16", "-p", "separate")),
                          ("big-endian", ("-c", "jpeg:r:92", "-r", "48", "-B"))):
        path = tiffcp(bench, "smooth.tif", f"jpeg-{name}.tif", *options)
        with Image.open(path) as image:
            decoded = numpy.asarray(image.convert("RGB"))
        add(sheet, name, f"jpeg-{name}.tif", decoded, tolerance=3)
    return sheet


def lab_rgb(lightness, a, b):
    """sRGB of Lab under D50, adapted by Bradford's matrix."""
    fy = (lightness + 16) / 116
    xyz = [white * numpy.where(f > 6 / 29, f ** 3, 3 * (6 / 29) ** 2 * (f - 4 / 29))
           for white, f in ((0.96422, fy + a / 500), (1.0, fy), (0.82521, fy - b / 200))]
    matrix = ((3.1338561, -1.6168667, -0.4906146), (-0.9787684, 1.9161415, 0.0334540), (0.0719453, -0.2289914, 1.4052427))
    linear = numpy.dstack([sum(m * c for m, c in zip(row, xyz)) for row in matrix]).clip(0, 1)
    coded = numpy.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return numpy.rint(255 * coded).astype(numpy.uint8)


def lab_sheet(bench):
    sheet = Sheet("lab")
    lightness = pictures.smooth(WIDTH, HEIGHT, 1, 441)[..., 0]
    a, b = (numpy.rint((pictures.smooth(WIDTH, HEIGHT, 1, seed)[..., 0].astype(float) - 128) / 4).astype(int) for seed in (442, 443))
    shown = lab_rgb(lightness.astype(float) * 100 / 255, a, b)
    signed = numpy.dstack([lightness, a & 255, b & 255]).astype(numpy.uint8)
    offset = numpy.dstack([lightness, a + 128, b + 128]).astype(numpy.uint8)
    deep = numpy.dstack([lightness.astype(int) * 257, a * 256 & 65535, b * 256 & 65535]).astype(numpy.uint16)
    for name, samples, options in (("cielab", signed, {"photometric": CIELAB}), ("icclab", offset, {"photometric": ICCLAB}),
                                   ("cielab-16-bit", deep, {"photometric": CIELAB, "bits": 16, "order": ">"}),
                                   ("cielab-tiles", signed, {"photometric": CIELAB, "tile": (16, 16), "compression": LZW}),
                                   ("cielab-planes", signed, {"photometric": CIELAB, "separate": True})):
        bench.put(f"{name}.tif", tiff_file.tiff_bytes(samples, tags={338: None}, **options))
        add(sheet, name, f"{name}.tif", shown, tolerance=2)
    return sheet


def alpha_sheet(bench):
    """Alpha is no ink: the colours are shown as they are, divided where they were multiplied with it."""
    sheet = Sheet("alpha")
    colours = pictures.cells(WIDTH, HEIGHT, 3, 451)
    alpha = pictures.cells(WIDTH, HEIGHT, 1, 452) // 2 + 128
    multiplied = numpy.rint(colours.astype(float) * alpha / 255).astype(numpy.uint8)
    divided = numpy.minimum(255, (multiplied.astype(int) * 255 + alpha // 2) // alpha).astype(numpy.uint8)
    for kind, stored, shown in ((1, multiplied, divided), (2, colours, colours)):
        for name, options in (("none", {}), ("planes", {"separate": True}), ("zip-tiles", {"compression": ZIP, "tile": (16, 16)})):
            file_name = f"alpha{kind}-{name}.tif"
            bench.put(file_name, tiff_file.tiff_bytes(numpy.dstack([stored, alpha]), photometric=RGB,
                                                      tags={338: (SHORT, [kind])}, **options))
            add(sheet, file_name, file_name, shown, tolerance=2)
    gray = numpy.dstack([colours[..., :1], alpha])
    bench.put("alpha-gray.tif", tiff_file.tiff_bytes(gray, photometric=1, separate=True, compression=LZW))
    add(sheet, "alpha-gray", "alpha-gray.tif", colours[..., :1])
    return sheet


def odd_sheet(bench):
    """Old LZW, a palette of 8-bit values, pages behind the picture, turned pictures in other layouts."""
    sheet = Sheet("odd")
    samples = pictures.cells(WIDTH, HEIGHT, 3, 461)
    bench.put("old-lzw.tif", tiff_file.tiff_bytes(samples, compression=LZW, rows=6,
                                                  encode=lambda rows: tiff_file.old_lzw(b"".join(rows))))
    add(sheet, "old-lzw", "old-lzw.tif", samples)
    indices = pictures.cells(WIDTH, HEIGHT, 1, 462)
    colours = numpy.random.default_rng(9).integers(0, 256, (256, 3)).astype(numpy.uint8)
    bench.put("small-map.tif", tiff_file.tiff_bytes(indices, photometric=3, tags={320: (SHORT, colours.T.flatten().tolist())}))
    add(sheet, "palette-of-8-bit-values", "small-map.tif", colours[indices[..., 0]])
    bench.put("page1.tif", tiff_file.tiff_bytes(samples, rows=9, tags={254: (LONG, [2]), 297: (SHORT, [0, 2])}))
    bench.put("page2.tif", tiff_file.tiff_bytes(samples[::-1].copy(), tags={254: (LONG, [2]), 297: (SHORT, [1, 2])}))
    both = tiffcp(bench, "page1.tif", "pages.tif")
    tiffcp(bench, "page2.tif", os.path.basename(both), "-a")
    add(sheet, "first-of-two-pages", "pages.tif", samples)
    quarter = samples.transpose(1, 0, 2)[::-1]
    for name, options in (("tiles", {"tile": (16, 32)}), ("planes", {"separate": True, "rows": 5}), ("lzw", {"compression": LZW, "rows": 9})):
        bench.put(f"turned-{name}.tif", tiff_file.tiff_bytes(quarter.copy(), tags={274: (SHORT, [6])}, **options))
        add(sheet, f"turned-{name}", f"turned-{name}.tif", samples)
    return sheet


def fax_sheet(bench):
    """The fax codings as libtiff's writers make them, the first of them without any end-of-line code."""
    sheet = Sheet("fax")
    ones = pictures.line_art(WIDTH, HEIGHT, 471)
    shown = (1 - ones) * 255
    art = Image.fromarray(shown[..., 0]).convert("1", dither=Image.Dither.NONE)
    for name, coding in (("1d", "tiff_ccitt"), ("g3", "group3"), ("g4", "group4")):
        art.save(os.path.join(bench.store, f"fax-{name}.tif"), compression=coding)
        add_opaque(sheet, f"fax-{name}", f"fax-{name}.tif", shown)
    bench.put("fax-none.tif", tiff_file.tiff_bytes(ones, bits=1, photometric=0))
    for name, options in (("g3-fill", ("-c", "g3:1d:fill")), ("g3-2d-strips", ("-c", "g3:2d", "-r", "11")),
                          ("g3-reversed", ("-c", "g3:2d:fill", "-f", "lsb2msb", "-r", "5"))):
        tiffcp(bench, "fax-none.tif", f"fax-{name}.tif", *options)
        add_opaque(sheet, f"fax-{name}", f"fax-{name}.tif", shown)
    return sheet


def add_opaque(sheet, name, file_name, shown):
    position = place()

    def thin(job):
        thin_job.block_13(job, file_name, position, (WIDTH, HEIGHT), group_geometry.outward(CROP), CROP,
                          more=["%ALDImageTransparency: false"])

    sheet.add(name, thin, thin_job.truth_image(shown, position, CROP), [position])


def tiff_colour(bench):
    for make in (depth_sheet, cmyk_depth_sheet, ycbcr_sheet, jpeg_sheet, lab_sheet, alpha_sheet, odd_sheet, fax_sheet):
        yield make(bench)
