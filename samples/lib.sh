# SPDX-License-Identifier: AGPL-3.0-or-later
# Shared by samples/*.sh and tests/run.sh: progress lines, packages, the build. Source it; it starts nothing by itself.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(g++ cmake ninja-build pkg-config libtiff-dev libjpeg62-turbo-dev zlib1g-dev libdeflate-dev libboost1.81-dev
    libboost-program-options1.81-dev libboost-json1.81-dev libsqlite3-dev libexpected-dev libunistring-dev
    libgs-dev libcups2-dev)
sample_packages=(ghostscript rlpr netcat-openbsd python3)
test_packages=(git libgtest-dev libgmock-dev poppler-utils psutils libtiff-tools curl clang-format-14 python3-pil python3-numpy
    libcups2 libavahi-client3)

step_number=0
started=$SECONDS

# step TEXT: one progress line per step.
step() {
    step_number=$((step_number + 1))
    printf '[%2d] %3d s  %s\n' "$step_number" "$((SECONDS - started))" "$*"
}

note() { printf '            %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root=()

become_root() { # WHY
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "run this as root, or install sudo, $1"
        as_root=(sudo)
    fi
}

# install_packages NAME...: by apt, only what is missing; names the package that can't be had.
install_packages() {
    local package missing=()
    command -v dpkg-query >/dev/null || die "this is not a Debian system; opispool is built and tried on Debian 12"
    for package in "$@"; do is_installed "$package" || missing+=("$package"); done
    if [ ${#missing[@]} -eq 0 ]; then
        note "all $# packages are there"
        return
    fi
    note "missing: ${missing[*]}"
    become_root "to install: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq </dev/null || die "apt-get update failed; is there a network and a package source?"
    for package in "${missing[@]}"; do
        apt-cache show "$package" >/dev/null 2>&1 ||
            die "package $package is not in this machine's package lists (Debian 12 'bookworm' has it)"
    done
    # No service that comes with a package is started, and nobody is asked anything.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null >/dev/null || die "apt-get could not install: ${missing[*]}"
    for package in "${missing[@]}"; do is_installed "$package" || die "package $package is still missing after apt-get"; done
    note "installed ${#missing[@]} packages"
}

# One compiler takes up to 1.2 GB on the largest sources.
build_jobs() {
    local by_memory cores
    cores=$(nproc)
    by_memory=$(awk '/^MemAvailable/ { print int($2 / 1200000) }' /proc/meminfo)
    [ "$by_memory" -ge 1 ] || by_memory=1
    echo $((by_memory < cores ? by_memory : cores))
}

# build_preset PRESET [cmake options] [-- target...]: configure and build, quiet unless it fails.
build_preset() {
    local preset=$1 options=() log
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    log=$root/build/$preset.log
    mkdir -p "$root/build"
    (cd "$root" && cmake --preset "$preset" "${options[@]}") </dev/null >"$log" 2>&1 ||
        { tail -n 30 "$log" >&2 && die "cmake --preset $preset failed; all of it is in $log"; }
    (cd "$root" && cmake --build --preset "$preset" -j "$(build_jobs)" ${1:+--target "$@"}) </dev/null >"$log" 2>&1 ||
        { tail -n 60 "$log" >&2 && die "the build failed; all of it is in $log"; }
}

# Nobody listens there: state 0A in the kernel's table. Nothing is sent to a stranger's port.
port_is_free() { ! grep -qiE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F:]+ 0A" /proc/net/tcp /proc/net/tcp6; }

# unpack_cups_peers: CUPS's clients (backends lpd and socket, ipptool and its tests, lp, lpstat, cupstestppd), taken out of
# their packages into build/peers and not installed, because a package would bring and start a print service.
unpack_cups_peers() {
    local peers=$root/build/peers package
    local packages=(cups cups-client cups-ipp-utils)
    export OPISPOOL_CUPS_PEERS=$peers OPISPOOL_CUPS_BACKENDS=$peers/usr/lib/cups/backend-available
    if has_cups_peers; then return; fi
    rm -rf "$peers"
    mkdir -p "$peers"
    if ! (cd "$peers" && apt-get download -qq "${packages[@]}") </dev/null >/dev/null 2>&1; then
        become_root "to refresh the package lists"
        "${as_root[@]}" apt-get update -qq </dev/null || die "apt-get update failed; is there a network and a package source?"
        (cd "$peers" && apt-get download -qq "${packages[@]}") </dev/null >/dev/null 2>&1 ||
            die "packages ${packages[*]} can't be downloaded; is there a network and a package source?"
    fi
    for package in "${packages[@]}"; do dpkg -x "$peers/$package"_*.deb "$peers"; done
    has_cups_peers || die "packages ${packages[*]} do not hold CUPS's clients; Debian 12's do"
    note "CUPS's clients are in build/peers"
}

has_cups_peers() {
    local path
    for path in usr/lib/cups/backend-available/lpd usr/lib/cups/backend-available/socket usr/bin/ipptool usr/bin/lp \
        usr/bin/lpstat usr/bin/cancel usr/bin/cupstestppd usr/share/cups/ipptool/ipp-1.1.test; do
        [ -e "$root/build/peers/$path" ] || return 1
    done
}
