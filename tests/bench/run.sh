#!/bin/bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Builds what it needs (preset release) and prints the table of speed and memory: tests/bench/README.md explains it.
#
#   tests/bench/run.sh [--only P1,P6] [--rounds N] [--bin DIR] [--out DIR] [--smoke]
#
# --smoke measures tiny sizes and judges bytes and hashes only.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
case " $* " in
*' --bin '*) ;;
*)
    cmake -S "$root" --preset release >&2
    cmake --build "$root/build/release" --target opispool opispoold bench_sink bench_limit bench_decode make_bench_job >&2
    set -- --bin "$root/build/release/bin" --out "$root/build/bench" "$@"
    ;;
esac
exec /usr/bin/python3 -B "$here/table.py" "$@"
