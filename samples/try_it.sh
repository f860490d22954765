#!/bin/bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Prints three thin jobs through opispool to a RIP and checks every plate. Everything happens in the clone; nothing stays
# running.
#
#   samples/try_it.sh                  installs, builds, prints; plates in samples/out/
#   samples/try_it.sh --bin DIR --out DIR [--offset N]
#                                      with programs already built, another folder, all ports moved by N
#                                      ("auto": the first N that is free)
#
# Exit 0 only if every plate is right.
set -euo pipefail
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

samples=$root/samples
bin='' out=$samples/out offset=0
jobs=(magazine brochure imposition)
pids=()

usage() { sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

stop_all() {
    local pid
    for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    pids=()
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --bin) bin=$(cd "$2" && pwd) && shift 2 ;;
        --out) mkdir -p "$2" && out=$(cd "$2" && pwd) && shift 2 ;;
        --offset) offset=$2 && shift 2 ;;
        -h | --help) usage && exit 0 ;;
        *) usage >&2 && exit 2 ;;
        esac
    done
}

ports_are_free() {
    local port
    for port in 8632 5515 9190 9101 9102 5516; do
        port_is_free $((port + $1)) || { busy_port=$((port + $1)) && return 1; }
    done
}

choose_ports() {
    if [ "$offset" = auto ]; then
        offset=$((RANDOM % 400 * 10))
        for _ in $(seq 50); do
            ports_are_free "$offset" && return
            offset=$((offset + 11))
        done
    fi
    ports_are_free "$offset" || die "port $busy_port is in use; stop what listens there, or give --offset N"
}

# write_config: the sample configuration with this run's folder and ports.
write_config() {
    awk -v offset="$offset" -v out="$out" '
        { while (match($0, /127\.0\.0\.1:[0-9]+/)) {
              port = substr($0, RSTART + 10, RLENGTH - 10)
              line = line substr($0, 1, RSTART + 9) (port + offset)
              $0 = substr($0, RSTART + RLENGTH)
          }
          $0 = line $0; line = ""
          gsub(/= out\//, "= " out "/"); print }' "$samples/opispool.conf" >"$out/opispool.conf"
}

# wait_for SECONDS PID LOG TEST...: until the test is true; fails at once if the process ends.
wait_for() {
    local deadline=$((SECONDS + $1)) pid=$2 log=$3
    shift 3
    until "$@"; do
        kill -0 "$pid" 2>/dev/null || { cat "$log" >&2 && die "it ended at once; its words are above"; }
        [ $SECONDS -lt "$deadline" ] || { tail -n 20 "$log" >&2 && die "no answer in time; $log has more"; }
        sleep 0.1
    done
}

start_rip() {
    "$bin/sample_rip" "$out/plates" $((9190 + offset)) $((5516 + offset)) >"$out/rip.log" 2>&1 &
    pids+=($!)
    wait_for 10 $! "$out/rip.log" grep -q '^ready' "$out/rip.log"
}

daemon_answers() { "$bin/opispool" queues >/dev/null 2>&1; }

start_daemon() {
    export OPISPOOL_SERVER=127.0.0.1:$((8632 + offset))
    "$bin/opispoold" --config "$out/opispool.conf" 2>"$out/opispoold.log" &
    pids+=($!)
    wait_for 20 $! "$out/opispoold.log" daemon_answers
}

print_by_lpr() { # QUEUE FILE
    rlpr -N -q -H 127.0.0.1 --port=$((5515 + offset)) -P "$1" -o --timeout=60 --tmpdir="$TMPDIR" -J "$(basename "$2" .ps)" "$2"
}

print_by_appsocket() { # PORT FILE
    nc -N 127.0.0.1 "$1" <"$2"
}

# job_lines: "ID QUEUE DOOR STATE SIZE RESULT SECONDS REASON" of every job, oldest first.
job_lines() {
    "$bin/opispool" jobs --all --json | python3 -c '
import json, sys
for job in sorted(json.load(sys.stdin)["jobs"], key=lambda job: job["id"]):
    seconds = (job["changed_ms"] - job["created_ms"]) / 1000
    print(job["id"], job["queue"], job["door"], job["state"], job["size_bytes"], job["result_bytes"], "%.2f" % seconds,
          job["reason"] or " ".join(job["messages"]))'
}

jobs_are_known() { # HOW_MANY
    [ "$(job_lines | wc -l)" -ge "$1" ]
}

jobs_are_done() { # HOW_MANY
    [ "$(job_lines | awk '$4 != "pending" && $4 != "processing" { n++ } END { print n + 0 }')" -ge "$1" ]
}

render_truth() { # JOB
    local folder=$out/truth/$1
    mkdir -p "$folder"
    awk -f "$samples/truth/join.awk" "$samples/truth/$1.ps" "$samples/thin/$1.ps" >"$folder/page.ps"
    (cd "$out" && gs -q -dSAFER -dBATCH -dNOPAUSE --permit-file-read=truth/ --permit-file-read=store/ -r144 \
        -sDEVICE=tiffsep -sCompression=lzw -o "$folder/page-%d.tif" "$samples/truth/prolog.ps" "$folder/page.ps") ||
        die "the truth of $1 can't be rendered"
}

# The judge must tell a proxy from a picture, or its yes means nothing.
check_the_judge() { # JOB
    local folder=$out/truth/proxies-$1
    mkdir -p "$folder"
    gs -q -dSAFER -dBATCH -dNOPAUSE -r144 -sDEVICE=tiffsep -sCompression=lzw -o "$folder/page-%d.tif" "$samples/thin/$1.ps"
    if "$bin/compare_plates" "$folder" "$out/truth/$1" >/dev/null; then die "the judge takes proxies for pictures"; fi
}

# After apt, which reads its keys as another user in the system's own temporary folder.
use_own_temporary_folder() {
    export TMPDIR=$out/tmp
    rm -rf "$TMPDIR"
    mkdir -p "$TMPDIR"
}

make_pictures() {
    if [ "$out/.made" -nt "$bin/make_samples" ]; then
        note "they are there already"
    else
        "$bin/make_samples" "$out/store" "$out/truth" || die "the sample pictures could not be made"
        : >"$out/.made"
    fi
    cp "$samples"/eps/*.eps "$out/store/"
}

# check_plates: one line of the table for each job; counts what is wrong. Seconds go from the job's arrival to its plates,
# waiting and rendering included; MB/s is how fast the RIP was fed.
check_plates() {
    local queue door state size result seconds reason number=0 job rip verdict rate
    wrong=0
    printf '\n%-10s %-22s %10s %12s %8s %7s  %s\n' job 'door -> RIP' 'thin in' 'press-ready' seconds MB/s plates
    while read -r _ queue door state size result seconds reason; do
        job=${sent[number]} number=$((number + 1))
        rip=appsocket
        [ "$queue" = press ] || rip=lpd
        verdict="plates at ${out#"$PWD"/}/plates/$rip/$job"
        if [ "$job" = missing ]; then
            verdict="held, as it must be: $reason"
            if [[ $state != pending-held || $reason != *regatta.tif* ]]; then
                wrong=$((wrong + 1)) verdict="WRONG: $state $reason"
            fi
        elif [ "$state" != completed ]; then
            wrong=$((wrong + 1)) verdict="WRONG: $state $reason"
        elif ! "$bin/compare_plates" "$out/plates/$rip/$job" "$out/truth/$job" >"$out/compare.log"; then
            wrong=$((wrong + 1)) verdict="WRONG PLATES: $(head -n 3 "$out/compare.log" | tr '\n' ' ')"
        fi
        rate=$(awk -v door="$rip" -v job="$job" '$1 == door && $2 == job { rate = $3 / 1e6 / ($7 > 0.0001 ? $7 : 0.0001) }
            END { printf(rate ? "%.0f" : "-", rate) }' "$out/rip.log")
        printf '%-10s %-22s %10s %12s %8s %7s  %s\n' "$job" "$door -> $rip" "$size" "$result" "$seconds" "$rate" "$verdict"
    done <<<"$(job_lines)"
    [ "$number" -eq ${#sent[@]} ] || { wrong=$((wrong + 1)) && echo "WRONG: ${#sent[@]} jobs were printed, opispool knows $number"; }
}

install_and_build() {
    local options=()
    step 'Debian packages'
    install_packages "${build_packages[@]}" "${sample_packages[@]}"
    use_own_temporary_folder
    step 'build (the first time takes some minutes)'
    # The tests need more packages; a build folder that has them already keeps them.
    [ -e "$root/build/release/CMakeCache.txt" ] || options=(-DOPISPOOL_TESTS=OFF)
    build_preset release "${options[@]}" -- opispoold opispool make_samples sample_rip compare_plates
    bin=$root/build/release/bin
}

# Sets sent: the names in the order of arrival, which is the order of the table.
print_everything() {
    local job
    sent=()
    for job in "${jobs[@]}"; do
        step "print $job: rlpr to queue press, nc to the port of queue proof"
        print_by_lpr press "$samples/thin/$job.ps" || die "rlpr could not print $job"
        print_by_appsocket $((9102 + offset)) "$samples/thin/$job.ps" || die "nc could not print $job"
        sent+=("$job" "$job")
        # AppSocket has no acknowledgement to wait for.
        wait_for 30 "${pids[1]}" "$out/opispoold.log" jobs_are_known ${#sent[@]}
    done
    step 'print a page whose picture is missing'
    print_by_lpr press "$samples/thin/missing.ps" || die "rlpr could not print missing"
    sent+=(missing)
}

main() {
    local job
    parse_options "$@"
    trap stop_all EXIT
    trap 'exit 130' INT TERM
    mkdir -p "$out"
    [ -n "$bin" ] || install_and_build
    use_own_temporary_folder
    rm -rf "$out/spool" "$out/plates"
    step 'sample pictures'
    make_pictures
    step 'the truth: what the plates must look like'
    for job in "${jobs[@]}"; do render_truth "$job"; done
    check_the_judge "${jobs[0]}"

    choose_ports
    write_config
    step "sample RIP: AppSocket on port $((9190 + offset)), LPR on port $((5516 + offset))"
    start_rip
    step "opispoold: LPR on port $((5515 + offset)), AppSocket on $((9101 + offset)) and $((9102 + offset))"
    start_daemon
    print_everything
    step 'wait for the RIP'
    wait_for 300 "${pids[1]}" "$out/opispoold.log" jobs_are_done ${#sent[@]}
    step 'check every plate'
    check_plates
    stop_all
    echo
    [ "$wrong" -eq 0 ] || die "$wrong of ${#sent[@]} jobs are wrong; logs: $out/opispoold.log, $out/rip.log"
    echo "All plates are right. Look at page-1.png of each job, e.g. ${out#"$PWD"/}/plates/appsocket/magazine/page-1.png"
}

# In a function, so that the script is read whole before it begins.
main "$@"
