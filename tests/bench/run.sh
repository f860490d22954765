#!/bin/bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Measures opispoold end to end: a thin job of 40 KB becomes 1.2 GB on the way to a RIP that only counts. Prints the
# daemon's peak memory and its speed, beside sendfile(2) and read+write of the same pictures in the same run.
#
#   tests/bench/run.sh [--bin DIR] [--out DIR] [--pictures N] [--megabytes M] [--rounds R] [--smoke]
#
# --smoke compares the bytes with those of `opispool resolve` and judges no figure.
set -euo pipefail
# shellcheck source=SCRIPTDIR/../../samples/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../samples/lib.sh"

bin=$root/build/release/bin out=$root/build/bench pictures=4 megabytes=300 rounds=3 smoke=
while [ $# -gt 0 ]; do
    case $1 in
    --bin) bin=$(cd "$2" && pwd) && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    --pictures) pictures=$2 && shift 2 ;;
    --megabytes) megabytes=$2 && shift 2 ;;
    --rounds) rounds=$2 && shift 2 ;;
    --smoke) smoke=yes pictures=2 megabytes=2 rounds=1 && shift ;;
    *) sed -n '3,9s/^# \{0,1\}//p' "$0" && exit 2 ;;
    esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
export TMPDIR=$out
pids=()
daemon=''

stop_all() {
    local pid
    for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
}
trap stop_all EXIT
trap 'exit 130' INT TERM

# wait_for TEXT FILE PID: until the file holds a line that begins with TEXT; prints the rest of the line.
wait_for() {
    local deadline=$((SECONDS + 120))
    until grep -q "^$1" "$2"; do
        kill -0 "$3" 2>/dev/null || grep -q "^$1" "$2" || { cat "$2" >&2 && die "the process that should say '$1' has ended"; }
        [ $SECONDS -lt $deadline ] || die "'$1' was not said in time: $2"
        sleep 0.05
    done
    sed -n "s/^$1 *//p" "$2" | head -n 1
}

start_sink() { # sets sink and port
    : >"$out/sink.log"
    "$bin/bench_sink" "$@" >"$out/sink.log" 2>&1 &
    sink=$!
    pids+=("$sink")
    port=$(wait_for port "$out/sink.log" "$sink")
}

# speed_of_sink: "BYTES MB/s" of its one connection.
speed_of_sink() {
    wait "$sink" || die "the counting receiver failed: $(cat "$out/sink.log")"
    awk '/^bytes/ { printf "%d %.0f\n", $2, ($4 > 0 ? $2 / 1e6 / $4 : 0) }' "$out/sink.log"
}

measure_limit() { # sendfile|copy
    start_sink 1
    "$bin/bench_limit" "$1" "$port" "$out"/store/*.tif
    speed_of_sink
}

# start_daemon RIP_PORT: a fresh spool, HTTP on a free port.
start_daemon() {
    local http=$((20000 + RANDOM % 12000))
    until port_is_free $http; do http=$((http + 1)); done
    rm -rf "$out/spool"
    cat >"$out/opispool.conf" <<END
[listen]
http = 127.0.0.1:$http
lpd =
[spool]
directory = spool
min_free_bytes = 0
[store main]
path = store
[queue bench]
stores = main
rip = socket://127.0.0.1:$1
END
    "$bin/opispoold" --config "$out/opispool.conf" 2>"$out/opispoold.log" &
    daemon=$!
    pids+=("$daemon")
    wait_for '<[0-9]>daemon.ready' "$out/opispoold.log" "$daemon" >/dev/null
    export OPISPOOL_SERVER=127.0.0.1:$http
}

measure_daemon() { # prints "BYTES MB/s PEAK_KB"
    if [ -n "$smoke" ]; then start_sink 1 "$out/received.ps"; else start_sink 1; fi
    start_daemon "$port"
    "$bin/opispool" submit -q bench "$out/job.ps" >/dev/null
    speed_of_sink >"$out/speed"  # not in $(...): a subshell can't wait for our child
    echo "$(cat "$out/speed") $(awk '/^VmHWM/ { print $2 }' "/proc/$daemon/status")"
    kill -TERM "$daemon"
    wait "$daemon" || die "opispoold did not stop in order: $(tail -n 3 "$out/opispoold.log")"
}

rm -f "$out"/measure.*
step "pictures: $pictures x $megabytes MB"
"$bin/make_bench_job" "$out" "$pictures" "$megabytes"
for round in $(seq "$rounds"); do
    step "round $round of $rounds"
    for way in sendfile copy daemon; do
        if [ $way = daemon ]; then measure_daemon >"$out/measure.$way.$round"; else measure_limit $way >"$out/measure.$way.$round"; fi
    done
done

median() { cat "$out"/measure."$1".* | sort -n -k "$2" | awk -v k="$2" '{ v[NR] = $k } END { print v[int((NR + 1) / 2)] }'; }
highest() { cat "$out"/measure."$1".* | sort -n -k "$2" | awk -v k="$2" 'END { print $k }'; }

thin=$(stat -c %s "$out/job.ps")
printf '\n%-34s %14s %8s %8s\n' '' bytes MB/s 'of best'
sendfile=$(median sendfile 2) copy=$(median copy 2)
best=$((sendfile > copy ? sendfile : copy))
for way in sendfile copy daemon; do
    case $way in
    sendfile) name='sendfile(2)' speed=$sendfile ;;
    copy) name='read(2) + write(2), 1 MiB' speed=$copy ;;
    daemon) name='opispoold: 40 KB job -> RIP' speed=$(median daemon 2) ;;
    esac
    printf '%-34s %14s %8s %7s%%\n' "$name" "$(median $way 1)" "$speed" "$((best > 0 ? speed * 100 / best : 0))"
done
printf '\nthin job %s bytes, result %s bytes, peak memory of opispoold %s KiB (limit of the design: 98304)\n' \
    "$thin" "$(median daemon 1)" "$(highest daemon 3)"

if [ -n "$smoke" ]; then
    "$bin/opispool" resolve --store "$out/store" -o "$out/resolved.ps" "$out/job.ps"
    [ "$(sha256sum <"$out/received.ps")" = "$(sha256sum <"$out/resolved.ps")" ] || die 'the RIP got other bytes than opispool resolve writes'
    [ "$(stat -c %s "$out/received.ps")" -gt $((pictures * 1900000)) ] || die 'the pictures are not in what the RIP got'
    echo 'The RIP got the same bytes as opispool resolve writes.'
fi
rm -f "$out"/measure.*
