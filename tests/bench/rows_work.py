# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows about computing, memory and growth: P3, P4, P5, P6, P11, P12."""

import os
import shutil
import sqlite3
import struct
import subprocess

from rows_out import fill_store, plain_job, references, rip, same_as_resolve, sha256
from tools import WAIT_S, Daemon, Sink, median, ratio, require


def by_tiff2ps(sink, level, picture):
    """Seconds that `tiff2ps | nc` takes."""
    command = f'tiff2ps {level} "$1" | nc -N 127.0.0.1 {sink.port}'
    begun = os.times().elapsed
    subprocess.run(["sh", "-c", command, "sh", picture], check=True, timeout=WAIT_S, stderr=subprocess.DEVNULL)
    require(sink.job()[0] > 0, "tiff2ps sent nothing")
    return os.times().elapsed - begun


def compressed_strips(bench, row):
    peers = shutil.which("tiff2ps") and shutil.which("nc")
    if not peers:
        row.note("tiff2ps or nc is not installed")
    for form, level, faster in (("lzw", "-2", 3), ("deflate", "-3", 3), ("packbits", "-2", None), ("jpeg", "-2", 20), ("g4", "-2", None)):
        folder = bench.pictures(form, 1, bench.size(150, 2), form)
        picture = f"{folder}/store/picture-0.tif"
        size = os.path.getsize(picture)
        # Placed as often as it takes for so many bytes that the start of a program doesn't count.
        count = -(-bench.size(300, 1) * 1_000_000 // size)
        job, ranges = references(folder, count, 1), f"{folder}/ranges"
        shutil.move(bench.whole(picture), f"{folder}/range")
        with open(f"{folder}/range", encoding="utf-8") as one, open(ranges, "w", encoding="utf-8") as out:
            out.write(one.read() * count)
        walls, limits, theirs = [], [], []
        with Sink(bench) as sink, Daemon(bench, {"bench": rip("raw", sink)}, f"{folder}/store") as daemon:
            alone = bench.limit("copy", "raw", sink.port, f"{folder}/range")[0]
            sink.job()
            first = daemon.through(sink, f"{folder}/job.ps")[0]  # the picture is proved whole, once
            for _ in range(bench.rounds):
                limits.append(bench.limit("copy", "raw", sink.port, ranges)[0])
                sink.job()
                wall, _, length, _ = daemon.through(sink, job)
                walls.append(wall)
                require(0.9 * size * count < length < 1.1 * size * count + 200_000,
                        f"{form}: {length} bytes were sent of {count} times {size}")
                if peers and faster:
                    theirs.append(count * by_tiff2ps(sink, level, picture))
        row.note(f"{form} the first time {first / alone:.1f} ×")
        row.at_most(form, ratio(walls, limits), 1.25)
        if theirs:
            row.at_least(f"{form} faster than tiff2ps", ratio(theirs, walls), faster)


def decoded_pictures(bench, row):
    received = bench.path("received")
    keep = ["--file", received] if bench.smoke else []
    for form, level in (("tiles", 3), ("planes", 3), ("deep", 3), ("predictor", 2), ("deflate", 2)):
        folder = bench.pictures(form, 1, bench.size(150, 2), form)
        picture, walls, limits = f"{folder}/store/picture-0.tif", [], []
        with Sink(bench, *keep) as sink, Daemon(bench, {"bench": rip("raw", sink) + [f"level = {level}"]}, f"{folder}/store") as daemon:
            if not bench.smoke:  # the smoke run's file is for one job
                daemon.through(sink, f"{folder}/job.ps")  # the picture is proved whole, once
            for _ in range(bench.rounds):
                limits.append(bench.run(bench.program("bench_decode"), picture, "2"))
                walls.append(daemon.through(sink, f"{folder}/job.ps")[0])
        if bench.smoke:
            same_as_resolve(bench, folder, received, "--level", str(level))
        row.at_most(form, ratio(walls, limits), 1.15)


def seven_bits(bench, row):
    folder = bench.pictures("job", 1, bench.size(300, 2), "plain")
    picture = f"{folder}/store/picture-0.tif"
    megabytes = os.path.getsize(picture) / 1e6
    if not shutil.which("tiff2ps"):
        raise RuntimeError("tiff2ps is not installed")
    for encoding, level, target in (("ascii85", "-2", 3), ("hex", "-1", 6)):
        walls, theirs = [], []
        with open(os.devnull, "wb") as null:
            for _ in range(bench.rounds):
                theirs.append(bench.run("tiff2ps", level, picture, stdout=null))
                walls.append(bench.run(bench.program("opispool"), "resolve", "--store", f"{folder}/store",
                                       "--encoding", encoding, f"{folder}/job.ps", stdout=null))
        if bench.smoke:
            encoded = bench.path(encoding)
            bench.run(bench.program("opispool"), "resolve", "--store", f"{folder}/store", "--encoding", encoding,
                      "-o", encoded, f"{folder}/job.ps")
            with open(encoded, "rb") as result:
                require(max(result.read()) < 128, f"{encoding} has bytes of 8 bits")
        row.note(f"{encoding} {megabytes / median(walls):.0f} MB/s")
        row.at_least(f"{encoding} faster than tiff2ps {level}", ratio(theirs, walls), target)


TEXT = b"(A line of text of an ordinary page, number 42) show 24 700 moveto"
PLAIN = (("text LF", TEXT + b"\n", 1.3), ("text CR", TEXT + b"\r", 1.3), ("text CRLF", TEXT + b"\r\n", 1.3),
         ("hex", b"00ff7e81a5c3" * 6 + b"\n", 1.2), ("binary", bytes(range(37, 256)) * 300, 1.2))


def plain_jobs(bench, row):
    store, out = bench.folder("store"), bench.path("out.ps")
    for name, line, target in PLAIN:
        path = plain_job(bench.path("in.ps"), bench.size(1024, 2), line)
        walls, limits, scans, greps = [], [], [], []
        for _ in range(bench.rounds):
            with open(out, "wb") as to:
                limits.append(bench.run("cat", path, stdout=to))
            os.unlink(out)
            walls.append(bench.run(bench.program("opispool"), "resolve", "--store", store, "-o", out, path))
            if bench.smoke:
                require(sha256(out) == sha256(path), f"{name}: resolve changed a job without references")
            os.unlink(out)
            greps.append(bench.run("sh", "-c", "grep -c -a '^%ALD' \"$1\" || true", "sh", path))
            scans.append(bench.run(bench.program("opispool"), "scan", "--store", store, path))
        row.at_most(f"{name} of cat's time", ratio(walls, limits), target)
        row.at_least("scan of grep's speed", ratio(greps, scans), 0.8)


def sparse_picture(path, gigabytes):
    """A BigTIFF of white CMYK, all holes: strips of 64 rows of 32 KiB, their offsets counted up."""
    strip = 64 * 8192 * 4
    strips = (gigabytes << 30) // strip
    data = 4096 + strips * 16 + 4096
    tags = [(256, 4, 1, 8192), (257, 4, 1, strips * 64), (258, 3, 4, 8 | 8 << 16 | 8 << 32 | 8 << 48), (259, 3, 1, 1), (262, 3, 1, 5),
            (273, 16, strips, 4096), (277, 3, 1, 4), (278, 4, 1, 64), (279, 16, strips, 4096 + strips * 8)]
    with open(path, "wb") as out:
        out.write(b"II" + struct.pack("<HHHQQ", 43, 8, 0, 16, len(tags)))
        out.write(b"".join(struct.pack("<HHQQ", *tag) for tag in tags) + bytes(8))
        out.seek(4096)
        out.write(struct.pack(f"<{strips}Q", *(data + i * strip for i in range(strips))) + struct.pack("<Q", strip) * strips)
        out.truncate(data + strips * strip)
    return strips * 64


def memory_of(bench, job, store, jobs):
    """(resident, anonymous) peak MiB of a fresh daemon with so many jobs at once."""
    with Sink(bench) as sink, Daemon(bench, {f"bench{i}": rip("raw", sink) for i in range(jobs)}, store) as daemon:
        submits = [daemon.submit(job, f"bench{i}") for i in range(jobs)]
        require(all(submit.wait(timeout=WAIT_S) == 0 for submit in submits), "submit failed")
        for _ in range(jobs):
            require(sink.job()[0] >= os.path.getsize(job), "the RIP got too little")
        return daemon.peak_kib["VmHWM"] / 1024, daemon.peak_kib["RssAnon"] / 1024


def memory(bench, row):
    folder = bench.pictures("job", 1, bench.size(30, 1), "plain")
    eight = memory_of(bench, f"{folder}/job.ps", f"{folder}/store", 8)
    row.note(f"8 jobs of 30 MB: {eight[0]:.0f} MiB resident, {eight[1]:.0f} anonymous")
    peaks = {"30 MB": memory_of(bench, f"{folder}/job.ps", f"{folder}/store", 1)}
    folder = bench.pictures("big", 1, bench.size(3000, 4), "plain")
    peaks["3 GB"] = memory_of(bench, f"{folder}/job.ps", f"{folder}/store", 1)
    os.unlink(f"{folder}/store/picture-0.tif")
    height = sparse_picture(f"{folder}/store/picture-0.tif", bench.size(64, 1))
    with open(f"{folder}/job.ps", encoding="ascii") as job:
        text = job.read()
    old = text.split("%ALDImageDimensions: ")[1].splitlines()[0]
    with open(f"{folder}/job.ps", "w", encoding="ascii") as job:
        job.write(text.replace(old, f"8192 {height}"))
    peaks["sparse 64 GB"] = memory_of(bench, f"{folder}/job.ps", f"{folder}/store", 1)
    for name, megabytes in (("job of 1 MB", 1), ("job of 4 GiB", bench.size(4096, 3))):
        path = plain_job(bench.path("plain.ps"), megabytes)
        peaks[name] = memory_of(bench, path, f"{folder}/store", 1)
    row.note(", ".join(f"{name} {resident:.0f}/{anonymous:.0f}" for name, (resident, anonymous) in peaks.items()))
    row.at_most("resident", max(eight[0], *(peak[0] for peak in peaks.values())), 96, "MiB")
    row.at_most("anonymous", max(eight[1], *(peak[1] for peak in peaks.values())), 48, "MiB")
    for what, names in (("pictures", ("30 MB", "3 GB", "sparse 64 GB")), ("jobs", ("job of 1 MB", "job of 4 GiB"))):
        resident = [peaks[name][0] for name in names]
        row.at_most(f"spread over {what}", max(resident) - min(resident), 4, "MiB")


def time_per_reference(bench, row):
    folder = bench.pictures("job", 10, 1, "plain")
    counts = [10, bench.size(1000, 20), bench.size(10_000, 40)]
    jobs = [references(folder, count, 10) for count in counts]
    command = [bench.program("opispool"), "scan", "--store", f"{folder}/store"]
    walls = {count: [] for count in counts}
    for _ in range(bench.rounds):
        for count, job in zip(counts, jobs):
            walls[count].append(bench.run(*command, job))
    few, some, many = (median(walls[count]) for count in counts)
    # Differences, so that the start of the program, the same for all, hides nothing.
    growth = (many - some) / (counts[2] - counts[1]) / max(1e-9, (some - few) / (counts[1] - counts[0]))
    row.note(f"{(many - some) / (counts[2] - counts[1]) * 1e6:.0f} µs a reference")
    row.at_most("reference 10,000 of reference 1,000", growth, 1.5)


def store_index(bench, row):
    folder = bench.pictures("big-store", 1, 1, "plain")
    sizes = [bench.size(size, size // 1000) for size in (1000, 100_000, 1_000_000)]
    walls, peaks, done = [], [], 1
    for size in sizes:
        fill_store(f"{folder}/store", done, size)
        done = size
        found = []
        for _ in range(min(bench.rounds, 3)):
            found.append(bench.run(bench.program("opispool"), "scan", "--store", f"{folder}/store", f"{folder}/job.ps"))
        walls.append(median(found))
        process = subprocess.Popen([bench.program("opispool"), "scan", "--store", f"{folder}/store", f"{folder}/job.ps"],
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        require(process.returncode == 0, "scan failed")
        peaks.append(usage.ru_maxrss * 1024)
    row.note(f"index of {sizes[2]:,} files {walls[2]:.1f} s")
    row.at_most("growth of its time beyond that of the files", walls[2] / walls[1] / (sizes[2] / sizes[1]), 1.5)
    row.at_most("memory of a file", (peaks[2] - peaks[0]) / (sizes[2] - sizes[0]), 200, "bytes")


def start_with_history(bench, row):
    folder = bench.pictures("history", 1, 1, "plain")
    with Sink(bench) as sink:
        queues = {"bench": rip("raw", sink)}
        with Daemon(bench, queues, f"{folder}/store") as daemon:
            daemon.through(sink, f"{folder}/job.ps")
        spool, old = daemon.spool, bench.path("spool-old")
        shutil.copytree(spool, old)
        (name,) = [entry for entry in os.listdir(old) if entry.endswith((".db", ".sqlite", ".sqlite3"))]
        with sqlite3.connect(f"{old}/{name}") as database:
            columns = [column[1] for column in database.execute("PRAGMA table_info(job)") if column[1] != "id"]
            words = ", ".join(columns)
            changed = ", ".join("''" if column == "spool_file" else "'completed'" if column == "state" else column for column in columns)
            database.execute(f"INSERT INTO job ({words}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                             f"SELECT {changed} FROM n, (SELECT * FROM job LIMIT 1)", (bench.size(100_000, 100),))
        database.close()
        starts = {spool: [], old: []}
        for _ in range(bench.rounds):
            for path, found in starts.items():
                with Daemon(bench, queues, f"{folder}/store", path) as daemon:
                    found.append(daemon.start_s)
    row.note(f"start {median(starts[old]) * 1000:.0f} ms")
    row.at_most("start with 100,000 finished jobs", ratio(starts[old], starts[spool]), 2)


def growth(bench, row):
    time_per_reference(bench, row)
    store_index(bench, row)
    start_with_history(bench, row)
