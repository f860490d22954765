# SPDX-License-Identifier: AGPL-3.0-or-later
"""The table: one line a row, which begins with its id. run.sh builds the programs and calls this; README.md explains the rows."""

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time

import rows_out
import rows_work
import tools

ROWS = {
    "P1": rows_out.composed_to_socket,
    "P2": rows_out.composed_to_lpd,
    "P3": rows_work.compressed_strips,
    "P4": rows_work.decoded_pictures,
    "P5": rows_work.seven_bits,
    "P6": rows_work.plain_jobs,
    "P7": rows_out.first_byte,
    "P8": rows_out.plain_through,
    "P9": rows_out.early_start,
    "P10": rows_out.many_clients,
    "P11": rows_work.memory,
    "P12": rows_work.growth,
}


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":")[1].strip()
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, {time.strftime('%Y-%m-%d')}, load {os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("--only", default=",".join(ROWS), help="rows, with commas between")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    wanted = options.only.split(",")
    if not set(wanted) <= set(ROWS) or options.rounds < 1:
        parser.error(f"rows are {', '.join(ROWS)}; rounds at least 1")
    options.out = os.path.abspath(options.out)
    os.makedirs(options.out, exist_ok=True)
    bench = tools.Bench(os.path.abspath(options.bin), 1 if options.smoke else options.rounds, options.smoke)
    print(f"Medians of {bench.rounds} interleaved rounds. {machine()}", flush=True)
    failed = False
    for name in wanted:
        begun = time.monotonic()
        row = tools.Row()
        bench.out = tempfile.mkdtemp(dir=options.out, prefix=name)
        try:
            ROWS[name](bench, row)
            # A run of tiny sizes proves that the bytes are right; its times mean nothing.
            said = "bytes are right" if bench.smoke else row.text()
        except Exception as error:  # one row that can't be measured must not hide the others
            failed = True
            said = f"not measured: {type(error).__name__}: {error}"
        finally:
            shutil.rmtree(bench.out)
        print(f"{name} {said}", flush=True)
        print(f"   ({name} took {time.monotonic() - begun:.0f} s)", file=sys.stderr, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
