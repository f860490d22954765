# SPDX-License-Identifier: AGPL-3.0-or-later
"""JPEG files, and JPEG inside TIFF. The truth is libjpeg's decoding of the same data."""
import io
import os
import subprocess

import numpy
from PIL import Image

import group_geometry
import group_tiff
import pictures
import thin_job
import tiff_file
from sheet import Sheet

WIDTH, HEIGHT = 93, 71
CROP = (8.5, 5.25, 83, 60.5)
# Two decoders may round a colour conversion differently.
TOLERANCE = 6


def jpeg_bytes(samples, **options):
    mode = {1: "L", 3: "RGB", 4: "CMYK"}[samples.shape[2]]
    out = io.BytesIO()
    Image.fromarray(samples.squeeze(), mode).save(out, "JPEG", quality=92, **options)
    return out.getvalue()


def decoded(data, mode=None):
    # A file may lack its end mark; a second one does no harm.
    with Image.open(io.BytesIO(data + b"\xff\xd9")) as image:
        array = numpy.asarray(image.convert(mode) if mode else image)
    return array[..., None] if array.ndim == 2 else array


def add(sheet, name, file_name, shown, version="13"):
    dims = (shown.shape[1], shown.shape[0])
    position = thin_job.corners(130.3, 101.7, thin_job.turned(17, 103.3, 51.7))
    crop = CROP if dims == (WIDTH, HEIGHT) else (0, 0, *dims)

    def thin(job):
        thin_job.block_13(job, file_name, position, dims, group_geometry.outward(crop), crop)

    def thin_20(job):
        matrix = tuple(v * s for v, s in zip(thin_job.turned(17), (130.3, 130.3, 101.7, 101.7))) + (103.3, 51.7)
        thin_job.block_20(job, file_name, matrix, dims, crop, (crop[2] - crop[0], crop[3] - crop[1]))

    sheet.add(name, thin if version == "13" else thin_20, thin_job.truth_image(shown, position, crop), [position], TOLERANCE)


def cjpeg(samples, *options):
    """JPEG data that PIL does not write: restart markers, plain RGB, arithmetic."""
    head = b"P6\n%d %d\n255\n" % (samples.shape[1], samples.shape[0])
    return subprocess.run(["cjpeg", "-quality", "92", *options], input=head + samples.tobytes(), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout


def exif(orientation):
    """APP1 with one entry: the orientation."""
    tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01" + bytes([0, orientation, 0, 0]) + b"\0\0\0\0"
    return b"Exif\0\0" + tiff


def by_scans(bench, samples, script, *options):
    """Scans as a script of cjpeg's lists them."""
    path = os.path.join(bench.scratch, "scans.txt")
    with open(path, "w", encoding="ascii") as out:
        out.write(script)
    return cjpeg(samples, "-scans", path, *options)


def files(bench):
    sheet = Sheet("files")
    colour, gray = pictures.smooth(WIDTH, HEIGHT, 3, 91), pictures.smooth(WIDTH, HEIGHT, 1, 92)
    data = {"gray": jpeg_bytes(gray), "444": jpeg_bytes(colour, subsampling=0), "420-odd": jpeg_bytes(colour, subsampling=2),
            "422": jpeg_bytes(colour, subsampling=1), "progressive": jpeg_bytes(colour, progressive=True),
            "progressive-gray": jpeg_bytes(gray, progressive=True), "plain-rgb": cjpeg(colour, "-rgb"),
            "restart": cjpeg(colour, "-restart", "2"), "440": cjpeg(colour, "-sample", "1x2"),
            "411": cjpeg(colour, "-sample", "4x1"), "progressive-411": cjpeg(colour, "-sample", "4x1", "-progressive"),
            "progressive-rgb": cjpeg(colour, "-rgb", "-progressive"),
            "progressive-restart": cjpeg(colour, "-progressive", "-restart", "1"),
            "coarse-tables": cjpeg(colour, "-quality", "5"), "scan-by-channel": by_scans(bench, colour, "0;\n1;\n2;\n"),
            # Too many blocks for one scan of all channels: decoded instead.
            "large-blocks": by_scans(bench, colour, "0;\n1;\n2;\n", "-sample", "4x2,2x2,1x1")}
    data["no-end-mark"] = data["444"][:-2]
    data["trailing-bytes"] = data["444"] + b"behind the end \xff\xd8" * 40
    data["comment"] = data["444"][:2] + b"\xff\xfe\0\x21%%EndData\n%%EndObject grestore\n" + data["444"][2:]
    for name, content in data.items():
        bench.put(f"{name}.jpg", content)
        for version in ("13", "20"):
            add(sheet, f"{name}-{version}", f"{name}.jpg", decoded(content), version)
    turns = {2: numpy.fliplr, 3: lambda shown: numpy.rot90(shown, 2), 4: numpy.flipud,
             5: lambda shown: shown.transpose(1, 0, 2), 6: lambda shown: numpy.rot90(shown, -1),
             7: lambda shown: numpy.rot90(shown, 2).transpose(1, 0, 2), 8: numpy.rot90}
    for orientation, turn in turns.items():
        content = jpeg_bytes(colour, subsampling=0, progressive=orientation % 2 == 0, exif=exif(orientation))
        upright = turn(decoded(content))
        bench.put(f"exif{orientation}.jpg", content)
        add(sheet, f"exif-{orientation}", f"exif{orientation}.jpg", numpy.ascontiguousarray(upright))
    return sheet


def cmyk_files(bench):
    """Photoshop's CMYK files hold the inks upside down and say so by an Adobe marker; without it nothing is inverted."""
    sheet = Sheet("cmyk-files", device="tiff32nc")
    content = jpeg_bytes(pictures.smooth(WIDTH, HEIGHT, 4, 93), subsampling=0)
    bench.put("adobe.jpg", content)
    add(sheet, "adobe", "adobe.jpg", decoded(content))
    at = content.index(b"\xff\xee\0\x0eAdobe")
    bench.put("bare.jpg", content[:at] + content[at + 16:])
    add(sheet, "without-marker", "bare.jpg", 255 - decoded(content))
    # The last byte of the marker says YCCK: the same numbers then mean other inks.
    ycck = content[:at + 15] + b"\x02" + content[at + 16:]
    bench.put("ycck.jpg", ycck)
    add(sheet, "ycck", "ycck.jpg", decoded(ycck))
    content = jpeg_bytes(pictures.smooth(WIDTH, HEIGHT, 4, 98), progressive=True)
    at = content.index(b"\xff\xee\0\x0eAdobe")
    for name, data in (("progressive", content), ("progressive-ycck", content[:at + 15] + b"\x02" + content[at + 16:])):
        bench.put(f"{name}-cmyk.jpg", data)
        add(sheet, name, f"{name}-cmyk.jpg", decoded(data))
    bench.put("progressive-bare.jpg", content[:at] + content[at + 16:])
    add(sheet, "progressive-without-marker", "progressive-bare.jpg", 255 - decoded(content))
    return sheet


def in_tiff(bench):
    sheet = Sheet("in-tiff")
    for name, samples, options in (("gray", pictures.smooth(WIDTH, HEIGHT, 1, 94), ("-c", "jpeg:92", "-r", "16")),
                                   ("rgb", pictures.smooth(WIDTH, HEIGHT, 3, 95), ("-c", "jpeg:r:92", "-r", "16")),
                                   ("ycbcr", pictures.smooth(WIDTH, HEIGHT, 3, 96), ("-c", "jpeg:92", "-r", "16")),
                                   ("rgb-tiles", pictures.smooth(WIDTH, HEIGHT, 3, 97),
                                    ("-c", "jpeg:r:92", "-t", "-w", "32", "-l", "32"))):
        bench.put(f"plain-{name}.tif", tiff_file.tiff_bytes(samples))
        target = group_tiff.tiffcp(bench, f"plain-{name}.tif", f"jpeg-{name}.tif", *options)
        with open(target, "rb") as written:
            shown = decoded(written.read(), "RGB" if samples.shape[2] == 3 else None)
        add(sheet, name, os.path.basename(target), shown)
    return sheet


def again(sheet, name, options, level):
    other = Sheet(f"{sheet.name}-{name}", sheet.device, options=options, level=level)
    other.pages = sheet.pages
    return other


def jpeg(bench):
    for make in (files, cmyk_files, in_tiff):
        sheet = make(bench)
        yield sheet
        yield again(sheet, "level-2", ["--level", "2"], 2)
        yield again(sheet, "ascii85", ["--encoding", "ascii85"], 3)
