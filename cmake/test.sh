#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/test.sh [BUILD_DIR] [JOBS]
# Installs what is missing, builds libraries, examples and tests, and runs the tests.
# CMAKE_ARGS in the environment is passed on to CMake. What cmake/demo.sh built is not built again.
set -uo pipefail
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="${1:-$source_dir/build/nonsmooth}"
jobs="${2:-$(nproc)}"

need_step "packages" require_packages core demo test
need_step "configure" configure "$build" -DNONSMOOTH_BUILD_TESTS=ON
need_step "build" build_with_progress "$build" "$jobs"
run_step "tests" run_tests "$build" "$jobs"

print_summary "What was run (code: tests/, log: $build/Testing/Temporary/LastTest.log)"
