#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs all bits programs of a build; traces go to FOLDER, which has to be empty or new. See CMakeLists.txt beside.
# An example that simulates nothing leaves what it prints as its trace.
set -euo pipefail
if [ $# -ne 2 ]; then
  echo "Usage: bash tests/bits/run.sh BUILD_DIR FOLDER" >&2
  exit 2
fi
programs="$(realpath "$1")/tests/bits"
mkdir -p "$2"
folder="$(realpath "$2")"
if [ -n "$(ls -A "$folder")" ]; then
  echo "$folder is not empty" >&2
  exit 2
fi
work="$(mktemp -d)" # examples may write files where they run
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENBLAS_NUM_THREADS=1

failed=0
"$programs/bits_models" "$folder" || failed=1
for program in "$programs"/bits_*; do
  name="${program##*/bits_}"
  if [ "$name" = models ] || [ "$name" = examinations ] || [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
  status=0
  NONSMOOTH_BITS="$folder" "$program" --check >"$work/output" 2>&1 || status=$?
  trace="$folder/example-$name.txt"
  if [ -f "$trace" ]; then
    tail -n 1 "$work/output" # its summary
  else
    cp "$work/output" "$trace"
    echo "example-$name (what it prints)"
  fi
  if [ "$status" -ne 0 ]; then
    echo "  bits_$name ended with status $status"
    failed=1
  fi
done
exit "$failed"
