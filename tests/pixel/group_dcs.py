# SPDX-License-Identifier: AGPL-3.0-or-later
"""DCS: plates in files of their own or behind the main file, put together on composite pages, one by one on separated ones."""
import base64
import io
import os

import numpy
from PIL import Image

import group_refusals
import pictures
import thin_job
from group_eps import CROP, POINTS, dos, position_of
from sheet import Sheet

PROCESS = ("Cyan", "Magenta", "Yellow", "Black")
SIZE = (80, 60)
SPOT = ("PANTONE 185 CVC", (0, 0.91, 0.76, 0))
VARNISH = ("Varnish (gloss)", (0.1, 0, 0.2, 0))


def packed(gray, bits):
    """Rows of 1- or 8-bit gray samples."""
    return numpy.packbits(gray > 127, axis=1).tobytes() if bits == 1 else gray.astype(numpy.uint8).tobytes()


def hex_data(gray, bits):
    width = (gray.shape[1] * bits + 7) // 8
    return (f"/line {width} string def\n{gray.shape[1]} {gray.shape[0]} {bits} [{gray.shape[1]} 0 0 -{gray.shape[0]} 0 {gray.shape[0]}]\n"
            "{currentfile line readhexstring pop} image\n").encode() + thin_job.hex_lines(packed(gray, bits)).encode()


def binary_data(gray, bits):
    width = (gray.shape[1] * bits + 7) // 8
    code = (f"{gray.shape[1]} {gray.shape[0]} {bits} [{gray.shape[1]} 0 0 -{gray.shape[0]} 0 {gray.shape[0]}] "
            f"{{currentfile line readstring pop}} bind\nimage\n").encode()
    data = code + packed(gray, bits)
    return f"/line {width} string def\n%%BeginBinary: {len(data)}\n".encode() + data + b"\n%%EndBinary\n"


def dictionary(gray, bits, filters, data, decode="[0 1]"):
    return (f"/DeviceGray setcolorspace << /ImageType 1 /Width {gray.shape[1]} /Height {gray.shape[0]} /BitsPerComponent {bits}\n"
            f"/ImageMatrix [{gray.shape[1]} 0 0 {-gray.shape[0]} 0 {gray.shape[0]}] /Decode {decode}\n"
            f"/DataSource currentfile {filters} >> image\n").encode() + data + b"\n"


def ascii85_data(gray, bits):
    text = base64.a85encode(packed(gray, bits), wrapcol=72)
    return dictionary(gray, bits, "/ASCII85Decode filter", text + b"~>")


def upside_down_values(gray, bits):
    return dictionary(255 - gray, bits, "/ASCIIHexDecode filter", packed(255 - gray, bits).hex().encode() + b">", "[1 0]")


def run_length_data(gray, bits):
    raw = packed(gray, bits)
    pieces = [bytes([len(part) - 1]) + part for part in (raw[i:i + 100] for i in range(0, len(raw), 100))]
    return dictionary(gray, bits, "/RunLengthDecode filter", b"".join(pieces) + b"\x80")


def jpeg_data(gray, bits):
    out = io.BytesIO()
    Image.fromarray(gray.astype(numpy.uint8)).save(out, "JPEG", quality=100)
    return dictionary(gray, bits, "/DCTDecode filter", out.getvalue())


def decoded_jpeg(gray):
    out = io.BytesIO()
    Image.fromarray(gray.astype(numpy.uint8)).save(out, "JPEG", quality=100)
    return numpy.asarray(Image.open(out))


def plate(ink, bits=8, data=hex_data, box=(0, 0, *POINTS), before="", size=None):
    """One plate: full ink is black."""
    width, height = size or (box[2] - box[0], box[3] - box[1])
    head = (f"%!PS-Adobe-3.0 EPSF-3.0\n%%Creator: plates\n%%BoundingBox: {thin_job.nums(box)}\n%%EndComments\n{before}"
            f"gsave\n20 dict begin\n{thin_job.nums(box[:2])} translate {thin_job.nums((width, height))} scale\n").encode()
    return head + data(255 - ink, bits) + b"end\ngrestore\nshowpage\n%%Trailer\n%%EOF\n"


def main_file(comments, box=(0, 0, *POINTS)):
    """The preview of a composite: a gray box that must never be seen."""
    return (f"%!PS-Adobe-3.0 EPSF-3.0\n%%Creator: plates\n%%BoundingBox: {thin_job.nums(box)}\n"
            + "".join(line + "\n" for line in comments)
            + f"%%EndComments\n0.5 setgray {thin_job.nums(box[:2])} {thin_job.nums(POINTS)} rectfill\nshowpage\n%%EOF\n").encode()


def dcs_1(bench, name, plates):
    """name.eps and name.C ...; plates in process order."""
    for ink, content in zip(PROCESS, plates):
        bench.put(f"{name}.{ink[0] if ink != 'Black' else 'K'}", content)
    letters = "CMYK"
    bench.put(f"{name}.eps", main_file([f"%%{ink}Plate: Mac HD:old:{name}.{letter}" for ink, letter in zip(PROCESS, letters)]))


def dcs_2_files(bench, name, plates, comments=(), main=main_file):
    lines = []
    for number, (ink, content) in enumerate(plates):
        bench.put(f"{name}.{number}", content)
        key = "%%+" if number else "%%PlateFile:"
        lines.append(f"{key} ({escaped(ink)}) EPS {'Local ' if number % 2 else ''}{name}.{number}")
    bench.put(f"{name}.eps", main([*comments, *lines]))


def escaped(text):
    return text.replace("(", "\\(").replace(")", "\\)")


def single_file(plates, error=lambda number: 0, wrap=lambda data: data, base=0, comments=(), length_error=0):
    """DCS 2 in one file; offsets from byte 0 plus `base`, wrong by error(number)."""
    def main(offsets):
        return main_file([*comments, *(f"%%PlateFile: ({escaped(ink)}) EPS #{offset:08d} {len(content) + length_error}"
                                       for (ink, content), offset in zip(plates, offsets))])

    at, offsets = len(main([0] * len(plates))), []
    for number, (_, content) in enumerate(plates):
        offsets.append(at + base + error(number))
        at += len(content)
    return wrap(main(offsets) + b"".join(content for _, content in plates))


def tint_transform(inks):
    """Sum of the alternates, cut at 1: written the long way round, by names."""
    names = [f"i{number}" for number in range(len(inks))]
    text = "".join(f"/{name} exch def " for name in reversed(names))
    for component in range(4):
        text += "0 " + "".join(f"{name} {alternate[component]} mul add " for name, (_, alternate) in zip(names, inks))
        text += "dup 1 gt {pop 1} if "
    return "{10 dict begin " + text + "end}"


def truth_n(samples, inks, position, crop):
    """Interleaved ink samples under DeviceN, a page of its own making."""
    height, width, channels = samples.shape
    names = " ".join(f"({escaped(name)}) cvn" for name, _ in inks)
    text = "gsave\n" + thin_job.path(position) + "clip newpath\n"
    text += f"[{thin_job.nums(thin_job.pixel_matrix(position, crop))}] concat\n"
    text += f"[/DeviceN [{names}] /DeviceCMYK {tint_transform(inks)}] setcolorspace\n"
    text += (f"<< /ImageType 1 /Width {width} /Height {height} /BitsPerComponent 8 /ImageMatrix [1 0 0 1 0 0]\n"
             f"/Decode [{'0 1 ' * channels}] /DataSource currentfile /ASCIIHexDecode filter >> image\n")
    return text + thin_job.hex_lines(samples.tobytes()) + ">\ngrestore\n"


def process_inks():
    return [(name, tuple(1.0 if i == n else 0.0 for i in range(4))) for n, name in enumerate(PROCESS)]


def thin_13(name, position, crop, more=()):
    return lambda job: thin_job.block_13(job, f"{name}.eps", position, SIZE, crop, more=more)


def add(sheet, name, samples, crop=CROP, truth=None):
    position = position_of(crop)
    sheet.add(name, thin_13(name, position, crop), truth or thin_job.truth_image(samples, position, crop), [position], tolerance=2)


def four(samples, **options):
    return [(ink, plate(samples[..., i], **options)) for i, ink in enumerate(PROCESS)]


def files_sheet(bench, options=(), level=3):
    """Where the plates may lie, and offsets that are wrong in the ways that producers get them wrong."""
    sheet = Sheet("files" + "".join(options), device="tiff32nc", options=options, level=level)
    samples = pictures.cells(*SIZE, 4, 131)
    plates = four(samples)
    dcs_1(bench, "one", [content for _, content in plates])
    dcs_2_files(bench, "two", plates)
    bench.put("single.eps", single_file(plates))
    bench.put("dos-from-file.eps", single_file(plates, wrap=dos, base=30))
    bench.put("dos-from-section.eps", single_file(plates, wrap=dos))
    bench.put("dos-preview-first.eps", single_file(plates, wrap=lambda data: dos(data, True)))
    bench.put("photoshop.eps", single_file(plates, error=lambda number: 191 + 83 * number, length_error=83))
    bench.put("early.eps", single_file(plates, error=lambda number: -200 - 11 * number))
    bench.put("late.eps", single_file(plates, error=lambda number: 900 + 5 * number, length_error=4000))
    bench.put("crlf.eps", single_file([(ink, content.replace(b"\n", b"\r\n")) for ink, content in plates]))
    for name in ("one", "two", "single", "dos-from-file", "dos-from-section", "dos-preview-first", "photoshop", "early", "late", "crlf"):
        add(sheet, name, samples)
    return sheet


def data_sheet(bench):
    """How the samples may be written, at 8 bits and as copydot."""
    sheet = Sheet("data", device="tiff32nc")
    samples = pictures.cells(*SIZE, 4, 132)
    dots = numpy.concatenate([pictures.line_art(*SIZE, 133 + i) for i in range(4)], axis=2) * 255
    writers = {"hex": hex_data, "binary": binary_data, "ascii85": ascii85_data, "upside-down": upside_down_values,
               "run-length": run_length_data}
    for name, data in writers.items():
        dcs_2_files(bench, name, four(samples, data=data))
        add(sheet, name, samples)
        dcs_2_files(bench, f"{name}-copydot", four(dots.astype(numpy.uint8), data=data, bits=1))
        add(sheet, f"{name}-copydot", dots.astype(numpy.uint8))
    smooth = pictures.smooth(*SIZE, 4, 134)
    dcs_2_files(bench, "jpeg", four(smooth, data=jpeg_data))
    add(sheet, "jpeg", numpy.stack([255 - decoded_jpeg(255 - smooth[..., i]) for i in range(4)], axis=2))
    odd = pictures.line_art(77, 60, 137)[..., 0] * 255
    dcs_2_files(bench, "odd-width", [("Black", plate(odd, bits=1)), ("Cyan", plate(255 - odd, bits=1))])
    blank = numpy.zeros_like(odd)
    position = position_of(CROP)
    crop = (CROP[0] * 77 / 80, CROP[1], CROP[2] * 77 / 80, CROP[3])
    sheet.add("odd-width", thin_13("odd-width", position, CROP),
              thin_job.truth_image(numpy.stack([255 - odd, blank, blank, odd], axis=2).astype(numpy.uint8), position, crop),
              [position], tolerance=2)
    return sheet


def programs_sheet(bench):
    """What plates say before their picture."""
    sheet = Sheet("programs", device="tiff32nc")
    samples = pictures.cells(*SIZE, 4, 135)
    idioms = {
        "defined-names": "/_image systemdict /image get def /image {_image} def\n",
        "conditions": "/level2 systemdict /languagelevel known {languagelevel 2 ge} {false} ifelse def\n"
                      "/blank 0 currenttransfer exec 1 currenttransfer exec eq def blank {} {level2 pop} ifelse\n",
        "state": "save pop 0 setgray 1 setlinewidth [] 0 setdash newpath false setoverprint\n",
        "matrices": "[2 0 0 2 3 4] concat 0.5 dup scale -3 -4 translate 90 rotate -90 rotate\n",
        "where": "/deviceinfo where {pop} {/statusdict where {pop} if} ifelse userdict /x 1 put 3 4 2 1 roll pop pop\n",
    }
    for name, before in idioms.items():
        dcs_2_files(bench, name, four(samples, before=before))
        add(sheet, name, samples)
    return sheet


def spots_sheet(bench):
    """Plate by plate: process inks with spots, a spot alone, plates that are missing on purpose."""
    sheet = Sheet("spots", device="tiffsep")
    samples = pictures.cells(*SIZE, 6, 136)
    colours = [f"%%CMYKCustomColor: {thin_job.nums(SPOT[1])} ({SPOT[0]})",
               f"%%+ {thin_job.nums(VARNISH[1])} ({escaped(VARNISH[0])})"]
    inks = [*process_inks(), SPOT, VARNISH]
    every = [(ink, plate(samples[..., i])) for i, (ink, _) in enumerate(inks)]
    dcs_2_files(bench, "six", every, colours)
    bench.put("six-single.eps", single_file(every, comments=colours))
    dcs_2_files(bench, "two-inks", [every[3], every[4]], colours)
    dcs_2_files(bench, "spot-alone", [every[4]], colours)
    position = position_of(CROP)
    for name, chosen in (("six", range(6)), ("six-single", range(6)), ("two-inks", (3, 4)), ("spot-alone", (4,))):
        truth = truth_n(numpy.ascontiguousarray(samples[..., list(chosen)]), [inks[i] for i in chosen], position, CROP)
        add(sheet, name, samples, truth=truth)
    return sheet


def listed_sheet(bench):
    """What the queue says of an ink counts, whether the DCS is silent or says something else."""
    options = ["--ink", f"{SPOT[0]}={','.join(thin_job.num(level) for level in SPOT[1])}"]
    sheet = Sheet("listed-inks", device="tiff32nc", options=options)
    samples = pictures.cells(*SIZE, 1, 137)
    dcs_2_files(bench, "silent", [(SPOT[0], plate(samples[..., 0]))])
    dcs_2_files(bench, "other", [(SPOT[0], plate(samples[..., 0]))], [f"%%CMYKCustomColor: 1 0 0 0.3 ({SPOT[0]})"])
    truth = truth_n(samples, [SPOT], position_of(CROP), CROP)
    for name in ("silent", "other"):
        add(sheet, name, samples, truth=truth)
    return sheet


def native_sheet(bench):
    """OPI 2.0: run in the EPS's own coordinates, wherever its box lies."""
    sheet = Sheet("native", device="tiff32nc")
    samples = pictures.cells(*SIZE, 4, 138)
    for name, box in (("at-origin", (0, 0, *POINTS)), ("off-origin", (20, 30, 100, 90))):
        dcs_2_files(bench, name, four(samples, box=box), main=lambda lines, box=box: main_file(lines, box))
        matrix = thin_job.turned(17, 83.3, 41.7)
        corners = [thin_job.affine(matrix, point) for point in thin_job.corners(*POINTS, (1, 0, 0, 1, *box[:2]))]

        def thin(job, name=name, matrix=matrix):
            job.drop(f"%%BeginOPI: 2.0\n%%ImageFileName: {name}.eps\n")
            job.keep(f"gsave [{thin_job.nums(matrix)}] concat\n")
            job.drop("%%BeginIncludedImage\n" + thin_job.PROXY + "%%EndIncludedImage\n")
            job.keep("grestore\n")
            job.drop("%%EndOPI\n")

        sheet.add(name, thin, thin_job.truth_image(samples, corners), [corners], tolerance=2)
    return sheet


def separated_sheet(bench):
    sheet = Sheet("separated")
    samples = pictures.cells(*SIZE, 5, 139)
    inks = [*PROCESS[:3], SPOT[0]]
    plates = [(ink, plate(samples[..., i])) for i, ink in enumerate(inks)]
    plates[1] = ("Magenta", plate(samples[..., 1]).replace(b"scale\n", b"scale 0.3 setgray 0.1 0.1 0.4 0.4 rectfill 0 setgray\n"))
    dcs_2_files(bench, "apart", plates)
    position = position_of(CROP)
    below = "0.6 setgray 60 40 150 120 rectfill 0 setgray\n"
    for number, ink in enumerate([*inks, "Black", "pantone 185 cvc", "Black again"]):
        over = ink == "Black again"

        def thin(job, ink=ink, over=over):
            job.keep(f"%%PlateColor: {'Black' if over else ink}\n{below}")
            # A prolog of the field blanks pictures on plates that are not theirs; it must not blank the plate's.
            job.keep("userdict begin /image {5 {pop} repeat} def /setgray {pop} def end\n")
            thin_job.block_13(job, "apart.eps", position, SIZE, CROP, more=["%ALDImageOverprint: true"] if over else [])
            job.keep("userdict /image undef userdict /setgray undef\n")

        channel = {4: None, 5: 3, 6: None}.get(number, number)
        if channel is None:
            truth = below + ("" if over else "gsave " + thin_job.path(position) + "1 setgray fill grestore\n")
        else:
            truth = below + thin_job.truth_image(numpy.ascontiguousarray(255 - samples[..., channel:channel + 1]), position, CROP)
        sheet.add(ink, thin, truth, [position], tolerance=2)
    return sheet


def refusals(bench):
    """What can't be put together is held with the reason."""
    samples = pictures.cells(*SIZE, 4, 140)
    plates = four(samples)
    cases = {
        "missing-plate": ["Magenta", "missing-plate.1", "not beside"],
        "two-sizes": ["Yellow", "differs"],
        "two-depths": ["Black", "differs"],
        "drawn": ["Cyan", "rectfill", "separations"],
        "clipped": ["Cyan", "rectclip"],
        "two-pictures": ["Cyan", "second picture"],
        "short": ["Yellow", "ends after"],
        "no-colour": ["PANTONE", "CMYKCustomColor"],
        "nowhere": ["Cyan", "byte 90000000"],
        "same-byte": ["same byte"],
        "not-eps": ["TIFF", "EPS plates"],
        "named-twice": ["twice"],
    }
    dcs_2_files(bench, "missing-plate", plates)
    os.remove(os.path.join(bench.store, "missing-plate.1"))
    # A plate of that name in another folder belongs to another picture.
    os.makedirs(os.path.join(bench.store, "elsewhere"))
    bench.put("elsewhere/missing-plate.1", plates[1][1])
    small = pictures.cells(40, 60, 1, 141)[..., 0]
    dcs_2_files(bench, "two-sizes", [*plates[:2], ("Yellow", plate(small)), plates[3]])
    dcs_2_files(bench, "two-depths", [*plates[:3], ("Black", plate(samples[..., 3], bits=1))])
    dcs_2_files(bench, "drawn", [("Cyan", plate(samples[..., 0]).replace(b"end\ngrestore", b"0 0 1 1 rectfill end\ngrestore")), *plates[1:]])
    dcs_2_files(bench, "clipped", [("Cyan", plate(samples[..., 0]).replace(b"gsave\n", b"gsave 0 0 9 9 rectclip\n", 1)), *plates[1:]])
    twice = plate(samples[..., 0]).replace(b"end\ngrestore", hex_data(255 - samples[..., 0], 8) + b"end\ngrestore")
    dcs_2_files(bench, "two-pictures", [("Cyan", twice), *plates[1:]])
    dcs_2_files(bench, "short", [*plates[:2], ("Yellow", plates[2][1][:-3000]), plates[3]])
    dcs_2_files(bench, "no-colour", [*plates, (SPOT[0], plate(samples[..., 0]))])
    lines = "%%PlateFile: (Cyan) EPS #{} 1000", "%%PlateFile: (Black) EPS #{} 1000"
    bench.put("nowhere.eps", main_file([lines[0].format(90000000)]))
    bench.put("same-byte.eps", main_file([lines[0].format(700), lines[1].format(720)]) + plates[0][1])
    bench.put("not-eps.eps", main_file(["%%PlateFile: (Cyan) TIFF Local x.tif"]))
    bench.put("named-twice.eps", main_file(["%%PlateFile: (Cyan) EPS a", "%%PlateFile: (Cyan) EPS b"]))
    for name, words in cases.items():
        yield group_refusals.Refusal(f"dcs-{name}", [(group_refusals.block(f"{name}.eps"), f"{name}.eps")], words)
    bench.put("six-level-2.eps", single_file([*plates, (SPOT[0], plate(samples[..., 0]))],
                                             comments=[f"%%CMYKCustomColor: {thin_job.nums(SPOT[1])} ({SPOT[0]})"]))
    yield group_refusals.Refusal("dcs-six-level-2", [(group_refusals.block("six-level-2.eps"), "six-level-2.eps")],
                                 ["Level 3"], ["--level", "2"])


def dcs(bench):
    yield files_sheet(bench)
    yield files_sheet(bench, ["--level", "2", "--encoding", "ascii85"], 2)
    yield data_sheet(bench)
    yield programs_sheet(bench)
    yield spots_sheet(bench)
    yield listed_sheet(bench)
    yield native_sheet(bench)
    yield separated_sheet(bench)
    yield from refusals(bench)
