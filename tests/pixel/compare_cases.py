# SPDX-License-Identifier: AGPL-3.0-or-later
"""One TIFF for each property, with what it must look like: the files of compare_tools.py."""
import io
import os

import numpy
from PIL import Image

import group_tiff_colour
import pictures
import thin_job
import tiff_file
from group_colour import separation
from group_inks import ALTERNATES, OPTIONS, PROCESS, ink_tags, ps_name
from group_tiff import tiffcp
from tiff_file import CMYK, LONG, LZW, OLD_ZIP, PACKBITS, PALETTE, RGB, SHORT, WHITE_IS_ZERO, ZIP

WIDTH, HEIGHT = 120, 90


class Case:
    """`data`: the file. `shown`: its samples, upright, 8 bits each; None where the only right answer is a refusal."""

    def __init__(self, property_name, data, shown, device="ppmraw", tolerance=1, options=(), over_white=None):
        self.name, self.data, self.shown = property_name, data, shown
        self.device, self.tolerance, self.options = device, tolerance, options
        # Alpha has two honest readings: left out, or laid over white.
        self.over_white = over_white

    def size(self):
        return (self.shown.shape[1], self.shown.shape[0]) if self.shown is not None else (WIDTH, HEIGHT)

    def truth(self):
        return thin_job.truth_image(self.shown, thin_job.corners(*self.size()))


class InkCase(Case):
    """Channels of named inks, judged plate by plate."""

    def __init__(self, property_name, data, levels, names):
        super().__init__(property_name, data, levels, "tiffsep", 2, OPTIONS)
        self.names = names

    def truth(self):
        matrix = thin_job.nums(thin_job.pixel_matrix(thin_job.corners(*self.size()), (0, 0, *self.size())))
        text = ""
        for i, name in enumerate(self.names):
            space = separation(ps_name(name), ALTERNATES[name])
            text += (f"gsave {'true' if i else 'false'} setoverprint [{matrix}] concat {space} setcolorspace\n"
                     f"<< /ImageType 1 /Width {self.size()[0]} /Height {self.size()[1]} /BitsPerComponent 8 /Decode [0 1]\n"
                     "/ImageMatrix [1 0 0 1 0 0] /DataSource currentfile /ASCIIHexDecode filter >> image\n"
                     + thin_job.hex_lines(self.shown[..., i].tobytes()) + ">\ngrestore\n")
        return text


def colours(channels, seed, bits=8):
    return pictures.cells(WIDTH, HEIGHT, channels, seed, bits=bits)


def tiff_case(name, samples, shown=None, device="ppmraw", tolerance=1, over_white=None, **options):
    shown = pictures.to_8_bit(samples, options.get("bits", 8)) if shown is None else shown
    return Case(name, tiff_file.tiff_bytes(samples, **{"rows": 16, **options}), shown, device, tolerance, over_white=over_white)


def depths():
    for bits in (2, 4, 8, 16):
        gray = colours(1, 500 + bits, bits)
        yield tiff_case(f"gray, {bits} bits", gray, bits=bits, tolerance=2)
    yield tiff_case("gray, white is zero", colours(1, 509), 255 - colours(1, 509), photometric=WHITE_IS_ZERO)
    for bits in (1, 2, 4, 8, 16):
        yield tiff_case(f"RGB, {bits} bit{'s' * (bits > 1)}", colours(3, 510 + bits, bits), bits=bits, photometric=RGB, tolerance=2)
    for bits in (1, 4, 8, 16):
        yield tiff_case(f"CMYK, {bits} bit{'s' * (bits > 1)}", colours(4, 530 + bits, bits), device="tiff32nc", bits=bits,
                        photometric=CMYK, tolerance=2)
    for bits in (1, 2, 4, 8):
        yield palette(f"palette, {bits} bit{'s' * (bits > 1)}", bits, 257)
    yield palette("palette of 8-bit values", 8, 1)


def palette(name, bits, scale):
    samples = colours(1, 540 + bits, bits)
    table = numpy.random.default_rng(bits).integers(0, 256, (1 << bits, 3)).astype(numpy.uint8)
    tags = {320: (SHORT, (table.astype(int) * scale).T.flatten().tolist())}
    return tiff_case(name, samples, table[samples[..., 0]], bits=bits, photometric=PALETTE, tags=tags)


def colour_models():
    smooth = pictures.smooth(WIDTH, HEIGHT, 3, 551)
    for across, down in ((1, 1), (2, 2)):
        data, shown = group_tiff_colour.subsampled(smooth, across, down)
        yield Case(f"YCbCr {across}x{down}, uncompressed",
                   tiff_file.tiff_bytes(smooth, photometric=group_tiff_colour.YCBCR, encode=lambda rows, data=data: data,
                                        tags={530: (SHORT, [across, down])}), group_tiff_colour.ycc(shown), tolerance=3)
    lightness = smooth[..., 0]
    a, b = (numpy.rint((smooth[..., i].astype(float) - 128) / 4).astype(int) for i in (1, 2))
    shown = group_tiff_colour.lab_rgb(lightness.astype(float) * 100 / 255, a, b)
    for name, kind, stored in (("CIELab", group_tiff_colour.CIELAB, (a & 255, b & 255)), ("ICCLab", group_tiff_colour.ICCLAB, (a + 128, b + 128))):
        yield tiff_case(name, numpy.dstack([lightness, *stored]).astype(numpy.uint8), shown, photometric=kind, tags={338: None}, tolerance=2)
    samples = colours(4, 552)
    shown = numpy.rint((samples.astype(float) - 16).clip(0, 204) * 255 / 204).astype(numpy.uint8)
    yield tiff_case("CMYK, DotRange 16 to 220", samples, shown, device="tiff32nc", photometric=CMYK, tolerance=2, tags={336: (SHORT, [16, 220])})


def channels():
    picture, alpha = colours(3, 561), colours(1, 562) // 2 + 128
    multiplied = numpy.rint(picture.astype(float) * alpha / 255).astype(numpy.uint8)
    divided = numpy.minimum(255, (multiplied.astype(int) * 255 + alpha // 2) // alpha).astype(numpy.uint8)
    over_white = multiplied + (255 - alpha)
    for name, kind, stored, shown in (("associated alpha", 1, multiplied, divided), ("unassociated alpha", 2, picture, picture)):
        yield tiff_case(name, numpy.dstack([stored, alpha]), shown, photometric=RGB, tags={338: (SHORT, [kind])}, tolerance=2,
                        over_white=over_white)
    five, names = colours(5, 563), PROCESS + ["Spot Red"]
    yield InkCase("CMYK and a named spot channel", tiff_file.tiff_bytes(five, photometric=CMYK, rows=16, tags=ink_tags(names, 1, [0])), five, names)
    three, names = colours(3, 564), ["Cyan", "Spot Red", "Black"]
    yield InkCase("InkSet 2: three named inks", tiff_file.tiff_bytes(three, photometric=CMYK, rows=16, tags=ink_tags(names, 2)), three, names)
    yield Case("CMYK and a nameless channel", tiff_file.tiff_bytes(five, photometric=CMYK, tags={338: (SHORT, [0])}), None, "tiff32nc")
    yield Case("InkSet 2 without InkNames", tiff_file.tiff_bytes(three, photometric=CMYK, tags={332: (SHORT, [2]), 338: None}), None, "tiff32nc")


def layouts():
    samples = colours(3, 571)
    for name, options in (
            ("big-endian", {"order": ">"}), ("BigTIFF", {"big": True}), ("BigTIFF, big-endian, LZW", {"big": True, "order": ">", "compression": LZW}),
            ("tiles", {"tile": (32, 32)}), ("separate planes", {"separate": True}), ("separate planes in tiles, LZW", {"separate": True, "tile": (32, 32), "compression": LZW}),
            ("FillOrder 2", {"reverse_bits": True}), ("FillOrder 2, LZW", {"reverse_bits": True, "compression": LZW}),
            ("strips in backward order", {"backwards": True}), ("RowsPerStrip 2^32-1", {"rows": None, "tags": {278: (LONG, [2 ** 32 - 1])}}),
            ("no RowsPerStrip", {"rows": None, "tags": {278: None}}), ("no StripByteCounts", {"rows": None, "tags": {279: None}})):
        yield tiff_case(name, samples, **options)
    yield tiff_case("16 bits, big-endian", colours(3, 572, 16), bits=16, order=">", tolerance=2)
    stored = {1: samples, 2: samples[:, ::-1], 3: samples[::-1, ::-1], 4: samples[::-1], 5: samples.transpose(1, 0, 2),
              6: samples.transpose(1, 0, 2)[::-1], 7: samples.transpose(1, 0, 2)[::-1, ::-1], 8: samples.transpose(1, 0, 2)[:, ::-1]}
    for value, turned in stored.items():
        yield tiff_case(f"Orientation {value}", turned, samples, tags={274: (SHORT, [value])})


def compressions():
    samples = colours(3, 581)
    yield tiff_case("LZW", samples, compression=LZW)
    yield tiff_case("LZW, predictor", samples, compression=LZW, predictor=2)
    yield tiff_case("LZW of before TIFF 6.0", samples, compression=LZW, encode=lambda rows: tiff_file.old_lzw(b"".join(rows)))
    yield tiff_case("Deflate", samples, compression=ZIP)
    yield tiff_case("Deflate, old number", samples, compression=OLD_ZIP)
    yield tiff_case("Deflate, predictor", samples, compression=ZIP, predictor=2)
    yield tiff_case("Deflate, predictor, 16 bits", colours(3, 582, 16), compression=ZIP, predictor=2, bits=16, tolerance=2)
    yield tiff_case("PackBits", samples, compression=PACKBITS)
    yield tiff_case("PackBits with bytes 0x80", samples, compression=PACKBITS,
                    encode=lambda rows: b"".join(tiff_file.packbits(row, True) for row in rows))


def fax(bench):
    """1 bit: libtiff's writers, by way of PIL for the coding that tiffcp does not know."""
    ones = pictures.line_art(WIDTH, HEIGHT, 591)
    shown = (1 - ones) * 255
    plain = tiff_file.tiff_bytes(ones, bits=1, photometric=WHITE_IS_ZERO)
    yield Case("1 bit", plain, shown)
    yield Case("1 bit, black is zero", tiff_file.tiff_bytes(1 - ones, bits=1), shown)
    art = Image.fromarray(shown[..., 0]).convert("1", dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    art.save(buffer, "TIFF", compression="tiff_ccitt")
    yield Case("CCITT 1D (modified Huffman)", buffer.getvalue(), shown)
    bench.put("plain.tif", plain)
    for name, options in (("CCITT G3", ("-c", "g3")), ("CCITT G3 2D, fill bits", ("-c", "g3:2d:fill", "-r", "16")), ("CCITT G4", ("-c", "g4")),
                          ("CCITT G4, FillOrder 2", ("-c", "g4", "-f", "lsb2msb")), ("CCITT G4, tiles", ("-c", "g4", "-t", "-w", "32", "-l", "32"))):
        yield Case(name, written_by_tiffcp(bench, "plain.tif", *options), shown)


def written_by_tiffcp(bench, source, *options):
    path = tiffcp(bench, source, "made.tif", *options)
    with open(path, "rb") as made:
        data = made.read()
    os.unlink(path)
    return data


def jpegs(bench):
    bench.put("smooth.tif", tiff_file.tiff_bytes(pictures.smooth(WIDTH, HEIGHT, 3, 601)))
    bench.put("inks.tif", tiff_file.tiff_bytes(pictures.smooth(WIDTH, HEIGHT, 4, 602), photometric=CMYK))
    for name, source, device, options in (("JPEG, YCbCr", "smooth.tif", "ppmraw", ("-c", "jpeg:92", "-r", "48")),
                                          ("JPEG, RGB", "smooth.tif", "ppmraw", ("-c", "jpeg:r:92", "-r", "48")),
                                          ("JPEG, CMYK", "inks.tif", "tiff32nc", ("-c", "jpeg:92", "-r", "48")),
                                          ("JPEG, tiles", "smooth.tif", "ppmraw", ("-c", "jpeg:r:92", "-t", "-w", "32", "-l", "32"))):
        data = written_by_tiffcp(bench, source, *options)
        with Image.open(io.BytesIO(data)) as image:
            yield Case(name, data, numpy.asarray(image if device == "tiff32nc" else image.convert("RGB")), device, 3)
    # JPEG the old way: a whole JPEG file that the directory points into.
    smooth = pictures.smooth(WIDTH, HEIGHT, 3, 603)
    buffer = io.BytesIO()
    Image.fromarray(smooth).save(buffer, "JPEG", quality=95, subsampling=0)
    jpeg = buffer.getvalue()
    tags = {513: (LONG, [8]), 514: (LONG, [len(jpeg)]), 530: (SHORT, [1, 1])}
    with Image.open(io.BytesIO(jpeg)) as image:
        yield Case("JPEG, old style", tiff_file.tiff_bytes(smooth, photometric=group_tiff_colour.YCBCR, compression=group_tiff_colour.OLD_JPEG,
                                                           tags=tags, encode=lambda rows: jpeg), numpy.asarray(image), tolerance=3)


def later(bench):
    """Codings without a PostScript filter."""
    samples = colours(3, 605)
    bench.put("cells.tif", tiff_file.tiff_bytes(samples))
    for name, coding in (("LZMA", "lzma"), ("Zstandard", "zstd")):
        yield Case(name, written_by_tiffcp(bench, "cells.tif", "-c", coding, "-r", "16"), samples)


def pages(bench):
    """tiffcp's last file is `source`."""
    samples = colours(3, 611)
    bench.put("small.tif", tiff_file.tiff_bytes(samples[::4, ::4].copy(), tags={254: (LONG, [1])}))
    bench.put("main.tif", tiff_file.tiff_bytes(samples, rows=16))
    bench.put("other.tif", tiff_file.tiff_bytes(samples[::-1].copy(), rows=16))
    yield Case("thumbnail before the picture", written_by_tiffcp(bench, "main.tif", os.path.join(bench.store, "small.tif")), samples)
    yield Case("two pages (the first)", written_by_tiffcp(bench, "other.tif", os.path.join(bench.store, "main.tif")), samples)


def damages():
    """Nothing else is right but to say so: gray where the data ended is a wrong plate."""
    samples = colours(3, 621)
    for name, options in (("cut off, uncompressed", {}), ("cut off, LZW", {"compression": LZW}), ("cut off, Deflate", {"compression": ZIP})):
        data = tiff_file.tiff_bytes(samples, ifd_first=True, rows=16, **options)
        yield Case(name, data[:len(data) * 6 // 10], None)
    yield Case("a strip short of rows, PackBits", tiff_file.tiff_bytes(
        samples, rows=16, compression=PACKBITS, encode=lambda rows: b"".join(tiff_file.packbits(row) for row in rows[:-3])), None)
    noise = bytearray(tiff_file.tiff_bytes(samples, rows=16, compression=LZW))
    noise[2000:2032] = bytes(32)
    yield Case("damaged, LZW", bytes(noise), None)
    yield Case("floating-point samples", tiff_file.tiff_bytes(colours(1, 622, 16), bits=16, tags={339: (SHORT, [3])}), None)


def cases(bench):
    """(heading, cases) in the order of the table."""
    yield "Depths and photometric", list(depths())
    yield "Colour models", list(colour_models())
    yield "Further channels", list(channels())
    yield "Layout", list(layouts())
    yield "Compression", list(compressions())
    yield "1 bit and fax", list(fax(bench))
    yield "JPEG in TIFF", list(jpegs(bench))
    yield "Later compressions", list(later(bench))
    yield "Several pages", list(pages(bench))
    yield "Damaged or undefined", list(damages())
