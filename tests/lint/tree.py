# SPDX-License-Identifier: AGPL-3.0-or-later
"""The files that the lint rules look at: what git knows, or without git every file outside of build folders."""
import os
import subprocess

SKIPPED_FOLDERS = {".git", "build", "out", "store", "__pycache__"}


def files(root):
    """Paths relative to root, sorted; deleted files are left out, new ones that git does not ignore are in."""
    try:
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=True).stdout.decode("utf-8", "surrogateescape").split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
        for folder, names, found in os.walk(root):
            names[:] = [name for name in names if name not in SKIPPED_FOLDERS]
            listed += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    return sorted({path for path in listed if path and os.path.isfile(os.path.join(root, path))})


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
