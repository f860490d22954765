# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a press-ready job must hold apart from its pixels."""
import re

import strict_data
import strict_postscript

BEGIN_DATA = re.compile(rb"(?:^|[\r\n])%%BeginData:[ \t]*(\d+)[^\r\n]*(\r\n|\r|\n)")
LEVEL_3 = re.compile(rb"FlateDecode|ReusableStreamDecode|/ImageType[ \t]+[34]|DeviceN|/Reusable|LowBitFirst|UnitLength")


def without_data(job):
    """(program text, complaints): counted data taken out, every count proved."""
    text, complaints, at = [], [], 0
    while match := BEGIN_DATA.search(job, at):
        text.append(job[at:match.end()])
        count = int(match.group(1))
        at = match.end() + count
        if not re.match(rb"(?:\r\n|\r|\n)?%%EndData(?:[\r\n]|$)", job[at:at + 20]):
            complaints.append(f"%%BeginData count {count} at byte {match.start()} does not lead to %%EndData")
            at = match.end()
            continue
        # The operator line belongs to the program, what follows it is the picture.
        text.append(job[match.end():at].split(b"exec\n", 1)[0])
    text.append(job[at:])
    return b"".join(text), complaints


def kept_bytes(job, runs):
    """(inserted pieces, complaints): the runs must come in order, the first at the start and the last at the end, with nothing
    of them changed."""
    searched = strict_data.without_samples(job)
    at, inserted = 0, []
    for i, run in enumerate(runs):
        found = searched.find(run, at) if i + 1 < len(runs) else len(job) - len(run)
        if i == 0 and found != 0 or found < at or not searched.startswith(run, found):
            return inserted, [f"bytes outside the replaced ranges were changed: piece {i}, beginning {run[:60]!r}"]
        if found > at:
            inserted.append(job[at:found])
        at = found + len(run)
    return inserted, []


# Around an EPS stands somebody else's code, which a wrapper of ours brackets: its pixels and its rubbish are judged, not its words.
EPS_WRAPPER = b"opispool.eps"


def check_inserted(piece, level):
    if EPS_WRAPPER in piece:
        return []
    text, _ = without_data(piece)
    return strict_postscript.check_program(text, level) + strict_data.check_data(piece)


def check_output(job, runs, level=3, ascii_only=False):
    text, complaints = without_data(job)
    inserted, changed = kept_bytes(job, runs)
    complaints += changed + strict_postscript.check_structure(job)
    for piece in inserted:
        complaints += [f"in {piece[:40]!r}...: {text}" for text in check_inserted(piece, level)]
    if re.search(rb"BitsPerComponent[ \t]+16\b", text):
        complaints.append("BitsPerComponent 16 is a rangecheck on a RIP")
    if level == 2 and (match := LEVEL_3.search(text)):
        complaints.append(f"Level 3 word {match.group(0).decode()} under --level 2")
    if ascii_only and (odd := re.search(rb"[^\t\r\n -~]", job)):
        complaints.append(f"byte {odd.group(0)[0]} at {odd.start()} in a 7-bit job")
    if match := re.search(rb"%ALDImage\w+:|%%BeginOPI|%%EndOPI|%%BeginIncludedImage", text):
        complaints.append(f"{match.group(0).decode('latin-1')} was left for the next OPI server")
    return complaints
