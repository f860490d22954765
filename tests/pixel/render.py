# SPDX-License-Identifier: AGPL-3.0-or-later
"""Ghostscript at a fixed resolution: PostScript in, one array per page out. Silence is part of the result."""
import glob
import os
import subprocess

import numpy
from PIL import Image

PPI = 144
SUFFIX = {"ppmraw": "ppm", "tiff32nc": "tif", "tiffsep": "tif"}


def render(path, folder, device, size_pt):
    """(pages, complaints). tiffsep pages are {plate: array}, others arrays (height, width, channels)."""
    os.makedirs(folder)
    size = f"-g{size_pt[0] * PPI // 72}x{size_pt[1] * PPI // 72}"
    command = ["gs", "-q", "-dBATCH", "-dNOPAUSE", "-dSAFER", f"-sDEVICE={device}", f"-r{PPI}", size,
               "-dFIXEDMEDIA", "-o", os.path.join(folder, "%03d." + SUFFIX[device]), path]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, check=False)
    said = done.stdout.decode("latin-1").strip()
    complaints = []
    if done.returncode or said:
        complaints.append(f"gs exit {done.returncode}: {said[:600]}")
    files = sorted(glob.glob(os.path.join(glob.escape(folder), "[0-9][0-9][0-9]." + SUFFIX[device])))
    if device == "tiffsep":
        return [plates(path) for path in files], complaints
    return [pixels(path) for path in files], complaints


def pixels(path):
    with Image.open(path) as image:
        array = numpy.asarray(image)
    return array[..., None] if array.ndim == 2 else array


def plates(composite):
    """{"Cyan": array, ...}; 255 is paper, as tiffsep writes it."""
    stem = composite[:-len(".tif")]
    found = {}
    for path in sorted(glob.glob(glob.escape(stem) + "(*).tif")):
        found[os.path.basename(path)[len(os.path.basename(stem)) + 1:-len(").tif")]] = pixels(path)
    return found
