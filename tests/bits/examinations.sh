#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash tests/bits/examinations.sh BUILD_DIR: runs the bits programs of a build and writes docs/examinations.md, what can be
# said of every model of tests/problems and of the examples before it runs.
set -euo pipefail
if [ $# -ne 1 ]; then
  echo "Usage: bash tests/bits/examinations.sh BUILD_DIR" >&2
  exit 2
fi
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
page="$here/../../docs/examinations.md"
programs="$(realpath "$1")/tests/bits"
work="$(mktemp -d)" # examples may write files where they run
trap 'rm -rf "$work"' EXIT
cd "$work"
export OPENBLAS_NUM_THREADS=1 NONSMOOTH_EXAMINATIONS="$work/rows"

"$programs/bits_examinations" "$work/rows"
for program in "$programs"/bits_*; do
  name="${program##*/bits_}"
  if [ "$name" = models ] || [ "$name" = examinations ] || [ ! -x "$program" ]; then continue; fi
  "$program" --check >output 2>&1 || { cat output >&2; exit 1; }
done

# rows <letter>: of all files, in the order of their names, examples before models.
rows() { cat rows/*.rows | sed -n "s/^$1 //p"; }
{
  cat <<'PAGE'
# What is known of each model before it runs

Made by `bash tests/bits/examinations.sh BUILD_DIR` from [`analysis::examine`](analysis.md) at the initial state, of all
models of tests/problems and of the examples (`example-`; those that simulate nothing are not in it, and of an example with many models the first
four that differ). Islands that look alike have one row. "?" is not known.

## First order

P / PSD: classes of D. C B: a P-matrix. Solutions: existence and uniqueness of x, with the theorem or what is in its way.

| model | island | states | rows | laws | relative degree | D: P / PSD | C B: P | passive | index | solutions | theorem |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
PAGE
  rows F
  cat <<'PAGE'

## Mechanics

Bilateral: rows and their hyperstatic degree. Contacts: all, closed at the start, and normals of these beyond what the motion
needs. W: its eigenvalues on the rows that act. Above: contacts whose friction is not below Painlevé's bound, of those with
friction. One step: the velocity after it is unique. Solutions as above, of the motion.

| model | island | velocities | degrees of freedom | bilateral | contacts | W | above | one step | solutions | theorem |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
PAGE
  rows M
  cat <<'PAGE'

## Schemes

Rate: the largest eigenvalue in 1/s; step: 20 a period of the fastest oscillation, a tenth of the time in which what grows
grows e-fold, empty where neither binds. Jump: the largest change of the state at t = 0, empty where it is consistent.

| model | cannot | recommended | rate | step | jump |
| --- | --- | --- | --- | --- | --- |
PAGE
  rows S
} >"$page"
echo "docs/examinations.md: $(grep -c '^| ' "$page") rows"
