# SPDX-License-Identifier: AGPL-3.0-or-later
"""Runs the measured programs: receivers that count, plain senders (the limits), the daemon. Clocks are CLOCK_MONOTONIC."""

import contextlib
import os
import queue
import re
import shutil
import socket
import statistics
import subprocess
import threading
import time

WAIT_S = 120  # for one step of a run; the steps take seconds


class Bench:
    """Where the programs and the files are, and how much is measured."""

    def __init__(self, programs, rounds, smoke):
        self.programs, self.rounds, self.smoke = programs, rounds, smoke
        self.out = None  # each row has a folder of its own

    def program(self, name):
        return os.path.join(self.programs, name)

    def path(self, *names):
        return os.path.join(self.out, *names)

    def size(self, full, tiny):
        return tiny if self.smoke else full

    def folder(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        return self.path(name)

    def run(self, *command, stdout=subprocess.DEVNULL):
        """Seconds of wall clock that a command took; it has to succeed."""
        begun = time.monotonic()
        subprocess.run(command, stdout=stdout, check=True, timeout=WAIT_S)
        return time.monotonic() - begun

    def pictures(self, name, count, megabytes, form):
        """A folder with a thin job of `count` pictures, in the page cache."""
        folder = self.folder(name)
        self.run(self.program("make_bench_job"), folder, str(count), str(megabytes), form)
        # What was proved of a picture is kept only if it has not just changed; in a store pictures are older.
        an_hour_ago = time.time() - 3600
        for file in os.listdir(f"{folder}/store"):
            os.utime(f"{folder}/store/{file}", (an_hour_ago, an_hour_ago))
            self.run("cat", f"{folder}/store/{file}")
        return folder

    def ranges(self, folder, options=()):
        """A list for bench_limit: the very ranges that the result of the job consists of."""
        plan = subprocess.run([self.program("opispool"), "plan", "--store", f"{folder}/store", *options, f"{folder}/job.ps"],
                              capture_output=True, text=True, check=True).stdout
        lines = []
        for line in plan.splitlines():
            part = re.match(r"\d+ (\d+) (?:file (.*) at (\d+)|\w+)", line)
            if part:
                length, path, offset = part.groups()
                lines.append(f"{offset} {length} {path}" if path else f"0 {length} {folder}/job.ps")
        with open(f"{folder}/ranges", "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
        return f"{folder}/ranges"

    def whole(self, path):
        with open(f"{path}.ranges", "w", encoding="utf-8") as out:
            out.write(f"0 {os.path.getsize(path)} {path}\n")
        return f"{path}.ranges"

    def limit(self, method, framing, port, ranges, connections=1):
        """(wall, cpu) seconds of plain senders."""
        said = subprocess.run([self.program("bench_limit"), method, framing, str(port), ranges, str(connections)],
                              capture_output=True, text=True, check=True, timeout=WAIT_S).stdout.split()
        return float(said[1]), float(said[3])


def stop(process):
    process.terminate()
    process.wait(timeout=WAIT_S)


class Sink:
    """A receiver that counts; a context manager."""

    def __init__(self, bench, *options):
        self.process = subprocess.Popen([bench.program("bench_sink"), *map(str, options)], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[1])
        self.jobs = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.jobs.put(line.split())

    def job(self):
        """(bytes, first, last, closed) of the next job that ends; the times as time.monotonic() counts."""
        word, length, *times = self.jobs.get(timeout=WAIT_S)
        assert word == "job"
        return (int(length), *map(float, times))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


class Daemon:
    """opispoold with the queues {name: lines}, on the stores of a folder; a context manager."""

    def __init__(self, bench, queues, store, spool=None):
        self.bench = bench
        self.spool = spool or bench.folder("spool")
        self.http, self.lpd = free_port(), free_port()
        text = f"[listen]\nhttp = 127.0.0.1:{self.http}\nlpd = 127.0.0.1:{self.lpd}\n[spool]\ndirectory = {self.spool}\nmin_free_bytes = 0\n"
        text += f"[store main]\npath = {store}\n"
        for name, lines in queues.items():
            text += f"[queue {name}]\nstores = main\n" + "".join(f"{line}\n" for line in lines)
        with open(bench.path("opispool.conf"), "w", encoding="utf-8") as out:
            out.write(text)
        self.peak_kib = {"VmHWM": 0, "RssAnon": 0}
        begun = time.monotonic()
        self.process = subprocess.Popen([bench.program("opispoold"), "--config", bench.path("opispool.conf")],
                                        stderr=subprocess.PIPE, text=True)
        self.log = []
        for line in self.process.stderr:
            self.log.append(line)
            if "daemon.ready" in line:
                break
        else:
            raise RuntimeError("opispoold did not start: " + "".join(self.log))
        self.start_s = time.monotonic() - begun
        self.ended = threading.Event()
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    def _watch(self):
        while not self.ended.wait(0.02):
            with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
                for line in status:
                    word = line.split(":")[0]
                    if word in self.peak_kib:
                        self.peak_kib[word] = max(self.peak_kib[word], int(line.split()[1]))

    def cpu_s(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def submit(self, job, name="bench"):
        return subprocess.Popen([self.bench.program("opispool"), "submit", "--server", f"127.0.0.1:{self.http}", "-q", name, job],
                                stdout=subprocess.DEVNULL)

    def through(self, sink, job, name="bench"):
        """One thin job to a RIP: (wall seconds from the command to the RIP's end, CPU seconds, bytes, seconds to the first byte)."""
        cpu, begun = self.cpu_s(), time.monotonic()
        submit = self.submit(job, name)
        length, first, _, closed = sink.job()
        if submit.wait(timeout=WAIT_S) != 0:
            raise RuntimeError("submit failed: " + "".join(self.log[-5:]))
        return closed - begun, self.cpu_s() - cpu, length, first - begun

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.watcher.join()
        stop(self.process)


def median(values):
    return statistics.median(values)


def ratio(ours, theirs):
    """Median of the ratios of interleaved pairs."""
    return median([a / b for a, b in zip(ours, theirs)])


class Row:
    """What a row found: parts, each of which has its own target."""

    def __init__(self):
        self.parts, self.good = [], True

    def at_most(self, what, value, target, unit="×"):
        self._judge(what, value, "≤", target, value <= target, unit)

    def at_least(self, what, value, target, unit="×"):
        self._judge(what, value, "≥", target, value >= target, unit)

    def _judge(self, what, value, sign, target, good, unit):
        self.parts.append(f"{what} {value:.2f} {unit} ({sign} {target:g}{'' if good else ': missed'})")
        self.good = self.good and good

    def note(self, text):
        self.parts.append(text)

    def text(self):
        return "; ".join(self.parts) + "; " + ("met" if self.good else "not met")


def require(condition, message):
    if not condition:
        raise RuntimeError(message)
