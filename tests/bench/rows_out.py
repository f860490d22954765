# SPDX-License-Identifier: AGPL-3.0-or-later
"""Rows about sending: P1, P2, P7, P8, P9, P10."""

import hashlib
import os
import shutil
import subprocess
import time

from tools import WAIT_S, Daemon, Sink, free_port, median, ratio, require

METHODS = ("copy", "sendfile", "map", "zerocopy")


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def rip(framing, sink):
    if framing == "raw":
        return [f"rip = socket://127.0.0.1:{sink.port}"]
    return [f"rip = lpd://127.0.0.1:{sink.port}/q", "lpd_reserved_port = no"]


def same_as_resolve(bench, folder, received, *options):
    """The RIP got the very bytes that `opispool resolve` writes."""
    resolved = bench.path("resolved")
    bench.run(bench.program("opispool"), "resolve", "--store", f"{folder}/store", *options, "-o", resolved, f"{folder}/job.ps")
    require(sha256(received) == sha256(resolved), "the RIP got other bytes than opispool resolve writes")


def composed(bench, row, framing):
    """A thin job of four pictures through the daemon, beside each method of sending the same ranges."""
    folder = bench.pictures("job", 4, bench.size(300, 2), "plain")
    ranges = bench.ranges(folder)
    received = bench.path("received")
    options = (["--lpd"] if framing == "lpd" else []) + (["--file", received] if bench.smoke else [])
    walls, cpus = {way: [] for way in (*METHODS, "daemon")}, {way: [] for way in (*METHODS, "daemon")}
    with Sink(bench, *options) as sink, Daemon(bench, {"bench": rip(framing, sink)}, f"{folder}/store") as daemon:
        for _ in range(bench.rounds):
            for way in METHODS:
                wall, cpu = bench.limit(way, framing, sink.port, ranges)
                length = sink.job()[0]
                walls[way].append(wall)
                cpus[way].append(cpu)
            wall, cpu, sent, _ = daemon.through(sink, f"{folder}/job.ps")
            walls["daemon"].append(wall)
            cpus["daemon"].append(cpu)
            require(sent == length, f"the RIP got {sent} bytes of {length}")
        fat = sum(entry.stat().st_size for entry in os.scandir(f"{daemon.spool}/jobs"))
        require(fat <= (os.path.getsize(f"{folder}/job.ps") + 4096) * bench.rounds, f"{fat} bytes are in the spool")
    if bench.smoke:
        same_as_resolve(bench, folder, received)
    best = min(METHODS, key=lambda way: median(walls[way]))
    speeds = ", ".join(f"{way} {length / 1e6 / median(walls[way]):.0f}" for way in walls)
    row.note(f"{length / 1e6:.0f} MB, MB/s: {speeds}")
    row.at_most(f"wall of {best}", ratio(walls["daemon"], walls[best]), 1.1)
    if framing == "raw":
        row.at_most("CPU", ratio(cpus["daemon"], cpus[best]), 1.3)


def composed_to_socket(bench, row):
    composed(bench, row, "raw")


def composed_to_lpd(bench, row):
    composed(bench, row, "lpd")


def references(folder, count, files):
    """A thin job of `count` references to picture-0.tif, picture-1.tif … of `files`."""
    with open(f"{folder}/job.ps", encoding="ascii") as job:
        text = job.read()
    begin, end = text.index("gsave\n%ALD"), text.index("grestore\n") + len("grestore\n")
    block, tail = text[begin:end], text[text.index("/Times-Roman"):]
    path = f"{folder}/job-{count}.ps"
    with open(path, "w", encoding="ascii") as job:
        job.write(text[:begin])
        for i in range(count):
            job.write(block.replace("picture-0.tif", f"picture-{i % files}.tif"))
        job.write(tail)
    return path


def fill_store(store, first, end):
    """Files number `first` to `end` of a store: links, with a new inode now and then, as file systems limit links."""
    for i in range(first, end):
        if i % 1000 == 0 or i == first:
            folder = f"{store}/folder-{i // 1000}"
            os.makedirs(folder, exist_ok=True)
        if i % 30000 == 0 or i == first:
            seed = f"{folder}/seed-{i}"
            with open(seed, "wb") as out:
                out.write(b"II*\0")
        os.link(seed, f"{folder}/other-{i}.tif")


def first_byte(bench, row):
    count = bench.size(500, 5)
    folder = bench.pictures("job", count, 1, "plain")
    job = references(folder, count, count)
    fill_store(f"{folder}/store", count, bench.size(100_000, 100))
    with open(f"{folder}/headers", "w", encoding="utf-8") as out:
        out.writelines(f"0 4096 {folder}/store/picture-{i}.tif\n" for i in range(count))
    walls, limits = [], []
    with Sink(bench) as sink, Daemon(bench, {"bench": rip("raw", sink)}, f"{folder}/store") as daemon:
        daemon.through(sink, job)  # the index is warm from here on
        for _ in range(bench.rounds):
            limits.append(bench.limit("headers", "raw", 1, f"{folder}/headers")[0])
            _, _, length, first = daemon.through(sink, job)
            walls.append(first)
            require(length > count * 900_000, f"the RIP got {length} bytes")
    row.note(f"{median(walls) * 1000:.0f} ms, headers alone {median(limits) * 1000:.1f} ms")
    row.at_most("first byte", ratio(walls, limits), 3)


def plain_job(path, megabytes, line=b"(A line of text of an ordinary page) show 24 700 moveto 0.5 setgray\n"):
    """PostScript without OPI, of so many MiB."""
    block = (line * (1 + (1 << 20) // len(line)))[: 1 << 20]
    with open(path, "wb") as out:
        out.write(b"%!PS-Adobe-3.0\n%%EndComments\n")
        for _ in range(megabytes):
            out.write(block)
        out.write(b"\nshowpage\n%%EOF\n")
    return path


def plain_through(bench, row):
    path = plain_job(bench.path("plain.ps"), bench.size(1024, 2))
    ranges, megabytes = bench.whole(path), os.path.getsize(path) / 1e6
    bench.run("cat", path)
    kept = bench.path("received")
    intakes, limits, ends, firsts = [], [], [], []
    with Sink(bench, *(["--file", kept] if bench.smoke else [])) as out, \
            Sink(bench, "--lpd", "--sync", "--file", bench.path("durable")) as durable:
        for _ in range(bench.rounds):
            limits.append(bench.limit("copy", "lpd", durable.port, ranges)[0])
            durable.job()
            os.unlink(bench.path("durable"))
            with Daemon(bench, {"bench": rip("raw", out)}, bench.folder("store")) as daemon:
                begun = time.monotonic()
                intakes.append(bench.limit("copy", "lpd", daemon.lpd, ranges)[0])
                length, first, _, closed = out.job()
            ends.append(closed - begun)
            firsts.append(first - begun)
            require(length == os.path.getsize(path), f"the RIP got {length} bytes")
    if bench.smoke:
        require(sha256(kept) == sha256(path), "the RIP got other bytes than the client sent")
    row.note(f"MB/s: intake {megabytes / median(intakes):.0f}, counting LPD receiver with fsync {megabytes / median(limits):.0f}")
    row.note(f"first byte {median(firsts):.2f} s, last {median(ends):.2f} s")
    peers = [name for name, program in (("LPRng", "lpd"), ("CUPS", "cups-lpd")) if shutil.which(program)]
    row.note(f"{' and '.join(peers)} installed but set up by hand" if peers else "LPRng and cups-lpd are not installed")
    row.at_least("intake of the receiver's speed", ratio(limits, intakes), 0.8)


def paged_job(path, megabytes):
    """PostScript without OPI of one page for each MiB."""
    line = b"(A line of text of an ordinary page) show 24 700 moveto 0.5 setgray\n"
    block = line * ((1 << 20) // len(line))
    with open(path, "wb") as out:
        out.write(b"%!PS-Adobe-3.0\n%%EndComments\n")
        for page in range(1, megabytes + 1):
            out.write(b"%%%%Page: %d %d\n%sshowpage\n" % (page, page, block))
        out.write(b"%%Trailer\n%%EOF\n")
    return path


def early_start(bench, row):
    """Plain jobs by AppSocket through a queue that sends while they arrive, beside a relay without a spool."""
    jobs = {size: bench.whole(paged_job(bench.path(f"paged-{size}.ps"), size)) for size in (bench.size(100, 2), bench.size(1024, 3))}
    door = free_port()
    received = bench.path("received")
    with Sink(bench, *(["--file", received] if bench.smoke else [])) as out, Sink(bench, "--relay", out.port) as relay:
        lines = [*rip("raw", out), f"socket_port = 127.0.0.1:{door}", "early_start = yes"]
        for size, ranges in jobs.items():
            path = bench.path(f"paged-{size}.ps")
            bench.run("cat", path)
            firsts, ends, limits = [], [], []
            for _ in range(bench.rounds):
                begun = time.monotonic()
                bench.limit("copy", "raw", relay.port, ranges)
                limits.append(out.job()[3] - begun)
                relay.job()
                with Daemon(bench, {"bench": lines}, bench.folder("store")):
                    begun = time.monotonic()
                    bench.limit("copy", "raw", door, ranges)
                    length, first, _, closed = out.job()
                    require(length == os.path.getsize(path), f"the RIP got {length} bytes")
                    if bench.smoke:
                        require(sha256(received) == sha256(path), "the RIP got other bytes than the client sent")
                firsts.append(first - begun)
                ends.append(closed - begun)
            row.at_most(f"{size} MiB: first byte", median(firsts) * 1000, 100, "ms")
            row.at_most("end of the relay's", ratio(ends, limits), 1.3)


def aggregate(bench, row, clients, megabytes):
    """`clients` thin jobs at once to four RIPs, beside as many plain connections."""
    folder = bench.pictures(f"job-{clients}", 1, megabytes, "plain")
    ranges = bench.ranges(folder)
    walls, limits, slowest = [], [], []
    with Sink(bench) as plain, Sink(bench) as sink, \
            Daemon(bench, {f"bench{i}": rip("raw", sink) for i in range(4)}, f"{folder}/store") as daemon:
        for _ in range(bench.rounds):
            begun = time.monotonic()
            subprocess.run([bench.program("bench_limit"), "copy", "raw", str(plain.port), ranges, str(clients)],
                           check=True, stdout=subprocess.DEVNULL, timeout=WAIT_S)
            limits.append(max(plain.job()[3] for _ in range(clients)) - begun)
            begun = time.monotonic()
            submits = [daemon.submit(f"{folder}/job.ps", f"bench{i % 4}") for i in range(clients)]
            jobs = [sink.job() for _ in range(clients)]
            require(all(submit.wait(timeout=WAIT_S) == 0 for submit in submits), "submit failed")
            require(len({job[0] for job in jobs}) == 1 and jobs[0][0] > megabytes * 900_000, "the RIPs got unequal jobs")
            walls.append(max(job[3] for job in jobs) - begun)
            times = [job[3] - job[1] for job in jobs]
            slowest.append(max(times) / median(times))
    row.at_least(f"{clients} clients: aggregate", ratio(limits, walls), 0.85)
    row.at_most("slowest sender", median(slowest), 3, "× median")


def beside_slow_rips(bench, row):
    folder = bench.pictures("job-8", 1, bench.size(300, 2), "plain")
    alone, beside = [], []
    with Sink(bench) as fast, Sink(bench, "--mbps", "20") as slow:
        queues = {f"slow{i}": rip("raw", slow) for i in range(7)} | {"bench": rip("raw", fast)}
        for _ in range(bench.rounds):
            with Daemon(bench, queues, f"{folder}/store") as daemon:
                daemon.through(fast, f"{folder}/job.ps")
                alone.append(daemon.through(fast, f"{folder}/job.ps")[0])
                submits = [daemon.submit(f"{folder}/job.ps", f"slow{i}") for i in range(7)]
                require(all(submit.wait(timeout=WAIT_S) == 0 for submit in submits), "submit failed")
                beside.append(daemon.through(fast, f"{folder}/job.ps")[0])
    row.at_least("beside 7 RIPs of 20 MB/s", ratio(alone, beside), 0.8)


def many_clients(bench, row):
    aggregate(bench, row, 8, bench.size(150, 2))
    aggregate(bench, row, bench.size(100, 10), bench.size(12, 1))
    beside_slow_rips(bench, row)
