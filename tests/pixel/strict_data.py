# SPDX-License-Identifier: AGPL-3.0-or-later
"""The data behind an `image` of a result, decoded here and counted: a RIP must find every sample, and not one run more. Knows
the form that opispool writes: /oLen [bytes of each run] (binary) or one encoded run after another, and one filter for all."""
import base64
import re
import zlib

BLOCK = re.compile(rb"(?:^|[\r\n])%%BeginData: (\d+) (Binary|ASCII) Bytes\n(\{oNext << /ImageType 1.*? exec\n)", re.DOTALL)
LENGTHS = re.compile(rb"/oLen \[([\d\s]*)\] def")
COUNT = re.compile(rb"/oCount (\d+) def")
SOURCE = re.compile(rb"/oNext \{/oRaw (.*?) def\s/oSrc oRaw(.*?) def ", re.DOTALL)
CODES = 4096


def lzw(data):
    """PLRM 3.13.3, EarlyChange 1. Ends at the end code; rubbish is an error."""
    table, width, held, bits, out, previous = [], 9, 0, 0, bytearray(), None
    for byte in data:
        held, bits = held << 8 | byte, bits + 8
        if bits < width:
            continue
        bits -= width
        code, held = held >> bits, held & (1 << bits) - 1
        if code == 256:
            table, width, previous = [bytes([i]) for i in range(256)] + [b"", b""], 9, None
            continue
        if code == 257:
            return bytes(out)
        if code > len(table) or code == len(table) and previous is None:
            raise ValueError(f"LZW code {code} of {len(table)}")
        entry = table[code] if code < len(table) else previous + previous[:1]
        out += entry
        if previous is not None and len(table) < CODES:
            table.append(previous + entry[:1])
        width = width_for(len(table))
        previous = entry
    return bytes(out)


def width_for(entries):
    return 9 if entries < 511 else 10 if entries < 1023 else 11 if entries < 2047 else 12


def run_length(data):
    out, at = bytearray(), 0
    while at < len(data):
        length = data[at]
        if length == 128:
            return bytes(out)  # the end for a RIP, whatever TIFF says
        if length < 128:
            out += data[at + 1:at + 2 + length]
            at += length + 2
        else:
            out += data[at + 1:at + 2] * (257 - length)
            at += 2
    return bytes(out)


def jpeg_complaint(data):
    """One sequential scan of 8-bit samples, begun and ended: what every Level 2 RIP reads."""
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return "JPEG data without SOI or EOI"
    at, scans, channels = 2, 0, 0
    while at < len(data) - 2:
        if data[at] != 0xFF or data[at + 1] in (0, *range(0xD0, 0xD8)):
            at += 1
            continue
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        length = int.from_bytes(data[at + 2:at + 4], "big")
        if marker in (0xC0, 0xC1):
            channels = data[at + 9]
            if data[at + 4] != 8:
                return f"JPEG samples of {data[at + 4]} bits"
        elif 0xC2 <= marker <= 0xCF and marker not in (0xC4, 0xC8):
            return f"JPEG frame {marker:02X}"
        elif marker == 0xDA:
            scans += 1
            if data[at + 4] != channels:
                return f"a JPEG scan of {data[at + 4]} channels among {channels}"
        at += 2 + length
    return "" if scans == 1 else f"{scans} JPEG scans"


def runs_of(kind, setup, data):
    """The runs behind the operator line, decoded to bytes, or an error."""
    if kind == b"Binary":
        lengths = [int(number) for number in LENGTHS.search(setup).group(1).split()]
        if sum(lengths) + 1 != len(data) or not data.endswith(b"\n"):
            raise ValueError(f"/oLen gives {sum(lengths)} bytes, {len(data) - 1} are there")
        ends = [sum(lengths[:i + 1]) for i in range(len(lengths))]
        return [data[end - length:end] for end, length in zip(ends, lengths)]
    if b"/ASCII85Decode" in setup:
        return [base64.a85decode(run, adobe=False) for run in data.split(b"~>")[:-1]]
    return [bytes.fromhex(run.decode("ascii")) for run in data.split(b">")[:-1]]


def check_block(setup, operator, kind, data):
    runs = runs_of(kind, setup, data)
    announced = int(COUNT.search(setup).group(1))
    if announced != len(runs):
        return f"/oCount {announced}, {len(runs)} runs"
    source = SOURCE.search(setup)
    name = re.search(rb"/(\w+Decode) filter", source.group(2))
    name = name.group(1) if name else b""
    if name == b"DCTDecode":
        return next(filter(None, map(jpeg_complaint, runs)), "")
    decode = {b"": bytes, b"LZWDecode": lzw, b"RunLengthDecode": run_length, b"FlateDecode": zlib.decompress}.get(name)
    if decode is None:
        return "" if name == b"CCITTFaxDecode" else f"filter {name.decode()} is not known here"
    values = {key: int(re.search(key + rb" (\d+)", operator).group(1)) for key in (b"Width", b"Height", b"BitsPerComponent")}
    channels = len(re.search(rb"/Decode \[([^\]]*)\]", operator).group(1).split()) // 2
    wanted = (values[b"Width"] * channels * values[b"BitsPerComponent"] + 7) // 8 * values[b"Height"]
    got = sum(len(decode(run)) for run in runs)
    return "" if got == wanted else f"{got} bytes of samples instead of {wanted}"


def blocks(job):
    """(match of BLOCK, begin and end of the data) of each image that opispool wrote."""
    at = 0
    while match := BLOCK.search(job, at):
        begin = match.end()
        at = max(begin + int(match.group(1)) - len(match.group(3)), begin)
        yield match, begin, at


def without_samples(job):
    """The job with blanks for the data, so that nothing is found in it; offsets stay."""
    out = bytearray(job)
    for _, begin, end in blocks(job):
        out[begin:end] = b" " * (min(end, len(job)) - begin)
    return bytes(out)


def check_data(job):
    found = []
    for match, begin, end in blocks(job):
        setup = job[max(job.rfind(b" dict begin gsave", 0, match.start()), 0):match.start()]
        try:
            complaint = check_block(setup, match.group(3), match.group(2), job[begin:end])
        except (ValueError, IndexError, AttributeError, zlib.error) as error:
            complaint = str(error)
        if complaint:
            found.append(f"byte {match.start()}: {complaint}")
    return found
