#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""compare_tools.py OPISPOOL [--check FILE | --into FILE] [--tools NAME...] [--peers-required]: what becomes of one TIFF for
each property by opispool, tiff2ps, ImageMagick and Ghostscript's filters, as a Markdown table. --into puts the columns of
the tools that ran into FILE, --check says where FILE no longer tells the truth about opispool; exit 77 = skipped."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

import compare
import compare_cases
import filter_wrapper
import output_checks
import render
import sheet
import thin_job

BEGIN, END = "<!-- table: tests/pixel/compare_tools.py -->", "<!-- end of the table -->"
NEEDED = ("tiffcp", "gs")


class Sent:
    """What a tool made of a file: a page for the RIP, or why there is none."""

    def __init__(self, data=None, reason="", level=None):
        self.data, self.reason, self.level = data, reason, level


def one_line(text, folder):
    """A tool's own words without names of files and people, fit for a cell of the table."""
    text = text.replace(folder + "/", "").replace("|", "/").strip().split("\n")[0]
    text = re.sub(r"\s*@ \S+$", "", re.sub(r"^convert\S*: ", "", text))
    return text if len(text) <= 160 else text[:157].rstrip() + "..."


def said_or_sent(done, path, folder, level):
    """A program that failed has refused, whatever it left behind."""
    said = one_line(done.stderr.decode("utf-8", "replace"), folder)
    data = b""
    if os.path.exists(path):
        with open(path, "rb") as out:
            data = out.read()
    if done.returncode < 0:
        return Sent(reason=f"crashes, signal {-done.returncode}")
    if done.returncode or not data:
        return Sent(reason=said or "no word why")
    return Sent(data, said, level)


def run(command, folder, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          check=False, cwd=folder, **options)


def by_opispool(level):
    def send(case, bench, folder):
        job = thin_job.Pieces()
        width, height = case.size()
        job.keep(f"%!PS-Adobe-3.0\n%%BoundingBox: 0 0 {width} {height}\n%%LanguageLevel: 2\n%%DocumentData: Binary\n%%Pages: 1\n"
                 "%%EndComments\n%%Page: 1 1\n")
        # 1-bit art is laid on paper here as by the others; in a layout its white is clear.
        thin_job.block_13(job, "picture.tif", thin_job.corners(width, height), (width, height), (0, 0, width, height),
                          more=["%ALDImageTransparency: false"])
        job.keep("showpage\n%%EOF\n")
        source, target = os.path.join(folder, "thin.ps"), os.path.join(folder, "out.ps")
        with open(source, "wb") as out:
            out.write(job.whole())
        done = bench.resolve(source, target, ["--level", str(level), *case.options], store=folder)
        sent = said_or_sent(done, target, folder, level)
        if sent.data is None:
            sent.reason = re.sub(r"^.*?image 'picture.tif': ", "", sent.reason)
        return sent

    return send


def by_tiff2ps(level):
    def send(case, bench, folder):
        target = os.path.join(folder, "out.ps")
        width, height = (str(length / 72) for length in case.size())
        return said_or_sent(run(["tiff2ps", f"-{level}", "-e", "-i", "0", "-w", width, "-h", height, "-O", target, "picture.tif"], folder),
                            target, folder, level)

    return send


def by_convert(level):
    def send(case, bench, folder):
        # Debian's policy forbids to write PostScript; an empty one of our own lifts that.
        with open(os.path.join(folder, "policy.xml"), "w", encoding="ascii") as policy:
            policy.write("<policymap></policymap>\n")
        done = run(["convert", "-units", "PixelsPerInch", "-density", "72", "picture.tif", "-auto-orient", "+repage", f"eps{level}:out.ps"], folder,
                   env={**os.environ, "MAGICK_CONFIGURE_PATH": folder})
        # A file of several pages becomes several files.
        names = [name for name in ("out.ps", "out-0.ps") if os.path.exists(os.path.join(folder, name))]
        return said_or_sent(done, os.path.join(folder, (names or ["out.ps"])[0]), folder, level)

    return send


def by_filters(case, bench, folder):
    try:
        data, level = filter_wrapper.wrapped(case.data)
    except filter_wrapper.NoFilter as reason:
        return Sent(reason=str(reason))
    return Sent(data, "", level)


TOOLS = {"opispool": by_opispool(3), "opispool --level 2": by_opispool(2), "tiff2ps -2": by_tiff2ps(2), "tiff2ps -3": by_tiff2ps(3),
         "convert eps2:": by_convert(2), "convert eps3:": by_convert(3), "gs filters": by_filters}
PROGRAMS = {"tiff2ps -2": "tiff2ps", "tiff2ps -3": "tiff2ps", "convert eps2:": "convert", "convert eps3:": "convert"}


def what_is_wrong(got, want, tolerance):
    """Words for the difference, "" if there is none."""
    if isinstance(want, dict):
        if not isinstance(got, dict) or sorted(got) != sorted(want):
            return f"plates {', '.join(sorted(got))}"
        wrong = {name: what_is_wrong(got[name], want[name], tolerance) for name in sorted(want)}
        return "; ".join(f"{name}: {words}" for name, words in wrong.items() if words)[:110]
    height, width = want.shape[:2]
    if not compare.differences(got, want, [[(0, 0), (0, height), (width, height), (width, 0)]], tolerance):
        return ""
    if got.shape != want.shape:
        return f"a page of {got.shape[1]} x {got.shape[0]}"
    paper = 0 if want.shape[2] == 4 else 255
    if (got == paper).all():
        return "nothing is printed"
    for words, other in (("negative", 255 - got), ("upside down", got[::-1]), ("mirrored", got[:, ::-1]), ("turned by 180", got[::-1, ::-1])):
        if (numpy.abs(other.astype(int) - want.astype(int)) <= tolerance).mean() > 0.99:
            return words
    differs = (numpy.abs(got.astype(int) - want.astype(int)) > tolerance).any(axis=2)
    blank = differs & (got == paper).all(axis=2)
    words = f"{max(round(100 * differs.mean()), 1)} % of the pixels"
    if blank.sum() > 0.9 * differs.sum():
        return words + " are left white"
    return words + f", off by {numpy.abs(got.astype(int) - want.astype(int))[differs].max()} of 255"


def is_over_white(case, page):
    if case.over_white is None:
        return False
    other = case.over_white.repeat(render.PPI // 72, 0).repeat(render.PPI // 72, 1)
    return page.shape == other.shape and (numpy.abs(page.astype(int) - other.astype(int)) <= case.tolerance).mean() > 0.99


def kilobytes(data):
    return f"{len(data) / 1000:.1f} kB"


def judge(case, sent, want, folder):
    """A cell of the table."""
    if sent.data is None:
        return f"refused: {sent.reason}"
    path = os.path.join(folder, "sent.ps")
    with open(path, "wb") as out:
        out.write(sent.data)
    if case.shown is None:
        return "**wrong**: is printed" + (f", warns: {sent.reason}" if sent.reason else "")
    pages, said = render.render(path, os.path.join(folder, "pages"), case.device, case.size())
    level = re.search(rb"^%%LanguageLevel: *(\d)", sent.data, re.MULTILINE)
    level = int(level.group(1)) if level else 1
    wrong = [f"Ghostscript stops at {match.group(1)}" if (match := re.search(r"/(\w+) in", text)) else "Ghostscript complains" for text in said]
    if not said and pages and is_over_white(case, pages[0]):
        return f"other: laid over white, L{level}, {kilobytes(sent.data)}"
    wrong += [what_is_wrong(pages[0], want, case.tolerance)] if pages else ["no page"]
    wrong += [f"{len(pages)} pages"] if len(pages) > 1 else []
    if re.search(rb"BitsPerComponent[ \t]+16\b", sent.data):
        wrong.append("16 bits per component, which a RIP refuses")
    text, _ = output_checks.without_data(sent.data)
    if sent.level == 2 and level > 2:
        wrong.append(f"Level {level}")
    wrong = [words for words in wrong if words]
    return f"**wrong**: {', '.join(wrong)}" if wrong else f"right, L{level}, {kilobytes(sent.data)}"


def truth_page(case, folder):
    if case.shown is None:
        return None
    path = os.path.join(folder, "truth.ps")
    with open(path, "w", encoding="latin-1") as out:
        out.write(thin_job.fresh_header(1, ()) + "%%Page: 1 1\n" + case.truth() + "showpage\n%%EOF\n")
    pages, said = render.render(path, os.path.join(folder, "truth"), case.device, case.size())
    if said or len(pages) != 1:
        raise RuntimeError(f"{case.name}: the truth itself does not render: {said}")
    return pages[0]


def rows_of(bench, tools):
    """[(heading or None, property, {tool: cell})]"""
    rows = []
    for heading, cases in compare_cases.cases(bench):
        rows.append((heading, "", {}))
        for number, case in enumerate(cases):
            folder = bench.fresh_folder(f"{len(rows)}-{number}")
            want, cells = truth_page(case, folder), {}
            for tool in tools:
                own = os.path.join(folder, tool.replace(" ", "").replace(":", ""))
                os.makedirs(own)
                with open(os.path.join(own, "picture.tif"), "wb") as out:
                    out.write(case.data)
                cells[tool] = judge(case, TOOLS[tool](case, bench, own), want, own)
            rows.append((None, case.name, cells))
    return rows


def markdown(rows, tools):
    lines = ["| Property | " + " | ".join(f"`{tool}`" for tool in tools) + " |", "|---" * (len(tools) + 1) + "|"]
    for heading, name, cells in rows:
        if heading:
            lines.append(f"| **{heading}** |" + " |" * len(tools))
        else:
            lines.append(f"| {name} | " + " | ".join(cells.get(tool, "not run") for tool in tools) + " |")
    lines.append("| **right / other / refused / wrong** | " + " | ".join(tally(rows, tool) for tool in tools) + " |")
    return "\n".join(lines) + "\n"


def tally(rows, tool):
    cells = [cells.get(tool, "") for heading, _, cells in rows if not heading]
    return " / ".join(str(sum(cell.startswith(word) for cell in cells)) for word in ("right", "other", "refused", "**wrong**"))


def table_of(path):
    """(text before, [(heading, property, cells)], text behind) of a file that holds the table."""
    with open(path, encoding="utf-8") as read:
        before, rest = read.read().split(BEGIN + "\n")
    table, behind = rest.split(END)
    rows, tools = [], []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| Property"):
            tools = [cell.strip("`") for cell in cells[1:]]
        elif line.startswith("| **right"):
            break
        elif line.startswith("| **"):
            rows.append((cells[0].strip("*"), "", {}))
        elif line.startswith("| "):
            rows.append((None, cells[0], dict(zip(tools, cells[1:]))))
    return before, rows, behind


def put_into(path, rows):
    """The new cells over the old ones: a tool that did not run keeps its column."""
    before, old, behind = table_of(path)
    known = {name: cells for _, name, cells in old}
    merged = [(heading, name, {**known.get(name, {}), **cells}) for heading, name, cells in rows]
    with open(path, "w", encoding="utf-8") as out:
        out.write(before + BEGIN + "\n" + markdown(merged, list(TOOLS)) + END + behind)


def stale(path, rows):
    """Where the file's columns of opispool are not what it did just now, and what no such column may hold."""
    found, (_, old, _) = [], table_of(path)
    if [row[:2] for row in old] != [row[:2] for row in rows]:
        found.append("its rows are not those of the cases")
    known = {name: cells for _, name, cells in old}
    for _, name, cells in rows:
        for tool, cell in cells.items():
            if cell != known.get(name, {}).get(tool):
                found.append(f"{name}, {tool}: now '{cell}', the file says '{known.get(name, {}).get(tool)}'")
            if "wrong" in cell or "no word why" in cell:
                found.append(f"{name}, {tool}: {cell}")
    return found


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("opispool")
    arguments.add_argument("--check", metavar="FILE")
    arguments.add_argument("--into", metavar="FILE")
    arguments.add_argument("--tools", nargs="+", choices=list(TOOLS), default=list(TOOLS))
    arguments.add_argument("--peers-required", action="store_true")
    options = arguments.parse_args()
    if missing := [tool for tool in NEEDED if shutil.which(tool) is None]:
        print(f"{', '.join(missing)} not installed")
        return 1 if options.peers_required else 77
    tools = [tool for tool in options.tools if shutil.which(PROGRAMS.get(tool, "gs"))]
    if options.check:
        tools = [tool for tool in tools if tool.startswith("opispool")]
    with tempfile.TemporaryDirectory(prefix="opispool-compare-") as scratch:
        rows = rows_of(sheet.Bench(options.opispool, scratch), tools)
    if options.into:
        put_into(options.into, rows)
    elif options.check:
        found = stale(options.check, rows)
        print("".join(f"{text}\n" for text in found) + f"{len(rows)} rows, {len(found)} complaints")
        return 1 if found else 0
    else:
        print(markdown(rows, tools), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
