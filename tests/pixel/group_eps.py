# SPDX-License-Identifier: AGPL-3.0-or-later
"""EPS pictures: envelopes, line ends, boxes, rubbish left behind, operators an EPS should not use, OPI inside."""
import struct

import numpy

import pictures
import thin_job
import tiff_file
from sheet import Sheet

POINTS = (80, 60)
CROP = (10, 5, 70, 45)
# Shapes without symmetry; the last one reaches beyond the box and must be cut off there.
SHAPES = """0.9 0.2 0.1 setrgbcolor 5 5 30 20 rectfill
0 0.6 0.2 setrgbcolor newpath 40 10 moveto 75 15 lineto 50 50 lineto closepath fill
0.1 0.1 0.8 setrgbcolor 3 setlinewidth newpath 10 55 moveto 70 35 lineto stroke
0.4 setgray newpath 70 50 20 0 360 arc fill
"""


def eps(body=SHAPES, box=(0, 0, *POINTS), origin=(0, 0), more=(), header="%%BoundingBox: {box}", trailer=""):
    """The shapes drawn with `origin` as the box's lower left corner."""
    lines = ["%!PS-Adobe-3.0 EPSF-3.0", header.format(box=thin_job.nums(box)), *more, "%%EndComments"]
    text = "\n".join(lines) + f"\ngsave {thin_job.nums(origin)} translate\n{body}grestore\n%%Trailer\n{trailer}%%EOF\n"
    return text.encode("latin-1")


def dos(data, preview_first=False):
    """The binary envelope of DOS: 30 bytes of header, the PostScript, a preview."""
    preview = b"II*\0" + bytes(range(256)) * 3
    at = 30 + (len(preview) if preview_first else 0)
    preview_at = 30 if preview_first else 30 + len(data)
    head = struct.pack("<4sIIIIIIH", b"\xc5\xd0\xd3\xc6", at, len(data), 0, 0, preview_at, len(preview), 0xFFFF)
    return head + (preview + data if preview_first else data + preview)


def box_matrix(position, crop, box):
    """EPS points -> page, solved from three corners of the crop; crop in points from the box's upper left."""
    left, top, right, bottom = crop
    llx, _, _, ury = box
    known = numpy.array([[llx + left, ury - bottom, 1], [llx + left, ury - top, 1], [llx + right, ury - bottom, 1]], float)
    wanted = numpy.array([position[0], position[1], position[3]], float)
    return numpy.linalg.solve(known, wanted).flatten().tolist()


def truth(position, crop, box, body=SHAPES, origin=(0, 0)):
    whole = [thin_job.affine(box_matrix(position, crop, box), point) for point in thin_job.corners(box[2] - box[0], box[3] - box[1],
             (1, 0, 0, 1, box[0], box[1]))]
    text = "gsave\n" + thin_job.path(position) + "clip newpath\n" + thin_job.path(whole) + "clip newpath\n"
    text += f"[{thin_job.nums(box_matrix(position, crop, box))}] concat {thin_job.nums(origin)} translate\n"
    return text + "0 setgray 1 setlinewidth 0 setlinecap 0 setlinejoin 10 setmiterlimit [] 0 setdash\n" + body + "grestore\n"


def position_of(crop):
    return thin_job.corners((crop[2] - crop[0]) * 1.6, (crop[3] - crop[1]) * 1.5, thin_job.turned(17, 103.3, 61.7))


def add_13(sheet, name, crop=CROP, box=(0, 0, *POINTS), origin=(0, 0), dims=POINTS, body=SHAPES):
    position = position_of(crop)
    shown = [v * d / s for v, d, s in zip(crop, dims * 2, POINTS * 2)]

    def thin(job):
        thin_job.block_13(job, f"{name}.eps", position, dims, shown)

    sheet.add(name, thin, truth(position, crop, box, body, origin), [position], tolerance=2)


def envelopes(bench):
    """Files that all show the same shapes."""
    plain = eps()
    yield "plain", plain, {}
    yield "dos", dos(plain), {}
    yield "dos-preview-first", dos(plain, True), {}
    yield "cr", plain.replace(b"\n", b"\r"), {}
    yield "crlf", plain.replace(b"\n", b"\r\n"), {}
    yield "ctrl-d-and-nuls", plain + b"\x04\x1a\0\0\0", {}
    yield "at-end", eps(header="%%BoundingBox: (atend)", trailer="%%BoundingBox: 0 0 80 60\n"), {}
    yield "box-off-origin", eps(box=(210, 330, 290, 390), origin=(210, 330)), {
        "box": (210, 330, 290, 390), "origin": (210, 330)}
    yield "box-negative", eps(box=(-40, -30, 40, 30), origin=(-40, -30)), {"box": (-40, -30, 40, 30), "origin": (-40, -30)}
    yield "no-line-end-at-the-end", plain[:-1], {}
    yield "preview-comments", plain.replace(b"%%EndComments\n", b"%%EndComments\n%%BeginPreview: 8 2 1 2\n% ff\n% 00\n%%EndPreview\n"), {}


def rubbish():
    """What careless programs leave behind or do; none of it may be seen."""
    yield "operands", eps(SHAPES + "1 2 (three) [4] /five\n")
    yield "dictionaries", eps(SHAPES + "5 dict begin /x 1 def 3 dict begin\n")
    yield "both", eps(SHAPES + "7 dict begin 1 2 3\n")
    yield "graphics-state", eps(SHAPES + "gsave gsave 0.7 setgray 9 setlinewidth [2 2] 0 setdash 3 4 moveto 0.1 0.1 scale\n")
    yield "showpage", eps(SHAPES + "showpage\n")
    yield "showpage-copypage-erasepage", eps(SHAPES + "copypage erasepage showpage\n")
    yield "setpagedevice", eps("<< /PageSize [80 60] >> setpagedevice\n" + SHAPES)
    yield "initgraphics", eps(SHAPES.replace("0.9 0.2", "gsave initgraphics grestore 0.9 0.2", 1))
    yield "initclip", eps("initclip\n" + SHAPES)
    yield "own-definitions", eps("/exch {pop} def /concat {pop} def /count {0} def /s 7 def /d {} def\n" + SHAPES)
    yield "redefines-operators", eps("/restore {} def /get {pop pop 0} def /end {} def /exec {pop} def\n" + SHAPES)
    yield "save-restore", eps("save\n" + SHAPES + "restore\n")
    yield "prolog-names", eps("userdict /unlessTrue {pop pop} put\n" + SHAPES)
    yield "clears-operands", eps("clear\n" + SHAPES + "clear 1 2 3\n")
    yield "clears-dictionaries", eps(SHAPES + "cleardictstack 3 dict begin\n")
    yield "ends-the-page's-dictionary", eps(SHAPES + "countdictstack 4 gt {end} if\n")
    yield "grestoreall", eps("gsave gsave 0.1 0.1 scale grestoreall\n" + SHAPES + "grestoreall\n")
    yield "quit", eps(SHAPES + "quit\n0 0 80 60 rectfill\n")
    yield "stop", eps(SHAPES + "1 2 stop\n0 0 80 60 rectfill\n")
    yield "exitserver", eps("serverdict begin 0 exitserver\n" + SHAPES)
    yield "startjob", eps("true () startjob pop\n" + SHAPES)
    yield "global-vm", eps("true setglobal /g 3 dict def\n" + SHAPES)
    yield "open-procedure-in-a-comment", eps(SHAPES + "% {{{ (((\n")
    yield "overprint-left-on", eps(SHAPES + "true setoverprint\n")
    yield "transfer-of-the-page", eps(SHAPES)
    yield "state-of-the-page", eps(SHAPES)


def data_eps(counted):
    """A picture inside the EPS as binary data behind `currentfile`."""
    samples = pictures.cells(40, 30, 3, 101)
    body = b"gsave 80 60 scale /row 120 string def\n"
    operator = b"40 30 8 [40 0 0 -30 0 30] {currentfile row readstring pop} false 3 colorimage\n"
    data = operator + samples.tobytes()
    if counted:
        data = b"%%BeginBinary: " + str(len(data)).encode() + b"\n" + data + b"\n%%EndBinary"
    head, tail = eps("").split(b"grestore", 1)
    return head + body + data + b"\ngrestore\ngrestore" + tail, samples


def shapes_sheet(bench, name, options=(), level=3, cases=None):
    sheet = Sheet(name, options=options, level=level)
    for case, data, places in cases or envelopes(bench):
        bench.put(f"{case}.eps", data)
        add_13(sheet, case, **places)
    return sheet


def rubbish_sheet(bench):
    sheet = Sheet("rubbish")
    for name, data in rubbish():
        bench.put(f"{name}.eps", data)
        add_13(sheet, name)
    sheet.pages[-2].setup = "{0.3 mul 0.5 add} settransfer "
    sheet.pages[-1].setup = "5 setlinewidth 2 setlinecap 1 setlinejoin [6 2] 1 setdash 0.5 setgray "
    return sheet


def data_sheet(bench, options=()):
    sheet = Sheet("data" + "-".join(options), options=options)
    for name, counted in (("bare-data", False), ("counted-data", True)):
        content, samples = data_eps(counted)
        bench.put(f"{name}.eps", content)
        position = position_of(CROP)
        crop = [v / 2 for v in CROP]

        def thin(job, name=name, position=position):
            thin_job.block_13(job, f"{name}.eps", position, POINTS, CROP)

        sheet.add(name, thin, thin_job.truth_image(samples, position, crop), [position], tolerance=2)
    return sheet


def boxes_sheet(bench):
    """The finer box places the picture; one that contradicts the plain box is not believed."""
    sheet = Sheet("boxes")
    fine = (0.4, 0.3, 79.6, 59.7)
    for name, more, box in (("hires", ["%%HiResBoundingBox: 0.4 0.3 79.6 59.7"], fine),
                            ("hires-first-wins-over-exact", ["%%HiResBoundingBox: 0.4 0.3 79.6 59.7",
                                                              "%%ExactBoundingBox: 0.1 0.1 79.9 59.9"], fine),
                            ("hires-absurd", ["%%HiResBoundingBox: 200 200 900 900"], (0, 0, *POINTS))):
        bench.put(f"{name}.eps", eps(more=more))
        size = (box[2] - box[0], box[3] - box[1])
        whole = (0, 0, *size)
        position = position_of(whole)

        def thin(job, name=name, position=position, size=size):
            thin_job.block_13(job, f"{name}.eps", position, size, (0, 0, *size))

        sheet.add(name, thin, truth(position, whole, box), [position], tolerance=2)
    bench.put("points.eps", eps())
    add_13(sheet, "points", dims=(160, 120))  # the layout counted its preview's pixels
    return sheet


def native_sheet(bench):
    """OPI 2.0: the EPS is run in its own coordinates, wherever its box lies."""
    sheet = Sheet("native")
    for name, box in (("at-origin", (0, 0, *POINTS)), ("off-origin", (20, 30, 100, 90))):
        bench.put(f"{name}.eps", eps(box=box, origin=box[:2]))
        matrix = thin_job.turned(17, 83.3, 41.7)
        corners = [thin_job.affine(matrix, point) for point in ((box[0], box[1]), (box[0], box[3]), (box[2], box[3]), (box[2], box[1]))]
        clip = f"{thin_job.nums((box[0], box[1], *POINTS))} rectclip newpath "

        def thin(job, name=name, matrix=matrix, clip=clip):
            job.drop(f"%%BeginOPI: 2.0\n%%ImageFileName: {name}.eps\n")
            job.keep(f"gsave [{thin_job.nums(matrix)}] concat {clip}\n")
            job.drop("%%BeginIncludedImage\n" + thin_job.PROXY + "%%EndIncludedImage\n")
            job.keep("grestore\n")
            job.drop("%%EndOPI\n")

        body = (f"gsave [{thin_job.nums(matrix)}] concat {clip} {thin_job.nums(box[:2])} translate\n0 setgray 1 setlinewidth\n"
                f"{SHAPES}grestore\n")
        sheet.add(name, thin, body, [corners], tolerance=2)
    return sheet


def both_versions(place, outer_13):
    """One placement told in OPI 1.3 and in 2.0, the one around the other."""
    (x, y), (left, top), _, (right, bottom) = place
    unit = (right - x, bottom - y, left - x, top - y, x, y)
    job, inner = thin_job.Pieces(), thin_job.Pieces()
    arguments = ("inner.tif", place, (80, 60), (20, 10, 60, 50)), ("inner.tif", unit, (80, 60), (20, 10, 60, 50), (40, 40))
    if outer_13:
        thin_job.block_20(inner, *arguments[1])
        thin_job.block_13(job, *arguments[0], proxy=inner.whole().decode("latin-1"))
    else:
        # Inside the unit square the corners of 1.3 are those of the square itself.
        square = thin_job.corners(1, 1)
        thin_job.block_13(inner, arguments[0][0], square, *arguments[0][2:])
        thin_job.block_20(job, *arguments[1], proxy=inner.whole().decode("latin-1"))
    return job.whole().decode("latin-1")


def nested_sheet(bench):
    """An EPS that itself refers to a TIFF by OPI, at one and two levels."""
    sheet = Sheet("opi-inside")
    samples = pictures.cells(80, 60, 3, 102)
    bench.put("inner.tif", tiff_file.tiff_bytes(samples, compression=tiff_file.LZW, rows=9))
    inner_place = thin_job.corners(50, 40, thin_job.turned(9, 17, 7))
    job = thin_job.Pieces()
    thin_job.block_13(job, "inner.tif", inner_place, (80, 60), (20, 10, 60, 50))
    middle = job.whole().decode("latin-1")
    bench.put("one-level.eps", eps(middle))
    job = thin_job.Pieces()
    thin_job.block_13(job, "one-level.eps", thin_job.corners(*POINTS), POINTS, (0, 0, *POINTS))
    bench.put("two-levels.eps", eps(job.whole().decode("latin-1")))
    body = thin_job.truth_image(samples, inner_place, (20, 10, 60, 50))
    bench.put("13-around-20.eps", eps(both_versions(inner_place, True)))
    bench.put("20-around-13.eps", eps(both_versions(inner_place, False)))
    for name in ("one-level", "two-levels", "13-around-20", "20-around-13"):
        position = position_of(CROP)

        def thin(job, name=name, position=position):
            thin_job.block_13(job, f"{name}.eps", position, POINTS, CROP)

        matrix = box_matrix(position, CROP, (0, 0, *POINTS))
        inside = [thin_job.affine(matrix, point) for point in inner_place]
        sheet.add(name, thin, truth(position, CROP, (0, 0, *POINTS), body), [position, inside], tolerance=2)
    return sheet


def eps_group(bench):
    yield shapes_sheet(bench, "envelopes")
    yield rubbish_sheet(bench)
    yield boxes_sheet(bench)
    yield native_sheet(bench)
    yield data_sheet(bench)
    yield data_sheet(bench, ["--encoding", "ascii85"])
    yield nested_sheet(bench)
