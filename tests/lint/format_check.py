#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""format_check.py CLANG_FORMAT ROOT: every source is as .clang-format wants it.   format_check.py CLANG_FORMAT --self-test"""
import os
import subprocess
import sys

import tree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def self_test(program):
    """A source in another style must be seen, one in this style must not."""
    style = "--style=file:" + os.path.join(ROOT, ".clang-format")
    for text, wanted in (("int  f( ){return 1;}\n", 1), ("int f();\n", 0)):
        ended = subprocess.run([program, "--dry-run", "-Werror", style, "--assume-filename=a.cpp"], input=text.encode(),
                               capture_output=True, check=False)
        if ended.returncode != wanted:
            sys.exit(f"{text!r}: exit {ended.returncode}, not {wanted}: {ended.stderr.decode()}")
    print("self-test: style told apart")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, root = sys.argv[1:]
    if root == "--self-test":
        return self_test(program)
    paths = [path for path in tree.files(root) if path.endswith((".cpp", ".h"))]
    ended = subprocess.run([program, "--dry-run", "-Werror", "--style=file", "--ferror-limit=1", *paths], cwd=root, check=False)
    print(f"clang-format: {len(paths)} files")
    sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
