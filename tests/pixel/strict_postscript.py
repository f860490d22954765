# SPDX-License-Identifier: AGPL-3.0-or-later
"""The rules that a RIP keeps and Ghostscript forgives, checked without an interpreter: counts, nesting, limits, language level,
filter parameters. PLRM: Red Book, third edition; DSC: Document Structuring Conventions 3.0."""
import re

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
COUNTED = re.compile(rb"%%Begin(Data|Binary):[ \t]*(\d+)[ \t]*(?:\w+[ \t]*(Bytes|Lines)?)?[ \t]*$")
# DSC 4.4: what opens and must close, in order.
PAIRS = {"Document", "Object", "Data", "Binary", "Prolog", "Setup", "PageSetup", "Resource", "ProcSet", "Font", "Feature",
         "Preview", "Defaults", "OPI", "IncludedImage", "Emulation", "File"}
BRACKET = re.compile(r"%%(Begin|End)(\w+):?")
# PLRM appendix B: sizes that every Level 2 interpreter can hold.
MAX_ARRAY = MAX_STRING = 65535
MAX_NAME, MAX_LINE = 127, 255
LEVEL_3_FILTERS = {"FlateDecode", "FlateEncode", "ReusableStreamDecode"}
LEVEL_3_SPACES = {"DeviceN", "ICCBased"}
LEVEL_3_OPERATORS = {"shfill", "clipsave", "cliprestore", "composefont", "findcolorrendering", "setsmoothness", "currentsmoothness",
                     "settrapparams", "currenttrapparams", "settrapzone", "setusecie", "GetHalftoneName", "GetPageDeviceName"}
PREDICTOR_KEYS = {"Predictor", "Columns", "Colors", "BitsPerComponent"}
# Table 3.14 and following; the keys of a decoder.
FILTER_KEYS = {"LZWDecode": {"EarlyChange"}, "FlateDecode": set(), "RunLengthDecode": set(), "ASCII85Decode": set(),
               "ASCIIHexDecode": set(), "SubFileDecode": set(), "DCTDecode": {"ColorTransform"},
               "CCITTFaxDecode": {"K", "EndOfLine", "EncodedByteAlign", "Columns", "Rows", "EndOfBlock", "BlackIs1",
                                  "DamagedRowsBeforeError"}}
TOKEN = re.compile(rb"%[^\r\n]*|<<|>>|<[0-9A-Fa-f\s]*>|//?[^\s()<>\[\]{}/%]*|[\[\]{}]|[^\s()<>\[\]{}/%]+|\(")


class Complaints(list):
    def add(self, at, text):
        self.append(f"byte {at}: {text}")


# ---- the document's structure

def comment_lines(job, found):
    """(offset, text) of every comment line outside counted data."""
    at = 0
    while at < len(job):
        line = LINE.match(job, at)
        text, begin, at = line.group(0).rstrip(b"\r\n"), at, line.end()
        if text.startswith((b"%%", b"%!")):
            yield begin, text.decode("latin-1")
        counted = COUNTED.match(text)
        if not counted:
            continue
        end = behind_data(job, at, int(counted.group(2)), counted.group(3))
        mark = b"%%End" + counted.group(1)
        if end is None or not re.compile(rb"(?:\r\n|\r|\n)?" + mark + rb"(?=[\r\n]|$)").match(job, end):
            found.add(begin, f"{text.decode('latin-1')} does not lead to {mark.decode()}")
        else:
            at = end


def behind_data(job, at, count, unit):
    if unit != b"Lines":
        return at + count if at + count <= len(job) else None
    for _ in range(count):
        at = LINE.match(job, at).end()
    return at


def check_structure(job):
    """Counts lead to their ends, pairs nest, the pages are as many as announced."""
    found, stack, pages, announced = Complaints(), [], 0, None
    for at, text in comment_lines(job, found):
        bracket = BRACKET.match(text)
        if bracket and bracket.group(2) in PAIRS:
            if bracket.group(1) == "Begin":
                stack.append(bracket.group(2))
            elif stack and stack[-1] == bracket.group(2):
                stack.pop()
            else:
                found.add(at, f"{text} closes nothing; open: {stack}")
        if "Document" in stack:
            continue
        pages += text.startswith("%%Page:")
        if match := re.match(r"%%Pages:\s*(\d+)", text):
            announced = int(match.group(1))
    if stack:
        found.add(len(job), f"left open: {stack}")
    if announced not in (None, pages):
        found.add(0, f"%%Pages: {announced}, but {pages} pages")
    return found


# ---- the program between the data

def program(text):
    """(offset, token); strings as (offset, bytes)."""
    at = 0
    while match := TOKEN.search(text, at):
        begin, at = match.start(), match.end()
        token = match.group(0)
        if token == b"(":
            at = end_of_string(text, begin)
            yield begin, text[begin:at]
        elif not token.startswith(b"%"):
            yield begin, token


def end_of_string(text, at):
    depth = 0
    while at < len(text):
        if text[at] == 0x5C:
            at += 1
        elif text[at] == 0x28:
            depth += 1
        elif text[at] == 0x29:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


CLOSES = {b"]": b"[", b"}": b"{", b">>": b"<<"}


def check_program(text, level):
    """Tokens one by one: brackets, sizes, numbers, words of a higher level; then the dictionaries of images and filters."""
    found, open_, tokens = Complaints(), [], list(program(text))
    for at, token in tokens:
        if token in CLOSES.values():
            open_.append([token, 0])
        elif token in CLOSES:
            if not open_ or open_[-1][0] != CLOSES[token]:
                found.add(at, f"{token.decode()} closes nothing")
                continue
            if open_.pop()[1] > MAX_ARRAY:
                found.add(at, f"more than {MAX_ARRAY} elements")
        elif open_:
            open_[-1][1] += 1
        check_token(at, token, level, found)
    if open_:
        found.add(len(text), f"left open: {[kind.decode() for kind, _ in open_]}")
    check_dictionaries(tokens, level, found)
    return found


def check_token(at, token, level, found):
    if token.startswith(b"(") and len(token) > MAX_STRING + 2 or token.startswith(b"<") and len(token) > 2 * MAX_STRING + 2:
        found.add(at, f"a string of more than {MAX_STRING} bytes")
    if re.fullmatch(rb"[+-]?\d+", token) and not -2 ** 31 <= int(token) < 2 ** 31:
        found.add(at, f"{token.decode()} does not fit 32 bits")
    if token.startswith(b"/") and len(token) > MAX_NAME + 1:
        found.add(at, f"a name of {len(token) - 1} bytes")
    if re.fullmatch(rb"[+-]?(?:nan|inf).*", token, re.IGNORECASE) or re.fullmatch(rb"[+-]?[\d.]+,\d*", token):
        found.add(at, f"{token.decode()} is no number")
    word = token.lstrip(b"/").decode("latin-1")
    if level < 3 and word in LEVEL_3_FILTERS | LEVEL_3_SPACES | LEVEL_3_OPERATORS:
        found.add(at, f"{word} is Level 3")


def dictionaries(tokens):
    """(offset, {key: tokens of the value}, the tokens that follow) of each << >>, innermost first."""
    starts = []
    for i, (at, token) in enumerate(tokens):
        if token == b"<<":
            starts.append((at, i))
        elif token == b">>" and starts:
            begin, first = starts.pop()
            yield begin, entries([token for _, token in tokens[first + 1:i]]), [token for _, token in tokens[i + 1:i + 4]]


def entries(tokens):
    """{key: tokens of the value}. No value here is a name, but it may be code that chooses one."""
    out, depth, key = {}, 0, None
    for token in tokens:
        if depth == 0 and token.startswith(b"/"):
            key = token[1:].decode("latin-1")
            out[key] = []
            continue
        depth += token in CLOSES.values()
        depth -= token in CLOSES
        if key is not None:
            out[key].append(token)
    return out


def check_dictionaries(tokens, level, found):
    for at, entry, behind in dictionaries(tokens):
        name = behind[0].lstrip(b"/").decode("latin-1") if behind and behind[0].startswith(b"/") else ""
        if name in FILTER_KEYS:
            check_filter(at, name, entry, level, found)
        elif "ImageType" in entry:
            check_image(at, entry, level, found)


def check_filter(at, name, entry, level, found):
    allowed = FILTER_KEYS[name]
    # A Level 2 interpreter may ignore Predictor and print noise.
    if level >= 3 and name in ("LZWDecode", "FlateDecode"):
        allowed = allowed | PREDICTOR_KEYS
    for key in sorted(set(entry) - allowed):
        found.add(at, f"/{key} is no key of {name} at Level {level}")


def check_image(at, entry, level, found):
    if entry["ImageType"] != [b"1"] and level < 3:
        found.add(at, f"ImageType {entry['ImageType']} at Level {level}")
    if entry.get("BitsPerComponent") not in ([b"1"], [b"2"], [b"4"], [b"8"]):
        found.add(at, f"BitsPerComponent {entry.get('BitsPerComponent')}")
    for key in ("Width", "Height"):
        if not re.fullmatch(rb"[1-9]\d*", b"".join(entry.get(key, []))):
            found.add(at, f"{key} {entry.get(key)}")
    if len(entry.get("ImageMatrix", [])) != 8:
        found.add(at, "ImageMatrix has not six numbers")
    if len(entry.get("Decode", [])) % 2 or len(entry.get("Decode", [])) < 4:
        found.add(at, f"Decode {entry.get('Decode')}")
    if "DataSource" not in entry:
        found.add(at, "an image without its data")
