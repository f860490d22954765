# SPDX-License-Identifier: AGPL-3.0-or-later
"""What can't be resolved: exit 3, one line per problem naming IN.ps:LINE and the image, OUT as it was."""
import os
import re

import group_eps
import group_jpeg
import pictures
import thin_job
import tiff_file
from group_self_test import Check
from tiff_file import LONG, LZW, PACKBITS, ZIP

OLD = b"%!PS the result of yesterday\n"
LINE = re.compile(r"thin\.ps:(\d+): (?:image '([^']*)'|OPI block): \S.{8,}")
POSITION = thin_job.corners(60.3, 45.1, thin_job.turned(0, 30.2, 40.7))
DIMS = (80, 60)


def listing(folder):
    return sorted(os.listdir(folder))


class Refusal:
    """A job, the problems it must be refused for as (line, image name), and words one of its lines must hold."""

    def __init__(self, name, blocks, words=(), options=()):
        self.name, self.words, self.options = name, words, list(options)
        self.wanted, text = [], thin_job.fresh_header(1, ()) + "%%Page: 1 1\n"
        for block, image in blocks:
            # The complaint names the line of the block's first comment; image None: a block that must not be complained of.
            if image is not None:
                self.wanted.append((str(text.count("\n") + 1), image))
            text += block
        self.job = (text + "showpage\n%%EOF\n").encode("latin-1")

    def run(self, bench):
        folder = bench.fresh_folder(self.name)
        with open(os.path.join(folder, "thin.ps"), "wb") as out:
            out.write(self.job)
        found = self.judge(bench, folder, ["-o", "out.ps"], None)
        found += self.judge(bench, folder, [], None)
        with open(os.path.join(folder, "out.ps"), "wb") as out:
            out.write(OLD)
        return [f"{self.name}: {text}" for text in found + self.judge(bench, folder, ["-o", "out.ps"], OLD)]

    def judge(self, bench, folder, target, old):
        before = listing(folder)
        done = bench.run(["resolve", "--store", bench.store, *self.options, *target, "thin.ps"], cwd=folder)
        said = done.stderr.decode("utf-8", "replace")
        found = []
        if done.returncode != 3:
            found.append(f"exit {done.returncode}: {said[:400]}")
        if done.stdout:
            found.append(f"{len(done.stdout)} bytes on standard output")
        if listing(folder) != before:
            found.append(f"left behind: {sorted(set(listing(folder)) - set(before))}")
        if old is not None:
            with open(os.path.join(folder, "out.ps"), "rb") as read:
                found += [] if read.read() == old else ["the old result was changed"]
        return found + self.judge_lines(said)

    def judge_lines(self, said):
        lines = said.splitlines()
        matches = [LINE.fullmatch(line) for line in lines]
        if not all(matches):
            return [f"a line not of the form IN.ps:LINE: image 'NAME': reason: {said[:400]!r}"]
        named = [(match.group(1), match.group(2) or "") for match in matches]
        found = [] if named == self.wanted else [f"problems {named} instead of {self.wanted}: {said[:400]}"]
        found += [f"no line says '{word}': {said[:400]}" for word in self.words if word not in said]
        return found


def block(name, position=POSITION, dims=DIMS, crop=(0, 0, *DIMS), **options):
    job = thin_job.Pieces()
    thin_job.block_13(job, name, position, dims, crop, **options)
    return job.whole().decode("latin-1")


def block_20(name, **options):
    job = thin_job.Pieces()
    options = {"dims": DIMS, "crop": (0, 0, *DIMS), "included": DIMS, **options}
    thin_job.block_20(job, name, (60, 0, 0, 45, 30, 40), **options)
    return job.whole().decode("latin-1")


def names(bench):
    good = tiff_file.tiff_bytes(pictures.cells(*DIMS, 3, 111), rows=9)
    bench.put("good.tif", good)
    for folder in ("a", "b"):
        os.makedirs(os.path.join(bench.store, folder))
        bench.put(f"{folder}/twice.tif", good + folder.encode())
    os.makedirs(os.path.join(bench.scratch, "outside"))
    with open(os.path.join(bench.scratch, "outside", "secret.tif"), "wb") as out:
        out.write(good)
    os.symlink("../outside/secret.tif", os.path.join(bench.store, "leads-out.tif"))
    yield Refusal("missing", [(block("absent.tif"), "absent.tif")])
    yield Refusal("missing-20", [(block_20("absent.tif"), "absent.tif")])
    yield Refusal("missing-among-good", [(block("good.tif"), None), (block("absent 1.tif"), "absent 1.tif"),
                                         (block_20("good.tif"), None), (block_20("absent2.tif"), "absent2.tif")])
    yield Refusal("ambiguous", [(block("twice.tif"), "twice.tif")], ["a/twice.tif", "b/twice.tif"])
    yield Refusal("other-case-twice", [(block("Server:c:TWICE.TIF"), "Server:c:TWICE.TIF")])
    yield Refusal("out-by-dots", [(block("../outside/secret.tif"), "../outside/secret.tif")])
    yield Refusal("out-by-absolute-path", [(block("/etc/hostname"), "/etc/hostname")])
    yield Refusal("out-by-symlink", [(block("leads-out.tif"), "leads-out.tif")])


def palette_of_16_bits(bench):
    table = (tiff_file.SHORT, [0] * 3 * 65536)
    bench.put("deep-palette.tif", tiff_file.tiff_bytes(pictures.cells(*DIMS, 1, 113, bits=16), bits=16,
                                                       photometric=tiff_file.PALETTE, tags={320: table}))
    yield Refusal("deep-palette", [(block("deep-palette.tif"), "deep-palette.tif")], ["palette with 16 bits for each index"])


def damaged_tiffs():
    samples = pictures.cells(80, 60, 3, 112)

    def cut(share, **options):
        data = tiff_file.tiff_bytes(samples, ifd_first=True, **options)
        return data[:int(len(data) * share)]

    def with_tags(tags, **options):
        return tiff_file.tiff_bytes(samples, tags=tags, **options)

    for name, code in (("none", tiff_file.NONE), ("lzw", LZW), ("zip", ZIP), ("packbits", PACKBITS)):
        yield f"cut-{name}", cut(0.6, compression=code, rows=11)
        # The strip is there, but its data ends before its rows do.
        yield f"short-strip-{name}", tiff_file.tiff_bytes(samples, compression=code, rows=11, encode=shortened(code))
        yield f"few-strips-{name}", few_strips(samples, code)
    yield "cut-tiles", cut(0.7, tile=(32, 32), compression=ZIP)
    yield "zip-garbage", tiff_file.tiff_bytes(samples, compression=ZIP, encode=lambda rows: b"\x78\x9c" + b"\xff" * 900)
    yield "directory-beyond", b"II*\0\xff\xff\xff\x0f" + b"\0" * 600
    yield "directory-cut", tiff_file.tiff_bytes(samples, rows=4)[:-200]
    yield "header-only", b"II*\0"
    yield "no-width", with_tags({256: None})
    yield "width-zero", with_tags({256: (LONG, [0])})
    yield "absurd-size", with_tags({256: (LONG, [2 ** 31 - 1]), 257: (LONG, [2 ** 31 - 1])})
    yield "strips-beyond", with_tags({273: (LONG, [10 ** 9])})
    yield "unknown-compression", with_tags({259: (tiff_file.SHORT, [4711])})
    yield "unknown-photometric", with_tags({262: (tiff_file.SHORT, [77])})


def shortened(code):
    def encode(rows):
        return tiff_file.squeeze(rows[:-2], code)
    return encode


def few_strips(samples, code):
    whole = tiff_file.Layout(compression=code, rows=11)
    counts = [len(part) for part in tiff_file.encoded_segments(samples, whole)]
    at, offsets = 8, []
    for count in counts:
        offsets.append(at)
        at += count + count % 2
    return tiff_file.tiff_bytes(samples, compression=code, rows=11, tags={273: (LONG, offsets[:-2]), 279: (LONG, counts[:-2])})


def damaged(bench):
    for name, data in damaged_tiffs():
        bench.put(f"{name}.tif", data)
        yield Refusal(name, [(block(f"{name}.tif"), f"{name}.tif")])
        if name.startswith("short-strip"):
            yield Refusal(f"{name}-ascii85", [(block(f"{name}.tif"), f"{name}.tif")], options=["--encoding", "ascii85"])
    whole = group_jpeg.jpeg_bytes(pictures.smooth(*DIMS, 3, 113))
    for name, data in (("cut.jpg", whole[:len(whole) // 2]), ("head-only.jpg", whole[:200]), ("empty.tif", b""),
                       ("text.tif", b"not a picture at all\n" * 9), ("no-box.eps", b"%!PS-Adobe-3.0 EPSF-3.0\nshowpage\n"),
                       ("dos-cut.eps", group_eps.dos(group_eps.eps())[:24])):
        bench.put(name, data)
        yield Refusal(name, [(block(name), name)])


def malformed(bench):
    bench.put("good.tif", tiff_file.tiff_bytes(pictures.cells(*DIMS, 3, 111), rows=9))
    good = "good.tif"
    ll, ul, ur, lr = POSITION
    whole = block(good)
    cases = {
        "crop-outside": block(good, crop=(10, 10, 200, 50)),
        "crop-inverted": block(good, crop=(50, 10, 20, 40)),
        "no-position": block(good, position=None),
        "no-parallelogram": block(good, position=[ll, ul, (ur[0] + 20, ur[1]), lr]),
        "no-area": block(good, position=[ll, ll, lr, lr]),
        "crop-without-dimensions": block(good, dims=None, crop=(0, 0, 40, 30)),
        "dimensions-zero": block(good, dims=(0, 60)),
        "position-text": whole.replace("%ALDImagePosition: ", "%ALDImagePosition: left "),
        "crop-three-numbers": whole.replace("%ALDImageCropRect: 0 ", "%ALDImageCropRect: "),
        "other-shape": block(good, dims=(80, 20), crop=(0, 0, 80, 20)),
        "object-leaves-gsave": block(good, proxy="gsave 0.5 setgray\n"),
        "no-end-object": whole.replace("%%EndObject\n", ""),
        "no-end-opi": block_20(good).replace("%%EndOPI\n", ""),
        "no-included-image": re.sub("%%BeginIncludedImage.*%%EndIncludedImage\n", "", block_20(good), flags=re.S),
        "other-version": block_20(good).replace("2.0\n", "3.0\n"),
        "included-size-absurd": block_20(good, included=(17, 93)),
        "in-a-procedure": "{\n" + whole + "} pop\n",
    }
    for name, text in cases.items():
        refusal = Refusal(name, [(text, good)])
        if name == "in-a-procedure":
            refusal.wanted = [(str(int(refusal.wanted[0][0]) + 1), good)]
        yield refusal


def rings(bench):
    """An EPS that refers to itself, at once and by way of another."""
    for name, target in (("self.eps", "self.eps"), ("ring-a.eps", "ring-b.eps"), ("ring-b.eps", "ring-a.eps")):
        bench.put(name, group_eps.eps(block(target, thin_job.corners(80, 60), (80, 60))))
    yield Refusal("self", [(block("self.eps"), "self.eps")])
    yield Refusal("ring", [(block("ring-a.eps"), "ring-a.eps")])
    bench.put("outer.eps", group_eps.eps(block("nowhere.tif", thin_job.corners(80, 60))))
    yield Refusal("missing-inside", [(block("outer.eps"), "outer.eps")], ["nowhere.tif"])


def unchanged(name, text, options=(), words=""):
    """The job goes out as it came in; `words` is the warning that must be heard."""
    def ask(bench):
        folder = bench.fresh_folder(name)
        job = Refusal("unused", [(text, None)]).job
        with open(os.path.join(folder, "thin.ps"), "wb") as out:
            out.write(job)
        target = os.path.join(folder, "out.ps")
        done = bench.resolve(os.path.join(folder, "thin.ps"), target, options)
        if done.returncode:
            return [f"exit {done.returncode}: {done.stderr!r}"]
        with open(target, "rb") as result:
            found = [] if result.read() == job else ["the job was changed"]
        return found + ([] if words.encode() in done.stderr else [f"nobody says '{words}': {done.stderr!r}"])

    return Check(name, ask)


def judges_itself(bench):
    """A job that can be resolved must not pass for a refusal, nor a complaint about another line or image."""
    good = block("good.tif")
    found = [] if Refusal("good", [(good, "good.tif")]).run(bench) else ["a good job passed for a refused one"]
    refusal = Refusal("other-line", [(block("absent.tif"), "absent.tif")])
    for wanted in ([("1", "absent.tif")], [(refusal.wanted[0][0], "other.tif")], refusal.wanted * 2):
        other = Refusal("unused", [])
        other.wanted = wanted
        line = refusal.wanted[0][0]
        if not other.judge_lines(f"thin.ps:{line}: image 'absent.tif': not found in the store\n"):
            found.append(f"{wanted} passed for {refusal.wanted}")
    return found


def refusals(bench):
    yield from names(bench)
    yield from damaged(bench)
    yield from palette_of_16_bits(bench)
    yield from malformed(bench)
    yield from rings(bench)
    yield unchanged("on-missing-proxy", block("absent.tif"), ["--on-missing", "proxy"])
    retouched = block_20("good.tif").replace("IncludedImageQuality: 1", "IncludedImageQuality: 3")
    yield unchanged("included-quality-3", retouched, ["--verbose"], "IncludedImageQuality 3")
    yield Check("judges-itself", judges_itself)
