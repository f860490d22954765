# SPDX-License-Identifier: AGPL-3.0-or-later
"""A job of many pages, one case a page: resolved once, rendered once beside its truth, judged page by page."""
import os
import subprocess

import compare
import output_checks
import render
import thin_job

SCALE = render.PPI / 72
# Asked behind every block: two operands, the dictionaries, the point, the matrix, overprint and the colour of before.
BEFORE = """0.2 0.4 0.6 setrgbcolor 7 11 moveto (a) 42
/matrixBefore matrix currentmatrix def /dictsBefore countdictstack def count /countBefore exch def
"""
AFTER = """count countBefore eq {(operands\n) print flush} unlessTrue
countdictstack dictsBefore eq {(dictionaries\n) print flush} unlessTrue
currentpoint 11 sub abs 1e-3 lt exch 7 sub abs 1e-3 lt and {(current point\n) print flush} unlessTrue
0 1 5 {dup matrix currentmatrix exch get exch matrixBefore exch get sub abs 1e-3 lt {(matrix\n) print flush} unlessTrue} for
currentoverprint {(overprint\n) print flush} if
42 eq exch (a) eq and {(operand values\n) print flush} unlessTrue
40 0 rlineto 3 setlinewidth stroke 280 4 10 10 rectfill
"""
PROLOG = "%%BeginProlog\n/unlessTrue {exch {pop} {exec} ifelse} bind def\n%%EndProlog\n"
TRUTH_AFTER = "pop pop 40 0 rlineto 3 setlinewidth stroke 280 4 10 10 rectfill\n"


class Page:
    """thin(job): adds the block. truth: PostScript. polygons: what the picture may touch, user space under `outer`."""

    def __init__(self, name, thin, truth, polygons, tolerance=1, outer=(1, 0, 0, 1, 0, 0), setup=""):
        self.name, self.thin, self.truth, self.tolerance = name, thin, truth, tolerance
        self.outer, self.setup = outer, setup
        self.polygons = [[self.to_device(thin_job.affine(outer, point)) for point in polygon] for polygon in polygons]

    @staticmethod
    def to_device(point):
        return point[0] * SCALE, (thin_job.SIZE_PT[1] - point[1]) * SCALE

    def opening(self):
        return f"gsave {self.setup}[{thin_job.nums(self.outer)}] concat\n"


class Sheet:
    def __init__(self, name, device="ppmraw", line_end="\n", options=(), level=3, comments=("%%DocumentData: Binary",)):
        self.name, self.device, self.line_end, self.level = name, device, line_end, level
        self.options, self.comments, self.pages, self.prolog = list(options), comments, [], PROLOG

    def add(self, *arguments, **options):
        self.pages.append(Page(*arguments, **options))

    def thin(self):
        job = thin_job.Pieces(self.line_end)
        job.keep(thin_job.fresh_header(len(self.pages), self.comments) + self.prolog)
        for number, page in enumerate(self.pages, 1):
            job.keep(f"%%Page: {number} {number}\n{page.opening()}{BEFORE}% before {page.name}\n")
            page.thin(job)
            job.keep(f"% after {page.name}\n{AFTER}grestore showpage\n")
        job.keep("%%Trailer\n%%EOF\n")
        return job

    def truth(self):
        text = thin_job.fresh_header(len(self.pages), ())
        for number, page in enumerate(self.pages, 1):
            text += f"%%Page: {number} {number}\n{page.opening()}{BEFORE}{page.truth}{TRUTH_AFTER}grestore showpage\n"
        return (text + "%%EOF\n").encode("latin-1")

    def run(self, bench):
        """Complaints, each naming the sheet and, where it can, the page."""
        folder = bench.fresh_folder(self.name)
        job = self.thin()
        source, target = os.path.join(folder, "thin.ps"), os.path.join(folder, "out.ps")
        with open(source, "wb") as out:
            out.write(job.whole())
        done = bench.resolve(source, target, self.options)
        if done.returncode or done.stdout or done.stderr:
            return [f"{self.name}: exit {done.returncode}, said {done.stdout[:300]!r} {done.stderr.decode('utf-8', 'replace')[:1500]}"]
        with open(target, "rb") as result:
            output = result.read()
        found = output_checks.check_output(output, job.kept(), self.level, bool({"ascii85", "hex"} & set(self.options)))
        found += self.judge_pixels(folder, target)
        return [f"{self.name}: {complaint}" for complaint in found]

    def judge_pixels(self, folder, target):
        truth = os.path.join(folder, "truth.ps")
        with open(truth, "wb") as out:
            out.write(self.truth())
        want, wrong = render.render(truth, os.path.join(folder, "truth"), self.device, thin_job.SIZE_PT)
        if wrong or len(want) != len(self.pages):
            return [f"the truth itself does not render: {wrong}, {len(want)} pages of {len(self.pages)}"]
        got, found = render.render(target, os.path.join(folder, "got"), self.device, thin_job.SIZE_PT)
        found = [f"{text} (behind page {len(got)})" for text in found]
        if len(got) != len(want):
            found.append(f"{len(got)} pages instead of {len(want)}")
        for page, mine, true in zip(self.pages, got, want):
            found += [f"{page.name}: {text}" for text in compare_pages(page, mine, true)]
        return found


def compare_pages(page, got, want):
    if not isinstance(want, dict):
        return compare.differences(got, want, page.polygons, page.tolerance)
    found = [f"plates {sorted(got)} instead of {sorted(want)}"] if sorted(got) != sorted(want) else []
    for plate in sorted(set(got) & set(want)):
        found += [f"plate {plate}: {text}"
                  for text in compare.differences(got[plate], want[plate], page.polygons, page.tolerance)]
    return found


class Bench:
    """The command under test and a scratch folder with one store."""

    def __init__(self, opispool, scratch):
        self.opispool, self.scratch = opispool, scratch
        self.store = os.path.join(scratch, "store")
        os.makedirs(self.store)

    def fresh_folder(self, name):
        path = os.path.join(self.scratch, name)
        os.makedirs(path)
        return path

    def put(self, name, data):
        path = os.path.join(self.store, name)
        with open(path, "wb") as out:
            out.write(data)
        return path

    def run(self, arguments, **options):
        return subprocess.run([self.opispool, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False, **options)

    def resolve(self, source, target, options=(), store=None):
        return self.run(["resolve", "--store", store or self.store, *options, "-o", target, source])
