#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""golden.py NAME OPISPOOL: `opispool plan` of NAME.ps against NAME.plan and NAME.problems; where NAME.rules holds options,
`opispool explain` with them against NAME.explain. See README.md."""
import difflib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "pixel"))
import tiff_file  # noqa: E402  (the folder beside this one)

import numpy  # noqa: E402

EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 10 20 90 80
%%EndComments
0.5 setgray 10 20 80 60 rectfill
%%EOF
"""


def ramp(channels, bits=8):
    """12 x 10 pixels; the bytes of the files are part of the plans, so nothing here may depend on a library's choices."""
    values = numpy.arange(12 * 10 * channels).reshape(10, 12, channels)
    return (values % (1 << bits)).astype(numpy.uint16 if bits == 16 else numpy.uint8)


def make_store(folder, rules):
    files = {
        "rgb.tif": tiff_file.tiff_bytes(ramp(3)),
        "strips.tif": tiff_file.tiff_bytes(ramp(4), rows=4, compression=tiff_file.LZW, photometric=tiff_file.CMYK),
        "tiles.tif": tiff_file.tiff_bytes(ramp(1), tile=(16, 16)),
        "deep.tif": tiff_file.tiff_bytes(ramp(3, 16), bits=16),
        "plain.eps": EPS,
        "one/twice.tif": tiff_file.tiff_bytes(ramp(3)),
        "two/twice.tif": tiff_file.tiff_bytes(ramp(1)),
    }
    if rules:
        layout = {351: (tiff_file.SHORT, [1]), 32781: (2, list(b"HD:one:twice.tif\0"))}
        big = numpy.repeat(numpy.repeat(ramp(3), 4, 0), 4, 1)
        files |= {"one/layouts/rgb.tif": tiff_file.tiff_bytes(ramp(3)), "one/art.eps": EPS,
                  "fpo/tagged.tif": tiff_file.tiff_bytes(ramp(3), tags=layout),
                  "small/size.tif": tiff_file.tiff_bytes(ramp(3)), "big/size.tif": tiff_file.tiff_bytes(big),
                  "one/RGB.tif": tiff_file.tiff_bytes(ramp(3)), "one/._rgb.tif": b"fork"}
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)


def read(path):
    """Text of a golden file; none, if there is no such file."""
    try:
        with open(path, encoding="utf-8") as source:
            return source.read()
    except FileNotFoundError:
        return ""


def write(path, text):
    if text:
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
    elif os.path.exists(path):
        os.remove(path)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: golden.py NAME OPISPOOL")
    name, opispool = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="opispool-golden-") as store:
        rules = [line.replace("STORE", store) for line in read(os.path.join(HERE, f"{name}.rules")).splitlines()]
        make_store(store, rules)
        command = ["explain", *rules] if rules else ["plan", "--verbose"]
        done = subprocess.run([opispool, *command, "--store", store, f"{name}.ps"], cwd=HERE,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        plan, problems = (text.decode("utf-8").replace(store, "STORE") for text in (done.stdout, done.stderr))
    if done.returncode:
        problems += f"exit {done.returncode}\n"
    failed = False
    for kind, text in (("explain" if rules else "plan", plan), ("problems", problems)):
        path = os.path.join(HERE, f"{name}.{kind}")
        if os.environ.get("UPDATE_GOLDEN"):
            write(path, text)
        wanted = read(path)
        if text != wanted:
            failed = True
            sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), text.splitlines(True), f"{name}.{kind}", "now"))
    # A case without any expectation would pass whatever happens.
    if not any(read(os.path.join(HERE, f"{name}.{kind}")) for kind in ("plan", "explain")) and not read(os.path.join(HERE, f"{name}.problems")):
        sys.exit(f"{name}: neither .plan nor .problems; UPDATE_GOLDEN=1 writes them")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
