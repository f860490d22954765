# SPDX-License-Identifier: AGPL-3.0-or-later
"""Places that only a run of the job can tell, measured by opispool-gs; jobs that try to get out of it."""
import os

import group_pdftops
import pictures
import thin_job
import tiff_file
from group_refusals import Refusal
from group_self_test import Check
from sheet import Sheet

WIDTH, HEIGHT = 80, 60
DIMS = (WIDTH, HEIGHT)
BOX = (120, 90)
PLACE = thin_job.turned(20, 100.3, 41.7)
CROP = (20, 10, 60, 50)
PIXELS = "<" + "20406080a0c0" * 6 + ">"
COLORIMAGE = f"4 3 8 [4 0 0 -3 0 3] {{{PIXELS}}} false 3 colorimage\n"
DICT_IMAGE = ("/DeviceRGB setcolorspace << /ImageType 1 /Width 4 /Height 3 /BitsPerComponent 8 /Decode [0 1 0 1 0 1]\n"
              f"/ImageMatrix [4 0 0 -3 0 3] /DataSource {PIXELS} >> image\n")
# Two strips that join, as some producers split a picture.
STRIPS = ("gsave 0 0.5 translate 1 0.5 scale 4 2 8 [4 0 0 -2 0 2] {<" + "20406080a0c0" * 4 + ">} false 3 colorimage grestore\n"
          "gsave 1 0.5 scale 4 2 8 [4 0 0 -2 0 2] {<" + "20406080a0c0" * 4 + ">} false 3 colorimage grestore\n")


def placed_by(code):
    """The proxy's own words put the unit square into BOX under PLACE."""
    return f"/m matrix currentmatrix def [{thin_job.nums(PLACE)}] concat {BOX[0]} {BOX[1]} scale\n{code}m setmatrix\n"


def distilled(name, proxy, crop=None, included=None):
    def block(job):
        thin_job.block_20(job, "picture.tif", (1, 0, 0, 1, 0, 0), DIMS, crop, included, ("%%Distilled",), proxy)
    return name, block


def sheet(samples, level, encoding):
    placed = thin_job.corners(*BOX, PLACE)
    whole, cropped = thin_job.truth_image(samples, placed), thin_job.truth_image(samples, placed, CROP)
    # An error may not be taken back by our program: what stands in userdict is the job's.
    out = Sheet(f"measured-{level}-{encoding}", options=("--level", str(level), "--encoding", encoding), level=level)
    for name, block in (distilled("colorimage", placed_by(COLORIMAGE)), distilled("dictionary", placed_by(DICT_IMAGE)),
                        distilled("strips", placed_by(STRIPS)),
                        distilled("bound", "{" + placed_by(COLORIMAGE).replace("\n", " ") + "} bind exec\n"),
                        distilled("talks", placed_by(STRIPS.replace("grestore\n", "grestore (%stderr) (w) file dup (x\\n) writestring flushfile\n"))),
                        distilled("loop", "1 {" + placed_by(COLORIMAGE).replace("\n", " ") + "} repeat\n")):
        out.add(name, block, whole, [placed])
        out.add(name + "-outer", block, whole, [placed], outer=thin_job.turned(-8, 12, 20, mirror=False))
    name, block = distilled("crop", placed_by(COLORIMAGE), CROP, (40, 40))
    out.add(name, block, cropped, [placed])
    clip = [(2, 3), (110, 9), (100, 84), (12, 80)]
    inner = thin_job.path(clip) + "clip newpath "
    name, block = distilled("own-clip", f"gsave [{thin_job.nums(PLACE)}] concat {inner}"
                            f"{BOX[0]} {BOX[1]} scale\n{COLORIMAGE}grestore\n")
    corners = [thin_job.affine(PLACE, point) for point in clip]
    out.add(name, block, "gsave " + thin_job.path(corners) + "clip newpath " + whole + "grestore\n", [corners, placed])
    return out


def wrong_position_13(shift, proxy=COLORIMAGE):
    """A 1.3 block whose proxy is drawn `shift` points beside its numbers."""
    position = [value for point in thin_job.corners(*BOX, PLACE) for value in point]
    return (f"gsave\n%ALDImageFileName: picture.tif\n%ALDImageDimensions: {thin_job.nums(DIMS)}\n"
            f"%ALDImagePosition: {thin_job.nums(position)}\n%%BeginObject: image\n"
            f"gsave {shift} 0 translate {placed_by(proxy)}grestore\n%%EndObject\ngrestore\n")


def odd_20(before="", proxy=placed_by(COLORIMAGE)):
    return (f"{before}%%BeginOPI: 2.0\n%%Distilled\n%%ImageFileName: picture.tif\n%%ImageDimensions: {thin_job.nums(DIMS)}\n"
            f"%%BeginIncludedImage\n{proxy}%%EndIncludedImage\n%%EndOPI\n")


def agreeing_position_passes(bench):
    """The comparison has no complaint where the proxy is drawn in its place, or shows nothing."""
    found = []
    for name, shift, proxy in (("same", 0, COLORIMAGE), ("a little off", 0.4, COLORIMAGE), ("nothing drawn", 90, "")):
        folder = bench.fresh_folder("agrees " + name)
        source, target = os.path.join(folder, "thin.ps"), os.path.join(folder, "out.ps")
        with open(source, "w", encoding="latin-1") as out:
            out.write(thin_job.fresh_header(1, ()) + "%%Page: 1 1\n" + wrong_position_13(shift, proxy) + "showpage\n%%EOF\n")
        done = bench.resolve(source, target, ["--measure", "always"])
        if done.returncode or done.stderr:
            found.append(f"{name}: exit {done.returncode}, {done.stderr[:300]!r}")
    return found


def only_when_asked(bench):
    """Without --measure always a 1.3 position is believed; never means never."""
    found = []
    for options, job, wanted in ((["--measure", "when_needed"], wrong_position_13(90), 0),
                                 (["--measure", "never"], odd_20(), 3)):
        folder = bench.fresh_folder("asked " + options[1])
        source, target = os.path.join(folder, "thin.ps"), os.path.join(folder, "out.ps")
        with open(source, "w", encoding="latin-1") as out:
            out.write(thin_job.fresh_header(1, ()) + "%%Page: 1 1\n" + job + "showpage\n%%EOF\n")
        done = bench.resolve(source, target, options)
        if done.returncode != wanted:
            found.append(f"{options[1]}: exit {done.returncode}, {done.stderr[:300]!r}")
    return found


def measure(bench):
    samples = pictures.cells(WIDTH, HEIGHT, 3, 131)
    bench.put("picture.tif", tiff_file.tiff_bytes(samples, rows=9))
    for level, encoding in ((3, "binary"), (2, "ascii85")):
        yield sheet(samples, level, encoding)
    # pdftops multiplies a page position by the picture's own matrix; where the job draws it is known all the same.
    placed = thin_job.corners(*group_pdftops.BOX, group_pdftops.MATRIX)
    for level in (2, 3):
        yield group_pdftops.Producer("image-13-on-the-page", group_pdftops.on_image("1.3", placed),
                                     thin_job.truth_image(samples, placed), level)
    always = ("--measure", "always")
    yield Refusal("beside", [(wrong_position_13(90)[6:], "picture.tif")], ["the job draws it at"], always)
    yield Refusal("twice", [(odd_20(proxy="2 {" + placed_by(COLORIMAGE).replace("\n", " ") + " 20 0 translate} repeat\n"), "picture.tif")],
                  ["no single picture"])
    yield Refusal("not-drawn", [(odd_20(proxy="/f {pop} def 1 f\n"), "picture.tif")], ["draws no image"])
    yield Refusal("file", [(odd_20("", "(/etc/hostname) (r) file pop\n" + placed_by(COLORIMAGE)), "picture.tif")], ["picture.tif"])
    yield Refusal("error", [(odd_20("", "nobodyKnowsThis\n" + placed_by(COLORIMAGE)), "picture.tif")], ["picture.tif"])
    yield Refusal("quits", [(odd_20("", "quit\n" + placed_by(COLORIMAGE)), "picture.tif")], ["picture.tif"])
    yield Refusal("memory", [(odd_20("", "{65535 string} loop\n" + placed_by(COLORIMAGE)), "picture.tif")], ["picture.tif"])
    yield Check("agrees", agreeing_position_passes)
    yield Check("only-when-asked", only_when_asked)
