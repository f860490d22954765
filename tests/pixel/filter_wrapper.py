# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the filters of PostScript alone make of a TIFF: its strips as they lie in the file, one `image` each, tags turned to
keys. Ghostscript has no reader of TIFF, so this stands in the comparison for what it could do."""
import io
import warnings

from PIL import TiffImagePlugin

SPACES = {0: "/DeviceGray", 1: "/DeviceGray", 2: "/DeviceRGB", 5: "/DeviceCMYK"}
CHANNELS = {"/DeviceGray": 1, "/DeviceRGB": 3, "/DeviceCMYK": 4}


class NoFilter(Exception):
    """The language has no word for it."""


def tags_of(data):
    stream = io.BytesIO(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        directory = TiffImagePlugin.ImageFileDirectory_v2(stream.read(16 if data[2:4] in (b"+\0", b"\0+") else 8))
        stream.seek(directory.next)
        directory.load(stream)
        return dict(directory)


def first(tags, number, default=None):
    value = tags.get(number, default)
    return value[0] if isinstance(value, tuple) else value


def filter_of(tags, channels, bits, columns):
    code, rest = first(tags, 259, 1), ""
    if code in (5, 8, 32946) and first(tags, 317, 1) == 2:
        rest = f"<< /Predictor 2 /Colors {channels} /BitsPerComponent {bits} /Columns {columns} >> "
    if code in (2, 3, 4):
        k = -1 if code == 4 else first(tags, 292, 0) & 1
        rest = (f"<< /K {k} /Columns {columns} /BlackIs1 true /EndOfBlock false "
                f"/EndOfLine {'true' if code == 3 else 'false'} /EncodedByteAlign {'true' if code == 2 else 'false'} >> ")
    names = {1: None, 2: "CCITTFax", 3: "CCITTFax", 4: "CCITTFax", 5: "LZW", 7: "DCT", 8: "Flate", 32946: "Flate", 32773: "RunLength"}
    if code not in names:
        raise NoFilter(f"no filter for compression {code}")
    if code == 7 and first(tags, 262) == 2:
        rest = "<< /ColorTransform 0 >> "
    return f"{rest}/{names[code]}Decode filter" if names[code] else "", 3 if "Flate" in str(names[code]) else 2


def space_of(tags, bits):
    photometric, channels = first(tags, 262), first(tags, 277, 1)
    if photometric == 3:
        table = bytes(value >> 8 for value in tags[320])
        count = 1 << bits
        colours = "".join(table[i::count].hex() for i in range(count))
        return f"[/Indexed /DeviceRGB {count - 1} <{colours}>]", f"[0 {count - 1}]"
    space = "/DeviceRGB" if photometric == 6 and first(tags, 259) == 7 else SPACES.get(photometric)
    if space is None:
        raise NoFilter(f"no colour space for photometric {photometric}")
    if channels != CHANNELS[space]:
        raise NoFilter(f"`image` can't skip channels: {channels} for {space[1:]}")
    return space, "[1 0]" if photometric == 0 else "[" + "0 1 " * channels + "]"


def strip_data(tags, data, at, count):
    """JPEG strips share tables that stand in a tag of their own."""
    body = data[at:at + count]
    tables = tags.get(347)
    return tables[:-2] + body[2:] if first(tags, 259) == 7 and tables else body


def wrapped(data):
    """(PostScript, language level); NoFilter where the language has nothing."""
    try:
        tags = tags_of(data)
    except Exception as reason:  # whatever PIL's reader makes of a damaged directory
        raise NoFilter(f"directory not read: {type(reason).__name__}") from reason
    if 322 in tags:
        raise NoFilter("`image` knows no tiles")
    if first(tags, 284, 1) == 2 and first(tags, 277, 1) > 1:
        raise NoFilter("`image` can't read separate planes from one stream")
    if 279 not in tags:
        raise NoFilter("no byte counts to fence the strips")
    width, height, bits = first(tags, 256), first(tags, 257), first(tags, 258, 1)
    space, decode = space_of(tags, bits)
    coding, level = filter_of(tags, first(tags, 277, 1), bits, width)
    rows = min(first(tags, 278, height), height)
    out = [f"%!PS-Adobe-3.0\n%%LanguageLevel: {level}\n{space} setcolorspace\n{width} {height} scale\n".encode("ascii")]
    for number, (at, count) in enumerate(zip(tags[273], tags[279])):
        here = min(rows, height - number * rows)
        strip = strip_data(tags, data, at, count)
        out.append((f"{{ /S currentfile {len(strip)} () /SubFileDecode filter def << /ImageType 1 /Width {width} /Height {here} "
                    f"/BitsPerComponent {bits} /Decode {decode} /ImageMatrix [{width} 0 0 {-height} 0 {height - number * rows}] "
                    f"/DataSource S {coding} >> image S flushfile }} exec\n").encode("ascii") + strip + b"\n")
    return b"".join(out) + b"showpage\n", level
