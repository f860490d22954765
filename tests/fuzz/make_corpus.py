#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""Writes the corpus anew: make_corpus.py [FOLDER]. Small, and the same bytes each time with the same Pillow.

Needs python3-numpy and python3-pil. Inputs that once failed are kept beside these by hand, under other names.
"""
import io
import os
import sys

import numpy
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "pixel"))
import group_dcs as dcs  # noqa: E402
import tiff_file as tiff  # noqa: E402

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "corpus")


def put(target, name, data):
    os.makedirs(os.path.join(OUT, target), exist_ok=True)
    with open(os.path.join(OUT, target, name), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode("latin-1"))


def picture(width, height, channels, top=255):
    y, x, c = numpy.mgrid[0:height, 0:width, 0:channels]
    return ((x * 7 + y * 13 + c * 50) % (top + 1)).astype(numpy.uint16 if top > 255 else numpy.uint8)


def pillow(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def ipp(*items, operation=2):
    """An IPP request: (tag,) begins a group, (tag, name, value) is an attribute; the first two come by themselves."""
    out = b"\1\1" + operation.to_bytes(2, "big") + b"\0\0\0\7"
    first = ((1,), (0x47, "attributes-charset", b"utf-8"), (0x48, "attributes-natural-language", b"en"),
             (0x45, "printer-uri", b"ipp://localhost/printers/q"))
    for item in first + items:
        out += bytes([item[0]])
        if len(item) > 1:
            out += len(item[1]).to_bytes(2, "big") + item[1].encode() + len(item[2]).to_bytes(2, "big") + item[2]
    return out + b"\3"


def make_ipp():
    number = (300).to_bytes(4, "big")
    put("ipp_request", "print_job", ipp((0x42, "job-name", b"Spring"), (0x44, "compression", b"gzip"),
                                        (0x49, "document-format", b"application/postscript"), (2,),
                                        (0x21, "copies", (2).to_bytes(4, "big"))) + b"%!PS\n")
    put("ipp_request", "collection", ipp((2,), (0x34, "media-col", b""), (0x4a, "", b"media-size"), (0x34, "", b""),
                                         (0x4a, "", b"x-dimension"), (0x21, "", number), (0x37, "", b""), (0x37, "", b""),
                                         (0x44, "job-hold-until", b"indefinite")))
    put("ipp_request", "get_jobs", ipp((0x44, "requested-attributes", b"job-id"), (0x44, "", b"job-name"),
                                       (0x22, "my-jobs", b"\1"), (0x21, "limit", number), operation=10))
    put("ipp_request", "every_kind", ipp((2,), (0x13, "a", b""), (0x23, "b", number), (0x31, "c", bytes(11)),
                                         (0x32, "d", bytes(8) + b"\3"), (0x33, "e", bytes(8)),
                                         (0x35, "f", b"\0\2en\0\3abc"), (0x30, "g", b"\0\xff"), (0x21, "copies", bytes(4))))


def make_tiff():
    gray, rgb, cmyk, bits = picture(20, 12, 1), picture(20, 12, 3), picture(20, 12, 4), picture(20, 12, 1, 1)
    for name, compression in (("none", tiff.NONE), ("lzw", tiff.LZW), ("zip", tiff.ZIP), ("packbits", tiff.PACKBITS)):
        put("raster", f"cmyk_{name}.tif", tiff.tiff_bytes(cmyk, compression=compression, rows=5))
    put("raster", "rgb_lzw_predictor.tif", tiff.tiff_bytes(rgb, compression=tiff.LZW, predictor=2, rows=4))
    put("raster", "rgb_zip_predictor.tif", tiff.tiff_bytes(rgb, compression=tiff.ZIP, predictor=2, rows=4))
    put("raster", "gray_big_endian.tif", tiff.tiff_bytes(gray, order=">", rows=3))
    put("raster", "gray_bigtiff.tif", tiff.tiff_bytes(gray, big=True, rows=3))
    put("raster", "gray_white_is_zero.tif", tiff.tiff_bytes(gray, photometric=tiff.WHITE_IS_ZERO, ifd_first=True))
    put("raster", "bilevel.tif", tiff.tiff_bytes(bits, bits=1, rows=12))
    put("raster", "bilevel_reversed.tif", tiff.tiff_bytes(bits, bits=1, rows=6, reverse_bits=True))
    put("raster", "rgb_tiles.tif", tiff.tiff_bytes(rgb, tile=(16, 16), compression=tiff.ZIP))
    put("raster", "cmyk_separate.tif", tiff.tiff_bytes(cmyk, separate=True, rows=6, compression=tiff.PACKBITS))
    put("raster", "rgb_16_bit.tif", tiff.tiff_bytes(picture(20, 12, 3, 65535), bits=16, rows=6, order=">"))
    put("raster", "rgb_alpha.tif", tiff.tiff_bytes(cmyk, photometric=tiff.RGB, compression=tiff.LZW, rows=6))
    put("raster", "palette.tif", tiff.tiff_bytes(
        picture(20, 12, 1, 15), bits=4, photometric=tiff.PALETTE,
        tags={320: (tiff.SHORT, [(i * 4369) & 65535 for i in range(48)])}))
    put("raster", "rotated.tif", tiff.tiff_bytes(rgb, rows=5, tags={274: (tiff.SHORT, [6])}))
    put("raster", "layout.tif", tiff.tiff_bytes(gray, tags={351: (tiff.SHORT, [1])}))
    mono = Image.fromarray((picture(24, 16, 1)[..., 0] > 127).astype(numpy.uint8) * 255).convert("1")
    for name in ("group3", "group4", "tiff_ccitt"):
        put("raster", f"fax_{name}.tif", pillow(mono, "TIFF", compression=name))
    colour = Image.fromarray(picture(24, 16, 3))
    put("raster", "rgb_jpeg.tif", pillow(colour, "TIFF", compression="jpeg"))
    put("raster", "cmyk_jpeg.tif", pillow(Image.fromarray(picture(24, 16, 4), "CMYK"), "TIFF", compression="jpeg"))
    put("raster", "gray_lzw.tif", pillow(colour.convert("L"), "TIFF", compression="tiff_lzw"))


def make_jpeg():
    colour = Image.fromarray(picture(40, 24, 3))
    put("raster", "rgb.jpg", pillow(colour, "JPEG", quality=60))
    put("raster", "progressive.jpg", pillow(colour, "JPEG", quality=60, progressive=True))
    put("raster", "gray.jpg", pillow(colour.convert("L"), "JPEG", quality=60))
    put("raster", "cmyk.jpg", pillow(colour.convert("CMYK"), "JPEG", quality=60))
    exif = Image.Exif()
    exif[274] = 6
    put("raster", "rotated.jpg", pillow(colour, "JPEG", quality=60, exif=exif))


ONE_3 = """%ALDImageFilename: Mac HD:Pictures:car.tif
%ALDImageDimensions: 400 300
%ALDImageCropRect: 10 20 390 280
%ALDImageCropFixed: 10.5 20 390 280
%ALDImagePosition: 72 72 72 372 472 372 472 72
%ALDImageColor: 0 1 .5 0 (PANTONE 185 CV)
%ALDImageColorType: Spot
%ALDImageTint: .5
%ALDImageOverprint: true
%ALDImageTransparency: false
%ALDImageGrayMap: 65535 60000 55000 50000 45000 40000 35000 30000
%%+ 25000 20000 15000 10000 5000 2500 1250 0
%%BeginObject: image
gsave 4 4 8 [4 0 0 -4 0 4] {currentfile picstr readhexstring pop} image
grestore
%%EndObject
"""
TWO_0 = """%%BeginOPI: 2.0
%%Distilled
%%ImageFileName: (C:\\\\art\\\\car.tif)
%%MainImage: car
%%ImageDimensions: 400 300
%%ImageCropRect: 0 0 400 300
%%ImageOverprint: false
%%ImageInks: monochrome 2 (Cyan) .5 (PANTONE 185 CV) 1
%%BeginIncludedImage
%%IncludedImageDimensions: 40 30
%%IncludedImageQuality: 2
q 400 0 0 300 72 72 cm
<< /ImageType 1 >> image
Q
%%EndIncludedImage
%%EndOPI
"""
JOB = ("%!PS-Adobe-3.0\n%%LanguageLevel: 2\n%%DocumentData: Clean7Bit\n%%Pages: 2\n%%EndComments\n%%BeginProlog\n"
       "%%BeginResource: procset a\n/x { % %ALDImageFilename: no\n} def (%%BeginOPI: 2.0\n) pop\n%%EndResource\n"
       "%%EndProlog\n%%Page: 1 1\n%%PageBoundingBox: 0 0 595 842\n%sshowpage\n%%Page: 2 2\n%sshowpage\n"
       "%%Trailer\n%%EOF\n")


def job(first, second=""):
    return JOB.replace("%%", "\0").replace("%s", "\1").replace("\0", "%%").replace("\1", first, 1).replace("\1", second, 1)


def make_jobs():
    nested = "%%BeginDocument: a.eps\n%!PS-Adobe-3.0 EPSF-3.0\n" + ONE_3 + "%%EOF\n%%EndDocument\n"
    data = "%%BeginData: 12 Hex Bytes\n%%BeginOPI:\n\n%%EndData\n%%BeginBinary: 5\n\0\1%%\n\n%%EndBinary\n"
    put("thin_document", "opi_1_3.ps", job(ONE_3, nested))
    put("thin_document", "opi_2_0.ps", job(TWO_0, TWO_0.replace("%%EndIncludedImage\n", "")))
    put("thin_document", "combined.ps", job(ONE_3.replace("gsave", TWO_0 + "gsave")))
    put("thin_document", "carriage_returns.ps", job(ONE_3, TWO_0).replace("\n", "\r"))
    put("thin_document", "mixed_line_ends.ps", job(ONE_3, TWO_0).replace(": ", ":").replace("\n%%", "\r\n%%"))
    put("thin_document", "counted_data.ps", job(data + ONE_3, data.replace("12", "11") + TWO_0))
    put("thin_document", "comments_only.ps", job(ONE_3.split("%%BeginObject")[0] + "grestore\n" + ONE_3))
    put("thin_document", "cut_off.ps", job(ONE_3, TWO_0)[:-180])
    put("thin_document", "pjl.ps", "\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE=POSTSCRIPT\r\n" + job(ONE_3) +
        "\x04\x1b%-12345X@PJL EOJ\r\n\x1b%-12345X" + job(TWO_0) + "\x04")
    put("thin_document", "no_wrapper.ps", "\x04" + ONE_3 + TWO_0)
    for name in ("opi_1_3", "opi_2_0"):
        block = ONE_3 if name == "opi_1_3" else TWO_0
        put("opi_comments", name, "".join(line + "\n" for line in block.split("\n") if line.startswith("%")))
    put("opi_comments", "registration", "%%ImageInks: registration\n%%ImageDimensions: 10 10\n")
    put("opi_comments", "odd_numbers", "%ALDImagePosition: [1e3 -.5 0 4 5 +6 7. 8]\n%ALDImageDimensions:0 0\n"
        "%ALDImageColor: 0 0 0 1 (a\\)b\\101)\n%ALDImageCropRect: -1 2 3\n")
    for number, body in enumerate((
            "q 400 0 0 300 72 72 cm << /ImageType 1 >> image Q", "gsave 72 72 translate 400 300 scale 8 image",
            "[1 0 0 1 5 6] concat 30 rotate 0 0 10 20 re W n q 2 0 0 2 0 0 cm Q q 3 0 0 3 0 0 cm image",
            "0 0 m 9 0 l 9 9 l 0 9 l h W n /DeviceCMYK setcolorspace (a\\(b) pop <41> pop pdfIm",
            "newpath 0 0 moveto 9 0 lineto 9 9 lineto 0 9 lineto closepath clip 9 9 scale imagemask")):
        put("form_placement", f"form_{number}", body)


def make_names():
    for number, name in enumerate((
            "Mac HD:Pictures:car.tif", "C:\\art\\car.tif", "\\\\SERVER\\Share\\car.tif", "/home/a/car.tif", "car.tif",
            "(C:\\\\art\\\\caf\\351 \\(1\\).tif)", "file://localhost/a%20b/car.tif", "../../etc/passwd", "a::b:car",
            "caf\x8e.tif", "caf<8E>.tif", "e\xcc\x81.tif", ":a:b.tif", "(a\\\nb", "C:car.tif", "dir/")):
        put("client_path", f"name_{number:02}", name)


def make_eps():
    head = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: -5 10 105 210\n%%HiResBoundingBox: -4.6 10.2 104.9 209.5\n%%EndComments\n"
    body = "0 0 100 200 rectfill\nshowpage\n%%EOF\n"
    late = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: (atend)\n%%EndComments\n%%BeginDocument: b\n%%BoundingBox: 0 0 1 1\n%%EndDocument\n"
    put("eps", "plain.eps", head + body)
    put("eps", "carriage_returns.eps", (head + body).replace("\n", "\r"))
    put("eps", "box_at_end.eps", late + "%%Trailer\n%%BoundingBox: 0 0 10 20\n%%EOF\n")
    text = (head + body).encode()
    start = 30
    put("eps", "dos.eps", b"\xc5\xd0\xd3\xc6" + start.to_bytes(4, "little") + len(text).to_bytes(4, "little") +
        bytes(8) + (start + len(text)).to_bytes(4, "little") + (4).to_bytes(4, "little") + b"\xff\xff" + text + b"II*\0")
    put("eps", "mac_binary.eps", bytes(128) + text + b"\x04\x1a\0\0")
    put("eps", "separations.eps", head.replace("%%EndC", "%%CyanPlate: a.C\n%%EndC") + body)
    put("eps", "no_box.eps", "%!PS\nshowpage\n")
    put("eps", "odd_box.eps", "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 1e9 nan 5 5 6\n%%BoundingBox:0 0 0 0\n")


def make_dcs():
    ink = picture(20, 12, 1)[..., 0]
    for name, data in (("hex", dcs.hex_data), ("binary", dcs.binary_data), ("ascii85", dcs.ascii85_data),
                       ("run_length", dcs.run_length_data), ("jpeg", dcs.jpeg_data), ("inverted", dcs.upside_down_values)):
        put("dcs", f"plate_{name}.eps", dcs.plate(ink, data=data))
    put("dcs", "copydot.eps", dcs.plate(ink, bits=1, data=dcs.binary_data))
    put("dcs", "program.eps", dcs.plate(ink, before="/level2 systemdict /languagelevel known {languagelevel 2 ge} {false} "
        "ifelse def /d 3 dict def d begin /a {1 2 add} def a pop end level2 {[1 0 0 1 2 3] concat} if\n"))
    plates = [("Cyan", dcs.plate(ink)), ("PANTONE 185 CVC", dcs.plate(255 - ink))]
    colours = ["%%CMYKCustomColor: 0 0.91 0.76 0 (PANTONE 185 CVC)"]
    put("dcs", "single.eps", dcs.single_file(plates, comments=colours))
    put("dcs", "single_wrong.eps", dcs.single_file(plates, error=lambda number: 191 + 83 * number))
    put("dcs", "dos.eps", dcs.single_file(plates, wrap=dcs.dos))
    put("dcs", "apart.eps", dcs.main_file(["%%CyanPlate: a.C", "%%PlateFile: (Black) EPS Local a.K", "%%+ (\\(x) EPS #1 2"]))


def make_network():
    control = "Hmac\nPanna\nJcover page\nfdfA001mac\nfdfA001mac\nUdfA001mac\nNcover.ps\n"
    send = f"\2press\n\2{len(control)} cfA001mac\n{control}\0\3" + "6 dfA001mac\n%!PS\n\n\0"
    put("lpd_protocol", "control_first", send)
    put("lpd_protocol", "data_first", "\2q\n\0036 dfA1m\n%!PS\n\n\0\0023 cfA1m\nHm\n\0\2q\n\1\n")
    put("lpd_protocol", "until_close", "\2q\n\0030 dfA1m\n%!PS\nshowpage\0abc")
    put("lpd_protocol", "huge_count", "\2q\n\003125899906843000 dfA1m\n%!PS")
    put("lpd_protocol", "short_data", "\2q\n\0039 dfA1m\nabc")
    put("lpd_protocol", "status", "\4press anna 12 13\n")
    put("lpd_protocol", "remove", "\5press root 1 2 bob\n")
    put("lpd_protocol", "bad_end", "\2q\n\0033 dfA1m\nabcX")
    put("lpd_protocol", "long_line", "\2" + "q" * 1100 + "\n")
    put("lpd_control", "usual", control)
    put("lpd_control", "returns", control.replace("\n", "\r\n"))
    put("lpd_control", "odd", "H\nP\xe9\x01\nJ" + "x" * 300 + "\nf../../etc\no\n\nldfA1\rpdfA1\nN\xff\n")
    put("lpd_control", "many_copies", "fdfA1m\n" * 150 + "fdfB1m\n")
    put("rip_messages", "error", "%%[ Error: undefined; OffendingCommand: foo ]%%\r\n%%[ Flushing: rest of job (to end-of-file) will be ignored ]%%\r\n")
    put("rip_messages", "status", "%%[ status: busy; source: AppleTalk ]%%\n%%[ PrinterError: out of paper ]%%\n%%[exitserver: permanent state may be changed]%%\n")
    put("rip_messages", "pjl", "@PJL USTATUS DEVICE\r\nCODE=10001\r\nDISPLAY=\"Ready\"\r\nONLINE=TRUE\r\n\x0cplain text\n@PJL USTATUS JOB\r\n")
    put("rip_messages", "quoted", "\x01A\x01\x44abc%%[ Error: x\n\x04\x01")
    put("rip_messages", "long_line", "y" * 8190 + "%%[ Error: undefined; OffendingCommand: a ]%%" + "z" * 9000)
    put("rip_messages", "repeats", "%%[ status: idle ]%%\n" * 5 + "".join(f"line {i}\n" for i in range(130)) +
        "%%[ Error: a; OffendingCommand: b ]%%\n" * 30)


CONFIG = """# a comment
[listen]
http = 127.0.0.1:8632
lpd = [::1]:5515
[spool]
directory = out/spool
min_free_bytes = 67108864
[store main]
path = out/store
[queue press]
stores = main
rip = socket://127.0.0.1:9190
lpd = yes
socket_port = 127.0.0.1:9101
on_missing = hold
encoding = binary
level = 3
[queue proof]
stores = main
rip = lpd://127.0.0.1:5516/plates
encoding = ascii85
level = 2
"""


def make_rest():
    put("config", "usual.conf", CONFIG)
    put("config", "small.conf", "[spool]\ndirectory=/var/spool\n[queue a]\nrip=file:///srv/out\n")
    put("config", "unknown_key.conf", CONFIG + "colour = red\n")
    put("config", "twice.conf", CONFIG + "level = 3\n[queue proof]\n")
    put("config", "odd.conf", "x=1\n[]\n[store]\n[queue a b]\n= =\n[spool]\ndirectory = \"a # b\"\n")
    put("tail_check", "whole.ps", job(ONE_3))
    put("tail_check", "cut_off.ps", job(ONE_3)[:-9])
    put("tail_check", "open_brackets.ps", "%!PS\n/a { (b\\) <c> [ <<\n%%BeginData: 5 Hex Bytes\nabc")
    put("tail_check", "wrapper", "\x1b%-12345X@PJL\n%!PS\nshowpage\n\x04\x1b%-12345X")
    put("tail_check", "other", "hello\n")


make_tiff()
make_jpeg()
make_jobs()
make_names()
make_eps()
make_dcs()
make_network()
make_ipp()
make_rest()
