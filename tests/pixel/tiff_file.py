# SPDX-License-Identifier: AGPL-3.0-or-later
"""Writes TIFF files byte by byte (TIFF 6.0, BigTIFF), so that every layout and every damage can be made on purpose."""
import struct
import zlib

import numpy

NONE, G3, G4, LZW, JPEG, ZIP, OLD_ZIP, PACKBITS = 1, 3, 4, 5, 7, 8, 32946, 32773
WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK = 0, 1, 2, 3, 5
BYTE, ASCII, SHORT, LONG, LONG8, UNDEFINED = 1, 2, 3, 4, 16, 7
SIZES = {BYTE: 1, ASCII: 1, SHORT: 2, LONG: 4, LONG8: 8, UNDEFINED: 1}
CODES = {BYTE: "B", ASCII: "B", SHORT: "H", LONG: "I", LONG8: "Q", UNDEFINED: "B"}


class BitWriter:
    def __init__(self):
        self.out, self.held, self.count = bytearray(), 0, 0

    def put(self, value, width):
        self.held = self.held << width | value
        self.count += width
        while self.count >= 8:
            self.count -= 8
            self.out.append(self.held >> self.count & 255)
        self.held &= (1 << self.count) - 1

    def finish(self):
        if self.count:
            self.put(0, 8 - self.count)
        return bytes(self.out)


def lzw(data):
    """TIFF 6.0 section 13: most significant bit first, widths grow one code early."""
    bits = BitWriter()
    first = {bytes([i]): i for i in range(256)}
    table, free, width = dict(first), 258, 9
    bits.put(256, 9)
    held = b""

    def grown():
        nonlocal table, free, width
        free += 1
        if free == 4094:
            bits.put(256, width)
            table, free, width = dict(first), 258, 9
            return
        if free in (512, 1024, 2048):
            width += 1

    for value in data:
        longer = held + bytes([value])
        if longer in table:
            held = longer
            continue
        bits.put(table[held], width)
        table[longer] = free
        grown()
        held = bytes([value])
    if held:
        bits.put(table[held], width)
        grown()
    bits.put(257, width)
    return bits.finish()


def old_lzw(data):
    """As writers before TIFF 6.0 had it: least significant bit first, widths grow when the code no longer fits."""
    first = {bytes([i]): i for i in range(256)}
    table, free, width, held = dict(first), 258, 9, b""
    bits, count, out = 256, 9, bytearray()

    def put(code):
        nonlocal bits, count
        bits |= code << count
        count += width
        while count >= 8:
            out.append(bits & 255)
            bits >>= 8
            count -= 8

    for value in data:
        longer = held + bytes([value])
        if longer in table:
            held = longer
            continue
        put(table[held])
        table[longer] = free
        free += 1
        if free > 1 << width:
            width += 1
        if free == 4095:
            put(256)
            table, free, width = dict(first), 258, 9
        held = bytes([value])
    put(table[held])
    free += 1
    if free > 1 << width and width < 12:
        width += 1
    put(257)
    return bytes(out) + bytes([bits & 255])


def packbits(data, no_ops=False):
    """Runs of three and more; with `no_ops` the byte 0x80, which says nothing in TIFF, stands before every packet."""
    out, i = bytearray(), 0

    def run_at(at):
        end = at
        while end < len(data) and end - at < 128 and data[end] == data[at]:
            end += 1
        return end - at

    while i < len(data):
        if no_ops:
            out.append(0x80)
        run = run_at(i)
        if run >= 3:
            out += bytes([257 - run, data[i]])
            i += run
            continue
        start = i
        while i < len(data) and i - start < 128 and run_at(i) < 3:
            i += 1
        out += bytes([i - start - 1]) + data[start:i]
    return bytes(out)


def packed_rows(samples, bits, order):
    """Bytes of each row, padded to a byte (TIFF 6.0 section 3)."""
    height = samples.shape[0]
    flat = samples.reshape(height, -1)
    if bits == 16:
        return [row.astype(order + "u2").tobytes() for row in flat]
    if bits == 8:
        return [row.astype(numpy.uint8).tobytes() for row in flat]
    shifts = numpy.arange(bits - 1, -1, -1)
    spread = (flat[..., None] >> shifts & 1).reshape(height, -1).astype(numpy.uint8)
    return [numpy.packbits(row).tobytes() for row in spread]


def difference(samples):
    """Predictor 2: every sample less its left neighbour of the same channel."""
    out = samples.copy()
    out[:, 1:] = samples[:, 1:] - samples[:, :-1]  # unsigned arithmetic wraps, as the specification asks
    return out


def squeeze(data_rows, compression):
    data = b"".join(data_rows)
    if compression == NONE:
        return data
    if compression == LZW:
        return lzw(data)
    if compression in (ZIP, OLD_ZIP):
        return zlib.compress(data, 6)
    if compression == PACKBITS:
        return b"".join(packbits(row) for row in data_rows)
    raise ValueError(f"compression {compression} is made by tiffcp")


def segments(samples, rows, tile):
    """The strips or tiles of one plane, tiles padded by repeating the edge."""
    height, width = samples.shape[:2]
    if not tile:
        return [samples[y:y + rows] for y in range(0, height, rows)]
    tile_width, tile_height = tile
    pad = ((0, -height % tile_height), (0, -width % tile_width), (0, 0))
    padded = numpy.pad(samples, pad, mode="edge")
    return [padded[y:y + tile_height, x:x + tile_width]
            for y in range(0, height, tile_height) for x in range(0, width, tile_width)]


class Layout:
    """How a file is written; `tags` overrides or adds {tag: (type, values)}, None leaves a tag out."""

    def __init__(self, **options):
        self.order, self.big, self.compression, self.predictor = "<", False, NONE, 1
        self.rows, self.tile, self.separate, self.bits, self.photometric = None, None, False, 8, None
        self.reverse_bits, self.ifd_first, self.backwards, self.tags, self.encode = False, False, False, {}, None
        for name, value in options.items():
            if not hasattr(self, name):
                raise TypeError(f"no option {name}")
            setattr(self, name, value)


def encoded_segments(samples, layout):
    planes = [samples[..., i:i + 1] for i in range(samples.shape[2])] if layout.separate else [samples]
    out = []
    for plane in planes:
        for part in segments(plane, layout.rows or samples.shape[0], layout.tile):
            if layout.predictor == 2:
                part = difference(part)
            rows = packed_rows(part, layout.bits, layout.order)
            data = layout.encode(rows) if layout.encode else squeeze(rows, layout.compression)
            if layout.reverse_bits:
                data = bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)
            out.append(data)
    return out


def directory(samples, layout, offsets, counts):
    height, width, channels = samples.shape
    photometric = layout.photometric
    if photometric is None:
        photometric = {1: BLACK_IS_ZERO, 2: BLACK_IS_ZERO, 3: RGB}.get(channels, CMYK)
    place = LONG8 if layout.big else LONG
    tags = {256: (LONG, [width]), 257: (LONG, [height]), 258: (SHORT, [layout.bits] * channels),
            259: (SHORT, [layout.compression]), 262: (SHORT, [photometric]), 277: (SHORT, [channels]),
            284: (SHORT, [2 if layout.separate else 1])}
    if layout.tile:
        tags |= {322: (LONG, [layout.tile[0]]), 323: (LONG, [layout.tile[1]]), 324: (place, offsets), 325: (place, counts)}
    else:
        tags |= {278: (LONG, [layout.rows or height]), 273: (place, offsets), 279: (place, counts)}
    if layout.predictor != 1:
        tags[317] = (SHORT, [layout.predictor])
    if layout.reverse_bits:
        tags[266] = (SHORT, [2])
    colours = 3 if photometric == RGB else 4 if photometric == CMYK else 1
    if channels > colours:
        tags[338] = (SHORT, [2] * (channels - colours))
    tags |= layout.tags
    return {tag: value for tag, value in tags.items() if value is not None}


def pack_directory(tags, layout, at):
    """The directory at offset `at`, its out-of-line values right behind it."""
    order, big = layout.order, layout.big
    entry_bytes, value_bytes = (20, 8) if big else (12, 4)
    head = struct.pack(order + ("Q" if big else "H"), len(tags))
    room = at + len(head) + entry_bytes * len(tags) + value_bytes
    entries, behind = b"", b""
    for tag in sorted(tags):
        kind, values = tags[tag]
        data = struct.pack(order + CODES[kind] * len(values), *values)
        entries += struct.pack(order + ("HHQ" if big else "HHI"), tag, kind, len(values))
        if len(data) <= value_bytes:
            entries += data.ljust(value_bytes, b"\0")
            continue
        entries += struct.pack(order + ("Q" if big else "I"), room + len(behind))
        behind += data + b"\0" * (len(data) % 2)
    return head + entries + b"\0" * value_bytes + behind


def tiff_bytes(samples, **options):
    layout = Layout(**options)
    parts = encoded_segments(samples, layout)
    counts = [len(part) for part in parts]
    header_bytes = 16 if layout.big else 8
    at = header_bytes
    if layout.ifd_first:
        at += len(pack_directory(directory(samples, layout, counts, counts), layout, header_bytes))
    offsets, body = [0] * len(parts), b""
    for i in reversed(range(len(parts))) if layout.backwards else range(len(parts)):
        offsets[i] = at + len(body)
        body += parts[i] + b"\0" * (len(parts[i]) % 2)
    first = header_bytes if layout.ifd_first else at + len(body)
    table = pack_directory(directory(samples, layout, offsets, counts), layout, first)
    mark = b"II" if layout.order == "<" else b"MM"
    if layout.big:
        head = mark + struct.pack(layout.order + "HHHQ", 43, 8, 0, first)
    else:
        head = mark + struct.pack(layout.order + "HI", 42, first)
    return head + (table + body if layout.ifd_first else body + table)


def write_tiff(path, samples, **options):
    with open(path, "wb") as out:
        out.write(tiff_bytes(samples, **options))
