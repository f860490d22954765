#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rules of the tree, one function each: tree_rules.py RULE ROOT prints "path:line: what is wrong" and exits 1 on a hit.

A rule takes {path: text} and returns complaints, so that tree_rules_test.py can feed it trees that break it.
"""
import os
import re
import sys

import tree

SOURCE = (".cpp", ".h")
CODE = SOURCE + (".py", ".sh", ".awk", ".cmake")
# One-way includes: a module may include only what stands after its name. `opi` is open to rip_out by two headers only.
MAY_INCLUDE = {
    "base": [],
    "opi": ["base/"],
    "queues": ["base/"],
    "rip_out": ["base/", "opi/splice_plan.h", "opi/plan_cursor.h"],
    "spooler": ["rip_out/", "queues/", "opi/", "base/"],
    "samples": ["base/"],
}
# Third parties: include pattern, where it may stand. Tests and samples make and read files with the same libraries.
ONE_PLACE = [
    (r"boost/asio", ("rip_out/", "spooler/")),
    (r"boost/beast", ("spooler/http/", "spooler/cli/http_client.")),
    (r"boost/json", ("spooler/",)),
    (r"boost/program_options", ("spooler/",)),
    (r"sqlite3\.h", ("queues/sqlite_",)),
    (r"tiff(io)?\.h", ("opi/emit/",)),
    (r"(jpeglib|jerror|turbojpeg)\.h", ("opi/emit/",)),
    (r"(lcms2|libdeflate)\.h", ("opi/emit/",)),
    (r"zlib\.h", ("opi/emit/", "spooler/ipp/inflater.")),
    (r"ghostscript/|iapi\.h", ("opi/gs/",)),
    (r"cups/", ("spooler/ipp/",)),
    (r"(thread|coroutine|mutex|condition_variable|future|chrono)$", ("base/", "rip_out/", "spooler/")),
]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
MODULES = tuple(MAY_INCLUDE)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def sources(files):
    return {path: text for path, text in files.items() if path.endswith(SOURCE)}


def include_direction(files):
    found = []
    for path, text in sources(files).items():
        module = path.split("/")[0]
        if module not in MAY_INCLUDE:
            continue
        for match in INCLUDE.finditer(text):
            target = match.group(2)
            if match.group(1) != '"':
                continue
            if "/" not in target:
                found.append(f"{path}:{line_of(text, match.start())}: include \"{target}\" from the top of the tree")
                continue
            allowed = [module + "/"] + MAY_INCLUDE[module]
            if not any(target == entry or (entry.endswith("/") and target.startswith(entry)) for entry in allowed):
                found.append(f"{path}:{line_of(text, match.start())}: {module} may not include {target}")
    return found


def third_parties(files):
    found = []
    for path, text in sources(files).items():
        if not path.startswith(MODULES) or path.startswith("samples/"):
            continue
        for match in INCLUDE.finditer(text):
            for pattern, places in ONE_PLACE:
                if re.match(pattern, match.group(2)) and not path.startswith(places):
                    found.append(f"{path}:{line_of(text, match.start())}: <{match.group(2)}> belongs to {', '.join(places)}")
    return found


def machine_paths(files):
    """A path that exists on one machine only: home folders, the build's scratch folders, other people's checkouts."""
    pattern = re.compile(r"(?<![\w./>])(?<![+/] \x22)/(?:root|home/\w+|work|tmp|mnt|srv/build)(?:/[\w.-]+)+")
    found = []
    for path, text in files.items():
        if path.startswith(("tests/lint/", "tests/golden/", "tests/data/", "tests/fuzz/")) or "\0" in text:
            continue
        for match in pattern.finditer(text):
            found.append(f"{path}:{line_of(text, match.start())}: {match.group(0)} is a path of one machine")
    return found


def file_length(files):
    return [f"{path}:{text.count(chr(10))}: more than 400 lines" for path, text in files.items()
            if path.endswith(CODE) and text.count("\n") > 400]


def licence_line(files):
    found = []
    for path, text in files.items():
        head = text.split("\n", 2)[:2]
        script = bool(head) and head[0].startswith("#!")
        # awk programs and CMake lists of a folder say what they do in their first line; sources and scripts name the licence.
        if not path.endswith(SOURCE + (".py", ".sh")) or not text:
            continue
        line = head[1] if script and len(head) > 1 else head[0]
        if not re.fullmatch(r"(//|#) SPDX-License-Identifier: AGPL-3\.0-or-later", line):
            found.append(f"{path}:1: no line 'SPDX-License-Identifier: AGPL-3.0-or-later'")
    return found


def listed_in_cmake(files):
    """Every .cpp is named by a CMakeLists.txt, relative to that file's folder, and none is found by a glob."""
    found = []
    lists = {os.path.dirname(path): text for path, text in files.items() if os.path.basename(path) == "CMakeLists.txt"}
    for path, text in files.items():
        if os.path.basename(path) == "CMakeLists.txt" or path.endswith(".cmake"):
            if re.search(r"file\s*\(\s*GLOB", text):
                found.append(f"{path}:1: sources are listed, never globbed")
    named = {os.path.normpath(os.path.join(folder, word)) for folder, text in lists.items()
             for word in re.findall(r"[\w./-]+\.cpp(?![\w.])", re.sub(r"#[^\n]*", "", text))}
    found += [f"{path}:1: no CMakeLists.txt names this file" for path in sources(files)
              if path.endswith(".cpp") and path not in named]
    return found


def folder_page(files):
    """Every folder at the top, and every folder of sources in the modules, is explained by a README.md."""
    folders = {path.split("/")[0] for path in files if "/" in path and not path.startswith((".", "cmake/"))}
    return [f"{folder}:1: no README.md" for folder in sorted(folders) if f"{folder}/README.md" not in files]


def is_explained(event_id, manual):
    return re.search(rf"(?<![\w.]){re.escape(event_id)}(?![\w]|\.\w)", manual) is not None


def log_events_explained(files):
    """Each event id that a program logs is explained to operators in a manual page."""
    manual = "\n".join(text for path, text in files.items() if path.startswith("spooler/man/")).replace("\\-", "-").replace("\\&", "")
    found = []
    for path, text in files.items():
        if os.path.basename(path) != "log_events.h":
            continue
        for match in re.finditer(r'string_view\s+\w+\s*=\s*"([^"]+)"', text):
            if not is_explained(match.group(1), manual):
                found.append(f"{path}:{line_of(text, match.start())}: {match.group(1)} is not explained in spooler/man/")
    for path, text in sources(files).items():
        if path.startswith(("tests/", "base/")):
            continue
        for match in re.finditer(r'\blog_event\s*\(\s*LogLevel::\w+\s*,\s*"([^"]+)"', text):
            where = f"{path}:{line_of(text, match.start())}: {match.group(1)}"
            if path.startswith("spooler/"):
                found.append(f"{where} should be a constant of log_events.h")
            elif not is_explained(match.group(1), manual):
                found.append(f"{where} is not explained in spooler/man/")
    return found


def unfinished_work(files):
    words = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    return [f"{path}:{line_of(text, match.start())}: {match.group(0)}" for path, text in files.items()
            if path.endswith(CODE + (".md",)) and not path.startswith("tests/lint/") for match in words.finditer(text)]


RULES = {rule.__name__: rule for rule in (include_direction, third_parties, machine_paths, file_length, licence_line,
                                          listed_in_cmake, folder_page, log_events_explained, unfinished_work)}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in RULES:
        sys.exit(f"usage: tree_rules.py {{{'|'.join(RULES)}}} ROOT")
    root = sys.argv[2]
    files = {path: tree.read(root, path) for path in tree.files(root)}
    if not sources(files):
        sys.exit(f"{root}: no sources there")
    found = RULES[sys.argv[1]](files)
    print("\n".join(found) or f"{sys.argv[1]}: {len(files)} files, no complaint")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
