#!/bin/bash
# SPDX-License-Identifier: AGPL-3.0-or-later
# Installs what the tests need (Debian 12, root or sudo), builds preset ci and runs every test.
#
#   tests/run.sh [ctest options]     e.g. tests/run.sh -L unit; the last lines and the exit code are ctest's
set -euo pipefail
# shellcheck source=SCRIPTDIR/../samples/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../samples/lib.sh"

step 'Debian packages'
install_packages "${build_packages[@]}" "${sample_packages[@]}" "${test_packages[@]}"
step 'other people'"'"'s print clients'
unpack_cups_peers
step 'build (the first time takes some minutes)'
build_preset ci
step 'tests'
cd "$root"
# A test that hangs must not hold the run: ten minutes, where a test sets no limit of its own.
exec ctest --preset ci --timeout 600 --no-tests=error "$@" </dev/null
