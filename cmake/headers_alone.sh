#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bash cmake/headers_alone.sh WORK_DIR [COMPILER [JOBS]]: does each public header compile by itself, without warnings?
# Those that include Eigen, themselves or through others of ours, would parse it once each, which takes four fifths of the
# time: they are read after it, precompiled by itself in WORK_DIR. It holds nothing of ours, and of the standard library only
# what such a header gets from Eigen anyway. The others are read without. COMPILER is a clang++.
set -uo pipefail
export LC_ALL=C
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
work="${1:?bash cmake/headers_alone.sh WORK_DIR [COMPILER [JOBS]]}" compiler="${2:-clang++}" jobs="${3:-$(nproc)}"
mkdir -p "$work" && work="$(cd "$work" && pwd)" && cd "$source_dir" || exit 1

flags=(-std=c++20 -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -DEIGEN_MAX_ALIGN_BYTES=64
  -Inumerics/include -Ikernel/include -Iio/include -isystem "${EIGEN3_INCLUDE_DIR:-/usr/include/eigen3}")

# A line a header: what of Eigen is to be precompiled for it (none, Core, SparseCore), and its name as users include it.
headers() {
  find numerics/include kernel/include io/include -name '*.hpp' | sort | xargs awk '
    FNR == 1 { name = FILENAME; sub(/^[^\/]*\/include\//, "", name); names[++n] = name }
    /^ *# *include *<Eigen\// { has[name] = /<Eigen\/Core>/ && has[name] < 2 ? 1 : 2 }
    match($0, /^ *# *include *[<"]nonsmooth\/[^>"]*/) { line = $0; sub(/^[^<"]*[<"]/, "", line); sub(/[>"].*/, "", line)
      from[++edges] = name; to[edges] = line }
    END {
      do {  # what is included hands on what it includes
        changed = 0
        for (i = 1; i <= edges; ++i) if (has[to[i]] > has[from[i]]) { has[from[i]] = has[to[i]]; changed = 1 }
      } while (changed)
      for (i = 1; i <= n; ++i) print (has[names[i]] == 2 ? "SparseCore" : has[names[i]] == 1 ? "Core" : "none"), names[i]
    }'
}

for part in Core SparseCore; do
  echo "#include <Eigen/$part>" >"$work/$part.hpp"
  "$compiler" "${flags[@]}" -x c++-header "$work/$part.hpp" -o "$work/$part.pch" || exit 1
done

# What is printed of a header that fails is the compiler's own words, after its name.
one() {
  local part="$1" header="$2" after=()
  shift 2
  [[ "$part" == none ]] || after=(-include-pch "$work/$part.pch")
  "$@" "${after[@]}" -fsyntax-only -x c++ - <<<"#include <$header>" || { echo "does not compile alone: $header" >&2; return 1; }
}
export -f one
export work
list="$(headers)"
xargs -P "$jobs" -L 1 bash -c 'one "${@: -2}" "${@:1:$# - 2}"' one "$compiler" "${flags[@]}" <<<"$list" || exit 1
awk '{ ++count[$1] } END { for (part in count) printf "%d headers after %s\n", count[part], part == "none" ? "nothing" : "Eigen/" part }' \
  <<<"$list"
