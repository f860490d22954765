# SPDX-License-Identifier: AGPL-3.0-or-later
"""Jobs separated by their producer: each plate gets the picture's own channel as gray, and nothing else (ref 4.3)."""
import io

import numpy
from PIL import Image

import group_geometry
import pictures
import thin_job
import tiff_file
from group_colour import CROP, HEIGHT, POSITION, WIDTH, colour_lines
from group_inks import PROCESS, ink_tags
from group_self_test import Check
from sheet import Sheet
from tiff_file import CMYK, LZW, PACKBITS, SHORT, ZIP

PLATES = PROCESS + ["Spot Red"]
# What lies under the picture shows what is knocked out and what is not.
GROUND = "0.6 setgray 80 50 150 130 rectfill\n"


def paper(shape):
    return numpy.full((*shape[:2], 1), 255, numpy.uint8)


def gray_truth(samples):
    return thin_job.truth_image(samples, POSITION, CROP)


def add(sheet, name, file_name, truths, comments=(), block=thin_job.block_13):
    """A page for each plate; `truths`: {plate: PostScript}, a plate that is missing there shows paper."""
    for plate in PLATES:
        def thin(job):
            job.keep(GROUND)
            block(job, file_name, POSITION, (WIDTH, HEIGHT), group_geometry.outward(CROP), CROP, more=comments)

        truth = truths.get(plate, gray_truth(paper((HEIGHT, WIDTH))))
        sheet.add(f"{name}-{plate}", thin, GROUND + truth, [POSITION], tolerance=2, setup=f"\n%%PlateColor: {plate}\n")


def channels(samples, names):
    return {name: gray_truth(255 - samples[..., i:i + 1]) for i, name in enumerate(names)}


def separated_sheet(bench, options):
    sheet = Sheet("cmyk" + "".join(options), options=options, level=2 if "--level" in options else 3)
    four = pictures.cells(WIDTH, HEIGHT, 4, 301)
    for name, layout in (("none", {"rows": 9}), ("planes", {"separate": True, "rows": 7}),
                         ("lzw-planes", {"separate": True, "compression": LZW, "rows": 8}),
                         ("zip-predictor-planes", {"separate": True, "compression": ZIP, "predictor": 2}),
                         ("packbits-planes", {"separate": True, "compression": PACKBITS}),
                         ("zip-tiles", {"compression": ZIP, "tile": (16, 32)}), ("lzw", {"compression": LZW, "order": ">"}),
                         ("plane-tiles", {"separate": True, "tile": (16, 16)})):
        bench.put(f"four-{name}.tif", tiff_file.tiff_bytes(four, photometric=CMYK, **layout))
        add(sheet, name, f"four-{name}.tif", channels(four, PROCESS))
    for bits in (1, 4, 16):
        deep = pictures.cells(WIDTH, HEIGHT, 4, 310 + bits, bits=bits)
        bench.put(f"four-{bits}.tif", tiff_file.tiff_bytes(deep, photometric=CMYK, bits=bits, separate=bits == 1))
        add(sheet, f"{bits}-bit", f"four-{bits}.tif", channels(pictures.to_8_bit(deep, bits), PROCESS))
    five = pictures.cells(WIDTH, HEIGHT, 5, 302)
    bench.put("five.tif", tiff_file.tiff_bytes(five, photometric=CMYK, tags=ink_tags(PROCESS + ["SPOT RED"], 1, [0])))
    add(sheet, "five", "five.tif", channels(five, PLATES))
    bench.put("two.tif", tiff_file.tiff_bytes(five[..., :2], photometric=CMYK, tags=ink_tags(["Spot Red", "Black"], 2)))
    add(sheet, "two", "two.tif", channels(five, ["Spot Red", "Black"]))
    shown = numpy.rint((four.astype(float) - 16).clip(0, 204) * 255 / 204).astype(numpy.uint8)
    bench.put("range.tif", tiff_file.tiff_bytes(four, photometric=CMYK, tags={336: (SHORT, [16, 220])}))
    add(sheet, "dot-range", "range.tif", channels(shown, PROCESS))
    return sheet


def jpeg_sheet(bench):
    sheet = Sheet("cmyk-jpeg")
    four = pictures.smooth(WIDTH, HEIGHT, 4, 303)
    out = io.BytesIO()
    Image.fromarray(four, "CMYK").save(out, "JPEG", quality=95)
    bench.put("four.jpg", out.getvalue())
    with Image.open(io.BytesIO(out.getvalue())) as image:
        decoded = numpy.asarray(image)  # PIL undoes Adobe's inversion
    add(sheet, "cmyk", "four.jpg", channels(decoded, PROCESS))
    return sheet


def gray_sheet(bench):
    sheet = Sheet("gray-and-line-art")
    samples = pictures.cells(WIDTH, HEIGHT, 1, 304)
    ones = pictures.line_art(WIDTH, HEIGHT, 305)
    bench.put("gray.tif", tiff_file.tiff_bytes(samples, compression=LZW, rows=9))
    bench.put("art.tif", tiff_file.tiff_bytes(ones, bits=1, photometric=tiff_file.WHITE_IS_ZERO, rows=9))

    def tinted(level):
        return gray_truth(numpy.rint(255 - (255 - samples.astype(float)) * level).astype(numpy.uint8))

    def mask(gray):
        return thin_job.truth_mask(ones, POSITION, f"{gray} setgray", CROP)

    mix, spot = (0.2, 0.9, 0, 0.1), (0, 0.9, 0.7, 0)
    add(sheet, "gray", "gray.tif", {"Black": tinted(1)})
    add(sheet, "gray-process", "gray.tif", {"Cyan": tinted(0.1), "Magenta": tinted(0.45), "Black": tinted(0.05)},
        colour_lines("Process", mix, "Mix", 0.5))
    add(sheet, "gray-spot", "gray.tif", {"Spot Red": tinted(0.4)}, colour_lines("Spot", spot, "spot red", 0.4))
    everywhere = {plate: tinted(1) for plate in PLATES}
    add(sheet, "gray-registration", "gray.tif", everywhere, colour_lines("Spot", (1, 1, 1, 1), "All"))
    add(sheet, "gray-overprint", "gray.tif", {plate: tinted(1) if plate == "Magenta" else "" for plate in PLATES},
        colour_lines("Process", (0, 1, 0, 0), "Magenta", None, "%ALDImageOverprint: true"))
    knocked = {plate: mask(1) for plate in PLATES}
    add(sheet, "art", "art.tif", knocked | {"Black": mask(0)})
    add(sheet, "art-spot", "art.tif", knocked | {"Spot Red": mask(0.3)}, colour_lines("Spot", spot, "Spot Red", 0.7))
    add(sheet, "art-overprint", "art.tif", {plate: mask(0) if plate == "Black" else "" for plate in PLATES},
        ["%ALDImageOverprint: true"])
    add(sheet, "art-opaque", "art.tif", {"Black": gray_truth((1 - ones) * 255)}, ["%ALDImageTransparency: false"])
    return sheet


def job_of(plates, name, header=""):
    job = thin_job.Pieces()
    job.keep(thin_job.fresh_header(len(plates), ()) + header)
    for number, comments in enumerate(plates, 1):
        job.keep(f"%%Page: {number} {number}\n{comments}")
        thin_job.block_13(job, name, POSITION, (WIDTH, HEIGHT), group_geometry.outward(CROP), CROP)
        job.keep("showpage\n")
    job.keep("%%EOF\n")
    return job.whole()


def asked(bench, name, job, code, *words):
    """Exit code and words of what is said."""
    def ask(bench_):
        folder = bench_.fresh_folder(name)
        with open(f"{folder}/thin.ps", "wb") as out:
            out.write(job)
        done = bench_.resolve(f"{folder}/thin.ps", f"{folder}/out.ps", ["--verbose"])
        said = done.stderr.decode("utf-8", "replace")
        found = [] if done.returncode == code else [f"exit {done.returncode}: {said[:300]}"]
        return found + [f"nobody says '{word}': {said[:400]}" for word in words if word not in said]

    return Check(name, ask)


def words(bench):
    bench.put("rgb.tif", tiff_file.tiff_bytes(pictures.cells(WIDTH, HEIGHT, 3, 306)))
    cyan, black = "%%PlateColor: Cyan\n", "%%PlateColor: Black\n"
    yield asked(bench, "rgb-on-a-plate", job_of([cyan], "rgb.tif"), 3, "not in inks")
    yield asked(bench, "unknown-plate", job_of([cyan, ""], "five.tif"), 3, "does not say which plate", "thin.ps:1")
    yield asked(bench, "contradiction", job_of([cyan + black], "five.tif"), 3, "contradict")
    every = [f"%%PlateColor: {plate}\n" for plate in PROCESS]
    yield asked(bench, "ink-without-plate", job_of(every, "five.tif"), 0, "'five.tif' has the ink 'SPOT RED'", "no plate for it")


def plates(bench):
    for options in ([], ["--level", "2", "--encoding", "ascii85"]):
        yield separated_sheet(bench, options)
    yield jpeg_sheet(bench)
    yield gray_sheet(bench)
    yield from words(bench)
