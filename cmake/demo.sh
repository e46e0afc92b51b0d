#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/demo.sh [BUILD_DIR] [JOBS]
# Installs what is missing, builds the examples, simulates three of them and draws their pictures.
# CMAKE_ARGS in the environment is passed on to CMake.
set -uo pipefail
# shellcheck source=cmake/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="${1:-$source_dir/build/demo}"
jobs="${2:-$(nproc)}"
mkdir -p "$build/pictures" || exit 1
build="$(cd "$build" && pwd)"
pictures="$build/pictures"

need_step "packages" require_packages core demo
need_step "configure" configure "$build" -DNONSMOOTH_BUILD_TESTS=OFF -DNONSMOOTH_BUILD_EXAMPLES=ON
need_step "build" cmake --build "$build" --parallel "$jobs"
for name in diode_bridge bouncing_ball disk_field; do
  run_step "$name" "$build/examples/$name/example_$name" --pictures "$pictures"
done

print_summary "What was run (code: examples/<name>/main.cpp)"
result=$?
printf '\nPictures:\n'
find "$pictures" -name '*.png' -print | sort | sed 's/^/  /'
if [[ -z "$(find "$pictures" -name '*.png' -print -quit)" ]]; then
  echo "  none"
  result=1
fi
exit "$result"
