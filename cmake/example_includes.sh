#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/example_includes.sh
# Does each example include what it uses of io and the kernel? Here they are compiled after a precompiled header that has
# both, so that one that forgot would only fail where it is built alone. By their best known names, which is enough to see
# that a header is missing.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../examples" || exit 2

# The file and the headers of its own folder that it includes.
with_own_headers() {
  local file="$1" header
  cat "$file"
  sed -nE 's/^ *# *include *"([^"]+)".*/\1/p' "$file" | while read -r header; do
    [[ ! -f "${file%/*}/$header" ]] || with_own_headers "${file%/*}/$header"
  done
}

# uses NAMES HEADER: prints the files that use one of NAMES without HEADER or one below it; fails where there is one.
uses() {
  local file found=0
  for file in */*.cpp; do
    sed -e 's|//.*||' -e 's|"[^"]*"||g' "$file" | grep -qwE "$1" || continue
    ((++count))
    with_own_headers "$file" | grep -E "^ *# *include *<nonsmooth/$2(\.hpp|/)" >/dev/null ||
      { echo "no <nonsmooth/$2.hpp>: examples/$file"; found=1; }
  done
  return "$found"
}

count=0 status=0
uses 'Recorder|Bounds|Arguments|draw|run_example|nonsmooth::Table|nonsmooth::Figure' io || status=1
uses 'NonSmoothDynamicalSystem|SystemHandle|TimeStepping|EventDriven|explain_failure' kernel || status=1
((count > 0)) || { echo "no example uses either"; exit 2; }
exit "$status"
