# SPDX-License-Identifier: AGPL-3.0-or-later
"""Programs that write or rewrite thin jobs: imposition by psutils, Ghostscript's ps2write, pdftops in its modes, and the
order and idiom of layout programs. Each gives the right pixels or holds the job with the reason."""
import os
import subprocess

import group_eps
import group_pdftops
import output_checks
import pictures
import render
import strict_postscript
import thin_job
import tiff_file
from compare import differences
from group_self_test import Check
from sheet import SCALE, Sheet

WIDTH, HEIGHT = 160, 120  # twice what the layout saw
DIMS = (WIDTH // 2, HEIGHT // 2)
CROP = (20, 10, 60, 50)
UNIT = (90, 30, -20, 70, 60, 120)


def twice(crop):
    return tuple(2 * value for value in crop)


def run_quietly(command, folder):
    """Complaint, "" if it did its work in silence."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, check=False)
    return f"{' '.join(command)}: exit {done.returncode} {done.stdout[:300]!r}" if done.returncode or done.stdout else ""


def compare_sheets(want, got, polygons):
    if len(got) != len(want):
        return [f"{len(got)} pages, the truth has {len(want)}"]
    found = []
    for number, (mine, true) in enumerate(zip(got, want)):
        found += [f"page {number + 1}: {text}" for text in differences(mine, true, polygons[number] if polygons else [], 1)]
    return found


class Imposed:
    """Two pages put on new sheets by `command` IN OUT, before their pictures come; the truth goes the same way without OPI."""

    def __init__(self, name, command, size, sheets, samples):
        self.name, self.command, self.size, self.sheets = name, command, size, sheets
        self.position = thin_job.corners(120, 100, thin_job.turned(17, 100, 60))
        self.unit = thin_job.corners(1, 1, UNIT)
        self.samples = samples

    def thin(self):
        job = thin_job.Pieces()
        job.keep(thin_job.fresh_header(2, ("%%DocumentData: Clean7Bit",)))
        for number, block in enumerate((self.first, self.second), 1):
            job.keep(f"%%Page: {number} {number}\ngsave\n")
            block(job)
            job.keep("grestore showpage\n")
        job.keep("%%Trailer\n%%EOF\n")
        return job.whole()

    def first(self, job):
        thin_job.block_13(job, "double.tif", self.position, DIMS, CROP)

    def second(self, job):
        thin_job.block_20(job, "double.tif", UNIT, DIMS, CROP, (40, 40))

    def truth(self):
        text = thin_job.fresh_header(2, ())
        for number, position in enumerate((self.position, self.unit), 1):
            image = thin_job.truth_image(self.samples, position, twice(CROP))
            text += f"%%Page: {number} {number}\n{image}showpage\n"
        return (text + "%%Trailer\n%%EOF\n").encode("latin-1")

    def polygons(self):
        """Of each new sheet, device pixels: `sheets` tells which page lies on it under which matrix."""
        out = []
        for placed in self.sheets:
            areas = [[thin_job.affine(matrix, point) for point in (self.position, self.unit)[page]] for page, matrix in placed]
            out.append([[(x * SCALE, (self.size[1] - y) * SCALE) for x, y in area] for area in areas])
        return out

    def run(self, bench):
        folder = bench.fresh_folder(self.name)
        for name, data in (("thin", self.thin()), ("truth", self.truth())):
            with open(os.path.join(folder, f"{name}-pages.ps"), "wb") as out:
                out.write(data)
            if said := run_quietly([*self.command, f"{name}-pages.ps", f"{name}.ps"], folder):
                return [f"{self.name}: {said}"]
        return [f"{self.name}: {text}" for text in self.judge(bench, folder)]

    def judge(self, bench, folder):
        thin, target, truth = (os.path.join(folder, name) for name in ("thin.ps", "out.ps", "truth.ps"))
        done = bench.resolve(thin, target, ["--encoding", "ascii85"])
        if done.returncode or done.stderr:
            return [f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:600]}"]
        with open(target, "rb") as result:
            found = output_checks.check_output(result.read(), [], ascii_only=True)
        want, wrong = render.render(truth, os.path.join(folder, "wanted"), "ppmraw", self.size)
        got, said = render.render(target, os.path.join(folder, "got"), "ppmraw", self.size)
        return found + wrong + said + compare_sheets(want, got, self.polygons())


def imposition(bench):
    samples = pictures.cells(WIDTH, HEIGHT, 3, 701)
    bench.put("double.tif", tiff_file.tiff_bytes(samples, rows=16, compression=tiff_file.LZW))
    straight = (1, 0, 0, 1, 0, 0)
    width, height = thin_job.SIZE_PT
    small = (0.5, 0, 0, 0.5, 0, 0)
    turned = (0, -0.5, 0.5, 0, width / 2, height / 2)
    yield Imposed("psnup-2", ["psnup", "-q", f"-W{width}", f"-H{height}", f"-w{width}", f"-h{2 * height}", "-2"], (width, 2 * height),
                  [[(0, (1, 0, 0, 1, 0, height)), (1, straight)]], samples)
    yield Imposed("pstops", ["pstops", "-q", f"-w{width}", f"-h{height}", f"2:0@0.5(0,0)+1R@0.5({width // 2},{height // 2})"], (width, height),
                  [[(0, small), (1, turned)]], samples)
    yield Imposed("pstops-twice", ["pstops", "-q", f"-w{width}", f"-h{height}", f"1:0@0.5(0,0)+0R@0.5({width // 2},{height // 2})"], (width, height),
                  [[(page, small), (page, turned)] for page in (0, 1)], samples)
    yield Imposed("psselect-reversed", ["psselect", "-q", "-r"], (width, height), [[(1, straight)], [(0, straight)]], samples)


# ---- Ghostscript

def ghostscript_drops_comments(bench):
    """ps2write leaves no comment: the job goes out byte for byte as it came, and the user is told what it lacks."""
    folder = bench.fresh_folder("ps2write")
    with open(os.path.join(folder, "thin.ps"), "wb") as out:
        out.write(Imposed("", [], thin_job.SIZE_PT, [], None).thin())
    said = run_quietly(["gs", "-q", "-dBATCH", "-dNOPAUSE", "-sDEVICE=ps2write", "-o", "written.ps", "thin.ps"], folder)
    if said:
        return [said]
    source, target = os.path.join(folder, "written.ps"), os.path.join(folder, "out.ps")
    done = bench.resolve(source, target, ["--verbose"])
    with open(source, "rb") as before, open(target, "rb") as after:
        found = [] if before.read() == after.read() else ["the job was changed"]
    if done.returncode or b"Ghostscript" not in done.stderr or b"no OPI comments" not in done.stderr:
        found.append(f"exit {done.returncode}, said {done.stderr[:300]!r}")
    return found


# ---- pdftops

class Converted:
    """`thin` through `pdftops -opi FLAGS`, and the PDF that holds the picture itself by the same way: the truth."""

    def __init__(self, name, flags, thin, full, size=thin_job.SIZE_PT, reason=None):
        self.name, self.flags, self.thin, self.full, self.size, self.reason = name, flags, thin, full, size, reason

    def run(self, bench):
        folder = bench.fresh_folder(self.name)
        # Level 1 of pdftops turns pictures gray: the truth is drawn by Level 2.
        truth_flags = [flag for flag in self.flags if not flag.startswith("-level1")]
        for name, data, flags in (("thin", self.thin, self.flags), ("truth", self.full, truth_flags)):
            with open(os.path.join(folder, f"{name}.pdf"), "wb") as out:
                out.write(data)
            if said := run_quietly(["pdftops", "-opi", *flags, f"{name}.pdf", f"{name}.ps"], folder):
                return [f"{self.name}: {said}"]
        return [f"{self.name}: {text}" for text in self.judge(bench, folder)]

    def judge(self, bench, folder):
        thin, target, truth = (os.path.join(folder, name) for name in ("thin.ps", "out.ps", "truth.ps"))
        done = bench.resolve(thin, target)
        said = done.stderr.decode("utf-8", "replace")
        if self.reason:
            held = done.returncode == 3 and "picture.tif" in said and self.reason in said and not os.path.exists(target)
            return [] if held else [f"exit {done.returncode} instead of '{self.reason}': {said[:400]}"]
        if done.returncode:
            return [f"exit {done.returncode}: {said[:600]}"]
        with open(target, "rb") as result, open(thin, "rb") as job:
            found = not_the_producers(output_checks.check_output(result.read(), []), job.read())
        want, wrong = render.render(truth, os.path.join(folder, "wanted"), "ppmraw", self.size)
        got, more = render.render(target, os.path.join(folder, "got"), "ppmraw", self.size)
        if len(want) == 1 and (want[0] == 255).all():
            found.append("the truth shows nothing")
        return found + wrong + more + compare_sheets(want, got, None)


def not_the_producers(complaints, job):
    """Without those that the job itself earns: `pdftops -eps` ends a page setup that it never began."""
    own = {text.partition(": ")[2] for text in strict_postscript.check_structure(job)}
    return [text for text in complaints if text.partition(": ")[2] not in own]


def full_pdf(samples):
    picture = (b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 /Length %%d >>"
               % (samples.shape[1], samples.shape[0]), samples.tobytes())
    return group_pdftops.page_pdf(f"q {thin_job.nums(group_pdftops.unit_matrix())} cm /X1 Do Q", [picture])


A4 = (595, 842)
IN_PROCEDURE = "inside a procedure"


def pdf_modes(bench):
    samples = pictures.cells(group_pdftops.WIDTH, group_pdftops.HEIGHT, 3, 121)
    bench.put("picture.tif", tiff_file.tiff_bytes(samples, compression=tiff_file.LZW, rows=9))
    full = full_pdf(samples)
    unit = [(0, 0), (0, 1), (1, 1), (1, 0)]
    thin = {"form-13": group_pdftops.on_form("1.3"), "form-20": group_pdftops.on_form("2.0"),
            "image-13": group_pdftops.on_image("1.3", unit), "image-20": group_pdftops.on_image("2.0", None)}
    match = ["-paper", "match"]
    for name, data in thin.items():
        for flags in (["-level1", *match], ["-level1sep", *match], ["-level2sep", *match], ["-level3sep", *match], ["-eps"],
                      ["-eps", "-level3"], ["-preload", *match], ["-preload", "-level3", *match], ["-optimizecolorspace", *match]):
            yield Converted(f"pdftops {name} {' '.join(flags)}", flags, data, full)
        yield Converted(f"pdftops {name} A4", ["-paper", "A4"], data, full, A4)
        # A form is a procedure that others call: no data can follow in it.
        yield Converted(f"pdftops {name} form", ["-form", *match], data, full, reason=IN_PROCEDURE)
        # pdftops scales the form's numbers a second time; where it draws the proxy, and so the truth, is not in doubt.
        yield Converted(f"pdftops {name} expand", ["-paper", "A4", "-expand"], data, full, A4,
                        "%ALDImagePosition" if name == "form-13" else None)


# ---- layout programs

def quark_tiff(job):
    """The unit square shows the crop rounded outward and a pixel more at each side that is cropped."""
    crop = (12.5, 0, 61.25, 60)
    box = quark_box()
    job.drop("%%BeginOPI: 2.0\n%%ImageFileName: (Vol:Jobs:double.tif)\n%%MainImage: (Vol:Jobs:double.tif)\n%%TIFFASCIITag: 270 ()\n"
             f"%%ImageDimensions: {thin_job.nums(DIMS)}\n%%ImageCropRect: {thin_job.nums(crop)}\n%%ImageOverprint: false\n"
             "%%ImageInks: full_color\n")
    job.keep(f"gsave {thin_job.path(box)}clip newpath\n[{thin_job.nums(QUARK)}] concat\n")
    job.drop("%%BeginIncludedImage\n%%IncludedImageDimensions: 52 60\n%%IncludedImageQuality: 2.0\n%%EndIncludedImage\n")
    job.keep("grestore\n")
    job.drop("%%EndOPI\n")


QUARK = (156, 0, 0, 180, 40, 30)
QUARK_SHOWN = (11, 0, 63, 60)


def quark_box():
    """The picture box: the crop itself, in points; 3 pt a pixel."""
    left, right = (QUARK[4] + 3 * (x - QUARK_SHOWN[0]) for x in (12.5, 61.25))
    return [(left, 30), (left, 210), (right, 210), (right, 30)]


def quark_truth(samples):
    image = thin_job.truth_image(samples, thin_job.corners(1, 1, QUARK), twice(QUARK_SHOWN))
    return f"gsave {thin_job.path(quark_box())}clip newpath\n{image}grestore\n"


QUARK_EPS = (1.4, 0.3, -0.3, 1.4, 100, 40)


def quark_eps(job):
    job.drop("%%BeginOPI: 2.0\n%%ImageFileName: (Vol:Jobs:logo.eps)\n%%MainImage: (Vol:Jobs:logo.eps)\n")
    job.keep(f"gsave {thin_job.path(thin_job.corners(*group_eps.POINTS, QUARK_EPS))}clip newpath\n"
             f"[{thin_job.nums(QUARK_EPS)}] concat\n/tempmatrix matrix currentmatrix def\n")
    job.drop("%%BeginIncludedImage\n%%BeginDocument: logo.eps\n%%EndDocument\n%%EndIncludedImage\n")
    job.keep("grestore\n")
    job.drop("%%EndOPI\n")


def quark_eps_truth():
    width, height = group_eps.POINTS
    return (f"gsave [{thin_job.nums(QUARK_EPS)}] concat 0 0 {width} {height} rectclip\n0 setgray 1 setlinewidth\n{group_eps.SHAPES}grestore\n")


PLACE = thin_job.turned(11, 60, 40)
FIXED = (10.25, 10, 79.5, 50)


def indesign(job):
    position = [value for point in thin_job.corners(160, 120, PLACE) for value in point]
    job.keep(f"gsave {thin_job.path(thin_job.corners(150, 110, PLACE))}clip newpath\n")
    job.drop("%ALDImageFileName: /Volumes/Jobs/double.tif\n%ALDImageID: /Volumes/Jobs/double.tif\n"
             f"%ALDImageDimensions: {thin_job.nums(DIMS)}\n%ALDImageCropRect: 10 10 80 50\n%ALDImageCropFixed: {thin_job.nums(FIXED)}\n"
             f"%ALDImagePosition: {thin_job.nums(position)}\n%ALDImageResolution: 300 300\n%ALDImageColorType: Process\n"
             "%ALDImageColor: 0 0 0 1 (Black)\n%ALDImageTint: 1\n%ALDImageType: 4 8\n%%BeginObject: image\n%%EndObject\n")
    job.keep("grestore\n")


def indesign_truth(samples):
    image = thin_job.truth_image(samples, thin_job.corners(160, 120, PLACE), twice(FIXED))
    return f"gsave {thin_job.path(thin_job.corners(150, 110, PLACE))}clip newpath\n{image}grestore\n"


def pagemaker(job):
    position = [value for point in thin_job.corners(160, 120, PLACE) for value in point]
    levels = [str(value * 257) for value in range(256)]
    rows = [" ".join(levels[i:i + 32]) for i in range(0, 256, 32)]
    job.keep("gsave\n")
    job.drop("%ALDImageFilename: Vol:Ads:gray.tif\n%ALDImageID: PROD:hires:gray.tif\n%ALDObjectComments: first proof\n"
             f"%ALDImageDimensions: {thin_job.nums(DIMS)}\n%ALDImageCropRect: 10 10 80 50\n%ALDImageCropFixed: {thin_job.nums(FIXED)}\n"
             f"%ALDImagePosition: {thin_job.nums(position)}\n%ALDImageResolution: 72 72\n%ALDImageColorType: Process\n"
             "%ALDImageColor: 0 0 0 1 (Process Black)\n%ALDImageTint: 1\n%ALDImageOverprint: false\n%ALDImageType: 1 8\n"
             "%ALDImageGrayMap: " + "\n%%+ ".join(rows) + "\n%ALDImageTransparency: false\n%ALDImageAsciiTag270: Shoe, left\n"
             "%%BeginObject: image\n" + thin_job.PROXY + "%%EndObject\n")
    job.keep("grestore\n")


def pagemaker_truth(gray):
    return thin_job.truth_image(gray, thin_job.corners(160, 120, PLACE), twice(FIXED))


def combined(job):
    """One placement told twice, the 1.3 comments outside."""
    position = [value for point in thin_job.corners(150, 100, (1, 0, 0, 1, 72, 72)) for value in point]
    job.drop(f"%ALDImageFileName: Vol:double.tif\n%ALDImageDimensions: {thin_job.nums(DIMS)}\n%ALDImageCropRect: 0 0 {thin_job.nums(DIMS)}\n"
             f"%ALDImagePosition: {thin_job.nums(position)}\n%%BeginObject: image\n%%BeginOPI: 2.0\n%%ImageFileName: Vol:double.tif\n"
             f"%%ImageDimensions: {thin_job.nums(DIMS)}\n%%ImageCropRect: 0 0 {thin_job.nums(DIMS)}\n%%ImageInks: full_color\n"
             "gsave [150 0 0 100 72 72] concat\n%%BeginIncludedImage\n%%IncludedImageDimensions: 40 30\n%%IncludedImageQuality: 1\n"
             f"{thin_job.PROXY}%%EndIncludedImage\ngrestore\n%%EndOPI\n%%EndObject\n")


def layout_sheet(bench):
    sheet = Sheet("layout-programs", comments=("%%DocumentData: Clean7Bit",), options=("--encoding", "ascii85"))
    samples, gray = pictures.cells(WIDTH, HEIGHT, 3, 701), pictures.cells(WIDTH, HEIGHT, 1, 702)
    bench.put("gray.tif", tiff_file.tiff_bytes(gray, rows=16))
    bench.put("logo.eps", group_eps.eps())
    placed = thin_job.corners(160, 120, PLACE)
    sheet.add("quark-tiff", quark_tiff, quark_truth(samples), [quark_box()])
    sheet.add("quark-eps", quark_eps, quark_eps_truth(), [thin_job.corners(*group_eps.POINTS, QUARK_EPS)])
    sheet.add("indesign", indesign, indesign_truth(samples), [thin_job.corners(150, 110, PLACE), placed])
    sheet.add("pagemaker", pagemaker, pagemaker_truth(gray), [placed])
    box = thin_job.corners(150, 100, (1, 0, 0, 1, 72, 72))
    sheet.add("combined", combined, thin_job.truth_image(samples, box), [box])
    return sheet


def producers(bench):
    yield from imposition(bench)
    yield layout_sheet(bench)
    yield Check("ps2write", ghostscript_drops_comments)
    yield from pdf_modes(bench)
