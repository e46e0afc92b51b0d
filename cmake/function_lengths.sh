#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/function_lengths.sh [MOST]
# Prints each function of the libraries that is longer than MOST lines (80 where it is not given), its braces and the line
# of its name included. Fails when one of them has no comment "// Long because: <reason>" in its first line or in the lines
# right before it, up to an empty line.
set -uo pipefail
export LC_ALL=C

most="${1:-80}"
if (($# > 1)) || [[ ! "$most" =~ ^[1-9][0-9]*$ ]]; then
  echo "bash cmake/function_lengths.sh [MOST]: MOST is a number of lines" >&2
  exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
if ! ctags --version 2>/dev/null | grep -q '^Universal Ctags'; then
  echo "no ctags of Universal Ctags (package universal-ctags)" >&2
  exit 2
fi

# shellcheck disable=SC2016  # the fields are awk's
longer='
  function reason_beside(file, line,   count, text, lines, found) {
    while ((getline text < file) > 0 && ++count <= line) lines[count] = text
    close(file)
    for (; line > 0 && lines[line] !~ /^[[:space:]]*$/; --line)
      if (match(lines[line], /\/\/ Long because: +[^[:space:]]/))
        found = substr(lines[line], RSTART + length("// Long because: "))
    return found
  }
  /^!_TAG/ { next }
  {
    ++functions
    first = last = 0
    for (i = 4; i <= NF; ++i) {
      if ($i ~ /^line:/) first = substr($i, 6)
      if ($i ~ /^end:/) last = substr($i, 5)
    }
    if (!first || !last) { print $2 ": no lines known of " $1; ++without; next }
    if (last - first + 1 <= most) next
    reason = reason_beside($2, first)
    if (reason == "") ++without
    printf "%5d lines  %s:%d  %s  %s\n", last - first + 1, $2, first, $1,
           reason == "" ? "NO REASON BESIDE IT" : "because: " reason
  }
  END {
    if (!functions) { print "no function was found"; exit 2 }
    exit without > 0
  }'

find numerics kernel io \( -name '*.cpp' -o -name '*.hpp' \) -print |
  ctags -L - -f - --languages=C++ --kinds-C++=f --fields=+ne --excmd=number |
  awk -F '\t' -v most="$most" "$longer" | sort -rn -k 1,1
