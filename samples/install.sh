#!/bin/bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Installs what opispool needs on Debian 12, as root or through sudo.   samples/install.sh [build|samples|tests]...
set -euo pipefail
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -gt 0 ] || set -- build samples
for group in "$@"; do
    step "Debian packages: $group"
    case $group in
    build) install_packages "${build_packages[@]}" ;;
    samples) install_packages "${sample_packages[@]}" ;;
    tests) install_packages "${test_packages[@]}" ;;
    *) die "no group of packages '$group'; there are: build, samples, tests" ;;
    esac
done
