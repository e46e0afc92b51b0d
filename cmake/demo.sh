#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/demo.sh [BUILD_DIR] [JOBS]
# Installs what is missing, builds the libraries and three examples, simulates these and draws their pictures.
# CMAKE_ARGS in the environment is passed on to CMake. cmake/test.sh goes on in the same folder.
set -uo pipefail
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="${1:-$source_dir/build/nonsmooth}"
jobs="${2:-$(nproc)}"
mkdir -p "$build/pictures" || exit 1
build="$(cd "$build" && pwd)"
pictures="$build/pictures"
examples=(diode_bridge bouncing_ball disk_field)

fresh=()  # in a new folder; one that cmake/test.sh made keeps its tests
if [[ ! -f "$build/CMakeCache.txt" ]]; then fresh=(-DNONSMOOTH_BUILD_TESTS=OFF); fi
need_step "packages" require_packages core demo
need_step "configure" configure "$build" "${fresh[@]}"
need_step "build" build_with_progress "$build" "$jobs" "${examples[@]/#/example_}"
for name in "${examples[@]}"; do
  run_step "$name" "$build/examples/$name/example_$name" --pictures "$pictures"
done

print_summary "What was run (code: examples/<name>/main.cpp)"
result=$?
printf '\nPictures:\n'
find "$pictures" \( -name '*.png' -o -name '*.svg' \) -print | sort | sed 's/^/  /'
if [[ -z "$(find "$pictures" -name '*.png' -print -quit)" ]]; then
  echo "  none"
  result=1
fi
others=("$source_dir"/examples/*/main.cpp)
printf '\nThe other %d examples: cmake --build %s --target examples\n' "$((${#others[@]} - ${#examples[@]}))" "$build"
printf 'The tests:             bash cmake/test.sh%s\n' "${1:+ $1}"
exit "$result"
