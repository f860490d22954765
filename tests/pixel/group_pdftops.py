# SPDX-License-Identifier: AGPL-3.0-or-later
"""A real producer: small PDF files with OPI dictionaries, made thin by `pdftops -opi`."""
import os
import subprocess

import numpy

import output_checks
import pictures
import render
import thin_job
import tiff_file
from group_colour import separation
from group_self_test import Check
from sheet import Page, compare_pages

WIDTH, HEIGHT = 80, 60
MATRIX = (0.9, 0.3, -0.3, 0.9, 103.3, 61.7)
BOX = (120, 90)
CROP = (20, 10, 60, 50)


def pdf(objects):
    """Objects numbered from 1: bytes of a dictionary, or (dictionary, stream)."""
    out, offsets = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        offsets.append(len(out))
        body = item if isinstance(item, bytes) else item[0] % len(item[1]) + b"\nstream\n" + item[1] + b"\nendstream"
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return out + table + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))


def opi_dictionary(version, position=None, crop=None, more=""):
    text = f"/OPI << /{version} << /Type /OPI /Version {version} /F (picture.tif) /Size [{WIDTH} {HEIGHT}] "
    if crop or version == "1.3":
        text += f"/CropRect [{thin_job.nums(crop or (0, 0, WIDTH, HEIGHT))}] "
    if position:
        text += f"/Position [{thin_job.nums([v for point in position for v in point])}] "
    return (text + more + " >> >>").encode("latin-1")


def page_pdf(content, xobjects):
    """One page; `xobjects` are /X1, /X2, ... from object 5 on."""
    names = b" ".join(b"/X%d %d 0 R" % (i + 1, i + 5) for i in range(len(xobjects)))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << /XObject << %s >> >> >>" % (
        *thin_job.SIZE_PT, names)
    return pdf([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page,
                (b"<< /Length %d >>", content.encode("latin-1")), *xobjects])


PROXY = bytes(range(0, 240, 5))[:4 * 4 * 3]


def proxy_image(opi=b""):
    return (b"<< /Type /XObject /Subtype /Image /Width 4 /Height 4 /ColorSpace /DeviceRGB /BitsPerComponent 8 %s /Length %%d >>"
            % opi.replace(b"%", b"%%"), PROXY)


def form(opi):
    """A form that shows the proxy in BOX, object 5; the proxy is object 6."""
    content = b"q %d 0 0 %d 0 0 cm /P Do Q" % BOX
    return [(b"<< /Type /XObject /Subtype /Form /BBox [0 0 %d %d] /Resources << /XObject << /P 6 0 R >> >> %s /Length %%d >>" % (
        *BOX, opi), content), proxy_image()]


def on_form(version, more="", crop=None):
    position = thin_job.corners(*BOX) if version == "1.3" else None
    return page_pdf(f"q {thin_job.nums(MATRIX)} cm /X1 Do Q", form(opi_dictionary(version, position, crop, more)))


def on_image(version, position):
    unit = thin_job.nums(unit_matrix())
    return page_pdf(f"q {unit} cm /X1 Do Q", [proxy_image(opi_dictionary(version, position))])


def unit_matrix():
    a, b, c, d, e, f = MATRIX
    return a * BOX[0], b * BOX[0], c * BOX[1], d * BOX[1], e, f


class Producer:
    """One PDF at one language level: thin job, result, pixels beside the truth."""

    def __init__(self, name, data, truth, level, device="ppmraw"):
        self.name, self.data, self.truth, self.level, self.device = f"{name}-level{level}", data, truth, level, device
        self.pages = [Page(name, None, truth, [thin_job.corners(*BOX, MATRIX)], tolerance=2)]

    def run(self, bench):
        folder = bench.fresh_folder(self.name)
        thin, said = thin_from_pdf(folder, self.data, self.level)
        if said:
            return [f"{self.name}: {said}"]
        target = os.path.join(folder, "out.ps")
        done = bench.resolve(thin, target, ["--level", str(self.level)])
        if done.returncode or done.stderr:
            return [f"{self.name}: exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:600]}"]
        with open(target, "rb") as result:
            found = output_checks.check_output(result.read(), [])
        truth = os.path.join(folder, "truth.ps")
        with open(truth, "wb") as out:
            out.write((thin_job.fresh_header(1, ()) + self.truth + "showpage\n").encode("latin-1"))
        want, wrong = render.render(truth, os.path.join(folder, "truth"), self.device, thin_job.SIZE_PT)
        got, more = render.render(target, os.path.join(folder, "got"), self.device, thin_job.SIZE_PT)
        found += wrong + more
        if len(got) == len(want) == 1:
            found += compare_pages(self.pages[0], got[0], want[0])
        else:
            found.append(f"{len(got)} pages, the truth has {len(want)}")
        return [f"{self.name}: {text}" for text in found]


def thin_from_pdf(folder, data, level):
    source, thin = os.path.join(folder, "page.pdf"), os.path.join(folder, "thin.ps")
    with open(source, "wb") as out:
        out.write(data)
    done = subprocess.run(["pdftops", "-opi", f"-level{level}", "-paper", "match", source, thin], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode or done.stdout:
        return thin, f"pdftops exit {done.returncode}: {done.stdout[:300]!r}"
    with open(thin, "rb") as written:
        if b"picture.tif" not in written.read():
            return thin, "pdftops wrote no OPI comments"
    return thin, ""


def position_off_the_page(bench):
    """pdftops multiplies a page position by the picture's own matrix: held where the job may not be measured."""
    folder = bench.fresh_folder("off-the-page")
    thin, said = thin_from_pdf(folder, on_image("1.3", thin_job.corners(*BOX, MATRIX)), 2)
    if said:
        return [said]
    target = os.path.join(folder, "out.ps")
    done = bench.resolve(thin, target, ["--measure", "never"])
    found = [] if done.returncode == 3 else [f"exit {done.returncode}"]
    found += [] if b"picture.tif" in done.stderr else [f"the picture is not named: {done.stderr!r}"]
    return found + (["a result was written"] if os.path.exists(target) else [])


def pdftops(bench):
    samples = pictures.cells(WIDTH, HEIGHT, 3, 121)
    bench.put("picture.tif", tiff_file.tiff_bytes(samples, compression=tiff_file.LZW, rows=9))
    placed = thin_job.corners(*BOX, MATRIX)
    whole, cropped = thin_job.truth_image(samples, placed), thin_job.truth_image(samples, placed, CROP)
    unit = [(0, 0), (0, 1), (1, 1), (1, 0)]
    for level in (2, 3):
        yield Producer("form-13", on_form("1.3"), whole, level)
        yield Producer("form-13-crop", on_form("1.3", crop=CROP), cropped, level)
        yield Producer("form-13-crop-fixed", on_form("1.3", "/CropFixed [20.5 10.25 59.5 49.75]", CROP),
                       thin_job.truth_image(samples, placed, (20.5, 10.25, 59.5, 49.75)), level)
        yield Producer("form-20", on_form("2.0"), whole, level)
        yield Producer("form-20-crop", on_form("2.0", crop=CROP), cropped, level)
        yield Producer("image-13", on_image("1.3", unit), whole, level)
        yield Producer("image-20", on_image("2.0", None), whole, level)
    yield Check("off-the-page", position_off_the_page)
    yield from coloured(bench)


def coloured(bench):
    """A gray picture in a spot ink, asked for by the dictionary."""
    gray = pictures.cells(WIDTH, HEIGHT, 1, 122)
    bench.put("picture.tif", tiff_file.tiff_bytes(gray, rows=9))
    placed = thin_job.corners(*BOX, MATRIX)
    levels = numpy.rint((255 - gray.astype(float)) * 0.5).astype(numpy.uint8)
    matrix = thin_job.nums(thin_job.pixel_matrix(placed, (0, 0, WIDTH, HEIGHT)))
    truth = (f"gsave [{matrix}] concat {separation('Spot Red', (0, 0.9, 0.7, 0))} setcolorspace\n"
             f"<< /ImageType 1 /Width {WIDTH} /Height {HEIGHT} /BitsPerComponent 8 /Decode [0 1] /ImageMatrix [1 0 0 1 0 0]\n"
             "/DataSource currentfile /ASCIIHexDecode filter >> image\n"
             + thin_job.hex_lines(levels.tobytes()) + ">\ngrestore\n")
    spot = "/ColorType /Spot /Color [0 0.9 0.7 0 (Spot Red)] /Tint 0.5"
    yield Producer("form-13-spot", on_form("1.3", spot), truth, 2, "tiffsep")
    yield Producer("form-20-inks", on_form("2.0", "/Inks [/monochrome (Spot Red) 0.5]"), truth, 2, "tiffsep")
