# SPDX-License-Identifier: AGPL-3.0-or-later
"""TIFF layouts: every compression, strips and tiles, planes, byte orders, bit depths; binary, ASCII85 and Level 2."""
import os
import subprocess

import numpy

import group_geometry
import pictures
import thin_job
import tiff_file
from sheet import Sheet
from tiff_file import CMYK, LZW, NONE, OLD_ZIP, PACKBITS, WHITE_IS_ZERO, ZIP

WIDTH, HEIGHT = 61, 47
CROP = (8.5, 5.25, 53, 40.5)
SHORT, LONG = tiff_file.SHORT, tiff_file.LONG


def place():
    return thin_job.corners(120.3, 95.7, thin_job.turned(17, 103.3, 61.7))


def add(sheet, name, file_name, shown, dims=None, crop=CROP, tolerance=1):
    """`shown`: the upright picture as 8-bit samples."""
    dims = dims or (shown.shape[1], shown.shape[0])
    position = place()

    def thin(job):
        thin_job.block_13(job, file_name, position, dims, group_geometry.outward(crop), crop)

    sheet.add(name, thin, thin_job.truth_image(shown, position, crop), [position], tolerance)


def layouts():
    for name, code in (("none", NONE), ("lzw", LZW), ("zip", ZIP), ("old-zip", OLD_ZIP), ("packbits", PACKBITS)):
        yield f"{name}-strips", {"compression": code, "rows": 7}
        yield f"{name}-one-big-endian", {"compression": code, "order": ">"}
        yield f"{name}-tiles", {"compression": code, "tile": (32, 16)}
        yield f"{name}-planes", {"compression": code, "separate": True, "rows": 10, "order": ">"}
        yield f"{name}-big-tiff", {"compression": code, "big": True, "rows": 13, "order": ">"}
    for name, code in (("lzw", LZW), ("zip", ZIP)):
        yield f"{name}-predictor", {"compression": code, "predictor": 2, "rows": 9}
        yield f"{name}-predictor-tiles", {"compression": code, "predictor": 2, "tile": (16, 32), "big": True}
        yield f"{name}-predictor-planes", {"compression": code, "predictor": 2, "separate": True}
        yield f"{name}-reversed-bits", {"compression": code, "reverse_bits": True, "rows": 5}
    yield "none-reversed-bits", {"reverse_bits": True, "rows": 5}
    yield "packbits-reversed-bits", {"compression": PACKBITS, "reverse_bits": True}
    yield "packbits-no-ops", {"encode": lambda rows: b"".join(tiff_file.packbits(row, True) for row in rows),
                              "compression": PACKBITS, "rows": 6}
    yield "one-row-strips", {"rows": 1}
    yield "strips-backwards", {"rows": 4, "backwards": True, "compression": LZW}
    yield "directory-first", {"rows": 4, "ifd_first": True}
    yield "planes-in-tiles", {"separate": True, "tile": (16, 16)}
    yield "rows-per-strip-huge", {"tags": {278: (LONG, [2 ** 32 - 1])}}
    yield "no-rows-per-strip", {"tags": {278: None}}
    yield "no-byte-counts", {"tags": {279: None}}
    yield "private-tags", {"tags": {50000: (tiff_file.ASCII, list(b"a workflow's own\0")), 33550: (SHORT, [1, 2, 3])}}


def rgb_sheet(bench):
    sheet = Sheet("rgb")
    samples = pictures.cells(WIDTH, HEIGHT, 3, 21)
    for name, options in layouts():
        bench.put(f"{name}.tif", tiff_file.tiff_bytes(samples, **options))
        add(sheet, name, f"{name}.tif", samples)
    deep = pictures.cells(WIDTH, HEIGHT, 3, 22, bits=16)
    for name, options in (("none", {"order": ">", "rows": 8}), ("zip-predictor", {"compression": ZIP, "predictor": 2}),
                          ("lzw-planes", {"compression": LZW, "separate": True})):
        bench.put(f"deep-{name}.tif", tiff_file.tiff_bytes(deep, bits=16, **options))
        add(sheet, f"16-bit-{name}", f"deep-{name}.tif", pictures.to_8_bit(deep, 16), tolerance=2)
    opaque = numpy.dstack([samples, numpy.full((HEIGHT, WIDTH, 1), 255, numpy.uint8)])
    bench.put("opaque.tif", tiff_file.tiff_bytes(opaque, photometric=tiff_file.RGB, compression=LZW, rows=8))
    add(sheet, "opaque-alpha", "opaque.tif", samples)
    return sheet


def orientation_sheet(bench):
    """The file says how it is turned, and the layout saw it upright: its dimensions are those of the turned picture."""
    sheet = Sheet("orientation")
    upright = pictures.cells(WIDTH, HEIGHT, 3, 23)
    stored = {1: upright, 2: upright[:, ::-1], 3: upright[::-1, ::-1], 4: upright[::-1], 5: upright.transpose(1, 0, 2),
              6: upright.transpose(1, 0, 2)[::-1], 7: upright.transpose(1, 0, 2)[::-1, ::-1],
              8: upright.transpose(1, 0, 2)[:, ::-1]}
    for value, samples in stored.items():
        bench.put(f"turned{value}.tif", tiff_file.tiff_bytes(samples, rows=9, tags={274: (SHORT, [value])}))
        add(sheet, f"orientation-{value}", f"turned{value}.tif", upright)
    return sheet


def gray_sheet(bench):
    sheet = Sheet("gray")
    for bits in (2, 4, 8, 16):
        samples = pictures.cells(WIDTH, HEIGHT, 1, 30 + bits, bits=bits)
        for name, options in (("none", {"order": ">"}), ("packbits", {"compression": PACKBITS, "rows": 5}),
                              ("zip-tiles", {"compression": ZIP, "tile": (16, 16)}), ("lzw", {"compression": LZW})):
            bench.put(f"gray{bits}-{name}.tif", tiff_file.tiff_bytes(samples, bits=bits, **options))
            add(sheet, f"{bits}-bit-{name}", f"gray{bits}-{name}.tif", pictures.to_8_bit(samples, bits), tolerance=2)
        bench.put(f"white{bits}.tif", tiff_file.tiff_bytes(samples, bits=bits, photometric=WHITE_IS_ZERO, rows=6))
        add(sheet, f"{bits}-bit-white-is-zero", f"white{bits}.tif", 255 - pictures.to_8_bit(samples, bits), tolerance=2)
    return sheet


def palette_sheet(bench):
    sheet = Sheet("palette")
    for bits in (1, 2, 4, 8):
        count = 1 << bits
        samples = pictures.cells(WIDTH, HEIGHT, 1, 40 + bits, bits=bits)
        colours = numpy.random.default_rng(bits).integers(0, 256, (count, 3)).astype(numpy.uint8)
        table = (colours.astype(int) * 257).T.flatten().tolist()
        for name, options in (("none", {"rows": 6}), ("lzw", {"compression": LZW, "order": ">"})):
            file_name = f"palette{bits}-{name}.tif"
            bench.put(file_name, tiff_file.tiff_bytes(samples, bits=bits, photometric=tiff_file.PALETTE,
                                                      tags={320: (SHORT, table)}, **options))
            add(sheet, f"{bits}-bit-{name}", file_name, colours[samples[..., 0]])
    return sheet


def cmyk_sheet(bench):
    sheet = Sheet("cmyk", device="tiff32nc")
    samples = pictures.cells(WIDTH, HEIGHT, 4, 51)
    for name, options in (("none", {"rows": 7}), ("lzw-predictor", {"compression": LZW, "predictor": 2, "order": ">"}),
                          ("zip-tiles", {"compression": ZIP, "tile": (32, 32)}), ("packbits", {"compression": PACKBITS}),
                          ("planes", {"separate": True, "rows": 9}), ("zip-big", {"compression": ZIP, "big": True})):
        bench.put(f"cmyk-{name}.tif", tiff_file.tiff_bytes(samples, photometric=CMYK, **options))
        add(sheet, f"cmyk-{name}", f"cmyk-{name}.tif", samples)
    return sheet


def tiffcp(bench, source, target, *options):
    """tiffcp writes what the writer here does not: CCITT. Refusal to do so is an error of the test."""
    source, target = os.path.join(bench.store, source), os.path.join(bench.store, target)
    done = subprocess.run(["tiffcp", *options, source, target], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise RuntimeError(f"tiffcp {options}: {done.stdout!r}")
    return target


def line_art_sheet(bench):
    """1 bit, black paints and white stays paper (the default of ImageTransparency)."""
    sheet = Sheet("line-art")
    ones = pictures.line_art(WIDTH, HEIGHT, 61)
    position = place()
    truth = thin_job.truth_mask(ones, position, "0 setgray", CROP)

    def add_art(name):
        def thin(job):
            thin_job.block_13(job, f"art-{name}.tif", position, (WIDTH, HEIGHT), group_geometry.outward(CROP), CROP)

        sheet.add(name, thin, truth, [position])

    for name, options in (("none", {}), ("packbits", {"compression": PACKBITS, "rows": 8}), ("lzw", {"compression": LZW}),
                          ("zip", {"compression": ZIP, "rows": 11}), ("tiles", {"tile": (16, 16)}),
                          ("reversed-bits", {"reverse_bits": True})):
        bench.put(f"art-{name}.tif", tiff_file.tiff_bytes(ones, bits=1, photometric=WHITE_IS_ZERO, **options))
        add_art(name)
    bench.put("art-black-is-zero.tif", tiff_file.tiff_bytes(1 - ones, bits=1, rows=8))
    add_art("black-is-zero")
    for name, options in (("g4", ("-c", "g4")), ("g4-strips", ("-c", "g4", "-r", "8")), ("g3", ("-c", "g3")),
                          ("g3-2d", ("-c", "g3:2d:fill", "-r", "16")), ("g4-tiles", ("-c", "g4", "-t", "-w", "32", "-l", "16")),
                          ("g4-reversed-bits", ("-c", "g4", "-f", "lsb2msb")), ("g4-big-endian", ("-c", "g4", "-B"))):
        tiffcp(bench, "art-none.tif", f"art-{name}.tif", *options)
        add_art(name)
    tiffcp(bench, "art-black-is-zero.tif", "art-g4-black-is-zero.tif", "-c", "g4")
    add_art("g4-black-is-zero")
    return sheet


def thumbnail_sheet(bench):
    """A thumbnail in front of the picture is passed over."""
    sheet = Sheet("thumbnail")
    samples = pictures.cells(WIDTH, HEIGHT, 3, 71)
    bench.put("main.tif", tiff_file.tiff_bytes(samples, rows=9))
    bench.put("small.tif", tiff_file.tiff_bytes(samples[::4, ::4].copy(), tags={254: (LONG, [1])}))
    both = os.path.join(bench.store, "thumbnail-first.tif")
    subprocess.run(["tiffcp", os.path.join(bench.store, "small.tif"), os.path.join(bench.store, "main.tif"), both], check=True)
    add(sheet, "thumbnail-first", "thumbnail-first.tif", samples)
    return sheet


def with_options(sheet, name, options, level):
    again = Sheet(f"{sheet.name}-{name}", sheet.device, options=options, level=level, comments=("%%DocumentData: Clean7Bit",)
                  if "--encoding" in options else ("%%DocumentData: Binary",))
    again.pages = sheet.pages
    return again


def tiff(bench):
    for make in (rgb_sheet, orientation_sheet, gray_sheet, palette_sheet, cmyk_sheet, line_art_sheet, thumbnail_sheet):
        yield make(bench)


def tiff_level_2(bench):
    for make in (rgb_sheet, gray_sheet, cmyk_sheet, line_art_sheet):
        yield with_options(make(bench), "level-2", ["--level", "2"], 2)


def tiff_ascii85(bench):
    for make in (rgb_sheet, gray_sheet, cmyk_sheet, line_art_sheet):
        yield with_options(make(bench), "ascii85", ["--encoding", "ascii85"], 3)
    yield with_options(palette_sheet(bench), "ascii85-level-2", ["--encoding", "ascii85", "--level", "2"], 2)
    yield with_options(thumbnail_sheet(bench), "hex", ["--encoding", "hex"], 3)
