#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/sanitize.sh [BUILD_DIR] [JOBS]
# The whole suite under AddressSanitizer and UndefinedBehaviorSanitizer in BUILD_DIR/asan, then the tests with threads
# under ThreadSanitizer in BUILD_DIR/tsan; BUILD_DIR is build where it is not given. Flags are those of the presets.
# CMAKE_ARGS in the environment is passed on to CMake. Left out: what counts allocations, as the sanitizers replace malloc
# themselves (tests/CMakeLists.txt), and the test of an install, which the flags would have to follow.
set -uo pipefail
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="${1:-$source_dir/build}"
jobs="${2:-$(nproc)}"
# What runs several threads, by the names of its tests: ThreadPool, Determinism, ThreadsDoNotChangeABit, AnyNumberOfLanes...
threaded='[Tt]hread|Determinism|AnyNumber'
threaded_programs=(test_kernel test_numerics_friction test_numerics_thread_pool)
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$source_dir/cmake/leaks.supp:print_suppressions=0}"

# sanitized <preset> <options...>: configures its folder.
sanitized() {
  local preset="$1"
  shift
  configure "$build/$preset" --preset "$preset" -DCMAKE_BUILD_TYPE=Debug -DNONSMOOTH_BATCHES=ON "$@"
}

run_step "packages" require_packages core demo test || exit 1
need_step "configure asan" sanitized asan -DNONSMOOTH_BUILD_IO=ON -DNONSMOOTH_BUILD_EXAMPLES=ON
need_step "build asan" build_with_progress "$build/asan" "$jobs"
run_step "the whole suite" run_tests "$build/asan" "$jobs" --label-exclude '^packaging$'
blocked=no  # the other half needs nothing of this one
need_step "configure tsan" sanitized tsan
need_step "build tsan" build_with_progress "$build/tsan" "$jobs" "${threaded_programs[@]}"
run_step "tests with threads" run_tests "$build/tsan" "$jobs" --tests-regex "$threaded"

print_summary "What was run (logs: $build/{asan,tsan}/Testing/Temporary/LastTest.log)"
