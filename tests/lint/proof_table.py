# SPDX-License-Identifier: AGPL-3.0-or-later
"""proof_table.py TREE: each test that the table in tests/README.md names must stand in its file, and no row of the list may lack."""
import os
import re
import sys

ROWS = 52
ANY_ROW = re.compile(r"^\| ([\d, ]+) \|.*\|.*\|$", re.MULTILINE)
ROW = re.compile(r"^\| [\d, ]+ \|[^|]*\| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)


def main():
    tests = os.path.join(sys.argv[1], "tests")
    with open(os.path.join(tests, "README.md"), encoding="utf-8") as read:
        text = read.read()
    rows = ROW.findall(text)
    numbers = {int(number) for cell in ANY_ROW.findall(text) for number in cell.split(",")}
    absent = sorted(set(range(1, ROWS + 1)) - numbers)
    for number in absent:
        print(f"tests/README.md: no row {number}")
    missing = len(absent)
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
