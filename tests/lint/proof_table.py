# SPDX-License-Identifier: AGPL-3.0-or-later
"""proof_table.py TREE: each test that the table in tests/README.md names must stand in its file."""
import os
import re
import sys

ROW = re.compile(r"^\| [\d, ]+ \|[^|]*\| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)


def main():
    tests = os.path.join(sys.argv[1], "tests")
    with open(os.path.join(tests, "README.md"), encoding="utf-8") as read:
        rows = ROW.findall(read.read())
    missing = 0
    for name, words in rows:
        path = os.path.join(tests, name)
        text = ""
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as read:
                text = read.read()
        if words not in text:
            missing += 1
            print(f"tests/README.md: no test '{words}' in tests/{name}")
    print(f"proof_table: {len(rows)} rows, {missing} complaints")
    return 1 if missing or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
